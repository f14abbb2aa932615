// `mohur merchant set|disable|enable` beside a service of its own process: docs/operating/commands.md.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderBody } from '../../support/paying/order-body.ts'
import { mohurCommand, serveProcess } from '../../support/run/process.ts'
import { MID, onBothStores } from '../../support/run/service.ts'
import { spokenTo } from '../../support/run/spoken-to.ts'
import { place } from '../../support/store/at-rest.ts'

onBothStores('a merchant that is changed by a command', (store) => {
  test('is so to every running process on PostgreSQL, and to the next start on the embedded store, which says so', async () => {
    const at = await place(store)
    let services = [await serveProcess(at)]
    if (store === 'postgres') services.push(await serveProcess(at))
    const stop = async () => {
      for (const service of services) await service.kill('SIGTERM')
      services = []
    }
    const change = async (...args: string[]) => {
      if (store === 'sqlite') {
        const served = await mohurCommand(['merchant', ...args], at)
        assert.deepEqual([served.code, served.out], [75, ''])
        assert.match(served.err, /^the service has the store in \S+ to itself: stop it, run this again, and start it\. /)
        await stop()
      }
      const { code, err } = await mohurCommand(['merchant', ...args], at)
      assert.deepEqual([code, err], [0, ''])
      if (store === 'sqlite') services = [await serveProcess(at)]
    }
    let count = 0
    const create = async (): Promise<string[]> => {
      const codes: string[] = []
      for (const { url } of services) {
        const orderId = `ORDER_${++count}`
        const { body } = await spokenTo(url).signed(`/aoa-acquiring-biz/v2/order?mid=${MID}&orderId=${orderId}`, orderBody(orderId))
        codes.push(body.resultInfo.resultCode)
      }
      return [...new Set(codes)]
    }
    try {
      assert.deepEqual(await create(), ['0000'])
      await change('disable', MID)
      assert.deepEqual(await create(), ['2006'])
      await change('enable', MID)
      assert.deepEqual(await create(), ['0000'])
      await change('set', MID, 'websites.KIOSK.callbackUrl=https://kiosk.example/back', 'fee=2')
      for (const { url } of services) {
        const body = orderBody(`KIOSK_${++count}`, { websiteName: 'KIOSK' })
        const reply = await spokenTo(url).signed(`/aoa-acquiring-biz/v2/order?mid=${MID}&orderId=${body.orderId}`, body)
        // The demo world sets its websites again at every start.
        assert.equal(reply.body.resultInfo.resultCode, store === 'sqlite' ? '1001' : '0000')
      }
      assert.match((await mohurCommand(['merchant', 'show', MID], at)).out, /^fee=2\.00$/m)
    } finally {
      await stop()
    }
    assert.equal((await mohurCommand(['verify'], at)).code, 0)
  })
})
