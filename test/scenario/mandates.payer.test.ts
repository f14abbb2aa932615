// Payers' actions on their mandates at their banks, reported to Mohur or not, and Mohur's notifications of ends to banks: docs/sandbox.md.
// As all parties see them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manage } from '../support/mandates/mandates.ts'
import { assertLife, type Mandate, payer, rupees, type Stage, scripted, stage } from '../support/mandates/scenario.ts'
import { moveTo } from '../support/mandates/timeline.ts'
import { bankJournal, statusOf } from '../support/paying/paying.ts'
import { codeOf } from '../support/run/replies.ts'
import { MID, onBothStores } from '../support/run/service.ts'
import { assertHolds } from '../support/store/verify.ts'

const acts = async (service: Stage, mandate: Mandate, action: string, more: object = {}) =>
  assert.equal((await payer(service, mandate, action, more)).status, 200)

/** What shops read in Order Status about the first attempt at the cycle of that day. */
const attemptOf = async (service: Stage, { subscriptionId }: Mandate, day: string) =>
  (await statusOf(service, { orderId: `A${subscriptionId}.${day}.1` })).body.resultInfo

onBothStores('a payer', (store) => {
  const running = stage(store)
  /** Agreed at the month's beginning, due on the 5th of this month and the next, with two days of grace. */
  const agreed = async (orderId: string, month: string, more: Record<string, unknown> = {}) => {
    const service = await running()
    await moveTo(service, `${month}-01 11:00:00`)
    const [year, number] = month.split('-').map(Number) as [number, number]
    const mandate = await service.consented(orderId, {
      ...{ txnAmount: rupees('1.00'), renewalAmount: '499.00', subscriptionGraceDays: '2', subscriptionRetryCount: '2' },
      ...{ subscriptionStartDate: `${month}-05`, subscriptionExpiryDate: `${year}-${String(number + 1).padStart(2, '0')}-20` },
      ...more,
    })
    return { service, mandate }
  }
  const askedFor = (amount: string, until: string) =>
    `edit-asked: Demo Stores asks you to allow debits of Rs ${amount} every month until ${until}. Nothing changes unless you approve it within 24 hours: please do so in your UPI app.`
  const offered = async (service: Stage, { subscriptionId }: Mandate, renewalAmount: string) => {
    const reply = await manage(service, '/subscription/edit', { subsId: subscriptionId, renewalAmount })
    assert.equal(codeOf(reply), '3006', reply.text)
    await service.tasks.runDue()
  }

  test('who revokes between a notice and its debit is not debited, and the subscription is over', async () => {
    const { service, mandate } = await agreed('REVOKES', '2026-12', { subscriptionExpiryDate: '2027-01-20' })
    await moveTo(service, '2026-12-04 12:00:00')
    await acts(service, mandate, 'revoke')
    await moveTo(service, '2027-01-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2026-12-01 11:00:00 subscription.activated',
        '2026-12-01 11:00:00 20261205 collection.scheduled',
        '2026-12-03 18:00:00 20261205 collection.noticed',
        '2026-12-03 18:00:00 20270105 collection.scheduled',
        '2026-12-04 12:00:00 subscription.revoked',
        '2026-12-04 12:00:00 20261205 collection.missed',
        '2026-12-04 12:00:00 20270105 collection.missed',
      ],
      bank: [
        '2026-12-01 11:00:00 authorize success 1.00',
        '2026-12-01 11:00:00 mandate success 499.00',
        '2026-12-03 18:00:00 notify success 499.00',
        '2026-12-04 12:00:00 revoke success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS REVOKES',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20261205_2',
        'SUBSCRIPTION_CANCEL TXN_SUCCESS S_3',
      ],
      payer: [
        '2026-12-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-12-2026 until 20-01-2027.',
        '2026-12-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-12-2026.',
        '2026-12-04 12:00:00 mandate-cancelled: Your mandate for Demo Stores has ended on 04-12-2026. Nothing is debited any more.',
      ],
    })
  })

  test('who pauses is not debited before resuming', async () => {
    const { service, mandate } = await agreed('PAUSES', '2027-02')
    await moveTo(service, '2027-02-04 12:00:00')
    await acts(service, mandate, 'pause')
    await moveTo(service, '2027-02-20 00:00:00')
    await acts(service, mandate, 'resume')
    await moveTo(service, '2027-03-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-02-01 11:00:00 subscription.activated',
        '2027-02-01 11:00:00 20270205 collection.scheduled',
        '2027-02-03 18:00:00 20270205 collection.noticed',
        '2027-02-03 18:00:00 20270305 collection.scheduled',
        '2027-02-04 12:00:00 subscription.paused',
        '2027-02-05 06:00:00 20270205 collection.missed',
        '2027-02-20 00:00:00 subscription.resumed',
        '2027-03-03 18:00:00 20270305 collection.noticed',
        '2027-03-05 06:00:00 20270305 collection.attempted',
        '2027-03-05 06:00:00 20270305 collection.collected',
        '2027-03-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-02-01 11:00:00 authorize success 1.00',
        '2027-02-01 11:00:00 mandate success 499.00',
        '2027-02-03 18:00:00 notify success 499.00',
        '2027-02-04 12:00:00 pause success 499.00',
        '2027-02-20 00:00:00 resume success 499.00',
        '2027-03-03 18:00:00 notify success 499.00',
        '2027-03-05 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS PAUSES',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270205_2',
        'SUBSCRIPTION_PAUSE TXN_SUCCESS S_3',
        'SUBSCRIPTION_MISS TXN_SUCCESS S_20270205_3',
        'SUBSCRIPTION_RESUME TXN_SUCCESS S_4',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270305_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270305.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_5',
      ],
      payer: [
        '2027-02-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-02-2027 until 20-03-2027.',
        '2027-02-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-02-2027.',
        '2027-03-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-03-2027.',
        '2027-03-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-03-2027.',
      ],
    })
  })

  test('whose bank does not report the revocation is found out by the next debit', async () => {
    const { service, mandate } = await agreed('UNTOLD-DEBIT', '2027-04')
    await moveTo(service, '2027-04-04 12:00:00')
    await acts(service, mandate, 'revoke', { isReported: false })
    await moveTo(service, '2027-05-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-04-01 11:00:00 subscription.activated',
        '2027-04-01 11:00:00 20270405 collection.scheduled',
        '2027-04-03 18:00:00 20270405 collection.noticed',
        '2027-04-03 18:00:00 20270505 collection.scheduled',
        '2027-04-05 06:00:00 subscription.revoked',
        '2027-04-05 06:00:00 20270405 collection.attempted',
        '2027-04-05 06:00:00 20270405 collection.failed',
        '2027-04-05 06:00:00 20270505 collection.missed',
      ],
      bank: [
        '2027-04-01 11:00:00 authorize success 1.00',
        '2027-04-01 11:00:00 mandate success 499.00',
        '2027-04-03 18:00:00 notify success 499.00',
        '2027-04-04 12:00:00 revoke success 499.00',
        '2027-04-05 06:00:00 collect mandateRevoked 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS UNTOLD-DEBIT',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270405_2',
        'SUBSCRIPTION_CANCEL TXN_SUCCESS S_3',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20270405.1',
      ],
      payer: [
        '2027-04-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-04-2027 until 20-05-2027.',
        '2027-04-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-04-2027.',
        '2027-04-05 06:00:00 debit-failed: Demo Stores could not debit Rs 499.00 on 05-04-2027.',
        '2027-04-05 06:00:00 mandate-cancelled: Your mandate for Demo Stores has ended on 05-04-2027. Nothing is debited any more.',
      ],
    })
    assert.deepEqual(await attemptOf(service, mandate, '20270405'), {
      resultStatus: 'TXN_FAILURE',
      resultCode: '227',
      resultMsg: 'The mandate was revoked',
    })
  })

  test('whose bank does not report the revocation is found out by the next notice', async () => {
    const { service, mandate } = await agreed('UNTOLD-NOTICE', '2027-06')
    await acts(service, mandate, 'revoke', { isReported: false })
    await moveTo(service, '2027-07-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-06-01 11:00:00 subscription.activated',
        '2027-06-01 11:00:00 20270605 collection.scheduled',
        '2027-06-03 18:00:00 subscription.revoked',
        '2027-06-03 18:00:00 20270605 collection.notice-failed',
        '2027-06-03 18:00:00 20270605 collection.missed',
        '2027-06-03 18:00:00 20270705 collection.scheduled',
        '2027-06-03 18:00:00 20270705 collection.missed',
      ],
      bank: [
        '2027-06-01 11:00:00 authorize success 1.00',
        '2027-06-01 11:00:00 mandate success 499.00',
        '2027-06-01 11:00:00 revoke success 499.00',
        '2027-06-03 18:00:00 notify mandateRevoked 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS UNTOLD-NOTICE',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_FAILURE S_20270605_2',
        'SUBSCRIPTION_CANCEL TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-06-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-06-2027 until 20-07-2027.',
        '2027-06-03 18:00:00 mandate-cancelled: Your mandate for Demo Stores has ended on 03-06-2027. Nothing is debited any more.',
      ],
    })
  })

  test('whose bank does not report the pause is found out by the next debit, and debited again after resuming', async () => {
    const { service, mandate } = await agreed('UNTOLD-PAUSE', '2027-08')
    await moveTo(service, '2027-08-04 12:00:00')
    await acts(service, mandate, 'pause', { isReported: false })
    await moveTo(service, '2027-08-06 12:00:00')
    await acts(service, mandate, 'resume')
    await moveTo(service, '2027-09-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-08-01 11:00:00 subscription.activated',
        '2027-08-01 11:00:00 20270805 collection.scheduled',
        '2027-08-03 18:00:00 20270805 collection.noticed',
        '2027-08-03 18:00:00 20270905 collection.scheduled',
        '2027-08-05 06:00:00 subscription.paused',
        '2027-08-05 06:00:00 20270805 collection.attempted',
        '2027-08-05 06:00:00 20270805 collection.missed',
        '2027-08-06 12:00:00 subscription.resumed',
        '2027-09-03 18:00:00 20270905 collection.noticed',
        '2027-09-05 06:00:00 20270905 collection.attempted',
        '2027-09-05 06:00:00 20270905 collection.collected',
        '2027-09-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-08-01 11:00:00 authorize success 1.00',
        '2027-08-01 11:00:00 mandate success 499.00',
        '2027-08-03 18:00:00 notify success 499.00',
        '2027-08-04 12:00:00 pause success 499.00',
        '2027-08-05 06:00:00 collect mandatePaused 499.00',
        '2027-08-06 12:00:00 resume success 499.00',
        '2027-09-03 18:00:00 notify success 499.00',
        '2027-09-05 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS UNTOLD-PAUSE',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270805_2',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20270805.1',
        'SUBSCRIPTION_PAUSE TXN_SUCCESS S_3',
        'SUBSCRIPTION_MISS TXN_SUCCESS S_20270805_4',
        'SUBSCRIPTION_RESUME TXN_SUCCESS S_4',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270905_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270905.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_5',
      ],
      payer: [
        '2027-08-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-08-2027 until 20-09-2027.',
        '2027-08-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-08-2027.',
        '2027-09-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-09-2027.',
        '2027-09-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-09-2027.',
      ],
    })
    assert.deepEqual(await attemptOf(service, mandate, '20270805'), {
      resultStatus: 'TXN_FAILURE',
      resultCode: '227',
      resultMsg: 'The mandate is paused',
    })
  })

  test('who skips one debit between its notice and its day is not debited for it, and is for the next', async () => {
    const { service, mandate } = await agreed('SKIPS', '2027-10')
    await moveTo(service, '2027-10-04 12:00:00')
    await acts(service, mandate, 'skip')
    await moveTo(service, '2027-11-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-10-01 11:00:00 subscription.activated',
        '2027-10-01 11:00:00 20271005 collection.scheduled',
        '2027-10-03 18:00:00 20271005 collection.noticed',
        '2027-10-03 18:00:00 20271105 collection.scheduled',
        '2027-10-04 12:00:00 20271005 collection.skipped',
        '2027-11-03 18:00:00 20271105 collection.noticed',
        '2027-11-05 06:00:00 20271105 collection.attempted',
        '2027-11-05 06:00:00 20271105 collection.collected',
        '2027-11-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-10-01 11:00:00 authorize success 1.00',
        '2027-10-01 11:00:00 mandate success 499.00',
        '2027-10-03 18:00:00 notify success 499.00',
        '2027-11-03 18:00:00 notify success 499.00',
        '2027-11-05 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS SKIPS',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20271005_2',
        'SUBSCRIPTION_SKIP TXN_SUCCESS S_20271005_3',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20271105_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20271105.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-10-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-10-2027 until 20-11-2027.',
        '2027-10-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-10-2027.',
        '2027-11-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-11-2027.',
        '2027-11-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-11-2027.',
      ],
    })
  })

  test('who opts out after the notice of a debit is not debited for it', async () => {
    const { service, mandate } = await agreed('OPTS-OUT', '2028-01', { subscriptionExpiryDate: '2028-01-20' })
    await scripted(service, mandate, 'notify', ['optedOut'])
    await moveTo(service, '2028-01-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2028-01-01 11:00:00 subscription.activated',
        '2028-01-01 11:00:00 20280105 collection.scheduled',
        '2028-01-03 18:00:00 20280105 collection.skipped',
        '2028-01-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2028-01-01 11:00:00 authorize success 1.00',
        '2028-01-01 11:00:00 mandate success 499.00',
        '2028-01-03 18:00:00 notify optedOut 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS OPTS-OUT',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_SKIP TXN_SUCCESS S_20280105_2',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2028-01-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-01-2028 until 20-01-2028.',
      ],
    })
  })

  test('who approves other terms has them from the next notice on', async () => {
    const { service, mandate } = await agreed('APPROVES', '2028-03', { subscriptionExpiryDate: '2028-03-20' })
    await offered(service, mandate, '599.00')
    await acts(service, mandate, 'approve')
    await moveTo(service, '2028-03-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2028-03-01 11:00:00 subscription.activated',
        '2028-03-01 11:00:00 subscription.edit-requested',
        '2028-03-01 11:00:00 subscription.edited',
        '2028-03-01 11:00:00 20280305 collection.scheduled',
        '2028-03-01 11:00:00 20280305 collection.terms-changed',
        '2028-03-03 18:00:00 20280305 collection.noticed',
        '2028-03-05 06:00:00 20280305 collection.attempted',
        '2028-03-05 06:00:00 20280305 collection.collected',
        '2028-03-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2028-03-01 11:00:00 amend success 599.00',
        '2028-03-01 11:00:00 authorize success 1.00',
        '2028-03-01 11:00:00 mandate success 499.00',
        '2028-03-03 18:00:00 notify success 599.00',
        '2028-03-05 06:00:00 collect success 599.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS APPROVES',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_EDIT TXN_SUCCESS S_4',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20280305_3',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20280305.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_5',
      ],
      payer: [
        `2028-03-01 11:00:00 ${askedFor('599.00', '20-03-2028')}`,
        '2028-03-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-03-2028 until 20-03-2028.',
        '2028-03-03 18:00:00 pre-debit: Demo Stores will debit Rs 599.00 on 05-03-2028.',
        '2028-03-05 06:00:00 debited: Demo Stores has debited Rs 599.00 on 05-03-2028.',
      ],
    })
  })

  test('who declines other terms keeps the old ones', async () => {
    const { service, mandate } = await agreed('DECLINES', '2028-04', { subscriptionExpiryDate: '2028-04-20' })
    await offered(service, mandate, '599.00')
    await acts(service, mandate, 'decline')
    assert.equal((await payer(service, mandate, 'approve')).status, 404)
    await moveTo(service, '2028-04-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2028-04-01 11:00:00 subscription.activated',
        '2028-04-01 11:00:00 subscription.edit-requested',
        '2028-04-01 11:00:00 subscription.edit-declined',
        '2028-04-01 11:00:00 20280405 collection.scheduled',
        '2028-04-03 18:00:00 20280405 collection.noticed',
        '2028-04-05 06:00:00 20280405 collection.attempted',
        '2028-04-05 06:00:00 20280405 collection.collected',
        '2028-04-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2028-04-01 11:00:00 amend cancelled 599.00',
        '2028-04-01 11:00:00 authorize success 1.00',
        '2028-04-01 11:00:00 mandate success 499.00',
        '2028-04-03 18:00:00 notify success 499.00',
        '2028-04-05 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS DECLINES',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_EDIT TXN_FAILURE S_4',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20280405_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20280405.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_5',
      ],
      payer: [
        `2028-04-01 11:00:00 ${askedFor('599.00', '20-04-2028')}`,
        '2028-04-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-04-2028 until 20-04-2028.',
        '2028-04-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-04-2028.',
        '2028-04-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-04-2028.',
      ],
    })
  })

  test('who is offered less has to approve it too, and has it from the first cycle that had no notice yet', async () => {
    const { service, mandate } = await agreed('LOWERED-LATE', '2028-05')
    await moveTo(service, '2028-05-03 12:00:00')
    await offered(service, mandate, '399.00')
    await moveTo(service, '2028-05-04 18:00:00')
    await acts(service, mandate, 'approve')
    await moveTo(service, '2028-06-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2028-05-01 11:00:00 subscription.activated',
        '2028-05-01 11:00:00 20280505 collection.scheduled',
        '2028-05-03 12:00:00 subscription.edit-requested',
        '2028-05-03 18:00:00 20280505 collection.noticed',
        '2028-05-03 18:00:00 20280605 collection.scheduled',
        '2028-05-04 18:00:00 subscription.edited',
        '2028-05-04 18:00:00 20280605 collection.terms-changed',
        '2028-05-05 06:00:00 20280505 collection.attempted',
        '2028-05-05 06:00:00 20280505 collection.collected',
        '2028-06-03 18:00:00 20280605 collection.noticed',
        '2028-06-05 06:00:00 20280605 collection.attempted',
        '2028-06-05 06:00:00 20280605 collection.collected',
        '2028-06-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2028-05-01 11:00:00 authorize success 1.00',
        '2028-05-01 11:00:00 mandate success 499.00',
        '2028-05-03 18:00:00 notify success 499.00',
        '2028-05-04 18:00:00 amend success 399.00',
        '2028-05-05 06:00:00 collect success 499.00',
        '2028-06-03 18:00:00 notify success 399.00',
        '2028-06-05 06:00:00 collect success 399.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS LOWERED-LATE',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20280505_2',
        'SUBSCRIPTION_EDIT TXN_SUCCESS S_4',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20280505.1',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20280605_3',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20280605.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_5',
      ],
      payer: [
        '2028-05-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-05-2028 until 20-06-2028.',
        `2028-05-03 12:00:00 ${askedFor('399.00', '20-06-2028')}`,
        '2028-05-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-05-2028.',
        '2028-05-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-05-2028.',
        '2028-06-03 18:00:00 pre-debit: Demo Stores will debit Rs 399.00 on 05-06-2028.',
        '2028-06-05 06:00:00 debited: Demo Stores has debited Rs 399.00 on 05-06-2028.',
      ],
    })
  })

  test('whose merchant cancels has the mandate withdrawn at the bank, and the journal names the cycles of debits', async () => {
    const { service, mandate } = await agreed('CANCELLED', '2028-07')
    await moveTo(service, '2028-07-05 12:00:00')
    await manage(service, '/subscription/subscription/cancel', { subsId: mandate.subscriptionId })
    await assertLife(service, mandate, {
      events: [
        '2028-07-01 11:00:00 subscription.activated',
        '2028-07-01 11:00:00 20280705 collection.scheduled',
        '2028-07-03 18:00:00 20280705 collection.noticed',
        '2028-07-03 18:00:00 20280805 collection.scheduled',
        '2028-07-05 06:00:00 20280705 collection.attempted',
        '2028-07-05 06:00:00 20280705 collection.collected',
        '2028-07-05 12:00:00 subscription.cancelled',
        '2028-07-05 12:00:00 20280805 collection.missed',
      ],
      bank: [
        '2028-07-01 11:00:00 authorize success 1.00',
        '2028-07-01 11:00:00 mandate success 499.00',
        '2028-07-03 18:00:00 notify success 499.00',
        '2028-07-05 06:00:00 collect success 499.00',
        '2028-07-05 12:00:00 revoke success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS CANCELLED',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20280705_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20280705.1',
        'SUBSCRIPTION_CANCEL TXN_SUCCESS S_3',
      ],
      payer: [
        '2028-07-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-07-2028 until 20-08-2028.',
        '2028-07-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-07-2028.',
        '2028-07-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-07-2028.',
        '2028-07-05 12:00:00 mandate-cancelled: Your mandate for Demo Stores has ended on 05-07-2028. Nothing is debited any more.',
      ],
    })
    const debit = (await bankJournal(service)).find(({ key }) => key === `${MID}:${mandate.subscriptionId}:20280705:1`)
    const { dueDate, subscriptionId } = debit as unknown as Record<string, string>
    assert.deepEqual([subscriptionId, dueDate], [mandate.subscriptionId, '2028-07-05'])
  })

  test('can do nothing about a mandate that is not there, and mistakes in scripts are reported', async () => {
    const { service, mandate } = await agreed('SCRIPTED', '2028-09', { subscriptionExpiryDate: '2028-09-20' })
    const script = { mid: MID, subscriptionId: mandate.subscriptionId, call: 'dance', outcomes: ['declined'] }
    assert.equal((await service.post('/sandbox/bank/script', JSON.stringify(script))).status, 400)
    assert.equal((await payer(service, { subscriptionId: 'nobody' }, 'revoke')).status, 404)
  })

  test('finds books that equal the bank’s after all that', async () => assertHolds(await running()))
})
