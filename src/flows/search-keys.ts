// The terms by which an order is found: what callers read out, as keyed hashes, so that the store holds no mobile number or e-mail address in the
// clear. An order must not cost more because it can be found: a sweep keeps its terms a minute later (search-terms-due.ts).

import type { Vault } from '../adapters/store/vault.ts'
import { type KeepSearchTerms, keepSearchTerms, SEARCH_PLACE } from '../domain/order/keep-search-terms.ts'
import { AHEAD_MAX_MS } from '../engine/clock.ts'
import type { Looks } from '../engine/decision.ts'
import { settingKey } from '../tables/keys.ts'
import { termInstant } from '../tables/search.ts'
import { find, look, type Row } from '../tables/tables.ts'
import type { Ports } from './ports.ts'

export const BEHIND_MS = 60_000 // docs/console.md: longer than any commit takes, and than clocks of processes differ
type Hashing = Pick<Vault, 'hash'>
export type SearchPlace = readonly [at: number, mid: string, orderId: string]

/** A text as it is written, but for the spaces around it. */
export const termOf = (vault: Hashing, text: string): string => vault.hash('search', text.trim())
/** All orders of a merchant, newest first: the orders themselves have no such index, because a payment writes them again and again. */
export const termOfMerchant = (vault: Hashing, mid: string): string => vault.hash('search merchant', mid)

/** `hashed` remembers from one order of a portion to the next: merchants and customers return. */
export function searchKeys(
  vault: Hashing,
  { mid, orderId, custId, details, txnTokenIssuedAt, payer }: Row<'orders'>,
  hashed = new Map<string, string>(),
): Row<'searchTerms'>[] {
  const once = (name: string, hash: () => string) => {
    const known = hashed.get(name) ?? hash()
    hashed.set(name, known)
    return known
  }
  const { mobile = '', email = '' } = details.userInfo
  const texts = [custId, asEmail(custId), mobile, asEmail(email), payer?.mobile].filter((text) => text !== undefined && text.trim() !== '')
  const ofMerchant = once(`merchant ${mid}`, () => termOfMerchant(vault, mid))
  const hashes = new Set([ofMerchant, ...texts.map((text) => once(`text ${text}`, () => termOf(vault, text!)))])
  return [...hashes].map((termHash) => ({ termHash, at: termInstant(txnTokenIssuedAt), mid, orderId }))
}

/** People write e-mail addresses in any case; some merchants name their customers by them. Undefined of a text without @. */
export const asEmail = (text: string): string | undefined => (text.includes('@') ? text.trim().toLowerCase() : undefined)

export interface SearchReach {
  /** Orders up to this instant are found by their terms; 0 before the first. */
  until: number
  /** A clock was wrong by more than clocks of processes differ: some orders of the last day may not be found yet. */
  isAhead: boolean
}

/**
 * The sweep cannot be further than `now - BEHIND_MS`. A kept place beyond that came from a wrong clock, and is not believed
 * (docs/decisions/0013).
 */
export async function searchReach(looks: Looks, now: number): Promise<SearchReach> {
  const place = await looks.row(settingKey(SEARCH_PLACE))
  const at = place ? placeIn(place)[0] : 0
  return { until: Math.min(at, now - BEHIND_MS), isAhead: at > now - BEHIND_MS + AHEAD_MAX_MS }
}
export const placeIn = ({ value }: Row<'settings'>) => JSON.parse(value) as SearchPlace

export type TermParts = Pick<Ports, 'engine' | 'query' | 'clock' | 'vault'>
/** Keeps the terms that these orders lack; with a place, only where it stands as it was read. */
export async function keepTerms({ engine, vault }: TermParts, orders: readonly Row<'orders'>[], place?: KeepSearchTerms['place']) {
  const hashed = new Map<string, string>()
  const terms = orders.flatMap((order) => searchKeys(vault, order, hashed))
  await engine.submit(keepSearchTerms, { terms, ...(place && { place }) })
}

interface OrdersAsked {
  /** Both within. */
  from: number
  until: number
  beyond: SearchPlace | undefined
  limit: number
}

/** Oldest first. A renewal's order has no time, and is found by its subscription's first. */
export async function ordersWithin(looks: Looks, { from, until, beyond, limit }: OrdersAsked): Promise<readonly Row<'orders'>[]> {
  const portion = {
    atLeast: { txnTokenIssuedAt: Math.max(from, beyond?.[0] ?? 1) },
    atMost: { txnTokenIssuedAt: until },
    orderBy: ['txnTokenIssuedAt', 'mid', 'orderId'],
    ...(beyond && { beyond }),
    limit,
  } as const
  try {
    return await looks.rows(find('orders', portion))
  } catch {
    // One of them cannot be opened: it is found by its merchant and customer, the others by all their terms.
    const unopened = await looks.rows(find('orders', { ...portion, unopened: true }))
    return Promise.all(
      unopened.map(async (row) => (await looks.row(look('orders', row.mid, row.orderId)).catch(() => undefined)) ?? withoutDetails(row)),
    )
  }
}

export const withoutDetails = (row: Row<'orders'>): Row<'orders'> => ({ ...row, details: { userInfo: {} }, payer: null })
