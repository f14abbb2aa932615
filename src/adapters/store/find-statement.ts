// A declared set of rows as a statement for either engine, with its bound values.

import type { Filter, Find } from '../../tables/tables.ts'
import { type DatabaseValue, sqlName, type TableCodec } from './codec.ts'

export const row = (columns: number) => `(${Array(columns).fill('?').join(', ')})`

const writtenOf = (codec: TableCodec, equals: Find['equals'] = {}) =>
  Object.entries(equals).filter(([column, value]) => codec.literal(column, value))
const boundOf = (codec: TableCodec, equals: Find['equals'] = {}) =>
  Object.entries(equals).filter(([column, value]) => !codec.literal(column, value))

/** In the order of the statement's question marks. */
export function findValues(codec: TableCodec, find: Find): DatabaseValue[] {
  if (find.each) return branchesOf(find, find.each).flatMap((branch) => findValues(codec, branch))
  const encoded = (values: Readonly<Record<string, unknown>> = {}) =>
    Object.entries(values).map(([column, value]) => codec.encodeValue(column, value))
  const range = [
    ...boundOf(codec, find.equals).map(([column, value]) => codec.encodeValue(column, value)),
    ...encoded(find.atMost),
    ...encoded(find.atLeast),
    ...padded(find.in?.values ?? []),
    ...(find.beyond ?? []),
  ]
  const filter = find.filter && [
    find.filter.firstOf,
    ...boundOf(codec, find.filter.equals).map(([column, value]) => codec.encodeValue(column, value)),
    ...(find.filter.sum ? [find.filter.sum.is] : []),
    ...padded(find.filter.in?.values ?? []),
  ]
  return [...range, ...(filter ?? []), find.limit, ...(find.offset === undefined ? [] : [find.offset])]
}

export function findStatement(codec: TableCodec, find: Find): string {
  if (find.each)
    return branchesOf(find, find.each)
      .map((branch, at) => `select * from (${findStatement(codec, branch)}) as branch${at}`)
      .join(' union all ')
  const { filter, offset } = find
  const end = ` limit ?${offset === undefined ? '' : ' offset ?'}`
  if (filter) return filterStatement(codec, find, filter, end)
  const columns = find.only?.map(sqlName) ?? codec.sqlColumns
  return `select ${columns.join(', ')} from ${codec.sqlTable}${rangeOf(codec, find)}${end}`
}

/** Each branch walks the index of its own value, so none reads the rows of another. */
const branchesOf = ({ each: _, ...find }: Find, { column, values }: NonNullable<Find['each']>): Find[] =>
  values.map((value) => ({ ...find, equals: { ...find.equals, [column]: value } }))

export function countStatement(codec: TableCodec, find: Find): string {
  if (find.filter || find.each || find.offset !== undefined) throw new Error('a set with a filter, branches or an offset is not counted')
  return `select count(*) as entries from (select 1 from ${codec.sqlTable}${rangeOf(codec, find)} limit ?) as counted`
}

/** The conditions and the order, which an index serves. */
function rangeOf(codec: TableCodec, { equals, atMost, atLeast, in: among, orderBy = [], direction = 'asc', beyond, lastOf }: Find): string {
  const columns = orderBy.map(sqlName)
  const conditions = [
    ...conditionsOf(codec, equals),
    ...Object.keys(atMost ?? {}).map((column) => `${sqlName(column)} <= ?`),
    ...Object.keys(atLeast ?? {}).map((column) => `${sqlName(column)} >= ?`),
    ...(among ? [`${sqlName(among.column)} in ${row(padded(among.values).length)}`] : []),
    ...(beyond ? [`(${columns.join(', ')}) ${direction === 'asc' ? '>' : '<'} ${row(beyond.length)}`] : []),
    ...(lastOf ? [`not exists (${laterThan(codec, lastOf)})`] : []),
  ]
  const where = conditions.length > 0 ? ` where ${conditions.join(' and ')}` : ''
  return `${where}${columns.length > 0 ? orderOf(columns, direction) : ''}`
}

const conditionsOf = (codec: TableCodec, equals: Find['equals']) => [
  ...writtenOf(codec, equals).map(([column, value]) => `${sqlName(column)} = ${codec.literal(column, value)}`),
  ...boundOf(codec, equals).map(([column]) => `${sqlName(column)} = ?`),
]
const orderOf = (columns: readonly string[], direction: string) =>
  ` order by ${columns.map((column) => `${column} ${direction}`).join(', ')}`

/**
 * Reads the entries of an index first, with only the columns that the filter needs. Then it reads the rows of the entries that passed. For
 * this SQLite needs a cross join, whose tables it reads as written. PostgreSQL chooses its own order.
 */
function filterStatement(codec: TableCodec, find: Find, filter: Filter, end: string): string {
  const { orderBy = [], direction = 'asc' } = find
  const added = (filter.sum?.columns ?? []).map(sqlName)
  const filtered = [...[...Object.keys(filter.equals ?? {}), ...(filter.in ? [filter.in.column] : [])].map(sqlName), ...added]
  const read = [...new Set([...orderBy.map(sqlName), ...codec.sqlKey, ...filtered])]
  const examined = `select ${read.join(', ')} from ${codec.sqlTable}${rangeOf(codec, find)} limit ?`
  const conditions = [
    ...conditionsOf(codec, filter.equals),
    ...(filter.sum ? [`${added.join(' + ')} = ?`] : []),
    ...(filter.in ? [`${sqlName(filter.in.column)} in ${row(padded(filter.in.values).length)}`] : []),
  ]
  const passed = `select ${codec.sqlKey.join(', ')} from (${examined}) as examined where ${conditions.join(' and ') || '1 = 1'}${end}`
  const same = codec.sqlKey.map((column) => `whole.${column} = passed.${column}`).join(' and ')
  const columns = codec.sqlColumns.map((column) => `whole.${column}`).join(', ')
  const inOrder = orderOf(
    orderBy.map((column) => `whole.${sqlName(column)}`),
    direction,
  )
  return `select ${columns} from (${passed}) as passed cross join ${codec.sqlTable} as whole where ${same}${inOrder}`
}

/** Repeats the last value up to the next power of two, because drivers keep each statement that they have prepared. */
function padded<T>(values: readonly T[]): readonly T[] {
  if (values.length === 0) return values
  let size = 1
  while (size < values.length) size *= 2
  return [...values, ...Array<T>(size - values.length).fill(values.at(-1)!)]
}

function laterThan({ sqlTable }: TableCodec, { of, by }: NonNullable<Find['lastOf']>): string {
  const same = of.map(sqlName).map((column) => `later.${column} = ${sqlTable}.${column}`)
  return `select 1 from ${sqlTable} as later where ${same.join(' and ')} and later.${sqlName(by)} > ${sqlTable}.${sqlName(by)}`
}
