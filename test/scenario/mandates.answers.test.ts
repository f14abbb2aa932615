// Banks' answers to notices and debits, and the cycle's state afterwards, as all parties see it, to the second.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { find } from '../../src/tables/tables.ts'
import { manage } from '../support/mandates/mandates.ts'
import { assertLife, cycleOf, type Mandate, renew, rupees, type Stage, scripted, stage } from '../support/mandates/scenario.ts'
import { moveTo } from '../support/mandates/timeline.ts'
import { bankJournal } from '../support/paying/paying.ts'
import { MID, onBothStores } from '../support/run/service.ts'
import { assertHolds } from '../support/store/verify.ts'

const collected = async (running: Stage, { subscriptionId }: Mandate) =>
  (await bankJournal(running)).filter(
    ({ key, kind, outcome }) => key.includes(`:${subscriptionId}:`) && kind === ('collect' as string) && outcome === 'success',
  ).length

onBothStores('a bank', (store) => {
  const running = stage(store)
  /** One cycle in its own month: due on the 5th, with two days of grace and two retries. */
  const agreed = async (orderId: string, month: string, more: Record<string, unknown> = {}, day = '01') => {
    const service = await running()
    await moveTo(service, `${month}-${day} 11:00:00`)
    const mandate = await service.consented(orderId, {
      txnAmount: rupees('1.00'),
      renewalAmount: '499.00',
      subscriptionStartDate: `${month}-05`,
      subscriptionExpiryDate: `${month}-20`,
      subscriptionGraceDays: '2',
      subscriptionRetryCount: '2',
      ...more,
    })
    return { service, mandate }
  }

  test('that has no money on the first day and has it on the second is debited once, within grace', async () => {
    const { service, mandate } = await agreed('WITHIN-GRACE', '2027-01')
    await scripted(service, mandate, 'collect', ['insufficient'])
    await moveTo(service, '2027-01-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-01-01 11:00:00 subscription.activated',
        '2027-01-01 11:00:00 20270105 collection.scheduled',
        '2027-01-03 18:00:00 20270105 collection.noticed',
        '2027-01-05 06:00:00 20270105 collection.attempted',
        '2027-01-05 06:00:00 20270105 collection.attempt-failed',
        '2027-01-06 06:00:00 20270105 collection.attempted',
        '2027-01-06 06:00:00 20270105 collection.collected',
        '2027-01-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-01-01 11:00:00 authorize success 1.00',
        '2027-01-01 11:00:00 mandate success 499.00',
        '2027-01-03 18:00:00 notify success 499.00',
        '2027-01-05 06:00:00 collect insufficientFunds 499.00',
        '2027-01-06 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS WITHIN-GRACE',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270105_2',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20270105.1',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270105.2',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-01-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-01-2027 until 20-01-2027.',
        '2027-01-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-01-2027.',
        '2027-01-05 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 05-01-2027.',
        '2027-01-06 06:00:00 debited: Demo Stores has debited Rs 499.00 on 06-01-2027.',
      ],
    })
  })

  test('that refuses a notice gets it again each hour, until a day’s notice fits no more; then nothing is debited', async () => {
    const { service, mandate } = await agreed('NOTICE-REFUSED', '2027-02', { subscriptionGraceDays: '0' }, '04')
    const hours = Array.from({ length: 13 }, (_, at) => `2027-02-04 ${at + 11}:00:00`)
    await scripted(
      service,
      mandate,
      'notify',
      hours.map(() => 'declined'),
    )
    await moveTo(service, '2027-02-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-02-04 11:00:00 subscription.activated',
        '2027-02-04 11:00:00 20270205 collection.scheduled',
        ...hours.map((at) => `${at} 20270205 collection.notice-failed`),
        '2027-02-05 00:00:00 20270205 collection.missed',
        '2027-02-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-02-04 11:00:00 authorize success 1.00',
        '2027-02-04 11:00:00 mandate success 499.00',
        ...hours.map((at) => `${at} notify declined 499.00`),
      ],
      merchant: [
        'SALE TXN_SUCCESS NOTICE-REFUSED',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        ...hours.map((_, at) => `SUBSCRIPTION_NOTIFY TXN_FAILURE S_20270205_${at + 2}`),
        'SUBSCRIPTION_MISS TXN_SUCCESS S_20270205_15',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-02-04 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-02-2027 until 20-02-2027.',
      ],
    })
  })

  test('that never received a notice gets it again under its key; one that took it without a word is queried', async () => {
    const { service, mandate } = await agreed('NOTICE-UNHEARD', '2027-03')
    await scripted(service, mandate, 'notify', ['timeout'])
    const taken = await service.consented('NOTICE-LOST', {
      ...{ txnAmount: rupees('1.00'), renewalAmount: '499.00', subscriptionGraceDays: '2', subscriptionRetryCount: '2' },
      ...{ subscriptionStartDate: '2027-03-05', subscriptionExpiryDate: '2027-03-20' },
    })
    await scripted(service, taken, 'notify', ['lost'])
    await moveTo(service, '2027-03-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-03-01 11:00:00 subscription.activated',
        '2027-03-01 11:00:00 20270305 collection.scheduled',
        '2027-03-03 18:15:00 20270305 collection.noticed',
        '2027-03-05 06:00:00 20270305 collection.attempted',
        '2027-03-05 06:00:00 20270305 collection.collected',
        '2027-03-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-03-01 11:00:00 authorize success 1.00',
        '2027-03-01 11:00:00 mandate success 499.00',
        '2027-03-03 18:15:00 notify success 499.00',
        '2027-03-05 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS NOTICE-UNHEARD',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270305_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270305.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-03-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-03-2027 until 20-03-2027.',
        '2027-03-03 18:15:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-03-2027.',
        '2027-03-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-03-2027.',
      ],
    })
    await assertLife(service, taken, {
      events: [
        '2027-03-01 11:00:00 subscription.activated',
        '2027-03-01 11:00:00 20270305 collection.scheduled',
        '2027-03-03 18:15:00 20270305 collection.noticed',
        '2027-03-05 06:00:00 20270305 collection.attempted',
        '2027-03-05 06:00:00 20270305 collection.collected',
        '2027-03-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-03-01 11:00:00 authorize success 1.00',
        '2027-03-01 11:00:00 mandate success 499.00',
        '2027-03-03 18:00:00 notify success 499.00',
        '2027-03-05 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS NOTICE-LOST',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270305_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270305.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-03-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-03-2027 until 20-03-2027.',
        '2027-03-03 18:15:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-03-2027.',
        '2027-03-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-03-2027.',
      ],
    })
    for (const { subscriptionId } of [mandate, taken])
      assert.equal((await service.ports.query.rows(find('notices', { equals: { mid: MID, subscriptionId }, limit: 9 }))).length, 1)
  })

  test('that never answers a notice leaves nothing that may be debited', async () => {
    const { service, mandate } = await agreed('NOTICE-NEVER', '2027-04', { subscriptionGraceDays: '0' }, '04')
    await scripted(service, mandate, 'notify', ['pending'])
    await moveTo(service, '2027-04-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-04-04 11:00:00 subscription.activated',
        '2027-04-04 11:00:00 20270405 collection.scheduled',
        '2027-04-05 11:00:00 20270405 collection.notice-failed',
        '2027-04-05 12:00:00 20270405 collection.missed',
        '2027-04-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-04-04 11:00:00 authorize success 1.00',
        '2027-04-04 11:00:00 mandate success 499.00',
        '2027-04-05 11:00:00 notify timedOut 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS NOTICE-NEVER',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_FAILURE S_20270405_2',
        'SUBSCRIPTION_MISS TXN_SUCCESS S_20270405_3',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-04-04 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-04-2027 until 20-04-2027.',
      ],
    })
  })

  test('that never received a debit is sent it again under its key, and no attempt is lost by that', async () => {
    const { service, mandate } = await agreed('ABSENT', '2027-05')
    await scripted(service, mandate, 'collect', ['timeout'])
    await moveTo(service, '2027-05-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-05-01 11:00:00 subscription.activated',
        '2027-05-01 11:00:00 20270505 collection.scheduled',
        '2027-05-03 18:00:00 20270505 collection.noticed',
        '2027-05-05 06:00:00 20270505 collection.attempted',
        '2027-05-05 06:01:30 20270505 collection.collected',
        '2027-05-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-05-01 11:00:00 authorize success 1.00',
        '2027-05-01 11:00:00 mandate success 499.00',
        '2027-05-03 18:00:00 notify success 499.00',
        '2027-05-05 06:01:30 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS ABSENT',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270505_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270505.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-05-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-05-2027 until 20-05-2027.',
        '2027-05-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-05-2027.',
        '2027-05-05 06:01:30 debited: Demo Stores has debited Rs 499.00 on 05-05-2027.',
      ],
    })
  })

  test('that never received a debit is not sent it again in an hour in which nothing may begin', async () => {
    const { service, mandate } = await agreed('ABSENT-IN-PEAK', '2027-06', { autoRenewal: false, autoRetry: false })
    await moveTo(service, '2027-06-02 11:00:00')
    const notice = await manage(service, '/subscription/preNotify', {
      ...{ subsId: mandate.subscriptionId, txnAmount: '499.00', subscriptionScheduledExecutionDate: '2027-06-05' },
    })
    assert.equal(notice.body.resultInfo.code, '3006', notice.text)
    await scripted(service, mandate, 'collect', ['timeout'])
    await moveTo(service, '2027-06-05 09:57:00')
    assert.equal((await renew(service, mandate, 'ABSENT-RENEWED')).body.resultInfo.resultCode, '0000')
    await moveTo(service, '2027-06-05 12:59:59')
    const { status, attempts, sentAt } = await cycleOf(service, mandate, '20270605')
    assert.deepEqual([status, attempts, sentAt], ['IN_FLIGHT', 1, null])
    await moveTo(service, '2027-06-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-06-01 11:00:00 subscription.activated',
        '2027-06-01 11:00:00 20270605 collection.scheduled',
        '2027-06-02 11:00:00 20270605 collection.noticed',
        '2027-06-05 09:57:00 20270605 collection.attempted',
        '2027-06-05 13:00:00 20270605 collection.collected',
        '2027-06-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-06-01 11:00:00 authorize success 1.00',
        '2027-06-01 11:00:00 mandate success 499.00',
        '2027-06-02 11:00:00 notify success 499.00',
        '2027-06-05 13:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS ABSENT-IN-PEAK',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270605_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS ABSENT-RENEWED',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-06-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-06-2027 until 20-06-2027.',
        '2027-06-02 11:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-06-2027.',
        '2027-06-05 13:00:00 debited: Demo Stores has debited Rs 499.00 on 05-06-2027.',
      ],
    })
  })

  test('that debits and never reports it is queried, and the debit is kept', async () => {
    const { service, mandate } = await agreed('LOST', '2027-07')
    await scripted(service, mandate, 'collect', ['lost'])
    await moveTo(service, '2027-07-05 06:01:29')
    assert.equal((await cycleOf(service, mandate, '20270705')).status, 'IN_FLIGHT')
    await moveTo(service, '2027-07-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-07-01 11:00:00 subscription.activated',
        '2027-07-01 11:00:00 20270705 collection.scheduled',
        '2027-07-03 18:00:00 20270705 collection.noticed',
        '2027-07-05 06:00:00 20270705 collection.attempted',
        '2027-07-05 06:01:30 20270705 collection.collected',
        '2027-07-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-07-01 11:00:00 authorize success 1.00',
        '2027-07-01 11:00:00 mandate success 499.00',
        '2027-07-03 18:00:00 notify success 499.00',
        '2027-07-05 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS LOST',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270705_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270705.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-07-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-07-2027 until 20-07-2027.',
        '2027-07-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-07-2027.',
        '2027-07-05 06:01:30 debited: Demo Stores has debited Rs 499.00 on 05-07-2027.',
      ],
    })
  })

  test('whose answer to a debit comes three times is counted once', async () => {
    const { service, mandate } = await agreed('TWICE', '2027-09')
    await scripted(service, mandate, 'collect', ['duplicate'])
    await moveTo(service, '2027-09-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-09-01 11:00:00 subscription.activated',
        '2027-09-01 11:00:00 20270905 collection.scheduled',
        '2027-09-03 18:00:00 20270905 collection.noticed',
        '2027-09-05 06:00:00 20270905 collection.attempted',
        '2027-09-05 06:00:00 20270905 collection.collected',
        '2027-09-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-09-01 11:00:00 authorize success 1.00',
        '2027-09-01 11:00:00 mandate success 499.00',
        '2027-09-03 18:00:00 notify success 499.00',
        '2027-09-05 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS TWICE',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270905_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270905.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-09-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-09-2027 until 20-09-2027.',
        '2027-09-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-09-2027.',
        '2027-09-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-09-2027.',
      ],
    })
    assert.equal(await collected(service, mandate), 1)
  })

  test('that debits another amount gives it back, and the next attempt is kept', async () => {
    const { service, mandate } = await agreed('OTHER-AMOUNT', '2027-10')
    await scripted(service, mandate, 'collect', ['wrongAmount'])
    await moveTo(service, '2027-10-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-10-01 11:00:00 subscription.activated',
        '2027-10-01 11:00:00 20271005 collection.scheduled',
        '2027-10-03 18:00:00 20271005 collection.noticed',
        '2027-10-05 06:00:00 20271005 collection.attempted',
        '2027-10-05 06:00:00 20271005 collection.attempt-failed',
        '2027-10-06 06:00:00 20271005 collection.attempted',
        '2027-10-06 06:00:00 20271005 collection.collected',
        '2027-10-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-10-01 11:00:00 authorize success 1.00',
        '2027-10-01 11:00:00 mandate success 499.00',
        '2027-10-03 18:00:00 notify success 499.00',
        '2027-10-05 06:00:00 collect success 500.00',
        '2027-10-05 06:00:00 refund success 500.00',
        '2027-10-06 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS OTHER-AMOUNT',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20271005_2',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20271005.1',
        'REFUND TXN_SUCCESS AS.20271005.1',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20271005.2',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-10-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-10-2027 until 20-10-2027.',
        '2027-10-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-10-2027.',
        '2027-10-05 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 05-10-2027.',
        '2027-10-06 06:00:00 debited: Demo Stores has debited Rs 499.00 on 06-10-2027.',
      ],
    })
  })

  test('has books that equal Mohur’s after all that', async () => assertHolds(await running()))
})
