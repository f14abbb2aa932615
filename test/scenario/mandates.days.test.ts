// A pause, a closed order, changed terms and a late answer, each when no process has looked at the cycle meanwhile. They leave the days of
// this cycle and the later ones as they were notified and agreed. docs/interface.md sections 3, 4.36, 4.37 and 4.41, docs/decisions/0017.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../src/api/operations.ts'
import { applyTransactionResult } from '../../src/domain/transaction/apply-transaction-result.ts'
import { demoWorld } from '../../src/sandbox/world.ts'
import { find } from '../../src/tables/tables.ts'
import { manage } from '../support/mandates/mandates.ts'
import { cycleOf, type Mandate, payer, renew, rupees, scripted, subscriptionOf } from '../support/mandates/scenario.ts'
import { initiate, subscription } from '../support/mandates/subscription.ts'
import { at, consented, journal, moveTo } from '../support/mandates/timeline.ts'
import { bankJournal, pay, statusOf } from '../support/paying/paying.ts'
import { codeOf } from '../support/run/replies.ts'
import { MID, onBothStores, type Service, sharedService } from '../support/run/service.ts'
import { assertHolds } from '../support/store/verify.ts'

type Of = Pick<Mandate, 'subscriptionId'>
/** Due on the 5th of a month, for ₹499. */
const terms = (month: string, more: Record<string, unknown> = {}) => ({
  ...{ txnAmount: rupees('1.00'), renewalAmount: '499.00', subscriptionGraceDays: '2', subscriptionRetryCount: '2' },
  ...{ subscriptionStartDate: `${month}-05`, subscriptionExpiryDate: `${month}-28`, ...more },
})
const FIXED = { subscriptionAmountType: 'FIX', subscriptionMaxAmount: undefined }
const VARYING = { subscriptionAmountType: 'VARIABLE', renewalAmount: undefined }
const setStatus = async (service: Service, { subscriptionId }: Of, status: 'ACTIVE' | 'SUSPENDED') =>
  assert.equal(codeOf(await manage(service, '/subscription/status/modify', { subsId: subscriptionId, status })), '3006')
const edit = async (service: Service, mandate: Of, more: object) => {
  assert.equal(codeOf(await manage(service, '/subscription/edit', { subsId: mandate.subscriptionId, ...more })), '3006')
  await service.tasks.runDue()
  assert.equal((await payer(service, mandate, 'approve')).status, 200)
  await service.tasks.runDue()
}
const notify = async (service: Service, { subscriptionId }: Of, day: string) => {
  const asked = { subsId: subscriptionId, txnAmount: '499.00', subscriptionScheduledExecutionDate: day }
  assert.equal(codeOf(await manage(service, '/subscription/preNotify', asked)), '3006')
  await service.tasks.runDue()
}
/** The rule for which it waits, and until when. */
async function renewed(service: Service, mandate: Of, orderId: string, more: object = {}) {
  const { body } = await renew(service, mandate, orderId, more)
  assert.equal(body.resultInfo.resultCode, '0000')
  await service.tasks.runDue()
  return [body.rule, body.nextAttemptTime]
}
const close = async ({ signed }: Service, orderId: string) =>
  assert.equal(codeOf(await signed(operations.closeOrder.paths[0], { requestType: 'CLOSE', mid: MID, orderId })), '0000')
/** Time passes while no process runs. */
const passUnseen = (service: Service, until: string) => service.clock.advance(at(until) - service.clock.now())
/** `dueDate state`, in order. */
const cycles = async ({ ports }: Service, { subscriptionId }: Of) =>
  (await ports.query.rows(find('collections', { equals: { mid: MID, subscriptionId }, orderBy: ['dueDate'], limit: 100 }))).map(
    ({ dueDate, status }) => `${dueDate} ${status}`,
  )
const debits = async (service: Service, { subscriptionId }: Of) =>
  (await journal(service, subscriptionId)).filter((line) => line.includes(' collect '))

