// Payments through an account at Cashfree, by its simulator: from Create Order to the callback, the notification and the refund.
// docs/acquirer-cashfree.md.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { orderKey } from '../../src/tables/keys.ts'
import { accountAt, idOf, NET_BANKING, PAYER, UPI, WEBHOOK } from '../support/cashfree/account.ts'
import { CashfreeSimulator } from '../support/cashfree/simulator.ts'
import { issueSsoToken } from '../support/mandates/subscription.ts'
import { ask, formOf, newPage, Visitor, wordsOf } from '../support/pages/pages.ts'
import { byToken, OPTIONS, ask as put } from '../support/paying/options.ts'
import { createOrder, type Order, pay, statusOf } from '../support/paying/paying.ts'
import { refund, refundStatusOf, transactionOf } from '../support/paying/refunds.ts'
import { MID, onBothStores, type Service, startService } from '../support/run/service.ts'
import { changeWorld } from '../support/signin/signin.ts'
import { assertHolds } from '../support/store/verify.ts'

const MINUTE = 60_000

onBothStores('Cashfree', (store) => {
  let bank: CashfreeSimulator
  let service: Service
  const opened = async () => {
    bank ??= await CashfreeSimulator.start()
    service ??= await startService(store, { env: accountAt(bank.url) })
    return { bank, service }
  }
  after(async () => {
    await service?.close()
    await bank?.stop()
  })

  const hear = (webhook: { body: string; headers: Record<string, string> }) => service.call('POST', WEBHOOK, webhook.headers, webhook.body)
  const settled = async (txnId: string) => {
    await hear(bank.webhook(idOf(txnId)))
    await service.tasks.runDue()
  }
  const begun = async (orderId: string, means: object = UPI, order: object = PAYER) => {
    const created = await createOrder(service, orderId, order)
    const reply = await pay(service, created, means)
    assert.equal(reply.body.resultInfo.resultCode, '0000', reply.text)
    return { ...created, txnId: reply.body.txnId as string, reply }
  }

  test('UPI from Create Order to a paid order, by the webhook, and back by refunds', async () => {
    await opened()
    const { orderId, txnId, reply } = await begun('CF_UPI')
    assert.match(reply.body.deepLinkInfo.deepLink, /^upi:\/\/pay\?/)
    assert.equal((await statusOf(service, { orderId })).body.resultInfo.resultStatus, 'PENDING')
    bank.settle(idOf(txnId), 'SUCCESS')
    await settled(txnId)
    const { body } = await statusOf(service, { orderId })
    assert.equal(body.resultInfo.resultStatus, 'TXN_SUCCESS')
    assert.equal(body.bankTxnId, bank.orders.get(idOf(txnId))!.payments[0]!.bankReference)
    await refund(service, { orderId, txnId }, 'REF_1', '1.00')
    await service.tasks.runDue()
    assert.equal((await refundStatusOf(service, { orderId }, 'REF_1')).body.resultInfo.resultStatus, 'TXN_SUCCESS')
    assert.equal(bank.orders.get(idOf(txnId))!.refunds[0]!.amount, 1)
    await assertHolds(service)
  })

  test('a payer without a mobile number is refused by name, and nothing is asked of Cashfree', async () => {
    await opened()
    const created = await createOrder(service, 'CF_NO_MOBILE')
    const asked = bank.recorded.length
    const { body } = await pay(service, created, UPI)
    assert.deepEqual([body.resultInfo.resultCode, bank.recorded.length], ['1007', asked])
  })

  test('ways that Cashfree is not used for are not offered, and refused', async () => {
    await opened()
    const created = await createOrder(service, 'CF_OPTIONS', PAYER)
    const { body } = await put(service, byToken(OPTIONS, created.orderId, created.txnToken))
    type Mode = { paymentMode: string; payChannelOptions: { channelCode: string }[] }
    const modes = (body.merchantPayOption.paymentModes as Mode[]).map(({ paymentMode, payChannelOptions }) => [
      paymentMode,
      payChannelOptions.map(({ channelCode }) => channelCode),
    ])
    assert.deepEqual(
      modes.filter(([mode]) => mode !== 'BALANCE').sort(),
      [
        ['NET_BANKING', ['HDFC']],
        ['UPI', ['UPIPUSH']],
      ].sort(),
    )
    const asked = bank.recorded.length
    for (const means of [
      { paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032' },
      { paymentMode: 'UPI', payerAccount: 'payer@bank' },
      { paymentMode: 'NET_BANKING', channelCode: 'SBI' },
    ])
      assert.equal((await pay(service, created, means)).body.resultInfo.resultStatus, 'F', JSON.stringify(means))
    assert.equal(bank.recorded.length, asked)
  })

  test('what is below ₹1, or leaves less than ₹1 beside the wallet, is not offered, and costs no attempt', async () => {
    await opened()
    const mobile = '9111155501'
    await changeWorld(service, { customers: [{ mobile, walletBalance: '99.50' }] })
    const userId = service.ports.vault.hash('userId', mobile)
    const paytmSsoToken = await issueSsoToken(service, 'sso of CF_LITTLE', { userId, mobile })
    const little = await createOrder(service, 'CF_LITTLE', { ...PAYER, txnAmount: { value: '0.99', currency: 'INR' } })
    const shared = await createOrder(service, 'CF_SHARED', { ...PAYER, paytmSsoToken })
    const asked = bank.recorded.length
    type Mode = { paymentMode: string; isHybridDisabled: boolean }
    const offered = async ({ orderId, txnToken }: Order) =>
      ((await put(service, byToken(OPTIONS, orderId, txnToken))).body.merchantPayOption.paymentModes as Mode[])
        .filter(({ paymentMode }) => paymentMode !== 'BALANCE')
        .map(({ paymentMode, isHybridDisabled }) => [paymentMode, isHybridDisabled])
        .sort()
    assert.deepEqual(await offered(little), [])
    assert.deepEqual(await offered(shared), [
      ['NET_BANKING', true],
      ['UPI', true],
    ])
    const { body } = await put(service, byToken(OPTIONS, shared.orderId, shared.txnToken))
    assert.equal(body.paymentFlow, 'NONE')
    const said = async (order: Order, means: object) => (await pay(service, order, means)).body.resultInfo.resultMsg
    assert.equal(await said(little, UPI), 'Invalid paymentMode')
    assert.equal(await said(shared, { ...UPI, paymentFlow: 'HYBRID' }), 'Invalid paymentFlow')
    for (const { orderId } of [little, shared])
      assert.equal((await service.ports.query.row(orderKey(MID, orderId)))!.transactionCount, 0, orderId)
    assert.equal(bank.recorded.length, asked)
    assert.equal(await said(shared, UPI), 'Success')
  })

  test('a page promises no offer that leaves less than ₹1, and says when the wallet leaves so little of an order that was modified', async () => {
    await opened()
    await changeWorld(service, { promotions: [{ mid: MID, promocode: 'TEN_OFF', flat: '10.00' }] })
    const offered = { ...PAYER, simplifiedPaymentOffers: { applyAvailablePromo: true } }
    const little = new Visitor(
      service,
      (await newPage(service, 'CF_TEN', { ...offered, txnAmount: { value: '10.50', currency: 'INR' } })).page,
    )
    await little.look()
    assert.equal(formOf(little.last.text, { panel: 'upi' }).fields['amount'], '1050')
    await little.send({ panel: 'upi' })
    assert.equal((await service.ports.query.row(orderKey(MID, 'CF_TEN')))!.transactionCount, 1)

    const mobile = '9111155502'
    await changeWorld(service, { customers: [{ mobile, walletBalance: '50.00' }] })
    const userId = service.ports.vault.hash('userId', mobile)
    const paytmSsoToken = await issueSsoToken(service, 'sso of CF_MEANWHILE', { userId, mobile })
    for (const [language, says] of [
      ['en', /Your wallet cannot pay a part of this\. Pay without it, or another way\./],
      ['hi', /इसका कुछ हिस्सा आपके वॉलेट से नहीं दिया जा सकता।/],
    ] as const) {
      const { page, order } = await newPage(service, `CF_MEANWHILE_${language}`, { ...PAYER, paytmSsoToken })
      const { text } = await ask(service, page, undefined, { 'accept-language': language })
      const { action, fields } = formOf(text, { panel: 'upi' })
      const head = { tokenType: 'TXN_TOKEN', token: order.txnToken }
      const less = { txnAmount: { value: '50.50', currency: 'INR' } }
      const modified = await service.signed(`/aoa-acquiring-biz/v2/modifyOrder?mid=${MID}&orderId=${order.orderId}`, less, { head })
      assert.equal(modified.body.resultInfo.resultStatus, 'S')
      const refused = await ask(service, action, { ...fields, share: '1' }, { 'accept-language': language })
      assert.equal(refused.status, 422)
      assert.match(wordsOf(refused.text), says)
      assert.doesNotMatch(refused.text, /name="share"/)
    }
  })

  test('net banking goes to the bank by a form of Mohur’s, which believes nothing that it brings', async () => {
    await opened()
    const { txnId, reply } = await begun('CF_NB', NET_BANKING)
    const { actionUrl, method, content } = reply.body.bankForm.redirectForm
    assert.deepEqual([method, content], ['post', {}])
    const evil = new URLSearchParams({ mid: 'OTHER', txnId: '1', actionUrl: 'https://evil.example/' })
    const onward = await fetch(actionUrl, { method: 'POST', body: evil, redirect: 'manual' })
    assert.equal(onward.status, 303)
    assert.match(onward.headers.get('location')!, /^http:\/\/127\.0\.0\.1:[0-9]+\/pg\/view\/gateway\//)
    bank.settle(idOf(txnId), 'FAILED')
    await settled(txnId)
    const over = await fetch(actionUrl, { method: 'POST', redirect: 'manual' })
    assert.equal(over.headers.get('location'), `/transaction/return?mid=${MID}&txnId=${txnId}`)
    const unknown = await fetch(actionUrl.replace(txnId, '1'), { method: 'POST', redirect: 'manual' })
    assert.equal(unknown.status, 404)
  })

  test('a webhook is a hint: unsigned, altered, stale, early, of another account or order it moves nothing', async () => {
    await opened()
    const { orderId, txnId } = await begun('CF_HOOKS')
    const id = idOf(txnId)
    bank.settle(id, 'SUCCESS')
    const good = bank.webhook(id)
    const now = Date.now()
    const refused = [
      { ...good, headers: { ...good.headers, 'x-webhook-signature': '' } },
      { ...good, body: good.body.replace('"order_amount":100', '"order_amount":1') },
      { ...good, body: `${good.body} ` },
      bank.webhook(id, { at: now - 5 * MINUTE - 1_000 }),
      bank.webhook(id, { at: now + 6 * MINUTE }),
      bank.webhook(id, { secret: 'of another account' }),
      { ...good, headers: { ...good.headers, 'x-webhook-timestamp': 'now' } },
    ]
    for (const webhook of refused) assert.equal((await hear(webhook)).status, 401, JSON.stringify(webhook.headers))
    const meaningless = [
      bank.webhook(id, { tags: { key: `${MID}:1` } }),
      bank.webhook(id, { tags: {} }),
      bank.webhook(id, { tags: { key: 'x'.repeat(129) } }),
    ]
    for (const webhook of meaningless) assert.equal((await hear(webhook)).status, 200)
    assert.equal((await hear({ ...good, body: 'x'.repeat(64 * 1024 + 1) })).status, 413)
    await service.tasks.runDue()
    assert.equal((await statusOf(service, { orderId })).body.resultInfo.resultStatus, 'PENDING')
    for (let times = 0; times < 3; times++) assert.equal((await hear(good)).status, 200)
    await service.tasks.runDue()
    assert.equal((await statusOf(service, { orderId })).body.resultInfo.resultStatus, 'TXN_SUCCESS')
  })

  test('a payment whose answers are all lost is found by the schedule, and paid once', async () => {
    await opened()
    bank.begins = 'SUCCESS'
    bank.fail('POST', /sessions$/, { when: 'after', how: 'break' })
    const created = await createOrder(service, 'CF_LOST', PAYER)
    const reply = await pay(service, created, UPI)
    const txnId = reply.body.txnId as string
    bank.begins = 'PENDING'
    service.clock.advance(2 * MINUTE)
    await service.tasks.runDue()
    assert.equal((await statusOf(service, created)).body.resultInfo.resultStatus, 'TXN_SUCCESS')
    assert.equal(bank.orders.get(idOf(txnId))!.payments.length, 1)
    assert.equal((await transactionOf(service, { txnId })).capturedPaise, 10_000)
  })

  test('a payment that was reported failed and is paid late is never kept, and given back once', async () => {
    await opened()
    const { orderId, txnId } = await begun('CF_LATE')
    const id = idOf(txnId)
    bank.settle(id, 'FAILED')
    await settled(txnId)
    assert.equal((await statusOf(service, { orderId })).body.resultInfo.resultStatus, 'TXN_FAILURE')
    bank.settle(id, 'SUCCESS')
    bank.giveBack(id)
    await settled(txnId)
    service.clock.advance(73 * 60 * MINUTE)
    await service.tasks.runDue()
    assert.equal(bank.orders.get(id)!.refunds.length, 1)
    assert.equal((await transactionOf(service, { txnId })).capturedPaise, 0)
    await assertHolds(service)
  })
})
