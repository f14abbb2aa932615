// A merchant's own texts on their way back (docs/interface.md sections 2, 4.12 and 6). Every official client can verify the status of a
// payment, whatever its order contained, and forms contain what older kits can check.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { SANDBOX_OTP } from '../../../src/adapters/acquirer/sandbox/sandbox.ts'
import type { World } from '../../../src/sandbox/world.ts'
import { receiver } from '../../support/notifications/receiver.ts'
import { CARD, createOrder, pay, statusOf } from '../../support/paying/paying.ts'
import { fromCheckout } from '../../support/run/checkout.ts'
import { KEY, MID, onBothStores, type Reply, sharedService } from '../../support/run/service.ts'

const require = createRequire(import.meta.url)
const paytmChecksum = require('paytmchecksum') as { verifySignature(data: string | object, key: string, signature: string): boolean }
const { demoWorld } = await fromCheckout<typeof import('../../../src/sandbox/world.ts')>('src/sandbox/world.ts')

const PLAIN = 'Aa9 !#$%()*+,-.:;=?@[]^_`{}~'
const SPOILT = ['a/b', 'a\\b', "a'b", 'a"b', 'a&b', 'a<b', 'a>b', 'é', '₹', 'a\tb', 'a\nb']

const OTP_CARD = '4000000000003220' // docs/sandbox.md

/** The fields of the form by which a page of Mohur's leads to the shop. */
const postedBy = ({ text }: Reply): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name!,
      value!.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))),
    ]),
  )

