// The adapter against a simulator of Cashfree: one order for a key, and the result of every answer, or of none.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Authorize, Means } from '../../../../src/adapters/acquirer/acquirer.ts'
import { CashfreeAcquirer } from '../../../../src/adapters/acquirer/cashfree/cashfree.ts'
import { orderIdOf, refundIdOf } from '../../../../src/adapters/acquirer/cashfree/ids.ts'
import { CashfreeSimulator, CLIENT_ID, CLIENT_SECRET, type Fault } from '../../../support/cashfree/simulator.ts'

const T0 = Date.parse('2026-06-15T10:00:00+05:30')
const MINUTE = 60_000
const BANKS = [{ code: 'HDFC', cashfree: 3021 }, { code: 'NONE' }]

async function connected({ clientSecret = CLIENT_SECRET, phone }: { clientSecret?: string; phone?: string } = {}) {
  const time = { now: T0, elapsed: 0 }
  const pass = (ms: number) => {
    time.now += ms
    time.elapsed += ms
  }
  const bank = await CashfreeSimulator.start({ now: () => time.now })
  after(() => bank.stop())
  const lines: string[] = []
  const acquirer = new CashfreeAcquirer({
    url: bank.url,
    clientId: CLIENT_ID,
    clientSecret,
    clock: { realNow: () => time.now, elapsed: () => time.elapsed },
    publicUrl: () => 'https://pay.shop.example',
    banks: BANKS,
    doubted: (call, key, why) => lines.push(`${call} ${key}: ${why}`),
    conflict: (key, why) => lines.push(`! ${key}: ${why}`),
    phone,
  })
  return { bank, acquirer, lines, pass }
}

const UPI: Means = { kind: 'upiIntent' }
const payment = (key: string, more: Partial<Authorize> = {}): Authorize => ({
  key,
  mid: 'SHOP1',
  merchantName: 'Asha and Sons',
  mcc: '5732',
  orderId: 'ORDER1',
  amountPaise: 49_900,
  means: UPI,
  keepCard: false,
  directOtp: false,
  returnUrl: 'https://pay.shop.example/transaction/return?mid=SHOP1&txnId=1',
  payer: { custId: 'CUST1', mobile: '9876543210', email: 'payer@example.com' },
  ...more,
})
const key = 'SHOP1:20260615100000123456'
const id = orderIdOf(key)

test('a UPI payment has a link, and its success has the amount and the bank’s number', async () => {
  const { bank, acquirer, lines } = await connected()
  const begun = await acquirer.authorize(payment(key))
  assert.equal(begun.outcome, 'pending')
  assert.match(begun.outcome === 'pending' && begun.next?.kind === 'deepLink' ? begun.next.deepLink : '', /^upi:\/\/pay\?pa=/)
  assert.deepEqual(await acquirer.status(key), { outcome: 'pending' })
  bank.settle(id, 'SUCCESS')
  const { bankReference } = bank.orders.get(id)!.payments[0]!
  assert.deepEqual(await acquirer.status(key), { outcome: 'success', reference: bankReference, amountPaise: 49_900 })
  assert.deepEqual(lines, [])
})

test('the order carries what Cashfree asks for, and nothing of the shop besides', async () => {
  const { bank, acquirer } = await connected()
  await acquirer.authorize(payment(key))
  const [created] = bank.recorded
  assert.deepEqual(created!.body, {
    order_id: id,
    order_amount: 499,
    order_currency: 'INR',
    order_expiry_time: '2026-06-15T05:00:00Z',
    customer_details: {
      customer_id: (created!.body!['customer_details'] as { customer_id: string }).customer_id,
      customer_phone: '9876543210',
      customer_email: 'payer@example.com',
    },
    order_meta: {
      return_url: 'https://pay.shop.example/transaction/return?mid=SHOP1&txnId=1',
      notify_url: 'https://pay.shop.example/acquirer/cashfree/webhook',
      payment_methods: 'upi',
    },
    order_tags: { key },
  })
  assert.equal(created!.headers['x-idempotency-key'], undefined, 'it keeps a first answer, a broken one too')
})

test('net banking sends the bank’s four digits, and the browser goes to the page by GET', async () => {
  const { bank, acquirer } = await connected()
  const begun = await acquirer.authorize(payment(key, { means: { kind: 'netBanking', bank: 'HDFC' } }))
  assert.deepEqual(bank.recorded[1]!.body!['payment_method'], { netbanking: { channel: 'link', netbanking_bank_code: 3021 } })
  assert.ok(begun.outcome === 'pending' && begun.next?.kind === 'bankForm')
  assert.deepEqual([begun.next.method, begun.next.content], ['get', {}])
})

