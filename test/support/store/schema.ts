// The schema of a database, read from its catalogue, and that of src/tables, in the same notation. Nothing comes from
// src/adapters/store/schema.ts.

import { sql } from 'kysely'
import { sqlName } from '../../../src/adapters/store/codec.ts'
import type { DatabaseEngine as Database } from '../../../src/adapters/store/database.ts'
import type { Column, Table } from '../../../src/tables/columns.ts'
import { tables } from '../../../src/tables/tables.ts'

export interface Schema {
  /** `name type not null default`, in order. */
  columns: string[]
  key: string[]
  /** `name (columns) unique where …`, by name. */
  indexes: string[]
  /** Their texts, sorted. */
  checks: string[]
}

interface Declared extends Schema {
  wheres: Record<string, string>
}

const rowsOf =
  (database: Database) =>
  async <T>(statement: string): Promise<T[]> =>
    (await sql.raw<T>(statement).execute(database.writer)).rows
type Rows = ReturnType<typeof rowsOf>

const indexed = (name: string, columns: readonly string[], isUnique: boolean, where: string | undefined | null) =>
  `${name} (${columns.join(', ')})${isUnique ? ' unique' : ''}${where ? ` where ${where}` : ''}`

/** The schema of src/tables. PostgreSQL rewrites CHECKs and predicates, so it is asked for its form of each text. */
export async function declared(database: Database): Promise<Record<string, Schema>> {
  const schema: Record<string, Schema> = {}
  for (const [name, table] of Object.entries(tables as unknown as Record<string, Table>)) {
    const of = declaredTable(database.name, table)
    const { wheres, ...own } = database.name === 'postgres' ? await inItsWords(rowsOf(database), of) : of
    const indexes = Object.entries(table.indexes ?? {}).map(([index, { columns, unique }]) =>
      indexed(sqlName(index), columns.map(sqlName), unique === true, wheres[sqlName(index)]),
    )
    schema[sqlName(name)] = { ...own, indexes: indexes.sort() }
  }
  return schema
}

function declaredTable(engine: Database['name'], { columns, key, indexes = {}, checks = [] }: Table): Declared {
  const integer = engine === 'postgres' ? 'bigint' : 'integer'
  const allowed = ([name, { kind, oneOf }]: [string, Column]) => {
    const values = kind === 'boolean' ? '0, 1' : oneOf?.map((value) => `'${value}'`).join(', ')
    return values === undefined ? [] : [`${sqlName(name)} in (${values})`]
  }
  return {
    columns: Object.entries(columns).map(
      ([name, { kind, optional }]) =>
        `${sqlName(name)} ${kind === 'integer' || kind === 'boolean' ? integer : 'text'}${optional ? '' : ' not null'}`,
    ),
    key: key.map(sqlName),
    indexes: [],
    checks: [...Object.entries(columns).flatMap(allowed), ...checks].sort(),
    wheres: Object.fromEntries(Object.entries(indexes).flatMap(([name, { where }]) => (where ? [[sqlName(name), where]] : []))),
  }
}

async function inItsWords(rows: Rows, { columns, checks, wheres, ...rest }: Declared): Promise<Declared> {
  await rows(`create table worded (${[...columns, ...checks.map((text) => `check (${text})`)].join(', ')})`)
  const [first] = columns[0]!.split(' ')
  for (const [name, where] of Object.entries(wheres)) await rows(`create index worded_${name} on worded (${first}) where ${where}`)
  const predicates = await rows<{ name: string; where: string }>(
    "select indexrelid::regclass::text as name, pg_get_expr(indpred, indrelid) as where from pg_index where indrelid = 'worded'::regclass",
  )
  const worded = await postgresChecks(rows, 'worded')
  await rows('drop table worded')
  const found = Object.fromEntries(predicates.map(({ name, where }) => [name.replace('worded_', ''), where]))
  return { ...rest, columns, checks: worded, wheres: found }
}

