// Wrong input that Cashfree, a stranger or a shop may send, each with the expected result.
// test/slow/adapters/acquirer/cashfree/bad-input.test.ts sends each to a served process.

import { orderIdOf } from '../../../src/adapters/acquirer/cashfree/ids.ts'
import type { CashfreeSimulator, Fault } from './simulator.ts'

type Entity = Record<string, unknown>
type Alter = (entity: Entity) => void

/** The answer that a call gets instead. `raw` replaces text in the JSON, because JSON has numbers that JavaScript lacks. */
export type Wrong = Fault | { alter: Alter; raw?: readonly [from: string, to: string] }

/** The result that a shop reads, and how many log lines name the payment. */
export interface Expected {
  result: 'PENDING' | 'TXN_FAILURE'
  lines: 0 | 1
}

const BEYOND = '"BEYOND"'
const LARGER = 64 * 1024 + 1
const html: Fault = { when: 'before', status: 200, body: '<html><h1>OK</h1></html>', type: 'text/html' }
const halfJson: Fault = { when: 'before', status: 200, body: '{"order_id":"m' }
const cut: Fault = { when: 'after', how: 'half' }
const large: Fault = { when: 'before', status: 200, body: JSON.stringify({ order_id: 'x'.repeat(LARGER) }) }
const status = (code: number): Fault => ({ when: 'before', status: code, headers: { 'x-ratelimit-retry': '0' } })

const amounts = (member: string): [string, Wrong][] => [
  [`${member} 10.005`, { alter: (entity) => Object.assign(entity, { [member]: 10.005 }) }],
  [`${member} "10"`, { alter: (entity) => Object.assign(entity, { [member]: '10' }) }],
  [`${member} 1e400`, { alter: (entity) => Object.assign(entity, { [member]: 'BEYOND' }), raw: [BEYOND, '1e400'] }],
  [`${member} negative`, { alter: (entity) => Object.assign(entity, { [member]: -100 }) }],
  [`${member} missing`, { alter: (entity) => delete entity[member] }],
]

/** Answers that no call may have. */
const unreadable: [string, Wrong][] = [
  ['a page', html],
  ['half a body', halfJson],
  ['a connection that ends in the middle', cut],
  ['more than 64 KiB', large],
  ['status 500', status(500)],
  ['status 502', status(502)],
]
const refused = [400, 401, 422, 429].map((code): [string, Wrong] => [`status ${code}`, status(code)])
const OF_ANOTHER_ORDER: [string, Wrong] = [
  'of another order_id',
  { alter: (entity) => Object.assign(entity, { order_id: orderIdOf('SHOP1:another') }) },
]
const READ_REFUSED = refused.filter(([name]) => /40[01]|429/.test(name))

/** A paid order whose status query gets a wrong answer. The payment stays pending, and succeeds once the answer is right again. */
export const ORDER_ANSWERS: [string, Wrong][] = [
  ...amounts('order_amount'),
  ...unreadable,
  ...READ_REFUSED,
  OF_ANOTHER_ORDER,
  ['an unknown status', { alter: (entity) => Object.assign(entity, { order_status: 'SETTLED' }) }],
  ['no status', { alter: (entity) => Object.assign(entity, { order_status: null }) }],
  ['another currency', { alter: (entity) => Object.assign(entity, { order_currency: 'USD' }) }],
]

export const PAYMENT_ANSWERS: [string, Wrong][] = [
  ...amounts('payment_amount'),
  ...unreadable,
  ...READ_REFUSED,
  OF_ANOTHER_ORDER,
  ['an unknown status', { alter: (entity) => Object.assign(entity, { payment_status: 'SETTLING' }) }],
  ['VOID', { alter: (entity) => Object.assign(entity, { payment_status: 'VOID' }) }],
  ['another amount of both', { alter: (entity) => Object.assign(entity, { payment_amount: 101, order_amount: 101 }) }],
  ['another currency', { alter: (entity) => Object.assign(entity, { payment_currency: 'USD' }) }],
]

