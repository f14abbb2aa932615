// What a merchant's payment page asks for, and which pages may show it: by the operator's setting, else by the rule.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asksForUpiId, pageOriginsOf } from '../../../src/domain/merchant/page-settings.ts'
import { pagePaths } from '../../../src/interface/page-paths.ts'
import { demoWorld } from '../../../src/sandbox/world.ts'
import { merchantKey } from '../../../src/tables/keys.ts'
import { initiate, subscription } from '../../support/mandates/subscription.ts'
import { ask, formOf, openPage, wordsOf } from '../../support/pages/pages.ts'
import { createOrder } from '../../support/paying/paying.ts'
import { MID, onBothStores, sharedService, startService } from '../../support/run/service.ts'

test('a UPI id is asked for by the setting, else of two categories and on iOS, and never for a mandate', () => {
  const asked = (upiCollect: 'rule' | 'always' | 'never', mcc: string, isIos = false, isConsent = false) =>
    asksForUpiId({ upiCollect, mcc }, { isIos, isConsent })
  assert.deepEqual(
    [asked('rule', '5411'), asked('rule', '6012'), asked('rule', '6211'), asked('rule', '5411', true)],
    [false, true, true, true],
  )
  assert.deepEqual([asked('always', '5411'), asked('never', '6012'), asked('never', '6012', true)], [true, false, false])
  for (const setting of ['rule', 'always', 'never'] as const) assert.equal(asked(setting, '6012', true, true), false, setting)
})

test('a page may be framed where the operator says; else anywhere in the sandbox, and in production by those the payer goes back to', () => {
  const websites = {
    DEFAULT: { callbackUrl: 'https://shop.example/paid?a=1' },
    WEB: { callbackUrl: 'https://shop.example:8443/paid' },
    APP: {},
  }
  const given = { pageOrigins: ['https://other.example'], websites }
  const left = { pageOrigins: null, websites }
  assert.deepEqual(pageOriginsOf(given, 'https://third.example/x', 'production'), ['https://other.example'])
  assert.deepEqual(pageOriginsOf({ pageOrigins: [], websites }, null, 'sandbox'), [])
  assert.equal(pageOriginsOf(left, null, 'sandbox'), undefined)
  assert.deepEqual(pageOriginsOf(left, 'https://shop.example/other', 'production'), ['https://shop.example', 'https://shop.example:8443'])
  assert.deepEqual(pageOriginsOf({ pageOrigins: null, websites: {} }, 'https://third.example/x', 'production'), ['https://third.example'])
  assert.deepEqual(pageOriginsOf({ pageOrigins: null, websites: {} }, null, 'production'), [], 'nobody')
  const odd = { A: { callbackUrl: 'https://a;frame-ancestors/' }, B: { callbackUrl: 'https://a,b.example/' } }
  assert.deepEqual(pageOriginsOf({ pageOrigins: null, websites: odd }, null, 'production'), [], 'nothing that a header reads otherwise')
})

onBothStores('the settings of a page', (store) => {
  const service = sharedService(store)
  const settings = async () => {
    const { upiCollect, pageOrigins } = (await (await service()).ports.query.row(merchantKey(MID)))!
    return [upiCollect, pageOrigins]
  }
  const merge = async (merchant: object) =>
    (await service()).call('PUT', '/sandbox/world', {}, JSON.stringify({ merchants: [{ mid: MID, ...merchant }] }))

  test('are named by the world, kept by a merge that leaves them out, and refused when they are no origins', async () => {
    assert.deepEqual(await settings(), ['always', null], 'the demo merchant')
    assert.equal((await merge({ upiCollect: 'never', pageOrigins: ['https://shop.example', 'http://127.0.0.1:9000'] })).status, 200)
    assert.equal((await merge({ mcc: '5999' })).status, 200)
    assert.deepEqual(await settings(), ['never', ['https://shop.example', 'http://127.0.0.1:9000']])
    const wrong = ['https://shop.example/', 'https://Shop.example', 'https://shop.example:443', '*', 'shop.example', 'ftp://shop.example']
    for (const origin of [...wrong, 'https://a@shop.example', "https://shop.example; script-src 'unsafe-inline'", 'null', ''])
      assert.equal((await merge({ pageOrigins: [origin] })).status, 400, origin)
    assert.equal((await merge({ upiCollect: 'sometimes' })).status, 400)
    assert.equal((await merge({ pageOrigins: Array.from({ length: 51 }, (_, at) => `https://shop${at}.example`) })).status, 400)
    assert.deepEqual(await settings(), ['never', ['https://shop.example', 'http://127.0.0.1:9000']])
  })

  test('its language is the merchant’s where it speaks none of the payer’s, and its bank mandates show the code by which banks know the merchant', async () => {
    const running = await service()
    assert.equal((await merge({ pageLanguage: 'hi', utilityCode: 'NACH00000000001234' })).status, 200)
    const shows = async (orderId: string, languages: string, more: Record<string, string> = {}) => {
      const page = await openPage(running, await createOrder(running, orderId), more)
      return /<html lang="(\w+)-IN">/.exec((await ask(running, page, undefined, { 'accept-language': languages })).text)?.[1]
    }
    assert.deepEqual(await Promise.all([shows('L1', 'ta-IN'), shows('L2', 'en-IN'), shows('L3', 'ta-IN', { locale: 'en' })]), [
      'hi',
      'en',
      'en',
    ])
    const wanted = { txnAmount: { value: '0.00', currency: 'INR' }, subscriptionPaymentMode: 'BANK_MANDATE', mandateType: 'E_MANDATE' }
    const { body } = await initiate(running, subscription('L4', wanted))
    const agrees = await ask(running, await openPage(running, { orderId: 'L4', txnToken: body.txnToken }))
    assert.match(wordsOf(agrees.text), /यूटिलिटी कोड NACH00000000001234/)
    for (const wrong of [{ pageLanguage: 'fr' }, { utilityCode: 'nach' }, { utilityCode: 'A'.repeat(21) }])
      assert.equal((await merge(wrong)).status, 400, JSON.stringify(wrong))
  })
})

onBothStores('a page that cannot be opened any more', (store) => {
  for (const [mode, how, links] of [
    ['production', 'by https only', [false, true]],
    ['sandbox', 'by http, too', [true, true]],
  ] as const)
    test(`in ${mode} leads to the shop's site ${how}; the callback's form goes to it all the same`, async () => {
      const env = {
        MOHUR_MODE: mode,
        MOHUR_MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
        MOHUR_PUBLIC_URL: 'https://pay.example',
      }
      const running = await startService(store, { env, world: demoWorld })
      try {
        const shops = ['http://shop.example', 'https://shop.example']
        const orders = await Promise.all(shops.map((shop, at) => createOrder(running, `LINK_${at}`, { callbackUrl: `${shop}/back?at=1` })))
        const pages = await Promise.all(orders.map((order) => openPage(running, order)))
        running.clock.advance(16 * 60_000)
        for (const [at, shop] of shops.entries()) {
          const { orderId, txnToken } = orders[at]!
          const late = await ask(running, pagePaths.showPaymentPage, { mid: MID, orderId, txnToken })
          assert.deepEqual([late.status, late.text.includes(`href="${shop}"`)], [410, links[at]], shop)
          const over = await ask(running, pages[at]!)
          assert.equal(formOf(over.text, { ORDERID: orderId }).action, `${shop}/back?at=1`)
          assert.match(over.headers.get('content-security-policy')!, new RegExp(`form-action 'self' ${shop} `))
        }
      } finally {
        await running.close()
      }
    })
})
