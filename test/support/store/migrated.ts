// Stores with the newest schema and nothing in them, made once for a run of tests: most services need one, and to migrate takes
// longer than all the rest of their start. `test/support/run/run.ts` makes them; without it each service migrates its own.

import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fromCheckout } from '../run/checkout.ts'
import { type Databases, sharedPostgres, urlVariable } from './postgres.ts'

/** The folder of the SQLite file; in the name of the database of the same run. */
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

/** Puts the file into a folder that has none. */
export function copyMigrated(folder: string) {
  const made = process.env[migratedVariable]
  if (made) copyFileSync(join(made, FILE), join(folder, FILE))
}

/** A database of one's own, with the newest schema where the run has made one. */
export async function migratedDatabase(): Promise<string> {
  // A run on the embedded store alone has made none, and a test of PostgreSQL itself then starts a server of its own.
  const template = process.env[migratedVariable] && process.env[urlVariable] ? DATABASE : undefined
  return (await sharedPostgres()).createDatabase(undefined, template)
}
