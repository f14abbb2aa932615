// What an operator changes of a merchant: settings, and whether new orders and payments are taken (docs/decisions/0027). Each change has an
// event that names the settings and not their values, which may be secrets.

import { eventOf, NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { lock } from '../../tables/tables.ts'
import type { Merchant } from './merchant.ts'

const codes = ownCodes('changeMerchant', 'changed', 'same', 'unknown')

export interface ChangeMerchant {
  mid: string
  /** Of these columns alone. */
  settings: Partial<Omit<Merchant, 'mid' | 'version'>>
  /** Who wanted it. */
  by: 'command'
  now: number
}

export const changeMerchant = operation({
  name: 'changeMerchant',
  codes,
  reads: ({ mid }: ChangeMerchant) => ({ before: lock('merchants', mid) }),
  decide({ mid, settings, by, now }, { before }) {
    if (!before) return { ...NOTHING, reply: { result: codes.unknown } }
    const names = Object.entries(settings).flatMap(([name, value]) => (isSame(before[name as keyof Merchant], value) ? [] : [name]))
    if (names.length === 0) return { ...NOTHING, reply: { result: codes.same } }
    const after: Merchant = { ...before, ...settings, version: before.version + 1 }
    const data = { by, settings: names.sort().join(' '), feeHundredths: after.feeHundredths }
    const type = after.status === before.status ? 'changed' : after.status === 'DISABLED' ? 'disabled' : 'enabled'
    return {
      reply: { result: codes.changed, body: { names } },
      changes: [{ kind: 'update', key: lock('merchants', mid), row: after }],
      // What was before the first event no event says.
      events: [
        eventOf({ type: `merchant.${type}`, owner: mid, id: mid, before: before.version === 0 ? undefined : before, after, at: now, data }),
      ],
      tasks: [],
    }
  },
})

/** As the store keeps them. */
const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
