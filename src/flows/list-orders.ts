// Orders, newest first. Of one merchant they are read by search terms, because orders have no index by merchant and time: a payment writes its
// order again and again. What the terms do not hold yet is read by time.

import type { Vault } from '../adapters/store/vault.ts'
import { AHEAD_MAX_MS } from '../engine/clock.ts'
import type { Looks } from '../engine/decision.ts'
import type { OrderStatus } from '../tables/order.ts'
import { LAST_INSTANT_MS, termInstant } from '../tables/search.ts'
import type { Row } from '../tables/tables.ts'
import { type Listing, type Portion, portionOf } from './list-portions.ts'
import { ordersOfTerm } from './search-by-text.ts'
import { searchReach, termOfMerchant } from './search-keys.ts'

const EXAMINED = 500 // ours: orders of some merchants that one portion examines

export type OrderListing = Omit<Listing, 'where' | 'sum' | 'among'> & { statuses: readonly OrderStatus[]; now: number }

/** Renewals have no time of their own and are left out. */
export async function ordersListed(
  looks: Looks,
  vault: Pick<Vault, 'hash'>,
  { statuses, now, ...listing }: OrderListing,
): Promise<Portion<'orders'>> {
  const { mids, from, to, after, limit } = listing
  const [mid, ...others] = mids ?? []
  if (mids === null) return portionOf(looks, 'orders', { ...listing, among: { column: 'status', values: statuses } })
  if (mid === undefined || others.length > 0)
    return wanted(await portionOf(looks, 'orders', { ...listing, limit: EXAMINED }), { statuses, limit })

  // Terms do not hold all orders of the last minute, and of the last instant that they hold they may lack some: those are read by time.
  const { until } = await searchReach(looks, now)
  const termHash = termOfMerchant(vault, mid)
  const byTerms = async (within: Within) => {
    const after = within.after && ([termInstant(within.after.at), within.after.mid, within.after.id] as const)
    const { orders, next } = await ordersOfTerm(looks, termHash, { ...within, mids: null, limit: EXAMINED, after })
    return { rows: orders, ...(next && { next: { at: Number(next[0]), mid, id: next[2] } }) }
  }
  const byTime = (within: Within) => portionOf(looks, 'orders', { ...listing, ...within, limit: EXAMINED })
  const spans = [
    { first: now + AHEAD_MAX_MS + 1, last: LAST_INSTANT_MS, ask: byTerms },
    { first: until, last: now + AHEAD_MAX_MS, ask: byTime },
    { first: 0, last: until - 1, ask: byTerms },
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

/** Of the orders that were examined those of these states, as many as one portion shows. */
function wanted(portion: Portion<'orders'>, { statuses, limit }: Pick<OrderListing, 'statuses' | 'limit'>): Portion<'orders'> {
  const all = portion.rows.filter(({ status }) => statuses.includes(status))
  const rows = all.slice(0, limit)
  const last = rows.at(-1)
  if (all.length > limit && last) return { rows, next: { at: last.txnTokenIssuedAt, mid: last.mid, id: last.orderId }, isCut: false }
  return { rows, isCut: portion.next !== undefined, ...(portion.next && { next: portion.next }) }
}
