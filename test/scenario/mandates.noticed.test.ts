// What a payer was told is what he is debited: no more, no earlier, and of no day that is over. docs/interface.md section 4.37,
// docs/decisions/0017.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoWorld } from '../../src/sandbox/world.ts'
import { codeOf, manage } from '../support/mandates.ts'
import { pay } from '../support/paying.ts'
import { type Mandate, payer, rupees, scripted } from '../support/scenario.ts'
import { MID, onBothStores, type Service, sharedService } from '../support/service.ts'
import { initiate, subscription } from '../support/subscription.ts'
import { consented, events, journal, moveTo } from '../support/timeline.ts'
import { assertHolds } from '../support/verify.ts'

type Of = Pick<Mandate, 'subscriptionId'>
const VARYING = { subscriptionAmountType: 'VARIABLE', renewalAmount: undefined, autoRenewal: false }
/** Due on the 5th of a month. */
const monthly = (month: string, more: Record<string, unknown> = {}) => ({
  ...{ txnAmount: rupees('1.00'), renewalAmount: '499.00', subscriptionGraceDays: '2', subscriptionRetryCount: '2' },
  ...{ subscriptionStartDate: `${month}-05`, subscriptionExpiryDate: `${month}-20` },
  ...more,
})
const notify = async (service: Service, { subscriptionId }: Of, txnAmount: string, day: string) => {
  const asked = { subsId: subscriptionId, txnAmount, subscriptionScheduledExecutionDate: day }
  assert.equal(codeOf(await manage(service, '/subscription/preNotify', asked)), '3006')
  await service.tasks.runDue()
}
/** Its code and message, and until when it waits for which rule. */
async function renew(service: Service, { subscriptionId }: Of, orderId: string, value: string) {
  const asked = { mid: MID, orderId, subscriptionId, txnAmount: rupees(value) }
  const { body } = await service.signed(`/subscription/renew?mid=${MID}&orderId=${orderId}`, asked)
  await service.tasks.runDue()
  const { resultCode, resultMsg } = body.resultInfo
  return resultCode === '0000' ? [resultCode, body.rule, body.nextAttemptTime] : [resultCode, resultMsg]
}
const consult = async (service: Service, { subscriptionId }: Of, amount: string) => {
  const { body } = await manage(service, '/subscription/consult', { subsId: subscriptionId, amount })
  return [body.permitted, body.rule, body.nextPermittedTime]
}
/** On an account, due weekly from the 3rd of a month on; active since then. */
async function onAccount(service: Service, orderId: string, month: string, more: Record<string, unknown>) {
  await moveTo(service, `${month}-01 11:00:00`)
  const account = { account_number: '10000012345', bankIfsc: 'HDFC0000001', USER_NAME: 'Asha', ACCOUNT_TYPE: 'SAVINGS' }
  const dates = { subscriptionStartDate: `${month}-03`, subscriptionExpiryDate: `${month}-12`, subscriptionFrequencyUnit: 'WEEK' }
  const asked = {
    subscriptionGraceDays: undefined,
    subscriptionPaymentMode: 'BANK_MANDATE',
    mandateType: 'E_MANDATE',
    txnAmount: rupees('0.00'),
    ...dates,
    ...more,
  }
  const { body } = await initiate(service, subscription(orderId, asked))
  const { subscriptionId, txnToken } = body as { subscriptionId: string; txnToken: string }
  const means = { paymentMode: 'BANK_MANDATE', mandateAuthMode: 'NET_BANKING', channelCode: 'HDFC', ...account }
  const paid = await pay(service, { orderId, txnToken }, means)
  assert.notEqual(paid.body.resultInfo.resultStatus, 'F', paid.text)
  await moveTo(service, `${month}-08 20:00:00`)
  return { subscriptionId }
}
const ofCycle = async (service: Service, { subscriptionId }: Of, day: string) =>
  (await events(service, subscriptionId)).filter((line) => line.includes(` ${day} `) && !line.endsWith('scheduled'))

