// Refunds in the console (docs/console.md, "Refunds"): what a person may give back alone, and what each fault of a form gets. A second
// person's part stands in approval.test.ts.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { refIdOf } from '../../src/flows/ask-for-refund.ts'
import { approvalKey } from '../../src/tables/keys.ts'
import { ask, auditOf, type Person, personOf } from '../support/console/desk.ts'
import {
  APPROVALS_ON,
  approvalOf,
  give,
  markOf,
  opened,
  paidAnew,
  paymentAt,
  post,
  REASON,
  refundAt,
  refundBy,
  refundsOf,
  returned,
} from '../support/console/refunds.ts'
import { type Paid, refund, transactionOf } from '../support/paying/refunds.ts'
import { MID, onBothStores, type Service, startService } from '../support/run/service.ts'

const SIX_MINUTES_MS = 6 * 60_000

onBothStores('a refund in the console', (store) => {
  let service: Service
  let finance: Person
  let support: Person
  before(async () => {
    service = await startService(store, { env: APPROVALS_ON })
    finance = await personOf(service, ['finance'], [MID])
    support = await personOf(service, ['support'], [MID])
  })
  after(() => service.close())
  const paid = (rupees: number) => paidAnew(service, rupees)
  const leftIn = (text: string) => /; (₹[\d,.]+) is left\./.exec(text)?.[1]
  const refundedRupees = async (payment: Paid) => (await transactionOf(service, payment)).refundedPaise / 100

  test('is made as a merchant’s is: with its reason, its audit row, and once at the bank', async () => {
    const payment = await paid(1_500)
    assert.match(
      (await ask(service, paymentAt(payment.txnId), { cookie: support.cookie })).text,
      new RegExp(`href="${refundAt(payment.txnId)}"`),
    )
    const form = await opened(service, support, payment.txnId, '400.5')
    for (const _ of ['once', 'the same form again']) {
      const { status, location } = await post(service, support, payment.txnId, form)
      assert.deepEqual([status, location], [303, paymentAt(payment.txnId)])
    }
    const refunds = await refundsOf(service, payment)
    assert.deepEqual(
      refunds.map(({ refId, amountPaise, details }) => [refId, amountPaise, details.comments]),
      [[refIdOf(service.ports.vault, form.id), 400_50, REASON]],
    )
    assert.deepEqual(await returned(service, refunds), { paise: 400_50, times: 1 })
    const rows = (await auditOf(service, support.operatorId)).filter(({ action }) => action === 'payment.refund')
    assert.deepEqual(
      rows.map(({ mid, subject, outcome, reason }) => [mid, subject, outcome, reason]),
      ['success', 'again'].map((outcome) => [MID, `transaction:${payment.txnId}`, outcome, REASON]),
    )
    assert.match((await ask(service, refundAt(payment.txnId), { cookie: support.cookie })).text, /At most ₹1,099\.50/)
  })

  test('of the rest leaves nothing to refund', async () => {
    const payment = await paid(100)
    assert.equal((await refundBy(service, support, payment.txnId, '40')).status, 303)
    assert.equal((await refundBy(service, support, payment.txnId)).status, 303)
    assert.equal(await refundedRupees(payment), 100)
    assert.match((await ask(service, refundAt(payment.txnId), { cookie: support.cookie })).text, /Nothing is left to refund/)
  })

  test('above ₹2,000 in all is not for support: not in parts, and not in ten parts at once', async () => {
    const payment = await paid(50_000)
    const forms = await Promise.all(Array.from({ length: 10 }, () => opened(service, support, payment.txnId, '1999')))
    const statuses = (await Promise.all(forms.map((form) => post(service, support, payment.txnId, form)))).map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [303, ...Array(9).fill(409)])
    const next = await refundBy(service, support, payment.txnId, '1999')
    assert.equal(next.status, 403)
    assert.equal(leftIn(next.text), '₹48,001.00')
    assert.equal(await refundedRupees(payment), 1_999)
    assert.equal((await auditOf(service, support.operatorId)).at(-1)!.outcome, 'overMost')
    assert.equal((await refundBy(service, support, payment.txnId, '1')).status, 303)
    assert.equal((await refundBy(service, support, payment.txnId, '0.01')).status, 403)
  })

  test('above ₹10,000 in all needs a second person: in parts, and in ten parts at once', async () => {
    const payment = await paid(50_000)
    const forms = await Promise.all(Array.from({ length: 10 }, () => opened(service, finance, payment.txnId, '9999')))
    const statuses = (await Promise.all(forms.map((form) => post(service, finance, payment.txnId, form)))).map(({ status }) => status)
    assert.deepEqual(statuses.toSorted(), [303, ...Array(9).fill(409)])
    for (let part = 0; part < 3; part++)
      assert.match((await refundBy(service, finance, payment.txnId, '9999')).location ?? '', /^\/console\/approvals\//)
    assert.equal(await refundedRupees(payment), 9_999)
    const refunds = await refundsOf(service, payment)
    assert.deepEqual(await returned(service, refunds), { paise: 9_999_00, times: 1 })
  })

  test('counts what the merchant has given back', async () => {
    const payment = await paid(3_000)
    await refund(service, payment, `M_${payment.orderId}`, '1500.00')
    assert.equal((await refundBy(service, support, payment.txnId, '501')).status, 403)
    assert.equal((await refundBy(service, support, payment.txnId, '500')).status, 303)
  })

  test('of a payment that changed meanwhile is refused with what is left', async () => {
    const payment = await paid(1_000)
    const form = await opened(service, support, payment.txnId, '600')
    await refund(service, payment, `M_${payment.orderId}`, '300.00')
    const { status, text } = await post(service, support, payment.txnId, form)
    assert.equal(status, 409)
    assert.equal(leftIn(text), '₹700.00')
    assert.equal(await refundedRupees(payment), 300)
  })

  test('under an id that made another refund is refused', async () => {
    const payment = await paid(1_000)
    const form = await opened(service, support, payment.txnId, '100')
    assert.equal((await post(service, support, payment.txnId, form)).status, 303)
    const { version } = await opened(service, support, payment.txnId)
    const rows = async () => (await auditOf(service, support.operatorId)).length
    const before = await rows()
    for (const more of [{ amount: '200' }, { reason: 'another' }, { amount: '200', version: form.version }])
      assert.equal((await post(service, support, payment.txnId, { ...form, version, ...more })).status, 409, JSON.stringify(more))
    assert.equal(await rows(), before + 3, 'one row for each')
    assert.equal(await refundedRupees(payment), 100)
  })

  test('takes no form of another person or payment, and no number that a person made up', async () => {
    const [payment, other, giver] = [await paid(20_000), await paid(100), await personOf(service, ['operations'], [MID])]
    const waits = await opened(service, finance, payment.txnId)
    assert.equal((await post(service, finance, payment.txnId, waits)).location, `/console/approvals/${waits.id}`)
    const own = await opened(service, support, other.txnId, '1')
    for (const more of [{ id: waits.id }, { id: waits.id, mark: waits.mark }, { mark: '' }])
      assert.equal((await post(service, support, other.txnId, { ...own, ...more })).status, 400, JSON.stringify(more))
    assert.equal((await post(service, finance, other.txnId, { ...waits, amount: '1' })).status, 400)
    assert.equal((await post(service, finance, other.txnId, { ...own, token: finance.token })).status, 400)
    assert.deepEqual(await refundsOf(service, other), [])
    assert.equal((await post(service, support, other.txnId, own)).status, 303)
    assert.equal((await give(service, giver, waits.id)).status, 303)
    assert.deepEqual(await returned(service, await refundsOf(service, payment)), { paise: 20_000_00, times: 1 })
  })

  test('takes an amount only as India or the West writes it', async () => {
    const small = { '1': 1, '007': 7, '1.5': 1.5, ' 1.05 ': 1.05, '₹2': 2, '1,500': 1_500, '₹1,500.50': 1_500.5 }
    for (const [amount, rupees] of Object.entries(small)) {
      const payment = await paid(2_000)
      assert.equal((await refundBy(service, support, payment.txnId, amount)).status, 303, amount)
      assert.equal(await refundedRupees(payment), rupees, amount)
    }
    const large = {
      ...{ '12,345': 12_345, '100,000': 100_000, '1,00,000': 100_000, '1,000,000.25': 1_000_000.25 },
      ...{ '10,00,000': 1_000_000, '1,00,00,000': 10_000_000 },
    }
    const rich = await paid(20_000_000)
    for (const [amount, rupees] of Object.entries(large)) {
      const id = approvalOf(await refundBy(service, finance, rich.txnId, amount))
      assert.equal((await service.ports.query.row(approvalKey(id)))!.amountPaise, rupees * 100, amount)
    }
    const payment = await paid(1)
    const form = await opened(service, support, payment.txnId)
    const wrong = [
      '1,50',
      '1,5',
      '0,50',
      '1,',
      ',100',
      '1,00',
      '12,34',
      '1,0000',
      '1000,000',
      '1,00,00',
      '1,,000',
      '0,100',
      '1.500,00',
      '1 500',
      '1.',
      '.5',
      '₹₹1',
    ]
    for (const amount of wrong) {
      const { status, text } = await post(service, support, payment.txnId, { ...form, amount })
      assert.equal(status, 422, amount)
      assert.match(text, /role="alert">Enter rupees/, amount)
      assert.ok(text.includes(`name="amount" inputmode="decimal" maxlength="20" value="${amount}"`), amount)
    }
    assert.equal(await refundedRupees(payment), 0)
  })

  test('with a fault keeps what was typed, and changes nothing', async () => {
    const payment = await paid(1_000)
    const form = await opened(service, support, payment.txnId, '100')
    const before = await transactionOf(service, payment)
    const faults: Readonly<Record<string, Partial<typeof form>>> = {
      'Enter rupees': { amount: '0' },
      'At most ₹1,000': { amount: '1000.01' },
      'Write a reason': { reason: ' \t' },
    }
    for (const [says, more] of Object.entries(faults)) {
      const { status, text } = await post(service, support, payment.txnId, { ...form, ...more })
      assert.equal(status, 422, says)
      assert.match(text, new RegExp(`role="alert">${says}`), says)
      assert.match(text, new RegExp(form.id), 'the next press is the same form')
    }
    for (const amount of ['', '-1', '1e3', '1.001', '₹', '0x10', '٣', '99999999999999', '1;2', 'NaN'])
      assert.equal((await post(service, support, payment.txnId, { ...form, amount })).status, 422, amount)
    assert.equal((await post(service, support, payment.txnId, { ...form, reason: 'x'.repeat(256) })).status, 422)
    for (const more of [{ id: 'auto:1' }, { id: '' }, { mark: '' }, { version: '-1' }, { version: '' }, { token: 'x' }])
      assert.equal((await post(service, support, payment.txnId, { ...form, ...more })).status, 400, JSON.stringify(more))
    assert.deepEqual(await transactionOf(service, payment), before)
    assert.deepEqual(await refundsOf(service, payment), [])
  })

  test('keeps a hostile reason as text', async () => {
    const payment = await paid(100)
    const reason = '"><img src=x onerror=hit()>\u202egnp.live\u0007=1+1'
    await refundBy(service, support, payment.txnId, '1', reason)
    const [made] = await refundsOf(service, payment)
    assert.equal(made!.details.comments, '"><img src=x onerror=hit()>\ufffdgnp.live\ufffd=1+1')
    const { text } = await post(service, support, payment.txnId, { ...(await opened(service, support, payment.txnId, 'x')), reason })
    assert.match(text, /value="&#34;&#62;&#60;img/)
    assert.doesNotMatch(text, /<img/)
  })

  test('of a foreign, unknown or failed payment is not offered', async () => {
    const foreign = await personOf(service, ['finance'], ['OTHER'])
    const payment = await paid(100)
    for (const [person, txnId] of [
      [foreign, payment.txnId],
      [finance, 'NONE'],
    ] as const) {
      assert.equal((await ask(service, refundAt(txnId), { cookie: person.cookie })).status, 404)
      const id = '1'.repeat(26)
      const form = { token: person.token, id, mark: markOf(service, person, txnId, id), version: '1', amount: '1', reason: REASON }
      assert.equal((await post(service, person, txnId, form)).status, 404)
    }
    assert.equal(await refundedRupees(payment), 0)
  })

  test('asks for the proof before its form, where the payment is large', async () => {
    const [small, large] = [await paid(2_000), await paid(2_001)]
    const form = await opened(service, finance, large.txnId, '2001')
    service.clock.set(SIX_MINUTES_MS)
    assert.equal((await ask(service, refundAt(small.txnId), { cookie: finance.cookie })).status, 200)
    const asked = await ask(service, refundAt(large.txnId), { cookie: finance.cookie })
    assert.equal(asked.location, `/console/step-up?next=${encodeURIComponent(refundAt(large.txnId))}`)
    assert.match((await post(service, finance, large.txnId, form)).location ?? '', /^\/console\/step-up/)
    assert.equal(await refundedRupees(large), 0)
    assert.equal((await post(service, finance, large.txnId, { ...form, amount: '2000' })).status, 303, 'a small one needs none')
  })
})
