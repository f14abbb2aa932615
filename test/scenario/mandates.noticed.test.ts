// A payer is debited as notified: no more, no earlier, and for no day that is over. docs/interface.md section 4.37, docs/decisions/0017.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recheckCollection } from '../../src/domain/subscription/collection/recheck-collection.ts'
import { demoWorld } from '../../src/sandbox/world.ts'
import { find } from '../../src/tables/tables.ts'
import { manage } from '../support/mandates/mandates.ts'
import { cycleOf, type Mandate, payer, renew, rupees, scripted } from '../support/mandates/scenario.ts'
import { initiate, subscription } from '../support/mandates/subscription.ts'
import { at, consented, events, journal, moveTo } from '../support/mandates/timeline.ts'
import { pay } from '../support/paying/paying.ts'
import { codeOf } from '../support/run/replies.ts'
import { MID, onBothStores, type Service, sharedService } from '../support/run/service.ts'
import { changeWorld, inbox } from '../support/signin/signin.ts'
import { signIn } from '../support/signin/tokens.ts'
import { assertHolds } from '../support/store/verify.ts'

type Of = Pick<Mandate, 'subscriptionId'>
const FIXED = { subscriptionAmountType: 'FIX', subscriptionMaxAmount: undefined, renewalAmount: '499.00' }
const VARYING = { subscriptionAmountType: 'VARIABLE', renewalAmount: undefined, autoRenewal: false }
/** Due on the 5th of a month. */
const monthly = (month: string, more: Record<string, unknown> = {}) => ({
  ...{ txnAmount: rupees('1.00'), renewalAmount: '499.00', subscriptionGraceDays: '2', subscriptionRetryCount: '2' },
  ...{ subscriptionStartDate: `${month}-05`, subscriptionExpiryDate: `${month}-20` },
  ...more,
})
const notify = async (service: Service, { subscriptionId }: Of, txnAmount: string, day: string) => {
  const asked = { subsId: subscriptionId, txnAmount, subscriptionScheduledExecutionDate: day }
  assert.equal(codeOf(await manage(service, '/subscription/preNotify', asked)), '3006')
  await service.tasks.runDue()
}
/** Its code, and either its message, or the rule for which it waits and until when. */
async function renewed(service: Service, mandate: Of, orderId: string, value: string) {
  const { body } = await renew(service, mandate, orderId, { txnAmount: rupees(value) })
  await service.tasks.runDue()
  const { resultCode, resultMsg } = body.resultInfo
  return resultCode === '0000' ? [resultCode, body.rule, body.nextAttemptTime] : [resultCode, resultMsg]
}
const consult = async (service: Service, { subscriptionId }: Of, amount: string) => {
  const { body } = await manage(service, '/subscription/consult', { subsId: subscriptionId, amount })
  return [body.permitted, body.rule, body.nextPermittedTime]
}
/** A mandate on an account, due weekly from the 3rd of a month and active since then. */
async function onAccount(service: Service, orderId: string, month: string, more: Record<string, unknown>) {
  await moveTo(service, `${month}-01 11:00:00`)
  const account = { account_number: '10000012345', bankIfsc: 'HDFC0000001', USER_NAME: 'Asha', ACCOUNT_TYPE: 'SAVINGS' }
  const dates = { subscriptionStartDate: `${month}-03`, subscriptionExpiryDate: `${month}-12`, subscriptionFrequencyUnit: 'WEEK' }
  const asked = {
    subscriptionGraceDays: undefined,
    subscriptionPaymentMode: 'BANK_MANDATE',
    mandateType: 'E_MANDATE',
    txnAmount: rupees('0.00'),
    ...dates,
    ...more,
  }
  const { body } = await initiate(service, subscription(orderId, asked))
  const { subscriptionId, txnToken } = body as { subscriptionId: string; txnToken: string }
  const means = { paymentMode: 'BANK_MANDATE', mandateAuthMode: 'NET_BANKING', channelCode: 'HDFC', ...account }
  const paid = await pay(service, { orderId, txnToken }, means)
  assert.notEqual(paid.body.resultInfo.resultStatus, 'F', paid.text)
  await moveTo(service, `${month}-08 20:00:00`)
  return { subscriptionId }
}
/** Paid by `owner`'s wallet. The merchant gives another number for the payer. */
async function byWallet(service: Service, orderId: string, { owner, given }: { owner: string; given: string }, terms: object) {
  await changeWorld(service, { customers: [{ mobile: owner, walletBalance: '7000.00' }] })
  const { ssoToken } = await signIn(service, owner)
  const own = { subscriptionPaymentMode: 'PPI', autoRenewal: true, autoRetry: true }
  const asked = subscription(orderId, {
    ...FIXED,
    ...own,
    userInfo: { custId: 'CWALLET', mobile: given, svcSsoToken: ssoToken },
    ...terms,
  })
  const reply = await initiate(service, asked)
  assert.equal(reply.body.resultInfo.resultCode, '0000', reply.text)
  const { subscriptionId, txnToken } = reply.body as { subscriptionId: string; txnToken: string }
  const paid = await pay(service, { orderId, txnToken }, { paymentMode: 'BALANCE' })
  assert.equal(paid.body.resultInfo.resultStatus, 'S', paid.text)
  return { subscriptionId }
}
const eventOf = (line: string) => line.split(' ').at(-1)
/** Time passes while no process runs. */
const outage = async (service: Service, until: string) => {
  service.clock.advance(at(until) - service.clock.now())
  await service.tasks.runDue()
}
const ofCycle = async (service: Service, { subscriptionId }: Of, day: string) =>
  (await events(service, subscriptionId)).filter((line) => line.includes(` ${day} `) && !line.endsWith('scheduled'))
