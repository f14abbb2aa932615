// Orders, newest first. Of one merchant they are read by search terms, because orders have no index by merchant and time: a payment writes its
// order again and again. What the terms do not hold yet is read by time.

import type { Vault } from '../adapters/store/vault.ts'
import type { Looks } from '../engine/decision.ts'
import type { OrderStatus } from '../tables/order.ts'
import { termInstant } from '../tables/search.ts'
import { type Listing, type Portion, portionOf } from './lists.ts'
import { ordersOfTerm } from './search.ts'
import { searchReach, termOfMerchant } from './search-terms.ts'

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

  // Of the last instant that the terms hold they may not hold all: it is read by time.
  const until = (await searchReach(looks, now)).until - 1
  const isRecent = to > until && (!after || after.at > until)
  const recent = isRecent
    ? wanted(await portionOf(looks, 'orders', { ...listing, from: Math.max(from, until + 1), limit: EXAMINED }), { statuses, limit })
    : NOTHING
  if (recent.next || until < from) return recent
  const behind = after && after.at <= until ? ([termInstant(after.at), after.mid, after.id] as const) : undefined
  const asked = { mids: null, limit: EXAMINED, from, to: Math.min(to, until), ...(behind && { after: behind }) }
  const { orders, next } = await ordersOfTerm(looks, termOfMerchant(vault, mid), asked)
  const all = [...recent.rows, ...orders.filter(({ status }) => statuses.includes(status))]
  const rows = all.slice(0, limit)
  const last = rows.at(-1)
  if (all.length > limit && last) return { rows, next: { at: last.txnTokenIssuedAt, mid, id: last.orderId }, isCut: false }
  return { rows, isCut: next !== undefined, ...(next && { next: { at: Number(next[0]), mid, id: next[2] } }) }
}

const NOTHING: Portion<'orders'> = { rows: [], isCut: false }

/** Of the orders that were examined those of these states, as many as one portion shows. */
function wanted(portion: Portion<'orders'>, { statuses, limit }: Pick<OrderListing, 'statuses' | 'limit'>): Portion<'orders'> {
  const all = portion.rows.filter(({ status }) => statuses.includes(status))
  const rows = all.slice(0, limit)
  const last = rows.at(-1)
  if (all.length > limit && last) return { rows, next: { at: last.txnTokenIssuedAt, mid: last.mid, id: last.orderId }, isCut: false }
  return { rows, isCut: portion.next !== undefined, ...(portion.next && { next: portion.next }) }
}
