// Transaction Status: docs/interface.md section 4.42. Shows an order's latest attempt to a holder of the order's token. It reads Mohur's
// rows only and never asks the bank.

import Type, { type Static } from 'typebox'
import { question } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import { transactionStatus as codes } from '../../interface/result-codes.ts'
import type { Wire } from '../../interface/wire.ts'
import { merchantKey, transactionsOfOrder } from '../../tables/keys.ts'
import { look } from '../../tables/tables.ts'
import { latestOf, payeeOf } from './transaction.ts'

const head = Type.Object({
  clientId: Type.Optional(fields.name),
  requestTimeStamp: Type.Optional(fields.requestTimestamp),
  channelId: Type.Optional(fields.channelId),
  tokenType: Type.Enum(['TXN_TOKEN']),
  token: fields.string(),
})
const body = Type.Object({ mid: fields.mid, orderId: fields.orderId })

export const wire: Wire<typeof head, typeof body, (typeof codes)['success']> = {
  query: [],
  head,
  body,
  faults: {
    missing: () => ({ result: codes.missingElement }),
    wrong: (fault) =>
      fault.path === 'mid' ? { result: codes.invalidMid } : { result: codes.invalidField, message: `Invalid ${fault.name}` },
  },
  unreadable: codes.invalidBody,
  missingParam: () => ({ result: codes.missingParam }),
  wrongHead: ({ name }) => ({ result: codes.invalidField, message: `Invalid ${name}` }),
  midMismatch: codes.midMismatch,
  orderIdMismatch: codes.orderIdMismatch,
  systemError: codes.systemError,
}

export interface TransactionStatusQuestion {
  request: Static<typeof body>
  txnTokenHash: string
}

/** The token may be older than its 15 minutes. A page that waits for the end of a payment began the payment with this token. */
export const transactionStatus = question({
  name: 'transactionStatus',
  codes,
  async answer({ request: { mid, orderId }, txnTokenHash }: TransactionStatusQuestion, query) {
    const merchant = await query.row(merchantKey(mid))
    if (!merchant) return { result: codes.invalidMid, parameter: 'mid', cause: 'unknownMid' }
    const order = await query.row(look('orders', mid, orderId))
    if (!order || order.txnTokenHash !== txnTokenHash) return { result: codes.sessionExpired }
    const attempts = await query.rows(transactionsOfOrder(mid, orderId))
    const transaction = latestOf(order, attempts)
    return { result: codes.success, body: { order, transaction, payee: payeeOf(merchant) } }
  },
})