onBothStores('a merchant’s own text', (store) => {
  const service = sharedService(store)
  let next = 0

  /** Pays an order, and returns what the reply, its status, the browser's form and the classic notification report. */
  const reported = async (more: object) => {
    const running = await service()
    const merchant = await receiver(() => 200, { endsWithTest: false })
    const order = await createOrder(running, `REF-${next++}`, { callbackUrl: 'https://shop.example/back', peonUrl: merchant.url, ...more })
    const paid = await pay(running, order, CARD)
    await running.tasks.runDue()
    merchant.close()
    const page = await running.call('GET', `/transaction/return?mid=${MID}&txnId=${paid.body.txnId}`)
    const status = await statusOf(running, order)
    const classic = Object.fromEntries(new URLSearchParams(merchant.journal[0]!.body))
    return { status, paid, callback: postedBy(page), classic }
  }
  const textsOf = ({ merchantUniqueReference, udf1, udf2, udf3, comments }: Record<string, string>) =>
    [merchantUniqueReference, udf1, udf2, udf3, comments].filter((text) => text !== undefined)
  const all = (text: string) => ({ mercUnqRef: text, udf1: text, udf2: text, udf3: text, comments: text })

  test('is repeated where every client can read it, else left out of signed JSON and of nothing else', async () => {
    const plain = await reported({ extendInfo: all(PLAIN) })
    assert.deepEqual(textsOf(plain.status.body), Array(5).fill(PLAIN))
    for (const text of SPOILT) {
      const { status, paid, callback, classic } = await reported({ extendInfo: { ...all(text), udf2: 'plain' } })
      assert.deepEqual(textsOf(status.body), ['plain'], text)
      assert.equal(callback['MERC_UNQ_REF'], text.replace(/[\t\n]/, ' '), 'a browser brings it')
      assert.deepEqual([classic['MERC_UNQ_REF'], classic['UDF_1'], classic['COMMENTS']], Array(3).fill(text))
      assert.equal(paid.body.txnInfo.MERC_UNQ_REF, undefined, 'its reply is signed as the status is')
      for (const fields of [callback, classic, paid.body.txnInfo as Record<string, string>]) {
        const { CHECKSUMHASH, ...rest } = fields
        assert.ok(paytmChecksum.verifySignature(rest, KEY, CHECKSUMHASH!), text)
      }
    }
  })

  test('is also left out of the signed reply of a one-time password, and stays where nothing is signed around it', async () => {
    const running = await service()
    for (const text of ["a/b 'ü'", PLAIN]) {
      const order = await createOrder(running, `REF-${next++}`, { extendInfo: { mercUnqRef: text } })
      await pay(running, order, { ...CARD, cardInfo: `|${OTP_CARD}|123|122032`, authMode: 'otp' })
      const asked = { mid: MID, orderId: order.orderId }
      const send = (path: string, head: object, body: object) =>
        running.post(`${path}?mid=${MID}&orderId=${order.orderId}`, JSON.stringify({ head, body: { ...asked, ...body } }))
      const { txnToken } = order
      const { body } = await send('/theia/api/v1/directBankRequest', { txnToken }, { requestType: 'submit', otp: SANDBOX_OTP })
      const { body: read } = await send('/theia/v1/transactionStatus', { txnToken }, {})
      assert.deepEqual([body.txnInfo.MERC_UNQ_REF, read.txnInfo.MERC_UNQ_REF], [text === PLAIN ? text : undefined, text])
    }
  })

  test('leaves a status that survives being written again, as official clients do before they verify', async () => {
    for (const text of [PLAIN, ...SPOILT, ...SPOILT.map((spoilt) => `${PLAIN}${spoilt}`)]) {
      const { status } = await reported({ extendInfo: all(text) })
      const written = status.text.slice(status.text.indexOf('"body":') + '"body":'.length, -1)
      const parsed = JSON.stringify(status.body)
      const escaped = parsed
        .replaceAll('/', '\\/')
        .replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
      for (const bytes of [written, parsed, escaped]) assert.ok(paytmChecksum.verifySignature(bytes, KEY, status.head.signature), text)
      assert.doesNotMatch(parsed, /[\\'&<>/]|[^ -~]/)
    }
  })

  test('of the goods takes the place of the order’s where that has none', async () => {
    const goods = (mercUnqRef?: unknown) => ({
      description: 'x',
      extendInfo: { udf1: 'u', ...(mercUnqRef !== undefined && { mercUnqRef }) },
    })
    for (const [more, wanted] of [
      [{ goodsInfo: [goods(), goods('first'), goods('second')] }, 'first'],
      [{ goodsInfo: [goods(''), goods(5), goods('first')], extendInfo: { udf1: 'order' } }, 'first'],
      [{ goodsInfo: [goods('goods')], extendInfo: { mercUnqRef: '' } }, 'goods'],
      [{ goodsInfo: [goods('goods')], extendInfo: { mercUnqRef: 'order' } }, 'order'],
      [{ goodsInfo: [goods('a|b'), goods('second')] }, undefined],
      [{ goodsInfo: [goods('goods')], extendInfo: { mercUnqRef: 'a|b' } }, undefined],
      [{ goodsInfo: [goods()] }, undefined],
    ] as const) {
      const { status, callback, classic } = await reported(more)
      const refs = [status.body.merchantUniqueReference, callback['MERC_UNQ_REF'], classic['MERC_UNQ_REF']]
      assert.deepEqual(refs, [wanted, wanted, wanted], JSON.stringify(more))
    }
  })

  test('that contains REFUND is in no form that an older kit checks, and still in the status', async () => {
    const { status, callback, classic } = await reported({ extendInfo: { ...all('for a REFUND'), udf2: 'refund' } })
    assert.equal(textsOf(status.body).length, 5)
    assert.ok(!Object.values(callback).some((value) => value.includes('REFUND')), JSON.stringify(callback))
    assert.ok(!Object.values(classic).some((value) => value.includes('REFUND')), JSON.stringify(classic))
    assert.equal(classic['UDF_2'], 'refund')
    for (const fields of [callback, classic]) {
      const { CHECKSUMHASH, ...rest } = fields
      assert.ok(paytmChecksum.verifySignature(rest, KEY, CHECKSUMHASH!))
    }
  })
})

/** The callback of a merchant who may want fewer fields. */
onBothStores('the browser’s form', (store) => {
  const core: World = { ...demoWorld, merchants: [{ ...demoWorld.merchants![0]!, callbackFields: 'core' }] }
  const service = sharedService(store, { world: core })

  test('has the core fields alone for a merchant who is set so, and a checksum over them', async () => {
    const running = await service()
    const order = await createOrder(running, 'CORE-1', { callbackUrl: 'https://shop.example/back', extendInfo: { mercUnqRef: 'ref' } })
    const { body } = await pay(running, order, CARD)
    const page = await running.call('GET', `/transaction/return?mid=${MID}&txnId=${body.txnId}`)
    const posted = postedBy(page)
    const names = [
      ...['BANKNAME', 'BANKTXNID', 'CHECKSUMHASH', 'CURRENCY', 'GATEWAYNAME', 'MERC_UNQ_REF', 'MID', 'ORDERID', 'PAYMENTMODE', 'RESPCODE'],
      ...['RESPMSG', 'STATUS', 'TXNAMOUNT', 'TXNDATE', 'TXNID'],
    ]
    for (const fields of [posted, body.txnInfo as Record<string, string>]) {
      assert.deepEqual(Object.keys(fields).sort(), names)
      const { CHECKSUMHASH, ...rest } = fields
      assert.ok(paytmChecksum.verifySignature(rest, KEY, CHECKSUMHASH!))
    }
    const set = (callbackFields: string) =>
      running.call('PUT', '/sandbox/world', {}, JSON.stringify({ merchants: [{ mid: MID, callbackFields }] }))
    assert.equal((await set('some')).status, 400)
    assert.equal((await set('all')).status, 200)
    const again = await pay(running, await createOrder(running, 'CORE-2'), CARD)
    assert.deepEqual([again.body.txnInfo.CUST_ID, again.body.txnInfo.BIN_NUMBER], ['C1', '41111111'])
  })
})
