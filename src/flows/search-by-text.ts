// What a caller reads out leads to orders and mandates: an id of ours or of the merchant, a bank's number, a mobile number, an e-mail address or a
// customer. Each look goes by key or index; none reads a whole table.

import type { Vault } from '../adapters/store/vault.ts'
import type { Looks } from '../engine/decision.ts'
import { bareMobile } from '../interface/fields.ts'
import { termInstant } from '../tables/search.ts'
import { find, look, type Row } from '../tables/tables.ts'
import { type FoundBy, findOrders, type Mids, midsTried } from './orders-by-number.ts'
import { asEmail, termOf, withoutDetails } from './search-keys.ts'

const TYPED_MAX = 255 // ours: longer than any custId or e-mail address that an order takes
const ENTRIES_MAX = 50_000 // docs/console.md: of the index, examined for one portion
const SUBSCRIPTIONS_MAX = 100 // ours: of one id, each of another merchant
const AMOUNT = /^(?:₹|rs\.?|inr)?\s*([0-9][0-9,]{0,12})(\.[0-9]{1,2})?$/i
const SAYS_MONEY = /^(?:₹|rs\.?|inr)|\.[0-9]{1,2}$/i

/** What stands in an order itself, and is found by a term. */
type FoundByTerm = 'customer' | 'mobile number' | 'e-mail address' | "payer's number" | typeof UNREADABLE
/** By its kept term alone: nothing says where the text stood. */
export const UNREADABLE = 'an order that cannot be read'

export interface Hit {
  kind: 'order' | 'payment' | 'refund' | 'subscription'
  /** What the text is of it. */
  by: FoundBy | 'subscription' | FoundByTerm
  mid: string
  /** Undefined of a subscription. */
  orderId?: string
  /** txnId, refId or subscriptionId. */
  id?: string
}

export interface SearchResult {
  hits: readonly Hit[]
  /** A text that may be an amount: payments are listed by it. */
  amountPaise?: number
  /** There are more merchants than are tried by key: one has to be named. */
  tooMany: boolean
  /** Orders of the same customer that are older than the last one here begin behind it. */
  next?: TermPlace
}
export type TermPlace = readonly [at: string, mid: string, orderId: string]

export interface Search {
  typed: string
  mids: Mids
  /** Orders of one customer in one portion. */
  limit: number
  after?: TermPlace
}

export async function search(looks: Looks, vault: Pick<Vault, 'hash'>, { typed, mids, limit, after }: Search): Promise<SearchResult> {
  const text = typed.trim()
  if (text === '' || text.length > TYPED_MAX) return { hits: [], tooMany: false }
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
    ...subscriptions.map(({ mid, subscriptionId }): Hit => ({ kind: 'subscription', by: 'subscription', mid, id: subscriptionId })),
    ...ofTerm.hits,
  ]
  return {
    hits: hits.filter(isFirst),
    tooMany: named.tooMany,
    ...(amountPaise !== undefined && { amountPaise }),
    ...(ofTerm.next && { next: ofTerm.next }),
  }
}

/** Each way to read a text that a person may have given: as it is, as a mobile number, as an e-mail address. */
const readingsOf = (text: string): readonly string[] => [...new Set([text, bareMobile(text) ?? text, asEmail(text) ?? text])]

/** Orders in which the text stands by any reading, newest first. */
async function ordersOfPerson(looks: Looks, vault: Pick<Vault, 'hash'>, text: string, asked: TermAsked) {
  const portions = await Promise.all(readingsOf(text).map((reading) => ordersOfTerm(looks, termOf(vault, reading), asked)))
  const { orders, next } = portions.length === 1 ? portions[0]! : together(portions, asked.limit)
  const hits = orders.flatMap((order): Hit[] => {
    const by = matchOf(order, text)
    return by ? [{ kind: 'order', by, mid: order.mid, orderId: order.orderId }] : []
  })
  return { hits, next }
}

/** One portion of several: behind the first place at which one of them ended, the others may have more. */
function together(portions: readonly OrdersOfTerm[], limit: number): OrdersOfTerm {
  const all = portions.flatMap(({ orders }) => orders).toSorted((a, b) => newestFirst(placeOf(a), placeOf(b)))
  const end = portions.flatMap(({ next }) => (next ? [next] : [])).toSorted(newestFirst)[0]
  const reached = all.filter((order) => !end || newestFirst(placeOf(order), end) <= 0)
  const orders = reached.slice(0, limit)
  const next = orders.length < reached.length ? placeOf(orders.at(-1)!) : end
  return { orders, ...(next && { next }) }
}

