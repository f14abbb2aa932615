// Create Order and Modify Order over HTTP: one row per row of docs/interface.md section 7, in order of precedence. Each row also has the
// faults of the rows below it, as far as they are possible together.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { createOrder as createCodes, modifyOrder as modifyCodes } from '../../../src/interface/result-codes.ts'
import { demoWorld } from '../../../src/sandbox/world.ts'
import { customerLinkKey, orderKey } from '../../../src/tables/keys.ts'
import { issueSsoToken } from '../../support/mandates/subscription.ts'
import { orderBody } from '../../support/paying/order-body.ts'
import { CARD, pay } from '../../support/paying/paying.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'
import { type FaultPoint, type Faults, withFaults } from '../../support/store/faults.ts'

const EMI_MID = 'EMI00000000000000001'
const LAX_MID = 'LAX00000000000000001'
const world = {
  ...demoWorld,
  merchants: [
    ...demoWorld.merchants!,
    { mid: EMI_MID, debitCardEmi: true, keys: [{ clientId: 'C11', key: 'EMIEMIEMIEMIEMIE' }] },
    { mid: LAX_MID, checksumEnabled: false, keys: [{ clientId: 'C11', key: 'LAXLAXLAXLAXLAXL' }] },
  ],
}

const order = (orderId: string, more: object = {}) => orderBody(orderId, more)
const createPath = (orderId: string, mid = MID) => `/aoa-acquiring-biz/v2/order?mid=${mid}&orderId=${orderId}`
const modifyPath = (orderId: string, mid = MID) => `/aoa-acquiring-biz/v2/modifyOrder?mid=${mid}&orderId=${orderId}`
const forged = `${'A'.repeat(107)}=`
const zero = { txnAmount: { value: '0.00', currency: 'INR' } }

interface Case {
  code: keyof typeof createCodes
  message?: string
  what: string
  path?: string
  body?: object
  text?: string
  signature?: string | null
  key?: string
}

/** Every fault of a later row that is possible here. */
const wrongAll = { ...zero, websiteName: 'NONE', enablePaymentMode: [{ mode: 'CASH' }], requestType: 'GIFT' }

