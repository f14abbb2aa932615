// Brings a database to the newest schema, at start and by `mohur migrate`: each migration in one transaction.

import { sql } from 'kysely'
import { DEFAULT_MIGRATION_TABLE, Migrator } from 'kysely/migration'
import { SettingError } from '../../settings.ts'
import type { DatabaseEngine } from './database.ts'
import * as initial from './migrations/0001-initial.ts'
import * as paying from './migrations/0002-paying.ts'
import * as whoMay from './migrations/0003-who-may.ts'
import * as callbackFields from './migrations/0004-callback-fields.ts'
import * as lists from './migrations/0005-lists.ts'
import * as times from './migrations/0006-times.ts'
import * as mode from './migrations/0007-mode.ts'
import * as wallets from './migrations/0008-wallets.ts'
import * as dueByKind from './migrations/0009-due-by-kind.ts'
import * as mandates from './migrations/0011-mandates.ts'
import * as authentication from './migrations/0012-authentication.ts'
import * as pages from './migrations/0013-pages.ts'
import * as pageSettings from './migrations/0014-page-settings.ts'
import * as mandatePages from './migrations/0015-mandate-pages.ts'
import * as unwanted from './migrations/0016-unwanted.ts'
import * as pageWords from './migrations/0017-page-words.ts'
import * as noNextDay from './migrations/0018-no-next-day.ts'
import * as openAtBank from './migrations/0019-open-at-bank.ts'
import * as unwantedEvents from './migrations/0020-unwanted-events.ts'
import * as operators from './migrations/0021-operators.ts'
import * as linkEvents from './migrations/0023-link-events.ts'
import * as leftCodes from './migrations/0024-left-codes.ts'
import * as supportContact from './migrations/0025-support-contact.ts'
import * as consoleTables from './migrations/0026-console.ts'
import * as realTimes from './migrations/0027-real-times.ts'
import * as refusedCancels from './migrations/0028-refused-cancels.ts'
import { forPostgres } from './schema.ts'

/** The schema is not the one that this version reads. */
export class SchemaError extends SettingError {
  override readonly name = 'SchemaError'
}
const newer = (migration: string) =>
  `the database was made by a newer Mohur: this one does not know its migration ${migration}; run that version, or put back a backup from before it`

/**
 * A migration is a list of statements in the words of SQLite, with one of PostgreSQL's own where that does the same without copying a
 * table. It never changes once it has been released.
 */
const migrations: Readonly<Record<string, { statements: readonly string[]; onPostgres?: readonly string[] }>> = {
  '0001-initial': initial,
  '0002-paying': paying,
  '0003-who-may': whoMay,
  '0004-callback-fields': callbackFields,
  '0005-lists': lists,
  '0006-times': times,
  '0007-mode': mode,
  '0008-wallets': wallets,
  '0009-due-by-kind': dueByKind,
  '0011-mandates': mandates,
  '0012-authentication': authentication,
  '0013-pages': pages,
  '0014-page-settings': pageSettings,
  '0015-mandate-pages': mandatePages,
  '0016-unwanted': unwanted,
  '0017-page-words': pageWords,
  '0018-no-next-day': noNextDay,
  '0019-open-at-bank': openAtBank,
  '0020-unwanted-events': unwantedEvents,
  '0021-operators': operators,
  '0023-link-events': linkEvents,
  '0024-left-codes': leftCodes,
  '0025-support-contact': supportContact,
  '0026-console': consoleTables,
  '0027-real-times': realTimes,
  '0028-refused-cancels': refusedCancels,
}

export async function migrate(engine: DatabaseEngine): Promise<string[]> {
  const migrator = new Migrator({
    db: engine.migrating,
    provider: {
      getMigrations: async () =>
        Object.fromEntries(
          Object.entries(migrations).map(([name, { statements, onPostgres }]) => [
            name,
            {
              async up(database) {
                const own = engine.name === 'postgres' ? (onPostgres ?? statements.map(forPostgres)) : statements
                for (const statement of own) await sql.raw(statement).execute(database)
              },
            },
          ]),
        ),
    },
  })
  const { error, results } = await migrator.migrateToLatest()
  const unknown = /previously executed migration (\S+) is missing/.exec(String((error as Error | undefined)?.message))?.[1]
  if (unknown) throw new SchemaError(newer(unknown))
  if (error) throw new Error('the database could not be migrated', { cause: error })
  return (results ?? []).filter((result) => result.status === 'Success').map((result) => result.migrationName)
}

/** For whoever only reads: a schema that is not this version's is refused in a sentence, and left as it is. */
export async function requireNewestSchema(engine: DatabaseEngine): Promise<void> {
  const had = await migrationsOf(engine)
  const unknown = had.find((name) => !Object.hasOwn(migrations, name))
  if (unknown !== undefined) throw new SchemaError(newer(unknown))
  if (had.length === 0) throw new SchemaError('the database is empty; `mohur migrate`, or a start of the service, makes its tables')
  if (had.length < Object.keys(migrations).length)
    throw new SchemaError('the database has the schema of an older Mohur; `mohur migrate`, or a start of the service, brings it up to date')
}

/** The migrations that a database has had, in order; none where it is empty. Only reads. */
export async function migrationsOf({ reader }: DatabaseEngine): Promise<string[]> {
  const tables = await reader.introspection.getTables({ withInternalKyselyTables: true })
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return []
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)} order by name`.execute(reader)
  return rows.map(({ name }) => name)
}
