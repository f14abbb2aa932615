// A mandate's life by the clock, as all parties see it: docs/interface.md section 3, docs/decisions/0017.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manage } from '../support/mandates/mandates.ts'
import { assertLife, renew, rupees, type Stage, stage } from '../support/mandates/scenario.ts'
import { moveTo } from '../support/mandates/timeline.ts'
import { statusOf } from '../support/paying/paying.ts'
import { onBothStores } from '../support/run/service.ts'
import { assertHolds } from '../support/store/verify.ts'

const preNotify = (running: Stage, subsId: string, amount: string, day: string) =>
  manage(running, '/subscription/preNotify', { subsId, txnAmount: amount, subscriptionScheduledExecutionDate: day })

onBothStores('a mandate', (store) => {
  const running = stage(store)

  test('on UPI with two days of grace is noticed 36 hours ahead and tried daily at six, until it has failed', async () => {
    const service = await running()
    await moveTo(service, '2026-11-21 11:00:00')
    const mandate = await service.consented('UPI-MONTHLY', {
      txnAmount: rupees('1.00'),
      renewalAmount: '499.00',
      subscriptionStartDate: '2026-12-05',
      subscriptionExpiryDate: '2027-02-05',
      subscriptionGraceDays: '2',
      subscriptionRetryCount: '2',
      payerAccount: 'debit-insufficient@upi',
    })
    await moveTo(service, '2027-01-03 19:00:00')
    await assertLife(service, mandate, {
      events: [
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
      ],
      bank: [
        '2026-11-21 11:00:00 authorize success 1.00',
        '2026-11-21 11:00:00 mandate success 499.00',
        '2026-12-03 18:00:00 notify success 499.00',
        '2026-12-05 06:00:00 collect insufficientFunds 499.00',
        '2026-12-06 06:00:00 collect insufficientFunds 499.00',
        '2026-12-07 06:00:00 collect insufficientFunds 499.00',
        '2027-01-03 18:00:00 notify success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS UPI-MONTHLY',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20261205_2',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20261205.1',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20261205.2',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20261205.3',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270105_2',
      ],
      payer: [
        '2026-11-21 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-12-2026 until 05-02-2027.',
        '2026-12-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-12-2026.',
        '2026-12-05 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 05-12-2026.',
        '2026-12-06 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 06-12-2026.',
        '2026-12-07 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 07-12-2026.',
        '2027-01-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-01-2027.',
      ],
    })
    await manage(service, '/subscription/cancel', { subsId: mandate.subscriptionId })
  })

  test('on a card that pays its first week at once is noticed for the next one', async () => {
    const service = await running()
    await moveTo(service, '2027-01-23 11:05:00')
    const mandate = await service.consented('CARD-WEEKLY', {
      txnAmount: rupees('200.00'),
      renewalAmount: '200.00',
      subscriptionFrequencyUnit: 'WEEK',
      subscriptionStartDate: '2027-01-23',
      subscriptionExpiryDate: '2027-02-14',
      subscriptionGraceDays: '2',
      subscriptionRetryCount: '1',
      card: '4000000000000341',
    })
    await moveTo(service, '2027-02-04 19:00:00')
    await assertLife(service, mandate, {
      events: [
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
      ],
      bank: [
        '2027-01-23 11:05:00 authorize success 200.00',
        '2027-01-23 11:05:00 mandate success 200.00',
        '2027-01-28 18:00:00 notify success 200.00',
        '2027-01-30 06:00:00 collect insufficientFunds 200.00',
        '2027-01-31 06:00:00 collect insufficientFunds 200.00',
        '2027-02-04 18:00:00 notify success 200.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS CARD-WEEKLY',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270130_2',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20270130.1',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20270130.2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270206_2',
      ],
      payer: [
        '2027-01-23 11:05:00 mandate-created: You have allowed Demo Stores to debit Rs 200.00 every week from 23-01-2027 until 14-02-2027.',
        '2027-01-28 18:00:00 pre-debit: Demo Stores will debit Rs 200.00 on 30-01-2027.',
        '2027-01-30 06:00:00 debit-failed: Demo Stores could not debit Rs 200.00 on 30-01-2027.',
        '2027-01-31 06:00:00 debit-failed: Demo Stores could not debit Rs 200.00 on 31-01-2027.',
        '2027-02-04 18:00:00 pre-debit: Demo Stores will debit Rs 200.00 on 06-02-2027.',
      ],
    })
    await manage(service, '/subscription/cancel', { subsId: mandate.subscriptionId })
  })

  test('of which a part is paid on its first day is debited a day after its notice, on UPI after the forbidden hours', async () => {
    const service = await running()
    await moveTo(service, '2027-02-20 11:05:00')
    const weekly = {
      txnAmount: rupees('2.00'),
      renewalAmount: '200.00',
      subscriptionFrequencyUnit: 'WEEK',
      subscriptionStartDate: '2027-02-20',
      subscriptionExpiryDate: '2027-02-26',
      subscriptionGraceDays: '2',
      subscriptionRetryCount: '1',
    }
    const card = await service.consented('CARD-PART', { ...weekly, card: '4111111111111111' })
    const upi = await service.consented('UPI-PART', weekly)
    await moveTo(service, '2027-02-27 12:00:00')
    await assertLife(service, card, {
      events: [
        '2027-02-20 11:05:00 subscription.activated',
        '2027-02-20 11:05:00 20270220 collection.scheduled',
        '2027-02-20 11:05:00 20270220 collection.noticed',
        '2027-02-21 11:05:00 20270220 collection.attempted',
        '2027-02-21 11:05:00 20270220 collection.collected',
        '2027-02-27 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-02-20 11:05:00 authorize success 2.00',
        '2027-02-20 11:05:00 mandate success 200.00',
        '2027-02-20 11:05:00 notify success 200.00',
        '2027-02-21 11:05:00 collect success 200.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS CARD-PART',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270220_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270220.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-02-20 11:05:00 mandate-created: You have allowed Demo Stores to debit Rs 200.00 every week from 20-02-2027 until 26-02-2027.',
        '2027-02-20 11:05:00 pre-debit: Demo Stores will debit Rs 200.00 on 21-02-2027.',
        '2027-02-21 11:05:00 debited: Demo Stores has debited Rs 200.00 on 21-02-2027.',
      ],
    })
    await assertLife(service, upi, {
      events: [
        '2027-02-20 11:05:00 subscription.activated',
        '2027-02-20 11:05:00 20270220 collection.scheduled',
        '2027-02-20 11:05:00 20270220 collection.noticed',
        '2027-02-21 13:00:00 20270220 collection.attempted',
        '2027-02-21 13:00:00 20270220 collection.collected',
        '2027-02-27 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-02-20 11:05:00 authorize success 2.00',
        '2027-02-20 11:05:00 mandate success 200.00',
        '2027-02-20 11:05:00 notify success 200.00',
        '2027-02-21 13:00:00 collect success 200.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS UPI-PART',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270220_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270220.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-02-20 11:05:00 mandate-created: You have allowed Demo Stores to debit Rs 200.00 every week from 20-02-2027 until 26-02-2027.',
        '2027-02-20 11:05:00 pre-debit: Demo Stores will debit Rs 200.00 on 21-02-2027.',
        '2027-02-21 13:00:00 debited: Demo Stores has debited Rs 200.00 on 21-02-2027.',
      ],
    })
  })

  test('from the 31st over a leap February is collected once a month, on its last day at the latest, and books add up', async () => {
    const service = await running()
    await moveTo(service, '2028-01-10 09:00:00')
    const mandate = await service.consented('MONTHLY-31', {
      txnAmount: rupees('1.00'),
      renewalAmount: '250.00',
      subscriptionStartDate: '2028-01-31',
      subscriptionExpiryDate: '2028-05-31',
      subscriptionGraceDays: '3',
    })
    await moveTo(service, '2028-06-10 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2028-01-10 09:00:00 subscription.activated',
        '2028-01-10 09:00:00 20280131 collection.scheduled',
        '2028-01-29 18:00:00 20280131 collection.noticed',
        '2028-01-29 18:00:00 20280229 collection.scheduled',
        '2028-01-31 06:00:00 20280131 collection.attempted',
        '2028-01-31 06:00:00 20280131 collection.collected',
        '2028-02-27 18:00:00 20280229 collection.noticed',
        '2028-02-27 18:00:00 20280331 collection.scheduled',
        '2028-02-29 06:00:00 20280229 collection.attempted',
        '2028-02-29 06:00:00 20280229 collection.collected',
        '2028-03-29 18:00:00 20280331 collection.noticed',
        '2028-03-29 18:00:00 20280430 collection.scheduled',
        '2028-03-31 06:00:00 20280331 collection.attempted',
        '2028-03-31 06:00:00 20280331 collection.collected',
        '2028-04-28 18:00:00 20280430 collection.noticed',
        '2028-04-28 18:00:00 20280531 collection.scheduled',
        '2028-04-30 06:00:00 20280430 collection.attempted',
        '2028-04-30 06:00:00 20280430 collection.collected',
        '2028-05-29 18:00:00 20280531 collection.noticed',
        '2028-05-31 06:00:00 20280531 collection.attempted',
        '2028-05-31 06:00:00 20280531 collection.collected',
        '2028-06-01 00:00:00 subscription.expired',
      ],
      bank: [
        '2028-01-10 09:00:00 authorize success 1.00',
        '2028-01-10 09:00:00 mandate success 250.00',
        '2028-01-29 18:00:00 notify success 250.00',
        '2028-01-31 06:00:00 collect success 250.00',
        '2028-02-27 18:00:00 notify success 250.00',
        '2028-02-29 06:00:00 collect success 250.00',
        '2028-03-29 18:00:00 notify success 250.00',
        '2028-03-31 06:00:00 collect success 250.00',
        '2028-04-28 18:00:00 notify success 250.00',
        '2028-04-30 06:00:00 collect success 250.00',
        '2028-05-29 18:00:00 notify success 250.00',
        '2028-05-31 06:00:00 collect success 250.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS MONTHLY-31',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20280131_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20280131.1',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20280229_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20280229.1',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20280331_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20280331.1',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20280430_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20280430.1',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20280531_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20280531.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2028-01-10 09:00:00 mandate-created: You have allowed Demo Stores to debit Rs 250.00 every month from 31-01-2028 until 31-05-2028.',
        '2028-01-29 18:00:00 pre-debit: Demo Stores will debit Rs 250.00 on 31-01-2028.',
        '2028-01-31 06:00:00 debited: Demo Stores has debited Rs 250.00 on 31-01-2028.',
        '2028-02-27 18:00:00 pre-debit: Demo Stores will debit Rs 250.00 on 29-02-2028.',
        '2028-02-29 06:00:00 debited: Demo Stores has debited Rs 250.00 on 29-02-2028.',
        '2028-03-29 18:00:00 pre-debit: Demo Stores will debit Rs 250.00 on 31-03-2028.',
        '2028-03-31 06:00:00 debited: Demo Stores has debited Rs 250.00 on 31-03-2028.',
        '2028-04-28 18:00:00 pre-debit: Demo Stores will debit Rs 250.00 on 30-04-2028.',
        '2028-04-30 06:00:00 debited: Demo Stores has debited Rs 250.00 on 30-04-2028.',
        '2028-05-29 18:00:00 pre-debit: Demo Stores will debit Rs 250.00 on 31-05-2028.',
        '2028-05-31 06:00:00 debited: Demo Stores has debited Rs 250.00 on 31-05-2028.',
      ],
    })
    const paid = await statusOf(service, { orderId: `A${mandate.subscriptionId}.20280229.1` })
    assert.equal(paid.body.resultInfo.resultStatus, 'TXN_SUCCESS', paid.text)
    assert.equal(paid.body.txnAmount, '250.00')
    await assertHolds(service)
  })

  test('on demand is debited on the days of which the merchant notifies the payer, and on no other', async () => {
    const service = await running()
    await moveTo(service, '2028-07-01 11:00:00')
    const mandate = await service.consented('ON-DEMAND', {
      txnAmount: rupees('1.00'),
      subscriptionAmountType: 'VARIABLE',
      subscriptionMaxAmount: '800.00',
      subscriptionFrequencyUnit: 'ONDEMAND',
      subscriptionFrequency: undefined,
      subscriptionGraceDays: undefined,
      subscriptionStartDate: '2028-07-01',
      subscriptionExpiryDate: '2028-09-01',
      autoRenewal: false,
      autoRetry: false,
    })
    const { subscriptionId } = mandate
    assert.equal((await renew(service, { subscriptionId }, 'OD-0', { txnAmount: rupees('120.00') })).body.resultInfo.resultCode, '3054')
    assert.equal((await preNotify(service, subscriptionId, '120.00', '2028-07-05')).body.resultInfo.code, '3006')
    await moveTo(service, '2028-07-05 08:00:00')
    assert.equal((await renew(service, { subscriptionId }, 'OD-1', { txnAmount: rupees('120.00') })).body.resultInfo.resultCode, '0000')
    await moveTo(service, '2028-07-05 09:00:00')
    assert.equal((await renew(service, { subscriptionId }, 'OD-2', { txnAmount: rupees('120.00') })).body.resultInfo.resultCode, '3903')
    await moveTo(service, '2028-08-10 09:00:00')
    assert.equal((await preNotify(service, subscriptionId, '700.00', '2028-08-12')).body.resultInfo.code, '3006')
    await moveTo(service, '2028-09-02 09:00:00')
    await assertLife(service, mandate, {
      events: [
        '2028-07-01 11:00:00 subscription.activated',
        '2028-07-01 11:00:00 20280705 collection.scheduled',
        '2028-07-01 11:00:00 20280705 collection.noticed',
        '2028-07-05 08:00:00 20280705 collection.attempted',
        '2028-07-05 08:00:00 20280705 collection.collected',
        '2028-08-10 09:00:00 20280812 collection.scheduled',
        '2028-08-10 09:00:00 20280812 collection.noticed',
        '2028-08-13 00:00:00 20280812 collection.missed',
        '2028-09-02 00:00:00 subscription.expired',
      ],
      bank: [
        '2028-07-01 11:00:00 authorize success 1.00',
        '2028-07-01 11:00:00 mandate success 800.00',
        '2028-07-01 11:00:00 notify success 120.00',
        '2028-07-05 08:00:00 collect success 120.00',
        '2028-08-10 09:00:00 notify success 700.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS ON-DEMAND',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20280705_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS OD-1',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20280812_2',
        'SUBSCRIPTION_MISS TXN_SUCCESS S_20280812_3',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2028-07-01 11:00:00 mandate-created: You have allowed Demo Stores to debit at most Rs 800.00 when the shop asks for it from 01-07-2028 until 01-09-2028.',
        '2028-07-01 11:00:00 pre-debit: Demo Stores will debit Rs 120.00 on 05-07-2028.',
        '2028-07-05 08:00:00 debited: Demo Stores has debited Rs 120.00 on 05-07-2028.',
        '2028-08-10 09:00:00 pre-debit: Demo Stores will debit Rs 700.00 on 12-08-2028.',
      ],
    })
  })
})