for (const [what, more] of [
  ['a bank without a code', { means: { kind: 'netBanking', bank: 'NONE' } }],
  ['a card', { means: { kind: 'card', number: '4111111111111111', cvv: '123', expiryMonth: 12, expiryYear: 2030 } }],
  ['a payer without a number', { payer: { custId: 'CUST1' } }],
] as const satisfies readonly (readonly [string, Partial<Authorize>])[])
  test(`${what} is refused before any call`, async () => {
    const { bank, acquirer } = await connected()
    assert.deepEqual(await acquirer.authorize(payment(key, more)), { outcome: 'failure', failure: 'invalidInstrument' })
    assert.deepEqual(bank.recorded, [])
  })

test('where the operator names a number, a payer without one can pay', async () => {
  const { bank, acquirer } = await connected({ phone: '9000000000' })
  assert.equal((await acquirer.authorize(payment(key, { payer: { custId: 'CUST1' } }))).outcome, 'pending')
  assert.equal(bank.orders.get(id)!.customer['customer_phone'], '9000000000')
})

test('ten at once under one key: one pay call', async () => {
  const { bank, acquirer } = await connected()
  const answers = await Promise.all(Array.from({ length: 10 }, () => acquirer.authorize(payment(key))))
  assert.equal(bank.recorded.filter(({ path }) => path === '/orders/sessions').length, 1)
  assert.deepEqual([...new Set(answers.map(({ outcome }) => outcome))], ['pending'])
})

test('another amount under a key that was used is unknown, a line at error, and no pay call', async () => {
  const { bank, acquirer, lines } = await connected()
  await acquirer.authorize(payment(key))
  assert.deepEqual(await acquirer.authorize(payment(key, { amountPaise: 50_000 })), { outcome: 'unknown' })
  assert.equal(bank.recorded.filter(({ path }) => path === '/orders/sessions').length, 1)
  assert.deepEqual(lines, [`! ${key}: the order is for another amount`])
})

test('a key that was never used is absent for ever, also when its payment was only late', async () => {
  const { bank, acquirer } = await connected()
  assert.deepEqual(await acquirer.status(key), { outcome: 'absent' })
  assert.deepEqual(await acquirer.status(key), { outcome: 'absent' })
  assert.deepEqual(await acquirer.authorize(payment(key)), { outcome: 'failure', failure: 'timedOut' })
  assert.deepEqual([bank.orders.get(id)!.status, bank.orders.get(id)!.amount, bank.keptPaise], ['TERMINATED', 1, 0])
})

