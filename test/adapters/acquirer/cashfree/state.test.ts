// docs/acquirer-cashfree.md, "States": each row of the table, and the higher row where two fit.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paiseOf, rupeesOf } from '../../../../src/adapters/acquirer/cashfree/amounts.ts'
import type { CashfreeOrder, CashfreePayment, CashfreeRefund } from '../../../../src/adapters/acquirer/cashfree/entities.ts'
import { type CashfreeState, stateOf } from '../../../../src/adapters/acquirer/cashfree/state.ts'
import { Random } from '../../../support/text/random.ts'

const NOW = Date.parse('2026-06-15T10:00:00+05:30')
const MINUTE = 60_000
const HOUR = 60 * MINUTE

const order = (status: string, more: Partial<CashfreeOrder> = {}): CashfreeOrder => ({
  status,
  amountPaise: 49_900,
  createdAt: NOW - 5 * MINUTE,
  expiresAt: NOW + 25 * MINUTE,
  isAbsent: false,
  session: 'session',
  ...more,
})
const payment = (status: string, more: Partial<CashfreePayment> = {}): CashfreePayment => ({
  id: '5000000001',
  status,
  isCaptured: true,
  amountPaise: 49_900,
  reference: '512345678901',
  completedAt: NOW - MINUTE,
  ...more,
})
const refund = (status: string, more: Partial<CashfreeRefund> = {}): CashfreeRefund => ({
  status,
  isOwn: false,
  amountPaise: 49_900,
  reference: '77',
  ...more,
})

const success: CashfreeState = { answer: { outcome: 'success', reference: '512345678901', amountPaise: 49_900 } }
const pending: CashfreeState = { answer: { outcome: 'pending' } }
const failure = (of: 'declined' | 'cancelled' | 'timedOut'): CashfreeState => ({ answer: { outcome: 'failure', failure: of } })
const refundedOf = (refundedPaise: number): CashfreeState => ({
  answer: { outcome: 'success', reference: '512345678901', amountPaise: 49_900, refundedPaise },
})
const ASKS_REFUNDS: CashfreeState = { ask: 'refunds' }
const TERMINATES: CashfreeState = { ask: 'terminate' }
const unknown = (state: CashfreeState) => 'answer' in state && state.answer.outcome === 'unknown' && (state.conflict ?? 'no line')

const rows: readonly [
  name: string,
  order: CashfreeOrder,
  payments: CashfreePayment[],
  refunds: CashfreeRefund[] | undefined,
  state: CashfreeState,
][] = [
  ['a paid order with one success is a success', order('PAID'), [payment('FAILED'), payment('SUCCESS')], [], success],
  ['a success that is not captured waits', order('PAID'), [payment('SUCCESS', { isCaptured: false })], undefined, pending],
  [
    'a success of less than a minute needs no refunds',
    order('PAID'),
    [payment('SUCCESS', { completedAt: NOW - MINUTE + 1 })],
    undefined,
    success,
  ],
  ['an older success asks for its refunds', order('PAID'), [payment('SUCCESS', { completedAt: NOW - MINUTE })], undefined, ASKS_REFUNDS],
  ['so does one without a time', order('PAID'), [payment('SUCCESS', { completedAt: undefined })], undefined, ASKS_REFUNDS],
  ['a success without refunds is whole', order('PAID'), [payment('SUCCESS')], [refund('FAILED'), refund('CANCELLED')], success],
  [
    'a success says how much of it was refunded, refunds on their way included',
    order('PAID'),
    [payment('SUCCESS')],
    [refund('SUCCESS', { amountPaise: 10_000, isOwn: true }), refund('PENDING', { amountPaise: 5_000 })],
    refundedOf(15_000),
  ],
  [
    'no more than the payment counts as refunded',
    order('PAID'),
    [payment('SUCCESS')],
    [refund('SUCCESS', { amountPaise: 50_900 })],
    refundedOf(49_900),
  ],
  ['a success of an order that is not paid asks for its refunds', order('ACTIVE'), [payment('SUCCESS')], undefined, ASKS_REFUNDS],
  ['a success after the end waits while nothing was given back', order('TERMINATED'), [payment('SUCCESS')], [], pending],
  [
    'a success that Cashfree has given back whole has failed',
    order('EXPIRED'),
    [payment('SUCCESS')],
    [refund('SUCCESS')],
    failure('timedOut'),
  ],
  [
    'so has one that was given back with the fee on top',
    order('EXPIRED'),
    [payment('SUCCESS', { completedAt: NOW - 90 * HOUR })],
    [refund('SUCCESS', { amountPaise: 50_900 })],
    failure('timedOut'),
  ],
  [
    'so has one that was given back in two parts',
    order('EXPIRED'),
    [payment('SUCCESS')],
    [refund('SUCCESS', { amountPaise: 40_000 }), refund('SUCCESS', { amountPaise: 9_900 })],
    failure('timedOut'),
  ],
  [
    'a part that was given back waits for the rest that is on its way',
    order('EXPIRED'),
    [payment('SUCCESS', { completedAt: NOW - 90 * HOUR })],
    [refund('SUCCESS', { amountPaise: 40_000 }), refund('ONHOLD', { amountPaise: 9_900 })],
    pending,
  ],
  [
    'an automatic refund that failed is none',
    order('EXPIRED'),
    [payment('SUCCESS', { completedAt: NOW - 90 * HOUR })],
    [refund('FAILED')],
    success,
  ],
  [
    'a late success that Mohur itself has refunded says so',
    order('TERMINATED'),
    [payment('SUCCESS', { completedAt: NOW - 84 * HOUR })],
    [refund('SUCCESS', { isOwn: true })],
    refundedOf(49_900),
  ],
  ["a refund of ours is no other's", order('TERMINATED'), [payment('SUCCESS')], [refund('SUCCESS', { isOwn: true })], pending],
  [
    'a success after the end waits until the payment was given up for certain',
    order('TERMINATED'),
    [payment('SUCCESS', { completedAt: NOW - 84 * HOUR + 1 })],
    [],
    pending,
  ],
  [
    'after 84 hours a success stands, so that it is given back',
    order('TERMINATED'),
    [payment('SUCCESS', { completedAt: NOW - 84 * HOUR })],
    [],
    success,
  ],
  [
    'without a time of completion a success waits from the expiry of its order',
    order('TERMINATED', { expiresAt: NOW - 84 * HOUR + 1 }),
    [payment('SUCCESS', { completedAt: undefined })],
    [],
    pending,
  ],
  [
    'and it stands 84 hours after that expiry',
    order('TERMINATED', { expiresAt: NOW - 84 * HOUR }),
    [payment('SUCCESS', { completedAt: undefined })],
    [],
    success,
  ],
  [
    'while Cashfree is giving it back nobody else does',
    order('TERMINATED'),
    [payment('SUCCESS', { completedAt: NOW - 90 * HOUR })],
    [refund('PENDING')],
    pending,
  ],
  [
    'a payment under way waits, whatever the order says',
    order('EXPIRED', { expiresAt: NOW - HOUR }),
    [payment('PENDING')],
    undefined,
    pending,
  ],
  ['a young order without payments waits', order('ACTIVE', { createdAt: NOW - 2 * MINUTE + 1 }), [], undefined, pending],
  ['an order of two minutes without payments is ended', order('ACTIVE', { createdAt: NOW - 2 * MINUTE }), [], undefined, TERMINATES],
  ['an order whose payer is choosing waits', order('ACTIVE'), [payment('NOT_ATTEMPTED')], undefined, pending],
  ['an order whose payments all failed is ended', order('ACTIVE'), [payment('FAILED'), payment('USER_DROPPED')], undefined, TERMINATES],
  ['a young order whose payment failed is ended', order('ACTIVE', { createdAt: NOW }), [payment('CANCELLED')], undefined, TERMINATES],
  ['an order that is being ended waits', order('TERMINATION_REQUESTED'), [], undefined, pending],
  ['an ended order without payments was cancelled', order('TERMINATED'), [], undefined, failure('cancelled')],
  ['an ended order whose payment failed was declined', order('TERMINATED'), [payment('FAILED')], undefined, failure('declined')],
  ['an expired order waits for half an hour', order('EXPIRED', { expiresAt: NOW - 30 * MINUTE + 1 }), [], undefined, pending],
  ['then it has timed out', order('EXPIRED', { expiresAt: NOW - 30 * MINUTE }), [], undefined, failure('timedOut')],
]

