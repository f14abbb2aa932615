// A mandate's notifications to its merchant, over real HTTP, on both stores (docs/interface.md section 6): the exact notifications of a
// life, and their order. A receiver that drops apparent repetitions misses nothing.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { classicFields } from '../../src/adapters/delivery/classic-form.ts'
import { operations } from '../../src/api/operations.ts'
import { cancelAttempt } from '../../src/flows/cancel-payment.ts'
import { find } from '../../src/tables/tables.ts'
import { addCycle, manage, consented as standing } from '../support/mandates/mandates.ts'
import { initiate, subscription } from '../support/mandates/subscription.ts'
import { at, consented, moveTo } from '../support/mandates/timeline.ts'
import { notifiedWorld, type Received, read, receiver } from '../support/notifications/receiver.ts'
import { pay } from '../support/paying/paying.ts'
import { refund } from '../support/paying/refunds.ts'
import { MID, onBothStores, type Service, type StoreName, startService } from '../support/run/service.ts'
import { assertHolds } from '../support/store/verify.ts'

const ROOT = join(import.meta.dirname, '../..')

interface Telling {
  service: Service
  journal: readonly Received[]
  url: string
}

/** A service and its merchant's server, with the merchant's endpoint at /merchant unless `form` is `none`. */
async function withNotified(store: StoreName, form: 'json' | 'classic' | 'none'): Promise<Telling> {
  const { journal, url } = await receiver()
  const world = notifiedWorld(`${url}/merchant`, form === 'classic' ? 'classic' : 'json')
  const { notification: _, ...without } = world.merchants![0]!
  const service = await startService(store, { world: form === 'none' ? { ...world, merchants: [without] } : world })
  after(() => service.close())
  return { service, journal, url }
}

const fieldsOf = (received: Received): Record<string, string> => {
  const notification = read(received)
  assert.notEqual(typeof notification, 'string', String(notification))
  return (notification as { fields: Record<string, string> }).fields
}

/** `txnType status orderId`, with S for the subscription's id, of the posts at a path. */
const heard = (journal: readonly Received[], subscriptionId: string, path = '/merchant') =>
  journal
    .filter((received) => received.path === path)
    .map((received) => fieldsOf(received))
    .map(({ txnType, status, orderId }) => `${txnType} ${status} ${orderId!.replace(subscriptionId, 'S')}`)

const monthly = {
  txnAmount: { value: '1.00', currency: 'INR' },
  renewalAmount: '499.00',
  subscriptionStartDate: '2026-12-05',
  subscriptionExpiryDate: '2027-02-05',
  subscriptionGraceDays: '2',
  subscriptionRetryCount: '1',
}

