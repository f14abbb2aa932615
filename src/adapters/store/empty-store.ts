// Empties a sandbox's store in one transaction, except the rows that identify it. A store of production is refused under the same lock.

import { sql } from 'kysely'
import { RowLocked, TryAgain } from '../../engine/store.ts'
import { SettingError } from '../../settings.ts'
import { type TableName, tables } from '../../tables/tables.ts'
import { sqlName } from './codec.ts'
import type { DatabaseEngine } from './database.ts'
import { FINGERPRINT } from './migrate.ts'
import { ACCOUNT, MODE } from './mode.ts'

const ATTEMPTS_MAX = 10 // Mohur's choice: while other processes write, the database may choose this process to give way
/** Counts how often the store was emptied, so that every process on it notices (sandbox/clock.ts). */
export const RESETS = 'sandboxResets'

export async function emptyStore(engine: DatabaseEngine): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await engine.writer.transaction().execute(async (transaction) => {
        const { rows } = await sql<{ value: string }>`select value from settings where name = ${MODE}`.execute(transaction)
        if (rows[0]?.value !== 'sandbox') throw new SettingError('only a sandbox store can be reset, and this is not one')
        for (const statement of statementsFor(engine.name)) await sql.raw(statement).execute(transaction)
        await sql`
          insert into settings (name, value) values (${RESETS}, '1')
          on conflict (name) do update set value = cast(cast(settings.value as integer) + 1 as text)`.execute(transaction)
      })
    } catch (error) {
      const meaning = engine.meaningOf(error)
      if (!(meaning instanceof TryAgain || meaning instanceof RowLocked) || attempt === ATTEMPTS_MAX) throw error
    }
  }
}

/** PostgreSQL locks all tables at once. Rows that another process writes meanwhile are deleted too, or are written afterwards. */
function statementsFor(engine: DatabaseEngine['name']): string[] {
  const names = Object.keys(tables)
    .filter((table) => table !== 'settings' && !STAFF.has(table))
    .map(sqlName)
  const emptied = engine === 'postgres' ? [`truncate ${names.join(', ')}`] : names.map((name) => `delete from ${name}`)
  return [...emptied, `delete from settings where name not in ('${KEPT.join("', '")}')`]
}
/** The operator's people and their actions belong to no world. */
const STAFF: ReadonlySet<string> = new Set([
  'operators',
  'operatorTokens',
  'operatorSessions',
  'signInFailures',
  'auditLog',
] satisfies TableName[])
/** The store's identity: its mode, its schema, the key that opens it, and the account that its payments go to. */
const KEPT = ['masterKeyCheck', MODE, FINGERPRINT, RESETS, ACCOUNT]
