// A merchant collects by hand: consent, notice, renewal and the bank's debit, by the clock, over HTTP, on both stores. Then the store must
// hold every invariant.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import { find } from '../../../src/tables/tables.ts'
import { manage } from '../../support/mandates/mandates.ts'
import { type Body, subscription } from '../../support/mandates/subscription.ts'
import { at } from '../../support/mandates/timeline.ts'
import { pay, statusOf } from '../../support/paying/paying.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'
import { assertHolds } from '../../support/store/verify.ts'

const operationPath = (name: keyof typeof operations) => operations[name].paths[0]!

/** Moves the clock through all work that is due until then. */
const until = ({ tasks, clock }: Service, time: string) =>
  tasks.advance(at(time), async (instant) => clock.advance(Math.max(0, instant - clock.now())))

async function consentByUpi(running: Service, orderId: string, more: object = {}): Promise<string> {
  const created = await running.signed(
    `/subscription/create?mid=${MID}&orderId=${orderId}`,
    subscription(orderId, { subscriptionRetryCount: '2', ...more }),
  )
  const paid = await pay(running, { orderId, txnToken: created.body.txnToken }, { paymentMode: 'UPI', payerAccount: 'asha@upi' })
  assert.equal(codeOf(paid), '0000', paid.text)
  await running.tasks.runDue()
  return created.body.subscriptionId
}
const renew = ({ signed }: Service, subscriptionId: string, orderId: string, value = '50.00') =>
  signed(`${operationPath('renewSubscription')}?mid=${MID}&orderId=${orderId}`, {
    mid: MID,
    orderId,
    subscriptionId,
    txnAmount: { value, currency: 'INR' },
  })
const check = (running: Service, subsId: string) => manage(running, operationPath('checkSubscriptionStatus'), { subsId })
const notify = (running: Service, subsId: string, more: Body = {}) =>
  manage(running, operationPath('preNotify'), { subsId, txnAmount: '50.00', ...more })
const collects = async ({ url }: Service) =>
  ((await (await fetch(`${url}/sandbox/bank/journal`)).json()) as { kind: string; amountPaise: number; outcome: string }[]).filter(
    ({ kind }) => kind === 'collect',
  )

