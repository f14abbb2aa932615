// One number at many merchants: each of them is tried, and a cut is reported and keeps the first merchants.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Change } from '../../src/engine/decision.ts'
import { FOUND_MAX, findOrders } from '../../src/flows/orders-by-number.ts'
import { search } from '../../src/flows/search-by-text.ts'
import { merchantKey, subscriptionKey } from '../../src/tables/keys.ts'
import type { Row } from '../../src/tables/tables.ts'
import { onBothStores } from '../support/run/service.ts'
import { anOrder, aRefund, aTransaction } from '../support/store/listed-rows.ts'
import { anyRow } from '../support/store/store-contract.ts'
import { openStore } from '../support/store/stores.ts'
import { plainHash } from '../support/store/terms-kept.ts'

const AT = Date.parse('2026-06-15T10:00:00+05:30')
const [MERCHANTS, NUMBER] = [300, '1001']
const LEGAL = { renewalAmountPaise: 2, startDate: '2026-06-15', expiryDate: '2027-06-15' } // as the table's checks demand
const midOf = (nth: number) => `SHOP${String(nth).padStart(3, '0')}`
const mids = Array.from({ length: MERCHANTS }, (_, nth) => midOf(nth))

onBothStores('a number of many merchants', (name) => {
  test('an id is tried at each merchant, also beyond the hundredth, and a cut says so', async () => {
    const { store, close } = await openStore(name)
    const write = (changes: readonly Change[]) => store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
    // From the last merchant to the first, so that the order of the rows is not that of the merchants.
    const merchants = mids.map((mid): Change => {
      const row = { ...(anyRow('merchants', 1) as Row<'merchants'>), mid }
      return { kind: 'insert', key: merchantKey(mid), row }
    })
    await write(merchants.toReversed())
    await write([aTransaction({ mid: midOf(299), txnId: NUMBER, orderId: 'PAID', initiatedAt: AT })])
    await write([aRefund({ mid: midOf(298), refId: NUMBER, orderId: 'BACK', requestedAt: AT })])
    const named = async () => {
      const { orders, isCut, tooMany } = await findOrders(store.query, NUMBER, null)
      return { found: orders.map(({ mid, orderId }) => `${mid} ${orderId}`), isCut, tooMany }
    }
    assert.deepEqual(await named(), { found: ['SHOP298 BACK', 'SHOP299 PAID'], isCut: false, tooMany: false })
    const orders = mids.slice(0, FOUND_MAX + 1).map((mid) => anOrder({ mid, orderId: NUMBER, txnTokenIssuedAt: AT }))
    await write(orders.slice(3).toReversed())
    const wanted = mids.slice(3, FOUND_MAX + 1).map((mid) => `${mid} ${NUMBER}`)
    assert.deepEqual(await named(), { found: [...wanted, 'SHOP298 BACK', 'SHOP299 PAID'], isCut: false, tooMany: false })
    await write(orders.slice(0, 3).toReversed())
    assert.deepEqual(await named(), { found: mids.slice(0, FOUND_MAX).map((mid) => `${mid} ${NUMBER}`), isCut: true, tooMany: false })
    const subscriptions = mids.slice(0, FOUND_MAX + 1).map((mid): Change => {
      const row = { ...(anyRow('subscriptions', 2) as Row<'subscriptions'>), ...LEGAL, mid, subscriptionId: 'PLAN' }
      return { kind: 'insert', key: subscriptionKey(mid, 'PLAN'), row }
    })
    const plans = async () => {
      const { hits, isCut } = await search(store.query, plainHash, { typed: 'PLAN', mids: null, limit: 50 })
      return { mids: hits.map(({ mid }) => mid), isCut }
    }
    await write(subscriptions.slice(1).toReversed())
    assert.deepEqual(await plans(), { mids: mids.slice(1, FOUND_MAX + 1), isCut: false })
    await write(subscriptions.slice(0, 1))
    assert.deepEqual(await plans(), { mids: mids.slice(0, FOUND_MAX), isCut: true })
    await close()
  })
})