const createCases: Case[] = [
  { code: 'invalidBody', what: 'text that is not JSON', text: '{"head":{},"body":' },
  { code: 'invalidBody', what: 'a head that is a list', text: '{"head":[],"body":{"mid":1}}' },
  {
    code: 'missingParam',
    what: 'a query without orderId, and everything wrong',
    path: `/aoa-acquiring-biz/v2/order?mid=${MID}`,
    body: order('dup', wrongAll),
    signature: forged,
  },
  {
    code: 'missingParam',
    what: 'a query with mid twice',
    path: `${createPath('dup')}&mid=OTHER`,
    body: order('dup', wrongAll),
    signature: forged,
  },
  {
    code: 'missingElement',
    what: 'no userInfo, another mid in the query, and everything wrong',
    path: createPath('dup', 'OTHER'),
    body: order('dup', { ...wrongAll, userInfo: null }),
    signature: forged,
  },
  {
    code: 'missingElement',
    what: 'an empty websiteName counts as none',
    body: order('dup', { ...zero, websiteName: '' }),
    signature: forged,
  },
  {
    code: 'midMismatch',
    what: 'another mid and orderId in the query',
    path: createPath('other', 'OTHER'),
    body: order('dup', wrongAll),
    signature: forged,
  },
  {
    code: 'orderIdMismatch',
    what: 'another orderId in the query',
    path: createPath('other'),
    body: order('dup', wrongAll),
    signature: forged,
  },
  {
    code: 'invalidField',
    message: 'Invalid requestType',
    what: 'a requestType of its own, and more wrong values',
    body: order('dup', wrongAll),
    signature: forged,
  },
  {
    code: 'invalidField',
    message: 'Invalid currency',
    what: 'a currency other than INR',
    body: order('dup', { txnAmount: { value: '0', currency: 'USD' } }),
    signature: forged,
  },
  {
    code: 'invalidTxnAmount',
    what: 'an amount of nothing, and an illegal mode',
    body: order('dup', { ...zero, enablePaymentMode: [{ mode: 'CASH' }] }),
    signature: forged,
  },
  {
    code: 'invalidTxnAmount',
    what: 'an amount with three decimals',
    body: order('dup', { txnAmount: { value: '1.005', currency: 'INR' } }),
    signature: forged,
  },
  {
    code: 'invalidMid',
    what: 'a mid of 21 characters',
    path: createPath('dup', 'M'.repeat(21)),
    body: order('dup', { mid: 'M'.repeat(21), enablePaymentMode: [{ mode: 'CASH' }] }),
    signature: forged,
  },
  {
    code: 'illegalParameter',
    message: "Parameter '[txnRoutingParams.rule]' has invalid value '[x]'",
    what: 'a routing parameter that is no object',
    body: order('dup', { txnRoutingParams: { rule: 'x' } }),
    signature: forged,
  },
  {
    code: 'illegalParameter',
    message: "Parameter '[enablePaymentMode[0].mode]' has invalid value '[CASH]'",
    what: 'a payment mode nobody has',
    body: order('dup', { enablePaymentMode: [{ mode: 'CASH' }] }),
    signature: forged,
  },
  {
    code: 'invalidOrderId',
    what: 'an orderId of 51 characters',
    path: createPath('x'.repeat(51)),
    body: order('x'.repeat(51)),
    signature: forged,
  },
  {
    code: 'invalidMid',
    what: 'a merchant nobody knows',
    path: createPath('dup', 'NOBODY'),
    body: order('dup', { mid: 'NOBODY', websiteName: 'NONE' }),
    signature: forged,
  },
  { code: 'invalidChecksum', what: 'a forged signature', body: order('dup', { websiteName: 'NONE' }), signature: forged },
  { code: 'missingParam', what: 'no signature where the merchant wants one', body: order('dup', { websiteName: 'NONE' }), signature: null },
  {
    code: 'invalidField',
    message: 'Invalid websiteName',
    what: 'a website the merchant does not have',
    body: order('dup', { websiteName: 'NONE' }),
  },
  {
    code: 'invalidField',
    message: 'Invalid websiteName',
    what: 'a website called constructor',
    body: order('dup', { websiteName: 'constructor' }),
  },
  {
    code: 'missingElement',
    what: 'no mobile where a Debit Card EMI is offered',
    path: createPath('dup', EMI_MID),
    body: order('dup', { mid: EMI_MID }),
    key: 'EMIEMIEMIEMIEMIE',
  },
  { code: 'duplicateOrderId', what: 'an orderId that exists', body: order('dup') },
]

