// Mandates with interruptions: pauses, outages, missing money, an end. As all parties see them. docs/interface.md section 3.

import { test } from 'node:test'
import { manage } from '../support/mandates/mandates.ts'
import { assertLife, type Mandate, rupees, type Stage, scripted, stage } from '../support/mandates/scenario.ts'
import { at, moveTo } from '../support/mandates/timeline.ts'
import { onBothStores } from '../support/run/service.ts'
import { assertHolds } from '../support/store/verify.ts'

const setStatus = (service: Stage, { subscriptionId }: Mandate, status: 'ACTIVE' | 'SUSPENDED') =>
  manage(service, '/subscription/subscription/status/modify', { subsId: subscriptionId, status })

onBothStores('a mandate by the book', (store) => {
  const running = stage(store)
  /** Each in its own year: monthly from 5 February. */
  const agreed = async (orderId: string, year: number, more: Record<string, unknown> = {}) => {
    const service = await running()
    await moveTo(service, `${year}-02-01 11:00:00`)
    const mandate = await service.consented(orderId, {
      ...{ txnAmount: rupees('1.00'), renewalAmount: '499.00', subscriptionGraceDays: '2', subscriptionRetryCount: '2' },
      ...{ subscriptionStartDate: `${year}-02-05`, subscriptionExpiryDate: `${year}-04-05` },
      ...more,
    })
    return { service, mandate }
  }

  test('that is paused over two due days misses both, and is collected again on the third', async () => {
    const { service, mandate } = await agreed('PAUSED-TWICE', 2027)
    await moveTo(service, '2027-02-04 23:30:00')
    await setStatus(service, mandate, 'SUSPENDED')
    await moveTo(service, '2027-03-06 09:00:00')
    await setStatus(service, mandate, 'ACTIVE')
    await moveTo(service, '2027-04-06 12:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-02-01 11:00:00 subscription.activated',
        '2027-02-01 11:00:00 20270205 collection.scheduled',
        '2027-02-03 18:00:00 20270205 collection.noticed',
        '2027-02-03 18:00:00 20270305 collection.scheduled',
        '2027-02-04 23:30:00 subscription.paused',
        '2027-02-05 06:00:00 20270205 collection.missed',
        '2027-03-03 18:00:00 20270405 collection.scheduled',
        '2027-03-05 00:00:00 20270305 collection.missed',
        '2027-03-06 09:00:00 subscription.resumed',
        '2027-04-03 18:00:00 20270405 collection.noticed',
        '2027-04-05 06:00:00 20270405 collection.attempted',
        '2027-04-05 06:00:00 20270405 collection.collected',
        '2027-04-06 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-02-01 11:00:00 authorize success 1.00',
        '2027-02-01 11:00:00 mandate success 499.00',
        '2027-02-03 18:00:00 notify success 499.00',
        '2027-02-04 23:30:00 pause success 499.00',
        '2027-03-06 09:00:00 resume success 499.00',
        '2027-04-03 18:00:00 notify success 499.00',
        '2027-04-05 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS PAUSED-TWICE',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270205_2',
        'SUBSCRIPTION_PAUSE TXN_SUCCESS S_3',
        'SUBSCRIPTION_MISS TXN_SUCCESS S_20270205_3',
        'SUBSCRIPTION_MISS TXN_SUCCESS S_20270305_2',
        'SUBSCRIPTION_RESUME TXN_SUCCESS S_4',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270405_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270405.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_5',
      ],
      payer: [
        '2027-02-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-02-2027 until 05-04-2027.',
        '2027-02-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-02-2027.',
        '2027-04-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-04-2027.',
        '2027-04-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-04-2027.',
      ],
    })
  })

  test('that is paused before midnight and resumed before six is not debited on that day', async () => {
    const { service, mandate } = await agreed('PAUSED-OVERNIGHT', 2028, { subscriptionExpiryDate: '2028-03-05' })
    await moveTo(service, '2028-02-04 23:30:00')
    await setStatus(service, mandate, 'SUSPENDED')
    await moveTo(service, '2028-02-05 04:30:00')
    await setStatus(service, mandate, 'ACTIVE')
    await moveTo(service, '2028-03-06 12:00:00')
    await assertLife(service, mandate, {
      events: [
        '2028-02-01 11:00:00 subscription.activated',
        '2028-02-01 11:00:00 20280205 collection.scheduled',
        '2028-02-03 18:00:00 20280205 collection.noticed',
        '2028-02-03 18:00:00 20280305 collection.scheduled',
        '2028-02-04 23:30:00 subscription.paused',
        '2028-02-05 04:30:00 subscription.resumed',
        '2028-02-05 04:30:00 20280205 collection.missed',
        '2028-03-03 18:00:00 20280305 collection.noticed',
        '2028-03-05 06:00:00 20280305 collection.attempted',
        '2028-03-05 06:00:00 20280305 collection.collected',
        '2028-03-06 00:00:00 subscription.expired',
      ],
      bank: [
        '2028-02-01 11:00:00 authorize success 1.00',
        '2028-02-01 11:00:00 mandate success 499.00',
        '2028-02-03 18:00:00 notify success 499.00',
        '2028-02-04 23:30:00 pause success 499.00',
        '2028-02-05 04:30:00 resume success 499.00',
        '2028-03-03 18:00:00 notify success 499.00',
        '2028-03-05 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS PAUSED-OVERNIGHT',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20280205_2',
        'SUBSCRIPTION_PAUSE TXN_SUCCESS S_3',
        'SUBSCRIPTION_RESUME TXN_SUCCESS S_4',
        'SUBSCRIPTION_MISS TXN_SUCCESS S_20280205_3',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20280305_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20280305.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_5',
      ],
      payer: [
        '2028-02-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-02-2028 until 05-03-2028.',
        '2028-02-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-02-2028.',
        '2028-03-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-03-2028.',
        '2028-03-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-03-2028.',
      ],
    })
  })

  test('whose attempt is in flight when it is paused ends with that attempt, and is not tried again when it is resumed', async () => {
    const { service, mandate } = await agreed('PAUSED-IN-FLIGHT', 2029, { subscriptionExpiryDate: '2029-02-20' })
    await scripted(service, mandate, 'collect', ['pending'])
    await moveTo(service, '2029-02-05 06:00:00')
    await setStatus(service, mandate, 'SUSPENDED')
    await moveTo(service, '2029-02-05 06:10:00')
    await setStatus(service, mandate, 'ACTIVE')
    await moveTo(service, '2029-02-21 12:00:00')
    await assertLife(service, mandate, {
      events: [
        '2029-02-01 11:00:00 subscription.activated',
        '2029-02-01 11:00:00 20290205 collection.scheduled',
        '2029-02-03 18:00:00 20290205 collection.noticed',
        '2029-02-05 06:00:00 subscription.paused',
        '2029-02-05 06:00:00 20290205 collection.attempted',
        '2029-02-05 06:00:00 20290205 collection.unwanted',
        '2029-02-05 06:10:00 subscription.resumed',
        '2029-02-06 06:00:00 20290205 collection.failed',
        '2029-02-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2029-02-01 11:00:00 authorize success 1.00',
        '2029-02-01 11:00:00 mandate success 499.00',
        '2029-02-03 18:00:00 notify success 499.00',
        '2029-02-05 06:00:00 pause success 499.00',
        '2029-02-05 06:10:00 resume success 499.00',
        '2029-02-06 06:00:00 collect timedOut 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS PAUSED-IN-FLIGHT',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20290205_2',
        'SUBSCRIPTION_PAUSE TXN_SUCCESS S_3',
        'SUBSCRIPTION_RESUME TXN_SUCCESS S_4',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20290205.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_5',
      ],
      payer: [
        '2029-02-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-02-2029 until 20-02-2029.',
        '2029-02-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-02-2029.',
        '2029-02-06 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 06-02-2029.',
      ],
    })
  })

  test('that may not be retried fails with its first attempt', async () => {
    const none = { subscriptionEnableRetry: '0', subscriptionRetryCount: undefined, payerAccount: 'debit-declined@upi' }
    const { service, mandate } = await agreed('NO-RETRY', 2030, { ...none, subscriptionExpiryDate: '2030-02-20' })
    await moveTo(service, '2030-02-21 12:00:00')
    await assertLife(service, mandate, {
      events: [
        '2030-02-01 11:00:00 subscription.activated',
        '2030-02-01 11:00:00 20300205 collection.scheduled',
        '2030-02-03 18:00:00 20300205 collection.noticed',
        '2030-02-05 06:00:00 20300205 collection.attempted',
        '2030-02-05 06:00:00 20300205 collection.failed',
        '2030-02-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2030-02-01 11:00:00 authorize success 1.00',
        '2030-02-01 11:00:00 mandate success 499.00',
        '2030-02-03 18:00:00 notify success 499.00',
        '2030-02-05 06:00:00 collect declined 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS NO-RETRY',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20300205_2',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20300205.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2030-02-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-02-2030 until 20-02-2030.',
        '2030-02-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-02-2030.',
        '2030-02-05 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 05-02-2030.',
      ],
    })
  })

  test('with as much grace as its cycle is tried to the day before the next one, and no day belongs to two', async () => {
    const { service, mandate } = await agreed('ALL-GRACE', 2031, {
      ...{ subscriptionFrequencyUnit: 'WEEK', subscriptionGraceDays: '7', subscriptionRetryCount: '3' },
      ...{ payerAccount: 'debit-declined@upi', subscriptionExpiryDate: '2031-02-20' },
    })
    await moveTo(service, '2031-02-21 12:00:00')
    await assertLife(service, mandate, {
      events: [
        '2031-02-01 11:00:00 subscription.activated',
        '2031-02-01 11:00:00 20310205 collection.scheduled',
        '2031-02-03 18:00:00 20310205 collection.noticed',
        '2031-02-03 18:00:00 20310212 collection.scheduled',
        '2031-02-05 06:00:00 20310205 collection.attempted',
        '2031-02-05 06:00:00 20310205 collection.attempt-failed',
        '2031-02-06 06:00:00 20310205 collection.attempted',
        '2031-02-06 06:00:00 20310205 collection.attempt-failed',
        '2031-02-07 06:00:00 20310205 collection.attempted',
        '2031-02-07 06:00:00 20310205 collection.attempt-failed',
        '2031-02-08 06:00:00 20310205 collection.attempted',
        '2031-02-08 06:00:00 20310205 collection.failed',
        '2031-02-10 18:00:00 20310212 collection.noticed',
        '2031-02-10 18:00:00 20310219 collection.scheduled',
        '2031-02-12 06:00:00 20310212 collection.attempted',
        '2031-02-12 06:00:00 20310212 collection.attempt-failed',
        '2031-02-13 06:00:00 20310212 collection.attempted',
        '2031-02-13 06:00:00 20310212 collection.attempt-failed',
        '2031-02-14 06:00:00 20310212 collection.attempted',
        '2031-02-14 06:00:00 20310212 collection.attempt-failed',
        '2031-02-15 06:00:00 20310212 collection.attempted',
        '2031-02-15 06:00:00 20310212 collection.failed',
        '2031-02-17 18:00:00 20310219 collection.noticed',
        '2031-02-19 06:00:00 20310219 collection.attempted',
        '2031-02-19 06:00:00 20310219 collection.attempt-failed',
        '2031-02-20 06:00:00 20310219 collection.attempted',
        '2031-02-20 06:00:00 20310219 collection.attempt-failed',
        '2031-02-21 00:00:00 subscription.expired',
        '2031-02-21 00:00:00 20310219 collection.failed',
      ],
      bank: [
        '2031-02-01 11:00:00 authorize success 1.00',
        '2031-02-01 11:00:00 mandate success 499.00',
        '2031-02-03 18:00:00 notify success 499.00',
        '2031-02-05 06:00:00 collect declined 499.00',
        '2031-02-06 06:00:00 collect declined 499.00',
        '2031-02-07 06:00:00 collect declined 499.00',
        '2031-02-08 06:00:00 collect declined 499.00',
        '2031-02-10 18:00:00 notify success 499.00',
        '2031-02-12 06:00:00 collect declined 499.00',
        '2031-02-13 06:00:00 collect declined 499.00',
        '2031-02-14 06:00:00 collect declined 499.00',
        '2031-02-15 06:00:00 collect declined 499.00',
        '2031-02-17 18:00:00 notify success 499.00',
        '2031-02-19 06:00:00 collect declined 499.00',
        '2031-02-20 06:00:00 collect declined 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS ALL-GRACE',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20310205_2',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20310205.1',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20310205.2',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20310205.3',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20310205.4',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20310212_2',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20310212.1',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20310212.2',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20310212.3',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20310212.4',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20310219_2',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20310219.1',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20310219.2',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2031-02-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every week from 05-02-2031 until 20-02-2031.',
        '2031-02-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-02-2031.',
        '2031-02-05 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 05-02-2031.',
        '2031-02-06 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 06-02-2031.',
        '2031-02-07 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 07-02-2031.',
        '2031-02-08 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 08-02-2031.',
        '2031-02-10 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 12-02-2031.',
        '2031-02-12 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 12-02-2031.',
        '2031-02-13 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 13-02-2031.',
        '2031-02-14 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 14-02-2031.',
        '2031-02-15 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 15-02-2031.',
        '2031-02-17 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 19-02-2031.',
        '2031-02-19 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 19-02-2031.',
        '2031-02-20 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 20-02-2031.',
      ],
    })
  })

  test('that did not run for three weeks is debited for what its window still holds, and has missed the rest', async () => {
    const weekly = { subscriptionFrequencyUnit: 'WEEK', subscriptionGraceDays: '5', subscriptionExpiryDate: '2032-03-04' }
    const { service, mandate } = await agreed('OUTAGE', 2032, weekly)
    await service.tasks.runDue() // the payer gets the notice before the outage
    service.clock.advance(at('2032-02-27 14:00:00') - service.clock.now())
    await moveTo(service, '2032-03-05 12:00:00')
    await assertLife(service, mandate, {
      events: [
        '2032-02-01 11:00:00 subscription.activated',
        '2032-02-01 11:00:00 20320205 collection.scheduled',
        '2032-02-27 14:00:00 20320205 collection.missed',
        '2032-02-27 14:00:00 20320212 collection.scheduled',
        '2032-02-27 14:00:00 20320212 collection.missed',
        '2032-02-27 14:00:00 20320219 collection.scheduled',
        '2032-02-27 14:00:00 20320219 collection.missed',
        '2032-02-27 14:00:00 20320226 collection.scheduled',
        '2032-02-27 14:00:00 20320226 collection.noticed',
        '2032-02-27 14:00:00 20320304 collection.scheduled',
        '2032-02-28 14:00:00 20320226 collection.attempted',
        '2032-02-28 14:00:00 20320226 collection.collected',
        '2032-03-02 18:00:00 20320304 collection.noticed',
        '2032-03-04 06:00:00 20320304 collection.attempted',
        '2032-03-04 06:00:00 20320304 collection.collected',
        '2032-03-05 00:00:00 subscription.expired',
      ],
      bank: [
        '2032-02-01 11:00:00 authorize success 1.00',
        '2032-02-01 11:00:00 mandate success 499.00',
        '2032-02-27 14:00:00 notify success 499.00',
        '2032-02-28 14:00:00 collect success 499.00',
        '2032-03-02 18:00:00 notify success 499.00',
        '2032-03-04 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS OUTAGE',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_MISS TXN_SUCCESS S_20320205_2',
        'SUBSCRIPTION_MISS TXN_SUCCESS S_20320212_2',
        'SUBSCRIPTION_MISS TXN_SUCCESS S_20320219_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20320226_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20320226.1',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20320304_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20320304.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2032-02-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every week from 05-02-2032 until 04-03-2032.',
        '2032-02-27 14:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 28-02-2032.',
        '2032-02-28 14:00:00 debited: Demo Stores has debited Rs 499.00 on 28-02-2032.',
        '2032-03-02 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 04-03-2032.',
        '2032-03-04 06:00:00 debited: Demo Stores has debited Rs 499.00 on 04-03-2032.',
      ],
    })
  })

  test('expires at the end of its last day, and nothing is debited from then on; the books add up', async () => {
    const { service, mandate } = await agreed('LAST-DAY', 2033, { subscriptionExpiryDate: '2033-03-05' })
    await moveTo(service, '2033-05-20 12:00:00')
    await assertLife(service, mandate, {
      events: [
        '2033-02-01 11:00:00 subscription.activated',
        '2033-02-01 11:00:00 20330205 collection.scheduled',
        '2033-02-03 18:00:00 20330205 collection.noticed',
        '2033-02-03 18:00:00 20330305 collection.scheduled',
        '2033-02-05 06:00:00 20330205 collection.attempted',
        '2033-02-05 06:00:00 20330205 collection.collected',
        '2033-03-03 18:00:00 20330305 collection.noticed',
        '2033-03-05 06:00:00 20330305 collection.attempted',
        '2033-03-05 06:00:00 20330305 collection.collected',
        '2033-03-06 00:00:00 subscription.expired',
      ],
      bank: [
        '2033-02-01 11:00:00 authorize success 1.00',
        '2033-02-01 11:00:00 mandate success 499.00',
        '2033-02-03 18:00:00 notify success 499.00',
        '2033-02-05 06:00:00 collect success 499.00',
        '2033-03-03 18:00:00 notify success 499.00',
        '2033-03-05 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS LAST-DAY',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20330205_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20330205.1',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20330305_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20330305.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2033-02-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-02-2033 until 05-03-2033.',
        '2033-02-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-02-2033.',
        '2033-02-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-02-2033.',
        '2033-03-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-03-2033.',
        '2033-03-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-03-2033.',
      ],
    })
    await assertHolds(service)
  })
})
