// Rows that a clock far ahead wrote: which are deleted before that time comes, and a rotated key's day. docs/decisions/0013.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rotateKey } from '../../src/domain/merchant/keys.ts'
import type { OtpMessage } from '../../src/domain/signin/signin.ts'
import { sign } from '../../src/interface/checksum.ts'
import { AHEAD_MS, pass, sweep } from '../support/clocks/jumps.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../support/clocks/times.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { codeOf } from '../support/run/replies.ts'
import { KEY, MID, onBothStores, type Service, sharedService, startService } from '../support/run/service.ts'
import { inbox, signInWorld } from '../support/signin/signin.ts'

const [BETWEEN, NEWER] = ['BETWEENBETWEEN01', 'NEWERNEWERNEWER1']
const BACK_MS = { '90 seconds': 90_000, 'two hours': 2 * HOUR_MS }

const rotate = ({ ports }: Service, key = NEWER, atOnce = false) =>
  ports.engine.submit(rotateKey, {
    mid: MID,
    clientId: 'C11',
    now: ports.clock.now(),
    realNow: ports.clock.realNow(),
    atOnce,
    fresh: { key },
  })

let orders = 0
/** Whether a request that this key signed is accepted. */
async function takes(service: Service, key: string) {
  const orderId = `KEYS${++orders}`
  const body = JSON.stringify(orderBody(orderId))
  service.ports.merchantKeys.forget()
  const text = `{"head":{"signature":"${sign(body, key, 'salt')}"},"body":${body}}`
  return codeOf(await service.post(`/theia/api/v1/initiateTransaction?mid=${MID}&orderId=${orderId}`, text)) === '0000'
}

onBothStores('a rotated key', (store) => {
  async function withService(work: (service: Service) => Promise<unknown>) {
    const service = await startService(store)
    try {
      await work(service)
    } finally {
      await service.close()
    }
  }

  test('of a clock a month ahead is good for a day after the clock is right, and no longer', () =>
    withService(async (service) => {
      service.clock.set(AHEAD_MS)
      await rotate(service)
      service.clock.set(-AHEAD_MS)
      assert.ok(await takes(service, KEY), 'at once')
      await sweep(service)
      pass(service, 23 * HOUR_MS)
      await sweep(service)
      assert.ok(await takes(service, KEY), 'on the same day')
      pass(service, HOUR_MS)
      assert.ok(!(await takes(service, KEY)), 'a day later')
      pass(service, 19 * DAY_MS)
      assert.ok(!(await takes(service, KEY)), 'after 20 days')
      assert.ok(await takes(service, NEWER))
    }))

  test('that ended at once is good by no clock, whichever way it jumps', () =>
    withService(async (service) => {
      await rotate(service, BETWEEN)
      service.clock.set(AHEAD_MS)
      await rotate(service, NEWER, true)
      for (const ms of [-AHEAD_MS, -2 * HOUR_MS]) {
        service.clock.set(ms)
        for (const key of [KEY, BETWEEN]) assert.ok(!(await takes(service, key)), `${key} after ${ms}`)
        assert.ok(await takes(service, NEWER))
      }
    }))

  for (const [name, ms] of Object.entries(BACK_MS))
    test(`keeps its day, less ${name}, when a clock was set back by as much`, () =>
      withService(async (service) => {
        await rotate(service)
        service.clock.set(-ms)
        await sweep(service)
        assert.ok(await takes(service, KEY))
        service.clock.set(ms)
        pass(service, DAY_MS - ms - MINUTE_MS)
        assert.ok(await takes(service, KEY))
        pass(service, ms + MINUTE_MS)
        assert.ok(!(await takes(service, KEY)))
      }))
})

onBothStores('the message of a one-time password', (store) => {
  const shared = sharedService(store, { world: signInWorld })

  test('of a clock a month ahead is not sent, because its code does not count', async () => {
    const service = await shared()
    const mobile = '9700000001'
    const now = service.clock.now()
    const messageOf = (at: number): OtpMessage => ({ mobile, otp: '123456', validityMs: 300_000, expiresAt: at + 300_000, attempts: 4 })
    const add = (subject: string, at: number) => ({
      ...{ kind: 'add' as const, task: 'otp-message.due', subject, dueAt: now, addedAt: service.clock.realNow() },
      payload: { ...messageOf(at) },
    })
    const tasks = [add('then', now + AHEAD_MS), add('now', now)]
    await service.store.transaction((transaction) => transaction.write({ changes: [], events: [], tasks }))
    await service.tasks.runDue()
    assert.equal((await inbox(service, mobile)).length, 1)
  })
})