const placeOf = ({ txnTokenIssuedAt, mid, orderId }: Row<'orders'>): TermPlace => [termInstant(txnTokenIssuedAt), mid, orderId]
function newestFirst(a: TermPlace, b: TermPlace): number {
  const at = a.findIndex((part, place) => part !== b[place])
  return at < 0 ? 0 : a[at]! > b[at]! ? -1 : 1
}

/** Where the text stands in the order now: an order that was changed since its term was kept may have it no more. */
function matchOf({ isUnreadable, custId, details, payer }: OrderOfTerm, text: string): FoundByTerm | undefined {
  const [bare, email] = [bareMobile(text), asEmail(text)]
  const isNumber = (given: string | undefined) => given !== undefined && (given.trim() === text || given === bare)
  if (custId === text || (email !== undefined && asEmail(custId) === email)) return 'customer'
  if (isUnreadable) return UNREADABLE
  if (isNumber(details.userInfo['mobile'])) return 'mobile number'
  if (email !== undefined && asEmail(details.userInfo['email'] ?? '') === email) return 'e-mail address'
  return isNumber(payer?.mobile) ? "payer's number" : undefined
}

/** An order that is found twice is shown by what names it first. */
const isFirst = (hit: Hit, at: number, hits: readonly Hit[]) =>
  hits.findIndex(({ mid, orderId, id, kind }) =>
    hit.orderId === undefined ? kind === hit.kind && mid === hit.mid && id === hit.id : mid === hit.mid && orderId === hit.orderId,
  ) === at

/** `₹499`, `499.00`, `1,499.50`: a number without a sign of money may be anything's. */
export function parseRupees(text: string): number | undefined {
  const [, rupees, paise = '.'] = AMOUNT.exec(text) ?? []
  if (rupees === undefined || !SAYS_MONEY.test(text)) return undefined
  return Number(rupees.replaceAll(',', '')) * 100 + Number(paise.slice(1).padEnd(2, '0'))
}

async function subscriptionsNamed(looks: Looks, subscriptionId: string, mids: readonly string[]): Promise<readonly Row<'subscriptions'>[]> {
  if (mids.length === 0) return []
  return looks.rows(
    find('subscriptions', { equals: { subscriptionId }, in: { column: 'mid', values: mids }, limit: SUBSCRIPTIONS_MAX, unopened: true }),
  )
}

export interface TermAsked {
  mids: Mids
  limit: number
  after?: TermPlace | undefined
  /** Instants of the order's txnToken, both within. */
  from?: number
  to?: number
}

/** `isUnreadable`: the store cannot open what is sealed in it. */
type OrderOfTerm = Row<'orders'> & { isUnreadable?: true }
interface OrdersOfTerm {
  orders: readonly OrderOfTerm[]
  next?: TermPlace
}

async function orderOf(looks: Looks, mid: string, orderId: string): Promise<OrderOfTerm | undefined> {
  try {
    return await looks.row(look('orders', mid, orderId))
  } catch {
    const [row] = await looks.rows(find('orders', { equals: { mid, orderId }, limit: 1, unopened: true }))
    return row && { ...withoutDetails(row), isUnreadable: true }
  }
}

/** Orders in which a term stands, newest first; those that are gone meanwhile are left out. */
export async function ordersOfTerm(looks: Looks, termHash: string, { mids, limit, after, from, to }: TermAsked): Promise<OrdersOfTerm> {
  if (mids?.length === 0) return { orders: [] }
  const range = {
    equals: { termHash },
    ...(from !== undefined && { atLeast: { at: termInstant(from) } }),
    ...((after || to !== undefined) && { atMost: { at: after ? after[0] : termInstant(to!) } }),
    orderBy: ['at', 'mid', 'orderId'],
    direction: 'desc',
    ...(after && { beyond: after }),
  } as const
  const filter = mids && { firstOf: ENTRIES_MAX, in: { column: 'mid' as const, values: mids } }
  const terms = await looks.rows(find('searchTerms', { ...range, limit: limit + 1, ...(filter && { filter }) }))
  const shown = terms.slice(0, limit)
  const orders = await Promise.all(shown.map(({ mid, orderId }) => orderOf(looks, mid, orderId)))
  const isWhole = terms.length <= limit
  const [cut] = isWhole && filter ? await looks.rows(find('searchTerms', { ...range, limit: 1, offset: ENTRIES_MAX - 1 })) : []
  const last = isWhole ? cut : shown.at(-1)
  return {
    orders: orders.filter((order) => order !== undefined),
    ...(last && { next: [last.at, last.mid, last.orderId] as const }),
  }
}
