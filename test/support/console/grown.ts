// Histories that have grown long: an order with thousands of refunds, a mandate with thousands of renewals. The decisions make the rows,
// and `verify` finds nothing wrong in them.

import assert from 'node:assert/strict'
import { logged, sequenceOf } from '../../../src/domain/notification/notification.ts'
import { applyRefund } from '../../../src/domain/refund/apply-refund.ts'
import { refundOutcomeOf } from '../../../src/domain/refund/refund-outcome.ts'
import { type Change, type Event, latest, type Query } from '../../../src/engine/decision.ts'
import type { Store } from '../../../src/engine/store.ts'
import { streamKey, transactionKey } from '../../../src/tables/keys.ts'
import { find, lock, look, type Row, type TableName, tables } from '../../../src/tables/tables.ts'

const LATER_MS = 250 // between one refund and the next
const DAY_MS = 24 * 60 * 60_000

interface Paid {
  merchant: Row<'merchants'>
  order: Row<'orders'>
  transaction: Row<'transactions'>
  merchantStream: Row<'notificationStreams'> | undefined
}
interface Grown {
  changes: Change[]
  events: Event[]
}

export const refIdOf = (nth: number, length = 12) => `BACK_${String(nth).padStart(length - 5, '0')}`

/** `count` refunds of a paisa, each requested, done and notified, oldest first. Their ids have `idLength` characters. */
export function refundsOf(paid: Paid, { count, from, idLength = 12 }: { count: number; from: number; idLength?: number }): Grown {
  let { transaction, merchantStream } = paid
  const { merchant, order } = paid
  const grown: Grown = { changes: [], events: [] }
  const take = ({ changes, events }: { changes: readonly Change[]; events: readonly Event[] }) => {
    for (const change of changes) {
      if (change.kind === 'delete') continue
      if (change.key.table === 'transactions') transaction = change.row as Row<'transactions'>
      if (change.key.table === 'notificationStreams') merchantStream = change.row as Row<'notificationStreams'>
    }
    grown.changes.push(...changes)
    grown.events.push(...events)
  }
  for (let nth = 0; nth < count; nth++) {
    const [now, refId] = [from + nth * LATER_MS, refIdOf(nth, idLength)]
    const { mid, orderId, txnId } = transaction
    const asked = applyRefund.decide(
      {
        request: { mid, txnType: 'REFUND', orderId, txnId, refId, refundAmount: '0.01' },
        ...{ contentHash: refId, caller: { signature: 'valid' }, now, fresh: { refundId: `R${refIdOf(nth, 12)}` } },
      },
      { merchant, order, transaction, before: undefined, merchantStream, peonStream: undefined } as never,
    )
    assert.equal(asked.reply.result.name, 'success')
    take(asked)
    const refund = asked.changes.flatMap((each) => (each.key.table === 'refunds' && 'row' in each ? [each.row as Row<'refunds'>] : []))[0]!
    const nobody = { customer: undefined, redemption: undefined, everybody: undefined, ofCustomer: undefined, peonStream: undefined }
    const refunding = { refund, transaction, order, merchant, merchantStream, ...nobody }
    take(refundOutcomeOf(refunding, { outcome: 'success', reference: `RRN${nth}`, amountPaise: 1 }, now + 1))
  }
  return { changes: delivered(latest(grown.changes), paid), events: grown.events }
}

/** Marks the notifications as delivered, each at the first try. */
function delivered(changes: readonly Change[], { transaction, merchantStream }: Paid): Change[] {
  return changes.flatMap((change): Change[] => {
    if (change.kind === 'delete') return [change]
    // Rows that existed before are updated.
    const isThere =
      change.key.name === transactionKey(transaction.mid, transaction.txnId).name ||
      (merchantStream && change.key.name === streamKey(merchantStream.mid, merchantStream.orderId, 'merchant').name)
    const kind = isThere ? 'update' : change.kind === 'update' ? 'insert' : change.kind
    if (change.key.table === 'notificationStreams') {
      const row = change.row as Row<'notificationStreams'>
      return [{ ...change, kind, row: { ...row, status: 'IDLE', next: row.last + 1, attempts: 0 } } as Change]
    }
    if (change.key.table !== 'notifications') return [{ ...change, kind } as Change]
    const row = change.row as Row<'notifications'>
    const log = logged(row, { outcome: 'delivered', httpStatus: 200, durationMs: 9 }, row.createdAt)
    return [{ ...change, kind, row: { ...row, status: 'DELIVERED', attempts: 1, deliveredAt: row.createdAt } } as Change, log]
  })
}

const PER_TRANSACTION = 5_000
export async function plant(store: Pick<Store, 'transaction'>, { changes, events }: Grown) {
  for (let from = 0; from < Math.max(changes.length, events.length); from += PER_TRANSACTION) {
    const part = { changes: changes.slice(from, from + PER_TRANSACTION), events: events.slice(from, from + PER_TRANSACTION) }
    await store.transaction((transaction) => transaction.write({ ...part, tasks: [] }))
  }
}

