// Writes src/tables as SQL. The statements are the same for both engines, except for a few words.

import type { Table } from '../../tables/columns.ts'
import { type TableName, tables } from '../../tables/tables.ts'
import { sqlName } from './codec.ts'

/** Statements that create every table and index, in SQLite's words. PostgreSQL needs bigint and has no STRICT. */
export function createStatements(names = Object.keys(tables) as TableName[]): string[] {
  return names.flatMap((name) => [createTable(name), ...createIndexes(name)])
}

/**
 * An index that begins with a time is read in the order of the times. YugabyteDB hashes the first column unless the index says `asc`.
 * PostgreSQL makes the same index with or without `asc`.
 */
const BEGINS_WITH_A_TIME = /^(create (?:unique )?index \w+ on \w+ \((?:\w+_)?(?:at|until))\b/

/** Both engines then order texts as JavaScript compares them, in a database of any language. */
const TEXT_COLUMN = /^( {2}\w+ text)\b/gm

export const forPostgres = (statement: string) =>
  statement
    .replace(TEXT_COLUMN, '$1 collate "C"')
    .replace(BEGINS_WITH_A_TIME, '$1 asc')
    .replace(/\binteger\b/g, 'bigint')
    .replace(/\) strict(?:, without rowid)?$/, ')')

function createTable(name: TableName): string {
  const { columns, key, checks } = tables[name] as unknown as Table
  const lines = Object.entries(columns).map(([column, { kind, optional, oneOf }]) => {
    const type = kind === 'integer' || kind === 'boolean' ? 'integer' : 'text'
    const allowed = kind === 'boolean' ? '0, 1' : oneOf?.map((value) => `'${value}'`).join(', ')
    return `${sqlName(column)} ${type}${optional ? '' : ' not null'}${allowed ? ` check (${sqlName(column)} in (${allowed}))` : ''}`
  })
  lines.push(`primary key (${key.map(sqlName).join(', ')})`, ...(checks ?? []).map((check) => `check (${check})`))
  const isAllKey = key.length === Object.keys(columns).length // with row ids SQLite would keep each row twice
  return `create table ${sqlName(name)} (\n  ${lines.join(',\n  ')}\n) strict${isAllKey ? ', without rowid' : ''}`
}

function createIndexes(name: TableName): string[] {
  const { indexes } = tables[name] as unknown as Table
  return Object.entries(indexes ?? {}).map(
    ([index, { columns, unique, where }]) =>
      `create ${unique ? 'unique ' : ''}index ${sqlName(index)} on ${sqlName(name)} (${columns.map(sqlName).join(', ')})${where ? ` where ${where}` : ''}`,
  )
}
