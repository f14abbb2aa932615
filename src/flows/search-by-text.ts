// Finds orders and mandates by an id, a bank's number, a mobile number, an e-mail address or a customer id. Each look-up uses a key or an
// index. No look-up reads a whole table.

import type { SearchPlace } from '../domain/order/keep-search-terms.ts'
import type { Looks } from '../engine/decision.ts'
import { Unopened } from '../engine/store.ts'
import { bareMobile } from '../interface/fields.ts'
import { typedPaise } from '../interface/money.ts'
import { find, look, type Row } from '../tables/tables.ts'
import { byMid, FOUND_MAX, type FoundBy, findOrders, type Mids, midsTried } from './orders-by-number.ts'
import { placesOf } from './orders-by-term.ts'
import { asEmail, type Hashing, termOf } from './search-keys.ts'

const TYPED_MAX = 255 // Mohur's choice: longer than any custId or e-mail address that an order takes
const SAYS_MONEY = /^(?:₹|rs\.?|inr)|\.[0-9]{1,2}$/i
const SIGN = /^(?:₹|rs\.?|inr)\s*/i

/** The member of an order that has the text, for an order that a term found. */
type FoundByTerm = 'customer' | 'mobile number' | 'e-mail address' | "payer's number" | typeof UNREADABLE
/** The stored term alone found the order. The member that has the text is unknown. */
export const UNREADABLE = 'an order that cannot be read'

export interface Hit {
  kind: 'order' | 'payment' | 'refund' | 'subscription'
  /** The meaning of the text in this hit. */
  by: FoundBy | 'subscription' | FoundByTerm
  mid: string
  /** Undefined for a subscription. */
  orderId?: string
  /** txnId, refId or subscriptionId. */
  id?: string
}

export interface SearchResult {
  hits: readonly Hit[]
  /** Set when the text may be an amount. Payments are then listed by that amount. */
  amountPaise?: number
  /** True when there are more merchants than are tried by key. The caller then has to name one. */
  tooMany: boolean
  /** True when an id or a bank's number has more hits than these. */
  isCut: boolean
  /** The customer's older orders begin behind this place. */
  next?: SearchPlace
}

export interface Search {
  typed: string
  mids: Mids
  /** The customer's orders in one portion. */
  limit: number
  after?: SearchPlace
}

export async function search(looks: Looks, vault: Hashing, { typed, mids, limit, after }: Search): Promise<SearchResult> {
  const text = typed.trim()
  if (text === '' || text.length > TYPED_MAX) return { hits: [], tooMany: false, isCut: false }
  const amountPaise = parseRupees(text)
  const tried = await midsTried(looks, mids)
  const [named, subscriptions, ofTerm] = await Promise.all([
    findOrders(looks, text, mids, tried),
    subscriptionsNamed(looks, text, tried.mids),
    ordersOfPerson(looks, vault, text, { mids, limit, ...(after && { after }) }),
  ])
  const hits = [
    ...named.orders.map(
      ({ mid, orderId, by, txnId, refId }): Hit => ({
        ...{ kind: txnId !== undefined ? 'payment' : refId !== undefined ? 'refund' : 'order', by, mid, orderId },
        ...(txnId !== undefined && { id: txnId }),
        ...(refId !== undefined && { id: refId }),
      }),
    ),
    ...subscriptions
      .slice(0, FOUND_MAX)
      .map(({ mid, subscriptionId }): Hit => ({ kind: 'subscription', by: 'subscription', mid, id: subscriptionId })),
    ...ofTerm.hits,
  ]
  return {
    hits: hits.filter(isFirst),
    tooMany: named.tooMany,
    isCut: named.isCut || subscriptions.length > FOUND_MAX,
    ...(amountPaise !== undefined && { amountPaise }),
    ...(ofTerm.next && { next: ofTerm.next }),
  }
}

/** The readings of a typed text: as typed, as a mobile number, as an e-mail address. */
const readingsOf = (text: string): readonly string[] => [...new Set([text, bareMobile(text) ?? text, asEmail(text) ?? text])]

/** Orders that contain the text in any reading, newest first, without orders that were deleted meanwhile. */
async function ordersOfPerson(looks: Looks, vault: Hashing, text: string, asked: Pick<Search, 'mids' | 'limit' | 'after'>) {
  const terms = [...new Set(readingsOf(text).map((reading) => termOf(vault, reading)))]
  const { places, next } = await placesOf(looks, terms, asked)
  const orders = await Promise.all(places.map(([, mid, orderId]) => orderOf(looks, mid, orderId)))
  const hits = orders.flatMap((order): Hit[] => {
    const by = order && matchOf(order, text)
    return by ? [{ kind: 'order', by, mid: order.mid, orderId: order.orderId }] : []
  })
  return { hits, next }
}

/** The member that has the text now. Undefined when another text has the same term, or a later change has removed the text. */
function matchOf({ isUnreadable, custId, details, payer }: OrderOfTerm, text: string): FoundByTerm | undefined {
  const [bare, email] = [bareMobile(text), asEmail(text)]
  const isNumber = (given: string | undefined) => given !== undefined && (given.trim() === text || given === bare)
  if (custId === text || custId === bare || (email !== undefined && asEmail(custId) === email)) return 'customer'
  if (isUnreadable) return UNREADABLE
  if (isNumber(details.userInfo['mobile'])) return 'mobile number'
  if (email !== undefined && asEmail(details.userInfo['email'] ?? '') === email) return 'e-mail address'
  return isNumber(payer?.mobile) ? "payer's number" : undefined
}

/** An order that is found twice keeps its first hit. */
const isFirst = (hit: Hit, at: number, hits: readonly Hit[]) =>
  hits.findIndex(({ mid, orderId, id, kind }) =>
    hit.orderId === undefined ? kind === hit.kind && mid === hit.mid && id === hit.id : mid === hit.mid && orderId === hit.orderId,
  ) === at

/** `₹499`, `499.00`, `1,499.50`. Undefined for a number without a sign of money, because it may be an id. */
export function parseRupees(text: string): number | undefined {
  return SAYS_MONEY.test(text) ? typedPaise(text.replace(SIGN, '')) : undefined
}

async function subscriptionsNamed(looks: Looks, subscriptionId: string, mids: readonly string[]): Promise<readonly Row<'subscriptions'>[]> {
  if (mids.length === 0) return []
  const among = { in: { column: 'mid', values: mids }, limit: mids.length } as const
  const rows = await looks.rows(find('subscriptions', { equals: { subscriptionId }, ...among, only: ['mid', 'subscriptionId'] }))
  return rows.toSorted(byMid)
}

/** `isUnreadable`: the store cannot open the order's sealed columns. */
type OrderOfTerm = Row<'orders'> & { isUnreadable?: true }

async function orderOf(looks: Looks, mid: string, orderId: string): Promise<OrderOfTerm | undefined> {
  try {
    return await looks.row(look('orders', mid, orderId))
  } catch (error) {
    if (!(error instanceof Unopened)) throw error
    const [row] = await looks.rows(find('orders', { equals: { mid, orderId }, limit: 1, unopened: true }))
    return row && { ...row, details: { userInfo: {} }, payer: null, isUnreadable: true }
  }
}
