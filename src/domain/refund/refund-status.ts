// Refund Status: docs/interface.md section 4.15. It only reads, so the engine answers it outside the batches.

import Type, { type Static } from 'typebox'
import { question } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import { toRupees } from '../../interface/money.ts'
import * as replied from '../../interface/replied.ts'
import type { FaultCodes } from '../../interface/request.ts'
import { refundStatus as codes } from '../../interface/result-codes.ts'
import type { Signed, Wire } from '../../interface/wire.ts'
import { look } from '../../tables/tables.ts'
import { type Transaction, txnDate } from '../transaction/transaction.ts'
import { type Refund, refundContentOf, refundResultOf } from './refund.ts'

/** The refIds of Apply Refund, and those of Mohur's own refunds, which have a colon. */
const KNOWN_REF_ID_PATTERN = '^[A-Za-z0-9@._:-]{1,50}$'

const head = Type.Object({
  clientId: Type.Optional(fields.name),
  channelId: Type.Optional(fields.string()),
  requestTimeStamp: Type.Optional(fields.requestTimestamp),
  signature: Type.Optional(Type.Unknown()),
})
const body = Type.Object({
  mid: fields.mid,
  orderId: fields.orderId,
  refId: Type.String({ pattern: KNOWN_REF_ID_PATTERN }),
  /** Accepted and unused: this operation waits for nothing. */
  readTimeOut: Type.Optional(Type.Unknown()),
})

const faults: FaultCodes<(typeof codes)['success']> = {
  missing: () => ({ result: codes.invalidRequest }),
  wrong: () => ({ result: codes.invalidRequest }),
}

export const wire: Wire<typeof head, typeof body, (typeof codes)['success']> = {
  query: [],
  head,
  body,
  faults,
  unreadable: codes.invalidRequest,
  missingParam: () => ({ result: codes.invalidRequest }),
  systemError: codes.systemError,
}

const part = Type.Object({
  payMethod: replied.text,
  refundAmount: replied.rupees,
  refundType: Type.Enum(['TO_SOURCE']),
  rrn: Type.Optional(replied.text),
})
/** The members of both replies: docs/interface.md sections 4.15 and 4.17. */
export const refundReply = Type.Object({
  mid: fields.mid,
  orderId: fields.orderId,
  txnId: replied.id,
  refId: Type.String({ pattern: KNOWN_REF_ID_PATTERN }),
  refundId: replied.id,
  txnAmount: replied.rupees,
  refundAmount: replied.rupees,
  totalRefundAmount: replied.rupees,
  paymentMode: replied.text,
  txnTimestamp: replied.txnDate,
  merchantRefundRequestTimestamp: replied.txnDate,
  acceptRefundTimestamp: replied.txnDate,
  userCreditInitiateTimestamp: Type.Optional(replied.txnDate),
  acceptRefundStatus: Type.Enum(['SUCCESS']),
  userCreditInitiateStatus: Type.Enum(['PENDING', 'SUCCESS', 'FAILURE']),
  refundType: Type.Enum(['TO_SOURCE']),
  refundDetailInfoList: Type.Array(part),
})
export const reply = Type.Object({ ...refundReply.properties, bankTxnId: replied.text, gatewayName: replied.text })

export interface RefundStatus {
  request: Static<typeof body>
  caller: Signed
}

export const refundStatus = question({
  name: 'refundStatus',
  codes,
  async answer({ request: { mid, orderId, refId }, caller }: RefundStatus, query) {
    // Only a known merchant has a key, so this refuses an unknown merchant too.
    if (caller.signature !== 'valid') return { result: codes.invalidChecksum }
    const refund = await query.row(look('refunds', mid, refId))
    if (refund?.orderId !== orderId) return { result: codes.noRecord }
    const order = (await query.row(look('orders', mid, orderId)))!
    const transaction = (await query.row(look('transactions', mid, refund.txnId)))!
    const { bankTxnId, txnAmount, refundAmount, totalRefundAmount, paymentMode, gatewayName, txnTimestamp } = refundContentOf(
      order,
      transaction,
      refund,
    )
    return {
      result: refundResultOf(refund),
      body: {
        ...{ mid, orderId, txnId: refund.txnId, bankTxnId, refId, refundId: refund.refundId },
        ...{ txnAmount, refundAmount, totalRefundAmount, paymentMode, gatewayName, txnTimestamp },
        ...stepsOf(refund),
        refundType: REFUND_TYPE,
        refundDetailInfoList: partsOf(refund, transaction),
      },
    }
  },
})

export const REFUND_TYPE = 'TO_SOURCE' // money goes back where it came from: docs/interface.md section 4.15

/** `acceptRefund…` is the service's step. `userCredit…` is the step of the bank or the wallet. */
export const stepsOf = ({ status, requestedAt, updatedAt }: Refund) => ({
  merchantRefundRequestTimestamp: txnDate(requestedAt),
  acceptRefundTimestamp: txnDate(requestedAt),
  acceptRefundStatus: 'SUCCESS',
  userCreditInitiateStatus: status,
  ...(status === 'SUCCESS' && { userCreditInitiateTimestamp: txnDate(updatedAt) }),
})

export function partsOf({ bankPaise, walletPaise, bankTxnId }: Refund, { paymentMode }: Transaction) {
  const part = (payMethod: string, paise: number, more: object = {}) =>
    paise > 0 ? [{ payMethod, refundAmount: toRupees(paise), refundType: REFUND_TYPE, ...more }] : []
  return [...part(paymentMode, bankPaise, bankTxnId === null ? {} : { rrn: bankTxnId }), ...part('BALANCE', walletPaise)]
}
