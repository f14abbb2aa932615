// Which payments count among an order's attempts, decided: docs/decisions/0026.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AcquirerAnswer } from '../../../src/domain/transaction/acquirer-answer.ts'
import { ORDINARY, type Paying } from '../../../src/domain/transaction/paying.ts'
import { type ProcessTransaction, processTransaction } from '../../../src/domain/transaction/process-transaction.ts'
import { newTransaction, OF_NO_CYCLE, type Transaction } from '../../../src/domain/transaction/transaction.ts'
import { outcomeOf } from '../../../src/domain/transaction/transaction-outcome.ts'
import type { Row } from '../../../src/tables/tables.ts'

const NOW = 1_000_000
const orderRow = (more: Partial<Row<'orders'>>): Row<'orders'> => ({
  ...{ mid: 'SHOP', orderId: 'O', version: 1, status: 'CREATED', requestType: 'PAYMENT', subscriptionId: null, amountPaise: 100 },
  ...{ modifyCount: 0, unsignedModifyCount: 0, custId: 'C', websiteName: 'W', callbackUrl: null, peonUrl: null, txnTokenHash: 'hash' },
  ...{ txnTokenIssuedAt: 0, expiresAt: NOW, paymentModes: {}, details: { userInfo: {} }, transactionCount: 0, leftCount: 0, txnId: null },
  ...{ payer: null, updatedAt: 0, consentOrderId: null },
  ...more,
})
const CANCELLED: AcquirerAnswer = { outcome: 'failure', failure: 'cancelled' }

function payingBy(of: Partial<Transaction>, counts: { transactionCount: number; leftCount: number }): Paying {
  const order = orderRow({ status: 'IN_PROCESS', txnId: 'T', expiresAt: NOW + 1_000, ...counts })
  const transaction = newTransaction({
    ...{ mid: order.mid, txnId: 'T', orderId: order.orderId, attempt: counts.transactionCount, paymentMode: 'UPI', channel: 'UPIPUSH' },
    ...{ flow: 'NONE', amountPaise: 100, orderVersion: 1, discountPaise: 0, walletPaise: 0, bankPaise: 100, promocode: null },
    ...{ instrument: {}, payer: null, initiatedAt: 0, ...OF_NO_CYCLE },
  })
  const merchant = { mid: order.mid, notificationUrls: {}, callbackFields: 'all' } as unknown as Row<'merchants'>
  const streams = { merchantStream: undefined, peonStream: undefined, everybody: undefined, ofCustomer: undefined }
  const others = { customer: undefined, redemption: undefined, savedCard: undefined }
  return { order, transaction: { ...transaction, ...of }, merchant, ...others, ...streams, rules: ORDINARY, firstAskedAt: 0 }
}
const leftOf = (of: Partial<Transaction>, answer: AcquirerAnswer = CANCELLED, counts = { transactionCount: 5, leftCount: 0 }) => {
  const { order, transaction } = outcomeOf(payingBy(of, counts), answer, NOW)
  return `${order.status} ${order.leftCount} ${transaction.isLeft}`
}

test('a code that was called back frees its order and counts apart; a request, a card, and any other end count as attempts', () => {
  assert.equal(leftOf({}), 'CREATED 1 true')
  assert.equal(leftOf({ channel: 'UPIPUSHEXPRESS' }), 'CREATED 1 true')
  assert.equal(leftOf({ channel: 'UPI', instrument: { vpa: 'payer@upi' } }), 'CLOSED 0 false')
  assert.equal(leftOf({ paymentMode: 'CREDIT_CARD', channel: 'VISA' }), 'CLOSED 0 false')
  assert.equal(leftOf({ paymentMode: 'NET_BANKING', channel: 'HDFC' }), 'CLOSED 0 false')
  for (const failure of ['declined', 'timedOut', 'insufficientFunds'] as const)
    assert.equal(leftOf({}, { outcome: 'failure', failure }), 'CLOSED 0 false', failure)
})

test('the tenth code is left for nothing, and beyond it a code counts as an attempt', () => {
  assert.equal(leftOf({}, CANCELLED, { transactionCount: 14, leftCount: 9 }), 'CREATED 10 true')
  assert.equal(leftOf({}, CANCELLED, { transactionCount: 15, leftCount: 10 }), 'CLOSED 10 false')
})

test('a code that its bank still waits for, or that was paid, was not left', () => {
  assert.equal(leftOf({}, { outcome: 'pending', next: null }), 'IN_PROCESS 0 false')
  assert.equal(leftOf({}, { outcome: 'unknown' }), 'IN_PROCESS 0 false')
})

test('after ten codes that were left another is refused with 372, and a request to a UPI id is not', () => {
  const order = orderRow({ status: 'CREATED', transactionCount: 10, leftCount: 10, txnTokenIssuedAt: NOW, expiresAt: NOW + 1_000 })
  const refused = (paymentMode: 'UPI' | 'UPI_INTENT' | 'BALANCE', instrument: Transaction['instrument'] = {}, leftCount = 10) => {
    const request = { mid: order.mid, orderId: order.orderId, paymentMode } as ProcessTransaction['request']
    const command = { request, by: { txnTokenHash: order.txnTokenHash }, instrument, promocode: undefined, now: NOW }
    const merchant = { status: 'ACTIVE', paymentModes: [] }
    const { reply } = processTransaction.decide(command as never, { order: { ...order, leftCount }, merchant } as never)
    return reply.result.code
  }
  assert.equal(refused('UPI_INTENT'), '372')
  assert.equal(refused('UPI'), '372')
  // The merchant of this test takes nothing: what is not refused for its codes is refused for its mode.
  assert.equal(refused('UPI', { vpa: 'payer@upi' }), '1001')
  assert.equal(refused('BALANCE'), '1001')
  assert.equal(refused('UPI_INTENT', {}, 9), '1001')
})
