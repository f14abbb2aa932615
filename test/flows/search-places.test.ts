// What may go wrong beside the search sweep. Its place is torn, gone, behind or ahead. An order cannot be opened. Two customers share a term.
// A payer signs in while the sweep reads. Each order is found all the same, and none is written twice.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeIn, placeText, SEARCH_PLACE } from '../../src/domain/order/keep-search-terms.ts'
import type { Change, Query } from '../../src/engine/decision.ts'
import { MemoryStore } from '../../src/engine/memory-store.ts'
import { search, UNREADABLE } from '../../src/flows/search-by-text.ts'
import { searchReach, termsIn } from '../../src/flows/search-keys.ts'
import { merchantKey, settingKey } from '../../src/tables/keys.ts'
import { type Find, find, type Row, type TableName } from '../../src/tables/tables.ts'
import { onBothStores } from '../support/run/service.ts'
import { anyRow } from '../support/store/store-contract.ts'
import { openStore, type TestStore } from '../support/store/stores.ts'
import { MINUTE_MS, Sweeping } from '../support/store/sweeping.ts'
import { plainHash } from '../support/store/terms-kept.ts'

const BEGAN = Date.parse('2026-06-15T10:00:00+05:30')
const [ORDERS, SECOND_MS, HOUR_MS] = [250, 1_000, 3_600_000]
const MID = 'SHOP1'
const MOBILE = '9876543210'

const merchant: Change = {
  kind: 'insert',
  key: merchantKey(MID),
  row: { ...(anyRow('merchants', 1) as Row<'merchants'>), mid: MID },
}

/** Swept whole, and two minutes later. */
async function swept(name: TestStore['name']) {
  const opened = await openStore(name)
  const sweeping = new Sweeping(opened.store, BEGAN)
  await sweeping.write([merchant])
  const orders = Array.from({ length: ORDERS }, (_, at) =>
    sweeping.order(MID, `O${String(at).padStart(4, '0')}`, BEGAN - HOUR_MS + at * SECOND_MS, { custId: `C${at % 100}`, mobile: MOBILE }),
  )
  await sweeping.create(...orders)
  await sweeping.sweep()
  sweeping.at += 2 * MINUTE_MS
  return { ...opened, sweeping, orders }
}

const placed = async (query: Query) => placeIn((await query.row(settingKey(SEARCH_PLACE)))!.value)!

/** Orders that were not written as they should be: all of their terms, and one line in the merchant's list. */
async function wrong(query: Query, orders: readonly Row<'orders'>[]): Promise<string[]> {
  const numbered = await query.rows(find('searchOrders', { limit: 10_000 }))
  const terms = [
    ...(await query.rows(find('searchTerms', { limit: 10_000 }))).map(({ number, term }) => ({
      orderId: numbered.find((each) => each.number === number)?.orderId,
      term,
    })),
    ...(await query.rows(find('lateTerms', { limit: 10_000 }))),
  ]
  const listed = await query.rows(find('merchantOrders', { limit: 10_000 }))
  return orders.flatMap((order) => {
    const own = terms.filter(({ orderId }) => orderId === order.orderId).map(({ term }) => term)
    const isRight = JSON.stringify(own.toSorted()) === JSON.stringify([...termsIn(order, plainHash)].toSorted())
    return isRight && listed.filter(({ orderId }) => orderId === order.orderId).length === 1 ? [] : [order.orderId]
  })
}

const found = async (query: Query, typed: string) =>
  (await search(query, plainHash, { typed, mids: null, limit: 1_000 })).hits.map(({ orderId, by }) => `${orderId} by ${by}`)

test('a sweep of many portions reads its place once, and once more for the audit', async () => {
  const [store, PORTIONS] = [new MemoryStore(), 10]
  let reads = 0
  const query: Query = {
    ...store.query,
    row: async (key) => {
      if (key.table === 'settings') reads++
      return store.query.row(key)
    },
  }
  const sweeping = new Sweeping(store, BEGAN, { query })
  await sweeping.write([merchant])
  await sweeping.create(
    ...Array.from({ length: 100 * PORTIONS }, (_, at) => sweeping.order(MID, `O${at}`, BEGAN - HOUR_MS + at * SECOND_MS, { custId: 'C' })),
  )
  await sweeping.sweep()
  assert.equal((await store.query.rows(find('searchOrders', { limit: 10_000 }))).length, 100 * PORTIONS)
  assert.equal(reads, 2)
})