test('an order that closes a key and expires before it is terminated has closed it', async () => {
  const { bank, acquirer, pass } = await connected()
  bank.fail('PATCH', /^\/orders\//, ...Array.from({ length: 3 }, () => ({ when: 'before', status: 500 }) as const))
  assert.deepEqual(await acquirer.status(key), { outcome: 'unknown' })
  pass(31 * MINUTE)
  assert.deepEqual(await acquirer.status(key), { outcome: 'absent' })
  assert.deepEqual(await acquirer.authorize(payment(key)), { outcome: 'failure', failure: 'timedOut' })
  assert.deepEqual([bank.orders.get(id)!.status, bank.keptPaise], ['EXPIRED', 0])
})

const NOT_THERE = { when: 'before', status: 404 } as const

test('one 404 about an order that its payer is paying does not end the order', async () => {
  const { bank, acquirer } = await connected()
  await acquirer.authorize(payment(key))
  bank.fail('GET', /^\/orders\/[^/]+$/, NOT_THERE)
  assert.deepEqual(await acquirer.status(key), { outcome: 'pending' })
  assert.equal(bank.recorded.filter(({ method }) => method === 'PATCH').length, 0)
  assert.equal(bank.orders.get(id)!.status, 'ACTIVE')
  bank.settle(id, 'SUCCESS')
  assert.equal((await acquirer.status(key)).outcome, 'success')
})

test('one 404 about an order that closes a key leaves the key closed', async () => {
  const { bank, acquirer } = await connected()
  bank.fail('PATCH', /^\/orders\//, ...Array.from({ length: 3 }, () => ({ when: 'before', status: 500 }) as const))
  assert.deepEqual(await acquirer.status(key), { outcome: 'unknown' })
  bank.fail('GET', /^\/orders\/[^/]+$/, NOT_THERE)
  assert.deepEqual(await acquirer.status(key), { outcome: 'absent' })
  assert.equal(bank.orders.get(id)!.status, 'TERMINATED')
})

test('a key that cannot be closed is unknown, and absent once it can', async () => {
  for (const fault of [
    { when: 'before', how: 'break' },
    { when: 'before', status: 500 },
    { when: 'before', status: 400 },
  ] as const) {
    const { bank, acquirer } = await connected()
    bank.fail('POST', /^\/orders$/, fault)
    assert.deepEqual(await acquirer.status(key), { outcome: 'unknown' }, JSON.stringify(fault))
    assert.deepEqual(await acquirer.status(key), { outcome: 'absent' })
  }
})

const CREATE = /^\/orders$/
const PAY = /^\/orders\/sessions$/
for (const [what, path, fault, outcome] of [
  ['the order’s answer is lost', CREATE, { when: 'after', how: 'break' }, 'unknown'],
  ['the order is not reached', CREATE, { when: 'before', how: 'break' }, 'unknown'],
  ['the order is answered 500', CREATE, { when: 'after', status: 500 }, 'unknown'],
  ['the order is answered by a page', CREATE, { when: 'after', status: 200, body: '<h1>OK</h1>', type: 'text/html' }, 'unknown'],
  ['half of the order’s answer comes', CREATE, { when: 'after', status: 200, body: '{"order_id":"' }, 'unknown'],
  ['the order is refused', CREATE, { when: 'before', status: 401 }, 'failure'],
  ['too many orders are made', CREATE, { when: 'before', status: 429 }, 'failure'],
  ['the payment’s answer is lost', PAY, { when: 'after', how: 'break' }, 'unknown'],
  ['the payment is answered 502', PAY, { when: 'before', status: 502 }, 'unknown'],
  ['the payment is refused', PAY, { when: 'before', status: 400 }, 'failure'],
  ['too many payments begin', PAY, { when: 'before', status: 429 }, 'failure'],
] as const satisfies readonly (readonly [string, RegExp, Fault, string])[])
  test(`when ${what} the answer is ${outcome}, and the status says the same in the end`, async () => {
    const { bank, acquirer, lines, pass } = await connected()
    bank.fail('POST', path, fault)
    assert.equal((await acquirer.authorize(payment(key))).outcome, outcome)
    assert.ok(lines.length > 0, 'the operator hears of it')
    assert.doesNotMatch(lines.join(), new RegExp(CLIENT_SECRET))
    pass(3 * MINUTE)
    const then = await acquirer.status(key)
    const wasMade = bank.orders.get(id)?.tags['state'] !== 'absent'
    const isPaying = bank.orders.get(id)!.payments.length > 0
    assert.equal(then.outcome, isPaying ? 'pending' : wasMade ? 'failure' : 'absent')
    assert.equal(bank.keptPaise, 0)
  })

test('a cancelled payment is dead, and a paid one stands', async () => {
  const { bank, acquirer } = await connected()
  bank.begins = 'USER_DROPPED'
  await acquirer.authorize(payment(key))
  assert.deepEqual(await acquirer.cancel(key), { outcome: 'failure', failure: 'cancelled' })
  bank.begins = 'SUCCESS'
  await acquirer.authorize(payment('SHOP1:2'))
  assert.equal((await acquirer.cancel('SHOP1:2')).outcome, 'success')
  bank.begins = 'PENDING'
  await acquirer.authorize(payment('SHOP1:3'))
  assert.deepEqual(await acquirer.cancel('SHOP1:3'), { outcome: 'pending' }, 'its payer may be approving it')
  assert.deepEqual(await acquirer.cancel('SHOP1:never'), { outcome: 'absent' })
})

test('a payment that succeeds between the two reads of one query has succeeded', async () => {
  const { bank, acquirer } = await connected()
  await acquirer.authorize(payment(key))
  bank.plants = (method, path) => {
    const isBetween = method === 'GET' && path.endsWith('/payments') && bank.orders.get(id)!.status === 'ACTIVE'
    if (isBetween) bank.settle(id, 'SUCCESS')
    return undefined
  }
  assert.equal((await acquirer.status(key)).outcome, 'success')
  assert.equal(bank.recorded.filter(({ method }) => method === 'PATCH').length, 0)
})

test('a success of an order that stays open is pending after three reads', async () => {
  const { bank, acquirer } = await paid()
  bank.orders.get(id)!.status = 'ACTIVE'
  const before = bank.recorded.length
  assert.deepEqual(await acquirer.status(key), { outcome: 'pending' })
  const asked = bank.recorded.slice(before).map(({ method, path }) => `${method} ${path.slice(`/orders/${id}`.length)}`)
  assert.deepEqual(asked, ['GET ', 'GET /payments', 'GET ', 'GET /payments', 'GET ', 'GET /payments', 'GET /refunds'])
})

test('a payment that succeeds after its end is pending until Cashfree gives it back', async () => {
  const { bank, acquirer } = await connected()
  await acquirer.authorize(payment(key))
  await acquirer.cancel(key)
  bank.settle(id, 'SUCCESS')
  assert.deepEqual(await acquirer.status(key), { outcome: 'pending' })
  bank.giveBack(id)
  assert.deepEqual(await acquirer.status(key), { outcome: 'failure', failure: 'timedOut' })
})

const refundOf = (name: string, amountPaise: number) => ({
  key: name,
  logged: 'SHOP1:refund:1',
  authorizeKey: key,
  mid: 'SHOP1',
  orderId: 'ORDER1',
  amountPaise,
})

async function paid() {
  const of = await connected()
  of.bank.begins = 'SUCCESS'
  await of.acquirer.authorize(payment(key))
  return of
}

test('refunds: parts, a repeated one, more than is left, and one that was never requested', async () => {
  const { bank, acquirer } = await paid()
  const first = await acquirer.refund(refundOf('r1', 20_000))
  assert.ok(first.outcome === 'success' && first.amountPaise === 20_000)
  assert.deepEqual(await acquirer.refund(refundOf('r1', 20_000)), first)
  assert.deepEqual(await acquirer.status('r1', 'SHOP1:refund:1', key), first)
  assert.deepEqual(await acquirer.refund(refundOf('r2', 30_000)), { outcome: 'failure', failure: 'declined' })
  assert.deepEqual(await acquirer.status('r3', 'SHOP1:refund:3', key), { outcome: 'absent' })
  assert.equal(bank.keptPaise, 29_900)
})

test('a minute after its completion a payment says how much was refunded, and before it reads no refunds', async () => {
  const { bank, acquirer, pass } = await paid()
  const { bankReference: reference } = bank.orders.get(id)!.payments[0]!
  const whole = { outcome: 'success', reference, amountPaise: 49_900 }
  await acquirer.refund(refundOf('r1', 20_000))
  assert.deepEqual(await acquirer.status(key), whole)
  assert.equal(bank.recorded.filter(({ method, path }) => method === 'GET' && path.endsWith('/refunds')).length, 0)
  pass(MINUTE)
  assert.deepEqual(await acquirer.status(key), { ...whole, refundedPaise: 20_000 })
  bank.orders.get(id)!.refunds[0]!.status = 'FAILED'
  assert.deepEqual(await acquirer.status(key), whole)
  bank.fail('GET', /\/refunds$/, { when: 'before', status: 404 }, { when: 'before', status: 500 })
  assert.deepEqual(await acquirer.status(key), whole)
  assert.deepEqual(await acquirer.status(key), { outcome: 'unknown' })
})

test('a refused refund is a failure only where it cannot fit: also of a payment that came after the end', async () => {
  const { bank, acquirer } = await connected()
  await acquirer.authorize(payment(key))
  await acquirer.cancel(key)
  bank.settle(id, 'SUCCESS')
  bank.fail('POST', /\/refunds$/, { when: 'before', status: 400 }, { when: 'before', status: 400 })
  assert.deepEqual(await acquirer.refund(refundOf('r1', 49_900)), { outcome: 'unknown' })
  assert.deepEqual(await acquirer.refund(refundOf('r2', 49_901)), { outcome: 'failure', failure: 'declined' })
})

const inDashboard = (amount: number) =>
  ({ cf_refund_id: '88', refund_id: 'refund_of_a_person', amount, status: 'SUCCESS', type: 'MERCHANT_INITIATED' }) as const

test('a payment that came after the end, and that a person refunded in the dashboard, has failed', async () => {
  const { bank, acquirer, lines, pass } = await connected()
  await acquirer.authorize(payment(key))
  await acquirer.cancel(key)
  bank.settle(id, 'SUCCESS')
  pass(90 * 60 * MINUTE)
  const { refunds } = bank.orders.get(id)!
  refunds.push(inDashboard(400))
  assert.deepEqual(await acquirer.status(key), { outcome: 'unknown' })
  assert.deepEqual(lines, [`! ${key}: a part of a payment was refunded, and not by Mohur`])
  refunds.push(inDashboard(99))
  assert.deepEqual(await acquirer.status(key), { outcome: 'failure', failure: 'timedOut' })
})

test('a refund that does not fit because a person made it in the dashboard says so', async () => {
  const { bank, acquirer } = await paid()
  bank.orders.get(id)!.refunds.push(inDashboard(499))
  const givenBack = { reference: '8877', paise: 49_900 }
  assert.deepEqual(await acquirer.refund(refundOf('r1', 49_900)), { outcome: 'failure', failure: 'declined', givenBack })
})

test('a refund counts only what succeeded as taken: a second try that stays open hides no refusal', async () => {
  const { bank, acquirer } = await paid()
  const { payments, refunds } = bank.orders.get(id)!
  payments.push({ ...payments[0]!, cf_payment_id: '5000009999', status: 'PENDING' })
  refunds.push(inDashboard(300))
  const answer = await acquirer.refund(refundOf('r1', 49_900))
  assert.deepEqual(answer, { outcome: 'failure', failure: 'declined', givenBack: { reference: '8877', paise: 30_000 } })
  assert.equal((await acquirer.refund(refundOf('r2', 19_900))).outcome, 'success')
})

test('a refused refund of a paid order is unknown while the list of its payments is empty', async () => {
  const { bank, acquirer } = await paid()
  bank.listsAfterMs = MINUTE
  bank.fail('POST', /\/refunds$/, { when: 'before', status: 400 })
  assert.deepEqual(await acquirer.refund(refundOf('r1', 20_000)), { outcome: 'unknown' })
  bank.orders.get(id)!.status = 'TERMINATED'
  bank.fail('POST', /\/refunds$/, { when: 'before', status: 400 })
  assert.deepEqual(await acquirer.refund(refundOf('r1', 20_000)), { outcome: 'failure', failure: 'declined' })
})

test('a refund of a payment that was never made has failed, and nothing is paid under that key any more', async () => {
  const { bank, acquirer, lines } = await connected()
  assert.deepEqual(await acquirer.refund(refundOf('r1', 20_000)), { outcome: 'failure', failure: 'declined' })
  assert.deepEqual(await acquirer.authorize(payment(key)), { outcome: 'failure', failure: 'timedOut' })
  assert.deepEqual([bank.orders.get(id)!.status, bank.keptPaise, lines], ['TERMINATED', 0, []])
})

test('a refund that meets 404 is unknown while its payment is there, or its key cannot be closed', async () => {
  const { bank, acquirer } = await paid()
  bank.fail('POST', /\/refunds$/, { when: 'before', status: 404 })
  assert.deepEqual(await acquirer.refund(refundOf('r1', 20_000)), { outcome: 'unknown' })
  const empty = await connected()
  empty.bank.fail('POST', /^\/orders$/, { when: 'before', status: 500 })
  assert.deepEqual(await empty.acquirer.refund(refundOf('r1', 20_000)), { outcome: 'unknown' })
  assert.equal(bank.keptPaise, 49_900)
})

test('a one-time password changes nothing: the payment is as it is', async () => {
  const { acquirer } = await paid()
  assert.deepEqual(await acquirer.otp(key), await acquirer.status(key))
  assert.deepEqual(await acquirer.otp('SHOP1:never'), { outcome: 'absent' })
})

test('a refund of another amount under a used key is unknown, and a person has to look', async () => {
  const { acquirer, lines } = await paid()
  await acquirer.refund(refundOf('r1', 20_000))
  assert.deepEqual(await acquirer.refund(refundOf('r1', 10_000)), { outcome: 'unknown' })
  assert.deepEqual(lines, ['! SHOP1:refund:1: the refund is for another amount'])
})

test('five equal refunds of one payment, each answer lost: five', async () => {
  const { bank, acquirer } = await paid()
  bank.fail('POST', /\/refunds$/, ...Array.from({ length: 5 }, () => ({ when: 'after', how: 'break' }) as const))
  const names = ['r1', 'r2', 'r3', 'r4', 'r5']
  for (const name of names) assert.deepEqual(await acquirer.refund(refundOf(name, 5_000)), { outcome: 'unknown' })
  for (const name of names) assert.equal((await acquirer.status(name, name, key)).outcome, 'success')
  assert.deepEqual([bank.orders.get(id)!.refunds.length, bank.keptPaise], [5, 24_900])
  assert.equal(bank.orders.get(id)!.refunds[0]!.refund_id, refundIdOf('r1'))
})

for (const [theirs, ours] of [
  ['PENDING', 'pending'],
  ['ONHOLD', 'pending'],
  ['CANCELLED', 'failure'],
  ['FAILED', 'failure'],
  ['A NEW WORD', 'unknown'],
] as const)
  test(`a refund that is ${theirs} there is ${ours} here`, async () => {
    const { bank, acquirer } = await paid()
    await acquirer.refund(refundOf('r1', 5_000))
    bank.orders.get(id)!.refunds[0]!.status = theirs
    assert.equal((await acquirer.status('r1', 'r1', key)).outcome, ours)
  })

const tooMany = (seconds: string) => ({ when: 'before', status: 429, headers: { 'x-ratelimit-retry': seconds } }) as const

test('after 429 no call of that kind is made until Cashfree takes it again, and other calls are', async () => {
  const { bank, acquirer, lines, pass } = await paid()
  bank.fail('GET', /^\/orders\//, tooMany('20'))
  assert.deepEqual(await acquirer.status(key), { outcome: 'unknown', retryAfterMs: 20_000 })
  const asked = bank.recorded.length
  pass(19_999)
  assert.deepEqual(await acquirer.status(key), { outcome: 'unknown', retryAfterMs: 1 })
  assert.equal(bank.recorded.length, asked)
  assert.deepEqual(lines, [`status ${key}: too many calls a minute; Cashfree asks to wait`])
  assert.equal((await acquirer.refund(refundOf('r1', 20_000))).outcome, 'success')
  assert.equal((await acquirer.status('r1', 'r1', key)).outcome, 'success')
  pass(1)
  assert.equal((await acquirer.status(key)).outcome, 'success')
})

test('a refund that met 429 was not made, says when to send it again, and is then made once', async () => {
  const { bank, acquirer, pass } = await paid()
  bank.fail('POST', /\/refunds$/, tooMany('30'))
  assert.deepEqual(await acquirer.refund(refundOf('r1', 20_000)), { outcome: 'unknown', retryAfterMs: 30_000 })
  const sent = bank.recorded.length
  assert.deepEqual(await acquirer.refund(refundOf('r2', 10_000)), { outcome: 'unknown', retryAfterMs: 30_000 })
  assert.equal(bank.recorded.length, sent)
  assert.equal((await acquirer.status(key)).outcome, 'success')
  pass(30_000)
  for (const name of ['r1', 'r2', 'r1']) assert.equal((await acquirer.refund(refundOf(name, 10_000))).outcome, 'success')
  assert.equal(bank.orders.get(id)!.refunds.length, 2)
})

for (const [header, ms] of [
  ['0', 1_000],
  ['61', 60_000],
  ['soon', 60_000],
] as const)
  test(`a wait of "${header}" seconds is a wait of ${ms} ms`, async () => {
    const { bank, acquirer } = await paid()
    bank.fail('GET', /^\/orders\//, tooMany(header))
    assert.deepEqual(await acquirer.status(key), { outcome: 'unknown', retryAfterMs: ms })
  })

for (const [what, body] of [
  ['a broken amount', { order_amount: 499.005 }],
  ['an amount as a text', { order_amount: '499' }],
  ['an amount beyond numbers', { order_amount: 'BEYOND' }],
  ['another order', { order_id: 'another' }],
  ['no status', { order_status: null }],
  ['a status that is not known', { order_status: 'SETTLED' }],
] as const)
  test(`an order with ${what} is unknown, and one line`, async () => {
    const { bank, acquirer, lines } = await paid()
    const good = bank.orders.get(id)!
    const entity = { ...JSON.parse(JSON.stringify(bank.entity(good))), ...body }
    bank.fail('GET', /^\/orders\/[^/]+$/, { when: 'after', status: 200, body: JSON.stringify(entity).replace('"BEYOND"', '1e400') })
    assert.deepEqual(await acquirer.status(key), { outcome: 'unknown' })
    assert.equal(lines.length, 1)
  })

test('with another secret nothing is made, and nothing is known', async () => {
  const { acquirer } = await connected({ clientSecret: 'wrong' })
  assert.deepEqual(await acquirer.authorize(payment(key)), { outcome: 'failure', failure: 'declined' })
  assert.deepEqual(await acquirer.status(key), { outcome: 'unknown' })
})
