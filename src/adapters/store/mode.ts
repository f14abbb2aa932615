// A store is a sandbox's or production's for good: what was made under one set of rules is never served under the other.

import { sql } from 'kysely'
import type { Settings } from '../../settings.ts'
import { SettingError } from '../../settings.ts'
import type { DatabaseEngine } from './database.ts'
import { migrationsOf } from './migrate.ts'
import { modeFromBefore } from './migrations/0007-mode.ts'

export type Mode = Settings['mode']
/** The row of `settings` that says it. */
export const MODE = 'mode'

/** As it stands beside the store's own code, of any version; undefined where there is none. */
export async function settingOf(database: DatabaseEngine, name: string): Promise<string | undefined> {
  if ((await migrationsOf(database)).length === 0) return undefined
  const { rows } = await sql<{ value: string }>`select value from settings where name = ${name}`.execute(database.reader)
  return rows[0]?.value
}

/** The mode of a store, of one from before modes were remembered too; undefined where there is none yet. Only reads. */
export async function modeOf(database: DatabaseEngine): Promise<Mode | undefined> {
  if ((await migrationsOf(database)).length === 0) return undefined
  const stored = (await settingOf(database, MODE)) as Mode | undefined
  return stored ?? (await sql.raw<{ value: Mode }>(modeFromBefore).execute(database.reader)).rows[0]?.value
}

export function refuseAnotherMode(stored: Mode, asked: Mode) {
  if (stored !== asked)
    throw new SettingError(`this store is of the mode ${stored} and MOHUR_MODE says ${asked}: it is served with MOHUR_MODE=${stored} only`)
}
