// A second person in the console: asking, giving and refusing a large refund, and each case in which nothing may happen (docs/console.md).

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { refIdOf } from '../../src/flows/ask-for-refund.ts'
import { approvalKey } from '../../src/tables/keys.ts'
import { find } from '../../src/tables/tables.ts'
import { ask, auditOf, byLink, type Person, personOf } from '../support/console/desk.ts'
import {
  APPROVALS_ON,
  approvalOf,
  approvalRow,
  askedBy,
  changed,
  give,
  opened,
  paidAnew,
  paidRupees,
  paymentAt,
  post,
  REASON,
  refundBy,
  refundsOf,
  refuse,
  returned,
} from '../support/console/refunds.ts'
import { type Paid, refund, transactionOf } from '../support/paying/refunds.ts'
import { codeOf } from '../support/run/replies.ts'
import { MID, onBothStores, type Service, startService } from '../support/run/service.ts'
import { run } from '../support/store/at-rest.ts'

const HOUR_MS = 3_600_000

onBothStores('a second person in the console', (store) => {
  let service: Service
  let asker: Person
  let giver: Person
  before(async () => {
    service = await startService(store, { env: APPROVALS_ON })
    asker = await personOf(service, ['finance'], [MID])
    giver = await personOf(service, ['operations'], [MID])
  })
  after(() => service.close())

  const asked = (rupees?: number, by: Person = asker) => askedBy(service, by, rupees)
  const rowOf = (id: string) => approvalRow(service, id)
  const page = (path: string, { cookie }: Person) => ask(service, `/console${path}`, { cookie })
  /** The refused act changes neither the payment nor the request, and the log has it. */
  const refused = async (of: { payment: Paid; id: string }, by: Person, act: () => ReturnType<typeof give>) => {
    await service.tasks.runDue()
    const before = [await transactionOf(service, of.payment), await rowOf(of.id)]
    const answer = await act()
    assert.deepEqual([await transactionOf(service, of.payment), await rowOf(of.id)], before)
    return { status: answer.status, outcome: (await auditOf(service, by.operatorId)).at(-1)!.outcome, text: answer.text }
  }

  test('gives what another asked for: the refund, the approval and the audit rows together, and once at the bank', async () => {
    const { payment, id } = await asked()
    assert.equal((await transactionOf(service, payment)).refundedPaise, 0)
    for (const person of [asker, giver]) {
      assert.match((await page('', person)).text, new RegExp(`Waiting for a second person[\\s\\S]*approvals/${id}`))
      assert.match((await page('/approvals', person)).text, new RegExp(`approvals/${id}[\\s\\S]*₹20,000\\.00`))
    }
    const [own, shown] = [(await page(`/approvals/${id}`, asker)).text, (await page(`/approvals/${id}`, giver)).text]
    assert.match(own, /Another person has to approve this/)
    assert.doesNotMatch(own, new RegExp(`${id}/give`))
    assert.match(shown, new RegExp(`${REASON}[\\s\\S]*${id}/give[\\s\\S]*${id}/refuse`))

    assert.equal((await give(service, giver, id)).location, `/console/approvals/${id}`)
    const refunds = await refundsOf(service, payment)
    assert.deepEqual(
      refunds.map(({ refId, amountPaise, details }) => [refId, amountPaise, details.comments]),
      [[refIdOf(service.ports.vault, id), 20_000_00, REASON]],
    )
    assert.deepEqual(await returned(service, refunds), { paise: 20_000_00, times: 1 })
    const { status, decidedBy } = await rowOf(id)
    assert.deepEqual([status, decidedBy], ['GIVEN', giver.operatorId])
    const rows = await service.ports.query.rows(
      find('auditLog', { equals: { subject: `transaction:${payment.txnId}` }, orderBy: ['auditId'], limit: 10 }),
    )
    assert.deepEqual(rows.map(({ action, operatorId, outcome, reason }) => `${action} ${operatorId} ${outcome} ${reason}`).sort(), [
      `approval.ask ${asker.operatorId} asked ${REASON}`,
      `approval.give ${giver.operatorId} given null`,
      `payment.refund ${asker.operatorId} success ${REASON}`,
    ])
    assert.match((await page('/approvals?state=given', giver)).text, new RegExp(id))
    assert.doesNotMatch((await page('/approvals', giver)).text, new RegExp(id))
    assert.match((await page(`/payments/${MID}/${payment.txnId}`, giver)).text, /approve by Person/)
    const csv = (await page('/approvals.csv?state=given', giver)).text
    assert.match(csv, /payment\.refund,DEMO0000000000000001,20000,/)
    assert.doesNotMatch(csv, new RegExp(REASON))
  })

  test('is given though a merchant who knows its number makes refunds under it', async () => {
    const [other, { payment, id }] = [await paidAnew(service, 100), await asked()]
    for (const refId of [id, `C${id}`]) assert.equal(codeOf(await refund(service, other, refId, '1.00')), '601')
    assert.equal((await give(service, giver, id)).location, `/console/approvals/${id}`)
    const [made, ...more] = await refundsOf(service, payment)
    assert.match(made!.refId, /^C[0-9]{28}$/)
    assert.deepEqual(more, [])
    const taken = await refund(service, other, made!.refId, '1.00')
    assert.equal(codeOf(taken), '701', 'one refId is one refund, for a merchant too')
  })

  test('refuses, and no money moves', async () => {
    const { payment, id } = await asked()
    assert.equal((await refuse(service, giver, id)).location, `/console/approvals/${id}`)
    assert.equal((await rowOf(id)).status, 'REFUSED')
    assert.equal((await transactionOf(service, payment)).refundedPaise, 0)
    assert.match((await page('/approvals?state=refused', giver)).text, new RegExp(id))
  })

  test('is asked once by a form that was sent twice', async () => {
    const payment = await paidAnew(service, 20_000)
    const form = await opened(service, asker, payment.txnId)
    const ids = await Promise.all([1, 2].map(async () => approvalOf(await post(service, asker, payment.txnId, form))))
    assert.deepEqual(ids, [form.id, form.id])
    const rows = await service.ports.query.rows(find('auditLog', { equals: { subject: `transaction:${payment.txnId}` }, limit: 10 }))
    assert.deepEqual(
      rows.map(({ action, outcome }) => `${action} ${outcome}`),
      ['approval.ask asked', 'approval.ask asked'],
    )
    assert.equal((await post(service, asker, payment.txnId, { ...form, amount: '19000' })).status, 409)
    assert.equal((await post(service, giver, payment.txnId, { ...form, token: giver.token })).status, 400, 'another person’s form')
    await refuse(service, giver, form.id)
    const again = await post(service, asker, payment.txnId, form)
    assert.equal(again.status, 409)
    assert.match(again.text, /A second person refused this[\s\S]*₹20,000\.00 is left/)
  })

  test('decides nothing of their own, decided, changed, or for another merchant', async () => {
    const own = await asked()
    assert.deepEqual(await statusAnd(refused(own, asker, () => give(service, asker, own.id))), [403, 'own'])
    assert.deepEqual(await statusAnd(refused(own, asker, () => refuse(service, asker, own.id))), [403, 'own'])
    const decided = await asked()
    await give(service, giver, decided.id)
    for (const act of [give, refuse])
      assert.deepEqual(await statusAnd(refused(decided, giver, () => act(service, giver, decided.id))), [409, 'decided'])
    const other = await asked()
    await refund(service, other.payment, `M_${other.id}`, '500.00')
    assert.match((await page(`/approvals/${other.id}`, giver)).text, /was changed since/)
    const { text, ...rest } = await refused(other, giver, () => give(service, giver, other.id))
    assert.deepEqual(rest, { status: 409, outcome: 'changed' })
    assert.match(text, /Ask anew\.[\s\S]*₹19,500\.00 is left/)
    const foreign = await personOf(service, ['finance'], ['OTHER'])
    for (const act of [give, refuse]) assert.equal((await act(service, foreign, other.id)).status, 404)
    assert.equal((await page(`/approvals/${other.id}`, foreign)).status, 404)
    assert.doesNotMatch((await page('/approvals', foreign)).text, /approvals\/[0-9]/)
    assert.equal((await give(service, giver, '1')).status, 404)
  })

  test('gives nothing that was asked by a person who may no more', async () => {
    for (const [outcome, to] of [
      ['askerDisabled', { status: 'DISABLED' }],
      ['askerRole', { roles: ['support'] }],
      ['askerMerchant', { mids: ['OTHER'] }],
    ] as const) {
      const gone = await personOf(service, ['finance'], [MID])
      const of = await asked(20_000, gone)
      await changed(service, gone, to)
      const { text, ...rest } = await refused(of, giver, () => give(service, giver, of.id))
      assert.deepEqual(rest, { status: 403, outcome })
      assert.match(text, /The person who asked/)
    }
  })

  test('is a person with the role, who signs in still', async () => {
    const of = await asked()
    for (const role of ['admin', 'auditor'] as const) {
      const person = await personOf(service, [role])
      assert.equal((await page(`/approvals/${of.id}`, person)).status, 200)
      for (const act of [give, refuse])
        assert.deepEqual(await statusAnd(refused(of, person, () => act(service, person, of.id))), [403, 'giverRole'])
    }
    for (const role of ['support', 'developer'] as const) {
      const person = await personOf(service, [role])
      assert.equal((await page(`/approvals/${of.id}`, person)).status, 404)
      for (const act of [give, refuse]) assert.equal((await act(service, person, of.id)).status, 403)
    }
    const gone = await personOf(service, ['finance'])
    await changed(service, gone, { status: 'DISABLED' })
    assert.equal((await give(service, gone, of.id)).status, 401)
    assert.equal((await rowOf(of.id)).status, 'ASKED')
  })

  test('is no person whom an admin may have made since: invited, or by another password', async () => {
    const [admin, colleague] = [await personOf(service, ['admin', 'finance']), await personOf(service, ['finance'])]
    const of = await asked(20_000, admin)
    const [invited, renamed] = [await personOf(service, ['operations']), await byLink(service, colleague)]
    for (const person of [invited, renamed]) {
      const { text } = await page(`/approvals/${of.id}`, person)
      assert.match(text, /was set after this was asked for/)
      assert.doesNotMatch(text, new RegExp(`${of.id}/give`))
      assert.deepEqual(await statusAnd(refused(of, person, () => give(service, person, of.id))), [403, 'giverNew'])
    }
    assert.equal((await give(service, giver, of.id)).status, 303)
  })

  test('changes nothing while the audit log cannot be written', async () => {
    const [small, of] = [await paidAnew(service, 1_000), await asked()]
    const forms = [await opened(service, asker, small.txnId), await opened(service, asker, of.payment.txnId)]
    const at = { MOHUR_DATA: service.place.dataFolder, DATABASE_URL: service.place.databaseUrl ?? '' }
    const state = async () => [await transactionOf(service, small), await transactionOf(service, of.payment), await rowOf(of.id)]
    const before = await state()
    await run(at, 'alter table audit_log rename to audit_away')
    const acts = [
      () => post(service, asker, small.txnId, forms[0]!),
      () => post(service, asker, of.payment.txnId, forms[1]!),
      () => give(service, giver, of.id),
      () => refuse(service, giver, of.id),
    ]
    for (const act of acts) assert.equal((await act()).status, 500)
    await run(at, 'alter table audit_away rename to audit_log')
    assert.deepEqual(await state(), before)
    assert.equal(await service.ports.query.row(approvalKey(forms[1]!.id)), undefined)
    assert.equal((await give(service, giver, of.id)).status, 303)
  })

  test('lists, shows and refuses what cannot be opened, and gives it to nobody', async () => {
    const of = await asked()
    const at = { MOHUR_DATA: service.place.dataFolder, DATABASE_URL: service.place.databaseUrl ?? '' }
    await run(at, `update approval_commands set reason = 'x', command = 'x' where approval_id = '${of.id}'`)
    assert.match((await page('/approvals', giver)).text, new RegExp(`approvals/${of.id}`))
    const shown = await page(`/approvals/${of.id}`, giver)
    assert.equal(shown.status, 200)
    assert.match(shown.text, /<dt>Reason<\/dt><dd><bdi>\(cannot be opened\)/)
    const { text, ...rest } = await refused(of, giver, () => give(service, giver, of.id))
    assert.deepEqual(rest, { status: 409, outcome: 'unopened' })
    assert.match(text, /What was asked for cannot be opened\. Refuse this, and ask anew\./)
    assert.equal((await refuse(service, giver, of.id)).status, 303)
    assert.equal((await rowOf(of.id)).status, 'REFUSED')
  })

  test('shows a hostile reason as text', async () => {
    const payment = await paidAnew(service, 20_000)
    const id = approvalOf(await refundBy(service, asker, payment.txnId, undefined, '<script>hit()</script>\u202e=1+1'))
    const { text } = await page(`/approvals/${id}`, giver)
    assert.match(text, /&#60;script&#62;hit\(\)&#60;\/script&#62;\ufffd=1\+1/)
    assert.doesNotMatch(text, /<script>hit|\u202e/)
  })

  test('needs a fresh proof to give, and is too late after 72 hours', async () => {
    const of = await asked()
    service.clock.set(6 * 60_000)
    assert.match((await give(service, giver, of.id)).location ?? '', /^\/console\/step-up/)
    service.clock.set(72 * HOUR_MS)
    const late = await personOf(service, ['operations'], [MID])
    assert.deepEqual(await statusAnd(refused(of, late, () => give(service, late, of.id))), [409, 'over'])
    assert.deepEqual(await statusAnd(refused(of, late, () => refuse(service, late, of.id))), [409, 'over'])
    assert.match((await page('/approvals?state=over', late)).text, new RegExp(of.id))
    assert.doesNotMatch((await page('/approvals', late)).text, new RegExp(of.id))
    assert.doesNotMatch((await page('', late)).text, /Waiting for a second person/)
  })

  const statusAnd = async (refusal: ReturnType<typeof refused>) => {
    const { status, outcome } = await refusal
    return [status, outcome]
  }
})

onBothStores('a sandbox that asks nobody', (store) => {
  test('gives a large refund at once, and has the request and its audit rows', async () => {
    const service = await startService(store, { env: { MOHUR_CONSOLE_APPROVE_ABOVE: '1000' } })
    try {
      const finance = await personOf(service, ['finance'])
      const payment = await paidRupees(service, 'AT_ONCE', 1_500)
      assert.equal((await refundBy(service, finance, payment.txnId, '1000')).location, paymentAt(payment.txnId), 'not above the setting')
      const id = approvalOf(await refundBy(service, finance, payment.txnId))
      const { text } = await ask(service, `/console/approvals/${id}`, { cookie: finance.cookie })
      assert.match(text, /by sandbox/)
      assert.deepEqual(await returned(service, await refundsOf(service, payment)), { paise: 1_500_00, times: 2 })
      const rows = await service.ports.query.rows(find('auditLog', { equals: { subject: `transaction:${payment.txnId}` }, limit: 10 }))
      assert.deepEqual(rows.map(({ action }) => action).sort(), ['approval.ask', 'approval.give', 'payment.refund', 'payment.refund'])
      const support = await personOf(service, ['support'])
      const other = await paidRupees(service, 'SMALL', 1_500)
      const page = await ask(service, `/console/payments/${MID}/${other.txnId}/refund`, { cookie: support.cookie })
      assert.match(page.text, /You may refund a payment up to ₹1,000\.00 in all/)
      assert.equal((await refundBy(service, support, other.txnId)).status, 403, 'a lower setting bounds everybody')
    } finally {
      await service.close()
    }
  })
})
