// Direct Bank Request: docs/interface.md section 4.11. The one-time password of a card, typed on the merchant's page; the
// acquirer judges it (routes/paying.ts).

import Type, { type Static } from 'typebox'
import { question } from '../engine/decision.ts'
import * as fields from '../interface/fields.ts'
import { wrongValue } from '../interface/request.ts'
import { directBankRequest as codes } from '../interface/result-codes.ts'
import type { Wire } from '../interface/wire.ts'
import { look, merchantKey } from '../tables.ts'
import { isInFlight, payeeOf } from './transaction.ts'

const head = Type.Object({
  channelId: Type.Optional(fields.channelId),
  requestTimeStamp: Type.Optional(fields.requestTimestamp),
  txnToken: fields.string(),
})
const body = Type.Object({
  mid: fields.mid,
  orderId: fields.orderId,
  requestType: Type.Enum(['submit', 'cancel', 'resend']),
  otp: Type.Optional(Type.String({ pattern: '^[0-9]{4,8}$' })),
})

export const wire: Wire<typeof head, typeof body, (typeof codes)['success']> = {
  query: ['mid', 'orderId'],
  head,
  body,
  faults: {
    missing: () => ({ result: codes.missingElement }),
    wrong: (fault) => wrongValue(fault, { invalidField: codes.invalidField, illegalParameter: codes.invalidField }),
  },
  unreadable: codes.invalidBody,
  missingParam: () => ({ result: codes.missingParam }),
  wrongHead: ({ name }) => ({ result: codes.invalidField, message: `Invalid ${name}` }),
  midMismatch: codes.midMismatch,
  orderIdMismatch: codes.orderIdMismatch,
  systemError: codes.systemError,
  check: ({ requestType, otp }) =>
    requestType === 'submit' && otp === undefined ? [{ result: codes.missingElement, parameter: 'otp' }] : [],
}

export interface DirectBankRequest extends Static<typeof body> {
  txnTokenHash: string
}

/** The transaction that waits for a one-time password. The token may be older than its 15 minutes: it began this payment. */
export const directBankRequest = question({
  name: 'directBankRequest',
  codes,
  async answer({ mid, orderId, txnTokenHash }: DirectBankRequest, query) {
    const order = await query.row(look('orders', mid, orderId))
    if (!order || order.txnTokenHash !== txnTokenHash) return { result: codes.invalidToken }
    const transaction = order.txnId === null ? undefined : await query.row(look('transactions', mid, order.txnId))
    if (!transaction || !isInFlight(transaction) || transaction.next?.kind !== 'otp') return { result: codes.noTransaction }
    const merchant = await query.row(merchantKey(mid))
    return merchant ? { result: codes.success, body: { order, transaction, payee: payeeOf(merchant) } } : { result: codes.invalidToken }
  },
})
