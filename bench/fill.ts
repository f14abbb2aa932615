// Writes rows by the million through the store's own code in large transactions, as earlier orders and subscriptions would have left them.

import { join } from 'node:path'
import { openPostgres, openSqlite } from '../src/adapters/store/database.ts'
import { migrate } from '../src/adapters/store/migrate.ts'
import { SqlStore } from '../src/adapters/store/sql-store.ts'
import { Vault } from '../src/adapters/store/vault.ts'
import type { Change, Event, TaskChange } from '../src/engine/decision.ts'
import { MASTER_KEY, type Place } from './processes.ts'

const PER_TRANSACTION = 5_000

export interface Made {
  changes: readonly Change[]
  events?: readonly Event[]
  tasks?: readonly TaskChange[]
}

/** Fills a store with `count` results of `make`, and closes it. */
export async function fill(place: Place, count: number, make: (at: number) => Made): Promise<void> {
  const store = await openStore(place)
  for (let from = 0; from < count; from += PER_TRANSACTION) {
    const made = Array.from({ length: Math.min(PER_TRANSACTION, count - from) }, (_, at) => make(from + at))
    await store.transaction((transaction) =>
      transaction.write({
        changes: made.flatMap(({ changes }) => changes),
        events: made.flatMap(({ events = [] }) => events),
        tasks: made.flatMap(({ tasks = [] }) => tasks),
      }),
    )
  }
  await store.close()
}

export async function openStore({ folder, databaseUrl }: Place): Promise<SqlStore> {
  const database = databaseUrl ? openPostgres(databaseUrl) : openSqlite(join(folder, 'mohur.sqlite'))
  await migrate(database)
  return new SqlStore(database, new Vault(Buffer.from(MASTER_KEY, 'base64')))
}
