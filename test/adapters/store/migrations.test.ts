// The schema that migrations make is the one that src/tables declares, on both stores.

import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { sql } from 'kysely'
import { sqlName } from '../../../src/adapters/store/codec.ts'
import type { DatabaseEngine as Database } from '../../../src/adapters/store/database.ts'
import { migrate } from '../../../src/adapters/store/migrate.ts'
import { statements as initial } from '../../../src/adapters/store/migrations/0001-initial.ts'
import { createStatements, forPostgres } from '../../../src/adapters/store/schema.ts'
import { start } from '../../../src/main.ts'
import { readSettings, SettingError } from '../../../src/settings.ts'
import type { Column, Table } from '../../../src/tables/columns.ts'
import { tables } from '../../../src/tables/tables.ts'
import { type StoreName, whereSqlDiffers } from '../../support/run/service.ts'
import { emptyPlace, openDatabase, openStore } from '../../support/store/stores.ts'

interface Schema {
  /** `name type not null`, in order. */
  columns: string[]
  key: string[]
  /** `name (columns) unique where`, by name. */
  indexes: string[]
  checks: number
}

function declared(name: StoreName): Record<string, Schema> {
  const integer = name === 'postgres' ? 'bigint' : 'INTEGER'
  const text = name === 'postgres' ? 'text' : 'TEXT'
  return Object.fromEntries(
    Object.entries(tables as unknown as Record<string, Table>).map(([table, { columns, key, indexes = {}, checks = [] }]) => {
      const limited = Object.values(columns).filter((column: Column) => column.kind === 'boolean' || column.oneOf)
      return [
        sqlName(table),
        {
          columns: Object.entries(columns).map(
            ([column, { kind, optional }]) =>
              `${sqlName(column)} ${kind === 'integer' || kind === 'boolean' ? integer : text}${optional ? '' : ' not null'}`,
          ),
          key: key.map(sqlName),
          indexes: Object.entries(indexes)
            .map(([index, { columns, unique, where }]) =>
              describeIndex(sqlName(index), columns.map(sqlName), unique === true, where !== undefined),
            )
            .sort(),
          checks: limited.length + checks.length,
        },
      ]
    }),
  )
}
const describeIndex = (index: string, columns: readonly string[], unique: boolean, partial: boolean) =>
  `${index} (${columns.join(', ')})${unique ? ' unique' : ''}${partial ? ' where' : ''}`

const rowsOf =
  (database: Database) =>
  async <T>(statement: string): Promise<T[]> =>
    (await sql.raw<T>(statement).execute(database.writer)).rows

async function found(name: StoreName, database: Database): Promise<Record<string, Schema>> {
  const rows = rowsOf(database)
  const schema: Record<string, Schema> = {}
  for (const table of await database.writer.introspection.getTables())
    schema[table.name] = name === 'postgres' ? await postgresTable(rows, table.name) : await sqliteTable(rows, table.name)
  return schema
}
type Rows = ReturnType<typeof rowsOf>

