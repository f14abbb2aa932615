// Floods of one-time passwords (docs/interface.md section 8): to a range of numbers, in total, and at a silent provider.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { onBothStores, type Reply, startService } from '../../support/run/service.ts'
import { codeOf, inbox, send, signInWorld } from '../../support/signin/signin.ts'
import { orderToPay, resultOf, sendAt, signIn } from '../../support/signin/tokens.ts'

const number = (prefix: string, at: number) => `${prefix}${String(at).padStart(4, '0')}`
const DAY = 24 * 60 * 60_000

onBothStores('a flood of one-time passwords', (store) => {
  test('ends at sixty a minute for one range of numbers, and never for those who sign in', async () => {
    const running = await startService(store, {
      world: signInWorld,
      env: { MOHUR_OTP_PREFIX_PER_MINUTE: '', MOHUR_OTP_ALL_PER_MINUTE: '' },
    })
    try {
      await signIn(running, number('987000', 1))
      running.clock.advance(2 * DAY)
      const sent: Reply[] = []
      for (let at = 2; at < 80; at++) sent.push(await send(running, { phone: number('987000', at) }))
      assert.equal(sent.filter(({ status }) => status === 200).length, 59, 'one was sent before he had signed in')
      const { status, text } = sent.at(-1)!
      assert.deepEqual([status, JSON.parse(text).errorDetails.errorCode], [429, 'SVE-004'])
      const order = await orderToPay(running, 'FLOOD')
      assert.equal((await sendAt(running, order, number('987000', 90))).status, 429, 'a checkout’s are counted with them')
      assert.equal(await resultOf(sendAt(running, order, number('987001', 1))), '200 01')
      for (let times = 0; times < 5; times++) assert.equal(await codeOf(send(running, { phone: number('987000', 1) })), '200 BE1400001')
      running.clock.advance(90 * DAY)
      assert.equal((await send(running, { phone: number('987000', 1) })).status, 429, 'he has not for 90 days')
      const metrics = await (await fetch(`${running.url}/metrics`)).text()
      assert.match(metrics, /mohur_messages_total\{outcome="ceiling"\} 21\b/)
    } finally {
      await running.close()
    }
  })

  test('ends in all as well; what is not sent is not counted', async () => {
    const running = await startService(store, { world: signInWorld, env: { MOHUR_OTP_ALL_PER_MINUTE: '8' } })
    try {
      for (let times = 0; times < 5; times++) assert.equal(await codeOf(send(running, { phone: number('987100', 1) })), '200 BE1400001')
      for (let times = 0; times < 9; times++) assert.equal(await codeOf(send(running, { phone: number('987100', 1) })), '200 BE1425006')
      for (let at = 0; at < 3; at++) assert.equal(await codeOf(send(running, { phone: number(`98711${at}`, 1) })), '200 BE1400001')
      assert.equal((await send(running, { phone: number('987119', 1) })).status, 429)
    } finally {
      await running.close()
    }
  })

  test('counts no answer that is given again, and refuses none', async () => {
    const running = await startService(store, { world: signInWorld, env: { MOHUR_OTP_ALL_PER_MINUTE: '3' } })
    try {
      const again = (key: string, phone: string) => codeOf(send(running, { phone }, { headers: { 'idempotency-key': key } }))
      for (let times = 0; times < 5; times++) assert.equal(await again('one', number('987120', 1)), '200 BE1400001')
      const atOnce = Array.from({ length: 2 }, () => again('two', number('987121', 1)))
      assert.deepEqual(await Promise.all(atOnce), ['200 BE1400001', '200 BE1400001'])
      assert.equal(await codeOf(send(running, { phone: number('987122', 1) })), '200 BE1400001')
      assert.equal((await send(running, { phone: number('987123', 1) })).status, 429, 'three were sent')
      assert.equal(await again('one', number('987120', 1)), '200 BE1400001')
      assert.equal((await inbox(running, number('987120', 1))).length, 1)
    } finally {
      await running.close()
    }
  })

  test('at a provider that does not answer is held after twenty failures', async () => {
    let asked = 0
    const provider = createServer((_request, response) => {
      asked++
      response.statusCode = 500
      response.end()
    })
    await new Promise<void>((listening) => provider.listen(0, '127.0.0.1', listening))
    const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`
    const running = await startService(store, { world: signInWorld, env: { MOHUR_SMS_URL: url } })
    try {
      for (let at = 0; at < 20; at++) {
        assert.equal(await codeOf(send(running, { phone: number('987200', at) })), '200 BE1400001')
        await running.tasks.runDue()
      }
      assert.equal(asked, 20)
      for (let at = 20; at < 26; at++) assert.equal(await codeOf(send(running, { phone: number('987200', at) })), '200 BE1400001')
      await running.tasks.runDue()
      assert.ok(asked <= 21, `${asked}: one try every five seconds`)
      const metrics = await (await fetch(`${running.url}/metrics`)).text()
      assert.match(metrics, /mohur_message_provider_left_alone 1\b/)
    } finally {
      await running.close()
      provider.close()
    }
  })
})
