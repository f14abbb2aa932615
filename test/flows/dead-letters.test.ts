// All dead notifications of a merchant are sent again: each stream once, and as many as a stop leaves time for.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Resend } from '../../src/domain/notification/resend.ts'
import type { Clock } from '../../src/engine/clock.ts'
import { resendDead } from '../../src/flows/dead-letters.ts'
import type { Ports } from '../../src/flows/ports.ts'
import { streamKey } from '../../src/tables/keys.ts'
import { deadRows } from '../support/notifications/dead.ts'
import { MID, onBothStores, startService } from '../support/run/service.ts'

const [DEAD, BEFORE_STOP] = [450, 120] // more than two portions of 200
const AHEAD_MS = 3_600_000 // some died under a clock that was an hour ahead

onBothStores('dead streams sent again', (storeName) => {
  /** Revives the streams, and each dies again at once, as one whose endpoint may not be called. */
  async function resentIn(isStopping: (revived: number) => boolean) {
    const service = await startService(storeName)
    try {
      const { store, clock } = service
      const deadAt = (nth: number) => clock.now() + (nth % 3 === 0 ? AHEAD_MS : -nth)
      const nths = Array.from({ length: DEAD }, (_, nth) => nth)
      const changes = nths.flatMap((nth) => deadRows({ mid: MID, orderId: `DEAD${nth}`, url: 'http://127.0.0.1:1', now: deadAt(nth) }))
      await store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
      const orders: string[] = []
      const engine: Ports['engine'] = {
        async submit(operation, command) {
          const { orderId } = command as Resend
          orders.push(orderId)
          assert.ok(orders.length <= DEAD, 'a stream came twice')
          const reply = await service.ports.engine.submit(operation, command)
          const key = streamKey(MID, orderId, 'merchant')
          clock.advance(1)
          await store.transaction(async (transaction) => {
            const row = (await transaction.read([key])).get(key.name) as NonNullable<
              Awaited<ReturnType<typeof store.query.row<'notificationStreams'>>>
            >
            const died = { ...row, status: 'DEAD' as const, updatedAt: Math.max(row.updatedAt, clock.now()) }
            await transaction.write({ changes: [{ kind: 'update', key, row: died }], events: [], tasks: [] })
          })
          return reply
        },
      }
      const unhurried = { now: () => clock.now(), sleep: async () => {} } as unknown as Clock
      const acting = { engine, query: store.query, clock: unhurried, isStopping: () => isStopping(orders.length) }
      return { ...(await resendDead(acting, MID)), orders: new Set(orders).size }
    } finally {
      await service.close()
    }
  }

  test('each comes once, though it dies again meanwhile, and though a wrong clock dated it', async () => {
    const resent = await resentIn(() => false)
    assert.deepEqual(resent, { revived: DEAD, stopped: 0, left: 0, orders: DEAD })
  })

  test('a stop ends the work, and what is left is counted', async () => {
    const { left, ...resent } = await resentIn((revived) => revived >= BEFORE_STOP)
    assert.deepEqual(resent, { revived: BEFORE_STOP, stopped: 0, orders: BEFORE_STOP })
    assert.equal(left, DEAD, 'those that died again are dead too')
  })
})
