// Derives a payment's state from its order, payments and refunds: the first row that fits in docs/acquirer-cashfree.md, "States".

import { type AcquirerAnswer, type Failure, UNKNOWN } from '../../../domain/transaction/acquirer-answer.ts'
import { ABSENT_BELIEVED_AFTER_MS } from '../../../domain/transaction/transaction.ts'
import type { CashfreeOrder, CashfreePayment, CashfreeRefund } from './entities.ts'

/** A payment that began before its order expired may still succeed. */
const EXPIRED_FOR_MS = 30 * 60_000 // Mohur's choice: as long as the adapter keeps an order open at Cashfree
/**
 * Mohur's choice: after the query at 72 hours, which gives a payment up, and before the next query at 96 hours. So Mohur refunds the
 * success.
 */
const UNSETTLED_MS = 84 * 60 * 60_000

/**
 * Mohur's choice: a restored store asks later than this. Refunds that it has lost are then read. A webhook leads to a query sooner, and
 * saves that read. A standby that took over within a minute, and has lost that minute, reads no refund of it.
 */
const REFUNDS_READ_AFTER_MS = 60_000

export type CashfreeState =
  | { answer: AcquirerAnswer /** For a person to resolve. */; conflict?: string }
  /** No payment is under way: end the order, and read it again. */
  | { ask: 'terminate' }
  /** Read whether the success has been refunded: by Cashfree, by a person, or by Mohur. */
  | { ask: 'refunds' }

/** A payment or refund with one of these statuses moved no money. */
const ENDED = new Set(['FAILED', 'USER_DROPPED', 'CANCELLED'])
const PAYMENT_STATUSES = new Set(['SUCCESS', 'PENDING', 'NOT_ATTEMPTED', ...ENDED])
const PENDING: CashfreeState = { answer: { outcome: 'pending' } }

/** `now` is real time in milliseconds, because the sandbox's clock moves. `refunds` is undefined until they are read. */
export function stateOf(
  order: CashfreeOrder,
  payments: readonly CashfreePayment[],
  refunds: readonly CashfreeRefund[] | undefined,
  now: number,
): CashfreeState {
  const successes = payments.filter(({ status }) => status === 'SUCCESS')
  const [success] = successes
  const strange = conflictOf(order, payments)
  if (strange) return { answer: UNKNOWN, conflict: strange }
  if (success && order.status === 'PAID')
    return refunds === undefined && mayBeRefunded(order, success, now) ? { ask: 'refunds' } : paidBy(success, refunds)
  if (success) return refunds === undefined ? { ask: 'refunds' } : whileNotPaid(order, success, refunds, now)
  if (payments.some(({ status }) => status === 'PENDING')) return PENDING
  switch (order.status) {
    case 'ACTIVE': {
      // A new payment does not appear in the list at once.
      const isYoung = payments.length === 0 && now - order.createdAt < ABSENT_BELIEVED_AFTER_MS
      return isYoung || payments.some(({ status }) => status === 'NOT_ATTEMPTED') ? PENDING : { ask: 'terminate' }
    }
    case 'TERMINATION_REQUESTED':
      return PENDING
    case 'EXPIRED':
      return now - order.expiresAt < EXPIRED_FOR_MS ? PENDING : failed(payments, 'timedOut')
    case 'TERMINATED':
      return failed(payments, 'cancelled')
    default: // PAID without a payment: the list is behind the order
      return { answer: UNKNOWN }
  }
}

const ORDER_STATUSES = new Set(['ACTIVE', 'PAID', 'EXPIRED', 'TERMINATED', 'TERMINATION_REQUESTED'])

/** Conflicts that no program may resolve. */
function conflictOf(order: CashfreeOrder, payments: readonly CashfreePayment[]): string | undefined {
  const successes = payments.filter(({ status }) => status === 'SUCCESS')
  if (successes.length > 1) return 'one order was paid twice'
  if (!ORDER_STATUSES.has(order.status)) return 'the order has a status that is not known'
  if (payments.some(({ status }) => !PAYMENT_STATUSES.has(status))) return 'a payment has a status that is not known'
  if (order.amountPaise === undefined || successes.some(({ amountPaise }) => amountPaise !== order.amountPaise))
    return 'an amount is not one of whole paise of INR, or does not fit its order'
  return undefined
}

const mayBeRefunded = ({ createdAt }: CashfreeOrder, { isCaptured, completedAt = createdAt }: CashfreePayment, now: number) =>
  isCaptured && now - completedAt >= REFUNDS_READ_AFTER_MS

function paidBy({ reference, amountPaise, isCaptured }: CashfreePayment, refunds: readonly CashfreeRefund[] = []): CashfreeState {
  if (!isCaptured || reference === undefined) return PENDING
  const givenBackPaise = openSumOf(refunds)
  if (givenBackPaise === undefined) return { answer: UNKNOWN, conflict: 'a refund has an amount that is not known' }
  const refundedPaise = Math.min(givenBackPaise, amountPaise!)
  return { answer: { outcome: 'success', reference, amountPaise: amountPaise!, ...(refundedPaise > 0 && { refundedPaise }) } }
}

/**
 * Cashfree itself refunds a payment that arrives after its order ended, often with the payer's fee. A person may refund it in the dashboard.
 * Until such a refund has succeeded, the payment is pending. If none is under way after `UNSETTLED_MS`, the payment is a success. Without a
 * readable time of completion the wait begins when the order expires.
 */
function whileNotPaid(order: CashfreeOrder, success: CashfreePayment, refunds: readonly CashfreeRefund[], now: number): CashfreeState {
  const others = refunds.filter(({ isOwn }) => !isOwn)
  const finished = others.filter(({ status }) => status === 'SUCCESS')
  const refundedPaise = finished.reduce((sum, { amountPaise }) => sum + (amountPaise ?? 0), 0)
  if (refundedPaise >= success.amountPaise!) return failed([success], 'timedOut')
  if (others.some(({ status }) => !REFUND_ENDED.has(status))) return PENDING
  if (finished.length > 0) return { answer: UNKNOWN, conflict: 'a part of a payment was refunded, and not by Mohur' }
  return now - (success.completedAt ?? order.expiresAt) >= UNSETTLED_MS ? paidBy(success, refunds) : PENDING
}
const REFUND_ENDED = new Set(['SUCCESS', 'CANCELLED', 'FAILED'])

function failed(payments: readonly CashfreePayment[], otherwise: Failure): CashfreeState {
  const failure = payments.some(({ status }) => status === 'FAILED') ? 'declined' : otherwise
  return { answer: { outcome: 'failure', failure } }
}

/** The sum in paise of all refunds that succeeded or still may. Undefined when any such refund has no valid amount. */
export const openSumOf = (refunds: readonly CashfreeRefund[]) => sumOf(refunds.filter(({ status }) => !ENDED.has(status)))

/** Undefined when any entry has no valid amount. */
export function sumOf(list: readonly { amountPaise: number | undefined }[]): number | undefined {
  return list.some(({ amountPaise }) => amountPaise === undefined)
    ? undefined
    : list.reduce((sum, { amountPaise }) => sum + amountPaise!, 0)
}
