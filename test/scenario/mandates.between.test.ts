// Cases between two rules of a mandate. A merchant need not notify, or terms are lowered before any notice. An attempt waits for days, both
// sides pause, or the bank's message comes after the end. docs/interface.md sections 3 and 4.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../src/api/operations.ts'
import { applyMandateStatus } from '../../src/domain/subscription/mandate/apply-mandate-status.ts'
import { otherSubject, REVOKE_TASK, revokeOther, subjectOf } from '../../src/domain/subscription/mandate/bank-tasks.ts'
import { dateTimeInIndia } from '../../src/engine/clock.ts'
import { acquirerEventHandler } from '../../src/flows/acquirer-event.ts'
import { demoWorld } from '../../src/sandbox/world.ts'
import { orderKey, taskKey, transactionKey } from '../../src/tables/keys.ts'
import { find } from '../../src/tables/tables.ts'
import { manage } from '../support/mandates/mandates.ts'
import { cycleOf, type Mandate, payer, renew, rupees, scripted, stage, subscriptionOf } from '../support/mandates/scenario.ts'
import { initiate, subscription } from '../support/mandates/subscription.ts'
import { at, consented, journal, moveTo } from '../support/mandates/timeline.ts'
import { ask, wordsOf } from '../support/pages/pages.ts'
import { pay, statusOf } from '../support/paying/paying.ts'
import { codeOf } from '../support/run/replies.ts'
import { MID, onBothStores, type Service, sharedService } from '../support/run/service.ts'
import { changeWorld } from '../support/signin/signin.ts'
import { assertHolds } from '../support/store/verify.ts'

const DAY_MS = 24 * 3_600_000
type Of = Pick<Mandate, 'subscriptionId'>
const BY_MERCHANT = { autoRenewal: false, autoRetry: false }
const terms = (month: string, more: Record<string, unknown> = {}) => ({
  ...{ txnAmount: rupees('1.00'), renewalAmount: '499.00', subscriptionGraceDays: '2', subscriptionRetryCount: '2' },
  ...{ subscriptionStartDate: `${month}-05`, subscriptionExpiryDate: `${month}-20` },
  ...more,
})
const notify = async (service: Service, { subscriptionId }: Of, day: string) => {
  const asked = { subsId: subscriptionId, txnAmount: '499.00', subscriptionScheduledExecutionDate: day }
  assert.equal(codeOf(await manage(service, '/subscription/preNotify', asked)), '3006')
}
const setStatus = async (service: Service, { subscriptionId }: Of, status: 'ACTIVE' | 'SUSPENDED') =>
  assert.equal(codeOf(await manage(service, '/subscription/status/modify', { subsId: subscriptionId, status })), '3006')
const stateOf = async (service: Service, of: Of) => {
  const { status, subStatus } = await subscriptionOf(service, of)
  return `${status} ${subStatus}`
}
interface Account extends Record<string, unknown> {
  account?: string
}
/** A mandate on an account. The bank follows its script. */
async function onAccount(service: Service, orderId: string, does: string, first: string, last: string, more: Account = {}) {
  const { account: number = '10000012345', ...others } = more
  const asked = subscription(orderId, {
    ...{ subscriptionAmountType: 'FIX', subscriptionMaxAmount: undefined, renewalAmount: '499.00', txnAmount: rupees('0.00') },
    ...{ subscriptionPaymentMode: 'BANK_MANDATE', mandateType: 'E_MANDATE', subscriptionGraceDays: undefined },
    ...{ subscriptionStartDate: first, subscriptionExpiryDate: last, ...others },
  })
  const { subscriptionId, txnToken } = (await initiate(service, asked)).body as { subscriptionId: string; txnToken: string }
  await scripted(service, { subscriptionId }, 'mandate', [does])
  const account = { account_number: number, bankIfsc: 'HDFC0000001', USER_NAME: 'Asha', ACCOUNT_TYPE: 'SAVINGS' }
  const means = { paymentMode: 'BANK_MANDATE', mandateAuthMode: 'NET_BANKING', channelCode: 'HDFC', ...account }
  const paid = await pay(service, { orderId, txnToken }, means)
  assert.notEqual(paid.body.resultInfo.resultStatus, 'F', paid.text)
  return { subscriptionId }
}
/** Time passes while no process runs. */
const outage = async (service: Service, until: string) => {
  service.clock.advance(at(until) - service.clock.now())
  await service.tasks.runDue()
}