for (const [name, of, payments, refunds, expected] of rows)
  test(name, () => {
    assert.deepEqual(stateOf(of, payments, refunds, NOW), expected)
  })

const conflicts: readonly [name: string, order: CashfreeOrder, payments: CashfreePayment[], refunds?: CashfreeRefund[]][] = [
  ['two successes', order('PAID'), [payment('SUCCESS'), payment('SUCCESS')]],
  ['a word of an order that nobody knows', order('SETTLED'), []],
  ['a word of a payment that nobody knows', order('PAID'), [payment('SUCCESS'), payment('VOID')]],
  ['an order in another currency', order('PAID', { amountPaise: undefined }), [payment('SUCCESS')]],
  ['a success of another amount', order('PAID'), [payment('SUCCESS', { amountPaise: 49_901 })]],
  ['an automatic refund of a part', order('EXPIRED'), [payment('SUCCESS')], [refund('SUCCESS', { amountPaise: 40_000 })]],
  ['one of a part and one that failed', order('EXPIRED'), [payment('SUCCESS')], [refund('SUCCESS', { amountPaise: 1 }), refund('FAILED')]],
  ['a refund of a paid order in another currency', order('PAID'), [payment('SUCCESS')], [refund('SUCCESS', { amountPaise: undefined })]],
  ['an automatic refund in another currency', order('EXPIRED'), [payment('SUCCESS')], [refund('SUCCESS', { amountPaise: undefined })]],
]
for (const [name, of, payments, refunds = []] of conflicts)
  test(`${name}: unknown, and a person has to look`, () => {
    const said = unknown(stateOf(of, payments, refunds, NOW))
    assert.equal(typeof said, 'string')
    assert.notEqual(said, 'no line')
  })

test('a paid order whose payment is not in the list yet is unknown, and no contradiction', () => {
  assert.equal(unknown(stateOf(order('PAID'), [], undefined, NOW)), 'no line')
})

const SEED = 20260615
const DRAWN = 10_000
test(`every amount from ₹1 to ₹10,000 and ${DRAWN} drawn up to 10^12 paise come back as they went (seed ${SEED})`, () => {
  const random = new Random(SEED)
  const drawn = Array.from({ length: DRAWN }, () => Math.floor(random.fraction() * 1e12))
  const all = [...Array.from({ length: 1_000_000 - 99 }, (_, at) => at + 100), ...drawn]
  const changed = all.filter((paise) => paiseOf(JSON.parse(JSON.stringify(rupeesOf(paise)))) !== paise)
  assert.deepEqual(changed, [])
})

test('a value that is no amount of whole paise is no amount', () => {
  for (const value of [10.005, '10', Number.POSITIVE_INFINITY, Number.NaN, -1, null, undefined, 1e300, 0.001])
    assert.equal(paiseOf(value), undefined, String(value))
})