const failure: Expected = { result: 'TXN_FAILURE', lines: 1 }
const pending: Expected = { result: 'PENDING', lines: 1 }
const each = (rows: readonly [string, Wrong][], expected: Expected) => rows.map(([name, wrong]) => [name, wrong, expected] as const)

export const CREATE_ANSWERS = [
  ...each([...amounts('order_amount'), ...unreadable, OF_ANOTHER_ORDER], pending),
  ...each([['without a session', { alter: (entity) => delete entity['payment_session_id'] }]], pending),
  ...each(refused, failure),
]

const link = (address: string): Fault => ({
  when: 'before',
  status: 200,
  body: JSON.stringify({ data: { url: null, method: null, payload: { default: address } } }),
})
export const PAY_ANSWERS = [
  ...each(unreadable, pending),
  ...each(refused, failure),
  ...each(
    [
      ['a link of script', link('javascript:alert(1)')],
      ['a link to a page without TLS', link('http://cashfree.example/pay')],
      ['a link that is too long', link(`upi://pay?tn=${'x'.repeat(5_000)}`)],
      ['no link', { when: 'before', status: 200, body: '{"data":{"url":null,"method":null,"payload":null}}' }],
    ],
    pending,
  ),
]

/** Answers to a refund. The merchant's refund stays pending. */
export const REFUND_ANSWERS: [string, Wrong][] = [
  ...amounts('refund_amount'),
  ...unreadable,
  ...refused,
  ['of another refund_id', { alter: (entity) => Object.assign(entity, { refund_id: 'f'.repeat(40) }) }],
  ['of another order_id', OF_ANOTHER_ORDER[1]],
  ['an unknown status', { alter: (entity) => Object.assign(entity, { refund_status: 'SOON' }) }],
]

/** Makes a row's fault from the simulator's answer at this moment. */
export function faultOf(wrong: Wrong, truth: unknown): Fault {
  if (!('alter' in wrong)) return wrong
  const text = structuredClone(truth)
  for (const entity of Array.isArray(text) ? text : [text]) wrong.alter(entity as Entity)
  const body = JSON.stringify(text)
  return { when: 'before', status: 200, body: wrong.raw ? body.replaceAll(...wrong.raw) : body }
}

type Webhook = ReturnType<CashfreeSimulator['webhook']>
const headed = (webhook: Webhook, headers: Record<string, string>): Webhook => ({ ...webhook, headers: { ...webhook.headers, ...headers } })

/** Webhooks of a paid order. None of them may cause a query about it. */
export const WEBHOOKS: readonly [name: string, status: number, webhook: (bank: CashfreeSimulator, id: string) => Webhook][] = [
  ['unsigned', 401, (bank, id) => headed(bank.webhook(id), { 'x-webhook-signature': '' })],
  ['altered', 401, (bank, id) => ({ ...bank.webhook(id), body: bank.webhook(id).body.replace('"SUCCESS"', '"FAILED"') })],
  ['stale', 401, (bank, id) => bank.webhook(id, { at: Date.now() - 301_000 })],
  ['early', 401, (bank, id) => bank.webhook(id, { at: Date.now() + 360_000 })],
  ['of another account', 401, (bank, id) => bank.webhook(id, { secret: 'cfsk_ma_test_of_another_account' })],
  ['with a time that is no number', 401, (bank, id) => headed(bank.webhook(id), { 'x-webhook-timestamp': 'now' })],
  ['oversized', 413, (bank, id) => ({ ...bank.webhook(id), body: 'x'.repeat(LARGER) })],
  ['with the tag of another order', 200, (bank, id) => bank.webhook(id, { tags: { key: 'DEMO0000000000000001:1' } })],
  ['without a tag', 200, (bank, id) => bank.webhook(id, { tags: {} })],
]
