// A store without a service, as an operator has it: its place, its content, and the forms in which unreleased versions left it.

import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { mohurCommand } from '../run/process.ts'
import type { StoreName } from '../run/service.ts'
import { sharedPostgres } from './postgres.ts'

export const MOHUR_MASTER_KEY = Buffer.alloc(32, 3).toString('base64')
export const SHOP = 'SHOP1'

const folders: string[] = []
// At the end of the process, because other files of it have stores here too.
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** The settings of a place for a new store. */
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

/** One connection for all statements of `work`, because on PostgreSQL each connection is a process of the server's. */
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

/** Runs statements on a store without a service, and returns the rows of the last. */
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

/** Statements that give a store of this version the marks of an unreleased one. */
export const UNRELEASED: Readonly<Record<string, readonly string[]>> = {
  'which had the first migration alone': [
    "update kysely_migration set name = '0001-initial'",
    'drop table transactions',
    "delete from settings where name <> 'masterKeyCheck'",
  ],
  'which had all of its migrations': [
    "update kysely_migration set name = '0001-initial'",
    "insert into kysely_migration (name, timestamp) values ('0002-paying', '2026-11-20'), ('0028-refused-cancels', '2026-11-20')",
    "delete from settings where name = 'schemaFingerprint'",
  ],
  'whose tables were others': [
    "update settings set value = 'another' where name = 'schemaFingerprint'",
    'alter table merchants drop column support_contact',
  ],
  'which had no fingerprint': ["delete from settings where name = 'schemaFingerprint'"],
}

/**
 * Every byte of the embedded store; of PostgreSQL the rows with their places, and the catalogue. Reading may create an empty log beside the
 * file.
 */
export async function untouched(at: Record<string, string>): Promise<Record<string, unknown>> {
  if (!at['DATABASE_URL']) {
    const folder = at['MOHUR_DATA']!
    const files = readdirSync(folder).filter((name) => !name.endsWith('-shm'))
    const bytes = files.map((name) => [name, readFileSync(join(folder, name)).toString('base64')] as const)
    return Object.fromEntries(bytes.filter(([name, text]) => text !== '' || !name.endsWith('-wal')))
  }
  const found: Record<string, unknown> = {}
  await connected(at, async (ask) => {
    for (const [name, question] of Object.entries(CATALOGUE)) found[name] = await ask(question)
    for (const { relname } of found['relations'] as Rows)
      found[`rows of ${relname}`] = await ask(`select ctid::text, xmin::text, each::text from "${relname}" each order by 1`)
  })
  return found
}
const CATALOGUE = {
  relations: "select relname, relfilenode from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
  columns:
    "select table_name, column_name, data_type, is_nullable, column_default from information_schema.columns where table_schema = 'public' order by 1, 2",
  constraints:
    "select conrelid::regclass::text as of, conname, pg_get_constraintdef(oid) as text from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2",
  indexes: "select indexname, indexdef from pg_indexes where schemaname = 'public' order by 1",
} as const