onBothStores('a merchant who collects by hand', (store) => {
  const service = sharedService(store)

  test('gets the codes too early, deferred, collected and already collected, each at its time', async () => {
    const running = await service()
    const id = await consentByUpi(running, 'flow')
    const state = (await check(running, id)).body
    assert.deepEqual(
      [state.status, state.payMode, state.nextCollectionDate],
      ['ACTIVE', 'UPI', '2026-06-16'],
      'a day after the consent stands for the due day',
    )
    assert.equal(codeOf(await renew(running, id, 'flow-1')), '3904')

    const { referenceId } = (await notify(running, id, { txnDate: '15-06-2026' })).body
    await running.tasks.runDue()
    const reported = (await manage(running, operationPath('preNotifyStatus'), { subsId: id, referenceId })).body
    assert.deepEqual([reported.notificationStatus, reported.txnDate], ['SUCCESS', '16-06-2026 00:00'])

    await until(running, '2026-06-16 09:00:00')
    const accepted = (await renew(running, id, 'flow-2')).body
    assert.deepEqual(
      [accepted.resultInfo.resultCode, accepted.nextAttemptTime, accepted.rule],
      ['0000', '2026-06-16 13:00:00', 'noticeTooShort'],
    )
    assert.equal((await statusOf(running, { orderId: 'flow-2' })).body.resultInfo.resultStatus, 'PENDING')
    assert.equal(codeOf(await renew(running, id, 'flow-3')), '3909')
    await until(running, '2026-06-16 12:59:59')
    assert.deepEqual(await collects(running), [])

    await until(running, '2026-06-16 13:00:00')
    assert.deepEqual(
      (await collects(running)).map(({ amountPaise, outcome }) => [amountPaise, outcome]),
      [[50_00, 'success']],
    )
    assert.equal((await statusOf(running, { orderId: 'flow-2' })).body.resultInfo.resultStatus, 'TXN_SUCCESS')
    assert.equal(codeOf(await renew(running, id, 'flow-4')), '3903')
    const after = (await check(running, id)).body
    assert.deepEqual([after.collected, after.lastOrderId, after.lastOrderStatus, after.lastOrderAmount], [1, 'flow-2', 'SUCCESS', '50.00'])
    assert.deepEqual(
      [after.currentCycle.dueDate, after.currentCycle.state, after.nextCollectionDate],
      ['2026-07-15', 'SCHEDULED', '2026-07-15'],
    )
    const byOrder = await manage(running, operationPath('checkSubscriptionStatus'), { orderId: 'flow-2', custId: 'C1' })
    assert.equal(byOrder.body.subsId, id, 'the order of a collection names it too')
  })

  test('debits nothing that was cancelled between notice and debit, nor what was deferred', async () => {
    const running = await service()
    const [one, two] = [
      await consentByUpi(running, 'off-one', { subscriptionStartDate: '2026-06-20' }),
      await consentByUpi(running, 'off-two', { subscriptionStartDate: '2026-06-20' }),
    ]
    await until(running, '2026-06-18 18:00:00')
    for (const id of [one, two])
      assert.equal(codeOf(await notify(running, id, { subscriptionScheduledExecutionDate: '2026-06-20' })), '3006')
    await until(running, '2026-06-20 11:00:00')
    const before = (await collects(running)).length
    assert.equal((await renew(running, two, 'off-two-1')).body.nextAttemptTime, '2026-06-20 13:00:00')
    for (const id of [one, two]) assert.equal(codeOf(await manage(running, operationPath('cancelSubscription'), { subsId: id })), '3006')
    assert.equal(codeOf(await renew(running, one, 'off-one-1')), '3901')
    await until(running, '2026-07-31 00:00:00')
    assert.equal((await collects(running)).length, before)
    assert.equal((await statusOf(running, { orderId: 'off-two-1' })).body.resultInfo.resultStatus, 'TXN_FAILURE')
    const open = (await running.ports.query.rows(find('collections', { equals: { mid: MID }, limit: 100 }))).filter(
      ({ subscriptionId, nextAt }) => [one, two].includes(subscriptionId) && nextAt !== null,
    )
    assert.deepEqual(open, [], 'no cycle is without an end')
  })

  test('collects no cycle of a pause, and the next one again', async () => {
    const running = await service()
    const today = '2026-08-03'
    await until(running, `${today} 08:00:00`)
    const weekly = { subscriptionFrequencyUnit: 'WEEK', subscriptionGraceDays: '1', subscriptionStartDate: '2026-08-05' }
    const id = await consentByUpi(running, 'pause', weekly)
    const set = (status: string) => manage(running, operationPath('modifySubscriptionStatus'), { subsId: id, status })
    assert.equal(codeOf(await notify(running, id, { subscriptionScheduledExecutionDate: '2026-08-05' })), '3006')
    await until(running, '2026-08-05 07:00:00')
    assert.equal(codeOf(await set('SUSPENDED')), '3006')
    assert.equal(codeOf(await renew(running, id, 'pause-1')), '3901')
    await until(running, '2026-08-05 08:00:00')
    assert.equal(codeOf(await set('ACTIVE')), '3006')
    const missed = (await renew(running, id, 'pause-1')).body.resultInfo
    assert.deepEqual([missed.resultCode, missed.resultMsg], ['3908', 'A rule forbids it: windowOver, next 2026-08-12 00:00:00'])
    assert.equal(codeOf(await notify(running, id, { subscriptionScheduledExecutionDate: '2026-08-12' })), '3006')
    await until(running, '2026-08-12 07:00:00')
    const before = (await collects(running)).length
    assert.equal((await renew(running, id, 'pause-2')).body.nextAttemptTime, undefined)
    await running.tasks.runDue()
    assert.equal((await collects(running)).length, before + 1)
    assert.equal((await statusOf(running, { orderId: 'pause-2' })).body.resultInfo.resultStatus, 'TXN_SUCCESS')
    const cycles = await running.ports.query.rows(
      find('collections', { equals: { mid: MID, subscriptionId: id }, orderBy: ['dueDate'], limit: 9 }),
    )
    assert.deepEqual(
      cycles.map(({ dueDate, number, status }) => [dueDate, number, status]),
      [
        ['2026-08-05', 0, 'MISSED'],
        ['2026-08-12', 1, 'COLLECTED'],
        ['2026-08-19', 2, 'SCHEDULED'],
      ],
    )
  })

  test('may notify and collect what renews by itself: one notice, one debit', async () => {
    const running = await service()
    await until(running, '2026-08-28 08:00:00')
    const automatic = { subscriptionAmountType: 'FIX', subscriptionMaxAmount: null, renewalAmount: '50.00', autoRenewal: true }
    const starts = { subscriptionStartDate: '2026-09-01' }
    const [ours, theirs] = [
      await consentByUpi(running, 'auto-1', { ...automatic, ...starts }),
      await consentByUpi(running, 'auto-2', { ...automatic, ...starts }),
    ]
    const before = (await collects(running)).length
    await until(running, '2026-08-30 07:00:00')
    for (const id of [ours, theirs]) assert.equal(codeOf(await notify(running, id)), '3006', 'the next due day, which is two days ahead')
    for (const id of [ours, theirs])
      assert.equal(codeOf(await notify(running, id, { subscriptionScheduledExecutionDate: '2026-09-01' })), '3006')
    await until(running, '2026-09-01 00:30:00')
    const accepted = await renew(running, theirs, 'theirs-1')
    assert.deepEqual([codeOf(accepted), accepted.body.nextAttemptTime], ['0000', undefined])
    await running.tasks.runDue()
    assert.equal((await collects(running)).length, before + 1)
    await until(running, '2026-09-01 23:00:00')
    assert.equal((await collects(running)).length, before + 2)
    for (const id of [ours, theirs]) {
      const { collected, currentCycle } = (await check(running, id)).body
      assert.deepEqual([collected, currentCycle.dueDate], [1, '2026-10-01'])
      assert.equal((await running.ports.query.rows(find('notices', { equals: { mid: MID, subscriptionId: id }, limit: 9 }))).length, 1)
    }
  })

  test('leaves a store in which every invariant holds', async () => {
    await assertHolds(await service())
  })
})
