// Many callers want one thing at once: exactly as many get it as may.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOrder } from '../../src/domain/order/create-order.ts'
import { modifyOrder } from '../../src/domain/order/modify-order.ts'
import type { Reply } from '../../src/engine/decision.ts'
import type { Engine } from '../../src/engine/engine.ts'
import type { Store } from '../../src/engine/store.ts'
import { orderKey } from '../../src/tables/keys.ts'
import { find, lock, type Row } from '../../src/tables/tables.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { MID, whereSqlDiffers } from '../support/run/service.ts'
import { sized } from '../support/run/sizes.ts'
import { newEngine, openStore, type TestStore } from '../support/store/stores.ts'

const NOW = Date.parse('2026-06-15T10:00:00+05:30')
const ROUNDS = { create: sized(60, 300), modify: sized(40, 200) }

const merchant: Row<'merchants'> = {
  mid: MID,
  name: 'Demo Stores',
  mcc: '5411',
  checksumEnabled: true,
  signedModify: 'optional',
  debitCardEmi: false,
  registersNotificationUrl: false,
  flatRefund: false,
  upiCollect: 'rule',
  pageOrigins: null,
  pageLanguage: null,
  utilityCode: null,
  supportContact: null,
  version: 0,
  status: 'ACTIVE',
  callbackFields: 'all',
  feeHundredths: 0,
  websites: { DEFAULT: {} },
  notification: null,
  paymentModes: ['UPI'],
}

/** Two processes on one PostgreSQL. The embedded store serves one process, so there it is one. */
async function openProcesses(name: 'sqlite' | 'postgres') {
  const first = await openStore(name)
  const others = name === 'postgres' ? [await openStore(name, first.place)] : []
  const stores: TestStore[] = [first, ...others]
  await first.store.transaction((transaction) =>
    transaction.write({
      changes: [{ kind: 'insert', key: lock('merchants', MID), row: merchant }],
      events: [],
      tasks: [],
    }),
  )
  return {
    store: first.store,
    engines: stores.map(({ store }) => newEngine(store)),
    close: () => Promise.all(stores.map((open) => open.close())),
  }
}

const create = (engine: Engine, orderId: string, custId: string) =>
  engine.submit(createOrder, {
    request: orderBody(orderId, { userInfo: { custId } }),
    caller: { signature: 'valid' },
    ssoTokenHash: undefined,
    searchTerms: '',
    now: NOW,
    fresh: { txnToken: `token of ${orderId}`, txnTokenHash: `hash of ${orderId}` },
  })

const modify = (engine: Engine, orderId: string, amount: string) =>
  engine.submit(modifyOrder, {
    mid: MID,
    orderId,
    token: { text: `token of ${orderId}`, hash: `hash of ${orderId}` },
    request: { txnAmount: { value: amount, currency: 'INR' } },
    caller: { signature: 'absent' },
    signatureHash: '',
    now: NOW,
  })

const count = (replies: readonly Reply[]) => {
  const counts: Record<string, number> = {}
  for (const { result } of replies) counts[result.code] = (counts[result.code] ?? 0) + 1
  return counts
}
const eventsOf = async (store: Store, id: string) =>
  (await store.query.rows(find('events', { equals: { owner: MID, id }, orderBy: ['version'], limit: 20 }))).map(
    ({ type, version }) => `${version} ${type}`,
  )

whereSqlDiffers('races', 'PostgreSQL locks rows, SQLite has one writer', (name) => {
  test(`the same orderId, created ${ROUNDS.create} times from everywhere at once, succeeds exactly once each time`, async (t) => {
    const { store, engines, close } = await openProcesses(name)
    const totals: Record<string, number> = {}
    for (let round = 0; round < ROUNDS.create; round++) {
      const orderId = `R${round}`
      const custIds = ['A', 'B', 'C', 'D']
      const replies = await Promise.all(custIds.map((custId, at) => create(engines[at % engines.length]!, orderId, custId)))
      const counts = count(replies)
      assert.deepEqual(counts, { '0000': 1, '324': 3 }, `round ${round}`)
      for (const [code, times] of Object.entries(counts)) totals[code] = (totals[code] ?? 0) + times
      const kept = await store.query.row(orderKey(MID, orderId))
      assert.equal(kept?.custId, custIds[replies.findIndex((reply) => reply.result.code === '0000')])
      assert.deepEqual(await eventsOf(store, orderId), ['1 order.created'])
    }
    t.diagnostic(`${name}, ${engines.length} engine(s), ${ROUNDS.create} orderIds by 4 callers each: ${JSON.stringify(totals)}`)
    await close()
  })

  test(`six modifies at once, ${ROUNDS.modify} times, are exactly five`, async (t) => {
    const { store, engines, close } = await openProcesses(name)
    const totals: Record<string, number> = {}
    for (let round = 0; round < ROUNDS.modify; round++) {
      const orderId = `M${round}`
      await create(engines[0]!, orderId, 'A')
      const amounts = ['20.00', '21.00', '22.00', '23.00', '24.00', '25.00']
      const replies = await Promise.all(amounts.map((amount, at) => modify(engines[at % engines.length]!, orderId, amount)))
      const counts = count(replies)
      assert.deepEqual(counts, { '0000': 5, '1111': 1 }, `round ${round}`)
      for (const [code, times] of Object.entries(counts)) totals[code] = (totals[code] ?? 0) + times
      const kept = await store.query.row(orderKey(MID, orderId))
      assert.deepEqual([kept?.modifyCount, kept?.version], [5, 6])
      assert.notEqual(kept?.amountPaise, 1_000)
      assert.deepEqual(await eventsOf(store, orderId), [
        '1 order.created',
        ...[2, 3, 4, 5, 6].map((version) => `${version} order.modified`),
      ])
    }
    t.diagnostic(`${name}, ${engines.length} engine(s), ${ROUNDS.modify} orders by 6 callers each: ${JSON.stringify(totals)}`)
    await close()
  })

  test('orders of many batches under way at once are each created once, and nothing is lost between them', async (t) => {
    const { store, engines, close } = await openProcesses(name)
    const orderIds = Array.from({ length: 600 }, (_, at) => `B${at % 400}`)
    const replies = (
      await Promise.all(engines.map((engine) => Promise.all(orderIds.map((orderId) => create(engine, orderId, 'A')))))
    ).flat()
    const counts = count(replies)
    t.diagnostic(`${name}: ${JSON.stringify(counts)}`)
    assert.deepEqual(counts, { '0000': 400, '324': 600 * engines.length - 400 })
    const kept = await store.query.rows(find('orders', { equals: { mid: MID }, limit: 1_000 }))
    assert.equal(kept.length, 400)
    await close()
  })
})
