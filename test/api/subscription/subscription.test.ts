// The rows that Initiate Subscription writes for a valid request, over HTTP and on both stores.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expireOrder } from '../../../src/domain/order/expire-order.ts'
import { verify } from '../../../src/interface/checksum.ts'
import { customerLinkKey, orderKey, subscriptionKey } from '../../../src/tables/keys.ts'
import { find } from '../../../src/tables/tables.ts'
import {
  type Body,
  CREATE,
  fix,
  initiate,
  initiated,
  issueSsoToken,
  NEXT_YEAR,
  subscription,
  TODAY,
} from '../../support/mandates/subscription.ts'
import { orderBody } from '../../support/paying/order-body.ts'
import { KEY, MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'

const zero = { value: '0', currency: 'INR' }
const codeOf = async (service: Service, body: Body) => (await initiate(service, body)).body.resultInfo.resultCode

onBothStores('a subscription', (store) => {
  const service = sharedService(store)

  test('is answered with its id, a txnToken and authenticated, in a signed reply that names the key', async () => {
    const running = await service()
    const reply = await initiate(running, subscription('A1'), { head: { version: 'v1' } })
    assert.deepEqual(reply.body.resultInfo, {
      resultStatus: 'S',
      resultCode: '0000',
      resultMsg: 'Subscription initiated successfully',
    })
    assert.match(reply.body.txnToken, /^[0-9a-f]{32}[0-9]{13}$/)
    assert.match(reply.body.subscriptionId, /^[0-9]{26}$/)
    assert.equal(reply.body.authenticated, false)
    const { signature, ...head } = reply.head
    assert.deepEqual(head, { responseTimestamp: String(running.clock.now()), version: 'v1', clientId: 'C11' })
    assert.ok(verify(reply.text.slice(reply.text.indexOf('"body":') + 7, -1), signature, KEY))
  })

  test('is also made under the path of shipped clients, with a traceId', async () => {
    const { signed } = await service()
    const reply = await signed(`/theia/api/v1/subscription/create?mid=${MID}&orderId=A2&traceId=t-1`, subscription('A2'))
    assert.equal(reply.body.resultInfo.resultCode, '0000')
  })

  test('is one row with an order of its own and one event each', async () => {
    const running = await service()
    const account = {
      accountHolderName: 'A Person',
      channelCode: 'HDFC',
      accountNumber: '12345678901',
      ifsc: 'HDFC0000001',
      accountType: 'ISA',
    }
    const body = subscription('A3', {
      ...fix('25.50'),
      txnAmount: { value: '10', currency: 'INR' },
      userInfo: { custId: 'C3', mobile: '9999900001', email: 'a@b.in', firstName: 'A', stolen: 'x' },
      extendInfo: { udf1: 'one', comments: '' },
      autoRenewal: true,
      communicationManager: true,
      subscriptionFrequencyUnit: 'QUARTER',
      subscriptionFrequency: '2',
      subscriptionRetryCount: '3',
      appInvokeDevice: 'DEEPLINKQR',
      mandateType: 'E_MANDATE',
      mandateAccountDetails: { ...account, pin: '1234' },
      enablePaymentMode: [{ mode: 'UPI', channels: ['UPIPUSH'], banks: ['SBI'] }, { mode: 'BANK_MANDATE' }, {}],
      callbackUrl: 'https://shop.example/back',
      subscriptionPurpose: 'A magazine & its archive',
      status: 'ACTIVE',
      subscriptionId: 'mine',
    })
    const subscriptionId = await initiated(running, body)
    const now = running.clock.now()
    const row = await running.ports.query.row(subscriptionKey(MID, subscriptionId))
    assert.deepEqual(row, {
      mid: MID,
      subscriptionId,
      version: 1,
      status: 'INIT',
      subStatus: 'INIT',
      orderId: 'A3',
      custId: 'C3',
      amountType: 'FIX',
      txnAmountPaise: 1_000,
      renewalAmountPaise: 2_550,
      maxAmountPaise: 2_550,
      frequencyUnit: 'QUARTER',
      frequency: 2,
      startDate: TODAY,
      expiryDate: NEXT_YEAR,
      graceDays: 2,
      enableRetry: true,
      retryCount: 3,
      autoRenewal: true,
      autoRetry: false,
      communicationManager: true,
      appInvokeDevice: 'DEEPLINKQR',
      mandateType: 'E_MANDATE',
      paymentModes: ['UPI'], // a bank mandate has no first payment, so it is not offered
      details: { mobile: '9999900001', email: 'a@b.in', purpose: 'A magazine & its archive', mandateAccountDetails: account },
      createdAt: now,
      updatedAt: now,
      paymentMode: null,
      consentedAt: null,
      mandate: null,
      wakesAt: null,
      edit: null,
    })
    const order = await running.ports.query.row(orderKey(MID, 'A3'))
    assert.equal(order?.requestType, 'NATIVE_SUBSCRIPTION')
    assert.equal(order.subscriptionId, subscriptionId)
    assert.equal(order.amountPaise, 1_000)
    assert.equal(order.callbackUrl, 'https://shop.example/back')
    assert.deepEqual(order.details, {
      userInfo: { custId: 'C3', mobile: '9999900001', email: 'a@b.in', firstName: 'A' },
      extendInfo: { udf1: 'one', comments: '' },
    })
    assert.deepEqual(order.paymentModes.enable, [{ mode: 'UPI', channels: ['UPIPUSH'] }, { mode: 'BANK_MANDATE' }, {}])
    assert.ok(order.paymentModes.disable?.some(({ mode }) => mode === 'BANK_MANDATE'))
    const events = await running.ports.query.rows(find('events', { equals: { id: subscriptionId }, limit: 10 }))
    assert.deepEqual(
      events.map(({ type, version, fromStatus, toStatus }) => [type, version, fromStatus, toStatus]),
      [['subscription.created', 1, '', 'INIT']],
    )
    const ofOrder = await running.ports.query.rows(find('events', { equals: { id: 'A3' }, limit: 10 }))
    assert.deepEqual(
      ofOrder.map(({ type }) => type),
      ['order.created'],
    )
  })

  test('of a bank mandate has no first payment, needs no grace days and answers to the mandate URL', async () => {
    const running = await service()
    const body = subscription('A4', {
      ...fix('1000000.00'),
      txnAmount: zero,
      subscriptionGraceDays: null,
      subscriptionPaymentMode: 'BANK_MANDATE',
      mandateType: 'E_MANDATE',
    })
    const subscriptionId = await initiated(running, body)
    const order = await running.ports.query.row(orderKey(MID, 'A4'))
    assert.equal(order?.callbackUrl, 'http://127.0.0.1:8080/sandbox/shop/callback')
    assert.equal(order.amountPaise, 0)
    assert.deepEqual((await running.ports.query.row(subscriptionKey(MID, subscriptionId)))?.paymentModes, ['BANK_MANDATE'])
    assert.equal(await codeOf(running, { ...body, orderId: 'A4b', renewalAmount: '1000000.01' }), '4004')
    // No other mode can serve these terms, whether or not the request says so.
    const unreported = { ...body, orderId: 'A4c', ...fix('500000.00'), subscriptionGraceDays: '0', subscriptionPaymentMode: undefined }
    await initiated(running, unreported)
    assert.equal((await running.ports.query.row(orderKey(MID, 'A4c')))?.callbackUrl, 'http://127.0.0.1:8080/sandbox/shop/callback')
  })

  test('on demand ignores grace days, given or not', async () => {
    const running = await service()
    const onDemand = { subscriptionFrequencyUnit: 'ONDEMAND' }
    await initiated(running, subscription('A5', { ...onDemand, subscriptionGraceDays: null }))
    const subscriptionId = await initiated(running, subscription('A6', { ...onDemand, subscriptionGraceDays: '400' }))
    const row = await running.ports.query.row(subscriptionKey(MID, subscriptionId))
    assert.equal(row?.graceDays, 0)
  })

  test('may be given exactly what each rule allows', async () => {
    const running = await service()
    const allowed: Record<string, object> = {
      'a grace as long as the cycle': { subscriptionGraceDays: '30' },
      'a grace as long as two weeks': { subscriptionFrequencyUnit: 'WEEK', subscriptionFrequency: '2', subscriptionGraceDays: '14' },
      'three grace days for a card': { enablePaymentMode: [{ mode: 'CREDIT_CARD' }], subscriptionGraceDays: '3' },
      'four grace days when a card is not the only mode': {
        enablePaymentMode: [{ mode: 'CREDIT_CARD' }, { mode: 'UPI' }],
        subscriptionGraceDays: '4',
      },
      'an expiry on the start date': { subscriptionExpiryDate: TODAY },
      'a first payment at the maximum': { txnAmount: { value: '100.00', currency: 'INR' } },
      'a first payment at the renewal amount by UPI': { ...fix('10'), enablePaymentMode: [{ mode: 'UPI' }] },
      'a first payment above the renewal amount by card': { ...fix('9'), enablePaymentMode: [{ mode: 'CREDIT_CARD' }] },
      'FIX that recurs at the first payment': fix(null),
      'one lakh by UPI': { enablePaymentMode: [{ mode: 'UPI' }], subscriptionMaxAmount: '100000.00' },
      'above one lakh while a bank mandate is open': { subscriptionMaxAmount: '100000.01', mandateType: 'E_MANDATE', txnAmount: zero },
      'nothing at first': { txnAmount: zero },
      'a retry count without retries': { subscriptionEnableRetry: '0', subscriptionRetryCount: '3' },
      'postpaid by its other name': { enablePaymentMode: { mode: 'PAYTM_DIGITAL_CREDIT' } },
      'the mode UNKNOWN': { subscriptionPaymentMode: 'UNKNOWN' },
    }
    for (const [at, [what, more]] of Object.entries(allowed).entries())
      assert.equal(await codeOf(running, subscription(`B${at}`, more)), '0000', what)
  })

  test('is refused by the rule that takes the last mode away', async () => {
    const running = await service()
    assert.equal(await codeOf(running, subscription('R1', { subscriptionMaxAmount: '100000.01' })), '4004') // and no mandateType
    const modes = { enablePaymentMode: [{ mode: 'UPI' }, { mode: 'CREDIT_CARD' }], subscriptionGraceDays: '4' }
    assert.equal(await codeOf(running, subscription('R2', { ...fix('9'), ...modes })), '2007') // cards were bound before
  })

  test('may start today in India, and not yesterday, whatever day it is in Greenwich', async () => {
    const running = await service()
    const before = running.clock.now()
    running.clock.advance(Date.parse('2026-06-16T00:00:00+05:30') - before - 1)
    assert.equal(await codeOf(running, subscription('D1', { subscriptionStartDate: '2026-06-15' })), '0000')
    running.clock.advance(1) // still 15 June in Greenwich
    assert.equal(await codeOf(running, subscription('D2', { subscriptionStartDate: '2026-06-15' })), '4001')
    assert.equal(await codeOf(running, subscription('D3', { subscriptionStartDate: '2026-06-16' })), '0000')
  })
})

onBothStores('a subscription with an SSO token', (store) => {
  const service = sharedService(store)

  test('is authenticated, and the first token says which user the customer is', async () => {
    const running = await service()
    await issueSsoToken(running, 'first', { userId: 'user-1' })
    await issueSsoToken(running, 'second', { userId: 'user-2', familyId: 'family-2' })
    for (const [orderId, userInfo] of [
      ['S1', { custId: 'C1', svcSsoToken: 'first' }],
      ['S2', { custId: 'C1', paytmSsoToken: 'second' }],
    ] as const) {
      const reply = await initiate(running, subscription(orderId, { userInfo }))
      assert.equal(reply.body.authenticated, true, reply.text)
    }
    assert.equal((await running.ports.query.row(customerLinkKey(MID, 'C1')))?.userId, 'user-1')
  })

  test('that is revoked or expired is refused, and links no user', async () => {
    const running = await service()
    await issueSsoToken(running, 'revoked', { revokedAt: running.clock.now() })
    await issueSsoToken(running, 'expired', { expiresAt: running.clock.now() })
    for (const svcSsoToken of ['revoked', 'expired', 'no such'])
      assert.equal(await codeOf(running, subscription('S3', { userInfo: { custId: 'C2', svcSsoToken } })), '2004')
    assert.equal(await running.ports.query.row(customerLinkKey(MID, 'C2')), undefined)
  })

  test('may pay from a wallet that holds just enough, and from another mode whatever the wallet holds', async () => {
    const running = await service()
    await issueSsoToken(running, 'rich')
    await issueSsoToken(running, 'walletless', { mobile: '9999999999', userId: 'user-9' })
    const wallet = { enablePaymentMode: [{ mode: 'BALANCE' }], subscriptionMaxAmount: '9000' }
    const ask = (orderId: string, svcSsoToken: string, value: string, more: object = wallet) =>
      codeOf(running, subscription(orderId, { ...more, txnAmount: { value, currency: 'INR' }, userInfo: { custId: orderId, svcSsoToken } }))
    assert.equal(await ask('W1', 'rich', '5000.00'), '0000')
    assert.equal(await ask('W2', 'rich', '5000.01'), '4006')
    assert.equal(await ask('W3', 'rich', '5000.01', { ...wallet, enablePaymentMode: [{ mode: 'BALANCE' }, { mode: 'UPI' }] }), '0000')
    assert.equal(await ask('W4', 'walletless', '0.01'), '4006')
    const cardFallsAway = { ...wallet, enablePaymentMode: [{ mode: 'BALANCE' }, { mode: 'CREDIT_CARD' }], subscriptionGraceDays: '5' }
    assert.equal(await ask('W7', 'walletless', '0.01', cardFallsAway), '4006')
    assert.equal(await ask('W5', 'walletless', '0.00'), '0000')
    assert.equal(await codeOf(running, subscription('W6', { ...wallet, txnAmount: { value: '9000', currency: 'INR' } })), '0000')
  })

  test('shares its orderId with orders: whichever comes first takes it, and of many at once exactly one succeeds', async () => {
    const running = await service()
    const order = orderBody('X1', { txnAmount: { value: '1', currency: 'INR' } })
    const path = `/aoa-acquiring-biz/v2/order?mid=${MID}&orderId=`
    assert.equal((await running.signed(`${path}X1`, order)).body.resultInfo.resultCode, '0000')
    assert.equal(await codeOf(running, subscription('X1')), '2009')
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => initiate(running, subscription('X2', { userInfo: { custId: 'RACE' } }))),
    )
    const codes = replies.map(({ body }) => body.resultInfo.resultCode).sort()
    assert.deepEqual(codes, ['0000', ...Array(39).fill('2009')])
    assert.equal((await running.ports.query.rows(find('subscriptions', { equals: { custId: 'RACE' }, limit: 50 }))).length, 1)
    assert.equal((await running.signed(`${path}X2`, { ...order, orderId: 'X2' })).body.resultInfo.resultCode, '324')
  })

  test('without a consent is rejected as timed out when its order closes', async () => {
    const running = await service()
    const { engine, query } = running.ports
    const subscriptionId = await initiated(running, subscription('T1'))
    const { expiresAt } = (await query.row(orderKey(MID, 'T1')))!
    await engine.submit(expireOrder, { mid: MID, orderId: 'T1', now: expiresAt - 1 })
    assert.equal((await query.row(subscriptionKey(MID, subscriptionId)))?.status, 'INIT')
    await Promise.all([1, 2].map(() => engine.submit(expireOrder, { mid: MID, orderId: 'T1', now: expiresAt })))
    const row = await query.row(subscriptionKey(MID, subscriptionId))
    assert.deepEqual([row?.status, row?.subStatus, row?.version], ['REJECT', 'TIMED_OUT', 2])
    assert.equal((await query.row(orderKey(MID, 'T1')))?.status, 'CLOSED')
    const events = await query.rows(find('events', { equals: { id: subscriptionId }, orderBy: ['version'], limit: 10 }))
    assert.deepEqual(
      events.map(({ type, toStatus }) => [type, toStatus]),
      [
        ['subscription.created', 'INIT'],
        ['subscription.rejected', 'REJECT'],
      ],
    )
    assert.equal(await codeOf(running, subscription('T1')), '2009', 'the orderId stays taken')
  })

  test('keeps the amount of its order: Modify Order refuses another', async () => {
    const running = await service()
    const created = await initiate(running, subscription('M1'))
    const reply = await running.signed(
      `/aoa-acquiring-biz/v2/modifyOrder?mid=${MID}&orderId=M1`,
      { txnAmount: { value: '1', currency: 'INR' } },
      { head: { tokenType: 'TXN_TOKEN', token: created.body.txnToken } },
    )
    assert.equal(reply.body.resultInfo.resultCode, '2007')
  })

  test('refuses every wrong value of every member with a code of its table, and never with a system error', async () => {
    const running = await service()
    const wrong: unknown[] = [
      0,
      -1,
      true,
      [],
      {},
      [1],
      { value: 1 },
      'x'.repeat(3_000),
      '\u0001',
      '१२',
      ' ',
      '1e3',
      '99999999999',
      { toString: 'x' },
    ]
    for (const member of Object.keys(subscription('F1')).concat(
      'enablePaymentMode',
      'mandateAccountDetails',
      'subscriptionRetryCount',
      'renewalAmount',
    )) {
      for (const value of wrong) {
        const reply = await running.signed(`${CREATE}?mid=${MID}&orderId=F1`, { ...subscription('F1'), [member]: value })
        assert.equal(reply.status, 200)
        const { resultCode } = reply.body.resultInfo
        const harmless = member === 'enablePaymentMode' || member === 'mandateAccountDetails'
        if (resultCode === '0000') assert.ok(harmless || (Array.isArray(value) && value.length === 0), `${member} ${JSON.stringify(value)}`)
        assert.ok(/^(0000|1007|2007|2009|2013|2014|2022|4001)$/.test(resultCode), `${member} ${JSON.stringify(value)}: ${reply.text}`)
      }
    }
  })
})
