// The event of a merchant's change, which `mohur merchant show` prints. The event names the source of the change and the settings, never a
// value or a key.

import { type Event, eventOf } from '../../engine/decision.ts'
import type { Merchant } from './merchant.ts'

export interface MerchantChange {
  type: 'changed' | 'disabled' | 'enabled' | 'key-rotated' | 'keys-ended' | 'key-prepared' | 'key-activated' | 'key-dropped'
  before: Merchant
  after: Omit<Merchant, 'version'>
  by: 'command' | 'plugin' | 'world file'
  /** The names of the settings, or of the key. */
  settings: readonly string[]
  now: number
}

export function changedMerchant({ type, before, after, by, settings, now }: MerchantChange): { row: Merchant; event: Event } {
  const row: Merchant = { ...after, version: before.version + 1 }
  const data = { by, settings: settings.toSorted().join(' '), feeHundredths: row.feeHundredths }
  const { mid, version } = before
  // A merchant's first event has no state before it.
  const said = { owner: mid, id: mid, before: version === 0 ? undefined : before, after: row, at: now, data }
  return { row, event: eventOf({ type: `merchant.${type}`, ...said }) }
}

/** The names of columns whose values differ, compared as the store keeps them. */
export const changedColumns = (before: Merchant, after: Partial<Merchant>): (keyof Merchant)[] =>
  (Object.keys(after) as (keyof Merchant)[]).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name])).sort()
