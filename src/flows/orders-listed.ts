// Orders, newest first. Of one merchant they are read by search terms, because orders have no index by merchant and time: a payment writes its
// order again and again. What the terms do not hold yet is read by time.

import type { Vault } from '../adapters/store/vault.ts'
import type { Looks } from '../engine/decision.ts'
import type { OrderStatus } from '../tables/order.ts'
import { type Listing, type Portion, portionOf } from './lists.ts'
import { ordersOfTerm } from './search.ts'
import { atText, searchableUntil, termOfMerchant } from './search-terms.ts'

const OF_ONE = 500 // ours: orders of a merchant that one portion examines

export type OrderListing = Omit<Listing, 'where' | 'among'> & { statuses: readonly OrderStatus[] }

/** Renewals have no time of their own and are left out. */
export async function ordersListed(
  looks: Looks,
  vault: Pick<Vault, 'hash'>,
  { statuses, ...listing }: OrderListing,
): Promise<Portion<'orders'>> {
  const { mids, from, to, after, limit } = listing
  const [mid, ...others] = mids ?? []
  if (mids === null) return portionOf(looks, 'orders', { ...listing, among: { column: 'status', values: statuses } })
  if (mid === undefined || others.length > 0) return wanted(await portionOf(looks, 'orders', listing), statuses)

  const until = await searchableUntil(looks)
  const isRecent = to > until && (!after || after.at > until)
  const recent = isRecent ? wanted(await portionOf(looks, 'orders', { ...listing, from: Math.max(from, until + 1) }), statuses) : NOTHING
  if (recent.next || recent.rows.length >= limit) return recent
  const behind = after && after.at <= until ? ([atText(after.at), after.mid, after.id] as const) : undefined
  const asked = { mids: null, limit: OF_ONE, from, to: Math.min(to, until), ...(behind && { after: behind }) }
  const { orders, next } = await ordersOfTerm(looks, termOfMerchant(vault, mid), asked)
  const all = [...recent.rows, ...orders.filter(({ status }) => statuses.includes(status))]
  const rows = all.slice(0, limit)
  const last = rows.at(-1)
  if (all.length > limit && last) return { rows, next: { at: last.txnTokenIssuedAt, mid, id: last.orderId }, isCut: false }
  return { rows, isCut: next !== undefined, ...(next && { next: { at: Number(next[0]), mid, id: next[2] } }) }
}

const NOTHING: Portion<'orders'> = { rows: [], isCut: false }

const wanted = (portion: Portion<'orders'>, statuses: readonly OrderStatus[]): Portion<'orders'> => ({
  ...portion,
  rows: portion.rows.filter(({ status }) => statuses.includes(status)),
  isCut: portion.next !== undefined,
})