onBothStores('create order', (store) => {
  let faults: Faults | undefined
  const service = sharedService(store, {
    world,
    exit: () => {},
    store: (under) => {
      faults = withFaults(under)
      return faults.store
    },
  })

  test('a good request creates an order, with a token, a signed reply and one event', async () => {
    const { signed, ports } = await service()
    const reply = await signed(createPath('dup'), order('dup'), { head: { version: 'v2', clientId: 'C11' } })
    assert.equal(reply.status, 200)
    assert.deepEqual(reply.body.resultInfo, { resultStatus: 'S', resultCode: '0000', resultMsg: 'Success' })
    assert.match(reply.body.txnToken, /^[0-9a-f]{32}[0-9]{13}$/)
    assert.deepEqual([reply.head.version, reply.head.clientId], ['v2', 'C11'])
    assert.equal(await ports.merchantKeys.check(MID, 'C11', JSON.stringify(reply.body), reply.head.signature), 'valid')
    assert.ok(reply.text.startsWith('{"head":{') && reply.text.endsWith('}}'), 'head first, body last')
    const events = await ports.query.rows({ find: 'events', equals: { owner: MID, id: 'dup' }, limit: 10 })
    assert.deepEqual(
      events.map((event) => [event.type, event.version, event.fromStatus, event.toStatus]),
      [['order.created', 1, '', 'CREATED']],
    )
  })

  for (const { code, message, what, path, body, text, signature, key } of createCases) {
    test(`${createCodes[code].code}: ${what}`, async () => {
      const { signed, post, ports } = await service()
      const before = await countOrders(ports)
      const options = { ...(signature !== undefined && { signature }), ...(key !== undefined && { key }) }
      const reply =
        text !== undefined
          ? await post(createPath('dup'), text)
          : await signed(path ?? createPath(String((body as { orderId: string }).orderId)), body!, options)
      assert.equal(reply.status, 200)
      const { code: resultCode, status: resultStatus, message: resultMsg } = createCodes[code]
      const { extraParamsMap, ...resultInfo } = reply.body.resultInfo
      assert.deepEqual(resultInfo, { resultStatus, resultCode, resultMsg: message ?? resultMsg })
      assert.equal(typeof extraParamsMap, 'object')
      assert.equal(await countOrders(ports), before)
    })
  }

  for (const at of ['begin', 'read', 'write', 'commit', 'after commit'] as const satisfies readonly FaultPoint[]) {
    test(`501: a store that fails once at ${at}, and the service answers again afterwards`, async () => {
      const { signed } = await service()
      faults!.fail(at, new Error('the disk is on fire'))
      const reply = await signed(createPath(`fault-${at.replace(' ', '-')}`), order(`fault-${at.replace(' ', '-')}`))
      assert.equal(reply.body.resultInfo.resultCode, createCodes.systemError.code)
      assert.ok(!reply.text.includes('fire'))
      const after = await signed(createPath(`after-${at.replace(' ', '-')}`), order(`after-${at.replace(' ', '-')}`))
      assert.equal(after.body.resultInfo.resultCode, createCodes.success.code)
    })
  }

  test('a merchant without CHECKSUM_ENABLED may leave the signature out, but not send a wrong one', async () => {
    const { signed } = await service()
    const unsigned = await signed(createPath('lax1', LAX_MID), order('lax1', { mid: LAX_MID }), { signature: null })
    const wrong = await signed(createPath('lax2', LAX_MID), order('lax2', { mid: LAX_MID }), { signature: forged })
    assert.deepEqual([unsigned.body.resultInfo.resultCode, wrong.body.resultInfo.resultCode], ['0000', '2005'])
  })

  test('the payment host: its paths, its words, and two members more in the reply', async () => {
    const { signed } = await service()
    for (const [at, path] of [
      '/theia/api/v1/initiateTransaction',
      '/theia/api/v1/initiateTransaction/',
      '/order/initiate',
      '//order//initiate',
    ].entries()) {
      const body = {
        ...order(`pg${at}`),
        requestType: 'Payment',
        goods: { description: 'shirt', quantity: 2, price: { value: '10', currency: 'INR' } },
      }
      const reply = await signed(`${path}?mid=${MID}&orderId=pg${at}`, body)
      assert.equal(reply.body.resultInfo.resultCode, '0000')
      assert.deepEqual([reply.body.isPromoCodeValid, reply.body.authenticated], [false, false])
    }
  })

  test('the payment host says whether the customer is signed in, and remembers who it is', async () => {
    const running = await service()
    const { signed, ports, clock } = running
    const token = 'mohur_sso_test'
    await issueSsoToken(running, token, { expiresAt: clock.now() + 1_000 })
    const authenticated = async (orderId: string, paytmSsoToken: string) =>
      (
        await signed(
          `/theia/api/v1/initiateTransaction?mid=${MID}&orderId=${orderId}`,
          order(orderId, { requestType: 'Payment', paytmSsoToken }),
        )
      ).body.authenticated
    assert.equal(await authenticated('sso1', token), true)
    assert.equal((await ports.query.row(customerLinkKey(MID, 'C1')))?.userId, 'user-1')
    assert.equal(await authenticated('sso2', 'nobody'), false)
    clock.advance(1_000)
    assert.equal(await authenticated('sso3', token), false)
  })

  test('no payer ties a custId to themselves by a call that the merchant has not signed', async () => {
    const running = await service()
    const { signed, ports } = running
    await issueSsoToken(running, 'his-own', { userId: 'thief', familyId: 'family-2' })
    const body = order('lax3', { mid: LAX_MID, requestType: 'Payment', userInfo: { custId: 'VICTIM' }, paytmSsoToken: 'his-own' })
    const reply = await signed(`/theia/api/v1/initiateTransaction?mid=${LAX_MID}&orderId=lax3`, body, { signature: null })
    assert.deepEqual([reply.body.resultInfo.resultCode, reply.body.authenticated], ['0000', false])
    assert.equal(await ports.query.row(customerLinkKey(LAX_MID, 'VICTIM')), undefined)
  })

  test('an alias stands in for a member that is null', async () => {
    const { signed, ports } = await service()
    await signed(createPath('alias'), order('alias', { goodsInfo: null, goods: [{ unit: 'kg' }] }))
    assert.deepEqual((await ports.query.row(orderKey(MID, 'alias')))?.details.goodsInfo, [{ unit: 'kg' }])
  })

  test('a refusal is signed as soon as the query names a merchant, also when the body cannot be read', async () => {
    const { post, ports } = await service()
    for (const text of ['', '{', '{"head":{}}', '{"head":[],"body":{}}', '{"head":{},"body":{}}']) {
      const reply = await post(createPath('unread'), text)
      assert.equal(await ports.merchantKeys.check(MID, undefined, JSON.stringify(reply.body), reply.head.signature), 'valid', text)
      assert.equal((await post(createPath('unread', 'NOBODY'), text)).head.signature, undefined)
    }
  })

  test('the head repeats four characters of a version, whatever they are', async () => {
    const { post } = await service()
    const versionOf = async (version: string) => (await post(createPath('v'), JSON.stringify({ head: { version }, body: {} }))).head.version
    assert.equal(await versionOf('v2'), 'v2')
    assert.equal(await versionOf('v12345'), 'v123')
    assert.equal(await versionOf('₹😀😀😀😀'), '₹😀😀😀')
  })

  test('a map that is none is a wrong value, not one inside a map', async () => {
    const { signed } = await service()
    const many = Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`key${at}`, 'typed by a person']))
    for (const [member, value] of [
      ['extendInfo', 'x'],
      ['gatewayInfo', 5],
      ['txnRoutingParams', []],
      ['txnRoutingParams', [1]],
      ['extendInfo', many],
    ] as const) {
      const { resultInfo } = (await signed(createPath('map'), order('map', { [member]: value, websiteName: 'NONE' }))).body
      const isAbsent = Array.isArray(value) && value.length === 0
      assert.deepEqual([resultInfo.resultCode, resultInfo.resultMsg], ['1001', `Invalid ${isAbsent ? 'websiteName' : member}`])
    }
    const inArray = await signed(createPath('map'), order('map', { goodsInfo: [{ extendInfo: 'x' }] }))
    assert.equal(inArray.body.resultInfo.resultMsg, "Parameter '[goodsInfo[0].extendInfo]' has invalid value '[x]'")
  })

  test('every optional field is accepted, and what people typed is kept as it came', async () => {
    const { signed, ports } = await service()
    const details = {
      goodsInfo: [
        {
          merchantGoodsId: 'g1',
          snapshotUrl: 'https://shop.example/p.png',
          description: 'शर्ट',
          quantity: '2',
          unit: 'kg',
          price: { value: '5.00', currency: 'INR' },
          extendInfo: { udf1: null, udf2: '' },
        },
      ],
      shippingInfo: [
        { carrier: 'Post', chargeAmount: { value: '0', currency: 'INR' }, address1: 'Line 1\nLine 2', zipCode: '560001', email: 'a@b.in' },
      ],
      extendInfo: { udf1: 'x', mercUnqRef: '4111111111111111' },
      gatewayInfo: { k: 'v' },
      txnRoutingParams: { rule: { a: 1 } },
    }
    const body = order('full', {
      ...details,
      requestType: 'SUBSCRIPTION',
      userInfo: { custId: 'a@b!c=_$.', mobile: '9999900001', email: 'asha@example.in', firstName: 'Asha', lastName: 'Rao' },
      callbackUrl: 'https://shop.example/cb',
      peonUrl: 'https://shop.example/peon',
      ssoToken: { token: '123456', pg: 'X' },
      integrationType: 'SDK',
      enablePaymentMode: [
        { mode: 'EMI', banks: ['HDFC'], tenures: [3, 6] },
        { mode: 'UPI', channels: ['UPIPUSH'] },
      ],
      disablePaymentMode: { mode: 'CREDIT_CARD', channels: ['AMEX'] },
    })
    const reply = await signed(createPath('full'), body)
    assert.equal(reply.body.resultInfo.resultCode, '0000')
    const row = await ports.query.row(orderKey(MID, 'full'))
    assert.deepEqual(row?.details, { ...details, userInfo: body.userInfo, integrationType: 'SDK' })
    assert.deepEqual(
      [row?.callbackUrl, row?.peonUrl, row?.requestType],
      ['https://shop.example/cb', 'https://shop.example/peon', 'SUBSCRIPTION'],
    )
  })

  test('100 parallel requests for one orderId: one order, 99 duplicates', async () => {
    const { signed } = await service()
    const replies = await Promise.all(Array.from({ length: 100 }, () => signed(createPath('race'), order('race'))))
    const codes = replies.map((reply) => reply.body.resultInfo.resultCode)
    assert.equal(codes.filter((code) => code === '0000').length, 1)
    assert.equal(codes.filter((code) => code === '324').length, 99)
  })

  test('404, 405, 413 and 415 are HTTP statuses', async () => {
    const { post, url } = await service()
    const wrongPath = await post('/no/such/path', '{}')
    assert.deepEqual([wrongPath.status, wrongPath.body.errorDetails.errorCode], [404, 'SVE-003'])
    for (const path of ['/%zz', '/%', `/${'x'.repeat(500)}`]) {
      const noPath = await post(path, '{}')
      assert.deepEqual([noPath.status, noPath.text], [404, wrongPath.text])
    }
    assert.equal((await fetch(`${url}${createPath('x')}`)).status, 405)
    assert.equal((await post(createPath('x'), `{"a":"${'x'.repeat(65_536)}"}`)).status, 413)
    assert.equal((await post(createPath('x'), 'a=b', { 'content-type': 'application/x-www-form-urlencoded' })).status, 415)
  })
})

