// Finds orders that the sweep passed without seeing them, because a clock was wrong or a commit came late (docs/decisions/0013). Each order
// with terms stands once in its merchant's list. So a range is complete when the lists have as many orders as the range. Only incomplete
// ranges are read.

import type { SearchPlace } from '../domain/order/keep-search-terms.ts'
import { AHEAD_MAX_MS } from '../engine/clock.ts'
import { LAST_INSTANT_MS } from '../tables/search.ts'
import { find } from '../tables/tables.ts'
import { keepTerms, ordersWithin, searchProgress, type TermParts } from './search-keys.ts'

const EVERY_MS = 60_000 // docs/console.md: an order of a wrong clock is found two minutes after the clock is right
const SHARE = 100 // Mohur's choice: an audit rests a hundred times as long as it took
const LOOKS_BACK_MS = 24 * 60 * 60_000 // docs/console.md: no further back than a day
const COUNTED_MAX = 5_000 // Mohur's choice: entries of one count, a millisecond
const READ_MAX = 100 // docs/decisions/0029: orders of one decision
const MERCHANTS_AT_ONCE = 256 // Mohur's choice: in one count
const YIELD_MS = 1 // other work runs between two counts

type Range = readonly [from: number, to: number]

/**
 * Audits once a minute, and returns whether the audit came to its end. `mayGoOn` may stop it, and the next call continues there. While no
 * process commits anything, a second audit would find what the first found. If the sweep's place is ahead of `until`, no audit has read the
 * orders between them yet. An audit under a clock that was ahead has not read what lies before its day.
 */
export function searchAudit(parts: TermParts, mayGoOn: () => boolean): (until: number) => Promise<boolean> {
  const { clock, query } = parts
  let [from, tookMs, ranges]: [number, number, Range[]] = [Number.NEGATIVE_INFINITY, 0, []]
  /** The store's revision before the audit under way, and before the last one that need not be repeated. */
  let [revision, audited]: (string | undefined)[] = []
  let auditedUntil = 0
  return async (until) => {
    const begun = clock.elapsed()
    if (ranges.length === 0 && begun >= from) {
      const now = await query.revision()
      const { place } = await searchProgress(query)
      revision = place && place[0] <= until ? now : undefined
      if (now !== audited || until < auditedUntil) ranges = rangesToAudit(clock.now(), until)
      tookMs = 0
    }
    if (ranges.length === 0) return true
    const before = revision
    revision = undefined // an audit that fails has lost a range, so it does not count
    await auditRanges(parts, ranges, mayGoOn)
    revision = before
    const ended = clock.elapsed()
    tookMs += ended - begun
    if (ranges.length > 0) return false
    ;[audited, auditedUntil] = [revision, until]
    from = ended + Math.max(EVERY_MS, SHARE * tookMs)
    return true
  }
}

/** The ranges of an audit, newest last. They are the day before `until`, which the sweep has passed, and everything ahead of the clock. */
const rangesToAudit = (now: number, until: number): Range[] => [
  [until - LOOKS_BACK_MS, until],
  [now + AHEAD_MAX_MS, LAST_INSTANT_MS],
]

/** Removes audited ranges from the end of `ranges`: at least one, and more while `mayGoOn` returns true. */
async function auditRanges(parts: TermParts, ranges: Range[], mayGoOn: () => boolean): Promise<void> {
  const { query, clock } = parts
  let mids: readonly string[] | undefined
  for (let range = ranges.pop(); range; range = mayGoOn() ? ranges.pop() : undefined) {
    const [from, to] = range
    const orders = await query.count(
      find('orders', { atLeast: { txnTokenIssuedAt: from }, atMost: { txnTokenIssuedAt: to }, limit: COUNTED_MAX + 1 }),
    )
    if (orders === 0) continue
    await clock.sleep(YIELD_MS)
    if (orders <= COUNTED_MAX) {
      mids ??= await midsOf(parts)
      if ((await listedCount(parts, mids, range)) === orders) continue
    }
    const middle = Math.floor((from + to) / 2)
    if (orders > READ_MAX && from !== to) ranges.push([from, middle], [middle + 1, to])
    else if (!(await keepMissing(parts, range))) {
      ranges.push(range) // another process moved the sweep's place meanwhile, so the next run reads this range again
      return
    }
  }
}

async function midsOf({ query }: TermParts): Promise<readonly string[]> {
  const mids: string[] = []
  for (;;) {
    const last = mids.at(-1)
    const portion = { orderBy: ['mid'], ...(last !== undefined && { beyond: [last] }), limit: MERCHANTS_AT_ONCE, unopened: true } as const
    const rows = await query.rows(find('merchants', portion))
    mids.push(...rows.map(({ mid }) => mid))
    if (rows.length < MERCHANTS_AT_ONCE) return mids
  }
}

async function listedCount({ query, clock }: TermParts, mids: readonly string[], [from, to]: Range): Promise<number> {
  let counted = 0
  for (let at = 0; at < mids.length; at += MERCHANTS_AT_ONCE) {
    if (at > 0) await clock.sleep(YIELD_MS)
    const among = { column: 'mid', values: mids.slice(at, at + MERCHANTS_AT_ONCE) } as const
    counted += await query.count(find('merchantOrders', { in: among, atLeast: { at: from }, atMost: { at: to }, limit: COUNTED_MAX + 1 }))
  }
  return counted
}

/**
 * Writes the missing terms of a range in portions, because one instant may have many orders. False when another process moved the sweep's
 * place meanwhile.
 */
async function keepMissing(parts: TermParts, [from, to]: Range): Promise<boolean> {
  for (let beyond: SearchPlace | undefined; ; ) {
    const progress = await searchProgress(parts.query)
    const orders = await ordersWithin(parts.query, { from, until: to, beyond, limit: READ_MAX })
    if (orders.length > 0 && !(await keepTerms(parts, progress, orders))) return false
    const last = orders.at(-1)
    if (!last || orders.length < READ_MAX) return true
    beyond = [last.txnTokenIssuedAt, last.mid, last.orderId]
  }
}
