// One order and its history, from kept rows and nothing else. It has the newest hundred of each kind, or all of it in portions. The command
// or screen that shows it hides the payer's data.

import type { Looks, Query } from '../engine/decision.ts'
import { transactionsOfOrder } from '../tables/keys.ts'
import { find, look, type Row } from '../tables/tables.ts'
import { type HistoryLine, inOrder, type LinesMost, type LinesPlace, linesBehind, type OrderRows } from './order-lines.ts'
import { inDueOrder, type NextLine, nextOfOrder, nextOfRefunds, unshownRefunds } from './order-next.ts'

/** docs/console.md. Fifty steps of payments are a hundred events, because each step of a refund has two. */
const ON_A_PAGE: LinesMost = { steps: 50, audited: 30, own: 100, deliveries: 100, deliveriesOfOne: 12 }
const REFUNDS = 100 // docs/console.md
/** `mohur order show` has no page to fill. It shows all deliveries, but at most the newest hundred of each notification. */
const WHOLE: LinesMost = { steps: 100, audited: 100, own: 100, deliveries: Number.MAX_SAFE_INTEGER, deliveriesOfOne: 100 }

/** A refund as a place. The next portion begins behind it. */
export interface RefundPlace {
  at: number
  refId: string
}

/** Where the portions of an order begin. Without a place they begin with the newest. */
export interface OrderPlace {
  refunds?: RefundPlace | undefined
  lines?: LinesPlace | undefined
}

export interface OrderHistory extends OrderRows {
  /** The newest first; in a whole history the oldest first. */
  refunds: readonly Row<'refunds'>[]
  olderRefunds?: RefundPlace | undefined
  /** In the order in which they happened. */
  lines: readonly HistoryLine[]
  olderLines?: LinesPlace | undefined
  unshownDeliveries: number
  next: readonly NextLine[]
}

/** One portion, all read at one moment. Undefined when there is no such order. */
export const orderHistory = (query: Query, mid: string, orderId: string, after: OrderPlace = {}): Promise<OrderHistory | undefined> =>
  query.atOneMoment(async (looks) => {
    const rows = await rowsOf(looks, mid, orderId)
    if (!rows) return undefined
    const [refunds, lines] = await Promise.all([
      refundsBehind(looks, rows.order, after.refunds),
      linesBehind(looks, rows, after.lines ?? {}, ON_A_PAGE),
    ])
    const [ofOrder, ofRefunds] = await Promise.all([nextOfOrder(looks, rows, lines.notifications), nextOfRefunds(looks, refunds.rows)])
    return {
      ...{ ...rows, refunds: refunds.rows, olderRefunds: refunds.older },
      ...{ lines: lines.lines, olderLines: lines.older, unshownDeliveries: lines.unshown },
      next: inDueOrder([...ofOrder, ...ofRefunds, ...unshownRefunds(rows.transactions, refunds.rows)]),
    }
  })

export const orderRows = (query: Query, mid: string, orderId: string, after: RefundPlace | undefined) =>
  query.atOneMoment(async (looks) => {
    const rows = await rowsOf(looks, mid, orderId)
    return rows && { ...rows, refunds: await refundsBehind(looks, rows.order, after) }
  })

/** The whole history. Each portion is read at a moment of its own. So no long transaction keeps the store from tidying its log. */
export async function wholeOrderHistory(query: Query, mid: string, orderId: string): Promise<OrderHistory | undefined> {
  const rows = await query.atOneMoment((looks) => rowsOf(looks, mid, orderId))
  if (!rows) return undefined
  const [refunds, next, lines]: [Row<'refunds'>[], NextLine[], HistoryLine[]] = [[], [], []]
  for (let after: RefundPlace | undefined, isMore = true; isMore; isMore = after !== undefined) {
    const portion = await query.atOneMoment(async (looks) => {
      const found = await refundsBehind(looks, rows.order, after)
      return { ...found, next: await nextOfRefunds(looks, found.rows) }
    })
    refunds.push(...portion.rows)
    next.push(...portion.next)
    after = portion.older
  }
  let unshownDeliveries = 0
  for (let after: LinesPlace | undefined = {}; after !== undefined; ) {
    const from: LinesPlace = after
    const isNewest = lines.length === 0
    const portion = await query.atOneMoment(async (looks) => {
      const found = await linesBehind(looks, rows, from, WHOLE)
      return { ...found, next: isNewest ? await nextOfOrder(looks, rows, found.notifications) : [] }
    })
    lines.unshift(...portion.lines)
    next.push(...portion.next)
    unshownDeliveries += portion.unshown
    after = portion.older
  }
  return { ...rows, refunds: refunds.reverse(), lines: lines.sort(inOrder), unshownDeliveries, next: inDueOrder(next) }
}

async function rowsOf(looks: Looks, mid: string, orderId: string): Promise<OrderRows | undefined> {
  const [order, transactions] = await Promise.all([looks.row(look('orders', mid, orderId)), looks.rows(transactionsOfOrder(mid, orderId))])
  return order && { order, transactions }
}

async function refundsBehind(looks: Looks, { mid, orderId }: Row<'orders'>, after: RefundPlace | undefined) {
  const rows = await looks.rows(
    find('refunds', {
      equals: { mid, orderId },
      ...{ orderBy: ['requestedAt', 'refId'], direction: 'desc', limit: REFUNDS + 1, unopened: true },
      ...(after && { atMost: { requestedAt: after.at }, beyond: [after.at, after.refId] }),
    }),
  )
  const shown = rows.slice(0, REFUNDS)
  const last = rows.length > REFUNDS ? shown.at(-1) : undefined
  return { rows: shown, older: last && { at: last.requestedAt, refId: last.refId } }
}
