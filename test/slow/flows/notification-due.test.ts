// Tests of notifications that take the seconds that a delivery may take (docs/interface.md section 6).

import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { RETRY_AFTER_MS } from '../../../src/domain/notification/notification.ts'
import { find } from '../../../src/tables/tables.ts'
import { advanceBy, notified, placesOf, statusesOf } from '../../support/notifications/notified.ts'
import { notifiedWorld, notifyOf, receiver } from '../../support/notifications/receiver.ts'
import { onBothStores, startService } from '../../support/run/service.ts'

onBothStores('a notification', (store) => {
  test('is not accepted by a status that only announces another', async () => {
    const statuses = [199, 200]
    const { service, journal, run, advance } = await notified(store, 'json', () => statuses.shift() ?? 200)
    await notifyOf(service, 'ORDER_1', 1)
    await run()
    assert.deepEqual(await statusesOf(service), ['OPEN'])
    await advance(RETRY_AFTER_MS[0]!)
    assert.deepEqual(placesOf(journal), [1, 1])
    assert.deepEqual(await statusesOf(service), ['DELIVERED'])
  })
})

onBothStores('an endpoint that was slow for a moment', (store) => {
  test('gets notifications as fast as it answers once it is quick again, and not when postponed ones were to come back', async () => {
    const held: ServerResponse[] = []
    let isSlow = true
    const endpoint = await receiver(() => (response) => {
      if (isSlow) held.push(response)
      else response.end()
    })
    const service = await startService(store, { world: notifiedWorld(`${endpoint.url}/`, 'json') })
    after(() => service.close())
    await Promise.all(Array.from({ length: ORDERS }, (_, order) => notifyOf(service, `O${order}`, 1)))
    const later = async () =>
      (await service.store.query.rows(find('tasks', { limit: ORDERS }))).filter(({ dueAt }) => dueAt > service.clock.now())
    while ((await later()).length < ORDERS - PER_HOST) await sleep(20)
    const last = Math.max(...(await later()).map(({ dueAt }) => dueAt))
    isSlow = false
    for (const response of held) response.end()
    await advanceBy(service, 200)
    assert.ok(last > service.clock.now() + 1_000, 'they were told to come back later than that')
    assert.equal(endpoint.journal.length, ORDERS)
    assert.deepEqual(new Set(await statusesOf(service)), new Set(['DELIVERED']))
    assert.deepEqual((await service.store.query.rows(find('tasks', { limit: 1 }))).length, 0)
  })
})
const ORDERS = 60
const PER_HOST = 16 // docs/interface.md section 8
