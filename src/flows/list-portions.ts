// Lists over all merchants, newest first, in portions. A portion goes on behind the last row of the portion before. Each portion examines a
// bounded number of entries. So no question takes long, however rare its rows are. Lists are read aside (adapters/store/aside/aside.ts).

import type { Looks, Query } from '../engine/decision.ts'
import { type Filter, type Find, find, type Row } from '../tables/tables.ts'

export const EXAMINED_MAX = { entries: 50_000, rows: 5_000 } // docs/console.md: for one portion, of an index or of the table itself
const MERGED_MAX = 20 // Mohur's choice: merchants whose own indexes are read side by side

type Most = typeof EXAMINED_MAX
type ListedTable = 'transactions' | 'refunds' | 'subscriptions' | 'orders'
type AnyTable = ListedTable | 'auditLog'
type Sum = NonNullable<Filter['sum']>
type Values = Readonly<Record<string, string | number>>

/** The place where a portion ended, newest first. The next portion begins behind it. */
export interface Place {
  at: number
  mid: string
  id: string
}

export interface Listing {
  /** The merchants in scope; null: all. */
  mids: readonly string[] | null
  /** Both ends belong to the period. */
  from: number
  to: number
  after?: Place | undefined
  limit: number
  /** The values that columns must have. */
  where?: Values
  /** The sum that columns must have. */
  sum?: Sum
  /** A column that must have one of these values; only over all merchants. */
  among?: { column: string; values: readonly string[] }
}

export interface Portion<T extends AnyTable> {
  /** Without sealed columns and JSON. */
  rows: readonly Row<T>[]
  /** Set when there may be more rows behind this place. */
  next?: Place
  /** True when the portion has examined its maximum, and found fewer rows than it could show. */
  isCut: boolean
}

interface Source {
  table: ListedTable
  time: string
  id: string
  /** Values of `status` that have an index of their own, by time. */
  ownStatuses: readonly string[]
  /**
   * The columns in the index by time over all merchants, and in the index by time of one merchant. The second is undefined when one
   * merchant's rows have no index by time.
   */
  held: readonly string[]
  heldOfOne?: readonly string[]
}

const sources = {
  transactions: {
    ...{ table: 'transactions', time: 'initiatedAt', id: 'txnId', ownStatuses: ['PENDING', 'UNKNOWN', 'FAILURE'] },
    ...{ held: ['mid', 'paymentMode', 'walletPaise', 'bankPaise'], heldOfOne: ['status', 'paymentMode'] },
  },
  refunds: { table: 'refunds', time: 'requestedAt', id: 'refId', ownStatuses: ['PENDING'], held: ['mid'], heldOfOne: [] },
  subscriptions: { table: 'subscriptions', time: 'createdAt', id: 'subscriptionId', ownStatuses: [], held: ['mid'] },
  orders: { table: 'orders', time: 'txnTokenIssuedAt', id: 'orderId', ownStatuses: [], held: [] },
} as const satisfies Record<ListedTable, Source>

/** Columns of `where` that stand in no index are checked row by row. */
export async function portionOf<T extends ListedTable>(
  query: Query,
  table: T,
  listing: Listing,
  most: typeof EXAMINED_MAX = EXAMINED_MAX,
): Promise<Portion<T>> {
  const source: Source = sources[table]
  const { mids } = listing
  if (mids?.length === 0) return { rows: [], isCut: false }
  // Payments are committed meanwhile. All statements of a portion must count the same rows.
  return query.atOneMoment(async (looks) => {
    if (mids === null || !source.heldOfOne || mids.length > MERGED_MAX) return overAll<T>(looks, source, listing, most)
    const portions: Portion<T>[] = []
    for (const mid of mids) portions.push(await ofOne<T>(looks, source, mid, listing, most)) // each within the time for one statement
    return merged<T>(source, portions, listing.limit)
  })
}

const placeIn =
  ({ time, id }: Source) =>
  (row: object): Place => {
    const values = row as Values
    return { at: values[time] as number, mid: String(values['mid']), id: String(values[id]) }
  }

/** Newest first, and by merchant at one instant. Rows of one merchant at one instant keep the database's order of ids. */
const byPlace = (a: Place, b: Place) => b.at - a.at || (a.mid < b.mid ? 1 : a.mid > b.mid ? -1 : 0)

