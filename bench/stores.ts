// Both stores, each ready for one service.

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