onBothStores('a merchant of mandates', (store) => {
  test('is notified of consent, notices, attempts, pause, miss, resume and the end in one stream, and of each once', async () => {
    const { service, journal } = await withNotified(store, 'json')
    await moveTo(service, '2026-11-21 11:00:00')
    const { subscriptionId } = await consented(service, 'LIFE.1', { ...monthly, payerAccount: 'debit-insufficient@upi' })
    await moveTo(service, '2026-12-08 10:00:00')
    const change = (status: string) => manage(service, '/subscription/status/modify', { subsId: subscriptionId, status })
    await change('SUSPENDED')
    await moveTo(service, '2027-01-06 10:00:00')
    await change('ACTIVE')
    await moveTo(service, '2027-02-06 10:00:00')
    const expected = [
      'SALE TXN_SUCCESS LIFE.1',
      'SUBSCRIPTION_INIT TXN_SUCCESS S_2',
      'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20261205_2',
      'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20261205.1',
      'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20261205.2',
      'SUBSCRIPTION_PAUSE TXN_SUCCESS S_3',
      'SUBSCRIPTION_MISS TXN_SUCCESS S_20270105_2',
      'SUBSCRIPTION_RESUME TXN_SUCCESS S_4',
      'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20270205_2',
      'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20270205.1',
      'SUBSCRIPTION_DEBIT TXN_FAILURE AS.20270205.2',
      'SUBSCRIPTION_EXPIRE TXN_SUCCESS S_5',
    ]
    const reported = heard(journal, subscriptionId)
    assert.deepEqual(reported, expected)
    // A receiver that takes a second message of one orderId and status for a repetition has got all of them.
    assert.equal(new Set(reported.map((line) => line.slice(line.indexOf(' ')))).size, reported.length)
    const streams = await service.store.query.rows(find('notificationStreams', { limit: 100 }))
    assert.deepEqual(streams.map(({ orderId, endpoint, last }) => [orderId, endpoint, last]).sort(), [
      ['LIFE.1', 'merchant', expected.length],
    ])
    const debit = journal.map((received) => fieldsOf(received)).find(({ txnType }) => txnType === 'SUBSCRIPTION_DEBIT')!
    assert.deepEqual([debit['consentOrderId'], debit['subscriptionId'], debit['subStatus']], ['LIFE.1', subscriptionId, 'ACTIVE'])
    const paused = journal.map((received) => fieldsOf(received)).find(({ txnType }) => txnType === 'SUBSCRIPTION_PAUSE')!
    assert.deepEqual(
      [paused['subscriptionStatus'], paused['subStatus'], paused['consentOrderId']],
      ['SUSPENDED', 'MERCHANT_PAUSED', 'LIFE.1'],
    )
    await assertHolds(service)
  })

  test('is notified of a collected cycle, of its refund in the same stream, and of a cancellation', async () => {
    const { service, journal } = await withNotified(store, 'json')
    await moveTo(service, '2026-11-21 11:00:00')
    const { subscriptionId } = await consented(service, 'PAID_1', monthly)
    await moveTo(service, '2026-12-05 07:00:00')
    const orderId = `A${subscriptionId}.20261205.1`
    const { txnId } = journal.map((received) => fieldsOf(received)).find((fields) => fields['orderId'] === orderId)!
    await refund(service, { orderId, txnId: txnId! }, 'R1', '100.00')
    await service.tasks.runDue()
    await manage(service, '/subscription/cancel', { subsId: subscriptionId })
    await service.tasks.runDue()
    assert.deepEqual(heard(journal, subscriptionId).slice(2), [
      'SUBSCRIPTION_NOTIFY TXN_SUCCESS S_20261205_2',
      'SUBSCRIPTION_DEBIT TXN_SUCCESS AS.20261205.1',
      'REFUND PENDING AS.20261205.1',
      'REFUND TXN_SUCCESS AS.20261205.1',
      'SUBSCRIPTION_CANCEL TXN_SUCCESS S_3', // and nothing about the next cycle, which ends with it
    ])
    const ids = journal.map(({ headers }) => String(headers['webhook-id']))
    assert.deepEqual(
      ids,
      ids.map((_, at) => `${MID}:PAID_1:merchant:${at + 1}`),
    )
    const returned = journal.map((received) => fieldsOf(received)).find(({ txnType }) => txnType === 'REFUND')!
    assert.deepEqual([returned['consentOrderId'], returned['subscriptionId']], ['PAID_1', subscriptionId])
    await assertHolds(service)
  })

  test('with the classic form is notified of money, of the state and of notices in three spellings', async () => {
    const { service, journal } = await withNotified(store, 'classic')
    await moveTo(service, '2026-11-21 11:00:00')
    const userInfo = { custId: 'C1', mobile: '9812345678', email: 'asha@example.com' }
    const { subscriptionId } = await consented(service, 'FORM_1', { ...monthly, userInfo })
    await moveTo(service, '2026-12-05 07:00:00')
    const [sale, init, notice, debit, ...more] = journal.map((received) => fieldsOf(received))
    assert.equal(more.length, 0)
    assert.deepEqual([sale!['TXNTYPE'], sale!['SUBS_ID'], sale!['STATUS']], ['SALE', subscriptionId, 'TXN_SUCCESS'])
    assert.deepEqual(init, {
      MID,
      ORDERID: 'FORM_1',
      CUSTID: 'C1',
      TXNTYPE: 'SUBSCRIPTION_INIT',
      SUBS_ID: subscriptionId,
      STATUS: 'ACTIVE',
      PAYMENTMODE: 'UPI',
      AMOUNTTYPE: 'FIX',
      MAXAMOUNT: '499.00',
      UPFRONTTXNAMOUNT: '1.00',
      FREQUENCY: '1',
      FREQUENCYUNIT: 'MONTH',
      EXPIRYDATE: '2027-02-05 00:00:00',
      CREATEDDATE: '2026-11-21 11:00:00',
      UPDATEDDATE: '2026-11-21 11:00:00',
      CUSTMOBILE: 'XXXXXX5678',
      CUSTEMAILID: 'asha@example.com',
      MERCHANTNAME: 'Demo Stores',
    })
    const { REFERENCEID, ...said } = notice!
    assert.equal(REFERENCEID, `${subscriptionId}.20261205.1`)
    assert.deepEqual(said, {
      MID,
      TXNTYPE: 'SUBSCRIPTION_NOTIFY',
      SUBS_ID: subscriptionId,
      TXNMESSAGE: 'subscription',
      NOTIFICATIONSTATUS: 'SUCCESS',
      NOTIFICATIONSTATUSCODE: '0',
      NOTIFICATIONSTATUSMESSAGE: 'The customer was notified',
      TXNDATE: '05/12/2026 00:00',
      NOTIFICATIONDATE: '03/12/2026 18:00',
    })
    assert.deepEqual(
      [debit!['ORDERID'], debit!['TXNTYPE'], debit!['STATUS'], debit!['SUBS_ID'], debit!['TXNAMOUNT']],
      [`A${subscriptionId}.20261205.1`, 'SUBSCRIPTION_DEBIT', 'TXN_SUCCESS', subscriptionId, '499.00'],
    )
  })

  test('without an endpoint is called back with the money of each cycle, and with nothing else', async () => {
    const { service, journal, url } = await withNotified(store, 'none')
    await moveTo(service, '2026-11-21 11:00:00')
    const { subscriptionId } = await consented(service, 'BACK_1', { ...monthly, callbackUrl: `${url}/callback` })
    await moveTo(service, '2027-01-06 07:00:00')
    await manage(service, '/subscription/cancel', { subsId: subscriptionId })
    await service.tasks.runDue()
    const forms = journal.map(({ path, body }) => ({ path, ...Object.fromEntries(new URLSearchParams(body)) }) as Record<string, string>)
    assert.deepEqual(
      forms.map((form) => ['path', 'ORDERID', 'TXNTYPE', 'STATUS', 'SUBS_ID'].map((name) => form[name])),
      ['20261205', '20270105'].map((day) => [
        '/callback',
        `A${subscriptionId}.${day}.1`,
        'SUBSCRIPTION_DEBIT',
        'TXN_SUCCESS',
        subscriptionId,
      ]),
    )
    await assertHolds(service)
  })

  test('is notified of a cancelled subscription although no payer had consented, and of none that only timed out', async () => {
    const { service, journal } = await withNotified(store, 'json')
    const subsId = await standing(service, 'NEVER_1', {}, { status: 'INIT', subStatus: 'INIT', version: 1, paymentMode: null })
    await manage(service, '/subscription/cancel', { subsId })
    await manage(service, '/subscription/cancel', { subsId })
    await service.tasks.runDue()
    assert.deepEqual(heard(journal, subsId), ['SUBSCRIPTION_CANCEL TXN_SUCCESS S_2'])
  })

  test('is notified of a missed cycle whose only attempt the merchant has closed before it was sent', async () => {
    const { service, journal } = await withNotified(store, 'json')
    const subsId = await standing(service, 'ONLY_1')
    await addCycle(service, subsId, {
      ...{ status: 'NOTIFIED', notices: 1, noticedAt: at('2026-06-13 10:00:00'), noticedPaise: 100_00 },
      ...{ windowTo: '2026-06-17', attemptsMax: 1 },
    })
    const [renew, close] = [operations.renewSubscription.paths[0], operations.closeOrder.paths[0]]
    const body = { mid: MID, orderId: 'ONLY_2', subscriptionId: subsId, txnAmount: { value: '50.00', currency: 'INR' } }
    assert.equal((await service.signed(`${renew}?mid=${MID}&orderId=ONLY_2`, body)).body.rule, 'forbiddenHours')
    await service.signed(close, { requestType: 'CLOSE', mid: MID, orderId: 'ONLY_2' })
    await service.tasks.runDue()
    assert.deepEqual(heard(journal, subsId), ['SUBSCRIPTION_DEBIT TXN_FAILURE ONLY_2', 'SUBSCRIPTION_MISS TXN_SUCCESS S_20260615_3'])
  })

  test('is notified of a consent by a one-time password, and of one that its bank had when the payer went back', async () => {
    const { service, journal } = await withNotified(store, 'json')
    const begun = async (orderId: string, more: object) => {
      const { body } = await initiate(service, subscription(orderId))
      const { subscriptionId, txnToken } = body as { subscriptionId: string; txnToken: string }
      const card = { paymentMode: 'CREDIT_CARD', cardInfo: '|4000000000003220|123|122032' }
      assert.equal((await pay(service, { orderId, txnToken }, { ...card, ...more })).body.resultInfo.resultStatus, 'S')
      return { subscriptionId, txnToken }
    }
    const byCode = await begun('CODE_1', { authMode: 'otp' })
    const submitted = { mid: MID, orderId: 'CODE_1', requestType: 'submit', otp: '123123' }
    const text = JSON.stringify({ head: { txnToken: byCode.txnToken }, body: submitted })
    await service.post(`${operations.directBankRequest.paths[0]}?mid=${MID}&orderId=CODE_1`, text)
    const goneBack = await begun('BACK_2', {})
    await service.post('/sandbox/bank/script', JSON.stringify({ mid: MID, orderId: 'BACK_2', call: 'cancel', outcomes: ['success'] }))
    assert.equal(await cancelAttempt(service.ports, { mid: MID, orderId: 'BACK_2', attempt: 1 }), 'paid')
    await service.tasks.runDue()
    for (const [orderId, { subscriptionId }] of [
      ['CODE_1', byCode],
      ['BACK_2', goneBack],
    ] as const) {
      const own = journal.filter((received) => fieldsOf(received)['subscriptionId'] === subscriptionId)
      assert.deepEqual(heard(own, subscriptionId), [`SALE TXN_SUCCESS ${orderId}`, 'SUBSCRIPTION_INIT TXN_SUCCESS S_2'])
    }
  })
})

