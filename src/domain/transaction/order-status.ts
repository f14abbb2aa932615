// Order Status: docs/interface.md section 4.12. Shows the payment that paid the order, else the latest attempt.

import Type, { type Static } from 'typebox'
import { question } from '../../engine/decision.ts'
import { definedMembers } from '../../interface/defined-members.ts'
import * as fields from '../../interface/fields.ts'
import { toRupees } from '../../interface/money.ts'
import * as replied from '../../interface/replied.ts'
import type { FaultCodes } from '../../interface/request.ts'
import { orderStatus as codes } from '../../interface/result-codes.ts'
import type { Signed, Wire } from '../../interface/wire.ts'
import { merchantKey, transactionsOfOrder } from '../../tables/keys.ts'
import { look, type Row } from '../../tables/tables.ts'
import { contentOf, latestOf, resultOf } from './transaction.ts'

const head = Type.Object({
  clientId: Type.Optional(fields.name),
  signature: Type.Optional(Type.Unknown()),
})
const body = Type.Object({
  mid: fields.mid,
  orderId: fields.orderId,
  /** Accepted and not used: an order has one payment, and it is a sale. */
  txnType: Type.Optional(Type.Unknown()),
})

const faults: FaultCodes<(typeof codes)['success']> = {
  missing: ({ name }) => ({ result: name === 'mid' ? codes.invalidMid : codes.invalidOrderId }),
  // An impossible clientId names no key.
  wrong: ({ name }) => ({ result: name === 'mid' ? codes.invalidMid : name === 'orderId' ? codes.invalidOrderId : codes.invalidChecksum }),
}

export const wire: Wire<typeof head, typeof body, (typeof codes)['success']> = {
  query: [],
  head,
  body,
  faults,
  unreadable: codes.invalidBody,
  missingParam: () => ({ result: codes.invalidChecksum }),
  systemError: codes.systemError,
}

const child = Type.Object({
  txnId: replied.id,
  paymentMode: replied.text,
  txnAmount: replied.rupees,
  gateway: replied.text,
  bankTxnId: replied.text,
  bankName: Type.Optional(replied.text),
  status: Type.Enum(['TXN_SUCCESS', 'TXN_FAILURE', 'PENDING']),
  maskedCardNo: Type.Optional(replied.text),
})
export const replyWithoutAttempt = Type.Object({ mid: fields.mid, orderId: fields.orderId })
export const reply = Type.Object({
  txnId: replied.id,
  bankTxnId: replied.text,
  orderId: fields.orderId,
  mid: fields.mid,
  txnAmount: replied.rupees,
  txnType: Type.Enum(['SALE']),
  gatewayName: replied.text,
  bankName: Type.Optional(replied.text),
  paymentMode: replied.text,
  refundAmt: replied.rupees,
  txnDate: replied.txnDate,
  subsId: Type.Optional(replied.id),
  merchantUniqueReference: Type.Optional(replied.text),
  udf1: Type.Optional(replied.text),
  udf2: Type.Optional(replied.text),
  udf3: Type.Optional(replied.text),
  comments: Type.Optional(replied.text),
  vpa: Type.Optional(replied.text),
  maskedCardNo: Type.Optional(replied.text),
  cardScheme: Type.Optional(replied.text),
  payableAmount: replied.rupees,
  currentTxnCount: Type.String({ pattern: '^[1-9][0-9]*$' }),
  childTransaction: Type.Optional(Type.Array(child)),
})

export interface OrderStatusQuestion {
  request: Static<typeof body>
  caller: Signed
}

export const orderStatus = question({
  name: 'orderStatus',
  codes,
  async answer({ request: { mid, orderId }, caller }: OrderStatusQuestion, query) {
    const merchant = await query.row(merchantKey(mid))
    if (!merchant) return { result: codes.invalidMid, cause: 'unknownMid' }
    if (caller.signature !== 'valid') return { result: codes.invalidChecksum }
    const order = await query.row(look('orders', mid, orderId))
    if (!order) return { result: codes.invalidOrderId, cause: 'unknownOrder' }
    const attempts = await query.rows(transactionsOfOrder(mid, orderId))
    const transaction = latestOf(order, attempts)
    if (!transaction) return { result: codes.noTransaction, body: { mid, orderId } }
    return { result: resultOf(transaction), body: detailsOf(order, transaction, attempts) }
  },
})

function detailsOf(order: Row<'orders'>, transaction: Row<'transactions'>, attempts: readonly Row<'transactions'>[]) {
  const { txnId, bankTxnId, txnAmount, paymentMode, gatewayName, bankName, txnDate, subscriptionId, ...more } = contentOf(
    order,
    transaction,
  )
  const { mercUnqRef, udf1, udf2, udf3, comments, vpa, maskedCardNo, cardScheme } = more
  const details = {
    txnId,
    bankTxnId,
    orderId: order.orderId,
    mid: order.mid,
    txnAmount,
    txnType: 'SALE',
    gatewayName,
    bankName,
    paymentMode,
    refundAmt: toRupees(transaction.refundedPaise),
    txnDate,
    subsId: subscriptionId,
    merchantUniqueReference: mercUnqRef,
    udf1,
    udf2,
    udf3,
    comments,
    vpa,
    maskedCardNo,
    cardScheme,
    payableAmount: toRupees(order.amountPaise),
    currentTxnCount: String(attempts.length),
    ...(attempts.length > 1 && { childTransaction: attempts.map((attempt) => childOf(order, attempt)) }),
  }
  return definedMembers(details)
}

function childOf(order: Row<'orders'>, attempt: Row<'transactions'>) {
  const { txnId, paymentMode, txnAmount, gatewayName, bankTxnId, bankName, maskedCardNo, status } = contentOf(order, attempt)
  return {
    txnId,
    paymentMode,
    txnAmount,
    gateway: gatewayName,
    bankTxnId,
    ...(bankName && { bankName }),
    status,
    ...(maskedCardNo && { maskedCardNo }),
  }
}
