// How mandates begin: how a first payment counts for the cycles, which modes consent, and what becomes of a failed consent.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manage } from '../support/mandates/mandates.ts'
import { assertLife, lifeOf, payer, rupees, type Stage, scripted, stage, subscriptionOf } from '../support/mandates/scenario.ts'
import { initiate, issueSsoToken, subscription } from '../support/mandates/subscription.ts'
import { moveTo } from '../support/mandates/timeline.ts'
import { createOrder, pay, script, statusOf } from '../support/paying/paying.ts'
import { onBothStores } from '../support/run/service.ts'
import { assertHolds } from '../support/store/verify.ts'

const dates = (subscriptionStartDate: string, subscriptionExpiryDate: string) => ({ subscriptionStartDate, subscriptionExpiryDate })
const FIX = {
  ...{ subscriptionAmountType: 'FIX', subscriptionMaxAmount: undefined, renewalAmount: '499.00', autoRenewal: true, autoRetry: true },
  ...{ communicationManager: true, subscriptionRetryCount: '1' },
}
const ACCOUNT = { channelCode: 'HDFC', account_number: '10000012345', bankIfsc: 'HDFC0000001', USER_NAME: 'Asha', ACCOUNT_TYPE: 'SAVINGS' }
const ON_ACCOUNT = {
  ...FIX,
  ...{ subscriptionGraceDays: undefined, subscriptionPaymentMode: 'BANK_MANDATE', mandateType: 'E_MANDATE', txnAmount: rupees('0.00') },
}
const BY_ACCOUNT = { paymentMode: 'BANK_MANDATE', mandateAuthMode: 'NET_BANKING', ...ACCOUNT }
const VPA = { paymentMode: 'UPI', payerAccount: 'success@upi' }

let mobiles = 9_820_000_000
/** Requested, and not paid yet. */
async function asked(service: Stage, orderId: string, more: object) {
  const mobile = String(mobiles++)
  const reply = await initiate(service, subscription(orderId, { ...FIX, userInfo: { custId: 'C1', mobile }, ...more }))
  assert.equal(reply.body.resultInfo.resultCode, '0000', reply.text)
  const { subscriptionId, txnToken } = reply.body as { subscriptionId: string; txnToken: string }
  return { subscriptionId, orderId, txnToken, mobile }
}
const statusIs = async (service: Stage, of: { subscriptionId: string }, expected: string) => {
  const { status, subStatus } = await subscriptionOf(service, of)
  assert.equal(`${status} ${subStatus}`, expected)
}