export async function found(database: Database): Promise<Record<string, Schema>> {
  const rows = rowsOf(database)
  const schema: Record<string, Schema> = {}
  for (const { name } of await database.writer.introspection.getTables())
    schema[name] = database.name === 'postgres' ? await postgresTable(rows, name) : await sqliteTable(rows, name)
  return schema
}

/** The text of each CHECK, to the parenthesis that ends it. */
export function checksIn(statement: string): string[] {
  const texts: string[] = []
  for (const { index } of statement.matchAll(/\bcheck \(/g)) {
    const begin = index + 'check ('.length
    let [depth, end] = [1, begin]
    for (; depth > 0; end++) depth += statement[end] === '(' ? 1 : statement[end] === ')' ? -1 : 0
    texts.push(statement.slice(begin, end - 1))
  }
  return texts.sort()
}

async function sqliteTable(rows: Rows, table: string): Promise<Schema> {
  const columns = await rows<{ name: string; type: string; notnull: number; pk: number; dflt_value: string | null }>(
    `pragma table_info(${table})`,
  )
  const [{ text } = { text: '' }] = await rows<{ text: string }>(`select sql as text from sqlite_master where name = '${table}'`)
  const indexes = await rows<{ name: string; unique: number; origin: string }>(`pragma index_list(${table})`)
  const own = indexes.filter(({ origin }) => origin === 'c')
  const described = own.map(async ({ name, unique }) => {
    const parts = await rows<{ name: string }>(`pragma index_info(${name})`)
    const [made] = await rows<{ text: string }>(`select sql as text from sqlite_master where name = '${name}'`)
    const where = / where (.*)$/.exec(made!.text)?.[1]
    return indexed(
      name,
      parts.map((part) => part.name),
      unique === 1,
      where,
    )
  })
  return {
    columns: columns.map(
      ({ name, type, notnull, dflt_value: value }) =>
        `${name} ${type.toLowerCase()}${notnull ? ' not null' : ''}${value === null ? '' : ` default ${value}`}`,
    ),
    key: columns
      .filter(({ pk }) => pk > 0)
      .sort((a, b) => a.pk - b.pk)
      .map(({ name }) => name),
    indexes: (await Promise.all(described)).sort(),
    checks: checksIn(text),
  }
}

async function postgresTable(rows: Rows, table: string): Promise<Schema> {
  const columns = await rows<{ name: string; type: string; nullable: string; value: string | null }>(
    `select column_name as name, data_type as type, is_nullable as nullable, column_default as value
     from information_schema.columns where table_name = '${table}' order by ordinal_position`,
  )
  const indexes = await rows<{ name: string; columns: string[]; unique: boolean; primary: boolean; where: string | null }>(
    `select c.relname as name, i.indisunique as "unique", i.indisprimary as "primary", pg_get_expr(i.indpred, i.indrelid) as where,
       array(select a.attname::text from unnest(i.indkey) with ordinality k (number, place) join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number order by k.place) as columns
     from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = '${table}'::regclass`,
  )
  return {
    columns: columns.map(
      ({ name, type, nullable, value }) =>
        `${name} ${type}${nullable === 'NO' ? ' not null' : ''}${value === null ? '' : ` default ${value}`}`,
    ),
    key: indexes.find(({ primary }) => primary)?.columns ?? [],
    indexes: indexes
      .filter(({ primary }) => !primary)
      .map(({ name, columns, unique, where }) => indexed(name, columns, unique, where))
      .sort(),
    checks: await postgresChecks(rows, table),
  }
}

async function postgresChecks(rows: Rows, table: string): Promise<string[]> {
  const found = await rows<{ text: string }>(
    `select pg_get_constraintdef(oid) as text from pg_constraint where conrelid = '${table}'::regclass and contype = 'c'`,
  )
  return found.map(({ text }) => text).sort()
}
