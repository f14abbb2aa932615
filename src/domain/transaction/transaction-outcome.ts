// Applies an acquirer's answer to a transaction, its order and all money in it: docs/interface.md section 3. `outcomeOf` lists the answers,
// and calls a function below for each.

import { type Change, type Event, latest, NOTHING } from '../../engine/decision.ts'
import { orderKey, transactionKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { movement } from '../ledger/ledger.ts'
import { eventName, moneyStreamOf, notify, withNotified } from '../notification/notification.ts'
import { orderEvent, transitions as orderTransitions } from '../order/order.ts'
import { commit, release } from '../promotion/redemption.ts'
import { automaticRefund, requestRefund } from '../refund/refund.ts'
import type { AcquirerAnswer } from './acquirer-answer.ts'
import { captureLines, feePaiseOf, giveCashback, keepCard, walletChange } from './capture.ts'
import { failedTransaction, isOverdue, waitedForUntil } from './open-debit.ts'
import { type Outcome, type Paying, unchanged } from './paying.ts'
import {
  applyAfterFailure,
  applyRepeatedFailure,
  done,
  scheduleStatusInquiry,
  untilAnswered,
  withLastStatusInquiry,
  withStatusInquiry,
} from './status-inquiry.ts'
import {
  ABSENT_BELIEVED_AFTER_MS,
  attemptsLeft,
  contentOf,
  hasCodesLeft,
  isCode,
  isInFlight,
  nextStatusInquiry,
  payablePaise,
  type Transaction,
  transactionEvent,
  transitions,
} from './transaction.ts'

type Success = Extract<AcquirerAnswer, { outcome: 'success' }>

export function outcomeOf(paying: Paying, answer: AcquirerAnswer, now: number): Outcome {
  const { transaction, rules } = paying
  const isCurrent = isItsTurn(paying)
  switch (answer.outcome) {
    case 'success':
      if (transaction.status === 'SUCCESS') return unchanged(paying)
      if (answer.amountPaise === 0 && transaction.bankPaise > 0) return wait(paying, 'UNKNOWN', undefined, now) // the answer contradicts itself
      if (!isInFlight(transaction) || !isCurrent || answer.amountPaise !== transaction.bankPaise) return giveBack(paying, answer, now)
      if ((isGivenBack(answer) && !answer.isRefundedByOthers) || rules.isTooLate(transaction, now)) return giveBack(paying, answer, now)
      // Without its name the mandate could be neither debited nor withdrawn.
      return rules.isNameless(transaction, answer.mandateReference) ? wait(paying, 'UNKNOWN', undefined, now) : succeed(paying, answer, now)
    case 'failure':
      return isInFlight(transaction)
        ? withLastStatusInquiry(fail(paying, answer.failure, answer.reference, now), paying, now)
        : applyAfterFailure(paying, answer, now, (failed) => applyRepeatedFailure(failed, now))
    case 'absent':
      if (!isInFlight(transaction))
        return applyAfterFailure(paying, answer, now, (failed) =>
          scheduleStatusInquiry(failed, nextStatusInquiry(paying.firstAskedAt, now), now),
        )
      // A delayed call may still arrive. So the inquiries go on for as long as for any other payment that was given up.
      if (now - paying.firstAskedAt >= ABSENT_BELIEVED_AFTER_MS)
        return withStatusInquiry(fail(paying, 'timedOut', undefined, now), paying, nextStatusInquiry(paying.firstAskedAt, now))
      return wait(paying, 'UNKNOWN', undefined, now)
    case 'pending':
      if (isCurrent && rules.isTaken(transaction, answer.next, now - paying.firstAskedAt))
        return succeed(paying, { ...answer, ...TAKEN, reference: transaction.txnId }, now)
      return wait(paying, 'PENDING', answer, now)
    case 'unknown':
      // A limit of the acquirer says nothing about a payment that it has called pending.
      return wait(
        paying,
        answer.retryAfterMs !== undefined && transaction.status === 'PENDING' ? 'PENDING' : 'UNKNOWN',
        undefined,
        now,
        answer.retryAfterMs,
      )
    default:
      return answer satisfies never
  }
}

/** A restored store may receive a success that Mohur has already refunded, in the time that the store lost: docs/decisions/0011. */
const isGivenBack = ({ amountPaise, refundedPaise }: Success) => amountPaise > 0 && refundedPaise === amountPaise

const TAKEN = { outcome: 'success', amountPaise: 0 } as const
// ------------------------------------------------------------------------------------------------------------ success

function succeed(paying: Paying, { reference, cardToken, mandateReference }: Success, now: number): Outcome {
  const { order: before, transaction: attempt, redemption, rules } = paying
  const transaction: Transaction = {
    ...attempt,
    version: attempt.version + 1,
    status: transitions.PENDING.succeed,
    result: 'success',
    capturedPaise: payablePaise(attempt),
    bankTxnId: reference,
    next: null,
    openAtBank: false,
    updatedAt: now,
  }
  const order: Row<'orders'> = { ...before, version: before.version + 1, status: orderTransitions.IN_PROCESS.succeed }
  const used = redemption ? commit(redemption, now) : { changes: [], events: [] }
  const agreed = rules.succeeded(transaction, mandateReference, now)
  const event = transactionEvent('transaction.succeeded', attempt, transaction, now, { feePaise: feePaiseOf(transaction, paying.merchant) })
  const notified = notifyResult(paying, order, transaction, event, now)
  return {
    order,
    transaction,
    changes: [
      { kind: 'update', key: transactionKey(transaction.mid, transaction.txnId), row: transaction },
      { kind: 'update', key: orderKey(order.mid, order.orderId), row: order },
      ...movement(order.mid, `capture:${transaction.txnId}`, transaction.txnId, now, captureLines(transaction, paying)),
      ...used.changes,
      ...agreed.changes,
      ...(redemption?.kind === 'CASHBACK' ? giveCashback(paying, redemption, now) : []),
      ...(cardToken === undefined ? [] : keepCard(paying, cardToken, now)),
      ...notified.changes,
    ],
    events: [withNotified(event, notified), orderEvent('order.paid', before, order, now), ...used.events, ...agreed.events],
    tasks: [...done(transaction), ...notified.tasks],
  }
}

/** Notifies of the result in the order's streams: docs/interface.md section 6. */
function notifyResult(paying: Paying, order: Row<'orders'>, transaction: Transaction, event: Event, now: number) {
  const content = { ...contentOf(order, transaction), ...paying.rules.content }
  return notify({ order: moneyStreamOf(order), event: eventName(event), content }, paying, now)
}

/**
 * Gives back a success that may not be kept. The success is for another amount, or came after the transaction was given up or its order
 * closed. The service captures the amount that the bank took, and gives it back at once. The merchant's notifications still say that the
 * payment failed.
 */
function giveBack(paying: Paying, answer: Success, now: number): Outcome {
  if (paying.transaction.capturedPaise > 0) return unchanged(paying) // it was given back already
  const { reference, amountPaise, mandateReference } = answer
  const isReportedByBank = isGivenBack(answer)
  // If a debit of the right amount was already given back, its cycle ends. The merchant may have wanted that refund.
  const ofCycle = isReportedByBank && amountPaise === paying.transaction.bankPaise ? 'givenBack' : 'returned'
  const failed = isInFlight(paying.transaction) ? fail(paying, 'returned', reference, now, ofCycle) : unchanged(paying)
  const captured: Transaction = {
    ...failed.transaction,
    version: failed.transaction.version + 1,
    result: 'returned',
    capturedPaise: amountPaise,
    bankTxnId: reference,
    openAtBank: failed.transaction.collectionId !== null && amountPaise > 0,
    updatedAt: now,
  }
  const withdrawn = paying.rules.givenBack(paying.transaction, failed.changes, mandateReference, now)
  if (amountPaise === 0) {
    const ended = { ...failed, changes: latest([...failed.changes, ...withdrawn.changes]), tasks: [...failed.tasks, ...withdrawn.tasks] }
    // Only the mandate's name can withdraw it. So the service asks until the bank has accepted the mandate, and named it.
    return withdrawn.isUnnamed ? withStatusInquiry(ended, paying, untilAnswered(paying, now)) : ended
  }
  const { mid, txnId } = captured
  const request = { ...automaticRefund(txnId), amountPaise, contentHash: '', isReportedByBank }
  const refund = requestRefund(captured, request, now)
  return {
    order: failed.order,
    transaction: refund.transaction,
    changes: latest([
      ...failed.changes.filter((change) => change.key.table !== 'transactions'),
      ...movement(mid, `capture:${txnId}`, txnId, now, [
        ['acquirer_receivable', amountPaise],
        ['acquirer_suspense', -amountPaise],
      ]),
      ...refund.changes,
      ...withdrawn.changes,
    ]),
    events: [...failed.events, transactionEvent('transaction.captured-late', failed.transaction, captured, now), ...refund.events],
    tasks: [...failed.tasks, ...refund.tasks, ...withdrawn.tasks],
  }
}

// ------------------------------------------------------------------------------------------------------------ failure

/**
 * Releases the attempt's wallet hold and its offer, and frees the order while the order may still be paid. `ofCycle`: the result that the
 * cycle records.
 */
function fail(paying: Paying, result: string, reference: string | undefined, now: number, ofCycle = result): Outcome {
  const { order: before, transaction: attempt, redemption, rules } = paying
  const isLeft = isLeftUnpaid(paying, result)
  const transaction = { ...failedTransaction(attempt, { result, isWithdrawn: rules.isUnsent, reference }, now), isLeft }
  const { mid, txnId, walletPaise } = attempt
  const released = redemption?.status === 'RESERVED' ? release(redemption, paying, now) : { changes: [], events: [] }
  const held: Change[] =
    walletPaise > 0 && !rules.isUnsent
      ? [
          ...movement(mid, `release:${txnId}`, txnId, now, [
            ['wallet_hold', walletPaise],
            ['customer_wallet', -walletPaise, paying.customer!.userId],
          ]),
          walletChange(paying.customer!, walletPaise),
        ]
      : []
  const freed = freeOrder(paying, isLeft, now)
  const cycle = rules.failed(ofCycle, now)
  const event = transactionEvent('transaction.failed', attempt, transaction, now)
  const order = freed?.order ?? before
  const notified = notifyResult(paying, order, transaction, event, now)
  return {
    order,
    transaction,
    changes: [
      { kind: 'update', key: transactionKey(mid, txnId), row: transaction },
      ...(freed?.changes ?? []),
      ...cycle.changes,
      ...held,
      ...released.changes,
      ...notified.changes,
    ],
    events: [withNotified(event, notified), ...(freed?.events ?? []), ...cycle.events, ...released.events],
    tasks: [...done(transaction), ...(freed?.tasks ?? []), ...notified.tasks],
  }
}

const isItsTurn = ({ order, transaction }: Pick<Paying, 'order' | 'transaction'>) =>
  order.status === 'IN_PROCESS' && order.txnId === transaction.txnId

/** A code costs no attempt when it is cancelled as its order's current attempt: docs/decisions/0026. */
const isLeftUnpaid = (paying: Paying, result: string) =>
  result === 'cancelled' &&
  isItsTurn(paying) &&
  isCode(paying.transaction) &&
  paying.transaction.collectionId === null &&
  hasCodesLeft(paying.order)

function freeOrder(paying: Paying, isLeft: boolean, now: number) {
  if (!isItsTurn(paying)) return undefined
  const { order: before, rules } = paying
  const leftCount = before.leftCount + (isLeft ? 1 : 0)
  const isOver = now >= before.expiresAt || attemptsLeft({ ...before, leftCount }) <= 0
  const { fail, failAfterExpiry } = orderTransitions.IN_PROCESS
  const status = isOver ? failAfterExpiry : fail
  const order: Row<'orders'> = { ...before, version: before.version + 1, status, txnId: null, leftCount }
  const over = isOver ? rules.closed(now) : NOTHING
  return {
    order,
    changes: [{ kind: 'update' as const, key: orderKey(order.mid, order.orderId), row: order }, ...over.changes],
    events: [orderEvent(isOver ? 'order.closed' : 'order.reopened', before, order, now), ...over.events],
    tasks: over.tasks,
  }
}

// ------------------------------------------------------------------------------------------------------ no result yet

/**
 * Without a certain result the service asks again on the schedule, until it gives the transaction up. It asks sooner when the acquirer only
 * had too many calls.
 */
function wait(
  paying: Paying,
  status: 'PENDING' | 'UNKNOWN',
  pending: Extract<AcquirerAnswer, { outcome: 'pending' }> | undefined,
  now: number,
  retryAfterMs = Number.POSITIVE_INFINITY,
): Outcome {
  const { transaction: before, order } = paying
  const { firstAskedAt, windowEndsAt } = paying
  const dueAt = Math.min(untilAnswered(paying, now), now + retryAfterMs)
  if (!isInFlight(before))
    return applyAfterFailure(paying, { outcome: status === 'PENDING' ? 'pending' : 'unknown' }, now, (failed) =>
      scheduleStatusInquiry(failed, dueAt, now),
    )
  const until = waitedForUntil(firstAskedAt, windowEndsAt)
  const why = before.collectionId === null ? 'timedOut' : 'undecided'
  if (now >= until) return withStatusInquiry(fail(paying, why, undefined, now), paying, dueAt)
  const openAtBank = before.openAtBank || isOverdue(before, firstAskedAt, now)
  const moved = before.status !== status
  const changed = moved || openAtBank !== before.openAtBank
  const transaction: Transaction = {
    ...before,
    ...(changed && { version: before.version + 1, status, openAtBank }),
    result: status === 'PENDING' ? 'pending' : 'unconfirmed',
    next: pending?.next ?? (pending?.next === null && before.next?.kind === 'otp' ? null : before.next),
    updatedAt: now,
  }
  const asked = withStatusInquiry({ ...NOTHING, order, transaction }, paying, Math.min(dueAt, until))
  const agreed = paying.rules.pending(before, pending?.mandateReference, now)
  return {
    ...asked,
    changes: [
      { kind: 'update', key: transactionKey(before.mid, before.txnId), row: asked.transaction },
      ...agreed.changes,
      ...asked.changes,
    ],
    tasks: [...asked.tasks, ...agreed.tasks],
    events: changed ? [transactionEvent(moved ? WAITING[status] : 'transaction.undecided', before, transaction, now)] : [],
  }
}
const WAITING = { PENDING: 'transaction.pending', UNKNOWN: 'transaction.lost' } as const