const heardBy = async (service: Service, mobile: string) =>
  (await inbox(service, mobile)).filter(({ kind }) => kind !== 'otp').map(({ kind, text }) => `${kind}: ${text.replace(/ Ref .*$/, '')}`)

onBothStores('a payer who needed no notice of a debit, and got one,', (store) => {
  const { merchants } = demoWorld
  const running = sharedService(store, { world: { ...demoWorld, merchants: [{ ...merchants![0]!, mcc: '4111' }] } })

  test('is not debited for more than the notice said, and an approval covers nothing larger', async () => {
    const service = await running()
    await moveTo(service, '2027-01-01 11:00:00')
    const mandate = await consented(service, 'TOLD-LESS', monthly('2027-01', { ...VARYING, subscriptionMaxAmount: '100000.00' }))
    await notify(service, mandate, '16000.00', '2027-01-05')
    assert.equal((await payer(service, mandate, 'approve')).status, 200)
    await moveTo(service, '2027-01-05 08:00:00')
    assert.deepEqual(await consult(service, mandate, '100000.00'), [false, 'moreThanNoticed', undefined])
    assert.deepEqual(await renewed(service, mandate, 'TOLD-LESS-1', '100000.00'), ['3908', 'A rule forbids it: moreThanNoticed'])
    assert.deepEqual(await renewed(service, mandate, 'TOLD-LESS-2', '16000.01'), ['3908', 'A rule forbids it: moreThanNoticed'])
    assert.deepEqual(await renewed(service, mandate, 'TOLD-LESS-3', '16000.00'), ['0000', undefined, undefined])
    assert.deepEqual((await journal(service, mandate.subscriptionId)).slice(-1), ['2027-01-05 08:00:00 collect success 16000.00'])
    await assertHolds(service)
  })
  test('is debited for no more by the bank either, whether it has answered for the notice or not', async () => {
    const service = await running()
    for (const [orderId, month, outcome] of [
      ['BANK-TOLD', '2027-02', 'success'],
      ['BANK-TELLS', '2027-03', 'pending'],
    ] as const) {
      const mandate = await onAccount(service, orderId, month, { ...VARYING, subscriptionMaxAmount: '900.00' })
      await moveTo(service, `${month}-09 20:00:00`)
      await scripted(service, mandate, 'notify', [outcome])
      await notify(service, mandate, '100.00', `${month}-10`)
      await outage(service, `${month}-10 08:00:00`)
      assert.deepEqual(await renewed(service, mandate, `${orderId}-1`, '900.00'), ['3908', 'A rule forbids it: moreThanNoticed'])
      assert.deepEqual(await renewed(service, mandate, `${orderId}-2`, '100.00'), ['0000', undefined, undefined])
      await moveTo(service, `${month}-12 00:00:00`)
      assert.deepEqual((await journal(service, mandate.subscriptionId)).slice(-1), [`${month}-11 08:00:00 collect success 100.00`])
    }
    await assertHolds(service)
  })
  test('is debited all the same when the notice that was not needed gets no answer, at the usual hour', async () => {
    const service = await running()
    const fixed = { ...FIXED, autoRenewal: true }
    const silent = await onAccount(service, 'UNANSWERED', '2027-04', fixed)
    await moveTo(service, '2027-04-09 20:00:00')
    await scripted(service, silent, 'notify', ['pending'])
    await notify(service, silent, '499.00', '2027-04-10')
    await outage(service, '2027-04-10 05:59:00')
    await moveTo(service, '2027-04-12 00:00:00')
    const lines = await ofCycle(service, silent, '20270410')
    assert.deepEqual(lines.map(eventOf), ['collection.attempted', 'collection.collected'])
    assert.match(lines[0]!, /^2027-04-10 06:(0\d|1[0-5]):/)
    // A notice that fails the day before does not move the debit earlier.
    const failed = await onAccount(service, 'NOT-TOLD', '2027-05', fixed)
    await moveTo(service, '2027-05-09 20:00:00')
    await scripted(service, failed, 'notify', ['declined'])
    await notify(service, failed, '499.00', '2027-05-10')
    await moveTo(service, '2027-05-12 00:00:00')
    assert.deepEqual(await ofCycle(service, failed, '20270510'), [
      '2027-05-09 20:00:00 20270510 collection.notice-failed',
      '2027-05-10 06:00:00 20270510 collection.attempted',
      '2027-05-11 06:00:00 20270510 collection.collected',
    ])
    await assertHolds(service)
  })
  test('still gets the notice first where the payer must approve the debit, or may have got one of a later day', async () => {
    const service = await running()
    await moveTo(service, '2027-06-01 11:00:00')
    const later = await consented(service, 'MAY-BE-LATER', monthly('2027-06'))
    await moveTo(service, '2027-06-04 20:00:00')
    await scripted(service, later, 'notify', ['pending'])
    await notify(service, later, '499.00', '2027-06-07')
    await outage(service, '2027-06-05 08:00:00')
    assert.deepEqual(await consult(service, later, '499.00'), [false, 'noticedLater', '2027-06-07 00:00:00'])
    await outage(service, '2027-06-05 20:00:00')
    await moveTo(service, '2027-06-08 00:00:00')
    assert.deepEqual(await ofCycle(service, later, '20270605'), [
      '2027-06-05 20:00:00 20270605 collection.notice-failed',
      '2027-06-05 21:30:00 20270605 collection.attempted',
      '2027-06-05 21:30:00 20270605 collection.collected',
    ])
    await moveTo(service, '2027-07-01 11:00:00')
    const asked = await consented(service, 'MUST-APPROVE', monthly('2027-07', { renewalAmount: '16000.00', subscriptionGraceDays: '0' }))
    await scripted(service, asked, 'notify', ['pending', 'pending'])
    await moveTo(service, '2027-07-03 18:00:00')
    for (const time of ['2027-07-04 19:00:00', '2027-07-04 20:00:00', '2027-07-05 08:00:00']) await outage(service, time)
    assert.deepEqual((await ofCycle(service, asked, '20270705')).map(eventOf), ['collection.notice-failed'])
    const { status, notices } = await cycleOf(service, asked, '20270705')
    assert.deepEqual([status, notices], ['SCHEDULED', 2])
    await assertHolds(service)
  })
  test('has a renewal wait for the day of a notice that may have arrived, and no answer of the bank hastens it', async () => {
    const service = await running()
    await moveTo(service, '2027-08-01 11:00:00')
    const mandate = await consented(service, 'NOT-HASTENED', monthly('2027-08', { autoRenewal: false }))
    await moveTo(service, '2027-08-04 20:00:00')
    await scripted(service, mandate, 'notify', ['pending'])
    await notify(service, mandate, '499.00', '2027-08-07')
    await outage(service, '2027-08-05 08:00:00')
    assert.deepEqual(await renewed(service, mandate, 'NOT-HASTENED-1', '499.00'), ['0000', 'noticedLater', '2027-08-07 00:00:00'])
    const collectionId = `${mandate.subscriptionId}.20270805`
    await service.ports.engine.submit(recheckCollection, { mid: MID, collectionId, now: service.clock.now() })
    await moveTo(service, '2027-08-08 00:00:00')
    assert.deepEqual((await ofCycle(service, mandate, '20270805')).slice(-1), ['2027-08-07 00:00:00 20270805 collection.collected'])
    await assertHolds(service)
  })
  test('approves by a late notice what waits for its hour already', async () => {
    const service = await running()
    await moveTo(service, '2027-09-01 11:00:00')
    const mandate = await consented(service, 'WAITS', monthly('2027-09', { ...VARYING, subscriptionMaxAmount: '20000.00' }))
    await moveTo(service, '2027-09-04 20:00:00')
    await scripted(service, mandate, 'notify', ['slow'])
    await notify(service, mandate, '20000.00', '2027-09-05')
    service.clock.advance(at('2027-09-05 11:00:00') - service.clock.now())
    assert.deepEqual(await renewed(service, mandate, 'WAITS-1', '20000.00'), ['0000', 'forbiddenHours', '2027-09-05 13:00:00'])
    assert.equal((await payer(service, mandate, 'approve')).status, 200)
    await moveTo(service, '2027-09-06 00:00:00')
    assert.deepEqual(await ofCycle(service, mandate, '20270905'), [
      '2027-09-05 11:00:00 20270905 collection.attempted',
      '2027-09-05 11:00:00 20270905 collection.noticed',
      '2027-09-05 11:00:00 20270905 collection.approved',
      '2027-09-05 13:00:00 20270905 collection.collected',
    ])
    await assertHolds(service)
  })
  test('whose bank never had the notice is not waited for', async () => {
    const service = await running()
    await moveTo(service, '2027-10-01 11:00:00')
    const mandate = await consented(service, 'NEVER-HAD', monthly('2027-10', { ...VARYING, subscriptionMaxAmount: '20000.00' }))
    await moveTo(service, '2027-10-04 20:00:00')
    await scripted(service, mandate, 'notify', ['timeout'])
    await notify(service, mandate, '20000.00', '2027-10-05')
    service.clock.advance(at('2027-10-05 11:00:00') - service.clock.now())
    assert.deepEqual(await renewed(service, mandate, 'NEVER-HAD-1', '20000.00'), ['0000', 'forbiddenHours', '2027-10-05 13:00:00'])
    await moveTo(service, '2027-10-05 13:20:00')
    const { status, attempts, noticedAt } = await cycleOf(service, mandate, '20271005')
    assert.deepEqual([status, attempts, noticedAt], ['SCHEDULED', 1, null])
    await assertHolds(service)
  })
})