test('a merchant’s own text in a notice form keeps neither a pipe nor what an older kit cannot verify', () => {
  const content = {
    ...{ mid: 'M', subscriptionId: 'S', txnType: 'SUBSCRIPTION_NOTIFY', referenceId: 'R', notificationStatus: 'SUCCESS' },
    ...{ debitDate: '2026-12-05', notificationDate: '03-12-2026 18:00' },
  }
  assert.equal(classicFields({ ...content, txnMessage: 'Milk|Eggs' })['TXNMESSAGE'], 'Milk Eggs')
  assert.equal(classicFields({ ...content, txnMessage: 'NO REFUND' })['TXNMESSAGE'], undefined)
  assert.equal(classicFields({ ...content, txnMessage: 'null' })['TXNMESSAGE'], undefined)
})

test('an operation whose file may move a subscription, or end a cycle, notifies of it', () => {
  const moving =
    /\b(move|endOrPause|timeOut|withdrawAttempt|endCycle|started|outcomeOf|takenOver|decideCycle)\(|subscriptionEvent\('subscription\.(?!created)/
  const names = globSync('src/domain/{order,payment-page,subscription,transaction}/**/*.ts', { cwd: ROOT })
  const texts = names.map((name) => readFileSync(join(ROOT, name), 'utf8')).filter((text) => moving.test(text))
  const found = texts.flatMap((text) => [...text.matchAll(/^export const (\w+) = operation\(\{\n.*?^\}\)\n/gms)])
  const isSilent = (operation: string) => !/\bnotifyOfMoves\(/.test(operation)
  assert.equal(found.length, 19, found.map(([, name]) => name).join(' '))
  // The first only brings a status inquiry forward. Before a customer's consent no party is notified of the end.
  assert.deepEqual(
    found.filter(([operation]) => isSilent(operation)).map(([, name]) => name),
    ['recheckEdit', 'leavePage', 'expireOrder'],
  )
})
