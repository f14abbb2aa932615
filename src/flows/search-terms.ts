// Orders by what callers read out. A sweep follows new orders a minute behind, when nobody waits for a decision: an order must not cost more because
// it can be found. Terms are keyed hashes, so that the store holds no mobile number or e-mail address in the clear.

import type { Vault } from '../adapters/store/vault.ts'
import { type KeepSearchTerms, keepSearchTerms, SEARCH_PLACE } from '../domain/order/keep-search-terms.ts'
import type { Looks } from '../engine/decision.ts'
import type { Sweep } from '../engine/tasks.ts'
import { settingKey } from '../tables/keys.ts'
import { find, look, type Row } from '../tables/tables.ts'
import type { Edge } from './edge.ts'

const BEHIND_MS = 60_000 // docs/console.md: longer than any commit takes, and than clocks differ, so that no order comes before the place
const PORTION = 100 // docs/decisions/0029: orders of one decision
const REST_MS = 5_000 // ours: after all are written down
const MOBILE_DIGITS = 10
const AT_DIGITS = 13

type Hashing = Pick<Vault, 'hash'>
type Place = readonly [at: number, mid: string, orderId: string]

/** One text for all ways to write a thing: the last ten digits of a mobile number, an e-mail address in lower case, anything else as it is. */
export function termOf(vault: Hashing, typed: string): string {
  const text = typed.trim()
  const digits = text.replace(/[\s()+-]/g, '')
  if (/^[0-9]{10,15}$/.test(digits)) return vault.hash('search', digits.slice(-MOBILE_DIGITS))
  return vault.hash('search', text.includes('@') ? text.toLowerCase() : text)
}
/** All orders of a merchant, newest first: the orders themselves have no such index, because a payment writes them again and again. */
export const termOfMerchant = (vault: Hashing, mid: string): string => vault.hash('search merchant', mid)

/** A term that comes to an order later than the sweep has seen it. */
export const termAt = (
  vault: Hashing,
  text: string,
  { at, ...order }: { at: number; mid: string; orderId: string },
): Row<'searchTerms'> => ({
  ...{ termHash: termOf(vault, text), at: atText(at), ...order },
})

export const atText = (at: number) => String(at).padStart(AT_DIGITS, '0')

/** `hashed` remembers from one order of a portion to the next: merchants and customers return. */
export function termsOf(
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
  const texts = [custId, mobile, email, payer?.mobile ?? ''].filter((text) => text.trim() !== '')
  const ofMerchant = once(`merchant ${mid}`, () => termOfMerchant(vault, mid))
  const hashes = new Set([ofMerchant, ...texts.map((text) => once(`text ${text}`, () => termOf(vault, text)))])
  return [...hashes].map((termHash) => ({ termHash, at: atText(txnTokenIssuedAt), mid, orderId }))
}

/** The instant up to which orders are found by their terms; 0 before the first. */
export async function searchableUntil(looks: Looks): Promise<number> {
  const place = await looks.row(settingKey(SEARCH_PLACE))
  return place ? (JSON.parse(place.value) as Place)[0] : 0
}

interface SearchParts extends Pick<Edge, 'engine' | 'query' | 'clock' | 'vault'> {
  isBusy(): boolean
  failed(error: Error): void
}

/** `search-terms.due`: a look begins the work and waits for none of it, so that a million old orders hold nothing up. */
export function searchTerms({ isBusy, failed, clock, ...parts }: SearchParts): Sweep {
  let [isStopped, restsUntil] = [false, Number.NEGATIVE_INFINITY]
  let work: Promise<void> | undefined

  async function follow() {
    while (!isStopped && !isBusy()) {
      if ((await portion(parts, clock.now() - BEHIND_MS)) < PORTION) return rest()
    }
  }
  const rest = () => {
    restsUntil = clock.elapsed() + REST_MS
  }
  return {
    name: 'search-terms.due',
    nextDue: async () => undefined,
    async run() {
      if (work || clock.elapsed() < restsUntil) return 0
      work = follow()
        .catch((error: Error) => {
          rest()
          if (!isStopped) failed(error)
        })
        .finally(() => {
          work = undefined
        })
      return 0
    },
    async stop() {
      isStopped = true
      await work
    },
  }
}

type Parts = Pick<Edge, 'engine' | 'query' | 'vault'>

/** The orders behind the place, up to `until`; how many there were. */
async function portion({ engine, query, vault }: Parts, until: number): Promise<number> {
  const place = await query.row(settingKey(SEARCH_PLACE))
  const beyond: Place | undefined = place && JSON.parse(place.value)
  const orders = await ordersBehind(query, beyond, until)
  const last = orders.at(-1)
  if (!last) return 0
  const to: Place = [last.txnTokenIssuedAt, last.mid, last.orderId]
  const hashed = new Map<string, string>()
  const terms = orders.flatMap((order) => termsOf(vault, order, hashed))
  const command: KeepSearchTerms = { from: place?.value, to: JSON.stringify(to), terms }
  await engine.submit(keepSearchTerms, command)
  return orders.length
}

/** A renewal's order has no time, and is found by its subscription's first. */
async function ordersBehind(looks: Looks, beyond: Place | undefined, until: number): Promise<readonly Row<'orders'>[]> {
  const portion = {
    atLeast: { txnTokenIssuedAt: beyond?.[0] ?? 1 },
    atMost: { txnTokenIssuedAt: until },
    orderBy: ['txnTokenIssuedAt', 'mid', 'orderId'],
    ...(beyond && { beyond }),
    limit: PORTION,
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
const withoutDetails = (row: Row<'orders'>): Row<'orders'> => ({ ...row, details: { userInfo: {} }, payer: null })