onBothStores('a payer with a notice of a later day', (store) => {
  const running = sharedService(store)

  test('is debited on that day and not before it, in the usual hour', async () => {
    const service = await running()
    await moveTo(service, '2027-01-01 11:00:00')
    const mandate = await consented(service, 'LATER-DAY', monthly('2027-01'))
    await notify(service, mandate, '499.00', '2027-01-07')
    await moveTo(service, '2027-01-08 00:00:00')
    assert.deepEqual(await ofCycle(service, mandate, '20270105'), [
      '2027-01-01 11:00:00 20270105 collection.noticed',
      '2027-01-07 06:00:00 20270105 collection.attempted',
      '2027-01-07 06:00:00 20270105 collection.collected',
    ])
    await assertHolds(service)
  })
  test('has a renewal wait until it begins, and is not debited meanwhile', async () => {
    const service = await running()
    await moveTo(service, '2027-02-01 11:00:00')
    const mandate = await consented(service, 'LATER-RENEWED', monthly('2027-02'))
    await notify(service, mandate, '499.00', '2027-02-07')
    await moveTo(service, '2027-02-05 08:00:00')
    assert.deepEqual(await consult(service, mandate, '499.00'), [false, 'noticedLater', '2027-02-07 00:00:00'])
    assert.deepEqual(await renewed(service, mandate, 'LATER-RENEWED-1', '499.00'), ['0000', 'noticedLater', '2027-02-07 00:00:00'])
    await moveTo(service, '2027-02-08 00:00:00')
    assert.deepEqual(await ofCycle(service, mandate, '20270205'), [
      '2027-02-01 11:00:00 20270205 collection.noticed',
      '2027-02-05 08:00:00 20270205 collection.attempted',
      '2027-02-07 00:00:00 20270205 collection.collected',
    ])
    assert.deepEqual((await journal(service, mandate.subscriptionId)).slice(-1), ['2027-02-07 00:00:00 collect success 499.00'])
    await assertHolds(service)
  })
})