onBothStores('a consent', (store) => {
  const running = stage(store)

  test('on the first day that pays all of it has collected the first cycle, also when its answer comes the day after', async () => {
    const service = await running()
    await moveTo(service, '2027-01-05 11:00:00')
    const terms = { ...dates('2027-01-05', '2027-03-01'), txnAmount: rupees('499.00'), renewalAmount: '499.00' }
    const mandate = await service.consented('PAID-FIRST', terms)
    await moveTo(service, '2027-01-05 23:59:00')
    const slow = await asked(service, 'PAID-SLOWLY', terms)
    await pay(service, slow, { paymentMode: 'UPI', payerAccount: 'slow@upi' })
    await moveTo(service, '2027-02-06 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-01-05 11:00:00 subscription.activated',
        '2027-01-05 11:00:00 20270105 collection.collected',
        '2027-01-05 11:00:00 20270205 collection.scheduled',
        '2027-02-03 18:00:00 20270205 collection.noticed',
        '2027-02-05 06:00:00 20270205 collection.attempted',
        '2027-02-05 06:00:00 20270205 collection.collected',
      ],
      bank: [
        '2027-01-05 11:00:00 authorize success 499.00',
        '2027-01-05 11:00:00 mandate success 499.00',
        '2027-02-03 18:00:00 notify success 499.00',
        '2027-02-05 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS PAID-FIRST',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270205_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270205.1',
      ],
      payer: [
        '2027-01-05 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-01-2027 until 01-03-2027.',
        '2027-02-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-02-2027.',
        '2027-02-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-02-2027.',
      ],
    })
    await assertLife(service, slow, {
      events: [
        '2027-01-06 00:01:30 subscription.activated',
        '2027-01-06 00:01:30 20270105 collection.collected',
        '2027-01-06 00:01:30 20270205 collection.scheduled',
        '2027-02-03 18:00:00 20270205 collection.noticed',
        '2027-02-05 06:00:00 20270205 collection.attempted',
        '2027-02-05 06:00:00 20270205 collection.collected',
      ],
      bank: [
        '2027-01-05 23:59:00 mandate success 499.00',
        '2027-01-06 00:01:00 authorize success 499.00',
        '2027-02-03 18:00:00 notify success 499.00',
        '2027-02-05 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS PAID-SLOWLY',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270205_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270205.1',
      ],
      payer: [
        '2027-01-06 00:01:30 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-01-2027 until 01-03-2027.',
        '2027-02-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-02-2027.',
        '2027-02-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-02-2027.',
      ],
    })
    await moveTo(service, '2027-03-02 00:00:00')
  })

  test('before the first day has paid nothing of it, however much it was', async () => {
    const service = await running()
    await moveTo(service, '2027-04-01 11:00:00')
    const mandate = await service.consented('PAID-BEFORE', {
      ...dates('2027-04-05', '2027-04-20'),
      ...{ txnAmount: rupees('499.00'), renewalAmount: '499.00' },
    })
    await moveTo(service, '2027-04-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-04-01 11:00:00 subscription.activated',
        '2027-04-01 11:00:00 20270405 collection.scheduled',
        '2027-04-03 18:00:00 20270405 collection.noticed',
        '2027-04-05 06:00:00 20270405 collection.attempted',
        '2027-04-05 06:00:00 20270405 collection.collected',
        '2027-04-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-04-01 11:00:00 authorize success 499.00',
        '2027-04-01 11:00:00 mandate success 499.00',
        '2027-04-03 18:00:00 notify success 499.00',
        '2027-04-05 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS PAID-BEFORE',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270405_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270405.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-04-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-04-2027 until 20-04-2027.',
        '2027-04-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-04-2027.',
        '2027-04-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-04-2027.',
      ],
    })
  })

  test('to amounts that vary pays no cycle, although it was made on the first day and at the maximum', async () => {
    const service = await running()
    await moveTo(service, '2027-05-05 11:00:00')
    const mandate = await service.consented('VARIES', {
      ...dates('2027-05-05', '2027-05-20'),
      ...{ subscriptionAmountType: 'VARIABLE', subscriptionMaxAmount: '499.00', autoRenewal: false, autoRetry: false },
      txnAmount: rupees('499.00'),
    })
    await moveTo(service, '2027-05-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-05-05 11:00:00 subscription.activated',
        '2027-05-05 11:00:00 20270505 collection.scheduled',
        '2027-05-09 00:00:00 20270505 collection.missed',
        '2027-05-21 00:00:00 subscription.expired',
      ],
      bank: ['2027-05-05 11:00:00 authorize success 499.00', '2027-05-05 11:00:00 mandate success 499.00'],
      merchant: [
        'SALE TXN_SUCCESS VARIES',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_MISS TXN_SUCCESS S_20270505_2',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-05-05 11:00:00 mandate-created: You have allowed Demo Stores to debit at most Rs 499.00 every month from 05-05-2027 until 20-05-2027.',
      ],
    })
  })

  test('that comes when several cycles were due has the newest collected from the first permitted day on, and the others are missed', async () => {
    const service = await running()
    await moveTo(service, '2027-06-01 11:00:00')
    const weekly = { ...dates('2027-06-03', '2027-06-30'), subscriptionFrequencyUnit: 'WEEK' }
    const mandate = await asked(service, 'LATE-YES', { ...ON_ACCOUNT, ...weekly })
    await scripted(service, mandate, 'mandate', ['pending'])
    await pay(service, mandate, BY_ACCOUNT)
    await moveTo(service, '2027-06-19 15:00:00')
    assert.equal((await payer(service, mandate, 'approve')).status, 200)
    await moveTo(service, '2027-07-02 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-06-01 11:00:00 subscription.submitted',
        '2027-06-19 15:00:00 subscription.authorized',
        '2027-06-19 15:00:00 subscription.activated',
        '2027-06-19 15:00:00 20270603 collection.missed',
        '2027-06-19 15:00:00 20270610 collection.missed',
        '2027-06-19 15:00:00 20270617 collection.scheduled',
        '2027-06-19 15:00:00 20270617 collection.attempted',
        '2027-06-19 15:00:00 20270624 collection.scheduled',
        '2027-06-20 15:00:00 20270617 collection.collected',
        '2027-06-24 06:00:00 20270624 collection.attempted',
        '2027-06-25 06:00:00 20270624 collection.collected',
        '2027-07-01 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-06-19 15:00:00 mandate success 499.00',
        '2027-06-20 15:00:00 collect success 499.00',
        '2027-06-25 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS LATE-YES',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_4',
        'SUBSCRIPTION_MISS TXN_SUCCESS S_20270603_1',
        'SUBSCRIPTION_MISS TXN_SUCCESS S_20270610_1',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270617.1',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270624.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_5',
      ],
      payer: [
        '2027-06-19 15:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every week from 03-06-2027 until 30-06-2027.',
        '2027-06-20 15:00:00 debited: Demo Stores has debited Rs 499.00 on 20-06-2027.',
        '2027-06-25 06:00:00 debited: Demo Stores has debited Rs 499.00 on 25-06-2027.',
      ],
    })
  })

  test('of nothing is given by every mode, and each is asked for nothing', async () => {
    const service = await running()
    await moveTo(service, '2027-07-10 11:00:00')
    const terms = { ...dates('2027-08-05', '2027-08-20'), txnAmount: rupees('0.00') }
    const means: Record<string, object> = {
      UPI: VPA,
      CREDIT_CARD: { paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032' },
      DEBIT_CARD: { paymentMode: 'DEBIT_CARD', cardInfo: '|4012888888881881|123|122032' },
      PPBL: { paymentMode: 'PPBL' },
      SVC_DIGITAL_CREDIT: { paymentMode: 'SVC_DIGITAL_CREDIT' },
    }
    for (const [mode, by] of Object.entries(means)) {
      const mandate = await asked(service, `ZERO-${mode}`, terms)
      const paid = await pay(service, mandate, by)
      assert.equal(paid.body.resultInfo.resultStatus, 'S', paid.text)
      await assertLife(service, mandate, {
        events: ['2027-07-10 11:00:00 subscription.activated', '2027-07-10 11:00:00 20270805 collection.scheduled'],
        bank: ['2027-07-10 11:00:00 authorize success 0.00', '2027-07-10 11:00:00 mandate success 499.00'],
        merchant: [`SALE TXN_SUCCESS ZERO-${mode}`, 'SUBSCRIPTION_INIT TXN_SUCCESS S_2'],
        payer: [
          '2027-07-10 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-08-2027 until 20-08-2027.',
        ],
      })
      const { paymentMode, mandate: agreed } = await subscriptionOf(service, mandate)
      assert.deepEqual([paymentMode, typeof agreed?.reference], [mode, 'string'])
      await manage(service, '/subscription/cancel', { subsId: mandate.subscriptionId })
    }
    const svcSsoToken = await issueSsoToken(service, `zero consent ${store}`)
    const wallet = await asked(service, 'ZERO-BALANCE', {
      ...terms,
      subscriptionPaymentMode: 'PPI',
      userInfo: { custId: 'C1', svcSsoToken },
    })
    assert.equal((await pay(service, wallet, { paymentMode: 'BALANCE' })).body.resultInfo.resultStatus, 'S')
    await assertLife(
      service,
      { ...wallet, mobile: '9999900001' },
      {
        events: ['2027-07-10 11:00:00 subscription.activated', '2027-07-10 11:00:00 20270805 collection.scheduled'],
        bank: [],
        merchant: ['SALE TXN_SUCCESS ZERO-BALANCE', 'SUBSCRIPTION_INIT TXN_SUCCESS S_2'],
        payer: [
          '2027-07-10 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-08-2027 until 20-08-2027.',
        ],
      },
    )
    await manage(service, '/subscription/cancel', { subsId: wallet.subscriptionId })
  })

  test('that is late is given back, and its mandate withdrawn, because the order has closed', async () => {
    const service = await running()
    await moveTo(service, '2027-09-01 11:00:00')
    const mandate = await asked(service, 'CONSENT-LATE', { ...dates('2027-10-05', '2027-10-20'), txnAmount: rupees('1.00') })
    await script(service, mandate, 'late')
    await pay(service, mandate, VPA)
    await moveTo(service, '2027-09-10 00:00:00')
    await statusIs(service, mandate, 'REJECT TIMED_OUT')
    await assertLife(service, mandate, {
      events: ['2027-09-04 11:00:00 subscription.rejected'],
      bank: [
        '2027-09-01 11:00:00 mandate success 499.00',
        '2027-09-05 05:00:00 authorize success 1.00',
        '2027-09-05 11:00:00 refund success 1.00',
        '2027-09-05 11:00:00 revoke success 499.00',
      ],
      merchant: ['SALE TXN_FAILURE CONSENT-LATE', 'REFUND TXN_SUCCESS CONSENT-LATE'],
      payer: [],
    })
  })

  test('for another amount is given back, and its mandate withdrawn when the payer does not try again', async () => {
    const service = await running()
    await moveTo(service, '2027-09-11 11:00:00')
    const terms = { ...dates('2027-10-05', '2027-10-20'), txnAmount: rupees('1.00') }
    const gone = await asked(service, 'CONSENT-WRONG', terms)
    await script(service, gone, 'wrongAmount')
    await pay(service, gone, VPA)
    await statusIs(service, gone, 'INIT INIT')
    const again = await asked(service, 'CONSENT-AGAIN', terms)
    await script(service, again, 'wrongAmount')
    await pay(service, again, VPA)
    await service.tasks.runDue() // the amount taken is given back before the payer tries again
    assert.equal((await pay(service, again, VPA)).body.resultInfo.resultStatus, 'S')
    await moveTo(service, '2027-09-13 00:00:00')
    await statusIs(service, gone, 'REJECT TIMED_OUT')
    await statusIs(service, again, 'ACTIVE ACTIVE')
    await assertLife(service, gone, {
      events: ['2027-09-12 11:00:00 subscription.rejected'],
      bank: [
        '2027-09-11 11:00:00 authorize success 2.00',
        '2027-09-11 11:00:00 mandate success 499.00',
        '2027-09-11 11:00:00 refund success 2.00',
        '2027-09-12 11:00:00 revoke success 499.00',
      ],
      merchant: ['SALE TXN_FAILURE CONSENT-WRONG', 'REFUND TXN_SUCCESS CONSENT-WRONG'],
      payer: [],
    })
    await assertLife(service, again, {
      events: ['2027-09-11 11:00:00 subscription.activated', '2027-09-11 11:00:00 20271005 collection.scheduled'],
      bank: [
        '2027-09-11 11:00:00 authorize success 1.00',
        '2027-09-11 11:00:00 authorize success 2.00',
        '2027-09-11 11:00:00 mandate success 499.00',
        '2027-09-11 11:00:00 refund success 2.00',
      ],
      merchant: [
        'SALE TXN_FAILURE CONSENT-AGAIN',
        'REFUND TXN_SUCCESS CONSENT-AGAIN',
        'SALE TXN_SUCCESS CONSENT-AGAIN',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
      ],
      payer: [
        '2027-09-11 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-10-2027 until 20-10-2027.',
      ],
    })
    await manage(service, '/subscription/cancel', { subsId: again.subscriptionId })
  })

  test('that succeeds when the merchant has cancelled is given back, and its mandate withdrawn', async () => {
    const service = await running()
    await moveTo(service, '2027-09-14 11:00:00')
    const mandate = await asked(service, 'CONSENT-CANCELLED', { ...dates('2027-10-05', '2027-10-20'), txnAmount: rupees('1.00') })
    await pay(service, mandate, { paymentMode: 'UPI', payerAccount: 'slow@upi' })
    await manage(service, '/subscription/cancel', { subsId: mandate.subscriptionId })
    await moveTo(service, '2027-09-16 00:00:00')
    await assertLife(service, mandate, {
      events: ['2027-09-14 11:00:00 subscription.cancelled'],
      bank: [
        '2027-09-14 11:00:00 mandate success 499.00',
        '2027-09-14 11:02:00 authorize success 1.00',
        '2027-09-14 11:02:30 refund success 1.00',
        '2027-09-14 11:02:30 revoke success 499.00',
      ],
      merchant: ['SUBSCRIPTION_CANCEL TXN_SUCCESS S_2', 'SALE TXN_FAILURE CONSENT-CANCELLED', 'REFUND TXN_SUCCESS CONSENT-CANCELLED'],
      payer: [],
    })
  })

  test('that no payer gives ends with its order, and no party is notified of a subscription that never was', async () => {
    const service = await running()
    await moveTo(service, '2027-09-17 11:00:00')
    const mandate = await asked(service, 'NO-CONSENT', { ...dates('2027-10-05', '2027-10-20'), txnAmount: rupees('1.00') })
    await moveTo(service, '2027-09-19 00:00:00')
    await assertLife(service, mandate, {
      ...{ events: ['2027-09-18 11:00:00 subscription.rejected'], bank: [], merchant: [], payer: [] },
    })
  })
})

