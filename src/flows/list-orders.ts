// Lists orders, newest first. One merchant's orders are read from the list that the search sweep writes for it. Orders have no index by
// merchant and time, because a payment writes its order several times. Orders that the list lacks are read by time.

import { AHEAD_MAX_MS } from '../engine/clock.ts'
import type { Looks, Query } from '../engine/decision.ts'
import type { OrderStatus } from '../tables/order.ts'
import { LAST_INSTANT_MS } from '../tables/search.ts'
import { find, type Row } from '../tables/tables.ts'
import { type Listing, type Portion, portionOf } from './list-portions.ts'
import { searchReach } from './search-keys.ts'

const EXAMINED = 500 // Mohur's choice: orders of some merchants that one portion examines

export type OrderListing = Omit<Listing, 'where' | 'sum' | 'among'> & { statuses: readonly OrderStatus[]; now: number }

/** Leaves out renewals, which have no time of their own. */
export async function ordersListed(query: Query, { statuses, now, ...listing }: OrderListing): Promise<Portion<'orders'>> {
  const { mids, from, to, after, limit } = listing
  const [mid, ...others] = mids ?? []
  if (mids === null) return portionOf(query, 'orders', { ...listing, among: { column: 'status', values: statuses } })
  if (mid === undefined || others.length > 0)
    return wanted(await portionOf(query, 'orders', { ...listing, limit: EXAMINED }), { statuses, limit })

  // The list lacks orders of the last minute, and may lack some of its last instant. Orders of both times are read by time.
  const { until } = await searchReach(query, now)
  const byList = (within: Within) => inMerchantsList(query, mid, within)
  const byTime = (within: Within) => portionOf(query, 'orders', { ...listing, ...within, limit: EXAMINED })
  const spans = [
    { first: now + AHEAD_MAX_MS + 1, last: LAST_INSTANT_MS, ask: byList },
    { first: until, last: now + AHEAD_MAX_MS, ask: byTime },
    { first: 0, last: until - 1, ask: byList },
  ]
  const rows: Row<'orders'>[] = []
  for (const { first, last, ask } of spans) {
    const within = { from: Math.max(from, first), to: Math.min(to, last) }
    if (within.from > within.to || (after && after.at < first)) continue
    const found = await ask({ ...within, after: after && after.at <= last ? after : undefined })
    rows.push(...found.rows.filter(({ status }) => statuses.includes(status)))
    if (rows.length > limit || found.next)
      return wanted({ rows, isCut: false, ...(found.next && { next: found.next }) }, { statuses, limit })
  }
  return wanted({ rows, isCut: false }, { statuses, limit })
}
type Within = Pick<Listing, 'from' | 'to' | 'after'>

async function inMerchantsList(looks: Looks, mid: string, { from, to, after }: Within): Promise<Omit<Portion<'orders'>, 'isCut'>> {
  const range = { atLeast: { at: from }, atMost: { at: after ? after.at : to }, ...(after && { beyond: [after.at, after.id] }) }
  const entries = await looks.rows(
    find('merchantOrders', { equals: { mid }, ...range, orderBy: ['at', 'orderId'], direction: 'desc', limit: EXAMINED + 1 }),
  )
  if (entries.length === 0) return { rows: [] }
  const shown = entries.slice(0, EXAMINED)
  const among = { column: 'orderId', values: shown.map(({ orderId }) => orderId) } as const
  const orders = await looks.rows(find('orders', { equals: { mid }, in: among, limit: shown.length, unopened: true }))
  const byId = new Map(orders.map((order) => [order.orderId, order]))
  const last = entries.length > EXAMINED && shown.at(-1)
  return { rows: shown.flatMap(({ orderId }) => byId.get(orderId) ?? []), ...(last && { next: { at: last.at, mid, id: last.orderId } }) }
}

/** The examined orders in these states, at most one portion. */
function wanted(portion: Portion<'orders'>, { statuses, limit }: Pick<OrderListing, 'statuses' | 'limit'>): Portion<'orders'> {
  const all = portion.rows.filter(({ status }) => statuses.includes(status))
  const rows = all.slice(0, limit)
  const last = rows.at(-1)
  if (all.length > limit && last) return { rows, next: { at: last.txnTokenIssuedAt, mid: last.mid, id: last.orderId }, isCut: false }
  return { rows, isCut: portion.next !== undefined, ...(portion.next && { next: portion.next }) }
}