onBothStores('a notice that its bank has not received before its day was over', (store) => {
  const running = sharedService(store)
  const agreed = async (orderId: string, month: string, more: Record<string, unknown> = {}) => {
    const service = await running()
    await moveTo(service, `${month}-01 11:00:00`)
    const mandate = await consented(service, orderId, monthly(month, more))
    await scripted(service, mandate, 'notify', ['timeout'])
    return { service, mandate }
  }

  test('is not sent: without grace the cycle is missed, and no payer is notified of a debit that is not made', async () => {
    const { service, mandate } = await agreed('STALE', '2027-01', { subscriptionGraceDays: '0' })
    await moveTo(service, '2027-01-03 18:00:00')
    await outage(service, '2027-01-05 12:00:00')
    await moveTo(service, '2027-01-06 12:00:00')
    assert.deepEqual(await ofCycle(service, mandate, '20270105'), [
      '2027-01-05 12:00:00 20270105 collection.notice-failed',
      '2027-01-05 13:00:00 20270105 collection.missed',
    ])
    assert.deepEqual(
      (await journal(service, mandate.subscriptionId)).filter((line) => line.includes('notify success')),
      [],
    )
    await assertHolds(service)
  })
  test('is not sent: with grace its payer is notified of the next possible day, and is debited on it', async () => {
    const { service, mandate } = await agreed('STALE-GRACE', '2027-02')
    await moveTo(service, '2027-02-03 18:00:00')
    await outage(service, '2027-02-05 12:00:00')
    await moveTo(service, '2027-02-08 00:00:00')
    assert.deepEqual(await ofCycle(service, mandate, '20270205'), [
      '2027-02-05 12:00:00 20270205 collection.notice-failed',
      '2027-02-05 13:00:00 20270205 collection.noticed',
      '2027-02-06 13:00:00 20270205 collection.attempted',
      '2027-02-06 13:00:00 20270205 collection.collected',
    ])
    assert.deepEqual((await journal(service, mandate.subscriptionId)).slice(-2), [
      '2027-02-05 13:00:00 notify success 499.00',
      '2027-02-06 13:00:00 collect success 499.00',
    ])
    await assertHolds(service)
  })
  test('is sent as it is while a debit can still follow on its day', async () => {
    const { service, mandate } = await agreed('STILL-GOOD', '2027-03', { subscriptionGraceDays: '0' })
    await moveTo(service, '2027-03-03 18:00:00')
    await outage(service, '2027-03-04 23:00:00')
    await moveTo(service, '2027-03-06 00:00:00')
    assert.deepEqual(await ofCycle(service, mandate, '20270305'), [
      '2027-03-04 23:00:00 20270305 collection.noticed',
      '2027-03-05 23:00:00 20270305 collection.attempted',
      '2027-03-05 23:00:00 20270305 collection.collected',
    ])
  })
  test('is not sent for a merchant either, who reads that it failed and may notify of another day', async () => {
    const { service, mandate } = await agreed('STALE-MERCHANT', '2027-04', { autoRenewal: false })
    await moveTo(service, '2027-04-04 18:00:00')
    await notify(service, mandate, '499.00', '2027-04-05')
    await outage(service, '2027-04-05 12:00:00')
    const { subscriptionId } = mandate
    const notices = await service.ports.query.rows(find('notices', { equals: { mid: MID, subscriptionId }, limit: 10 }))
    assert.deepEqual(
      notices.map(({ status }) => status),
      ['FAILURE'],
    )
    await notify(service, mandate, '499.00', '2027-04-07')
    assert.equal((await cycleOf(service, mandate, '20270405')).status, 'NOTIFIED')
    await assertHolds(service)
  })
  test('keeps no terms that its payer has changed meanwhile', async () => {
    const { service, mandate } = await agreed('STALE-TERMS', '2027-09')
    await moveTo(service, '2027-09-03 18:00:00')
    const lower = { subsId: mandate.subscriptionId, renewalAmount: '399.00' }
    assert.equal(codeOf(await manage(service, '/subscription/edit', lower)), '3006')
    await service.tasks.runDue()
    assert.equal((await payer(service, mandate, 'approve')).status, 200)
    await outage(service, '2027-09-05 12:00:00')
    await moveTo(service, '2027-09-07 00:00:00')
    assert.deepEqual(await ofCycle(service, mandate, '20270905'), [
      '2027-09-05 12:00:00 20270905 collection.notice-failed',
      '2027-09-05 12:00:00 20270905 collection.terms-changed',
      '2027-09-05 13:00:00 20270905 collection.noticed',
      '2027-09-06 13:00:00 20270905 collection.attempted',
      '2027-09-06 13:00:00 20270905 collection.collected',
    ])
    assert.deepEqual((await journal(service, mandate.subscriptionId)).slice(-2), [
      '2027-09-05 13:00:00 notify success 399.00',
      '2027-09-06 13:00:00 collect success 399.00',
    ])
    await assertHolds(service)
  })
})

onBothStores('a notice of a wallet’s debit', (store) => {
  const running = sharedService(store)

  test('goes to its owner, whatever number the merchant has given, and so does the request to approve other terms', async () => {
    const service = await running()
    await moveTo(service, '2027-01-01 11:00:00')
    const numbers = { owner: '9812700001', given: '9812700002' }
    const mandate = await byWallet(service, 'WALLET-TOLD', numbers, monthly('2027-01', { subscriptionExpiryDate: '2027-02-20' }))
    await moveTo(service, '2027-01-05 07:00:00')
    const edited = await manage(service, '/subscription/edit', { subsId: mandate.subscriptionId, renewalAmount: '600.00' })
    assert.equal(codeOf(edited), '3006', edited.text)
    await service.tasks.runDue()
    const kinds = (await heardBy(service, numbers.owner)).map((line) => line.slice(0, line.indexOf(':')))
    assert.deepEqual(kinds.sort(), ['edit-asked', 'pre-debit'])
    assert.deepEqual(await heardBy(service, numbers.given), [])
    await assertHolds(service)
  })
})
