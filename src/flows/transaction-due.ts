// `transaction.due`: asks the acquirer for the result of a payment when the acquirer has not reported one. It never sends a payment again.
// The card is long forgotten, and the first request may have arrived.

import type { Acquirer } from '../adapters/acquirer/acquirer.ts'
import { automaticRefund, loggedRefund } from '../domain/refund/refund.ts'
import type { AcquirerAnswer } from '../domain/transaction/acquirer-answer.ts'
import { type ApplyTransactionResult, applyTransactionResult } from '../domain/transaction/apply-transaction-result.ts'
import { transactionSubject } from '../domain/transaction/transaction.ts'
import type { Clock } from '../engine/clock.ts'
import type { Engine, Lease } from '../engine/engine.ts'
import type { TaskHandler } from '../engine/tasks.ts'
import type { Reference } from '../reference/reference.ts'
import { statusInquiry } from './register-bank-mandate.ts'

export interface AskParts {
  engine: Pick<Engine, 'submit'>
  clock: Clock
  reference: Pick<Reference, 'category'>
  acquirer(): Acquirer
}

export const transactionDue =
  (parts: AskParts): TaskHandler =>
  ({ payload }, lease) =>
    inquireStatusUnder(parts, payload, lease)

/** Asks the acquirer, and applies the answer to the payment in one decision under this lease. */
export async function inquireStatusUnder(
  { engine, clock, reference, acquirer }: AskParts,
  payload: Readonly<Record<string, unknown>>,
  lease: Lease,
) {
  const { key, ...asked } = payload as Pick<ApplyTransactionResult, 'mid' | 'txnId' | 'orderId' | 'from'> & { key?: string }
  const askedKey = key ?? transactionSubject(asked)
  const answer = await statusOf(acquirer(), asked, askedKey)
  await engine.submit(applyTransactionResult, { ...asked, answer, reference, now: clock.now() }, lease)
}

/** A payment's result, by the key of its status inquiry (domain/transaction/transaction.ts, `askedKey`). */
export const statusOf = async (acquirer: Acquirer, of: { mid: string; txnId: string }, key: string): Promise<AcquirerAnswer> =>
  whoseRefund(acquirer, of, await statusInquiry(acquirer, key, of.txnId), key)

/**
 * Finds who refunded a payer's payment when this store does not know. Mohur did if the bank knows Mohur's refund of that payment.
 * Otherwise the merchant did. A payment that can still be kept then stands, as it stood for the merchant.
 */
export async function whoseRefund(
  acquirer: Acquirer,
  of: { mid: string; txnId: string },
  answer: AcquirerAnswer,
  key: string,
): Promise<AcquirerAnswer> {
  if (answer.outcome !== 'success' || !answer.refundedPaise || key !== transactionSubject(of)) return answer
  const logged = loggedRefund({ mid: of.mid, refundId: automaticRefund(of.txnId).refundId })
  const ours = await acquirer.status(logged, logged, key)
  if (ours.outcome === 'unknown') return ours
  return ours.outcome === 'absent' ? { ...answer, isRefundedByOthers: true } : answer
}
