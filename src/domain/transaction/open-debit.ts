// A debit is open at its bank while the bank may still make it, or still has to return its money. Meanwhile no other attempt at the same
// cycle is sent. So a cycle is debited once: docs/decisions/0010.

import type { Event } from '../../engine/decision.ts'
import type { AcquirerAnswer } from './acquirer-answer.ts'
import { DEBIT_ARRIVES_WITHIN_MS, GIVEN_UP_AFTER_MS, type Transaction, transactionEvent, transitions } from './transaction.ts'

const HOUR_MS = 60 * 60_000 // Mohur's choice: how often the bank of an open debit is asked while its cycle could be tried again

/**
 * True when the bank was asked to make the debit. A wallet's debit never counts, because wallets are in Mohur's own books. A restored store
 * may not know that a debit was sent; there the status shows that the bank has answered.
 */
const isSent = ({ sentAt, openAtBank, collectionId, status }: Transaction) =>
  sentAt !== null || openAtBank || (collectionId !== null && (status === 'PENDING' || status === 'UNKNOWN'))

/** When the service stops waiting for an answer: after 72 hours. For a debit, not before the days of its cycle end. */
export const waitedForUntil = (firstAskedAt: number, windowEndsAt = 0) => Math.max(firstAskedAt + GIVEN_UP_AFTER_MS, windowEndsAt)

/** True when a debit in flight has been open at its bank longer than the service waits for other payments. */
export const isOverdue = (debit: Transaction, firstAskedAt: number, now: number) => isSent(debit) && now - firstAskedAt >= GIVEN_UP_AFTER_MS

/**
 * A sent debit that failed stays open while its bank has not decided. If it was withdrawn, it stays open because its call may still arrive.
 */
const staysOpen = (debit: Transaction, result: string, isWithdrawn: boolean) => isSent(debit) && (result === 'undecided' || isWithdrawn)

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

/**
 * Applies a bank's answer about a debit that has failed here. Undefined when nothing changes. `absent` is final once no call can arrive any
 * more.
 */
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

/** `initiatedAt` of a sent debit is the time of the last decision to send it. */
const callsArriveUntil = ({ initiatedAt }: Transaction) => initiatedAt + DEBIT_ARRIVES_WITHIN_MS

/**
 * When the service next asks the bank of an open debit: at `usually` or earlier. During the cycle's days it asks within an hour, because
 * the cycle waits for the answer. It also asks as soon as no call can arrive any more.
 */
export function openDebitInquiryAt(debit: Transaction, windowEndsAt: number, usually: number, now: number): number {
  const arrived = callsArriveUntil(debit)
  return Math.min(usually, now < windowEndsAt ? now + HOUR_MS : usually, now < arrived ? arrived : usually)
}