const countOrders = async (ports: Service['ports']) => (await ports.query.rows({ find: 'orders', limit: 10_000 })).length

// ---------------------------------------------------------------------------------------------------------- modify

onBothStores('modify order', (store) => {
  let faults: Faults | undefined
  const service = sharedService(store, {
    world,
    exit: () => {},
    store: (under) => {
      faults = withFaults(under)
      return faults.store
    },
  })
  const create = async (orderId: string) => {
    const running = await service()
    const created = await running.signed(createPath(orderId), order(orderId))
    assert.equal(created.body.resultInfo.resultCode, '0000')
    return { ...running, head: { tokenType: 'TXN_TOKEN', token: created.body.txnToken as string } }
  }
  const amount = (value: string) => ({ txnAmount: { value, currency: 'INR' } })

  test('a good request changes the amount and the goods, and is one event', async () => {
    const { signed, head, ports } = await create('m1')
    const goodsInfo = [{ description: 'two shirts' }]
    const reply = await signed(
      modifyPath('m1'),
      { ...amount('20.5'), goodsInfo, extendInfo: { udf4: 'x' } },
      { head: { ...head, requestTimestamp: 'whenever', channelId: 'WAP' } },
    )
    assert.deepEqual(reply.body, { resultInfo: { resultStatus: 'S', resultCode: '0000', resultMsg: 'Success' } })
    const row = await ports.query.row(orderKey(MID, 'm1'))
    assert.deepEqual([row?.amountPaise, row?.modifyCount, row?.version, row?.details.goodsInfo], [2050, 1, 2, goodsInfo])
    const events = await ports.query.rows({ find: 'events', equals: { owner: MID, id: 'm1' }, orderBy: ['version'], limit: 10 })
    assert.deepEqual(
      events.map((event) => [event.type, event.data['amountPaise']]),
      [
        ['order.created', 1000],
        ['order.modified', 2050],
      ],
    )
  })

  test('the reply is signed for the merchant of the query, whatever mid the body has', async () => {
    const { signed, head, ports } = await create('signs')
    for (const mid of [LAX_MID, 'NOBODY'])
      for (const [code, signature] of [['0000', null], ['2013']] as const) {
        const reply = await signed(modifyPath('signs'), { mid }, { head, ...(signature === null && { signature }) })
        assert.equal(codeOf(reply), code)
        assert.equal(await ports.merchantKeys.check(MID, undefined, JSON.stringify(reply.body), reply.head.signature), 'valid', mid)
      }
  })

  test('the payment host carries the token as head.txnToken', async () => {
    const { signed, head } = await create('m2')
    const reply = await signed(`/theia/api/v1/updateTransactionDetail?mid=${MID}&orderId=m2`, amount('20'), {
      head: { txnToken: head.token },
    })
    assert.equal(codeOf(reply), '0000')
  })

  test('every row of the table, each before the rows below it', async () => {
    const { signed, post, head } = await create('m3')
    const other = await create('m4')
    const bad = { head: { tokenType: 'TXN_TOKEN', token: 'nobody' }, signature: forged }
    const rows: [keyof typeof modifyCodes, Promise<{ body: { resultInfo: { resultCode: string; resultMsg: string } } }>, string?][] = [
      ['invalidBody', post(modifyPath('m3'), '[1]')],
      ['missingParam', signed(`/aoa-acquiring-biz/v2/modifyOrder?mid=${MID}`, amount('0'), bad)],
      ['missingParam', signed(modifyPath('m3'), amount('0'), { head: { tokenType: 'NONE' }, signature: forged })],
      [
        'invalidField',
        signed(modifyPath('m3'), amount('0'), { head: { tokenType: 'NONE', token: 'nobody' }, signature: forged }),
        'Invalid tokenType',
      ],
      ['invalidToken', signed(modifyPath('m3', 'OTHER'), amount('0'), bad)],
      ['midMismatch', signed(modifyPath('other', 'OTHER'), amount('0'), { head, signature: forged })],
      ['orderIdMismatch', signed(modifyPath('m4'), amount('0'), { head, signature: forged })],
      ['missingParam', signed(modifyPath('m3'), { txnAmount: { value: '0' } }, { head, signature: forged })],
      [
        'invalidField',
        signed(modifyPath('m3'), { txnAmount: { value: '1', currency: 'USD' } }, { head, signature: forged }),
        'Invalid currency',
      ],
      [
        'illegalParameter',
        signed(modifyPath('m3'), { goodsInfo: [{ price: { value: 'x', currency: 'INR' } }] }, { head, signature: forged }),
        'Parameter illegal',
      ],
      ['invalidTxnAmount', signed(modifyPath('m3'), amount('0'), { head, signature: forged })],
      ['invalidField', signed(modifyPath('m3'), amount('1'), { head, signature: forged }), 'Invalid signature'],
      ['invalidField', signed(modifyPath('m3'), { resultInfo: { resultStatus: 'S' } }, { head }), 'Invalid signature'],
      ['invalidField', signed(modifyPath('m3'), order('m3'), { head }), 'Invalid requestType'],
    ]
    for (const [name, replying, message] of rows) {
      const { resultCode, resultMsg } = (await replying).body.resultInfo
      assert.deepEqual([resultCode, resultMsg], [modifyCodes[name].code, message ?? modifyCodes[name].message], name)
    }
    const orders = { orderPaid: 'm4-paid', orderClosed: 'm4-closed', transactionInProcess: 'm4-busy', invalidToken: 'm4-open' } as const
    const made = {} as Record<keyof typeof orders, Awaited<ReturnType<typeof create>>>
    for (const [name, orderId] of Object.entries(orders)) made[name as keyof typeof orders] = await create(orderId)
    const payWith = (name: keyof typeof orders, means: object) =>
      pay(made[name], { orderId: orders[name], txnToken: made[name].head.token }, means)
    assert.equal(codeOf(await payWith('orderPaid', CARD)), '0000')
    assert.equal(codeOf(await payWith('transactionInProcess', { paymentMode: 'UPI', payerAccount: 'pending@upi' })), '0000')
    assert.equal(codeOf(await signed('/v1/order/close', { requestType: 'CLOSE', mid: MID, orderId: orders.orderClosed })), '0000')
    other.clock.advance(15 * 60_000) // beyond the tokens' life: the state is reported first
    for (const [name, orderId] of Object.entries(orders) as [keyof typeof orders, string][]) {
      const reply = await signed(modifyPath(orderId), amount('30'), { head: made[name].head })
      assert.equal(codeOf(reply), modifyCodes[name].code, name)
    }
  })

  test('a token lives for fifteen minutes less nothing', async () => {
    const { signed, head, clock } = await create('m5')
    clock.advance(15 * 60_000 - 1)
    assert.equal(codeOf(await signed(modifyPath('m5'), amount('11'), { head })), '0000')
    clock.advance(1)
    assert.equal(codeOf(await signed(modifyPath('m5'), amount('12'), { head })), '1006')
  })

  test('six parallel modifications: five succeed and one meets the limit', async () => {
    const { signed, head } = await create('m6')
    const replies = await Promise.all(
      Array.from({ length: 6 }, (_, at) => signed(modifyPath('m6'), amount(`2${at}`), { head, signature: null })),
    )
    const codes = replies.map(codeOf).sort()
    assert.deepEqual(codes, ['0000', '0000', '0000', '0000', '0000', '1111'])
    assert.ok(replies.some((reply) => reply.body.resultInfo.resultMsg === 'modification not allowed, limit of 5 reached'))
  })

  test('a signature for one order changes no other order for a day', async () => {
    const first = await create('m7')
    const second = await create('m8')
    const bodyText = JSON.stringify(amount('77'))
    const { signature } = (await first.ports.merchantKeys.sign(MID, undefined, bodyText))!
    const send = (to: typeof first, orderId: string) => to.signed(modifyPath(orderId), amount('77'), { head: to.head, signature })
    assert.equal(codeOf(await send(first, 'm7')), '0000')
    const replayed = await send(second, 'm8')
    assert.deepEqual([codeOf(replayed), replayed.body.resultInfo.resultMsg], ['1001', 'Invalid signature'])
    assert.equal(codeOf(await send(first, 'm7')), '0000', 'the merchant may repeat its own request')
    const remembered = async () => (await first.ports.query.rows({ find: 'usedSignatures', equals: { orderId: 'm7' }, limit: 10 })).length
    first.clock.advance(24 * 60 * 60_000 - 1)
    await first.tasks.runDue()
    assert.equal(await remembered(), 1)
    first.clock.advance(1)
    await first.tasks.runDue()
    assert.equal(await remembered(), 0)
  })

  for (const [setting, unsignedAmount, unsignedGoods] of [
    ['optional', '0000', '0000'],
    ['amount', '1012', '0000'],
    ['always', '1012', '1012'],
  ] as const) {
    test(`signedModify ${setting}: an unsigned amount answers ${unsignedAmount}, unsigned goods ${unsignedGoods}`, async () => {
      const { ports, store } = await service()
      const { loadWorld } = await import('../../../src/sandbox/world.ts')
      await loadWorld(store, ports.vault, { merchants: [{ mid: MID, signedModify: setting }] }, { signedModify: 'optional', now: 0 })
      const { signed, head } = await create(`s-${setting}`)
      const path = modifyPath(`s-${setting}`)
      assert.equal(codeOf(await signed(path, amount('5'), { head, signature: null })), unsignedAmount)
      assert.equal(codeOf(await signed(path, { goodsInfo: [{ unit: 'kg' }] }, { head, signature: null })), unsignedGoods)
      assert.equal(codeOf(await signed(path, amount('6'), { head })), '0000')
      assert.equal(codeOf(await signed(path, amount('7'), { head, signature: forged })), '1001')
      await loadWorld(store, ports.vault, { merchants: [{ mid: MID, signedModify: 'optional' }] }, { signedModify: 'optional', now: 0 })
    })
  }

  test('501: a store that fails once', async () => {
    for (const at of ['read', 'write', 'commit'] as const) {
      const { signed, head } = await create(`f-${at}`)
      faults!.fail(at, new Error('the disk is on fire'))
      assert.equal(codeOf(await signed(modifyPath(`f-${at}`), amount('5'), { head })), '501')
      assert.equal(codeOf(await signed(modifyPath(`f-${at}`), amount('5'), { head })), '0000')
    }
  })

  test('410: an unpaid order closes by itself after a day, and the token still finds it', async () => {
    const { signed, head, clock, tasks, ports } = await create('late')
    clock.advance(24 * 60 * 60_000 - 1)
    await tasks.runDue()
    assert.equal((await ports.query.row(orderKey(MID, 'late')))?.status, 'CREATED')
    clock.advance(1)
    const ran = await tasks.runDue()
    assert.ok(ran['order-expiry.due']! >= 1)
    assert.equal(codeOf(await signed(modifyPath('late'), amount('5'), { head })), '410')
    const events = await ports.query.rows({ find: 'events', equals: { owner: MID, id: 'late' }, orderBy: ['version'], limit: 10 })
    assert.deepEqual(
      events.map((event) => [event.type, event.toStatus]),
      [
        ['order.created', 'CREATED'],
        ['order.closed', 'CLOSED'],
      ],
    )
  })

  test('an order that cannot be opened keeps no other from closing, and closes once it can be', async () => {
    const { clock, tasks, ports, place } = await create('spoilt')
    await create('beside')
    const details = await alter<string>(place, "select details as value from orders where order_id = 'spoilt'")
    await alter(place, "update orders set details = 'v1.AAAA' where order_id = 'spoilt'")
    clock.advance(24 * 60 * 60_000)
    const statusOf = async (orderId: string) => (await ports.query.row(orderKey(MID, orderId)))?.status
    // A sweep that fails at one order goes on with the others.
    for (let tries = 0; tries < 100 && (await statusOf('beside')) === 'CREATED'; tries++) await tasks.runDue()
    assert.equal(await statusOf('beside'), 'CLOSED')
    await alter(place, `update orders set details = '${details}' where order_id = 'spoilt'`)
    assert.equal(await statusOf('spoilt'), 'CREATED')
    await tasks.runDue()
    assert.equal(await statusOf('spoilt'), 'CLOSED')
  })
})

/** Runs a statement beside the service, and returns the `value` of its row where it has one. */
async function alter<T>({ dataFolder, databaseUrl }: Service['place'], statement: string): Promise<T> {
  if (databaseUrl) {
    const client = new pg.Client(databaseUrl)
    await client.connect()
    const { rows } = await client.query(statement)
    await client.end()
    return rows[0]?.value
  }
  const database = new DatabaseSync(join(dataFolder, 'mohur.sqlite'), { timeout: 5_000 })
  const row = database.prepare(statement).get()
  database.close()
  return row?.['value'] as T
}