onBothStores('the days of a mandate', (store) => {
  const running = sharedService(store)

  test('go on after a pause that comes before any process has looked at the cycle whose days are over', async () => {
    const service = await running()
    await moveTo(service, '2027-01-01 11:00:00')
    const weekly = { subscriptionFrequencyUnit: 'WEEK', subscriptionGraceDays: '7' }
    const mandate = await consented(service, 'PAUSED-UNSEEN', terms('2027-01', { ...weekly, autoRenewal: false, autoRetry: false }))
    await moveTo(service, '2027-01-11 23:59:00')
    assert.deepEqual(await cycles(service, mandate), ['2027-01-05 SCHEDULED'])
    passUnseen(service, '2027-01-12 00:00:01')
    await setStatus(service, mandate, 'SUSPENDED')
    await setStatus(service, mandate, 'ACTIVE')
    // On the twelfth it was paused, if only for a moment.
    assert.deepEqual(await cycles(service, mandate), ['2027-01-05 MISSED', '2027-01-12 MISSED', '2027-01-19 SCHEDULED'])
    await moveTo(service, '2027-01-18 10:00:00')
    await notify(service, mandate, '2027-01-19')
    await moveTo(service, '2027-01-19 10:30:00')
    await renewed(service, mandate, 'PAUSED-UNSEEN-1')
    await moveTo(service, '2027-02-01 00:00:00')
    assert.deepEqual((await cycles(service, mandate)).slice(2), ['2027-01-19 COLLECTED', '2027-01-26 MISSED'])
    await assertHolds(service)
  })
  test('go on after a pause that follows an outage over several of them', async () => {
    const service = await running()
    await moveTo(service, '2027-02-02 11:00:00')
    const mandate = await consented(service, 'PAUSED-OUTAGE', terms('2027-02', { subscriptionFrequencyUnit: 'WEEK' }))
    await moveTo(service, '2027-02-03 17:00:00')
    passUnseen(service, '2027-02-20 11:00:00')
    await setStatus(service, mandate, 'SUSPENDED')
    await setStatus(service, mandate, 'ACTIVE')
    assert.deepEqual(await cycles(service, mandate), [
      ...['2027-02-05 MISSED', '2027-02-12 MISSED', '2027-02-19 MISSED', '2027-02-26 SCHEDULED'],
    ])
    await moveTo(service, '2027-02-27 00:00:00')
    assert.deepEqual(await debits(service, mandate), ['2027-02-26 06:00:00 collect success 499.00'])
    await assertHolds(service)
  })
  test('hold for the collection sweep when a renewal that waited for the notified day is closed', async () => {
    const service = await running()
    await moveTo(service, '2027-03-01 11:00:00')
    const mandate = await consented(service, 'CLOSED-TOLD', terms('2027-03'))
    await moveTo(service, '2027-03-03 09:00:00')
    await notify(service, mandate, '2027-03-07')
    await moveTo(service, '2027-03-05 09:00:00')
    assert.deepEqual(await renewed(service, mandate, 'CLOSED-TOLD-1'), ['noticedLater', '2027-03-07 00:00:00'])
    await close(service, 'CLOSED-TOLD-1')
    await moveTo(service, '2027-03-08 00:00:00')
    assert.deepEqual(await debits(service, mandate), ['2027-03-07 06:00:00 collect success 499.00'])
    await assertHolds(service)
  })
  test('hold for the collection sweep when the last day was moved before the notified day, and back', async () => {
    const service = await running()
    await moveTo(service, '2027-04-01 11:00:00')
    const mandate = await consented(service, 'MOVED-TOLD', terms('2027-04'))
    await moveTo(service, '2027-04-02 09:00:00')
    await notify(service, mandate, '2027-04-07')
    await edit(service, mandate, { subscriptionExpiryDate: '2027-04-05' })
    await moveTo(service, '2027-04-03 09:00:00')
    await edit(service, mandate, { subscriptionExpiryDate: '2027-04-28' })
    await moveTo(service, '2027-04-08 00:00:00')
    assert.deepEqual(await debits(service, mandate), ['2027-04-07 06:00:00 collect success 499.00'])
    await assertHolds(service)
  })
})

