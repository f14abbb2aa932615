// Two decisions for races over rows: one inserts a row, the other locks two.

import { operation, refuse } from '../../../src/engine/decision.ts'
import { createOrder as codes } from '../../../src/interface/result-codes.ts'
import { settingKey } from '../../../src/tables/keys.ts'
import { success } from './store-contract.ts'

/** Inserts a row and refuses a second one, as Create Order does. */
export const claim = operation({
  name: 'claim',
  codes,
  reads: ({ name }: { name: string; value: string }) => ({ before: settingKey(name) }),
  decide: ({ name, value }, { before }) =>
    before ? refuse(codes.duplicateOrderId) : { ...success, changes: [{ kind: 'insert', key: settingKey(name), row: { name, value } }] },
})
/** Locks one row and then, in a further round, another. */
export const lockBoth = operation({
  name: 'lockBoth',
  codes,
  reads: ({ first }: { first: string; second: string }) => ({ one: settingKey(first) }),
  readsNext: ({ second }) => ({ two: settingKey(second) }),
  decide: ({ second }, { two }) => ({
    ...success,
    changes: [{ kind: 'update', key: settingKey(second), row: { name: second, value: `${two?.value}+` } }],
  }),
})
