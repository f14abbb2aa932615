// `mohur merchant set|disable|enable` beside a service in its own process: docs/operating/commands.md.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { orderBody } from '../../support/paying/order-body.ts'
import { mohurCommand, serveProcess } from '../../support/run/process.ts'
import { MID, onBothStores } from '../../support/run/service.ts'
import { spokenTo } from '../../support/run/spoken-to.ts'
import { place } from '../../support/store/at-rest.ts'

onBothStores('a merchant that is changed by a command', (store) => {
  test('is so to every running process, and on the embedded store to the next request', async () => {
    const at = await place(store)
    let services = [await serveProcess(at)]
    if (store === 'postgres') services.push(await serveProcess(at))
    const stop = async () => {
      for (const service of services) await service.kill('SIGTERM')
      services = []
    }
    const change = async (...args: string[]) => {
      const { code, err } = await mohurCommand(['merchant', ...args], at)
      assert.deepEqual([code, err], [0, ''])
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
        assert.equal(reply.body.resultInfo.resultCode, '0000')
      }
      assert.match((await mohurCommand(['merchant', 'show', MID], at)).out, /^fee=2\.00$/m)
    } finally {
      await stop()
    }
    assert.equal((await mohurCommand(['verify'], at)).code, 0)
  })
})
