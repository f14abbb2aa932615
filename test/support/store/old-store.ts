// The store of an older version, as its service has left it with everything pending (test/fixtures/README.md), on either engine.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Kysely, sql } from 'kysely'
import { SandboxBank } from '../../../src/adapters/acquirer/sandbox/sandbox-bank.ts'
import { type DatabaseEngine as Database, openSqlite } from '../../../src/adapters/store/database.ts'
import { forPostgres } from '../../../src/adapters/store/schema.ts'
import { notifiedWorld, receiver } from '../notifications/receiver.ts'
import { type Service, type StoreName, startService } from '../run/service.ts'
import { emptyPlace, openDatabase } from './stores.ts'

const FIXTURE = join(import.meta.dirname, '../../fixtures/store-6b2a9ee.jsonl.gz')
const MIGRATIONS = join(import.meta.dirname, '../../../src/adapters/store/migrations')
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')
const ROWS_AT_ONCE = 50

type Value = string | number | null
interface Filled {
  table: string
  columns: string[]
  rows: Value[][]
}
/** What the store's callers were answered, and whose the mandates are. */
export interface Notes {
  at: number
  mandates: Readonly<Record<string, string>>
  kept: { path: string; text: string; key: string; reply: string }
  page: string
  ssoToken: string
  challenge: { state_token: string; otp: string }
  checkout: { mid: string; orderId: string; txnToken: string; otp: string }
  mandatePage: string
  mandateCode: { page: string; otp: string }
  openOrder: { orderId: string; txnToken: string }
}

export interface OldStore extends Notes {
  store: StoreName
  place: string
}

/** Its rows in the schema that stood before a migration; nothing has opened it yet. */
export async function oldStore(store: StoreName, before: string): Promise<OldStore> {
  const [first, ...lines] = gunzipSync(readFileSync(FIXTURE)).toString().trimEnd().split('\n')
  const tables: Filled[] = []
  for (const line of lines.map((text): Value[] | Omit<Filled, 'rows'> => JSON.parse(text))) {
    if (Array.isArray(line)) tables.at(-1)!.rows.push(line)
    else tables.push({ ...line, rows: [] })
  }
  const place = await emptyPlace(store)
  const database = openDatabase(store, place)
  const own = store === 'sqlite' ? openSqlite(join(dirname(place), 'bank.sqlite')) : undefined
  await makeSchema(database, before)
  await SandboxBank.open((own ?? database).writer as Kysely<unknown>, !own)
  for (const filled of tables) await fill(own && filled.table.startsWith('bank_') ? own : database, filled)
  await database.close()
  await own?.close()
  return { ...(JSON.parse(first!) as Notes), store, place }
}

async function makeSchema(database: Database, before: string) {
  const names = readdirSync(MIGRATIONS)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.replace('.ts', ''))
    .filter((name) => name < before)
    .sort()
  const run = (statement: string) => sql.raw(database.name === 'postgres' ? forPostgres(statement) : statement).execute(database.writer)
  await run('create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null)')
  for (const name of names) {
    const { statements } = (await import(join(MIGRATIONS, `${name}.ts`))) as { statements: readonly string[] }
    for (const statement of statements) await run(statement)
    await run(`insert into kysely_migration (name, timestamp) values ('${name}', '2026-06-15T00:00:00.000Z')`)
  }
}

/** The bank's journal is numbered by the database that keeps it, in the same order. */
async function fill(database: Database, { table, columns, rows }: Filled) {
  const kept = columns.flatMap((column, at) => (table === 'bank_journal' && column === 'number' ? [] : [at]))
  const names = sql.join(kept.map((at) => sql.ref(columns[at]!)))
  const ordered = kept.length < columns.length ? rows.toSorted((a, b) => Number(a[0]) - Number(b[0])) : rows
  for (let at = 0; at < ordered.length; at += ROWS_AT_ONCE) {
    const values = ordered.slice(at, at + ROWS_AT_ONCE).map((row) => sql`(${sql.join(kept.map((each) => row[each]))})`)
    await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(database.writer)
  }
}

/** All rows of a table, by their text. */
export async function rowsOf(database: Database, table: string): Promise<Record<string, Value>[]> {
  const { rows } = await sql<Record<string, Value>>`select * from ${sql.table(table)}`.execute(database.writer)
  return rows
}

/** The service on it, so long after the older one had stopped; and the merchant's server. */
export async function opened(store: StoreName, before: string, laterMs = 0) {
  const { journal: heard, url, close } = await receiver(undefined, { endsWithTest: false })
  const old = await oldStore(store, before)
  const where = store === 'sqlite' ? { MOHUR_DATA: dirname(old.place) } : { DATABASE_URL: old.place }
  const service: Service = await startService(store, {
    at: old.at + laterMs,
    world: notifiedWorld(`${url}/merchant`, 'json'),
    env: { ...where, MOHUR_MASTER_KEY: MASTER_KEY },
  })
  return {
    ...{ service, old, heard },
    async close() {
      await service.close()
      close()
    },
  }
}
