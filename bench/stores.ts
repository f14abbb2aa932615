// Both stores, each ready for one service.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Postgres, startPostgres } from '../test/support/store/postgres.ts'
import { newFolder, type Place } from './processes.ts'

export const STORES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const
export type StoreName = keyof typeof STORES

export function storesOf(given: string): readonly StoreName[] {
  if (given === 'both') return Object.keys(STORES) as StoreName[]
  if (Object.hasOwn(STORES, given)) return [given as StoreName]
  throw new Error(`--store must be one of ${Object.keys(STORES).join(', ')}, both`)
}

/** Room for the log, as operators who expect load set it. Without it the first minutes measure how PostgreSQL makes new log files. */
const ROOM_FOR_LOG = { min_wal_size: '1GB', max_wal_size: '4GB' }

export interface Stores {
  newPlace(): Promise<Place>
  postgres: Postgres | undefined
}

/** With fsync on, as in production. `settings` are additional ones of PostgreSQL. */
export async function withStore<Result>(
  store: StoreName,
  work: (stores: Stores) => Promise<Result>,
  settings: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const postgres = store === 'postgres' ? await startPostgres({ durable: true, settings: { ...ROOM_FOR_LOG, ...settings } }) : undefined
  try {
    return await work({
      postgres,
      newPlace: async () => ({ folder: newFolder(), ...(postgres && { databaseUrl: await postgres.createDatabase() }) }),
    })
  } finally {
    await postgres?.stop()
  }
}

/** As `withStore`, for one service whose place outlives the bench in `folder`. The server's account has to reach that folder. */
export async function withKeptStore<Result>(
  store: StoreName,
  folder: string,
  work: (place: Place) => Promise<Result>,
  settings: Readonly<Record<string, string>> = {},
): Promise<Result> {
  mkdirSync(folder, { recursive: true })
  if (store === 'sqlite') return work({ folder })
  const postgres = await startPostgres({ durable: true, settings: { ...ROOM_FOR_LOG, ...settings } })
  try {
    await postgres.shutdown()
    const kept = join(folder, 'postgres')
    const isNew = !existsSync(kept)
    if (isNew && spawnSync('cp', ['-a', postgres.dataFolder, kept]).status !== 0) throw new Error(`${kept} could not be written`)
    rmSync(postgres.dataFolder, { recursive: true })
    symlinkSync(kept, postgres.dataFolder) // `stop` removes only the link
    await postgres.start()
    const databaseUrl = isNew ? await postgres.createDatabase(KEPT) : Object.assign(new URL(postgres.url), { pathname: KEPT }).href
    return await work({ folder, databaseUrl })
  } finally {
    await postgres.shutdown()
    await postgres.stop()
  }
}
const KEPT = 'kept'
