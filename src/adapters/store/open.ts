// Opens the store of the settings: migrated, and under the master key that opens its secrets.

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SystemClock } from '../../engine/clock.ts'
import type { Change, Query } from '../../engine/decision.ts'
import { type Store, transact } from '../../engine/store.ts'
import { SettingError, type Settings } from '../../settings.ts'
import { settingKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { type DatabaseEngine, openPostgres, openSqlite, openSqliteBeside } from './database.ts'
import { ownFolder, restrictToOwner } from './files.ts'
import { migrate, ownMigrations, requireNewestSchema, settingOf } from './migrate.ts'
import { bindAccount, MODE, type Mode, modeOf, refuseAnotherMode } from './mode.ts'
import { SqlStore } from './sql-store.ts'
import { MASTER_KEY_BYTES, Vault } from './vault.ts'

export class AbsentError extends SettingError {
  override readonly name = 'AbsentError'
}

export interface OpenedStore {
  store: Store
  database: DatabaseEngine
  vault: Vault
  mode: Mode
  warnings: string[]
}

/** For `serve`. Refuses a store of the other mode before anything is written, and another acquirer while payments are open. */
export const openStore = (settings: Settings): Promise<OpenedStore> =>
  open(
    settings,
    (stored = settings.mode) => {
      refuseAnotherMode(stored, settings.mode)
      return stored
    },
    (store, vault) => bindAccount(store, vault, settings),
  )

/** For a command. Opens the store in the store's own mode, even if the settings name another mode. */
export const openInItsMode = (settings: Settings): Promise<OpenedStore> => open(settings, (stored = settings.mode) => stored)

async function open(
  settings: Settings,
  modeFor: (stored: Mode | undefined) => Mode,
  bind?: (store: Store, vault: Vault) => Promise<void>,
): Promise<OpenedStore> {
  const stored = await lookAt(settings)
  const mode = modeFor(stored.mode)
  requireKey(settings, mode)
  // Before any migration, so that a store under another key is not changed.
  if (stored.keyCheck !== undefined) refuseAnotherKey(stored.keyCheck, new Vault(settings.masterKey ?? readKey(keyFile(settings))))
  const warnings = settings.databaseUrl && settings.masterKey ? [] : ownFolder(settings.dataFolder)
  const vault = new Vault(settings.masterKey ?? sandboxKey(settings))
  const database = settings.databaseUrl ? openPostgres(settings.databaseUrl) : openSqlite(join(settings.dataFolder, 'mohur.sqlite'))
  try {
    await migrate(database)
    const store = new SqlStore(database, vault)
    await remember(store, vault, mode)
    await bind?.(store, vault)
    return { store, database, vault, mode, warnings: [...warnings, ...(await database.warnings(new SystemClock()))] }
  } catch (error) {
    await database.close()
    throw error
  }
}

/**
 * The mode and the key check of a store; empty when there is no store yet. Another version's schema is refused before the store is opened
 * to write.
 */
async function lookAt(settings: Settings): Promise<{ mode?: Mode; keyCheck?: string }> {
  if (!settings.databaseUrl && !existsSync(join(settings.dataFolder, 'mohur.sqlite'))) return {}
  const database = beside(settings)
  try {
    if ((await ownMigrations(database)).length === 0) return {}
    const [mode, keyCheck] = [await modeOf(database), await settingOf(database, KEY_CHECK)]
    return { ...(mode && { mode }), ...(keyCheck !== undefined && { keyCheck }) }
  } finally {
    await database.close()
  }
}

/** The database of a service that may be running, for questions beside it. Nothing is made, migrated or written. */
export async function openBeside({ databaseUrl, dataFolder }: Pick<Settings, 'databaseUrl' | 'dataFolder'>): Promise<DatabaseEngine> {
  const database = beside({ databaseUrl, dataFolder })
  try {
    await requireNewestSchema(database)
    return database
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Opens the database of `openBeside` and its rows, for a command that only reads. The master key must be that of the database. */
export async function reading<T>(settings: Settings, work: (reader: { query: Query; mode: Mode }) => Promise<T>): Promise<T> {
  const database = await openBeside(settings)
  try {
    const mode = (await modeOf(database)) ?? settings.mode
    requireKey(settings, mode)
    const vault = new Vault(settings.masterKey ?? readKey(keyFile(settings)))
    const { query } = new SqlStore(database, vault)
    refuseAnotherKey((await query.row(settingKey(KEY_CHECK)))?.value, vault)
    return await work({ query, mode })
  } finally {
    await database.close()
  }
}

function beside({ databaseUrl, dataFolder }: Pick<Settings, 'databaseUrl' | 'dataFolder'>): DatabaseEngine {
  if (databaseUrl) return openPostgres(databaseUrl, { readOnly: true })
  const file = join(dataFolder, 'mohur.sqlite')
  if (!existsSync(file))
    throw new AbsentError(
      `there is no database at ${file}: is MOHUR_DATA right? The first \`mohur migrate\` or \`mohur merchant add\` makes one`,
    )
  return openSqliteBeside(file)
}

const KEY_CHECK = 'masterKeyCheck'
const checkOf = (vault: Vault) => vault.hash(KEY_CHECK, '')

function refuseAnotherKey(stored: string | undefined, vault: Vault) {
  if (stored !== undefined && stored !== checkOf(vault))
    throw new SettingError(
      'the master key is not the one that wrote this database: set MOHUR_MASTER_KEY to that key, because no other opens it',
    )
}

/**
 * Stores the key check and the mode, and refuses a store that has others. A database must not be half written under another master key, nor
 * served in another mode. `lookAt` may have run while another process was just making the store. So this checks again, under a lock.
 */
async function remember(store: Store, vault: Vault, mode: Mode) {
  const keys = { [KEY_CHECK]: checkOf(vault), [MODE]: mode }
  await transact(store, async (transaction) => {
    const before = await transaction.read(Object.keys(keys).map((name) => settingKey(name)))
    const kept = (name: string) => (before.get(settingKey(name).name) as Row<'settings'> | undefined)?.value
    refuseAnotherKey(kept(KEY_CHECK), vault)
    refuseAnotherMode((kept(MODE) as Mode | undefined) ?? mode, mode)
    const changes = Object.entries(keys)
      .filter(([name]) => kept(name) === undefined)
      .map(([name, value]): Change => ({ kind: 'insert', key: settingKey(name), row: { name, value } }))
    if (changes.length > 0) await transaction.write({ changes, events: [], tasks: [] })
  })
}

function requireKey({ masterKey }: Settings, mode: Mode) {
  if (mode === 'production' && !masterKey)
    throw new SettingError(
      'MOHUR_MASTER_KEY is needed in production: 32 random bytes in base64, kept outside the database. An existing store opens only with its own key.',
    )
}

const keyFile = ({ dataFolder }: Settings) => join(dataFolder, 'master-key')

/** The sandbox makes its own master key at the first start, readable only by its owner. */
function sandboxKey(settings: Settings): Buffer {
  const file = keyFile(settings)
  try {
    // The key is on the disk before anything is sealed under it.
    writeFileSync(file, randomBytes(MASTER_KEY_BYTES).toString('base64'), { mode: 0o600, flag: 'wx', flush: true })
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error
    restrictToOwner(file)
  }
  return readKey(file)
}

function readKey(file: string): Buffer {
  if (!existsSync(file)) throw new SettingError(`MOHUR_MASTER_KEY is needed: the sandbox has no key of its own at ${file}`)
  const key = Buffer.from(readFileSync(file, 'utf8'), 'base64')
  if (key.length !== MASTER_KEY_BYTES) throw new SettingError(`${file} does not hold a master key (${MASTER_KEY_BYTES} bytes in base64)`)
  return key
}
