// Makes the terms by which an order is found: keyed hashes of values that callers read out. So the store holds no mobile number or e-mail
// address in the clear. A sweep writes the terms a minute later (search-terms-due.ts), so that the creation of an order costs no more.

import type { Vault } from '../adapters/store/vault.ts'
import { keepSearchTerms, placeIn, placeText, SEARCH_PLACE, type SearchPlace, type SweepPlace } from '../domain/order/keep-search-terms.ts'
import { AHEAD_MAX_MS } from '../engine/clock.ts'
import type { Looks } from '../engine/decision.ts'
import { settingKey } from '../tables/keys.ts'
import { find, type Row } from '../tables/tables.ts'
import { openedRows } from './opened-rows.ts'
import type { Ports } from './ports.ts'

export const BEHIND_MS = 60_000 // docs/console.md: longer than any commit takes, and than the difference between the clocks of processes
export type Hashing = Pick<Vault, 'shortHash'>

/** The term of a text as written, without the spaces around it. */
export const termOf = (vault: Hashing, text: string): number => vault.shortHash('search', text.trim())

/** A new order's terms, each once, as its row keeps them. They lack the terms of a payer who signs in. */
export function termsOf(vault: Hashing, { custId, mobile = '', email = '' }: { custId: string; mobile?: string; email?: string }): string {
  const texts = new Set([custId, asEmail(custId) ?? '', mobile, asEmail(email) ?? ''].map((text) => text.trim()))
  texts.delete('')
  return [...texts].map((text) => termOf(vault, text).toString(16).padStart(TERM_DIGITS, '0')).join('')
}
const TERM_DIGITS = 12

/** An order's terms, each once, with the term of the payer who signed in. The order's row has the payer's number sealed. */
export function termsIn({ searchTerms, payer }: Pick<OrderSearched, 'searchTerms' | 'payer'>, vault: Hashing): readonly number[] {
  const terms = (searchTerms.match(/[0-9a-f]{12}/g) ?? []).map((digits) => Number.parseInt(digits, 16))
  return payer ? [...new Set([...terms, termOf(vault, payer.mobile)])] : terms
}

/**
 * In lower case, because people write e-mail addresses in any case. Some merchants use e-mail addresses as customer ids. Undefined without
 * an @.
 */
export const asEmail = (text: string): string | undefined => (text.includes('@') ? text.trim().toLowerCase() : undefined)

export interface SearchReach {
  /** Orders up to this instant are found by their terms. 0 before the first order. */
  until: number
  /** A clock was wrong by more than clocks of processes differ. Some orders of the last day may not be found yet. */
  isAhead: boolean
}

/**
 * The sweep cannot be further than `now - BEHIND_MS`. A stored place beyond that came from a wrong clock and does not count
 * (docs/decisions/0013).
 */
export async function searchReach(looks: Looks, now: number): Promise<SearchReach> {
  const row = await looks.row(settingKey(SEARCH_PLACE))
  const at = (row && placeIn(row.value)?.place[0]) ?? 0
  return { until: Math.min(at, now - BEHIND_MS), isAhead: at > now - BEHIND_MS + AHEAD_MAX_MS }
}

/** How far the sweep is, read from the store. */
export interface SearchProgress extends Omit<SweepPlace, 'place'> {
  /** The stored text, which a decision compares. */
  stored: string | undefined
  /** Undefined before the first order, and when the stored text is torn. */
  place: SearchPlace | undefined
  /** The order with the highest number. */
  last: Readonly<Row<'searchOrders'>> | undefined
}

export async function searchProgress(looks: Looks): Promise<SearchProgress> {
  const row = await looks.row(settingKey(SEARCH_PLACE))
  const [last] = await looks.rows(find('searchOrders', { orderBy: ['number'], direction: 'desc', limit: 1 }))
  const known = row && placeIn(row.value)
  if (known) return { ...known, stored: row.value, last }
  if (!row && !last) return { stored: undefined, place: undefined, aheadUntil: 0, decisions: 0, last }
  // The place is torn or was deleted: any order may have its terms already.
  const [newest] = await looks.rows(find('orders', { orderBy: ['txnTokenIssuedAt'], direction: 'desc', limit: 1, unopened: true }))
  return { stored: row?.value, place: undefined, aheadUntil: newest?.txnTokenIssuedAt ?? 0, decisions: 0, last }
}

