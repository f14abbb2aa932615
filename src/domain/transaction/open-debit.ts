// A debit is open at its bank while the bank may still make it, or has money of it to give back. No other attempt at the same cycle is sent
// meanwhile, so that a cycle is debited once: docs/decisions/0010.

import type { Event } from '../../engine/decision.ts'
import type { AcquirerAnswer } from './acquirer-answer.ts'
import { DEBIT_ARRIVES_WITHIN_MS, GIVEN_UP_AFTER_MS, type Transaction, transactionEvent, transitions } from './transaction.ts'

const HOUR_MS = 60 * 60_000 // ours: while the cycle of an open debit could be tried again, its bank is asked so often

/**
 * A debit that its bank was asked to make; none of a wallet, which is in our own books. A restored store may not know that it was sent: there
 * its state shows that its bank has spoken of it.
 */
const isSent = ({ sentAt, openAtBank, collectionId, status }: Transaction) =>
  sentAt !== null || openAtBank || (collectionId !== null && (status === 'PENDING' || status === 'UNKNOWN'))

/** Until when an answer is waited for: 72 hours, and a debit at least as long as the days of its cycle last. */
export const waitedForUntil = (firstAskedAt: number, windowEndsAt = 0) => Math.max(firstAskedAt + GIVEN_UP_AFTER_MS, windowEndsAt)

/** Whether a debit in flight is open at its bank for longer than any other payment is waited for. */
export const isOverdue = (debit: Transaction, firstAskedAt: number, now: number) => isSent(debit) && now - firstAskedAt >= GIVEN_UP_AFTER_MS

/** Whether a debit stays open when it fails here: nobody has heard its bank's last word, or it was withdrawn while its call may be on its way. */
const staysOpen = (debit: Transaction, result: string, isWithdrawn: boolean) => isSent(debit) && (result === 'undecided' || isWithdrawn)

/** The row of an attempt that has failed or was withdrawn. */
export const failedTransaction = (
  attempt: Transaction,
  { result, isWithdrawn, reference }: { result: string; isWithdrawn: boolean; reference?: string | undefined },
  now: number,
): Transaction => ({
  ...attempt,
  version: attempt.version + 1,
  status: transitions.PENDING.fail,
  result,
  bankTxnId: reference ?? attempt.bankTxnId,
  next: null,
  openAtBank: staysOpen(attempt, result, isWithdrawn),
  updatedAt: now,
})

/** What its bank says of a debit that has failed here; undefined when that changes nothing. `absent` is final once no call can arrive any more. */
export function saidOfFailed(
  debit: Transaction,
  { outcome }: AcquirerAnswer,
  now: number,
): { transaction: Transaction; event: Event } | undefined {
  if (!isSent(debit) || debit.status !== 'FAILURE' || debit.capturedPaise > 0) return undefined
  const mayArrive = debit.openAtBank && now < callsArriveUntil(debit)
  const openAtBank = outcome === 'pending' || outcome === 'unknown' || (outcome === 'absent' && mayArrive)
  if (openAtBank === debit.openAtBank) return undefined
  const transaction: Transaction = { ...debit, version: debit.version + 1, openAtBank, updatedAt: now }
  return { transaction, event: transactionEvent(openAtBank ? 'transaction.undecided' : 'transaction.decided', debit, transaction, now) }
}

/** `initiatedAt` of a debit that was sent is when that was decided last. */
const callsArriveUntil = ({ initiatedAt }: Transaction) => initiatedAt + DEBIT_ARRIVES_WITHIN_MS

/** When the bank of an open debit is asked next: `usually`, or earlier while its cycle waits for the answer. */
export function openDebitInquiryAt(debit: Transaction, windowEndsAt: number, usually: number, now: number): number {
  const arrived = callsArriveUntil(debit)
  return Math.min(usually, now < windowEndsAt ? now + HOUR_MS : usually, now < arrived ? arrived : usually)
}
