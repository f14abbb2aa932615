// An operator changes a merchant: its settings, and whether it takes new orders and payments (docs/decisions/0027). Each change writes an
// event. The event names the settings, but not their values, which may be secrets.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { lock } from '../../tables/tables.ts'
import type { Merchant } from './merchant.ts'
import { changedColumns, changedMerchant } from './merchant-event.ts'

const codes = ownCodes('changeMerchant', 'changed', 'same', 'unknown', 'stale')

export interface ChangeMerchant {
  mid: string
  /** The row's version from which the settings were made; absent where they depend on nothing before. */
  version?: number
  settings: Partial<Omit<Merchant, 'mid' | 'version'>>
  by: 'command'
  now: number
}

export const changeMerchant = operation({
  name: 'changeMerchant',
  codes,
  reads: ({ mid }: ChangeMerchant) => ({ before: lock('merchants', mid) }),
  decide({ mid, version, settings, by, now }, { before }) {
    if (!before) return { ...NOTHING, reply: { result: codes.unknown } }
    if (version !== undefined && version !== before.version) return { ...NOTHING, reply: { result: codes.stale } }
    const names = changedColumns(before, settings)
    if (names.length === 0) return { ...NOTHING, reply: { result: codes.same } }
    const after = { ...before, ...settings }
    const type = after.status === before.status ? 'changed' : after.status === 'DISABLED' ? 'disabled' : 'enabled'
    const { row, event } = changedMerchant({ type, before, after, by, settings: names, now })
    return {
      reply: { result: codes.changed, body: { names } },
      changes: [{ kind: 'update', key: lock('merchants', mid), row }],
      events: [event],
      tasks: [],
    }
  },
})
