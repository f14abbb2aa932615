// A mandate's life by the clock: what happens when, and nothing else. docs/interface.md section 3, docs/decisions/0017.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statusOf } from '../support/paying.ts'
import { onBothStores, sharedService } from '../support/service.ts'
import { consented, events, journal, moveTo } from '../support/timeline.ts'
import { assertHolds } from '../support/verify.ts'

onBothStores('a mandate', (store) => {
  const service = sharedService(store)

  test('on UPI with two days of grace is noticed 36 hours ahead and tried daily at six, until it has failed', async () => {
    const running = await service()
    await moveTo(running, '2026-11-21 11:00:00')
    const { subscriptionId } = await consented(running, 'UPI-MONTHLY', {
      txnAmount: { value: '1.00', currency: 'INR' },
      renewalAmount: '499.00',
      subscriptionStartDate: '2026-12-05',
      subscriptionExpiryDate: '2027-02-05',
      subscriptionGraceDays: '2',
      subscriptionRetryCount: '2',
      payerAccount: 'debit-insufficient@upi',
    })
    await moveTo(running, '2027-01-03 19:00:00')
    assert.deepEqual(await events(running, subscriptionId), [
      '2026-11-21 11:00:00 subscription.activated',
      '2026-11-21 11:00:00 20261205 collection.scheduled',
      '2026-12-03 18:00:00 20261205 collection.noticed',
      '2026-12-03 18:00:00 20270105 collection.scheduled',
      '2026-12-05 06:00:00 20261205 collection.attempted',
      '2026-12-05 06:00:00 20261205 collection.attempt-failed',
      '2026-12-06 06:00:00 20261205 collection.attempted',
      '2026-12-06 06:00:00 20261205 collection.attempt-failed',
      '2026-12-07 06:00:00 20261205 collection.attempted',
      '2026-12-07 06:00:00 20261205 collection.failed',
      '2027-01-03 18:00:00 20270105 collection.noticed',
      '2027-01-03 18:00:00 20270205 collection.scheduled',
    ])
    assert.deepEqual(await journal(running, subscriptionId), [
      '2026-12-03 18:00:00 notify success 499.00',
      '2026-12-05 06:00:00 collect insufficientFunds 499.00',
      '2026-12-06 06:00:00 collect insufficientFunds 499.00',
      '2026-12-07 06:00:00 collect insufficientFunds 499.00',
      '2027-01-03 18:00:00 notify success 499.00',
    ])
  })

  test('on a card that pays its first week at once is noticed for the next one', async () => {
    const running = await service()
    await moveTo(running, '2027-01-23 11:05:00')
    const weekly = {
      txnAmount: { value: '200.00', currency: 'INR' },
      renewalAmount: '200.00',
      subscriptionFrequencyUnit: 'WEEK',
      subscriptionStartDate: '2027-01-23',
      subscriptionExpiryDate: '2027-02-14',
      subscriptionGraceDays: '2',
      subscriptionRetryCount: '1',
      card: '4000000000000341',
    }
    const { subscriptionId } = await consented(running, 'CARD-WEEKLY', weekly)
    await moveTo(running, '2027-02-04 19:00:00')
    assert.deepEqual(await events(running, subscriptionId), [
      '2027-01-23 11:05:00 subscription.activated',
      '2027-01-23 11:05:00 20270123 collection.collected',
      '2027-01-23 11:05:00 20270130 collection.scheduled',
      '2027-01-28 18:00:00 20270130 collection.noticed',
      '2027-01-28 18:00:00 20270206 collection.scheduled',
      '2027-01-30 06:00:00 20270130 collection.attempted',
      '2027-01-30 06:00:00 20270130 collection.attempt-failed',
      '2027-01-31 06:00:00 20270130 collection.attempted',
      '2027-01-31 06:00:00 20270130 collection.failed',
      '2027-02-04 18:00:00 20270206 collection.noticed',
      '2027-02-04 18:00:00 20270213 collection.scheduled',
    ])
  })

  test('from the 31st over a leap February is collected once a month, on its last day at the latest, and books add up', async () => {
    const running = await service()
    await moveTo(running, '2028-01-10 09:00:00')
    const { subscriptionId } = await consented(running, 'MONTHLY-31', {
      txnAmount: { value: '1.00', currency: 'INR' },
      renewalAmount: '250.00',
      subscriptionStartDate: '2028-01-31',
      subscriptionExpiryDate: '2028-05-31',
      subscriptionGraceDays: '3',
    })
    await moveTo(running, '2028-06-10 00:00:00')
    const collects = (await journal(running, subscriptionId)).filter((line) => line.includes(' collect '))
    assert.deepEqual(collects, [
      '2028-01-31 06:00:00 collect success 250.00',
      '2028-02-29 06:00:00 collect success 250.00',
      '2028-03-31 06:00:00 collect success 250.00',
      '2028-04-30 06:00:00 collect success 250.00',
      '2028-05-31 06:00:00 collect success 250.00',
    ])
    assert.equal((await events(running, subscriptionId)).at(-1), '2028-06-01 00:00:00 subscription.expired')
    const paid = await statusOf(running, { orderId: `A${subscriptionId}.20280229.1` })
    assert.equal(paid.body.resultInfo.resultStatus, 'TXN_SUCCESS', paid.text)
    assert.equal(paid.body.txnAmount, '250.00')
    await assertHolds(running)
  })
})
