// From the settings to a store that is migrated and whose secrets open.

import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Change } from '../engine/decision.ts'
import { type Store, transact } from '../engine/store.ts'
import { SettingError, type Settings } from '../settings.ts'
import { type Row, settingKey } from '../tables.ts'
import { type Engine, openPostgres, openSqlite, openSqliteBeside } from './database.ts'
import { migrate } from './migrate.ts'
import { MODE, type Mode, modeOf, refuseAnotherMode } from './mode.ts'
import { SqlStore } from './sql-store.ts'
import { MASTER_KEY_BYTES, Vault } from './vault.ts'

export interface Opened {
  store: Store
  database: Engine
  vault: Vault
  mode: Mode
  warnings: string[]
}

/** For `serve`: a store of the other mode is refused before anything is written. */
export const openStore = (settings: Settings): Promise<Opened> =>
  open(settings, (stored = settings.mode) => {
    refuseAnotherMode(stored, settings.mode)
    return stored
  })

/** For a command, which takes the store as it is, whatever mode the settings name. */
export const openInItsMode = (settings: Settings): Promise<Opened> => open(settings, (stored = settings.mode) => stored)

async function open(settings: Settings, modeFor: (stored: Mode | undefined) => Mode): Promise<Opened> {
  const mode = modeFor(await lookAtMode(settings))
  const vault = new Vault(settings.masterKey ?? sandboxKey(settings, mode))
  if (!settings.databaseUrl) mkdirSync(settings.dataFolder, { recursive: true, mode: 0o700 })
  const database = settings.databaseUrl ? openPostgres(settings.databaseUrl) : openSqlite(join(settings.dataFolder, 'mohur.sqlite'))
  try {
    await migrate(database)
    const store = new SqlStore(database, vault)
    await remember(store, vault, mode)
    return { store, database, vault, mode, warnings: await database.warnings() }
  } catch (error) {
    await database.close()
    throw error
  }
}

async function lookAtMode(settings: Settings): Promise<Mode | undefined> {
  if (!settings.databaseUrl && !existsSync(join(settings.dataFolder, 'mohur.sqlite'))) return undefined
  const database = openBeside(settings)
  try {
    return await modeOf(database)
  } finally {
    await database.close()
  }
}

/** The database of a service that may be running, for questions beside it: nothing is made, migrated or written. */
export function openBeside({ databaseUrl, dataFolder }: Pick<Settings, 'databaseUrl' | 'dataFolder'>): Engine {
  if (databaseUrl) return openPostgres(databaseUrl)
  const file = join(dataFolder, 'mohur.sqlite')
  if (!existsSync(file)) throw new SettingError(`there is no database at ${file}`)
  return openSqliteBeside(file)
}

/**
 * A database written under one master key must not be opened, and half written, under another; nor served in another mode.
 * What was looked at before may have been another process's first moment: here it is looked at under a lock.
 */
async function remember(store: Store, vault: Vault, mode: Mode) {
  const keys = { masterKeyCheck: vault.hash('masterKeyCheck', ''), [MODE]: mode }
  await transact(store, async (transaction) => {
    const before = await transaction.read(Object.keys(keys).map((name) => settingKey(name)))
    const kept = (name: string) => (before.get(settingKey(name).name) as Row<'settings'> | undefined)?.value
    if ((kept('masterKeyCheck') ?? keys.masterKeyCheck) !== keys.masterKeyCheck)
      throw new SettingError('the master key is not the one that this database was written with')
    refuseAnotherMode((kept(MODE) as Mode | undefined) ?? mode, mode)
    const changes = Object.entries(keys)
      .filter(([name]) => kept(name) === undefined)
      .map(([name, value]): Change => ({ kind: 'insert', key: settingKey(name), row: { name, value } }))
    if (changes.length > 0) await transaction.write({ changes, events: [], tasks: [] })
  })
}

/** The sandbox makes its own master key at the first start, readable by its owner only. */
function sandboxKey(settings: Settings, mode: Mode): Buffer {
  if (mode === 'production')
    throw new SettingError('MOHUR_MASTER_KEY is needed in production: 32 random bytes in base64, kept outside the database')
  mkdirSync(settings.dataFolder, { recursive: true, mode: 0o700 })
  const file = join(settings.dataFolder, 'master-key')
  try {
    writeFileSync(file, randomBytes(MASTER_KEY_BYTES).toString('base64'), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
  }
  return Buffer.from(readFileSync(file, 'utf8'), 'base64')
}