async function sqliteTable(rows: Rows, table: string): Promise<Schema> {
  const columns = await rows<{ name: string; type: string; notnull: number; pk: number }>(`pragma table_info(${table})`)
  const indexes = await rows<{ name: string; unique: number; origin: string; partial: number }>(`pragma index_list(${table})`)
  const [{ text } = { text: '' }] = await rows<{ text: string }>(`select sql as text from sqlite_master where name = '${table}'`)
  const own = indexes.filter(({ origin }) => origin === 'c')
  const described = own.map(async ({ name, unique, partial }) => {
    const parts = await rows<{ name: string }>(`pragma index_info(${name})`)
    return describeIndex(
      name,
      parts.map((part) => part.name),
      unique === 1,
      partial === 1,
    )
  })
  return {
    columns: columns.map(({ name, type, notnull }) => `${name} ${type.toUpperCase()}${notnull ? ' not null' : ''}`),
    key: columns
      .filter(({ pk }) => pk > 0)
      .sort((a, b) => a.pk - b.pk)
      .map(({ name }) => name),
    indexes: (await Promise.all(described)).sort(),
    checks: text.match(/\bcheck \(/g)?.length ?? 0,
  }
}

async function postgresTable(rows: Rows, table: string): Promise<Schema> {
  const columns = await rows<{ name: string; type: string; nullable: string }>(
    `select column_name as name, data_type as type, is_nullable as nullable from information_schema.columns where table_name = '${table}' order by ordinal_position`,
  )
  const indexes = await rows<{ name: string; columns: string[]; unique: boolean; primary: boolean; partial: boolean }>(
    `select c.relname as name, i.indisunique as "unique", i.indisprimary as "primary", i.indpred is not null as partial,
       array(select a.attname::text from unnest(i.indkey) with ordinality k (number, place) join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.number order by k.place) as columns
     from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = '${table}'::regclass`,
  )
  const [{ checks } = { checks: 0 }] = await rows<{ checks: number }>(
    `select count(*) as checks from pg_constraint where conrelid = '${table}'::regclass and contype = 'c'`,
  )
  return {
    columns: columns.map(({ name, type, nullable }) => `${name} ${type}${nullable === 'NO' ? ' not null' : ''}`),
    key: indexes.find(({ primary }) => primary)?.columns ?? [],
    indexes: indexes
      .filter(({ primary }) => !primary)
      .map(({ name, columns, unique, partial }) => describeIndex(name, columns, unique, partial))
      .sort(),
    checks,
  }
}

whereSqlDiffers('migrations', 'each statement is rewritten for PostgreSQL', (name) => {
  test('an empty database gets every table, column, key, index and CHECK of src/tables, and no others', async () => {
    const database = openDatabase(name, await emptyPlace(name))
    assert.ok((await migrate(database)).length > 0)
    assert.deepEqual(await found(name, database), declared(name))
    await database.close()
  })

  test('migrating again does nothing and keeps what is there', async () => {
    const first = await openStore(name)
    await first.run("insert into settings (name, value) values ('kept', 'yes')")
    const before = await found(name, first.database)
    assert.deepEqual(await migrate(first.database), [])
    await first.close()
    const again = await openStore(name, first.place)
    assert.deepEqual(await migrate(again.database), [])
    assert.deepEqual(await found(name, again.database), before)
    assert.deepEqual(
      (await again.rows<{ value: string }>("select value from settings where name = 'kept'")).map(({ value }) => value),
      ['yes'],
    )
    await again.close()
  })

  test('a migration that cannot be finished leaves nothing of it behind, and is made when nothing stands in its way', async () => {
    const place = await emptyPlace(name)
    const database = openDatabase(name, place)
    const run = async (...statements: string[]) => {
      for (const statement of statements) await sql.raw(name === 'postgres' ? forPostgres(statement) : statement).execute(database.writer)
    }
    await run(
      ...initial,
      "insert into customers (mobile, user_id, wallet_balance_paise, pending_verification) values ('1', 'same', 7, 0), ('2', 'same', 0, 0)",
      'create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null)',
      "insert into kysely_migration (name, timestamp) values ('0001-initial', '2026-11-20T00:00:00.000Z')",
    )
    const before = await found(name, database)
    await assert.rejects(migrate(database), { message: 'the database could not be migrated' })
    assert.deepEqual(await found(name, database), before)
    await run("update customers set user_id = 'another' where mobile = '2'")
    assert.equal((await migrate(database))[0], '0002-paying')
    assert.deepEqual(await found(name, database), declared(name))
    await database.close()
  })

  test('a database that a newer version has migrated is refused in a sentence', async () => {
    const first = await openStore(name)
    await first.run("insert into kysely_migration (name, timestamp) values ('9999-from-the-future', '2030-01-01T00:00:00.000Z')")
    await first.close()
    const database = openDatabase(name, first.place)
    await assert.rejects(migrate(database), (error) => {
      assert.ok(error instanceof SettingError)
      assert.match(error.message, /newer Mohur: this one does not know its migration 9999-from-the-future; run that version, or put back/)
      return true
    })
    await database.close()
  })
})

test('postgres: an index that begins with a time says that it ascends, in the schema and in every migration; no other changes', async () => {
  const folder = new URL('../../../src/adapters/store/migrations/', import.meta.url)
  const made = readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .map((file): Promise<{ statements: readonly string[] }> => import(new URL(file, folder).href))
  const migrated = (await Promise.all(made)).flatMap(({ statements }) => statements)
  const indexes = [...createStatements(), ...migrated].filter((statement) => /^create (unique )?index/.test(statement))
  const kinds = Object.entries(tables as unknown as Record<string, Table>).flatMap(([table, { columns }]) =>
    Object.entries(columns).map(([column, { kind }]): [string, string] => [`${sqlName(table)} ${sqlName(column)}`, kind]),
  )
  const kindOf = new Map(kinds)
  let ascending = 0
  for (const statement of indexes) {
    const [begin, table, first] = / on (\w+) \((\w+)/.exec(statement)!
    const isTime = kindOf.get(`${table} ${first}`) === 'integer' // no other integer is the first of an index
    assert.equal(forPostgres(statement), isTime ? statement.replace(begin, `${begin} asc`) : statement)
    if (isTime) ascending++
  }
  assert.ok(ascending > 20, String(ascending))
})

test('postgres: two processes that meet an empty database migrate it once', async () => {
  for (let times = 0; times < 3; times++) {
    const place = await emptyPlace('postgres')
    const databases = [1, 2, 3].map(() => openDatabase('postgres', place))
    const done = (await Promise.all(databases.map(migrate))).flat()
    assert.equal(new Set(done).size, done.length)
    assert.deepEqual(await found('postgres', databases[0]!), declared('postgres'))
    await Promise.all(databases.map((database) => database.close()))
  }
})

test('postgres: two services that start at once on an empty database both start', async () => {
  for (let times = 0; times < 3; times++) {
    const settings = readSettings({
      PORT: '0',
      DATABASE_URL: await emptyPlace('postgres'),
      MOHUR_MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
      MOHUR_LOG: 'silent',
    })
    const services = await Promise.allSettled([start(settings), start(settings)])
    for (const service of services) if (service.status === 'fulfilled') await service.value.close()
    assert.deepEqual(
      services.map((service) => (service.status === 'rejected' ? service.reason : 'started')),
      ['started', 'started'],
    )
  }
})
