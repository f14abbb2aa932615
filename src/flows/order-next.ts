// What happens next to an order, by the tasks that are due for it.

import { dateTimeInIndia } from '../engine/clock.ts'
import type { Looks } from '../engine/decision.ts'
import { toRupees } from '../interface/money.ts'
import { openCollectionsOf } from '../tables/keys.ts'
import { find, type Row } from '../tables/tables.ts'
import type { OrderRows } from './order-lines.ts'

/**
 * `ask`: the bank is asked about a payment. `askOnceMore`: the bank is asked about a failed payment. `dead`: nothing is sent until the
 * operator says so. `refunds`: money on its way in refunds that are not shown; the id is the amount.
 */
export interface NextLine {
  what: 'ask' | 'askOnceMore' | 'refund' | 'refunds' | 'deliver' | 'resend' | 'dead' | 'expire' | 'cycle'
  /** Undefined for work that waits for the operator, and for `refunds`, because each refund has a time of its own. */
  at: number | undefined
  id: string
}

const NEXT: Readonly<Record<NextLine['what'], (id: string) => string>> = {
  ask: (id) => `the bank is asked again about ${id}`,
  askOnceMore: (id) => `the bank is asked once more about ${id}, whether it took money after all`,
  refund: (id) => `the bank is asked again about the refund ${id}`,
  refunds: (id) => `the bank is asked again about refunds of Rs ${id} that are not shown here`,
  deliver: (id) => `the next notification to ${id} is sent`,
  resend: (id) => `the notification ${id} is sent once more`,
  dead: (id) =>
    `notifications to ${id} are given up: \`mohur notification resend --mid MID --dead\` sends them, after a 410 \`notification start --mid MID\``,
  expire: () => 'the order closes, unless it is paid',
  cycle: (id) => `the service checks the cycle ${id}`,
}

/** One clause that begins in lower case, without a full stop. */
export function sayNext({ what, at, id }: NextLine, now: number): string {
  const says = NEXT[what](id)
  if (at === undefined) return says
  return at <= now ? `${says}; due since ${dateTimeInIndia(at)} (IST)` : `${says} at ${dateTimeInIndia(at)} (IST)`
}

export const inDueOrder = (lines: readonly NextLine[]): NextLine[] =>
  lines.toSorted((a, b) => (a.at ?? Number.MAX_SAFE_INTEGER) - (b.at ?? Number.MAX_SAFE_INTEGER))

const ENDPOINTS = 3 // of one order: src/tables/notification.ts

interface Due {
  task: string
  subject: string
  what: NextLine['what']
  id: string
}

/** Only the lines whose task exists. */
async function dueOf(looks: Looks, asked: readonly Due[]): Promise<NextLine[]> {
  const tasks = await Promise.all(
    [...Map.groupBy(asked, ({ task }) => task)].map(([task, of]) => {
      const values = of.map(({ subject }) => subject)
      const range = { equals: { task }, in: { column: 'subject', values }, orderBy: ['task', 'subject'] } as const
      return looks.rows(find('tasks', { ...range, limit: of.length, unopened: true }))
    }),
  )
  const dueAt = new Map(tasks.flat().map((row) => [`${row.task} ${row.subject}`, row.dueAt]))
  return asked.flatMap(({ task, subject, what, id }) => {
    const at = dueAt.get(`${task} ${subject}`)
    return at === undefined ? [] : [{ what, at, id }]
  })
}

/** `notifications`: those that the page shows. An operator may have asked to send each of them again. */
export async function nextOfOrder(
  looks: Looks,
  rows: OrderRows,
  notifications: readonly Row<'notifications'>[],
): Promise<readonly NextLine[]> {
  const { order, transactions } = rows
  const { mid } = order
  const streamOrderId = order.consentOrderId ?? order.orderId
  const streams = await looks.rows(find('notificationStreams', { equals: { mid, orderId: streamOrderId }, limit: ENDPOINTS }))
  const endpointsOf = (wanted: Row<'notificationStreams'>['status']) =>
    streams.flatMap(({ status, endpoint }) => (status === wanted ? [endpoint] : []))
  const [due, cycles] = await Promise.all([
    dueOf(looks, [
      ...transactions.map(
        ({ txnId, status }): Due => ({
          ...{ task: 'transaction.due', subject: `${mid}:${txnId}`, what: status === 'FAILURE' ? 'askOnceMore' : 'ask', id: txnId },
        }),
      ),
      ...endpointsOf('ACTIVE').map(
        (id): Due => ({ task: 'notification.due', subject: `${mid}|${streamOrderId}|${id}`, what: 'deliver', id }),
      ),
      ...notifications.map(({ notificationId: id }): Due => ({ task: 'notification-resend.due', subject: id, what: 'resend', id })),
    ]),
    cyclesOf(looks, rows),
  ])
  return [
    ...due,
    ...endpointsOf('DEAD').map((id): NextLine => ({ what: 'dead', at: undefined, id })),
    ...cycles,
    ...(order.status === 'CREATED' ? [{ what: 'expire' as const, at: order.expiresAt, id: order.orderId }] : []),
  ]
}

export const nextOfRefunds = (looks: Looks, refunds: readonly Row<'refunds'>[]): Promise<NextLine[]> =>
  dueOf(
    looks,
    refunds
      .filter(({ status }) => status === 'PENDING')
      .map(({ mid, refId: id }) => ({ task: 'refund.due', subject: `${mid}:${id}`, what: 'refund', id })),
  )

/** The amount on its way beside the refunds that are shown. The payments' rows have the amounts of all their refunds. */
export function unshownRefunds(transactions: readonly Row<'transactions'>[], shown: readonly Row<'refunds'>[]): NextLine[] {
  const allPaise = transactions.reduce((sum, { refundedPaise, returnedPaise }) => sum + refundedPaise - returnedPaise, 0)
  const shownPaise = shown.reduce((sum, { status, amountPaise }) => sum + (status === 'PENDING' ? amountPaise : 0), 0)
  return allPaise > shownPaise ? [{ what: 'refunds', at: undefined, id: toRupees(allPaise - shownPaise) }] : []
}

/** The cycle that the order's debit collects, as long as it is open. */
async function cyclesOf(looks: Looks, { order, transactions }: OrderRows): Promise<NextLine[]> {
  if (order.subscriptionId === null || order.consentOrderId === null) return []
  const cycles = new Set(transactions.map(({ collectionId }) => collectionId))
  const open = await looks.rows(openCollectionsOf(order.mid, order.subscriptionId))
  return open.flatMap(({ collectionId, nextAt }) =>
    cycles.has(collectionId) && nextAt !== null ? [{ what: 'cycle' as const, at: nextAt, id: collectionId }] : [],
  )
}
