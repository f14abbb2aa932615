// The two engines, and all that differs between them: opening a connection, beginning a transaction, asking for a lock, and the errors
// that mean "try again".

import { DatabaseSync } from 'node:sqlite'
import {
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import type pg from 'pg'
import type { Clock } from '../../engine/clock.ts'
import { RowLocked, TryAgain, Unreachable } from '../../engine/store.ts'
import { CLOCKS_DIFFER_MS } from '../../engine/tasks.ts'
import { SettingError } from '../../settings.ts'
import { sqlState } from './commit-answers.ts'
import { ownFile } from './files.ts'
import { type Limits, READ_ONLY } from './postgres-pipeline.ts'
import { openPool, PostgresDriver } from './postgres-pool.ts'
import type { Sessions } from './session.ts'
import { SqliteDriver } from './sqlite.ts'

export class InUseError extends SettingError {
  override readonly name = 'InUseError'
}

/** src/tables names the tables at run time, so Kysely's own row types do not help here. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Database = Kysely<any>

export interface DatabaseEngine {
  name: 'sqlite' | 'postgres'
  /** Commits decisions. The store uses the driver itself, because it sends a few fixed statements very often. */
  writing: Sessions
  /** Answers questions, beside the writer. */
  reading: Sessions
  /** The same connections through Kysely, for callers with queries of their own. */
  writer: Database
  reader: Database
  /** A writer whose statements have no time limit. */
  migrating: Database
  concurrency: number
  /** True when a statement that writes rows takes one array for each column, instead of the values of one row. */
  takesArrays: boolean
  /** ` for update` when several processes share the tables and this process writes. Claims of tasks add `skip locked`. */
  lockClause: '' | ' for update'
  /**
   * True: an insert whose key is taken writes nothing, and its row count says so. False: the insert fails, and so does every statement sent
   * behind it.
   */
  insertsGiveWay: boolean
  /** Translates an error of a transaction that committed nothing into `TryAgain`, `RowLocked` or `Unreachable`, if it means one of them. */
  meaningOf(error: unknown): unknown
  /** For the operator: what the server's settings can lose, and whether this machine's clock differs. */
  warnings(clock: Pick<Clock, 'realNow'>): Promise<string[]>
  close(): Promise<void>
}

// ---------------------------------------------------------------------------------------------------------- SQLite

const PRAGMAS = [
  'journal_mode = WAL',
  'synchronous = FULL', // NORMAL loses acknowledged writes at a power cut
  'foreign_keys = ON',
  'trusted_schema = OFF',
  'cell_size_check = ON',
  'mmap_size = 0',
  `journal_size_limit = ${64 * 1024 * 1024}`,
  'cache_size = -65536', // KiB: keeps the upper levels of every index in memory at millions of orders
  'temp_store = MEMORY',
  'wal_autocheckpoint = 8192', // pages, 32 MiB of log: so a page that changes often is copied back less often than every 1,000 pages
]
const BESIDE_BUSY_MS = 5_000 // a checkpoint may lock the file for a moment, and a reader beside the service has time
const BUSY_MS = 50 // a synchronous driver blocks the process while it waits, so it hardly waits

/** Opens `file` in WAL mode, with an fsync at every commit. Refuses when another process has the file. */
export function openSqlite(file: string): DatabaseEngine {
  const lock = holdAlone(`${file}.lock`)
  const warnings = ownFile(file)
  const connection = new DatabaseSync(file, { timeout: BUSY_MS })
  for (const pragma of PRAGMAS) connection.exec(`pragma ${pragma}`)
  const synchronous = connection.prepare('pragma synchronous').get()?.['synchronous']
  const journal = connection.prepare('pragma journal_mode').get()?.['journal_mode']
  if (synchronous !== 2 || journal !== 'wal')
    throw new Error(`${file}: SQLite did not accept synchronous=FULL and WAL (${synchronous}, ${journal})`)
  const readOnly = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS })
  const [writing, reading] = [new SqliteDriver(connection), new SqliteDriver(readOnly)]
  return embedded(writing, reading, {
    warnings: async () => warnings, // the settings of durability were made and checked above
    async close() {
      await reading.destroy()
      await writing.destroy()
      lock.close()
    },
  })
}

/** Opens the file beside the process that has it, for questions only. In WAL mode neither process waits for the other. */
export function openSqliteBeside(file: string): DatabaseEngine {
  const reading = new SqliteDriver(new DatabaseSync(file, { readOnly: true, timeout: BESIDE_BUSY_MS }))
  return embedded(reading, reading, { warnings: async () => [], close: () => reading.destroy() })
}

/** The only writer is this process, so no other process is ever first. */
function embedded(writing: Sessions, reading: Sessions, rest: Pick<DatabaseEngine, 'warnings' | 'close'>): DatabaseEngine {
  const writer: Database = new Kysely({ dialect: sqliteDialect(writing) })
  return {
    name: 'sqlite',
    writing,
    reading,
    writer,
    reader: new Kysely({ dialect: sqliteDialect(reading) }),
    migrating: writer,
    concurrency: 1,
    takesArrays: false,
    lockClause: '',
    insertsGiveWay: true,
    meaningOf: (error) => error,
    ...rest,
  }
}

/** An exclusive transaction on a second file. The lock refuses a second process at once, and the kernel ends it with this process. */
function holdAlone(file: string): DatabaseSync {
  ownFile(file)
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('pragma journal_mode = DELETE; begin exclusive; create table if not exists held (by text)')
  } catch (error) {
    lock.close()
    if (/locked|busy/i.test(String(error)))
      throw new InUseError(
        `another process is using ${file.replace(/\.lock$/, '')}; stop it first: the embedded store serves one process (set DATABASE_URL for more)`,
      )
    throw error
  }
  return lock
}