onBothStores('a merchant who need not notify of debits', (store) => {
  const { merchants } = demoWorld
  const running = sharedService(store, { world: { ...demoWorld, merchants: [{ ...merchants![0]!, mcc: '4111' }] } })

  test('renews the first cycle without a notice, and the payer is debited at once', async () => {
    const service = await running()
    await moveTo(service, '2027-01-01 11:00:00')
    const mandate = await consented(service, 'TRANSIT-FIRST', terms('2027-01', BY_MERCHANT))
    await moveTo(service, '2027-01-05 08:00:00')
    assert.equal((await renew(service, mandate, 'TRANSIT-1')).body.resultInfo.resultCode, '0000')
    await service.tasks.runDue()
    assert.equal((await statusOf(service, { orderId: 'TRANSIT-1' })).body.resultInfo.resultStatus, 'TXN_SUCCESS')
    assert.equal((await cycleOf(service, mandate, '20270105')).status, 'COLLECTED')
  })
  test('has the payer debited on the day after the consent', async () => {
    const service = await running()
    await moveTo(service, '2027-02-04 22:00:00')
    const mandate = await consented(service, 'TRANSIT-NEXT', terms('2027-02'))
    await moveTo(service, '2027-02-05 07:00:00')
    assert.deepEqual((await journal(service, mandate.subscriptionId)).slice(-1), ['2027-02-05 06:00:00 collect success 499.00'])
    await assertHolds(service)
  })
  for (const [orderId, month, outcome, said] of [
    ['TRANSIT-NOTICE-FAILS', '2027-03', 'declined', 'fails'],
    ['TRANSIT-NOTICE-WAITS', '2027-04', 'pending', 'is not answered'],
    ['TRANSIT-NOTICE-GIVEN', '2027-05', 'slow', 'is answered'],
  ] as const)
    test(`and notifies of one between two attempts has the next one made on its day, also when that notice ${said}`, async () => {
      const service = await running()
      await moveTo(service, `${month}-01 11:00:00`)
      const mandate = await consented(service, orderId, terms(month, { card: '4000000000000341', subscriptionGraceDays: '3' }))
      await moveTo(service, `${month}-05 09:00:00`)
      await scripted(service, mandate, 'notify', [outcome])
      await notify(service, mandate, `${month}-06`)
      await moveTo(service, `${month}-06 09:00:00`)
      await acquirerEventHandler(
        service.ports,
        () => service.tasks,
        assert.fail,
      )(`${MID}:${mandate.subscriptionId}:${month.replace('-', '')}05:notify:1`)
      await moveTo(service, `${month}-20 23:00:00`)
      const debits = (await journal(service, mandate.subscriptionId)).filter((line) => line.includes(' collect '))
      assert.deepEqual(
        debits.map((line) => line.slice(0, 19)),
        ['05', '06', '07'].map((day) => `${month}-${day} 06:00:00`),
      )
    })
  test('and whose category leaves that list keeps each cycle as it was opened', async () => {
    const service = await running()
    await moveTo(service, '2027-06-01 11:00:00')
    const mandate = await consented(service, 'TRANSIT-NO-MORE', terms('2027-06', BY_MERCHANT))
    await changeWorld(service, { merchants: [{ mid: MID, mcc: '5999' }] })
    await moveTo(service, '2027-06-05 08:00:00')
    assert.equal((await renew(service, mandate, 'TRANSIT-3')).body.resultInfo.resultCode, '0000')
    await service.tasks.runDue()
    assert.equal((await statusOf(service, { orderId: 'TRANSIT-3' })).body.resultInfo.resultStatus, 'TXN_SUCCESS')
  })
})

