// Empty stores with the newest schema, made once for a run of tests. Most services need one, and migrating takes longer than the rest of
// their start. `test/support/run/run.ts` makes them; without it each service migrates its own.

import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fromCheckout } from '../run/checkout.ts'
import { type Databases, sharedPostgres, urlVariable } from './postgres.ts'

/** The folder of the SQLite file, and part of the name of that run's database. */
export const migratedVariable = 'MOHUR_TEST_MIGRATED'
const FILE = 'mohur.sqlite'
const DATABASE = 'mohur_migrated'

export async function makeMigrated(folder: string, server: Databases | undefined) {
  const { openPostgres, openSqlite } =
    await fromCheckout<typeof import('../../../src/adapters/store/database.ts')>('src/adapters/store/database.ts')
  const { migrate } = await fromCheckout<typeof import('../../../src/adapters/store/migrate.ts')>('src/adapters/store/migrate.ts')
  mkdirSync(folder)
  const engines = [openSqlite(join(folder, FILE)), ...(server ? [openPostgres(await server.createDatabase(DATABASE))] : [])]
  for (const engine of engines) {
    await migrate(engine)
    await engine.close()
  }
}

/** Copies the file into a folder that has none. */
export function copyMigrated(folder: string) {
  const made = process.env[migratedVariable]
  if (made) copyFileSync(join(made, FILE), join(folder, FILE))
}

/** A new database, with the newest schema where the run has made one. */
export async function migratedDatabase(): Promise<string> {
  // A run on the embedded store alone has made none, and then a test of PostgreSQL itself starts its own server.
  const template = process.env[migratedVariable] && process.env[urlVariable] ? DATABASE : undefined
  return (await sharedPostgres()).createDatabase(undefined, template)
}
