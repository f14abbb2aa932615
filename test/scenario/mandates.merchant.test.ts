// Merchants' actions in the middle of other work: renewals that wait, ends and pauses beside running work. Also a clock that is set back,
// and wallets whose owners have left.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { customerKey } from '../../src/tables/keys.ts'
import { manage } from '../support/mandates/mandates.ts'
import {
  assertLife,
  cycleOf,
  type Mandate,
  payer,
  renew,
  rupees,
  type Stage,
  scripted,
  stage,
  subscriptionOf,
} from '../support/mandates/scenario.ts'
import { initiate, subscription } from '../support/mandates/subscription.ts'
import { at, moveTo } from '../support/mandates/timeline.ts'
import { pay, statusOf } from '../support/paying/paying.ts'
import { codeOf } from '../support/run/replies.ts'
import { onBothStores } from '../support/run/service.ts'
import { changeWorld } from '../support/signin/signin.ts'
import { revoke, signIn } from '../support/signin/tokens.ts'
import { assertHolds } from '../support/store/verify.ts'

const setStatus = async (service: Stage, { subscriptionId }: Mandate, status: 'ACTIVE' | 'SUSPENDED', code = '3006') => {
  const reply = await manage(service, '/subscription/status/modify', { subsId: subscriptionId, status })
  assert.equal(codeOf(reply), code, reply.text)
}
const cancel = (service: Stage, { subscriptionId }: Mandate) => manage(service, '/subscription/cancel', { subsId: subscriptionId })
const notify = async (service: Stage, { subscriptionId }: Mandate, day: string) => {
  const asked = { subsId: subscriptionId, txnAmount: '499.00', subscriptionScheduledExecutionDate: day }
  const reply = await manage(service, '/subscription/preNotify', asked)
  assert.equal(codeOf(reply), '3006', reply.text)
}