onBothStores('a failure that arrives after midnight', (store) => {
  const running = sharedService(store)

  test('costs no attempt of the day that has begun', async () => {
    const service = await running()
    await moveTo(service, '2027-01-01 11:00:00')
    const mandate = await consented(service, 'HEARD-LATE', terms('2027-01', { subscriptionGraceDays: '1' }))
    await scripted(service, mandate, 'collect', ['pending'])
    await moveTo(service, '2027-01-06 00:30:00')
    const { reference, engine, clock } = service.ports
    const { txnId } = await cycleOf(service, mandate, '20270105')
    const answer = { outcome: 'failure', failure: 'declined' } as const
    await engine.submit(applyTransactionResult, { mid: MID, txnId: txnId!, answer, reference, now: clock.now() })
    await moveTo(service, '2027-01-07 00:00:00')
    assert.deepEqual((await debits(service, mandate)).slice(-1), ['2027-01-06 06:00:00 collect success 499.00'])
    assert.deepEqual(await cycles(service, mandate), ['2027-01-05 COLLECTED'])
  })
})

onBothStores('a renewal that waits, and that needs no notice,', (store) => {
  const { merchants } = demoWorld
  const running = sharedService(store, { world: { ...demoWorld, merchants: [{ ...merchants![0]!, mcc: '4111' }] } })
  const resultOf = async (service: Service, orderId: string) => (await statusOf(service, { orderId })).body.resultInfo.resultStatus

  test('is not sent for more than the payer has agreed to since, and the cycle may be renewed for that', async () => {
    const service = await running()
    for (const [orderId, month, amount, lowered] of [
      ['LOWERED-FIX', '2027-01', {}, { renewalAmount: '300.00' }],
      ['LOWERED-MAX', '2027-02', { ...VARYING, subscriptionMaxAmount: '499.00' }, { subscriptionMaxAmount: '300.00' }],
    ] as const) {
      await moveTo(service, `${month}-01 11:00:00`)
      const mandate = await consented(service, orderId, terms(month, { autoRenewal: false, ...amount }))
      await moveTo(service, `${month}-05 08:00:00`)
      const wanted = { txnAmount: rupees('499.00'), debitDate: `${month}-05 22:00:00` }
      assert.deepEqual(await renewed(service, mandate, `${orderId}-1`, wanted), ['debitDate', `${month}-05 22:00:00`])
      await edit(service, mandate, lowered)
      await moveTo(service, `${month}-06 08:00:00`)
      assert.deepEqual(await debits(service, mandate), [])
      assert.equal(await resultOf(service, `${orderId}-1`), 'TXN_FAILURE')
      await renewed(service, mandate, `${orderId}-2`, { txnAmount: rupees('300.00') })
      await moveTo(service, `${month}-07 00:00:00`)
      assert.deepEqual(await debits(service, mandate), [`${month}-06 08:00:00 collect success 300.00`])
      assert.deepEqual(await cycles(service, mandate), [`${month}-05 COLLECTED`])
      await assertHolds(service)
    }
  })
  test('is sent as it was requested where the payer has agreed to more', async () => {
    const service = await running()
    await moveTo(service, '2027-03-01 11:00:00')
    const mandate = await consented(service, 'RAISED', terms('2027-03', { autoRenewal: false }))
    await moveTo(service, '2027-03-05 08:00:00')
    await renewed(service, mandate, 'RAISED-1', { debitDate: '2027-03-05 22:00:00' })
    await edit(service, mandate, { renewalAmount: '600.00' })
    await moveTo(service, '2027-03-06 08:00:00')
    assert.deepEqual(await debits(service, mandate), ['2027-03-05 22:00:00 collect success 499.00'])
    await assertHolds(service)
  })
})

onBothStores('a consent after the last day', (store) => {
  const running = sharedService(store)

  test('is given back, is no collection, and cannot be begun', async () => {
    const service = await running()
    await moveTo(service, '2027-01-05 23:59:00')
    const oneDay = { ...terms('2027-01', { txnAmount: rupees('499.00'), subscriptionExpiryDate: '2027-01-05' }), ...FIXED }
    const [begun, late] = await Promise.all(['LAST-BEGUN', 'LAST-LATE'].map((orderId) => initiated(service, orderId, oneDay)))
    await pay(service, begun!, { paymentMode: 'UPI', payerAccount: 'slow@upi' })
    await moveTo(service, '2027-01-06 00:10:00')
    for (const each of [begun!, late!]) {
      const refused = await pay(service, each, { paymentMode: 'UPI', payerAccount: 'success@upi' })
      assert.equal(codeOf(refused), '410', refused.text)
      assert.deepEqual(await cycles(service, each), [])
      assert.equal((await subscriptionOf(service, each)).status, 'INIT')
    }
    const reported = await statusOf(service, begun!)
    assert.deepEqual([reported.body.resultInfo.resultStatus, reported.body.resultInfo.resultCode], ['TXN_FAILURE', '810'])
    const [attempt] = await service.ports.query.rows(find('transactions', { equals: { mid: MID, orderId: 'LAST-BEGUN' }, limit: 9 }))
    assert.deepEqual([attempt!.capturedPaise, attempt!.returnedPaise], [499_00, 499_00])
    await moveTo(service, '2027-01-08 00:00:00')
    for (const each of [begun!, late!]) assert.equal((await subscriptionOf(service, each)).subStatus, 'TIMED_OUT')
    const withdrawn = (await bankJournal(service)).filter(
      ({ key }) => key.startsWith(`${MID}:${begun!.subscriptionId}:`) && key.endsWith(':revoke'),
    )
    assert.equal(withdrawn.length, 1)
    await assertHolds(service)
  })
})

