// Payments and refunds that wait for their bank, the oldest first. Their indexes have no other rows.

import { isInFlight } from '../domain/transaction/transaction.ts'
import type { Looks } from '../engine/decision.ts'
import { find, look, type Row } from '../tables/tables.ts'
import type { Mids } from './orders-by-number.ts'

const EXAMINED_MAX = 50_000 // docs/console.md: entries of an index, when merchants are named
const TASKS_MAX = 10_000 // Mohur's choice: overdue status inquiries, among them those about payments that the service has never asked about

export interface PendingLine {
  kind: 'payment' | 'refund'
  mid: string
  orderId: string
  /** txnId or refId. */
  id: string
  since: number
  status: string
  paymentMode: string
  amountPaise: number
  /** When the service asks the bank next: by the task, or by the cycle of a debit. */
  askedAt: number | undefined
}
type Waiting = Omit<PendingLine, 'askedAt'> & { collectionId: string | null }

export interface PendingAsked {
  mids: Mids
  /** Begun at this instant or before. */
  until: number
  limit: number
}

/** At most `limit` lines, and one more if there are more. */
export async function pendingPayments(looks: Looks, { mids, until, limit }: PendingAsked): Promise<PendingLine[]> {
  if (mids?.length === 0) return []
  const among = mids && { filter: { firstOf: EXAMINED_MAX, in: { column: 'mid' as const, values: mids } } }
  const ofStatus = (status: 'PENDING' | 'UNKNOWN') =>
    looks.rows(
      find('transactions', {
        equals: { status },
        atMost: { initiatedAt: until },
        orderBy: ['initiatedAt', 'mid', 'txnId'],
        limit: limit + 1,
        unopened: true,
        ...among,
      }),
    )
  const refunds = await looks.rows(
    find('refunds', {
      equals: { status: 'PENDING' },
      atMost: { requestedAt: until },
      orderBy: ['requestedAt', 'mid', 'refId'],
      limit: limit + 1,
      unopened: true,
      ...among,
    }),
  )
  const payments = [...(await ofStatus('PENDING')), ...(await ofStatus('UNKNOWN')), ...(await neverAsked(looks, mids, until))]
  const lines = [...payments.map(ofPayment), ...refunds.map(ofRefund)].sort((a, b) => a.since - b.since).slice(0, limit + 1)
  return Promise.all(
    lines.map(async ({ collectionId, ...line }) => {
      const task = line.kind === 'payment' ? 'transaction.due' : 'refund.due'
      const cycle = collectionId === null ? undefined : await looks.row(look('collections', line.mid, collectionId))
      const asked = await looks.row(look('tasks', task, `${line.mid}:${line.id}`))
      return { ...line, askedAt: asked?.dueAt ?? cycle?.nextAt ?? undefined }
    }),
  )
}

/** Payments without any answer: the process that began them has died, and no other has run since. Their tasks are overdue. */
async function neverAsked(looks: Looks, mids: Mids, until: number): Promise<Row<'transactions'>[]> {
  const overdue = {
    equals: { task: 'transaction.due' },
    atMost: { dueAt: until },
    orderBy: ['dueAt'],
    limit: TASKS_MAX,
    unopened: true,
  } as const
  const tasks = await looks.rows(find('tasks', overdue))
  const named = tasks.map(({ subject }) => subject.split(':')).filter(([of = '']) => mids?.includes(of) ?? true)
  const rows = await Promise.all(named.map(([of = '', txnId = '']) => looks.row(look('transactions', of, txnId))))
  return rows.filter((row) => row !== undefined).filter((row) => isInFlight(row) && row.status === 'INITIATED' && row.initiatedAt <= until)
}

function ofPayment(row: Row<'transactions'>): Waiting {
  const { mid, orderId, txnId, initiatedAt, status, paymentMode, bankPaise, walletPaise, collectionId } = row
  const amountPaise = bankPaise + walletPaise
  return { kind: 'payment', mid, orderId, id: txnId, since: initiatedAt, status, paymentMode, amountPaise, collectionId }
}
const ofRefund = ({ mid, orderId, refId, requestedAt, status, amountPaise }: Row<'refunds'>): Waiting => ({
  ...{ kind: 'refund', mid, orderId, id: refId, since: requestedAt, status, paymentMode: '', amountPaise },
  collectionId: null,
})