/** Adds `count` refunds of a paisa to a paid order. */
export async function growRefunds(
  { ports: { query }, store }: { ports: { query: Query }; store: Store },
  { mid, orderId, count, idLength }: { mid: string; orderId: string; count: number; idLength?: number },
) {
  const order = (await query.row(look('orders', mid, orderId)))!
  const [transaction] = await query.rows(find('transactions', { equals: { mid, orderId, status: 'SUCCESS' }, limit: 1 }))
  const merchant = (await query.row(look('merchants', mid)))!
  const merchantStream = await query.row(look('notificationStreams', mid, orderId, 'merchant'))
  const paid = { merchant, order, transaction: transaction!, merchantStream }
  await plant(store, refundsOf(paid, { count, from: transaction!.updatedAt + 1, ...(idLength !== undefined && { idLength }) }))
  return transaction!
}

const OF_CYCLE = ['collections', 'notices', 'orders', 'transactions', 'ledgerEntries', 'notifications', 'deliveryAttempts'] as const
const FAR = '2031-01-01' // after every cycle that a test lets the service make

/** Adds `count` cycles to a mandate, a day apart. Each copies the cycle that the service collected on `day`. */
export async function growRenewals(
  { ports: { query }, store }: { ports: { query: Query }; store: Store },
  { mid, subscriptionId, day, count }: { mid: string; subscriptionId: string; day: string; count: number },
) {
  const all = { equals: { mid }, limit: 10_000 } as const
  const collectionId = `${subscriptionId}.${day.replaceAll('-', '')}`
  const [cycle, transactions] = [await query.row(look('collections', mid, collectionId)), await query.rows(find('transactions', all))]
  const debit = transactions.find((row) => row.collectionId === collectionId)!
  assert.equal(cycle?.status, 'COLLECTED')
  const ids = new Set([collectionId, debit.orderId, debit.txnId])
  const events = (await query.rows(find('events', { equals: { owner: mid }, limit: 10_000 }))).filter(({ id }) => ids.has(id))
  const names = new Set(events.map(({ aggregate, id, version }) => `${aggregate}|${id}|${version}`))
  const reported = (await query.rows(find('notifications', all))).filter(({ event }) => names.has(event))
  const reportedIds = new Set(reported.map(({ notificationId }) => notificationId))
  const template: Readonly<Record<(typeof OF_CYCLE)[number], readonly object[]>> = {
    collections: [cycle],
    notices: (await query.rows(find('notices', all))).filter((row) => row.collectionId === collectionId),
    orders: [(await query.row(look('orders', mid, debit.orderId)))!],
    transactions: [debit],
    ledgerEntries: await query.rows(find('ledgerEntries', { equals: { owner: mid, subject: debit.txnId }, limit: 100 })),
    notifications: reported,
    deliveryAttempts: (await query.rows(find('deliveryAttempts', all))).filter(({ notificationId }) => reportedIds.has(notificationId)),
  }
  const stream = (await query.row(look('notificationStreams', mid, reported[0]!.orderId, reported[0]!.endpoint)))!
  const grown: Grown = { changes: [], events: [] }
  for (let nth = 0; nth < count; nth++) {
    const date = new Date(Date.parse(FAR) + nth * DAY_MS).toISOString().slice(0, 10)
    const like = likeness(day, date, { debit, nth, places: stream.last + nth * reported.length - Number(reported[0]!.sequence) + 1 })
    for (const table of OF_CYCLE)
      for (const row of template[table])
        grown.changes.push(insert(table, like({ ...row, ...(table === 'orders' && { txnTokenHash: `H${nth}` }) })))
    grown.events.push(
      ...events.map(like).map(({ aggregate: _, fromStatus, toStatus, ...event }) => ({ ...event, from: fromStatus, to: toStatus })),
    )
  }
  const last = stream.last + count * reported.length
  const key = streamKey(mid, stream.orderId, stream.endpoint)
  grown.changes.push({ kind: 'update', key, row: { ...stream, last, next: last + 1 } })
  await plant(store, grown)
}

const insert = (table: TableName, row: object) =>
  ({ kind: 'insert', key: lock(table, ...tables[table].key.map((name) => String((row as Record<string, unknown>)[name]))), row }) as Change

/** The row with another day's ids, times and places in the stream. */
function likeness(day: string, date: string, { debit, nth, places }: { debit: Row<'transactions'>; nth: number; places: number }) {
  const laterMs = Date.parse(date) - Date.parse(day)
  const place = (text: string) => sequenceOf(Number(text) + places)
  return <T extends object>(row: T): T =>
    JSON.parse(
      JSON.stringify(row)
        .replaceAll(debit.txnId, `TXNGROWN${nth}`)
        .replaceAll(debit.bankTxnId!, `BANKGROWN${nth}`)
        .replaceAll(day.replaceAll('-', ''), date.replaceAll('-', ''))
        .replaceAll(/(?<=")\d{4}-\d{2}-\d{2}(?=")/g, (each) => new Date(Date.parse(each) + laterMs).toISOString().slice(0, 10))
        .replaceAll(/"noticeId":"([^"]*)"/g, `"noticeId":"$1G${nth}"`)
        .replaceAll(/"sequence":"(\d+)"/g, (_, old) => `"sequence":"${place(old)}"`)
        .replaceAll(/:(merchant):(\d+)"/g, (_, to, old) => `:${to}:${Number(old) + places}"`)
        .replaceAll(/"notified":"merchant:(\d+)"/g, (_, old) => `"notified":"merchant:${Number(old) + places}"`)
        .replaceAll(/(?<=[:[,])(1[0-9]{12})(?=[,}\]])/g, (at) => String(Number(at) + laterMs)),
    )
}