async function initiated(service: Service, orderId: string, more: object) {
  const { body } = await initiate(service, subscription(orderId, more))
  assert.equal(body.resultInfo.resultCode, '0000')
  return { orderId, ...(body as { subscriptionId: string; txnToken: string }) }
}

onBothStores('a mandate on an account', (store) => {
  const running = sharedService(store)
  const account = { account_number: '10000012345', bankIfsc: 'HDFC0000001', USER_NAME: 'Asha', ACCOUNT_TYPE: 'SAVINGS' }
  const means = { paymentMode: 'BANK_MANDATE', mandateAuthMode: 'NET_BANKING', channelCode: 'HDFC', ...account }
  /** A bank mandate. The bank follows its script. */
  async function given(service: Service, orderId: string, does: string, mandateType = 'E_MANDATE') {
    const ofBank = { subscriptionPaymentMode: 'BANK_MANDATE', mandateType, subscriptionGraceDays: undefined, txnAmount: rupees('0.00') }
    const mandate = await initiated(service, orderId, { ...terms('2027-01'), ...FIXED, ...ofBank })
    await scripted(service, mandate, 'mandate', [does])
    await pay(service, mandate, means)
    return mandate
  }
  const stateOf = async (service: Service, mandate: Of) => (await subscriptionOf(service, mandate)).subStatus

  test('whose registration the bank accepted without an answer is queried as usual, also on paper', async () => {
    const service = await running()
    await moveTo(service, '2026-12-21 11:00:00')
    const [electronic, paper] = [await given(service, 'LOST-E', 'lost'), await given(service, 'LOST-PAPER', 'lost', 'PAPER_MANDATE')]
    await moveTo(service, '2026-12-21 11:10:00')
    for (const mandate of [electronic, paper]) {
      assert.equal(await stateOf(service, mandate), 'SUBMITTED')
      assert.equal((await statusOf(service, mandate)).body.resultInfo.resultStatus, 'TXN_SUCCESS')
    }
    await moveTo(service, '2026-12-23 12:00:00')
    assert.deepEqual([await stateOf(service, electronic), await stateOf(service, paper)], ['AUTHORIZED', 'SUBMITTED'])
    await moveTo(service, '2026-12-28 12:00:00')
    assert.equal(await stateOf(service, paper), 'AUTHORIZED')
    await assertHolds(service)
  })
  test('whose payer was sent to the bank’s page waits for the payer there, and is queried when it is undecided after 72 hours', async () => {
    const service = await running()
    await moveTo(service, '2026-12-29 11:00:00')
    const mandate = await given(service, 'UNDECIDED', 'page')
    const { engine, reference, clock, query } = service.ports
    const [attempt] = await query.rows(find('transactions', { equals: { mid: MID, orderId: mandate.orderId }, limit: 9 }))
    const undecided = async () => {
      const said = { mid: MID, txnId: attempt!.txnId, answer: { outcome: 'pending' } as const, reference, now: clock.now() }
      await engine.submit(applyTransactionResult, said)
      return stateOf(service, mandate)
    }
    passUnseen(service, '2027-01-01 10:59:59')
    assert.equal(await undecided(), 'INIT')
    passUnseen(service, '2027-01-01 11:00:00')
    assert.equal(await undecided(), 'SUBMITTED')
  })
})
