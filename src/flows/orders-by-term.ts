// Finds the orders that have a term, newest first. It reads the segments from the newest, and the late terms (docs/decisions/0029).

import type { SearchPlace } from '../domain/order/keep-search-terms.ts'
import type { Looks } from '../engine/decision.ts'
import { SEGMENT_ORDERS, segmentOf } from '../tables/search.ts'
import { find } from '../tables/tables.ts'
import type { Mids } from './orders-by-number.ts'

const SEGMENTS_AT_ONCE = 1_024 // Mohur's choice: four million orders in one statement, some milliseconds
const ENTRIES_MAX = 50_000 // docs/console.md: of the index, examined for one portion
const ROWS_MAX = 5_000 // docs/console.md: examined for one portion
const ROWS_AT_ONCE = 1_000 // Mohur's choice: when only some merchants' orders count

export interface TermAsked {
  mids: Mids
  limit: number
  after?: SearchPlace
}
export interface TermPlaces {
  places: readonly SearchPlace[]
  /** Set when there may be more places behind this place. */
  next?: SearchPlace
}

/** One portion of the orders that have any of `terms`, each once. */
export async function placesOf(looks: Looks, terms: readonly number[], asked: TermAsked): Promise<TermPlaces> {
  if (asked.mids?.length === 0) return { places: [] }
  const from = await newestNumber(looks, asked.after)
  const portions = await Promise.all(terms.flatMap((term) => [inSegments(looks, term, from, asked), amongLate(looks, term, asked)]))
  const all = portions.flatMap(({ places }) => places).toSorted(newestFirst)
  const end = portions.flatMap(({ next }) => (next ? [next] : [])).toSorted(newestFirst)[0]
  const isNew = (place: SearchPlace, at: number) => at === 0 || newestFirst(all[at - 1]!, place) !== 0
  // Behind the first place at which a portion ended, that portion may have more.
  const reached = all.filter((place, at) => isNew(place, at) && (!end || newestFirst(place, end) <= 0))
  const places = reached.slice(0, asked.limit)
  const next = places.length < reached.length ? places.at(-1)! : end
  return { places, ...(next && { next }) }
}

const placeOf = ({ at, mid, orderId }: { at: number; mid: string; orderId: string }): SearchPlace => [at, mid, orderId]
function newestFirst(a: SearchPlace, b: SearchPlace): number {
  const part = a.findIndex((each, nth) => each !== b[nth])
  return part < 0 ? 0 : a[part]! > b[part]! ? -1 : 1
}

/**
 * The highest number of all orders, or of the orders behind `after`. Below 0 when there are none. Numbers follow the times, so halving
 * finds it.
 */
async function newestNumber(looks: Looks, after: SearchPlace | undefined): Promise<number> {
  const upTo = async (number: number) => {
    const [row] = await looks.rows(find('searchOrders', { atMost: { number }, orderBy: ['number'], direction: 'desc', limit: 1 }))
    return row
  }
  let [low, high] = [-1, (await upTo(Number.MAX_SAFE_INTEGER))?.number ?? -1]
  if (!after) return high
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const row = await upTo(middle)
    if (row && newestFirst(placeOf(row), after) <= 0) high = middle - 1
    else low = middle
  }
  return low
}

async function inSegments(looks: Looks, term: number, from: number, { mids, limit }: TermAsked): Promise<TermPlaces> {
  const places: SearchPlace[] = []
  const atOnce = mids ? ROWS_AT_ONCE : limit + 1
  for (let [most, examined] = [from, 0]; most >= 0; ) {
    const newest = segmentOf(most)
    const segments = Array.from({ length: Math.min(SEGMENTS_AT_ONCE, newest + 1) }, (_, nth) => newest - nth)
    const range = { equals: { term }, in: { column: 'segment', values: segments }, atMost: { number: most } } as const
    const found = await looks.rows(find('searchTerms', { ...range, orderBy: ['segment', 'number'], direction: 'desc', limit: atOnce }))
    const numbers = { column: 'number', values: found.map(({ number }) => number) } as const
    const rows =
      found.length === 0
        ? []
        : await looks.rows(find('searchOrders', { in: numbers, orderBy: ['number'], direction: 'desc', limit: found.length }))
    places.push(...rows.filter(({ mid }) => !mids || mids.includes(mid)).map(placeOf))
    if (places.length > limit) return { places: places.slice(0, limit), next: places[limit - 1]! }
    const isWhole = found.length < atOnce
    most = isWhole ? segments.at(-1)! * SEGMENT_ORDERS - 1 : found.at(-1)!.number - 1
    examined += found.length
    const last = rows.at(-1)
    if (examined >= ROWS_MAX && last) return { places, next: placeOf(last) }
  }
  return { places }
}

async function amongLate(looks: Looks, term: number, { mids, limit, after }: TermAsked): Promise<TermPlaces> {
  const range = {
    equals: { term },
    ...(after && { atMost: { at: after[0] }, beyond: after }),
    orderBy: ['at', 'mid', 'orderId'],
    direction: 'desc',
  } as const
  const filter = mids && { firstOf: ENTRIES_MAX, in: { column: 'mid' as const, values: mids } }
  const rows = await looks.rows(find('lateTerms', { ...range, limit: limit + 1, ...(filter && { filter }) }))
  const shown = rows.slice(0, limit)
  const isWhole = rows.length <= limit
  const [cut] = isWhole && filter ? await looks.rows(find('lateTerms', { ...range, limit: 1, offset: ENTRIES_MAX - 1 })) : []
  const last = isWhole ? cut : shown.at(-1)
  return { places: shown.map(placeOf), ...(last && { next: placeOf(last) }) }
}
