// Rows in their million, written through the store's own code in large transactions, as orders and subscriptions that
// happened before the measurement would have left them.

import { join } from 'node:path'
import type { Change, Event } from '../src/engine/decision.ts'
import { openPostgres, openSqlite } from '../src/store/database.ts'
import { migrate } from '../src/store/migrate.ts'
import { SqlStore } from '../src/store/sql-store.ts'
import { Vault } from '../src/store/vault.ts'
import { MASTER_KEY, type Place } from './processes.ts'

const PER_TRANSACTION = 5_000

export async function fill(
  { folder, databaseUrl }: Place,
  count: number,
  make: (at: number) => { change: Change; event: Event },
): Promise<void> {
  const database = databaseUrl ? openPostgres(databaseUrl) : openSqlite(join(folder, 'mohur.sqlite'))
  await migrate(database)
  const store = new SqlStore(database, new Vault(Buffer.from(MASTER_KEY, 'base64')))
  for (let from = 0; from < count; from += PER_TRANSACTION) {
    const made = Array.from({ length: Math.min(PER_TRANSACTION, count - from) }, (_, at) => make(from + at))
    await store.transaction((transaction) =>
      transaction.write({ changes: made.map(({ change }) => change), events: made.map(({ event }) => event), tasks: [] }),
    )
  }
  await store.close()
}