export type TermParts = Pick<Ports, 'engine' | 'query' | 'clock' | 'vault'>

/**
 * Writes the terms that these orders lack, oldest first, and returns the sweep's progress after that. Writes nothing and returns undefined
 * when another process moved the place meanwhile. The sweep moves its place to `to`, and numbers the orders that are later than all
 * numbered ones. The others get late terms.
 */
export async function keepTerms(
  { engine, query, vault }: TermParts,
  progress: SearchProgress,
  orders: readonly OrderSearched[],
  to?: SearchPlace,
): Promise<SearchProgress | undefined> {
  const { stored, place, last } = progress
  const mayBeKnown = to ? orders.filter(({ txnTokenIssuedAt: at }) => at <= Math.max(progress.aheadUntil, last?.at ?? 0)) : orders
  const known = await withTerms(query, mayBeKnown)
  const missing = orders
    .filter((order) => !known.has(nameOf(order)))
    .map((order) => ({ mid: order.mid, orderId: order.orderId, at: order.txnTokenIssuedAt, terms: termsIn(order, vault) }))
  const isBehindLast = !last || (place?.[0] === last.at && place[1] === last.mid && place[2] === last.orderId)
  const isInOrder = ({ at }: { at: number }) => to !== undefined && (isBehindLast || at > last.at)
  const aheadUntil = to ? progress.aheadUntil : Math.max(progress.aheadUntil, missing.at(-1)?.at ?? 0)
  const moved = { place: to ?? place ?? NOWHERE, aheadUntil, decisions: progress.decisions + 1 }
  const [inOrder, firstNumber] = [missing.filter(isInOrder), last ? last.number + 1 : 0]
  const { result } = await engine.submit(keepSearchTerms, {
    inOrder,
    firstNumber,
    outOfOrder: missing.filter((order) => !isInOrder(order)),
    place: { from: stored, to: placeText(moved) },
  })
  if (result.name !== 'kept') return undefined
  const newest = inOrder.at(-1)
  return { ...moved, stored: placeText(moved), last: newest ? { ...newest, number: firstNumber + inOrder.length - 1 } : last }
}

const NOWHERE: SearchPlace = [0, '', '']
const nameOf = ({ mid, orderId }: { mid: string; orderId: string }) => `${mid} ${orderId}`

/** The names of orders that have their terms. */
async function withTerms(looks: Looks, orders: readonly OrderSearched[]): Promise<ReadonlySet<string>> {
  const rows = await Promise.all(
    [...Map.groupBy(orders, ({ mid }) => mid)].map(([mid, own]) => {
      const times = own.map(({ txnTokenIssuedAt }) => txnTokenIssuedAt)
      const among = { column: 'orderId', values: own.map(({ orderId }) => orderId) } as const
      const within = { atLeast: { at: Math.min(...times) }, atMost: { at: Math.max(...times) } }
      return looks.rows(find('merchantOrders', { equals: { mid }, in: among, ...within, limit: own.length }))
    }),
  )
  return new Set(rows.flat().map(nameOf))
}

interface OrdersAsked {
  /** Both inclusive. */
  from: number
  until: number
  beyond: SearchPlace | undefined
  limit: number
}

export type OrderSearched = Pick<Row<'orders'>, 'mid' | 'orderId' | 'txnTokenIssuedAt' | 'searchTerms' | 'payer'>
const SEARCHED = ['mid', 'orderId', 'txnTokenIssuedAt', 'searchTerms', 'payer'] as const

/** Oldest first. A renewal's order has no time. It is found by its subscription's first order. */
export async function ordersWithin(looks: Looks, { from, until, beyond, limit }: OrdersAsked): Promise<readonly OrderSearched[]> {
  const portion = {
    atLeast: { txnTokenIssuedAt: Math.max(from, beyond?.[0] ?? 1) },
    atMost: { txnTokenIssuedAt: until },
    orderBy: ['txnTokenIssuedAt', 'mid', 'orderId'],
    ...(beyond && { beyond }),
    only: SEARCHED,
    limit,
  } as const
  // When one payer cannot be opened, that order is found by its other terms, and the others by all terms.
  return openedRows(looks, find('orders', portion), ({ mid, orderId }) =>
    find('orders', { equals: { mid, orderId }, only: SEARCHED, limit: 1 }),
  )
}
