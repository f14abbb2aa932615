// A store is a sandbox's or production's for good: what was made under one set of rules is never served under the other.

import { SettingError, type Settings } from '../../settings.ts'
import type { DatabaseEngine } from './database.ts'
import { settingOf } from './migrate.ts'

export type Mode = Settings['mode']
/** The row of `settings` that says it. */
export const MODE = 'mode'

/** Undefined where the store has been migrated and not yet opened. */
export const modeOf = async (database: DatabaseEngine) => (await settingOf(database, MODE)) as Mode | undefined

export function refuseAnotherMode(stored: Mode, asked: Mode) {
  if (stored !== asked)
    throw new SettingError(`this store is of the mode ${stored} and MOHUR_MODE says ${asked}: it is served with MOHUR_MODE=${stored} only`)
}