onBothStores('between two rules', (store) => {
  const running = stage(store)
  const agreed = async (orderId: string, month: string, more: Record<string, unknown> = {}) => {
    const service = await running()
    await moveTo(service, `${month}-01 11:00:00`)
    return { service, mandate: await service.consented(orderId, terms(month, more)) }
  }
  const edit = async (service: Service, { subscriptionId }: Of, more: object) =>
    assert.equal(codeOf(await manage(service, '/subscription/edit', { subsId: subscriptionId, ...more })), '3006')

  test('a payer who approves less before the notice of a debit is notified of it and debited at that', async () => {
    const { service, mandate } = await agreed('LESS-BEFORE-TOLD', '2027-01')
    await scripted(service, mandate, 'notify', ['declined'])
    await moveTo(service, '2027-01-03 18:10:00')
    await edit(service, mandate, { renewalAmount: '300.00' })
    await service.tasks.runDue()
    assert.equal((await payer(service, mandate, 'approve')).status, 200)
    await moveTo(service, '2027-01-05 07:00:00')
    assert.deepEqual((await journal(service, mandate.subscriptionId)).slice(-2), [
      '2027-01-03 18:10:00 notify success 300.00',
      '2027-01-05 06:00:00 collect success 300.00',
    ])
  })

  test('an attempt that waited for its hour over an outage begins when it is sent, and is waited for as long as any', async () => {
    const { service, mandate } = await agreed('WAITED-FOR-DAYS', '2027-02', { ...BY_MERCHANT, subscriptionGraceDays: '6' })
    await scripted(service, mandate, 'collect', ['slow'])
    await notify(service, mandate, '2027-02-05')
    await moveTo(service, '2027-02-05 10:30:00')
    assert.equal((await renew(service, mandate, 'SENT-LATE')).body.nextAttemptTime, '2027-02-05 13:00:00')
    await outage(service, '2027-02-09 09:00:00')
    await moveTo(service, '2027-02-09 12:00:00')
    const { body } = await statusOf(service, { orderId: 'SENT-LATE' })
    assert.deepEqual([body.resultInfo.resultStatus, body.txnDate.slice(0, 19)], ['TXN_SUCCESS', '2027-02-09 09:00:00'])
    assert.equal((await cycleOf(service, mandate, '20270205')).status, 'COLLECTED')
  })

  test('a payer who lifts their own pause, at a bank that keeps it apart from the merchant’s, is debited again', async () => {
    const { service, mandate } = await agreed('TWO-PAUSES', '2027-03')
    await setStatus(service, mandate, 'SUSPENDED')
    await service.tasks.runDue()
    const says = (pausedBy: 'payer' | 'merchant') =>
      service.ports.engine.submit(applyMandateStatus, {
        ...{ mid: MID, subscriptionId: mandate.subscriptionId, outcome: 'paused' as const, pausedBy },
        ...{ reference: service.ports.reference, now: service.clock.now() },
      })
    await says('merchant')
    assert.equal(await stateOf(service, mandate), 'SUSPENDED MERCHANT_PAUSED')
    await says('payer')
    assert.equal(await stateOf(service, mandate), 'SUSPENDED USER_PAUSED')
    await says('merchant')
    assert.equal(await stateOf(service, mandate), 'ACTIVE ACTIVE')
    await moveTo(service, '2027-03-05 07:00:00')
    assert.deepEqual((await journal(service, mandate.subscriptionId)).slice(-3), [
      '2027-03-01 11:00:00 resume success 499.00',
      '2027-03-03 18:00:00 notify success 499.00',
      '2027-03-05 06:00:00 collect success 499.00',
    ])
  })

  test('an unanswered notice is queried once a short pause is over, whichever party collects', async () => {
    const { service, mandate } = await agreed('NOTICE-OVER-PAUSE', '2027-04', BY_MERCHANT)
    await scripted(service, mandate, 'notify', ['slow'])
    await notify(service, mandate, '2027-04-05')
    await setStatus(service, mandate, 'SUSPENDED')
    await moveTo(service, '2027-04-01 12:00:00')
    await setStatus(service, mandate, 'ACTIVE')
    await moveTo(service, '2027-04-01 13:00:00')
    assert.equal((await cycleOf(service, mandate, '20270405')).status, 'NOTIFIED')
  })

  test('a later last day that the payer approves when the last day is over revives nothing, and the mandate is withdrawn', async () => {
    const { service, mandate } = await agreed('EDIT-AFTER-END', '2027-05')
    await moveTo(service, '2027-05-20 23:30:00')
    await edit(service, mandate, { subscriptionExpiryDate: '2028-05-20' })
    await service.tasks.runDue()
    service.clock.advance(3_600_000) // the sweep has not run
    assert.equal((await payer(service, mandate, 'approve')).status, 200)
    await service.tasks.runDue()
    assert.equal(await stateOf(service, mandate), 'EXPIRED EXPIRED')
    assert.deepEqual((await journal(service, mandate.subscriptionId)).slice(-1), ['2027-05-21 00:30:00 revoke success 499.00'])
  })

  test('a bank’s acceptance after it has refused, or after the last day, is withdrawn', async () => {
    const { service } = await agreed('YES-AFTER-NO', '2027-06')
    for (const [orderId, first] of [
      ['REFUSED-FIRST', 'refused'],
      ['OVER-FIRST', 'over'],
    ] as const) {
      const { subscriptionId } = await onAccount(service, orderId, 'pending', '2027-06-10', first === 'over' ? '2027-06-11' : '2027-12-10')
      assert.equal(await stateOf(service, { subscriptionId }), 'IN_AUTHORIZATION SUBMITTED')
      const { reference } = service.ports
      const says = (outcome: 'refused' | 'active') =>
        service.ports.engine.submit(applyMandateStatus, { mid: MID, subscriptionId, outcome, reference, now: service.clock.now() })
      if (first === 'refused') await says('refused')
      else service.clock.advance(at('2027-06-12 00:10:00') - service.clock.now())
      await says('active')
      assert.equal(
        await stateOf(service, { subscriptionId }),
        first === 'refused' ? 'AUTHORIZATION_FAILED BANK_REFUSED' : 'REJECT TIMED_OUT',
      )
      await service.tasks.runDue()
      assert.match((await journal(service, subscriptionId)).at(-1) ?? '', / revoke success /, first)
    }
  })

  test('a mandate under registration is queried at once when its bank reports about it', async () => {
    const service = await running()
    await moveTo(service, '2027-07-01 11:00:00')
    const { subscriptionId } = await onAccount(service, 'TOLD', 'page', '2027-07-10', '2027-12-10')
    assert.equal(await stateOf(service, { subscriptionId }), 'INIT INIT')
    assert.equal((await payer(service, { subscriptionId }, 'approve')).status, 200)
    await service.tasks.runDue()
    assert.equal((await service.ports.query.row(orderKey(MID, 'TOLD')))!.status, 'PAID')
  })

  test('a payer who comes back to a debit on an account reads of the debit, and not of the mandate’s end', async () => {
    const service = await running()
    const mandate = await onAccount(service, 'DEBIT-ASKED', 'success', '2027-07-10', '2027-12-10', { autoRenewal: true })
    await scripted(service, mandate, 'collect', ['slow'])
    await moveTo(service, '2027-07-10 06:01:00')
    const { txnId } = await cycleOf(service, mandate, '20270710')
    assert.equal((await payer(service, mandate, 'revoke')).status, 200)
    const page = await ask(service, `/transaction/return?mid=${MID}&txnId=${txnId}`)
    assert.match(wordsOf(page.text), /Your payment is being processed/)
    await moveTo(service, '2027-07-11 12:00:00')
    assert.equal((await service.ports.query.row(transactionKey(MID, txnId!)))!.status, 'SUCCESS')
  })

  test('the withdrawal of a mandate is sent again at once when its bank reports about it', async () => {
    const { service, mandate } = await agreed('TOLD-OF-END', '2027-08')
    const { subscriptionId } = mandate
    const payload = { mid: MID, subscriptionId }
    const later = { task: REVOKE_TASK, subject: subjectOf(payload), payload, dueAt: service.clock.now() + 3_600_000 }
    const waiting = [{ kind: 'add' as const, ...later, attempts: 3 }]
    await service.store.transaction((transaction) => transaction.write({ changes: [], events: [], tasks: waiting }))
    const reported = acquirerEventHandler(service.ports, () => service.tasks, assert.fail)
    for (const what of ['pause:1', 'resume:1']) await reported(`${MID}:${subscriptionId}:${what}`)
    await service.tasks.runDue()
    assert.doesNotMatch((await journal(service, subscriptionId)).join(), /revoke/)
    await reported(`${MID}:${subscriptionId}:revoke`)
    await service.tasks.runDue()
    assert.match((await journal(service, subscriptionId)).at(-1) ?? '', / revoke success /)
  })

  test('so is the withdrawal of an attempt that was given up, by its number', async () => {
    const { service, mandate } = await agreed('TOLD-OF-OTHER', '2027-08')
    const of = { mid: MID, subscriptionId: mandate.subscriptionId }
    const before = (await journal(service, of.subscriptionId)).length
    const later = service.clock.now() + 3_600_000
    const waiting = [1, 2].flatMap((attempt) => revokeOther(of, { attempt, reference: `other ${attempt}` }, later))
    await service.store.transaction((transaction) => transaction.write({ changes: [], events: [], tasks: waiting }))
    const left = async () => {
      await service.tasks.runDue()
      return (await Promise.all([1, 2].map((attempt) => service.ports.query.row(taskKey(REVOKE_TASK, otherSubject(of, { attempt })))))).map(
        (task) => task?.dueAt,
      )
    }
    const reported = acquirerEventHandler(service.ports, () => service.tasks, assert.fail)
    await reported(`${of.mid}:${of.subscriptionId}:mandate:3:revoke`)
    assert.deepEqual([await left(), (await journal(service, of.subscriptionId)).length], [[later, later], before])
    await reported(`${of.mid}:${of.subscriptionId}:mandate:2:revoke`)
    assert.notEqual((await left())[1], later)
    await reported(`${of.mid}:${of.subscriptionId}:mandate:revoke`)
    assert.notEqual((await left())[0], later)
  })

  test('a consultation on demand, before the day of the notice, has the reply of a renewal', async () => {
    const { service, mandate } = await agreed('ON-DEMAND', '2027-09', {
      ...BY_MERCHANT,
      ...{ subscriptionFrequencyUnit: 'ONDEMAND', subscriptionGraceDays: undefined },
    })
    await notify(service, mandate, '2027-09-06')
    await moveTo(service, '2027-09-05 08:00:00')
    assert.equal((await renew(service, mandate, 'TOO-EARLY')).body.resultInfo.resultCode, '3904')
    const { body } = await manage(service, '/subscription/consult', { subsId: mandate.subscriptionId, amount: '499.00' })
    assert.deepEqual([body.permitted, body.rule, body.nextPermittedTime], [false, 'tooEarlyForCycle', '2027-09-06 00:00:00'])
  })

  test('a renewal waits for the instant that its merchant has named, whatever is said of its notice meanwhile', async () => {
    const service = await running()
    await moveTo(service, '2027-09-10 11:00:00')
    const debits = [
      { mandate: await onAccount(service, 'NAMED-1', 'success', '2027-09-15', '2027-12-15'), debitDate: '2027-10-15 20:00:00' },
      { mandate: await onAccount(service, 'NAMED-2', 'success', '2027-09-15', '2027-12-15'), debitDate: '2027-10-15 23:50:00' },
    ]
    await moveTo(service, '2027-10-13 11:00:00')
    for (const { mandate } of debits) {
      await scripted(service, mandate, 'notify', ['late'])
      await notify(service, mandate, '2027-10-15')
    }
    await moveTo(service, '2027-10-15 06:30:00')
    for (const [at, { mandate, debitDate }] of debits.entries()) {
      const { body } = await renew(service, mandate, `NAMED-DEBIT-${at}`, { debitDate })
      assert.deepEqual([body.rule, body.nextAttemptTime], ['debitDate', debitDate])
    }
    const tell = acquirerEventHandler(service.ports, () => service.tasks, assert.fail)
    for (const [at, { mandate }] of debits.entries()) {
      await moveTo(service, `2027-10-15 ${['07:00', '23:49'][at]}:00`)
      await tell(`${MID}:${mandate.subscriptionId}:20271015:notify:1`)
    }
    await moveTo(service, '2027-10-17 10:00:00')
    // A day later the bank reports the result.
    for (const { mandate, debitDate } of debits) {
      const made = (await journal(service, mandate.subscriptionId)).filter((line) => line.includes(' collect '))
      assert.deepEqual(made, [`${debitDate.replace('-15', '-16')} collect success 499.00`])
    }
  })

  test('a renewal that waits has begun when it was requested, and one that is withdrawn, or finds no hour, ends when it does', async () => {
    const { service, mandate } = await agreed('WITHDRAWN-AT', '2027-11', { ...BY_MERCHANT, subscriptionGraceDays: '10' })
    const listed = async (orderId: string) => {
      const asked = { fromDate: '2027-11-05T00:00:00+05:30', toDate: '2027-11-05T23:59:59+05:30', orderSearchType: 'TRANSACTION' }
      const { body } = await service.signed(operations.orderList.paths[0], { mid: MID, ...asked, merchantOrderId: orderId })
      const { orderSearchStatus, orderCreatedTime, orderCompletedTime } = body.orders[0] ?? {}
      return [orderSearchStatus, orderCreatedTime, orderCompletedTime]
    }
    const times = async (orderId: string) => {
      const rows = await service.ports.query.rows(find('events', { equals: { owner: MID }, limit: 100_000 }))
      const { txnId } = (await statusOf(service, { orderId })).body
      return rows.filter(({ id }) => id === txnId).map(({ type, at }) => `${type} ${dateTimeInIndia(at)}`)
    }
    await moveTo(service, '2027-11-03 09:00:00')
    await notify(service, mandate, '2027-11-05')
    await moveTo(service, '2027-11-05 10:30:00')
    const { body } = await renew(service, mandate, 'WITHDRAWN-1', { debitDate: '2027-11-08 22:00:00' })
    assert.equal(body.nextAttemptTime, '2027-11-08 22:00:00')
    assert.deepEqual(await listed('WITHDRAWN-1'), ['PENDING', '2027-11-05T10:30:00+05:30', undefined])
    await assertHolds(service)
    await moveTo(service, '2027-11-05 10:40:00')
    const closed = await service.signed(operations.closeOrder.paths[0], { requestType: 'CLOSE', mid: MID, orderId: 'WITHDRAWN-1' })
    assert.equal(closed.body.resultInfo.resultCode, '0000')
    assert.deepEqual(await listed('WITHDRAWN-1'), ['FAILURE', '2027-11-05T10:30:00+05:30', '2027-11-05T10:40:00+05:30'])
    assert.deepEqual(await times('WITHDRAWN-1'), ['transaction.initiated 2027-11-05 10:30:00', 'transaction.failed 2027-11-05 10:40:00'])
    assert.equal((await renew(service, mandate, 'WITHDRAWN-2')).body.nextAttemptTime, '2027-11-05 13:00:00')
    await outage(service, '2027-11-16 09:00:00')
    assert.deepEqual(await listed('WITHDRAWN-2'), ['FAILURE', '2027-11-05T10:40:00+05:30', '2027-11-16T09:00:00+05:30'])
  })

  test('a mandate on an account that ends before its bank has decided and named it is withdrawn once it is agreed to', async () => {
    const service = await running()
    await moveTo(service, '2027-12-01 11:00:00')
    const lost = (orderId: string, last: string, more: Account = {}) => onAccount(service, orderId, 'lost', '2027-12-02', last, more)
    const [cancelled, over, refused] = [
      await lost('UNNAMED-CANCELLED', '2028-06-02'),
      await lost('UNNAMED-OVER', '2027-12-02', { mandateType: 'PAPER_MANDATE' }),
      await lost('UNNAMED-REFUSED', '2028-06-02', { account: '10000010002' }),
    ]
    await moveTo(service, '2027-12-01 11:10:00')
    for (const each of [cancelled, over, refused]) {
      assert.equal(await stateOf(service, each), 'IN_AUTHORIZATION SUBMITTED')
      assert.equal((await subscriptionOf(service, each)).mandate?.reference, undefined)
    }
    for (const { subscriptionId } of [cancelled, refused])
      assert.equal(codeOf(await manage(service, '/subscription/cancel', { subsId: subscriptionId })), '3006')
    await assertHolds(service)
    // An `absent` of the bank is believed once the registration can no longer be on its way.
    const absent = await lost('UNNAMED-ABSENT', '2028-06-02')
    await moveTo(service, '2027-12-01 11:20:00')
    assert.equal(codeOf(await manage(service, '/subscription/cancel', { subsId: absent.subscriptionId })), '3006')
    const { engine, reference } = service.ports
    const { clock } = service
    for (const wakesAt of [clock.now() + DAY_MS, null]) {
      await engine.submit(applyMandateStatus, { mid: MID, ...absent, outcome: 'absent', reference, now: clock.now() })
      assert.equal((await subscriptionOf(service, absent)).wakesAt, wakesAt)
      clock.advance(DAY_MS)
    }
    await moveTo(service, '2027-12-08 11:00:00')
    assert.equal(await stateOf(service, cancelled), 'REJECT MERCHANT_CANCELLED')
    assert.equal(await stateOf(service, over), 'REJECT TIMED_OUT')
    const atBank = ({ subscriptionId }: Of) => service.ports.acquirer().mandates!.status(`${MID}:${subscriptionId}:mandate`)
    for (const each of [cancelled, over]) {
      assert.deepEqual(await atBank(each), { outcome: 'revoked' })
      assert.match((await journal(service, each.subscriptionId)).join(), /^[^,]* revoke success 499\.00$/)
    }
    assert.deepEqual(await journal(service, refused.subscriptionId), [])
    for (const each of [cancelled, over, refused]) assert.equal((await subscriptionOf(service, each)).wakesAt, null)
  })

  test('a debit that its bank had not received, and that was withdrawn, is given back within the hour when the call arrives after all', async () => {
    const { service, mandate } = await agreed('ARRIVES-LATE', '2028-01', { ...BY_MERCHANT, subscriptionGraceDays: '10' })
    await scripted(service, mandate, 'collect', ['timeout'])
    await moveTo(service, '2028-01-03 09:00:00')
    await notify(service, mandate, '2028-01-05')
    await moveTo(service, '2028-01-05 09:57:00')
    const { txnId } = (await renew(service, mandate, 'ARRIVES-1')).body
    await moveTo(service, '2028-01-05 10:01:00')
    assert.equal((await cycleOf(service, mandate, '20280105')).sentAt, null)
    const closed = await service.signed(operations.closeOrder.paths[0], { requestType: 'CLOSE', mid: MID, orderId: 'ARRIVES-1' })
    assert.equal(closed.body.resultInfo.resultCode, '0000')
    const key = `${MID}:${mandate.subscriptionId}:20280105`
    const mandateReference = (await subscriptionOf(service, mandate)).mandate!.reference!
    const call = { key: `${key}:1`, mandateReference, mid: MID, orderId: 'ARRIVES-1', amountPaise: 499_00, notifyKey: `${key}:notify:1` }
    const answer = await service.ports.acquirer().mandates!.collect({ ...call, attempt: 1, authenticated: false })
    assert.equal(answer.outcome, 'success')
    await moveTo(service, '2028-01-05 11:00:00')
    const { status, result, capturedPaise, bankRefundedPaise } = (await service.ports.query.row(transactionKey(MID, txnId)))!
    assert.deepEqual([status, result, capturedPaise, bankRefundedPaise], ['FAILURE', 'returned', 499_00, 499_00])
  })

  test('after all that, books equal the bank’s', async () => assertHolds(await running()))
})
