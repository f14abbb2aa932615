// A merchant's callbackUrl is in a header of pages (docs/interface.md sections 4.5, 4.6 and 6). There it can be nothing but an address.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoWorld, type World } from '../../../src/sandbox/world.ts'
import { initiate, subscription } from '../../support/mandates/subscription.ts'
import { openPage } from '../../support/pages/pages.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'

const HOSTILE = [
  'https://a;frame-ancestors/',
  'https://shop.example;script-src',
  "https://a'unsafe-inline'/",
  'https://a,b.example/',
  'https://*.example/',
  'https://a_b.example/',
  'https://a%2eb.example/',
  'https://sh\u00f6p.example/',
  'https://evil\u3002example/',
  'https://a"b.example/',
  'https://a$b!.example/(',
]
const HONEST = [
  'https://shop.example',
  'HTTPS://Shop.Example:8443/back?a=b;c',
  'http://127.0.0.1:9000/cb',
  'http://[::1]:9000/cb#x',
  'https://xn--shp-sna.example/',
]

const SITES = { SEMICOLON: 'https://a;frame-ancestors/', COMMA: 'http://a,b.example/cb', GOOD: 'http://shop.example:9000/cb' }
const world: World = {
  ...demoWorld,
  merchants: [
    {
      ...demoWorld.merchants![0]!,
      websites: { DEFAULT: {}, ...Object.fromEntries(Object.entries(SITES).map(([name, callbackUrl]) => [name, { callbackUrl }])) },
    },
  ],
}

onBothStores('callbackUrl', (store) => {
  const service = sharedService(store, { world })
  let ids = 0
  const create = (running: Service, more: object) => {
    const orderId = `BACK-${++ids}`
    const known = { requestType: 'PAYMENT', mid: MID, orderId, txnAmount: { value: '10.00', currency: 'INR' }, websiteName: 'DEFAULT' }
    return running.signed(`/aoa-acquiring-biz/v2/order?mid=${MID}&orderId=${orderId}`, { ...known, userInfo: { custId: 'C1' }, ...more })
  }

  test('a host of other characters than letters, digits, points, colons, brackets and hyphens is refused', async () => {
    const running = await service()
    for (const callbackUrl of HOSTILE) {
      const { body } = await create(running, { callbackUrl })
      assert.deepEqual([body.resultInfo.resultCode, body.resultInfo.resultMsg], ['1001', 'Invalid callbackUrl'], callbackUrl)
      const { body: subscribed } = await initiate(running, subscription(`BACK-${++ids}`, { callbackUrl }))
      assert.deepEqual([subscribed.resultInfo.resultCode, subscribed.resultInfo.resultMsg], ['1007', 'Invalid callbackUrl'], callbackUrl)
    }
    for (const callbackUrl of HONEST) {
      assert.equal((await create(running, { callbackUrl })).body.resultInfo.resultCode, '0000', callbackUrl)
      const subscribed = await initiate(running, subscription(`BACK-${++ids}`, { callbackUrl }))
      assert.equal(subscribed.body.resultInfo.resultCode, '0000', callbackUrl)
    }
  })

  test('the return page and the payment page leave an address that its header could read as something else out of it', async () => {
    const running = await service()
    const policies: Record<string, string | null> = {}
    for (const websiteName of Object.keys(SITES)) {
      const { body: created } = await create(running, { websiteName })
      const orderId = `BACK-${ids}`
      const body = { requestType: 'NATIVE', mid: MID, orderId, paymentMode: 'PPBL' }
      const path = `/theia/api/v1/processTransaction?mid=${MID}&orderId=${orderId}`
      const paid = await running.post(path, JSON.stringify({ head: { txnToken: created.txnToken }, body }))
      const own = await fetch(`${running.url}${await openPage(running, { orderId, txnToken: created.txnToken })}`)
      const page = await fetch(`${running.url}/transaction/return?mid=${MID}&txnId=${paid.body.txnId}`)
      const policy = page.headers.get('content-security-policy')!
      assert.equal(own.headers.get('content-security-policy')!.replace('frame-ancestors *', "frame-ancestors 'none'"), policy)
      assert.equal(policy.split(';').filter((directive) => /^\s*frame-ancestors/.test(directive)).length, 1, policy)
      policies[websiteName] = /form-action ([^;]*);/.exec(policy)![1]!
    }
    const anywhere = "'self' https: http:" // the sandbox's
    assert.deepEqual(policies, { SEMICOLON: anywhere, COMMA: anywhere, GOOD: "'self' http://shop.example:9000 https: http:" })
  })
})