onBothStores('a mandate on a bank account', (store) => {
  const running = stage(store)
  const registered = async (orderId: string, at: string, more: object, means: object = {}, says: string[] = []) => {
    const service = await running()
    await moveTo(service, at)
    const mandate = await asked(service, orderId, { ...ON_ACCOUNT, renewalAmount: '900.00', ...more })
    if (says.length > 0) await scripted(service, mandate, 'mandate', says)
    return { service, mandate, paid: await pay(service, mandate, { ...BY_ACCOUNT, ...means }) }
  }

  test('is taken with nothing paid, accepted a day later, and debited quarterly on the month’s last day until it expires', async () => {
    const { service, mandate, paid } = await registered('ENACH', '2026-11-21 11:00:00', {
      ...dates('2026-11-30', '2027-11-30'),
      subscriptionFrequencyUnit: 'QUARTER',
    })
    assert.equal(paid.body.resultInfo.resultStatus, 'S', paid.text)
    await statusIs(service, mandate, 'IN_AUTHORIZATION SUBMITTED')
    const status = await statusOf(service, mandate)
    assert.deepEqual([status.body.resultInfo.resultStatus, status.body.txnAmount], ['TXN_SUCCESS', '0.00'])
    await moveTo(service, '2027-12-02 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2026-11-21 11:00:00 subscription.submitted',
        '2026-11-22 11:00:00 subscription.authorized',
        '2026-11-30 00:00:00 subscription.activated',
        '2026-11-30 00:00:00 20261130 collection.scheduled',
        '2026-11-30 06:00:00 20261130 collection.attempted',
        '2026-11-30 06:00:00 20270228 collection.scheduled',
        '2026-12-01 06:00:00 20261130 collection.collected',
        '2027-02-28 06:00:00 20270228 collection.attempted',
        '2027-02-28 06:00:00 20270530 collection.scheduled',
        '2027-03-01 06:00:00 20270228 collection.collected',
        '2027-05-30 06:00:00 20270530 collection.attempted',
        '2027-05-30 06:00:00 20270830 collection.scheduled',
        '2027-05-31 06:00:00 20270530 collection.collected',
        '2027-08-30 06:00:00 20270830 collection.attempted',
        '2027-08-30 06:00:00 20271130 collection.scheduled',
        '2027-08-31 06:00:00 20270830 collection.collected',
        '2027-11-30 06:00:00 20271130 collection.attempted',
        '2027-12-01 00:00:00 subscription.expired',
        '2027-12-01 06:00:00 20271130 collection.collected',
      ],
      bank: [
        '2026-11-22 11:00:00 mandate success 900.00',
        '2026-12-01 06:00:00 collect success 900.00',
        '2027-03-01 06:00:00 collect success 900.00',
        '2027-05-31 06:00:00 collect success 900.00',
        '2027-08-31 06:00:00 collect success 900.00',
        '2027-12-01 06:00:00 collect success 900.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS ENACH',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_4',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20261130.1',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270228.1',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270530.1',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270830.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_5',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20271130.1',
      ],
      payer: [
        '2026-11-30 00:00:00 mandate-created: You have allowed Demo Stores to debit Rs 900.00 every 3 months from 30-11-2026 until 30-11-2027.',
        '2026-12-01 06:00:00 debited: Demo Stores has debited Rs 900.00 on 01-12-2026.',
        '2027-03-01 06:00:00 debited: Demo Stores has debited Rs 900.00 on 01-03-2027.',
        '2027-05-31 06:00:00 debited: Demo Stores has debited Rs 900.00 on 31-05-2027.',
        '2027-08-31 06:00:00 debited: Demo Stores has debited Rs 900.00 on 31-08-2027.',
        '2027-12-01 06:00:00 debited: Demo Stores has debited Rs 900.00 on 01-12-2027.',
      ],
    })
    await assertHolds(service)
  })

  test('whose account has no money has its debit refused a day later, and is not debited again in that cycle', async () => {
    const { service, mandate } = await registered('ENACH-EMPTY', '2028-01-20 11:00:00', dates('2028-01-31', '2028-02-29'))
    await scripted(service, mandate, 'collect', ['insufficient'])
    await moveTo(service, '2028-03-05 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2028-01-20 11:00:00 subscription.submitted',
        '2028-01-21 11:00:00 subscription.authorized',
        '2028-01-31 00:00:00 subscription.activated',
        '2028-01-31 00:00:00 20280131 collection.scheduled',
        '2028-01-31 06:00:00 20280131 collection.attempted',
        '2028-01-31 06:00:00 20280229 collection.scheduled',
        '2028-02-01 06:00:00 20280131 collection.failed',
        '2028-02-29 06:00:00 20280229 collection.attempted',
        '2028-03-01 00:00:00 subscription.expired',
        '2028-03-01 06:00:00 20280229 collection.collected',
      ],
      bank: [
        '2028-01-21 11:00:00 mandate success 900.00',
        '2028-02-01 06:00:00 collect insufficientFunds 900.00',
        '2028-03-01 06:00:00 collect success 900.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS ENACH-EMPTY',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_4',
        'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20280131.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_5',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20280229.1',
      ],
      payer: [
        '2028-01-31 00:00:00 mandate-created: You have allowed Demo Stores to debit Rs 900.00 every month from 31-01-2028 until 29-02-2028.',
        '2028-02-01 06:00:00 debit-failed: Demo Stores could not debit Rs 900.00 on 01-02-2028.',
        '2028-03-01 06:00:00 debited: Demo Stores has debited Rs 900.00 on 01-03-2028.',
      ],
    })
  })

  test('on paper takes five days and begins at once when its first day has come', async () => {
    const { service, mandate } = await registered('PAPER', '2028-04-01 11:00:00', {
      ...dates('2028-04-03', '2028-05-02'),
      mandateType: 'PAPER_MANDATE',
    })
    await moveTo(service, '2028-05-05 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2028-04-01 11:00:00 subscription.submitted',
        '2028-04-06 11:00:00 subscription.authorized',
        '2028-04-06 11:00:00 subscription.activated',
        '2028-04-06 11:00:00 20280403 collection.scheduled',
        '2028-04-06 11:00:00 20280403 collection.attempted',
        '2028-04-07 11:00:00 20280403 collection.collected',
        '2028-05-03 00:00:00 subscription.expired',
      ],
      bank: ['2028-04-06 11:00:00 mandate success 900.00', '2028-04-07 11:00:00 collect success 900.00'],
      merchant: [
        'SALE TXN_SUCCESS PAPER',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_4',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20280403.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_5',
      ],
      payer: [
        '2028-04-06 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 900.00 every month from 03-04-2028 until 02-05-2028.',
        '2028-04-07 11:00:00 debited: Demo Stores has debited Rs 900.00 on 07-04-2028.',
      ],
    })
  })

  test('that the bank refuses is over, and the merchant is notified of it', async () => {
    const account = { account_number: '10000000002' }
    const { service, mandate } = await registered('REFUSED', '2028-06-01 11:00:00', dates('2028-06-03', '2028-07-02'), account)
    await moveTo(service, '2028-07-05 00:00:00')
    await statusIs(service, mandate, 'AUTHORIZATION_FAILED BANK_REFUSED')
    await assertLife(service, mandate, {
      events: ['2028-06-01 11:00:00 subscription.submitted', '2028-06-02 11:00:00 subscription.refused'],
      bank: ['2028-06-02 11:00:00 mandate timedOut 900.00'],
      merchant: ['SALE TXN_SUCCESS REFUSED', 'SUBSCRIPTION_REFUSE TXN_SUCCESS S_3'],
      payer: [],
    })
  })

  test('that its payer declines is refused', async () => {
    const { service, mandate } = await registered('DECLINED', '2028-08-01 11:00:00', dates('2028-08-20', '2028-09-02'), {}, ['pending'])
    await moveTo(service, '2028-08-05 12:00:00')
    assert.equal((await payer(service, mandate, 'decline')).status, 200)
    await assertLife(service, mandate, {
      events: ['2028-08-01 11:00:00 subscription.submitted', '2028-08-05 12:00:00 subscription.refused'],
      bank: ['2028-08-05 12:00:00 mandate cancelled 900.00'],
      merchant: ['SALE TXN_SUCCESS DECLINED', 'SUBSCRIPTION_REFUSE TXN_SUCCESS S_3'],
      payer: [],
    })
  })

  test('without a decision in thirty days is withdrawn, and an acceptance comes too late', async () => {
    const { service, mandate } = await registered('UNDECIDED', '2028-10-01 11:00:00', dates('2028-10-20', '2029-10-02'), {}, ['pending'])
    await moveTo(service, '2028-11-01 00:00:00')
    await statusIs(service, mandate, 'REJECT TIMED_OUT')
    assert.equal((await payer(service, mandate, 'approve')).status, 404)
    await assertLife(service, mandate, {
      events: ['2028-10-01 11:00:00 subscription.submitted', '2028-10-31 11:00:00 subscription.rejected'],
      bank: ['2028-10-31 11:00:00 mandate mandateRevoked 900.00', '2028-10-31 11:00:00 revoke success 900.00'],
      merchant: ['SALE TXN_SUCCESS UNDECIDED', 'SUBSCRIPTION_REFUSE TXN_SUCCESS S_3'],
      payer: [],
    })
  })

  test('whose payer goes to the bank’s page first is accepted when the payer agrees there, and not when they decline', async () => {
    const { service, mandate, paid } = await registered('ON-PAGE', '2028-12-01 11:00:00', dates('2028-12-20', '2029-01-02'), {}, ['page'])
    const { actionUrl, method, content } = paid.body.bankForm.redirectForm
    assert.deepEqual([actionUrl, method], [`${service.url}/sandbox/bank/page`, 'post'])
    await statusIs(service, mandate, 'INIT INIT')
    const press = async (action: string, form: Record<string, string>) => {
      const answer = await fetch(actionUrl, { method: 'POST', body: new URLSearchParams({ ...form, action }), redirect: 'manual' })
      assert.equal(answer.status, 303)
      await service.tasks.runDue() // the bank has reported it before the payer's browser returns
      const back = await fetch(answer.headers.get('location')!, { redirect: 'manual' })
      assert.ok(back.status < 400, String(back.status))
    }
    await press('approve', content)
    await statusIs(service, mandate, 'IN_AUTHORIZATION SUBMITTED')
    const other = await registered('ON-PAGE-NO', '2028-12-01 11:00:00', dates('2028-12-20', '2029-01-02'), {}, ['page'])
    await press('decline', other.paid.body.bankForm.redirectForm.content)
    await moveTo(service, '2029-01-05 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2028-12-01 11:00:00 subscription.submitted',
        '2028-12-02 11:00:00 subscription.authorized',
        '2028-12-20 00:00:00 subscription.activated',
        '2028-12-20 00:00:00 20281220 collection.scheduled',
        '2028-12-20 06:00:00 20281220 collection.attempted',
        '2028-12-21 06:00:00 20281220 collection.collected',
        '2029-01-03 00:00:00 subscription.expired',
      ],
      bank: ['2028-12-01 11:00:00 mandate success 900.00', '2028-12-21 06:00:00 collect success 900.00'],
      merchant: [
        'SALE TXN_SUCCESS ON-PAGE',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_4',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20281220.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_5',
      ],
      payer: [
        '2028-12-20 00:00:00 mandate-created: You have allowed Demo Stores to debit Rs 900.00 every month from 20-12-2028 until 02-01-2029.',
        '2028-12-21 06:00:00 debited: Demo Stores has debited Rs 900.00 on 21-12-2028.',
      ],
    })
    await assertLife(service, other.mandate, {
      events: ['2028-12-02 11:00:00 subscription.rejected'],
      bank: ['2028-12-01 11:00:00 mandate cancelled 900.00', '2028-12-02 11:00:00 revoke success 900.00'],
      merchant: ['SALE TXN_FAILURE ON-PAGE-NO'],
      payer: [],
    })
  })

  test('is for subscriptions that begin with it, and for accounts that are named', async () => {
    const service = await running()
    const order = await createOrder(service, 'PLAIN')
    const plain = await pay(service, order, BY_ACCOUNT)
    assert.equal(plain.body.resultInfo.resultMsg, 'Invalid paymentMode', plain.text)
    const terms = dates('2029-03-03', '2029-12-03')
    const nameless = Object.fromEntries(Object.keys(ACCOUNT).map((name) => [name, undefined]))
    const { paid } = await registered('NAMELESS', '2029-02-01 11:00:00', terms, nameless)
    assert.equal(paid.body.resultInfo.resultMsg, 'Invalid paymentMode', paid.text)
    const unknown = await registered('NO-SUCH-BANK', '2029-02-01 11:00:00', terms, { channelCode: 'NONE' })
    assert.equal(unknown.paid.body.resultInfo.resultMsg, 'Invalid channelCode', unknown.paid.text)
  })

  test('shortly before midnight is collected, also when its notice succeeds after midnight', async () => {
    const service = await running()
    await moveTo(service, '2029-06-05 23:59:30')
    const late = await asked(service, 'AT-MIDNIGHT', { ...dates('2029-06-05', '2029-07-01'), subscriptionGraceDays: '0' })
    await pay(service, late, VPA)
    await scripted(service, late, 'notify', ['timeout', 'success'])
    await moveTo(service, '2029-07-02 00:00:00')
    const { events } = await lifeOf(service, late)
    assert.deepEqual(events, [
      '2029-06-05 23:59:30 subscription.activated',
      '2029-06-05 23:59:30 20290605 collection.scheduled',
      '2029-06-06 00:14:30 20290605 collection.noticed',
      '2029-06-07 00:14:30 20290605 collection.attempted',
      '2029-06-07 00:14:30 20290605 collection.collected',
      '2029-07-02 00:00:00 subscription.expired',
    ])
  })

  test('leaves books that equal the bank’s', async () => assertHolds(await running()))
})
