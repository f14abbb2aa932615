// Search by what a caller reads out, over HTTP-made orders on both stores: found aside, within scope, by every way to write it.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Aside, openAside } from '../../src/adapters/store/aside/aside.ts'
import type { Query } from '../../src/engine/decision.ts'
import { Unopened, Unreachable } from '../../src/engine/store.ts'
import { parseRupees, type Search, search, UNREADABLE } from '../../src/flows/search-by-text.ts'
import { searchReach } from '../../src/flows/search-keys.ts'
import { find } from '../../src/tables/tables.ts'
import { CARD, createOrder, pay } from '../support/paying/paying.ts'
import { OTHER_MID } from '../support/paying/promotions.ts'
import { MID, onBothStores, type Service, startService } from '../support/run/service.ts'
import { orderToPay, receiveAt, validateAt } from '../support/signin/tokens.ts'
import { allTermsKept } from '../support/store/terms-kept.ts'

const MINUTE_MS = 60_000

/** The work that a look begins, to its end. */
async function written(service: Service) {
  await service.tasks.runDue()
  await allTermsKept(service)
}

onBothStores('search', (store) => {
  let service: Service
  let aside: Aside
  let query: Query
  const asked = (typed: string, more: Partial<Search> = {}) => search(query, service.ports.vault, { typed, mids: null, limit: 50, ...more })
  const orderIds = async (typed: string, more?: Partial<Search>) => (await asked(typed, more)).hits.map(({ orderId }) => orderId)

  before(async () => {
    service = await startService(store)
    aside = openAside(service.place, service.ports.vault)
    query = aside.query
    const userInfo = { custId: 'CUST_search', mobile: '9876543210', email: 'Payer@Example.test' }
    const first = await createOrder(service, 'SEARCH_1', { userInfo })
    await createOrder(service, 'SEARCH_2', { userInfo: { custId: 'CUST_other', mobile: '9876543210' } })
    await pay(service, first, CARD)
    service.clock.advance(2 * MINUTE_MS)
    await createOrder(service, 'SEARCH_LATE', { userInfo })
    await written(service)
  })

  after(async () => {
    await aside.close()
    await service.close()
  })

  test('an order is found by each way to write its customer, mobile number and e-mail address', async () => {
    for (const typed of ['CUST_search', ' CUST_search ', 'payer@example.test', 'PAYER@EXAMPLE.TEST'])
      assert.deepEqual(await orderIds(typed), ['SEARCH_1'], typed)
    for (const typed of ['9876543210', '+91 98765 43210', '098765-43210', '919876543210'])
      assert.deepEqual((await orderIds(typed)).sort(), ['SEARCH_1', 'SEARCH_2'], typed)
    assert.deepEqual(await orderIds('cust_search'), [], 'customers are told apart by case, as merchants do')
  })

  test('an order is found at once by its id, its payment and the bank’s number, paid or not', async () => {
    assert.deepEqual(await orderIds('SEARCH_LATE'), ['SEARCH_LATE'])
    const [transaction] = await query.rows(find('transactions', { equals: { mid: MID, orderId: 'SEARCH_1' }, limit: 1 }))
    const { hits } = await asked(transaction!.txnId)
    assert.deepEqual(hits, [{ kind: 'payment', by: 'transaction', mid: MID, orderId: 'SEARCH_1', id: transaction!.txnId }])
    assert.deepEqual(await orderIds(transaction!.bankTxnId!), ['SEARCH_1'])
  })

  test('orders of merchants out of scope are not found by anything', async () => {
    for (const typed of ['SEARCH_1', 'CUST_search', '9876543210']) {
      assert.deepEqual(await orderIds(typed, { mids: [OTHER_MID] }), [], typed)
      assert.deepEqual(await orderIds(typed, { mids: [] }), [], typed)
      assert.ok((await orderIds(typed, { mids: [MID, OTHER_MID] })).includes('SEARCH_1'), typed)
    }
  })

  test('a portion of a customer’s orders goes on where the last one ended', async () => {
    const { hits, next } = await asked('9876543210', { limit: 1 })
    assert.equal(hits.length, 1)
    const rest = await asked('9876543210', { limit: 1, after: next! })
    assert.deepEqual([hits[0]!.orderId, rest.hits[0]!.orderId].sort(), ['SEARCH_1', 'SEARCH_2'])
    assert.equal(rest.next, undefined)
  })

  /** Reads of this order fail. */
  const failing = (orderId: string, error: Error): Query => ({
    ...query,
    row: async (key) => {
      if (key.table === 'orders' && key.id.includes(orderId)) throw error
      return query.row(key)
    },
  })

  test('an order that cannot be opened is found by its terms all the same, and does not lead there by itself', async () => {
    const sealed = failing('SEARCH_2', new Unopened('it does not open'))
    const by = async (typed: string) =>
      (await search(sealed, service.ports.vault, { typed, mids: null, limit: 50 })).hits.map((hit) => `${hit.orderId} by ${hit.by}`)
    assert.deepEqual(await by('CUST_other'), ['SEARCH_2 by customer'])
    assert.deepEqual((await by('9876543210')).toSorted(), ['SEARCH_1 by mobile number', `SEARCH_2 by ${UNREADABLE}`])
  })

  test('a store that cannot be read makes no order unreadable: the search fails', async () => {
    const away = new Unreachable('too many questions are waiting')
    const asked = search(failing('SEARCH_2', away), service.ports.vault, { typed: '9876543210', mids: null, limit: 50 })
    await assert.rejects(asked, away)
  })

  test('the terms of an order are written once, a minute after it was made, and no term stands in the clear', async () => {
    assert.ok((await searchReach(query, service.clock.now())).until <= service.clock.now() - MINUTE_MS)
    const orders = await query.rows(find('searchOrders', { orderBy: ['number'], limit: 1_000 }))
    assert.deepEqual(orders.map(({ orderId, number }) => [number, orderId]).toSorted(), [
      [0, 'SEARCH_1'],
      [1, 'SEARCH_2'],
    ])
    const terms = await query.rows(find('searchTerms', { limit: 1_000 }))
    assert.equal(terms.length, 5, 'customer, mobile number and e-mail address of one, two of the other')
    assert.equal((await query.rows(find('merchantOrders', { equals: { mid: MID }, limit: 1_000 }))).length, 2)
    assert.doesNotMatch(JSON.stringify([orders, terms]), /9876543210|example|CUST_/i)
    service.clock.advance(MINUTE_MS)
    await written(service)
    assert.equal((await orderIds('CUST_search')).length, 2)
  })

  test('an order is found by the number with which its payer signs in: at once, and once', async () => {
    const order = await orderToPay(service, 'SEARCH_SIGNED')
    service.clock.advance(2 * MINUTE_MS)
    await written(service)
    const otp = await receiveAt(service, order, '9999900007')
    await validateAt(service, order, 'wrong!')
    assert.deepEqual(await orderIds('9999900007'), [], 'a number that is not proven leads nowhere')
    assert.equal((await validateAt(service, order, otp)).body['authenticated'], true)
    assert.deepEqual(await orderIds('99999 00007'), ['SEARCH_SIGNED'])
    // Again, and at an order whose other terms are not kept yet.
    assert.equal((await validateAt(service, order, await receiveAt(service, order, '9999900007'))).body['authenticated'], true)
    const young = await orderToPay(service, 'SEARCH_YOUNG')
    assert.equal((await validateAt(service, young, await receiveAt(service, young, '9999900007'))).body['authenticated'], true)
    assert.deepEqual(await orderIds('9999900007'), ['SEARCH_YOUNG', 'SEARCH_SIGNED'])
    service.clock.advance(2 * MINUTE_MS)
    await written(service)
    assert.deepEqual(await orderIds('9999900007'), ['SEARCH_YOUNG', 'SEARCH_SIGNED'])
  })

  test('an order whose customer id is a mobile number is found by each way to write that number', async () => {
    await createOrder(service, 'SEARCH_NUMBER', { userInfo: { custId: '9812345670' } })
    service.clock.advance(2 * MINUTE_MS)
    await written(service)
    for (const typed of ['9812345670', '+91 98123 45670', '09812345670'])
      assert.deepEqual((await asked(typed)).hits, [{ kind: 'order', by: 'customer', mid: MID, orderId: 'SEARCH_NUMBER' }], typed)
  })
})

test('a text is an amount only where it says so', () => {
  const amounts = { '₹499': 49_900, '499.00': 49_900, '₹ 1,499.5': 149_950, 'Rs. 20': 2_000, '₹1,00,000': 10_000_000, 'INR 7.05': 705 }
  for (const [typed, paise] of Object.entries(amounts)) assert.equal(parseRupees(typed), paise, typed)
  for (const typed of ['499', '9876543210', '4.999', '-₹5', '₹', '1.2.3', '1,50', '₹1,50', '₹,5', '₹12,34.00', '₹₹5', 'CUST_1'])
    assert.equal(parseRupees(typed), undefined, typed)
})
