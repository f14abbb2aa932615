// Mandates on bank accounts: taken with nothing paid, decided on by the bank days later, debited without a notice.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { subscriptionKey } from '../../src/tables.ts'
import { createOrder, pay, statusOf } from '../support/paying.ts'
import { MID, onBothStores, type Service, sharedService } from '../support/service.ts'
import { initiate, subscription } from '../support/subscription.ts'
import { events, journal, moveTo } from '../support/timeline.ts'
import { assertHolds } from '../support/verify.ts'

const ACCOUNT = { channelCode: 'HDFC', account_number: '10000012345', bankIfsc: 'HDFC0000001', USER_NAME: 'Asha', ACCOUNT_TYPE: 'SAVINGS' }
const QUARTERLY = {
  ...{ subscriptionAmountType: 'FIX', subscriptionMaxAmount: undefined, renewalAmount: '900.00', autoRenewal: true },
  ...{ subscriptionFrequencyUnit: 'QUARTER', subscriptionGraceDays: undefined, subscriptionPaymentMode: 'BANK_MANDATE' },
  ...{ mandateType: 'E_MANDATE', txnAmount: { value: '0.00', currency: 'INR' } },
}

async function begun(service: Service, orderId: string, more: object, means: object = ACCOUNT) {
  const reply = await initiate(service, subscription(orderId, { ...QUARTERLY, ...more }))
  assert.equal(reply.body.resultInfo.resultCode, '0000', reply.text)
  const { subscriptionId, txnToken } = reply.body as { subscriptionId: string; txnToken: string }
  const paid = await pay(service, { orderId, txnToken }, { paymentMode: 'BANK_MANDATE', mandateAuthMode: 'NET_BANKING', ...means })
  return { subscriptionId, paid }
}
const stateOf = async ({ edge }: Service, subscriptionId: string) => {
  const row = (await edge.query.row(subscriptionKey(MID, subscriptionId)))!
  return `${row.status} ${row.subStatus}`
}

onBothStores('a mandate on a bank account', (store) => {
  const service = sharedService(store)

  test('is taken with nothing paid, accepted a day later, and debited quarterly on the month’s last day until it expires', async () => {
    const running = await service()
    await moveTo(running, '2026-11-21 11:00:00')
    const { subscriptionId, paid } = await begun(running, 'ENACH', {
      subscriptionStartDate: '2026-11-30',
      subscriptionExpiryDate: '2027-11-30',
    })
    assert.equal(paid.body.resultInfo.resultStatus, 'S', paid.text)
    assert.equal(await stateOf(running, subscriptionId), 'IN_AUTHORIZATION SUBMITTED')
    const status = await statusOf(running, { orderId: 'ENACH' })
    assert.deepEqual([status.body.resultInfo.resultStatus, status.body.txnAmount], ['TXN_SUCCESS', '0.00'])
    await moveTo(running, '2027-12-02 00:00:00')
    const told = await events(running, subscriptionId)
    assert.deepEqual(told.slice(0, 4), [
      '2026-11-21 11:00:00 subscription.submitted',
      '2026-11-22 11:00:00 subscription.authorized',
      '2026-11-30 00:00:00 subscription.activated',
      '2026-11-30 00:00:00 20261130 collection.scheduled',
    ])
    assert.ok(told.includes('2027-12-01 00:00:00 subscription.expired'))
    assert.deepEqual(await journal(running, subscriptionId), [
      '2026-11-30 06:00:00 collect success 900.00',
      '2027-02-28 06:00:00 collect success 900.00',
      '2027-05-30 06:00:00 collect success 900.00',
      '2027-08-30 06:00:00 collect success 900.00',
      '2027-11-30 06:00:00 collect success 900.00',
    ])
    await assertHolds(running)
  })

  test('on paper takes five days and begins at once when its first day has come; one that the bank refuses is over', async () => {
    const running = await service()
    await moveTo(running, '2028-01-01 11:00:00')
    const dates = { subscriptionStartDate: '2028-01-03', subscriptionExpiryDate: '2028-12-03' }
    const paper = await begun(running, 'PAPER', { ...dates, mandateType: 'PAPER_MANDATE' })
    const refused = await begun(running, 'REFUSED', dates, { ...ACCOUNT, account_number: '10000000002' })
    await moveTo(running, '2028-01-07 00:00:00')
    assert.equal(await stateOf(running, paper.subscriptionId), 'ACTIVE ACTIVE')
    assert.equal(await stateOf(running, refused.subscriptionId), 'AUTHORIZATION_FAILED BANK_REFUSED')
    assert.deepEqual((await events(running, paper.subscriptionId)).slice(0, 3), [
      '2028-01-01 11:00:00 subscription.submitted',
      '2028-01-06 11:00:00 subscription.authorized',
      '2028-01-06 11:00:00 subscription.activated',
    ])
  })

  test('is for subscriptions that begin with it, and for accounts that are named', async () => {
    const running = await service()
    const order = await createOrder(running, 'PLAIN')
    const plain = await pay(running, order, { paymentMode: 'BANK_MANDATE', ...ACCOUNT })
    assert.equal(plain.body.resultInfo.resultMsg, 'Invalid paymentMode', plain.text)
    const dates = { subscriptionStartDate: '2028-03-03', subscriptionExpiryDate: '2028-12-03' }
    const { paid } = await begun(running, 'NAMELESS', dates, {})
    assert.equal(paid.body.resultInfo.resultMsg, 'Invalid paymentMode', paid.text)
    const unknown = await begun(running, 'NO-SUCH-BANK', dates, { ...ACCOUNT, channelCode: 'NONE' })
    assert.equal(unknown.paid.body.resultInfo.resultMsg, 'Invalid channelCode', unknown.paid.text)
  })
})
