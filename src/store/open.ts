// From the settings to a store that is migrated and whose secrets open.

import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Store, transact } from '../engine/store.ts'
import { SettingError, type Settings } from '../settings.ts'
import { type Row, settingKey } from '../tables.ts'
import { type Engine, openPostgres, openSqlite, openSqliteBeside } from './database.ts'
import { migrate } from './migrate.ts'
import { SqlStore } from './sql-store.ts'
import { MASTER_KEY_BYTES, Vault } from './vault.ts'

export async function openStore(settings: Settings): Promise<{ store: Store; database: Engine; vault: Vault; warnings: string[] }> {
  const vault = new Vault(settings.masterKey ?? sandboxKey(settings))
  if (!settings.databaseUrl) mkdirSync(settings.dataFolder, { recursive: true, mode: 0o700 })
  const database = settings.databaseUrl ? openPostgres(settings.databaseUrl) : openSqlite(join(settings.dataFolder, 'mohur.sqlite'))
  try {
    await migrate(database)
    const store = new SqlStore(database, vault)
    await refuseAnotherKey(store, vault)
    return { store, database, vault, warnings: await database.warnings() }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** The database of a service that may be running, for questions beside it: nothing is made, migrated or written. */
export function openBeside({ databaseUrl, dataFolder }: Pick<Settings, 'databaseUrl' | 'dataFolder'>): Engine {
  if (databaseUrl) return openPostgres(databaseUrl)
  const file = join(dataFolder, 'mohur.sqlite')
  if (!existsSync(file)) throw new SettingError(`there is no database at ${file}`)
  return openSqliteBeside(file)
}

/** A database written under one master key must not be opened, and half written, under another. */
async function refuseAnotherKey(store: Store, vault: Vault) {
  const key = settingKey('masterKeyCheck')
  const value = vault.hash('masterKeyCheck', '')
  await transact(store, async (transaction) => {
    const before = (await transaction.read([key])).get(key.name) as Row<'settings'> | undefined
    if (before && before.value !== value) throw new SettingError('the master key is not the one that this database was written with')
    if (!before)
      await transaction.write({ changes: [{ kind: 'insert', key, row: { name: 'masterKeyCheck', value } }], events: [], tasks: [] })
  })
}

/** The sandbox makes its own master key at the first start, readable by its owner only. */
function sandboxKey(settings: Settings): Buffer {
  if (settings.mode === 'production')
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
