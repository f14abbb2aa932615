// A store is the sandbox's or production's for good: rows made under one set of rules are never served under the other.
// A store's payments are queried at the Cashfree account that took them. Another account knows none of them, so each payment would fail. So
// the account changes only when no payment, debit or refund is open (docs/acquirer-cashfree.md, "Settings").

import { type Store, transact } from '../../engine/store.ts'
import { SettingError, type Settings } from '../../settings.ts'
import { settingKey } from '../../tables/keys.ts'
import { find, type Row } from '../../tables/tables.ts'
import type { DatabaseEngine } from './database.ts'
import { settingOf } from './migrate.ts'
import type { Vault } from './vault.ts'

export type Mode = Settings['mode']
export const MODE = 'mode'

/** Undefined when the store has been migrated and not yet opened. */
export const modeOf = async (database: DatabaseEngine) => (await settingOf(database, MODE)) as Mode | undefined

export function refuseAnotherMode(stored: Mode, asked: Mode) {
  if (stored !== asked)
    throw new SettingError(`this store has the mode ${stored}, and MOHUR_MODE is ${asked}: set MOHUR_MODE=${stored}, or name another store`)
}

/** The row of `settings` with the account's hash. The hash is empty for any other acquirer. */
export const ACCOUNT = 'acquirerAccount'
const ASKING = ['transaction.due', 'refund.due'] as const

type AccountSettings = Pick<Settings, 'mode' | 'cashfree' | 'acquirer'>

/** The hash of the account at Cashfree; empty for any other acquirer. Undefined when no acquirer is connected. */
const accountOf = (vault: Vault, { mode, cashfree, acquirer }: AccountSettings) =>
  cashfree ? vault.hash(ACCOUNT, `${mode}:${cashfree.clientId}`) : mode === 'production' && !acquirer ? undefined : ''

/** For a command that calls the acquirer. Only the service may change the account. */
export async function requireAccount(store: Store, vault: Vault, settings: AccountSettings) {
  const account = accountOf(vault, settings)
  const kept = (await store.query.row(settingKey(ACCOUNT)))?.value ?? ''
  if (account !== undefined && account !== kept)
    throw new SettingError(`MOHUR_CASHFREE_CLIENT_ID ${differenceOf(kept, account)}: run the command with the settings of the service`)
}

/** Stores the hash of mode and client id. Refuses another account while payments, debits or refunds are open. */
export async function bindAccount(store: Store, vault: Vault, settings: AccountSettings) {
  const account = accountOf(vault, settings)
  if (account === undefined) return
  const key = settingKey(ACCOUNT)
  await transact(store, async (transaction) => {
    const row = (await transaction.read([key])).get(key.name) as Row<'settings'> | undefined
    const before = row?.value ?? ''
    if (before === account) return
    const asking = find('tasks', { in: { column: 'task', values: [...ASKING] }, limit: 1, unopened: true })
    // A debit in flight has no task: its cycle's own time says when the acquirer is asked.
    const debits = find('collections', {
      equals: { status: 'IN_FLIGHT' },
      atMost: { nextAt: Number.MAX_SAFE_INTEGER },
      limit: 1,
      unopened: true,
    })
    const open = [...(await transaction.find(asking)), ...(await transaction.find(debits))]
    if (open.length > 0) throw new SettingError(refusal(before, account))
    const change = { kind: row ? ('update' as const) : ('insert' as const), key, row: { name: ACCOUNT, value: account } }
    await transaction.write({ changes: [change], events: [], tasks: [] })
  })
}

const differenceOf = (before: string, account: string) =>
  before === '' ? 'is new' : account === '' ? 'is gone' : 'names another account than before'

function refusal(before: string, account: string): string {
  return `MOHUR_CASHFREE_CLIENT_ID ${differenceOf(before, account)}, but payments, debits or refunds are still open at the acquirer before it, and no other knows them. Run with its settings until the service no longer asks about any: pending ones (\`mohur order pending\`), and failed ones for a day or longer.`
}