onBothStores('a payer who need not be told of a debit, and was,', (store) => {
  const { merchants } = demoWorld
  const running = sharedService(store, { world: { ...demoWorld, merchants: [{ ...merchants![0]!, mcc: '4111' }] } })

  test('is not debited for more than he was told, and what he has approved covers nothing larger', async () => {
    const service = await running()
    await moveTo(service, '2027-01-01 11:00:00')
    const mandate = await consented(service, 'TOLD-LESS', monthly('2027-01', { ...VARYING, subscriptionMaxAmount: '100000.00' }))
    await notify(service, mandate, '16000.00', '2027-01-05')
    assert.equal((await payer(service, mandate, 'approve')).status, 200)
    await moveTo(service, '2027-01-05 08:00:00')
    assert.deepEqual(await consult(service, mandate, '100000.00'), [false, 'moreThanNoticed', undefined])
    assert.deepEqual(await renew(service, mandate, 'TOLD-LESS-1', '100000.00'), ['3908', 'A rule forbids it: moreThanNoticed'])
    assert.deepEqual(await renew(service, mandate, 'TOLD-LESS-2', '16000.01'), ['3908', 'A rule forbids it: moreThanNoticed'])
    assert.deepEqual(await renew(service, mandate, 'TOLD-LESS-3', '16000.00'), ['0000', undefined, undefined])
    assert.deepEqual((await journal(service, mandate.subscriptionId)).slice(-1), ['2027-01-05 08:00:00 collect success 16000.00'])
    await assertHolds(service)
  })
  test('is debited for no more by his bank either, whether it has answered for the notice or not', async () => {
    const service = await running()
    for (const [orderId, month, outcome] of [
      ['BANK-TOLD', '2027-02', 'success'],
      ['BANK-TELLS', '2027-03', 'pending'],
    ] as const) {
      const mandate = await onAccount(service, orderId, month, { ...VARYING, subscriptionMaxAmount: '900.00' })
      await moveTo(service, `${month}-09 20:00:00`)
      await scripted(service, mandate, 'notify', [outcome])
      await notify(service, mandate, '100.00', `${month}-10`)
      await moveTo(service, `${month}-10 08:00:00`)
      assert.deepEqual(await renew(service, mandate, `${orderId}-1`, '900.00'), ['3908', 'A rule forbids it: moreThanNoticed'])
      assert.deepEqual(await renew(service, mandate, `${orderId}-2`, '100.00'), ['0000', undefined, undefined])
      await moveTo(service, `${month}-12 00:00:00`)
      assert.deepEqual((await journal(service, mandate.subscriptionId)).slice(-1), [`${month}-11 08:00:00 collect success 100.00`])
    }
    await assertHolds(service)
  })
})

onBothStores('a payer who was told of a later day', (store) => {
  const running = sharedService(store)

  test('is debited on that day and not before it, in the usual hour', async () => {
    const service = await running()
    await moveTo(service, '2027-01-01 11:00:00')
    const mandate = await consented(service, 'LATER-DAY', monthly('2027-01'))
    await notify(service, mandate, '499.00', '2027-01-07')
    await moveTo(service, '2027-01-08 00:00:00')
    assert.deepEqual(await ofCycle(service, mandate, '20270105'), [
      '2027-01-01 11:00:00 20270105 collection.noticed',
      '2027-01-07 06:00:00 20270105 collection.attempted',
      '2027-01-07 06:00:00 20270105 collection.collected',
    ])
    await assertHolds(service)
  })
  test('has a renewal wait until it begins, and is not debited meanwhile', async () => {
    const service = await running()
    await moveTo(service, '2027-02-01 11:00:00')
    const mandate = await consented(service, 'LATER-RENEWED', monthly('2027-02'))
    await notify(service, mandate, '499.00', '2027-02-07')
    await moveTo(service, '2027-02-05 08:00:00')
    assert.deepEqual(await consult(service, mandate, '499.00'), [false, 'noticedLater', '2027-02-07 00:00:00'])
    assert.deepEqual(await renew(service, mandate, 'LATER-RENEWED-1', '499.00'), ['0000', 'noticedLater', '2027-02-07 00:00:00'])
    await moveTo(service, '2027-02-08 00:00:00')
    assert.deepEqual(await ofCycle(service, mandate, '20270205'), [
      '2027-02-01 11:00:00 20270205 collection.noticed',
      '2027-02-05 08:00:00 20270205 collection.attempted',
      '2027-02-07 00:00:00 20270205 collection.collected',
    ])
    assert.deepEqual((await journal(service, mandate.subscriptionId)).slice(-1), ['2027-02-07 00:00:00 collect success 499.00'])
    await assertHolds(service)
  })
})