onBothStores('a merchant', (store) => {
  const running = stage(store)
  /** One cycle in its own month, due on the 5th, with two days of grace. */
  const agreed = async (orderId: string, month: string, more: Record<string, unknown> = {}) => {
    const service = await running()
    await moveTo(service, `${month}-01 11:00:00`)
    const mandate = await service.consented(orderId, {
      ...{ txnAmount: rupees('1.00'), renewalAmount: '499.00', subscriptionGraceDays: '2', subscriptionRetryCount: '2' },
      ...{ subscriptionStartDate: `${month}-05`, subscriptionExpiryDate: `${month}-20` },
      ...more,
    })
    return { service, mandate }
  }
  const BY_MERCHANT = { autoRenewal: false, autoRetry: false }

  test('who renews at eleven has the debit made at one, and reads so at once', async () => {
    const { service, mandate } = await agreed('AT-ELEVEN', '2027-01', BY_MERCHANT)
    await moveTo(service, '2027-01-02 11:00:00')
    await notify(service, mandate, '2027-01-05')
    await moveTo(service, '2027-01-05 11:00:00')
    const { body } = await renew(service, mandate, 'AT-ONE')
    assert.deepEqual([body.resultInfo.resultCode, body.nextAttemptTime, body.rule], ['0000', '2027-01-05 13:00:00', 'forbiddenHours'])
    assert.equal((await renew(service, mandate, 'AGAIN')).body.resultInfo.resultCode, '3909')
    await moveTo(service, '2027-01-05 12:59:59')
    assert.equal((await statusOf(service, { orderId: 'AT-ONE' })).body.resultInfo.resultStatus, 'PENDING')
    await moveTo(service, '2027-01-21 00:00:00')
    assert.equal((await statusOf(service, { orderId: 'AT-ONE' })).body.resultInfo.resultStatus, 'TXN_SUCCESS')
    await assertLife(service, mandate, {
      events: [
        '2027-01-01 11:00:00 subscription.activated',
        '2027-01-01 11:00:00 20270105 collection.scheduled',
        '2027-01-02 11:00:00 20270105 collection.noticed',
        '2027-01-05 11:00:00 20270105 collection.attempted',
        '2027-01-05 13:00:00 20270105 collection.collected',
        '2027-01-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-01-01 11:00:00 authorize success 1.00',
        '2027-01-01 11:00:00 mandate success 499.00',
        '2027-01-02 11:00:00 notify success 499.00',
        '2027-01-05 13:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS AT-ELEVEN',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270105_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AT-ONE',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-01-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-01-2027 until 20-01-2027.',
        '2027-01-02 11:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-01-2027.',
        '2027-01-05 13:00:00 debited: Demo Stores has debited Rs 499.00 on 05-01-2027.',
      ],
    })
  })

  test('who cancels while a debit waits for its hour has it withdrawn: nothing is debited', async () => {
    const { service, mandate } = await agreed('CANCEL-WAITING', '2027-02', BY_MERCHANT)
    await notify(service, mandate, '2027-02-05')
    await moveTo(service, '2027-02-05 11:00:00')
    assert.equal((await renew(service, mandate, 'WAITING')).body.resultInfo.resultCode, '0000')
    await moveTo(service, '2027-02-05 12:30:00')
    await cancel(service, mandate)
    await moveTo(service, '2027-02-21 00:00:00')
    assert.equal((await statusOf(service, { orderId: 'WAITING' })).body.resultInfo.resultStatus, 'TXN_FAILURE')
    await assertLife(service, mandate, {
      events: [
        '2027-02-01 11:00:00 subscription.activated',
        '2027-02-01 11:00:00 20270205 collection.scheduled',
        '2027-02-01 11:00:00 20270205 collection.noticed',
        '2027-02-05 11:00:00 20270205 collection.attempted',
        '2027-02-05 12:30:00 subscription.cancelled',
        '2027-02-05 12:30:00 20270205 collection.missed',
      ],
      bank: [
        '2027-02-01 11:00:00 authorize success 1.00',
        '2027-02-01 11:00:00 mandate success 499.00',
        '2027-02-01 11:00:00 notify success 499.00',
        '2027-02-05 12:30:00 revoke success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS CANCEL-WAITING',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270205_2',
        'SUBSCRIPTION_DEBIT TXN_FAILURE WAITING',
        'SUBSCRIPTION_CANCEL TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-02-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-02-2027 until 20-02-2027.',
        '2027-02-01 11:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-02-2027.',
        '2027-02-05 12:30:00 mandate-cancelled: Your mandate for Demo Stores has ended on 05-02-2027. Nothing is debited any more.',
      ],
    })
  })

  test('who cancels while the bank is debiting keeps what it debits', async () => {
    const { service, mandate } = await agreed('CANCEL-IN-FLIGHT', '2027-03')
    await scripted(service, mandate, 'collect', ['slow'])
    await moveTo(service, '2027-03-05 06:01:00')
    await cancel(service, mandate)
    await moveTo(service, '2027-03-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-03-01 11:00:00 subscription.activated',
        '2027-03-01 11:00:00 20270305 collection.scheduled',
        '2027-03-03 18:00:00 20270305 collection.noticed',
        '2027-03-05 06:00:00 20270305 collection.attempted',
        '2027-03-05 06:01:00 subscription.cancelled',
        '2027-03-05 06:02:30 20270305 collection.collected',
      ],
      bank: [
        '2027-03-01 11:00:00 authorize success 1.00',
        '2027-03-01 11:00:00 mandate success 499.00',
        '2027-03-03 18:00:00 notify success 499.00',
        '2027-03-05 06:01:00 revoke success 499.00',
        '2027-03-05 06:02:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS CANCEL-IN-FLIGHT',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270305_2',
        'SUBSCRIPTION_CANCEL TXN_SUCCESS S_3',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270305.1',
      ],
      payer: [
        '2027-03-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-03-2027 until 20-03-2027.',
        '2027-03-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-03-2027.',
        '2027-03-05 06:01:00 mandate-cancelled: Your mandate for Demo Stores has ended on 05-03-2027. Nothing is debited any more.',
        '2027-03-05 06:02:30 debited: Demo Stores has debited Rs 499.00 on 05-03-2027.',
      ],
    })
  })

  test('who renews a hundred times at once has one debit made', async () => {
    const { service, mandate } = await agreed('HUNDRED', '2027-04', BY_MERCHANT)
    await notify(service, mandate, '2027-04-05')
    await moveTo(service, '2027-04-05 08:00:00')
    const replies = await Promise.all(Array.from({ length: 100 }, (_, place) => renew(service, mandate, `HUNDRED-${place}`)))
    const accepted = replies.filter(({ body }) => body.resultInfo.resultCode === '0000')
    assert.equal(accepted.length, 1)
    // The others find it under way, or collected.
    for (const { body } of replies) assert.ok(['0000', '3909', '3903'].includes(body.resultInfo.resultCode), body.resultInfo.resultMsg)
    await moveTo(service, '2027-04-21 00:00:00')
    const orderId = accepted[0]!.body.orderId as string
    assert.equal((await statusOf(service, { orderId })).body.resultInfo.resultStatus, 'TXN_SUCCESS')
    await assertLife(service, mandate, {
      events: [
        '2027-04-01 11:00:00 subscription.activated',
        '2027-04-01 11:00:00 20270405 collection.scheduled',
        '2027-04-01 11:00:00 20270405 collection.noticed',
        '2027-04-05 08:00:00 20270405 collection.attempted',
        '2027-04-05 08:00:00 20270405 collection.collected',
        '2027-04-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-04-01 11:00:00 authorize success 1.00',
        '2027-04-01 11:00:00 mandate success 499.00',
        '2027-04-01 11:00:00 notify success 499.00',
        '2027-04-05 08:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS HUNDRED',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270405_2',
        `SUBSCRIPTION_DEBIT TXN_SUCCESS ${orderId}`,
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
      ],
      payer: [
        '2027-04-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-04-2027 until 20-04-2027.',
        '2027-04-01 11:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-04-2027.',
        '2027-04-05 08:00:00 debited: Demo Stores has debited Rs 499.00 on 05-04-2027.',
      ],
    })
  })

  test('cannot lift a pause of the payer’s, which also stands over the merchant’s own', async () => {
    const { service, mandate } = await agreed('PAYER-PAUSED', '2027-05', { subscriptionExpiryDate: '2027-06-20' })
    await moveTo(service, '2027-05-02 12:00:00')
    await setStatus(service, mandate, 'SUSPENDED')
    await moveTo(service, '2027-05-04 12:00:00')
    assert.equal((await payer(service, mandate, 'pause')).status, 200)
    const reply = await manage(service, '/subscription/status/modify', { subsId: mandate.subscriptionId, status: 'ACTIVE' })
    assert.deepEqual([codeOf(reply), reply.body.resultInfo.message], ['3901', 'Subscription is not active: SUSPENDED, USER_PAUSED'])
    await moveTo(service, '2027-05-10 12:00:00')
    await setStatus(service, mandate, 'ACTIVE', '3901')
    assert.equal((await payer(service, mandate, 'resume')).status, 200)
    await moveTo(service, '2027-06-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-05-01 11:00:00 subscription.activated',
        '2027-05-01 11:00:00 20270505 collection.scheduled',
        '2027-05-02 12:00:00 subscription.paused',
        '2027-05-03 18:00:00 20270605 collection.scheduled',
        '2027-05-04 12:00:00 subscription.paused',
        '2027-05-05 00:00:00 20270505 collection.missed',
        '2027-05-10 12:00:00 subscription.resumed',
        '2027-06-03 18:00:00 20270605 collection.noticed',
        '2027-06-05 06:00:00 20270605 collection.attempted',
        '2027-06-05 06:00:00 20270605 collection.collected',
        '2027-06-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-05-01 11:00:00 authorize success 1.00',
        '2027-05-01 11:00:00 mandate success 499.00',
        '2027-05-02 12:00:00 pause success 499.00',
        '2027-05-04 12:00:00 pause success 499.00',
        '2027-05-10 12:00:00 resume success 499.00',
        '2027-05-10 12:00:00 resume success 499.00',
        '2027-06-03 18:00:00 notify success 499.00',
        '2027-06-05 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS PAYER-PAUSED',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_PAUSE TXN_SUCCESS S_3',
        'SUBSCRIPTION_PAUSE TXN_SUCCESS S_4',
        'SUBSCRIPTION_MISS TXN_SUCCESS S_20270505_2',
        'SUBSCRIPTION_RESUME TXN_SUCCESS S_5',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270605_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270605.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_6',
      ],
      payer: [
        '2027-05-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-05-2027 until 20-06-2027.',
        '2027-06-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-06-2027.',
        '2027-06-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-06-2027.',
      ],
    })
  })

  test('whose clock is set back debits nothing twice, and nothing that happened is undone', async () => {
    const { service, mandate } = await agreed('SET-BACK', '2027-07', { subscriptionExpiryDate: '2027-08-20' })
    const setBack = async (hours: number) => {
      await service.tasks.runDue() // work that has begun has its time from before the move
      service.clock.advance(-hours * 3_600_000)
      await service.tasks.runDue()
    }
    await moveTo(service, '2027-07-03 18:00:00')
    assert.equal((await cycleOf(service, mandate, '20270705')).status, 'NOTIFIED')
    await setBack(30)
    await moveTo(service, '2027-07-05 06:00:00')
    assert.equal((await cycleOf(service, mandate, '20270705')).status, 'COLLECTED')
    await setBack(24 * 10)
    await moveTo(service, '2027-07-04 12:00:00')
    await setStatus(service, mandate, 'SUSPENDED')
    await setBack(48)
    await setStatus(service, mandate, 'ACTIVE')
    await moveTo(service, '2027-08-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2027-07-01 11:00:00 subscription.activated',
        '2027-07-01 11:00:00 20270705 collection.scheduled',
        '2027-07-03 18:00:00 20270705 collection.noticed',
        '2027-07-03 18:00:00 20270805 collection.scheduled',
        '2027-07-04 12:00:00 subscription.paused',
        '2027-07-04 12:00:00 subscription.resumed',
        '2027-07-05 06:00:00 20270705 collection.attempted',
        '2027-07-05 06:00:00 20270705 collection.collected',
        '2027-08-03 18:00:00 20270805 collection.noticed',
        '2027-08-05 06:00:00 20270805 collection.attempted',
        '2027-08-05 06:00:00 20270805 collection.collected',
        '2027-08-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2027-07-01 11:00:00 authorize success 1.00',
        '2027-07-01 11:00:00 mandate success 499.00',
        '2027-07-02 12:00:00 resume success 499.00',
        '2027-07-03 18:00:00 notify success 499.00',
        '2027-07-04 12:00:00 pause success 499.00',
        '2027-07-05 06:00:00 collect success 499.00',
        '2027-08-03 18:00:00 notify success 499.00',
        '2027-08-05 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS SET-BACK',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270705_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270705.1',
        'SUBSCRIPTION_PAUSE TXN_SUCCESS S_3',
        'SUBSCRIPTION_RESUME TXN_SUCCESS S_4',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270805_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20270805.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_5',
      ],
      payer: [
        '2027-07-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-07-2027 until 20-08-2027.',
        '2027-07-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-07-2027.',
        '2027-07-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-07-2027.',
        '2027-08-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-08-2027.',
        '2027-08-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-08-2027.',
      ],
    })
  })

  test('of an expired mandate whose clock is set back finds it expired all the same', async () => {
    const { service, mandate } = await agreed('SET-BACK-EXPIRED', '2027-09')
    await moveTo(service, '2027-09-21 00:00:00')
    service.clock.advance(at('2027-09-10 12:00:00') - service.clock.now())
    assert.equal(codeOf(await cancel(service, mandate)), '3902')
    assert.equal((await renew(service, mandate, 'TOO-LATE')).body.resultInfo.resultCode, '3902')
    await moveTo(service, '2027-09-22 00:00:00')
    assert.equal((await subscriptionOf(service, mandate)).status, 'EXPIRED')
  })

  test('is paid out of a wallet whose owner has signed out, when there is money in it and its number has no other owner', async () => {
    const service = await running()
    await moveTo(service, '2027-10-01 11:00:00')
    const mobile = '9999900001'
    const { ssoToken } = await signIn(service, mobile)
    const reply = await initiate(
      service,
      subscription('BY-WALLET', {
        ...{ subscriptionAmountType: 'FIX', subscriptionMaxAmount: undefined, renewalAmount: '2400.00', subscriptionPaymentMode: 'PPI' },
        ...{ txnAmount: rupees('1.00'), autoRenewal: true, autoRetry: true, communicationManager: true, subscriptionRetryCount: '3' },
        ...{ subscriptionStartDate: '2027-10-05', subscriptionExpiryDate: '2027-12-20', subscriptionGraceDays: '3' },
        userInfo: { custId: 'C1', svcSsoToken: ssoToken },
      }),
    )
    const { subscriptionId, txnToken } = reply.body as { subscriptionId: string; txnToken: string }
    const paid = await pay(service, { orderId: 'BY-WALLET', txnToken }, { paymentMode: 'BALANCE' })
    assert.equal(paid.body.resultInfo.resultStatus, 'S', paid.text)
    assert.equal((await revoke(service, ssoToken)).status, 200)
    const balance = async () => (await service.ports.query.row(customerKey(mobile)))!.walletBalancePaise
    assert.equal(await balance(), 4999_00)
    await moveTo(service, '2027-10-05 07:00:00')
    assert.equal(await balance(), 2599_00)
    // The number may have another owner, whose money pays no mandate of the former one. It does so again once the report is taken back.
    await moveTo(service, '2027-11-05 05:00:00')
    await changeWorld(service, { customers: [{ mobile, pendingVerification: true }] })
    await moveTo(service, '2027-12-01 05:00:00')
    assert.equal(await balance(), 2599_00)
    await changeWorld(service, { customers: [{ mobile, pendingVerification: false }] })
    await moveTo(service, '2027-12-21 00:00:00')
    assert.equal(await balance(), 199_00)
    await assertLife(
      service,
      { subscriptionId, mobile },
      {
        events: [
          '2027-10-01 11:00:00 subscription.activated',
          '2027-10-01 11:00:00 20271005 collection.scheduled',
          '2027-10-03 18:00:00 20271005 collection.noticed',
          '2027-10-03 18:00:00 20271105 collection.scheduled',
          '2027-10-05 06:00:00 20271005 collection.attempted',
          '2027-10-05 06:00:00 20271005 collection.collected',
          '2027-11-03 18:00:00 20271105 collection.noticed',
          '2027-11-03 18:00:00 20271205 collection.scheduled',
          '2027-11-05 06:00:00 20271105 collection.attempted',
          '2027-11-05 06:00:00 20271105 collection.attempt-failed',
          '2027-11-06 06:00:00 20271105 collection.attempted',
          '2027-11-06 06:00:00 20271105 collection.attempt-failed',
          '2027-11-07 06:00:00 20271105 collection.attempted',
          '2027-11-07 06:00:00 20271105 collection.attempt-failed',
          '2027-11-08 06:00:00 20271105 collection.attempted',
          '2027-11-08 06:00:00 20271105 collection.failed',
          '2027-12-03 18:00:00 20271205 collection.noticed',
          '2027-12-05 06:00:00 20271205 collection.attempted',
          '2027-12-05 06:00:00 20271205 collection.collected',
          '2027-12-21 00:00:00 subscription.expired',
        ],
        bank: [],
        merchant: [
          'SALE TXN_SUCCESS BY-WALLET',
          'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
          'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20271005_2',
          'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20271005.1',
          'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20271105_2',
          'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20271105.1',
          'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20271105.2',
          'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20271105.3',
          'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20271105.4',
          'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20271205_2',
          'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20271205.1',
          'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_3',
        ],
        payer: [
          '2027-10-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 2,400.00 every month from 05-10-2027 until 20-12-2027.',
          '2027-10-03 18:00:00 pre-debit: Demo Stores will debit Rs 2,400.00 on 05-10-2027.',
          '2027-10-05 06:00:00 debited: Demo Stores has debited Rs 2,400.00 on 05-10-2027.',
          '2027-11-03 18:00:00 pre-debit: Demo Stores will debit Rs 2,400.00 on 05-11-2027.',
          '2027-12-03 18:00:00 pre-debit: Demo Stores will debit Rs 2,400.00 on 05-12-2027.',
          '2027-12-05 06:00:00 debited: Demo Stores has debited Rs 2,400.00 on 05-12-2027.',
        ],
      },
    )
    await assertHolds(service)
  })

  test('whose bank does not answer to the end of a pause debits nothing before it has', async () => {
    const { service, mandate } = await agreed('HELD', '2028-01', { subscriptionExpiryDate: '2028-02-20' })
    await moveTo(service, '2028-01-10 12:00:00')
    await scripted(service, mandate, 'mandate', ['timeout', 'success', 'timeout', 'timeout'])
    await setStatus(service, mandate, 'SUSPENDED')
    await moveTo(service, '2028-02-03 17:58:00')
    await setStatus(service, mandate, 'ACTIVE')
    await moveTo(service, '2028-02-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2028-01-01 11:00:00 subscription.activated',
        '2028-01-01 11:00:00 20280105 collection.scheduled',
        '2028-01-03 18:00:00 20280105 collection.noticed',
        '2028-01-03 18:00:00 20280205 collection.scheduled',
        '2028-01-05 06:00:00 20280105 collection.attempted',
        '2028-01-05 06:00:00 20280105 collection.collected',
        '2028-01-10 12:00:00 subscription.paused',
        '2028-02-03 17:58:00 subscription.resumed',
        '2028-02-03 18:15:00 20280205 collection.noticed',
        '2028-02-05 06:00:00 20280205 collection.attempted',
        '2028-02-05 06:00:00 20280205 collection.collected',
        '2028-02-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2028-01-01 11:00:00 authorize success 1.00',
        '2028-01-01 11:00:00 mandate success 499.00',
        '2028-01-03 18:00:00 notify success 499.00',
        '2028-01-05 06:00:00 collect success 499.00',
        '2028-01-10 12:01:00 pause success 499.00',
        '2028-02-03 18:01:00 resume success 499.00',
        '2028-02-03 18:15:00 notify success 499.00',
        '2028-02-05 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS HELD',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20280105_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20280105.1',
        'SUBSCRIPTION_PAUSE TXN_SUCCESS S_3',
        'SUBSCRIPTION_RESUME TXN_SUCCESS S_4',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20280205_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20280205.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_5',
      ],
      payer: [
        '2028-01-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-01-2028 until 20-02-2028.',
        '2028-01-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-01-2028.',
        '2028-01-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-01-2028.',
        '2028-02-03 18:15:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-02-2028.',
        '2028-02-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-02-2028.',
      ],
    })
    assert.equal((await subscriptionOf(service, mandate)).mandate?.isPauseAtBank, undefined)
  })

  test('who pauses over the hour of a notice and not over its day has the payer notified after resuming', async () => {
    const { service, mandate } = await agreed('PAUSED-OVER-NOTICE', '2028-03', { subscriptionGraceDays: '0' })
    await moveTo(service, '2028-03-03 17:00:00')
    await setStatus(service, mandate, 'SUSPENDED')
    await moveTo(service, '2028-03-03 20:00:00')
    await setStatus(service, mandate, 'ACTIVE')
    await moveTo(service, '2028-03-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2028-03-01 11:00:00 subscription.activated',
        '2028-03-01 11:00:00 20280305 collection.scheduled',
        '2028-03-03 17:00:00 subscription.paused',
        '2028-03-03 20:00:00 subscription.resumed',
        '2028-03-03 20:01:00 20280305 collection.noticed',
        '2028-03-05 06:00:00 20280305 collection.attempted',
        '2028-03-05 06:00:00 20280305 collection.collected',
        '2028-03-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2028-03-01 11:00:00 authorize success 1.00',
        '2028-03-01 11:00:00 mandate success 499.00',
        '2028-03-03 17:00:00 pause success 499.00',
        '2028-03-03 20:00:00 resume success 499.00',
        '2028-03-03 20:01:00 notify success 499.00',
        '2028-03-05 06:00:00 collect success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS PAUSED-OVER-NOTICE',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_PAUSE TXN_SUCCESS S_3',
        'SUBSCRIPTION_RESUME TXN_SUCCESS S_4',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20280305_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20280305.1',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_5',
      ],
      payer: [
        '2028-03-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-03-2028 until 20-03-2028.',
        '2028-03-03 20:01:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-03-2028.',
        '2028-03-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-03-2028.',
      ],
    })
  })

  test('whose payer paused too, at a bank that did not report it, finds out on lifting the merchant’s own pause', async () => {
    const { service, mandate } = await agreed('BOTH-PAUSED', '2028-04', { subscriptionExpiryDate: '2028-05-20' })
    await moveTo(service, '2028-04-10 12:00:00')
    await setStatus(service, mandate, 'SUSPENDED')
    await service.tasks.runDue()
    assert.equal((await payer(service, mandate, 'pause', { isReported: false })).status, 200)
    await moveTo(service, '2028-04-12 12:00:00')
    await setStatus(service, mandate, 'ACTIVE')
    await moveTo(service, '2028-04-12 12:01:00')
    await setStatus(service, mandate, 'ACTIVE', '3901')
    await moveTo(service, '2028-05-21 00:00:00')
    await assertLife(service, mandate, {
      events: [
        '2028-04-01 11:00:00 subscription.activated',
        '2028-04-01 11:00:00 20280405 collection.scheduled',
        '2028-04-03 18:00:00 20280405 collection.noticed',
        '2028-04-03 18:00:00 20280505 collection.scheduled',
        '2028-04-05 06:00:00 20280405 collection.attempted',
        '2028-04-05 06:00:00 20280405 collection.collected',
        '2028-04-10 12:00:00 subscription.paused',
        '2028-04-12 12:00:00 subscription.resumed',
        '2028-04-12 12:00:00 subscription.paused',
        '2028-05-05 00:00:00 20280505 collection.missed',
        '2028-05-21 00:00:00 subscription.expired',
      ],
      bank: [
        '2028-04-01 11:00:00 authorize success 1.00',
        '2028-04-01 11:00:00 mandate success 499.00',
        '2028-04-03 18:00:00 notify success 499.00',
        '2028-04-05 06:00:00 collect success 499.00',
        '2028-04-10 12:00:00 pause success 499.00',
        '2028-04-10 12:00:00 pause success 499.00',
        '2028-04-12 12:00:00 resume success 499.00',
      ],
      merchant: [
        'SALE TXN_SUCCESS BOTH-PAUSED',
        'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
        'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20280405_2',
        'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20280405.1',
        'SUBSCRIPTION_PAUSE TXN_SUCCESS S_3',
        'SUBSCRIPTION_RESUME TXN_SUCCESS S_4',
        'SUBSCRIPTION_PAUSE TXN_SUCCESS S_5',
        'SUBSCRIPTION_MISS TXN_SUCCESS S_20280505_2',
        'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_6',
      ],
      payer: [
        '2028-04-01 11:00:00 mandate-created: You have allowed Demo Stores to debit Rs 499.00 every month from 05-04-2028 until 20-05-2028.',
        '2028-04-03 18:00:00 pre-debit: Demo Stores will debit Rs 499.00 on 05-04-2028.',
        '2028-04-05 06:00:00 debited: Demo Stores has debited Rs 499.00 on 05-04-2028.',
      ],
    })
  })
})