function sqliteDialect(driver: Driver): Dialect {
  return {
    createAdapter: () => new TransactionalSqliteAdapter(),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createDriver: () => driver,
  }
}

/** SQLite can undo a `create table`. Kysely says that it cannot, and would leave half a migration behind. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true
  }
}

// ------------------------------------------------------------------------------------------------------ PostgreSQL

const WRITERS = 2 // batches under way at once: the next is decided while one waits for its COMMIT (docs/decisions/0009)
/** For one process (docs/operating/postgresql.md). Writers have their own connections, so no number of readers makes them wait. */
const [WRITING_MAX, READING_MAX] = [4, 12] // the writers, and the claims of due work beside them
const [SERIALIZATION_FAILURE, UNIQUE_VIOLATION] = ['40001', '23505']
const [DEADLOCK_DETECTED, LOCK_NOT_AVAILABLE] = ['40P01', '55P03']
const INSUFFICIENT_RESOURCES = '53' // the class: disk, memory, connections; a smaller batch would lack them too
/** Mohur's choice: three waits for a lock. No statement of the service takes a second. */
const SERVICE: Limits = { answersWithinMs: 25_000 }
/** A reader beside the service compares whole tables, and a migration may rewrite one. */
const PATIENT: Limits = {}

export function openPostgres(url: string, { readOnly = false, limits }: { readOnly?: boolean; limits?: Limits } = {}): DatabaseEngine {
  const within = limits ?? (readOnly ? PATIENT : SERVICE)
  const use = readOnly ? 'reads' : 'serves'
  const toWrite = openPool(url, WRITING_MAX, use)
  const writing = new PostgresDriver(toWrite, within)
  const reading = new PostgresDriver(openPool(url, READING_MAX, use), within)
  const kysely = (driver: Driver): Database => new Kysely({ dialect: postgresDialect(driver) })
  const reader = kysely(reading)
  return {
    name: 'postgres',
    writing,
    reading,
    writer: kysely(writing),
    reader,
    migrating: kysely(new PostgresDriver(toWrite, PATIENT)),
    concurrency: WRITERS,
    takesArrays: true,
    lockClause: readOnly ? '' : ' for update',
    insertsGiveWay: false,
    meaningOf,
    warnings: async (clock) => [...(await serverWarnings(reader)), ...(await clockWarnings(reader, clock))],
    async close() {
      await Promise.all([writing.destroy(), reading.destroy()])
    },
  }
}

/** The oldest PostgreSQL that tests run on: test/slow/adapters/store/other-postgres.test.ts. */
const OLDEST = 15
export const versionWarning = (version: number): string[] =>
  version < OLDEST ? [`PostgreSQL ${version} is older than ${OLDEST}, the oldest that Mohur is tested on`] : []

/** A success is only as durable as the server's settings make it (docs/operating/postgresql.md). */
async function serverWarnings(reader: Database): Promise<string[]> {
  const asked = sql<{ name: string; setting: string }>`
    select name, setting from pg_settings
    where name in ('fsync', 'synchronous_commit', 'synchronous_standby_names', 'server_version_num')`
  const { rows } = await asked.execute(reader)
  const setting = (name: string) => rows.find((row) => row.name === name)?.setting
  const warnings = versionWarning(Math.floor(Number(setting('server_version_num')) / 10_000))
  if (setting('fsync') === 'off' || setting('synchronous_commit') === 'off')
    warnings.push('PostgreSQL answers before its disk does (fsync or synchronous_commit is off): acknowledged orders can be lost')
  if (!setting('synchronous_standby_names'))
    warnings.push('PostgreSQL has no synchronous standby: a fail-over can lose the last acknowledged orders')
  return warnings
}

/** Two clocks within half of `CLOCKS_DIFFER_MS` of the server's are within `CLOCKS_DIFFER_MS` of each other. */
async function clockWarnings(reader: Database, clock: Pick<Clock, 'realNow'>): Promise<string[]> {
  const before = clock.realNow()
  const { rows } = await sql<{ now: number }>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(reader)
  const [after, there] = [clock.realNow(), rows[0]!.now]
  const apart = Math.max(before - there, there - after) // at least so far, even if the query took long
  if (apart <= CLOCKS_DIFFER_MS / 2) return []
  const seconds = Math.round(apart / 1_000)
  return [`this machine's clock and PostgreSQL's are ${seconds} seconds apart: correct it, or due work may begin twice`]
}

function meaningOf(error: unknown): unknown {
  const state = sqlState(error)
  if (state === LOCK_NOT_AVAILABLE) return new RowLocked('somebody else holds a row', { cause: error })
  if (state === SERIALIZATION_FAILURE || state === DEADLOCK_DETECTED || isKeyTaken(error))
    return new TryAgain('the database asked for another try', { cause: error })
  if (state === READ_ONLY) return new Unreachable('the database may only be read', { cause: error })
  if (state?.startsWith(INSUFFICIENT_RESOURCES)) return new Unreachable('the database has no room', { cause: error })
  return error
}

/**
 * True when another process was first with a row, so that the row's key is taken. If another UNIQUE refuses, the command itself is wrong.
 */
const isKeyTaken = (error: unknown) =>
  sqlState(error) === UNIQUE_VIOLATION && (error as pg.DatabaseError).constraint === `${(error as pg.DatabaseError).table}_pkey`

function postgresDialect(driver: Driver): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createDriver: () => driver,
  }
}
