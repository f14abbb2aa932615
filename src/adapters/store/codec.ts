// Translates between a row of src/tables and a database's values: text, integers and JSON text, sealed if the column is.

import type { Column, Table } from '../../tables/columns.ts'
import { type Find, type Row, type TableName, tables } from '../../tables/tables.ts'
import { Sealed } from './sealed-cache.ts'
import type { Vault } from './vault.ts'

export type DatabaseValue = string | number | null

export const sqlName = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export interface TableCodec {
  table: TableName
  sqlTable: string
  sqlColumns: readonly string[]
  sqlTypes: readonly ('text' | 'bigint')[]
  sqlKey: readonly string[]
  /** Columns outside the key. */
  sqlRest: readonly string[]
  encode(row: Row<TableName>): DatabaseValue[]
  decode(stored: Readonly<Record<string, DatabaseValue>>, how?: Pick<Find, 'unopened' | 'only'>): Row<TableName>
  /**
   * A word of a column's closed list as an SQL literal. With it a prepared statement can use a partial index. Undefined for any other
   * value.
   */
  literal(column: string, value: unknown): string | undefined
  /** One value as the database compares it, for conditions. */
  encodeValue(column: string, value: unknown): DatabaseValue
  id(stored: Readonly<Record<string, DatabaseValue>>): string[]
}

/**
 * Tables whose sealed values are kept opened. A payment or a renewal reads and writes their rows again and again. In `merchants` the kept
 * value is the notifications' secret. No cards, checksum keys, tokens or one-time passwords are kept.
 */
const KEPT: ReadonlySet<TableName> = new Set(['orders', 'subscriptions', 'transactions', 'notices', 'notifications', 'merchants'])

/**
 * An order mostly waits for its payer longer than a value is kept. So until a payment begins, its values are kept when they are read, not
 * when they are written.
 */
const keepsWhatIsWritten = (table: TableName, { status }: Readonly<Record<string, unknown>>) =>
  KEPT.has(table) && !(table === 'orders' && status === 'CREATED')

export function codecs(vault: Vault): Readonly<Record<TableName, TableCodec>> {
  const [kept, fresh] = [new Sealed(vault), new Sealed(vault, 0)]
  const all = (Object.keys(tables) as TableName[]).map((name) => [name, codec(name, KEPT.has(name) ? kept : fresh)])
  return Object.fromEntries(all) as Record<TableName, TableCodec>
}

function codec(table: TableName, sealed: Sealed): TableCodec {
  const { columns, key } = tables[table] as unknown as Table
  const fields = Object.entries(columns).map(([name, column]) => ({ name, sql: sqlName(name), column }))
  const sqlKey = key.map(sqlName)
  const placeOf = (sqlColumn: string, id: readonly unknown[]) => `${table}.${sqlColumn}|${id.join('|')}`

  return {
    table,
    sqlTable: sqlName(table),
    sqlColumns: fields.map((field) => field.sql),
    sqlTypes: fields.map(({ column }) => (column.kind === 'integer' || column.kind === 'boolean' ? 'bigint' : 'text')),
    sqlKey,
    sqlRest: fields.map((field) => field.sql).filter((name) => !sqlKey.includes(name)),
    encode(row) {
      const values = row as Readonly<Record<string, unknown>>
      const keeps = keepsWhatIsWritten(table, values)
      let id: unknown[] | undefined // only for a row with sealed values
      return fields.map(({ name, sql, column }) => {
        const value = values[name]
        if (column.kind !== 'sealed') return plain(column, value)
        if (value === null) return null
        id ??= key.map((name) => values[name])
        return sealed.seal(value, placeOf(sql, id), keeps)
      })
    },
    decode(stored, { unopened, only } = {}) {
      const row: Record<string, unknown> = {}
      const id = sqlKey.map((name) => stored[name])
      for (const { name, sql, column } of fields) {
        if (only && !only.includes(name)) continue
        const value = stored[sql] ?? null
        if (value === null || column.kind === 'text' || column.kind === 'integer') row[name] = value
        else if (column.kind === 'boolean') row[name] = value === 1
        else if (unopened) row[name] = null
        else row[name] = column.kind === 'sealed' ? sealed.open(String(value), placeOf(sql, id)) : JSON.parse(String(value))
      }
      return row as unknown as Row<TableName>
    },
    // Only words of Mohur's own lists are written into a statement. Any other value is bound.
    literal: (name, value) => (columns[name]!.oneOf?.includes(value as string) ? `'${value}'` : undefined),
    encodeValue: (name, value) => plain(columns[name]!, value),
    id: (stored) => sqlKey.map((name) => String(stored[name])),
  }
}

function plain(column: Column, value: unknown): DatabaseValue {
  if (value === null || value === undefined) return null
  if (column.kind === 'boolean') return value ? 1 : 0
  return column.kind === 'json' ? JSON.stringify(value) : (value as DatabaseValue)
}