function overAll<T extends ListedTable>(looks: Looks, source: Source, listing: Listing, most: Most): Promise<Portion<T>> {
  const { mids, where = {}, sum, among, after } = listing
  const filter = { where, sum, in: mids ? { column: 'mid', values: mids } : among, held: source.held }
  const status = source.ownStatuses.find((each) => each === where['status'])
  const { status: _, ...others } = where
  const range = {
    ...periodOf(source, listing),
    ...(status !== undefined && { equals: { status } }),
    orderBy: [source.time, 'mid', source.id],
    ...(after && { beyond: [after.at, after.mid, after.id] }),
  }
  return examined<T>(looks, source, range, filterOf(status === undefined ? filter : { ...filter, where: others }, most), listing.limit)
}

function ofOne<T extends ListedTable>(looks: Looks, source: Source, mid: string, listing: Listing, most: Most): Promise<Portion<T>> {
  const { where = {}, sum, after } = listing
  // At the instant where the last portion ended, merchants behind its last row have shown nothing yet.
  const until = after && mid !== after.mid ? Math.min(listing.to, after.at - (mid > after.mid ? 1 : 0)) : listing.to
  const range = {
    ...periodOf(source, { from: listing.from, to: until }),
    equals: { mid },
    orderBy: [source.time, source.id],
    ...(mid === after?.mid && { beyond: [after.at, after.id] }),
  }
  return examined<T>(looks, source, range, filterOf({ where, sum, in: undefined, held: source.heldOfOne! }, most), listing.limit)
}

/** The place's time also bounds the period. So SQLite reads its index from that time, and not from the period's end. */
const periodOf = ({ time }: Source, { from, to, after }: Pick<Listing, 'from' | 'to' | 'after'>) => ({
  atLeast: { [time]: from },
  atMost: { [time]: after ? Math.min(to, after.at) : to },
})

interface Filtered {
  where: Values
  sum: Sum | undefined
  in: { column: string; values: readonly string[] } | undefined
  held: readonly string[]
}

function filterOf({ where, sum, in: among, held }: Filtered, most: Most): Filter | undefined {
  const columns = [...Object.keys(where), ...(sum?.columns ?? []), ...(among ? [among.column] : [])]
  if (columns.length === 0) return undefined
  const firstOf = columns.every((column) => held.includes(column)) ? most.entries : most.rows
  return { firstOf, equals: where, ...(sum && { sum }), ...(among && { in: among }) }
}

async function examined<T extends ListedTable>(
  looks: Looks,
  source: Source,
  range: Omit<Find, 'find' | 'limit'>,
  filter: Filter | undefined,
  limit: number,
): Promise<Portion<T>> {
  const asked = (rest: object) =>
    find(source.table, { ...range, direction: 'desc', unopened: true, ...rest } as never) as unknown as Find<T>
  const place = placeIn(source)
  const found = await looks.rows(asked({ limit: limit + 1, ...(filter && { filter }) }))
  if (found.length > limit) return { rows: found.slice(0, limit), next: place(found[limit - 1]!), isCut: false }
  const [last] = filter ? await looks.rows(asked({ limit: 1, offset: filter.firstOf - 1 })) : []
  return { rows: found, isCut: last !== undefined, ...(last && { next: place(last) }) }
}

/** Below the place where one merchant's portion ends, no row of another merchant is shown. The next portion shows it. */
function merged<T extends ListedTable>(source: Source, portions: readonly Portion<T>[], limit: number): Portion<T> {
  const place = placeIn(source)
  const all = portions.flatMap(({ rows }) => rows).toSorted((a, b) => byPlace(place(a), place(b)))
  const ends = portions.flatMap(({ next }) => next ?? []).toSorted(byPlace)
  const end = ends[0]
  const reached = end ? all.filter((row) => byPlace(place(row), end) <= 0) : all
  const rows = reached.slice(0, limit)
  if (rows.length < all.length && rows.length === limit) return { rows, next: place(rows.at(-1)!), isCut: false }
  return { rows, isCut: end !== undefined && portions.some(({ isCut }) => isCut), ...(end && { next: end }) }
}
