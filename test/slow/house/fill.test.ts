// The bench's stored orders have the rows that a service writes for the same requests, search terms and sealed values included.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { fill, openStore } from '../../../bench/fill.ts'
import { newFolder } from '../../../bench/processes.ts'
import { createOrderBody } from '../../../bench/requests.ts'
import { storedOrder } from '../../../bench/stored-order.ts'
import { ORDER_VALIDITY_MS } from '../../../src/domain/order/order.ts'
import type { Query } from '../../../src/engine/decision.ts'
import { merchantKey, orderKey } from '../../../src/tables/keys.ts'
import { find } from '../../../src/tables/tables.ts'
import { MID, onBothStores, startService } from '../../support/run/service.ts'
import { sharedPostgres } from '../../support/store/postgres.ts'
import { allTermsKept } from '../../support/store/terms-kept.ts'

const [ORDERS, EXPIRED] = [230, 200] // three portions of the sweep
const EVERY_MS = 500
const PATH = '/aoa-acquiring-biz/v2/order'
const requestOf = (at: number) =>
  createOrderBody(MID, `FILLED_${at}`, { custId: `CUST_${at % 7}`, mobile: `98765432${10 + (at % 9)}`, email: 'Payer@Example.test' }, at)

/** All that a search reads. */
async function searched(query: Query) {
  const limit = 10_000
  const numbered = await query.rows(find('searchOrders', { orderBy: ['number'], limit }))
  return {
    numbered,
    terms: await query.rows(find('searchTerms', { orderBy: ['segment', 'term', 'number'], limit })),
    listed: await query.rows(find('merchantOrders', { orderBy: ['mid', 'at', 'orderId'], limit })),
    orders: await Promise.all(
      numbered.map(async ({ mid, orderId }) => {
        const { txnTokenHash, ...order } = (await query.row(orderKey(mid, orderId)))!
        assert.match(txnTokenHash, /^[\w-]{43}$/) // the token is random
        return order
      }),
    ),
  }
}

onBothStores('a filled store', (name) => {
  test('has the rows of orders that a service created, expired in part, and made searchable', async () => {
    const service = await startService(name)
    after(() => service.close())
    const { query, vault } = service.ports
    const times: number[] = []
    for (let at = 0; at < ORDERS; at++) {
      times.push(service.clock.now())
      const { body } = await service.signed(`${PATH}?mid=${MID}&orderId=FILLED_${at}`, requestOf(at))
      assert.equal(body.resultInfo.resultCode, '0000')
      service.clock.advance(EVERY_MS)
    }
    for (let at = 0; at < EXPIRED; at++) {
      service.clock.advance(times[at]! + ORDER_VALIDITY_MS - service.clock.now())
      await service.tasks.runDue()
    }
    await allTermsKept(service)
    const until = service.clock.now()
    const written = await searched(query)
    assert.deepEqual([written.orders.length, written.orders.filter(({ status }) => status === 'CLOSED').length], [ORDERS, EXPIRED])

    const place = { folder: newFolder(), ...(name === 'postgres' && { databaseUrl: await (await sharedPostgres()).createDatabase() }) }
    const merchant = (await query.row(merchantKey(MID)))!
    await fill(place, ORDERS, (at) => ({
      changes: storedOrder(vault, merchant, { request: requestOf(at), now: times[at]!, number: at, until }),
    }))
    const store = await openStore(place)
    after(() => store.close())
    assert.deepEqual(await searched(store.query), written)
  })
})
