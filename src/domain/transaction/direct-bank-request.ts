// Direct Bank Request: docs/interface.md section 4.11. The payer types a card's one-time password on the merchant's page. The acquirer
// judges it (api/transaction/direct-bank-request.ts), and this operation applies the acquirer's answer.

import Type from 'typebox'
import { operation, question, refuse, refuseWith } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import { type Refusal, wrongValue } from '../../interface/request.ts'
import { directBankRequest as codes } from '../../interface/result-codes.ts'
import type { Wire } from '../../interface/wire.ts'
import { merchantKey } from '../../tables/keys.ts'
import { look } from '../../tables/tables.ts'
import { notifyOfMoves } from '../subscription/mandate-notifications.ts'
import type { AcquirerAnswer } from './acquirer-answer.ts'
import { type ApplyTransactionResult, type ResultState, rows, takenOver } from './apply-transaction-result.ts'
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
    requestType === 'submit' && otp === undefined ? [{ result: codes.missingElement, parameter: 'otp', cause: 'needed' }] : [],
}

type Refused = Refusal<(typeof codes)['success']>

/** The token may be older than its 15 minutes, because this payment began with the token. */
export const waitingForOtp = question({
  name: 'waitingForOtp',
  codes,
  async answer({ mid, orderId, txnTokenHash }: { mid: string; orderId: string; txnTokenHash: string }, query) {
    const order = await query.row(look('orders', mid, orderId))
    if (!order || order.txnTokenHash !== txnTokenHash) return { result: codes.invalidToken }
    const transaction = order.txnId === null ? undefined : await query.row(look('transactions', mid, order.txnId))
    if (!transaction || !isInFlight(transaction) || transaction.next?.kind !== 'otp') return { result: codes.noTransaction }
    const merchant = await query.row(merchantKey(mid))
    return merchant ? { result: codes.success, body: { order, transaction, payee: payeeOf(merchant) } } : { result: codes.invalidToken }
  },
})

export interface DirectBankRequest extends Pick<ApplyTransactionResult, 'mid' | 'reference' | 'now'> {
  orderId: string
  said: { txnId: string; answer: AcquirerAnswer | { outcome: 'wrongOtp' } } | { refusal: Refused }
}

/** Undefined for a wrong password and for a refusal: they change nothing. */
function resultToApply({ said, ...command }: DirectBankRequest): ApplyTransactionResult | undefined {
  if ('refusal' in said || said.answer.outcome === 'wrongOtp') return undefined
  return { ...command, txnId: said.txnId, answer: said.answer }
}

/** Runs after the acquirer has answered. So an Idempotency-Key keeps the answer together with its changes. */
export const directBankRequest = operation({
  name: 'directBankRequest',
  codes,
  prefetch: (command: DirectBankRequest) => {
    const apply = resultToApply(command)
    return apply ? rows.prefetch(apply) : []
  },
  reads: (command: DirectBankRequest): Partial<ReturnType<typeof rows.reads>> => {
    const apply = resultToApply(command)
    return apply ? rows.reads(apply) : {}
  },
  readsNext: (command, state) => {
    const apply = resultToApply(command)
    return apply ? rows.readsNext(apply, state as ResultState) : {}
  },
  readsLast: (command, state) => {
    const apply = resultToApply(command)
    return apply ? rows.readsLast(apply, state as ResultState) : {}
  },
  decide(command, state) {
    const { said } = command
    if ('refusal' in said) return refuseWith(said.refusal)
    const apply = resultToApply(command)
    if (!apply) return { ...refuse(codes.wrongOtp), counted: true }
    const taken = takenOver(apply, state as ResultState)
    if (!taken) return refuse(codes.noTransaction)
    const { body, ...writes } = taken
    return notifyOfMoves(state as ResultState, command.now, { reply: { result: codes.success, body }, ...writes })
  },
})
