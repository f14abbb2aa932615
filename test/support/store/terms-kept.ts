// The sweep that keeps search terms, to its end: a look only begins it. And what it leaves behind, without running it.

import assert from 'node:assert/strict'
import { numberedOrder, placeText, SEARCH_PLACE } from '../../../src/domain/order/keep-search-terms.ts'
import type { Change } from '../../../src/engine/decision.ts'
import { type Hashing, termsIn } from '../../../src/flows/search-keys.ts'
import { searchTerms } from '../../../src/flows/search-terms-due.ts'
import { settingKey } from '../../../src/tables/keys.ts'
import type { Row } from '../../../src/tables/tables.ts'
import type { Service } from '../run/service.ts'

export async function allTermsKept({ ports }: Pick<Service, 'ports'>): Promise<void> {
  const sweep = searchTerms({ ...ports, isBusy: () => false, failed: (error) => assert.fail(error) })
  await sweep.run(ports.clock.now())
  await sweep.idle()
}

/** The terms of an order with this number, as the sweep writes them where no payer signed in. */
export const termsOfNumbered = (order: Row<'orders'>, number: number): Change[] => {
  const { mid, orderId, txnTokenIssuedAt: at } = order
  return numberedOrder({ mid, orderId, at, terms: termsIn({ ...order, payer: null }, plainHash) }, number)
}

/** The sweep's place behind an order. */
export function placeBehind({ txnTokenIssuedAt, mid, orderId }: Pick<Row<'orders'>, 'txnTokenIssuedAt' | 'mid' | 'orderId'>): Change {
  const value = placeText({ place: [txnTokenIssuedAt, mid, orderId], aheadUntil: 0, decisions: 1 })
  return { kind: 'insert', key: settingKey(SEARCH_PLACE), row: { name: SEARCH_PLACE, value } }
}

/** A hash for stores in memory, of 48 bits as the vault's. */
export const plainHash: Hashing = {
  shortHash: (purpose, text) => {
    let hash = 7
    for (const letter of `${purpose}|${text}`) hash = (hash * 31 + letter.codePointAt(0)!) % 2 ** 48
    return hash
  },
}
