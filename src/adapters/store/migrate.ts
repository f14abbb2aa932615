// Brings a database to the newest schema, at start and by `mohur migrate`. Each migration is one transaction.

import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration'
import { SettingError } from '../../settings.ts'
import type { DatabaseEngine } from './database.ts'
import { createStatements, forPostgres } from './schema.ts'

/** The database has a schema that this version does not read. */
export class SchemaError extends SettingError {
  override readonly name = 'SchemaError'
}
const newer = (migration: string) =>
  `the database was made by a newer Mohur: this version does not know its migration ${migration}. Run that version, or restore a backup from before it.`
const UNRELEASED =
  'the database was made by an unreleased version of Mohur: export what you need with that version, then start again with an empty folder or database'

/** Statements in SQLite's words. `onPostgres` replaces them if PostgreSQL can make the same change without copying a table. */
export interface Migration {
  statements: readonly string[]
  onPostgres?: readonly string[]
  /** Only for the first migration: the hash of stored-words.txt. The same tables with other words are another store. */
  words?: string
}
export type Migrations = Readonly<Record<string, Migration>>

/** The hash of test/house/stored-words.txt, which a test compares. */
const STORED_WORDS = 'b7469dd2f85bb7b4'
/** Not `0001-initial`: unreleased versions had that name, and only names are compared. */
const FIRST = '0001-schema'
/** In their order. Until 0.1.0 is released, the first is made from src/tables (migrations/README.md). */
export const migrations: Migrations = { [FIRST]: { statements: createStatements(), words: STORED_WORDS } }

/** The row of `settings` that identifies a schema made before the first migration was frozen. */
export const FINGERPRINT = 'schemaFingerprint'
const fingerprintOf = (engine: DatabaseEngine, { words = '', ...first }: Migration) =>
  createHash('sha256')
    .update([...statementsFor(engine, first), words].join(';\n'))
    .digest('hex')

const statementsFor = ({ name }: DatabaseEngine, { statements, onPostgres }: Migration) =>
  name === 'postgres' ? (onPostgres ?? statements.map(forPostgres)) : statements

/** Returns the names of the migrations that this call made. `all` is this version's, except in a test that plants one. */
export async function migrate(engine: DatabaseEngine, all: Migrations = migrations): Promise<string[]> {
  await ownMigrations(engine, all)
  const steps = Object.entries(all).map(([name, migration]) => {
    const statements = statementsFor(engine, migration)
    const fingerprint = `insert into settings (name, value) values ('${FINGERPRINT}', '${fingerprintOf(engine, migration)}')`
    return [name, name === FIRST ? [...statements, fingerprint] : statements] as const
  })
  const migrator = new Migrator({
    db: engine.migrating,
    provider: {
      getMigrations: async () =>
        Object.fromEntries(
          steps.map(([name, statements]) => [
            name,
            {
              async up(database) {
                for (const statement of statements) await sql.raw(statement).execute(database)
              },
            },
          ]),
        ),
    },
  })
  const { error, results } = await migrator.migrateToLatest()
  await ownMigrations(engine, all) // a process of another version may have been first
  if (error) throw new Error('the database could not be migrated', { cause: error })
  return (results ?? []).filter((result) => result.status === 'Success').map((result) => result.migrationName)
}

/** For a reader. Refuses a schema of another version, and changes nothing. */
export async function requireNewestSchema(engine: DatabaseEngine, all: Migrations = migrations): Promise<void> {
  const had = await ownMigrations(engine, all)
  if (had.length === 0) throw new SchemaError('the database is empty; `mohur migrate`, or a start of the service, makes its tables')
  if (had.length < Object.keys(all).length)
    throw new SchemaError('the database has the schema of an older Mohur; `mohur migrate`, or a start of the service, brings it up to date')
}

/** The migrations that a database has had; none when the database is empty. Refuses a schema that `all` cannot have made. Only reads. */
export async function ownMigrations(engine: DatabaseEngine, all: Migrations = migrations): Promise<string[]> {
  const had = await migrationsOf(engine)
  if (had.length === 0) return had
  const fingerprint = had.includes(FIRST) ? await settingOf(engine, FINGERPRINT) : undefined
  if (fingerprint !== fingerprintOf(engine, all[FIRST]!)) throw new SchemaError(UNRELEASED)
  const unknown = had.find((name) => !Object.hasOwn(all, name))
  if (unknown !== undefined) throw new SchemaError(newer(unknown))
  return had
}

async function migrationsOf({ reader }: DatabaseEngine): Promise<string[]> {
  const tables = await reader.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return []
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)} order by name`.execute(reader)
  return rows.map(({ name }) => name)
}

/** A row of `settings`, without the store's own code. */
export async function settingOf({ reader }: DatabaseEngine, name: string): Promise<string | undefined> {
  const { rows } = await sql<{ value: string }>`select value from settings where name = ${name}`.execute(reader)
  return rows[0]?.value
}
