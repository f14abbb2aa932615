// A store and its database without a service, for tests of the store, the engine and the schema.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after } from 'node:test'
import { sql } from 'kysely'
import { openAside } from '../../../src/adapters/store/aside/aside.ts'
import { type DatabaseEngine as Database, openPostgres, openSqlite } from '../../../src/adapters/store/database.ts'
import { migrate } from '../../../src/adapters/store/migrate.ts'
import { SqlStore } from '../../../src/adapters/store/sql-store.ts'
import { MASTER_KEY_BYTES, Vault } from '../../../src/adapters/store/vault.ts'
import { SystemClock } from '../../../src/engine/clock.ts'
import { Engine, type EngineEvents } from '../../../src/engine/engine.ts'
import { SystemRandom } from '../../../src/engine/random.ts'
import type { Store } from '../../../src/engine/store.ts'
import type { StoreName } from '../run/service.ts'
import { sharedPostgres } from './postgres.ts'

const MASTER_KEY = Buffer.alloc(MASTER_KEY_BYTES, 7)

export interface TestStore {
  name: StoreName
  store: Store
  database: Database
  /** The SQLite file, or the address of the PostgreSQL database. */
  place: string
  /** Runs statements beside the store, as an operator's database shell does. */
  run(...statements: string[]): Promise<void>
  rows<T>(statement: string): Promise<T[]>
  close(): Promise<void>
}

const folders: string[] = []
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** An empty place for a database. Its folder is removed when the test file's process ends. */
export async function emptyPlace(name: StoreName): Promise<string> {
  if (name === 'postgres') return (await sharedPostgres()).createDatabase()
  const folder = mkdtempSync(join(tmpdir(), 'mohur-store-'))
  folders.push(folder)
  return join(folder, 'mohur.sqlite')
}

export const openDatabase = (name: StoreName, place: string): Database => (name === 'postgres' ? openPostgres(place) : openSqlite(place))

/** Opens a migrated store. On PostgreSQL, opening the same place again stands for a second process, with its own connections. */
export async function openStore(name: StoreName, place?: string): Promise<TestStore> {
  const at = place ?? (await emptyPlace(name))
  const database = openDatabase(name, at)
  await migrate(database)
  const store = new SqlStore(database, new Vault(MASTER_KEY))
  return {
    name,
    store,
    database,
    place: at,
    async run(...statements) {
      for (const statement of statements) await sql.raw(statement).execute(database.writer)
    },
    rows: async <T>(statement: string) => (await sql.raw<T>(statement).execute(database.writer)).rows,
    close: () => store.close(),
  }
}

/** Reads beside that store, as the console does. */
export const asideOf = ({ name, place }: TestStore, waitsMs?: number) =>
  openAside({ databaseUrl: name === 'postgres' ? place : undefined, dataFolder: dirname(place) }, new Vault(MASTER_KEY), waitsMs)

export const newEngine = (store: Store, events: EngineEvents = {}) => new Engine(store, new SystemClock(), new SystemRandom(), events)

/** One store for all the tests of a `describe`. */
export function sharedStore(name: StoreName): () => Promise<TestStore> {
  let opened: Promise<TestStore> | undefined
  after(async () => (await opened)?.close())
  return () => {
    opened ??= openStore(name)
    return opened
  }
}