onBothStores('beside the search sweep', (name) => {
  const places: Readonly<Record<string, string | undefined>> = {
    torn: '[17',
    'of another form': JSON.stringify({ at: 1 }),
    gone: undefined,
    'that of the first order': placeText({ place: [BEGAN - HOUR_MS, MID, 'O0000'], aheadUntil: 0, decisions: 1 }),
    'an hour behind all orders': placeText({ place: [BEGAN - 2 * HOUR_MS, MID, ''], aheadUntil: 0, decisions: 1 }),
    'a day ahead': placeText({ place: [BEGAN + 24 * HOUR_MS, MID, ''], aheadUntil: 0, decisions: 1 }),
  }
  for (const [what, value] of Object.entries(places))
    test(`a place that is ${what}: later orders are found, earlier ones once, and numbers go on`, async () => {
      const { store, sweeping, orders, run, close } = await swept(name)
      await run(`delete from settings where name = '${SEARCH_PLACE}'`)
      if (value !== undefined) await run(`insert into settings (name, value) values ('${SEARCH_PLACE}', '${value}')`)
      assert.ok((await searchReach(store.query, sweeping.at)).until <= sweeping.at - MINUTE_MS)
      const later = [0, 1, 2].map((nth) => sweeping.order(MID, `LATER${nth}`, sweeping.at + nth, { custId: 'CLATER' }))
      await sweeping.create(...later)
      sweeping.at += 2 * MINUTE_MS
      await sweeping.sweep()
      assert.deepEqual(await wrong(store.query, [...orders, ...later]), [])
      // Behind a place that was ahead, the audit finds the orders that the sweep never came by. They get no numbers.
      const isAhead = what === 'a day ahead'
      assert.equal((await store.query.rows(find('searchOrders', { limit: 1_000 }))).length, ORDERS + (isAhead ? 0 : 3))
      const last = isAhead ? [sweeping.at - MINUTE_MS, '', ''] : [later[2]!.txnTokenIssuedAt, MID, 'LATER2']
      assert.deepEqual((await placed(store.query)).place, last)
      assert.equal((await found(store.query, MOBILE)).length, ORDERS)
      await close()
    })

  test('an order that the audit wrote ahead of its time is not written again when the sweep comes by', async () => {
    const { store, sweeping, orders, close } = await swept(name)
    const [ahead, between] = [3, 2].map((hours) => sweeping.order(MID, `AHEAD${hours}`, BEGAN + hours * HOUR_MS, { custId: 'CAHEAD' }))
    await sweeping.create(ahead!)
    await sweeping.sweep()
    assert.deepEqual(await wrong(store.query, [ahead!]), [], 'at once')
    await sweeping.create(between!)
    sweeping.at = BEGAN + 4 * HOUR_MS
    await sweeping.sweep()
    assert.deepEqual(await wrong(store.query, [...orders, ahead!, between!]), [])
    assert.deepEqual(await found(store.query, 'CAHEAD'), ['AHEAD3 by customer', 'AHEAD2 by customer'])
    assert.equal((await store.query.rows(find('lateTerms', { limit: 10 }))).length, 1, 'the order between them has a number')
    await close()
  })

  test('an order whose payer cannot be opened keeps its other terms, and holds up no other', async () => {
    const { store, sweeping, orders, run, close } = await swept(name)
    const closed = sweeping.order(MID, 'CLOSED', sweeping.at, { custId: 'CCLOSED', mobile: '9812345678' })
    await sweeping.create(closed)
    await run("update orders set details = 'v1.torn', payer = 'v1.torn' where order_id = 'CLOSED'")
    const beside = sweeping.order(MID, 'BESIDE', sweeping.at + 1, { custId: 'CBESIDE' })
    await sweeping.create(beside)
    await sweeping.signIn(beside, '9999900002')
    sweeping.at += 2 * MINUTE_MS
    await sweeping.sweep()
    assert.deepEqual(await wrong(store.query, [...orders, closed]), [])
    assert.deepEqual(await found(store.query, '9812345678'), [`CLOSED by ${UNREADABLE}`])
    assert.deepEqual(await found(store.query, 'CCLOSED'), ['CLOSED by customer'])
    assert.deepEqual(await found(store.query, 'CBESIDE'), ['BESIDE by customer'])
    assert.deepEqual(await found(store.query, '9999900002'), ["BESIDE by payer's number"])
    await close()
  })

  test('of two customers who share a term each finds their own orders', async () => {
    const opened = await openStore(name)
    const sweeping = new Sweeping(opened.store, BEGAN, { vault: { shortHash: () => 2 ** 48 - 1 } })
    const [one, two] = [sweeping.order(MID, 'ONE', BEGAN, { custId: 'C1' }), sweeping.order(MID, 'TWO', BEGAN + 1, { custId: 'C2' })]
    await sweeping.create(one, two)
    await sweeping.signIn(two, MOBILE)
    sweeping.at += 2 * MINUTE_MS
    await sweeping.sweep()
    const hits = async (typed: string) =>
      (await search(opened.store.query, sweeping.vault, { typed, mids: null, limit: 50 })).hits.map(({ orderId }) => orderId)
    assert.deepEqual([await hits('C1'), await hits('C2'), await hits(MOBILE), await hits('C3')], [['ONE'], ['TWO'], ['TWO'], []])
    await opened.close()
  })

  for (const when of ['before the sweep reads', 'while the sweep writes'] as const)
    test(`a payer who signs in ${when} finds the order, once`, async () => {
      const { store, close } = await openStore(name)
      const sweeping = new Sweeping(store, BEGAN)
      const order = sweeping.order(MID, 'SIGNED', BEGAN, { custId: 'C1', mobile: MOBILE })
      await sweeping.create(order)
      let reads = 0
      const signsIn = async <T extends TableName>(asked: Find<T>) => {
        const isFirst = asked.find === 'orders' && reads++ === 0
        if (isFirst && when === 'before the sweep reads') await sweeping.signIn(order, '9999900003')
        const rows = await store.query.rows(asked)
        if (isFirst && when === 'while the sweep writes') await sweeping.signIn(order, '9999900003')
        return rows
      }
      const beside = new Sweeping(store, BEGAN + 2 * MINUTE_MS, { query: { ...store.query, rows: signsIn } })
      // Without a place the sweep reads the newest order first, and the portion after it.
      await sweeping.write([
        {
          kind: 'insert',
          key: settingKey(SEARCH_PLACE),
          row: { name: SEARCH_PLACE, value: placeText({ place: [1, '', ''], aheadUntil: 0, decisions: 0 }) },
        },
      ])
      await beside.sweep()
      assert.ok(reads > 0)
      assert.equal((await store.query.rows(find('searchOrders', { limit: 10 }))).length, 1)
      assert.deepEqual(await found(store.query, '9999900003'), ["SIGNED by payer's number"])
      assert.deepEqual(await found(store.query, MOBILE), ['SIGNED by mobile number'])
      await close()
    })
})
