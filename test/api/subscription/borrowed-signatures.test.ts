// A checksum covers the body alone. An id in the query, or a body that was signed for another operation, names no subscription
// (docs/interface.md sections 4.34 to 4.41 and 5.1).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subscriptionRow } from '../../support/mandates/mandates.ts'
import { type Name, newSubject, type Subject, sendTo, world } from '../../support/paying/signed-bodies.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, type Reply, type Service, sharedService } from '../../support/run/service.ts'

const money = { value: '100.00', currency: 'INR' }
const messageOf = ({ body }: Reply) => `${codeOf({ body } as Reply)} ${body.resultInfo.message ?? body.resultInfo.resultMsg}`

onBothStores('a borrowed signature', (store) => {
  const service = sharedService(store, { world })
  const send = async (running: Service, s: Subject, to: Name, body: object, query: Record<string, string> = {}) =>
    sendTo(running, to, { mid: MID, ...body }, { mid: MID, orderId: s.free, referenceId: `${s.custId}NEW`, ...query }, s)
  /** Nothing was collected or ended, and no other terms were requested. */
  const isAsItWas = async (running: Service, { renewable, notifiable }: Subject) => {
    for (const id of [renewable, notifiable]) {
      const { status, version, edit } = (await subscriptionRow(running, id))!
      assert.deepEqual([status, version, edit ?? null], ['ACTIVE', 2, null])
    }
  }

  test('an id in the query alone names no subscription', async () => {
    const running = await service()
    const s = await newSubject(running)
    const unnamed: [Name, object, string][] = [
      ['checkSubscriptionStatus', {}, '400 request cannot be validated'],
      ['cancelSubscription', {}, '400 Subscription Id field can not be empty'],
      ['modifySubscriptionStatus', { status: 'SUSPENDED' }, '400 request cannot be validated'],
      ['preNotify', { txnAmount: '100.00' }, '400 request cannot be validated'],
      ['preNotifyStatus', { referenceId: s.referenceId }, '400 request cannot be validated'],
      ['renewSubscription', { orderId: s.free, txnAmount: money }, '1007 Missing mandatory element'],
      ['consultSubscription', { amount: '100.00' }, '400 request cannot be validated'],
      ['editSubscription', { renewalAmount: '90.00' }, '400 request cannot be validated'],
    ]
    for (const [to, body, answer] of unnamed)
      for (const query of [{ subsId: s.renewable }, { subscriptionId: s.renewable }, { subsId: s.renewable, subscriptionId: s.renewable }])
        assert.equal(messageOf(await send(running, s, to, body, query)), answer, to)
    await isAsItWas(running, s)
  })

  test('an id in the query may agree with the body, and another is refused', async () => {
    const running = await service()
    const s = await newSubject(running)
    const [body, other] = [{ subsId: s.renewable }, s.notifiable]
    assert.equal(codeOf(await send(running, s, 'checkSubscriptionStatus', body, { subscriptionId: s.renewable })), '3006')
    for (const query of [{ subsId: other }, { subscriptionId: other }, { subsId: s.renewable, subscriptionId: other }])
      assert.equal(codeOf(await send(running, s, 'cancelSubscription', body, query)), '400')
    await isAsItWas(running, s)
  })

  test('no text that a payer’s browser may have ends a subscription, wherever its id stands', async () => {
    const running = await service()
    const s = await newSubject(running)
    const promo = { paymentOptions: [{ transactionAmount: '1.00', payMethod: 'UPI' }], totalTransactionAmount: '1.00', custId: s.custId }
    for (const [to, body] of [
      ['cancelSubscription', { ...promo, subsId: s.renewable }],
      ['checkSubscriptionStatus', { ...promo, subsId: s.renewable }],
      ['listSubscriptions', promo],
    ] as const)
      assert.equal(codeOf(await send(running, s, to, body, { subsId: s.renewable })), '400', to)
    await isAsItWas(running, s)
  })

  test('a body of one operation on subscriptions is none of another', async () => {
    const running = await service()
    const s = await newSubject(running)
    const [subsId, subscriptionId] = [s.renewable, s.renewable]
    const others: [what: string, to: Name, body: object, answer: string][] = [
      ['a pause', 'cancelSubscription', { subsId, status: 'SUSPENDED' }, '400'],
      ['a consult', 'cancelSubscription', { subsId, amount: '100.00' }, '400'],
      ['an edit', 'checkSubscriptionStatus', { subsId, renewalAmount: '90.00' }, '400'],
      ['a question after a notice', 'checkSubscriptionStatus', { subscriptionId, orderId: s.noticeOrderId }, '400'],
      ['a list of one', 'checkSubscriptionStatus', { subscriptionId, custId: s.custId }, '400'],
      ['a question after a subscription', 'preNotifyStatus', { subsId, orderId: s.noticeOrderId }, '3060'],
      ['a question by order', 'listSubscriptions', { orderId: s.consentOrderId, custId: s.custId }, '400'],
      ['a notice', 'renewSubscription', { subsId, orderId: s.free, txnAmount: money, txnDate: '22-06-2026' }, '2005'],
      ['a question after a notice', 'renewSubscription', { subscriptionId, orderId: s.free }, '1007'],
      ['a question after a notice', 'createAccessToken', { subsId, referenceId: `${s.custId}NEW` }, '2005'],
      ['a renewal', 'preNotify', { subscriptionId: s.notifiable, orderId: s.free, txnAmount: money }, '400'],
      [
        'a renewal, marked',
        'preNotify',
        { subsId: s.notifiable, orderId: s.free, txnAmount: money, requestType: 'RENEW_SUBCRIPTION' },
        '400',
      ],
    ]
    for (const [what, to, body, answer] of others) assert.equal(codeOf(await send(running, s, to, body)), answer, `${what} as ${to}`)
    await isAsItWas(running, s)
  })

  test('a member of no list is ignored, and a listed member counts whatever its value', async () => {
    const running = await service()
    const s = await newSubject(running)
    const status = async (more: object) => codeOf(await send(running, s, 'checkSubscriptionStatus', { subsId: s.renewable, ...more }))
    assert.deepEqual(
      [await status({ traceId: 'T1' }), await status({ toString: 'x' }), await status({ amount: '' })],
      ['3006', '3006', '3006'],
    )
    assert.deepEqual(
      [await status({ amount: 0 }), await status({ paytmReferenceId: 'N1' }), await status({ goods: [{}] })],
      ['400', '400', '400'],
    )
  })

  test('a question after a subscription may still end it: published clients sign the same for both', async () => {
    const running = await service()
    const s = await newSubject(running)
    assert.equal(codeOf(await send(running, s, 'checkSubscriptionStatus', { subsId: s.renewable })), '3006')
    assert.equal(codeOf(await send(running, s, 'cancelSubscription', { subsId: s.renewable })), '3006')
    assert.equal(codeOf(await send(running, s, 'cancelSubscription', { subsId: s.notifiable, custId: s.custId })), '400')
  })
})

onBothStores('a renewal', (store) => {
  const service = sharedService(store, { world })
  const renew = async (running: Service, s: Subject, more: object) =>
    sendTo(
      running,
      'renewSubscription',
      { mid: MID, orderId: s.free, subscriptionId: s.renewable, ...more },
      { mid: MID, orderId: s.free },
      s,
    )

  test('says its amount, also where it was agreed', async () => {
    const running = await service()
    const s = await newSubject(running)
    assert.equal(messageOf(await renew(running, s, {})), '1007 Missing mandatory element')
    assert.equal(messageOf(await renew(running, s, { txnAmount: { currency: 'INR' } })), '1007 Missing mandatory element')
    assert.equal(codeOf(await renew(running, s, { txnAmount: money })), '0000')
  })
})
