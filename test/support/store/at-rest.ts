// A store that nobody serves, as an operator has it: where it lies, what is in it, and how older versions left it.

import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after } from 'node:test'
import pg from 'pg'
import { statements as initial } from '../../../src/adapters/store/migrations/0001-initial.ts'
import { statements as paying } from '../../../src/adapters/store/migrations/0002-paying.ts'
import { forPostgres } from '../../../src/adapters/store/schema.ts'
import { Vault } from '../../../src/adapters/store/vault.ts'
import { mohurCommand } from '../run/process.ts'
import type { StoreName } from '../run/service.ts'
import { sharedPostgres } from './postgres.ts'

export const MOHUR_MASTER_KEY = Buffer.alloc(32, 3).toString('base64')
export const SHOP = 'SHOP1'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** Where a store may be made, as settings. */
export async function place(store: StoreName): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'mohur-mode-'))
  folders.push(folder)
  const databaseUrl = store === 'postgres' ? await (await sharedPostgres()).createDatabase() : ''
  return { MOHUR_DATA: join(folder, 'data'), DATABASE_URL: databaseUrl, MOHUR_LOG: 'silent', PORT: '0' }
}
export const production = (at: Record<string, string>) => ({ ...at, MOHUR_MODE: 'production', MOHUR_MASTER_KEY })

export async function productionStore(store: StoreName) {
  const at = await place(store)
  assert.equal((await mohurCommand(['merchant', 'add', '--mid', SHOP], production(at))).code, 0)
  return at
}

type Rows = Record<string, unknown>[]

/** One connection for all that `work` asks: on PostgreSQL each is a process of the server's. */
async function connected<T>(
  { DATABASE_URL, MOHUR_DATA }: Record<string, string>,
  work: (ask: (statement: string) => Promise<Rows>) => Promise<T>,
) {
  if (DATABASE_URL) {
    const client = new pg.Client(DATABASE_URL)
    await client.connect()
    return work(async (statement) => (await client.query(statement)).rows).finally(() => client.end())
  }
  const database = new DatabaseSync(join(MOHUR_DATA!, 'mohur.sqlite'))
  return work(async (statement) => database.prepare(statement).all()).finally(() => database.close())
}

/** Runs statements on a store that nobody serves; the rows of the last. */
export const run = (at: Record<string, string>, ...statements: string[]): Promise<Rows> =>
  connected(at, async (ask) => {
    let rows: Rows = []
    for (const statement of statements) rows = await ask(statement)
    return rows
  })

/** Every row of every table, and the names of the files. */
export async function all(at: Record<string, string>): Promise<Record<string, unknown>> {
  const names = at['DATABASE_URL']
    ? "select tablename as name from pg_tables where schemaname = 'public' order by 1"
    : "select name from sqlite_master where type = 'table' order by 1"
  const tables: Record<string, unknown> = {}
  const isThere = at['DATABASE_URL'] || existsSync(join(at['MOHUR_DATA']!, 'mohur.sqlite'))
  if (isThere)
    await connected(at, async (ask) => {
      for (const { name } of await ask(names)) tables[String(name)] = await ask(`select * from ${name} order by 1, 2`)
    })
  const files = at['DATABASE_URL'] ? [] : readdirSync(at['MOHUR_DATA']!).filter((name) => !/-(wal|shm)$/.test(name))
  return { ...tables, files: files.sort() }
}

const released = { '0001-initial': initial, '0002-paying': paying }

/** A store as a version with so many of the first migrations left it, with one merchant. */
export async function storeFromBefore(store: StoreName, mid: string, count = Object.keys(released).length) {
  const at = await place(store)
  mkdirSync(at['MOHUR_DATA']!, { recursive: true })
  const had = Object.entries(released).slice(0, count)
  const statements = had.flatMap(([, all]) => all).map((statement) => (store === 'postgres' ? forPostgres(statement) : statement))
  const check = new Vault(Buffer.from(MOHUR_MASTER_KEY, 'base64')).hash('masterKeyCheck', '')
  await run(
    at,
    ...statements,
    'create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null)',
    'create table kysely_migration_lock (id varchar(255) not null primary key, is_locked integer default 0 not null)',
    "insert into kysely_migration_lock (id, is_locked) values ('migration_lock', 0)",
    ...had.map(([name]) => `insert into kysely_migration (name, timestamp) values ('${name}', '2026-11-20')`),
    `insert into settings (name, value) values ('masterKeyCheck', '${check}')`,
    `insert into merchants (mid, name, mcc, checksum_enabled, signed_modify, debit_card_emi, websites, payment_modes)
      values ('${mid}', 'Shop', '5999', 1, 'amount', 0, '{}', '[]')`,
  )
  return at
}
