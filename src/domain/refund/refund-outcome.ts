// Decides what the acquirer's answer changes: the refund, its payment, and the money of each party (docs/interface.md section 3).

import { type Change, type Event, NOTHING, type TaskChange } from '../../engine/decision.ts'
import { refundKey, transactionKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { type LedgerLine, movement } from '../ledger/ledger.ts'
import { notify, type Streams, streamOf, withNotified } from '../notification/notification.ts'
import { type Counters, release } from '../promotion/redemption.ts'
import type { AcquirerAnswer } from '../transaction/acquirer-answer.ts'
import { walletChange } from '../transaction/capture.ts'
import { type Transaction, transactionEvent } from '../transaction/transaction.ts'
import {
  ASKED_DAILY_MS,
  nextAutomatic,
  nextRefundAsk,
  type Refund,
  refundContentOf,
  refundEvent,
  refundEventName,
  refundOf,
  refundTask,
  requestRefund,
  sourceOf,
  transitions,
} from './refund.ts'

export interface Refunding extends Streams, Counters {
  refund: Refund
  transaction: Transaction
  order: Row<'orders'>
  /** The customer whose wallet paid, or received cashback. */
  customer: Row<'customers'> | undefined
  redemption: Row<'redemptions'> | undefined
}

interface Outcome {
  refund: Refund
  changes: readonly Change[]
  events: readonly Event[]
  tasks: readonly TaskChange[]
}

/** `scheduledAt`: a person asked for this query, beside the schedule. */
export function refundOutcomeOf(refunding: Refunding, answer: AcquirerAnswer, now: number, scheduledAt?: number): Outcome {
  const { refund } = refunding
  const wait = (result: 'pending' | 'delayed', retryAfterMs?: number) => waiting(refund, result, now, { scheduledAt, retryAfterMs })
  if (refund.status !== 'PENDING') return { ...NOTHING, refund }
  switch (answer.outcome) {
    case 'success':
      // A success for another amount is no success. The service asks the bank until it reports the requested amount.
      return isAsWanted(refund, answer) ? succeed(refunding, answer.reference, now) : wait('delayed')
    case 'failure': {
      const givenBack = givenBackBy(refunding, answer)
      return givenBack === undefined ? fail(refunding, answer.reference, now) : succeed(refunding, givenBack, now)
    }
    case 'pending':
      return wait('pending')
    case 'absent':
      return wait('delayed')
    case 'unknown':
      return wait('delayed', answer.retryAfterMs)
    default:
      return answer satisfies never
  }
}

export const isAsWanted = ({ bankPaise }: Refund, { amountPaise }: Extract<AcquirerAnswer, { outcome: 'success' }>) =>
  amountPaise === bankPaise

/**
 * The number of another's refund that gave back all the money that came too late. That money is where Mohur's refund would bring it. A
 * merchant's own refund fails, because the merchant asked for one more.
 */
export const givenBackBy = (
  { refund, transaction }: Pick<Refunding, 'refund' | 'transaction'>,
  { givenBack }: Extract<AcquirerAnswer, { outcome: 'failure' }>,
): string | undefined =>
  givenBack && transaction.status === 'FAILURE' && givenBack.paise >= refund.bankPaise ? givenBack.reference : undefined

/** The refund of a payment's last rupee also undoes its offer. */
function succeed(refunding: Refunding, reference: string, now: number): Outcome {
  const { refund: before, transaction: payment, redemption, customer } = refunding
  const { mid, txnId } = payment
  const refund: Refund = {
    ...before,
    version: before.version + 1,
    status: transitions.PENDING.succeed,
    result: 'success',
    bankTxnId: before.bankPaise > 0 ? reference : null,
    updatedAt: now,
  }
  const returnedPaise = payment.returnedPaise + refund.amountPaise
  const isWhole = returnedPaise === payment.capturedPaise
  const transaction: Transaction = {
    ...payment,
    version: payment.version + 1,
    returnedPaise,
    openAtBank: payment.openAtBank && !isWhole,
    updatedAt: now,
  }
  const undone = isWhole && redemption?.status === 'COMMITTED' ? undoOffer(refunding, redemption, now) : undefined
  const walletPaise = refund.walletPaise - (undone?.fromWalletPaise ?? 0)
  const notified = notifyOfRefund(refunding, transaction, refund, now)
  return {
    refund,
    changes: [
      { kind: 'update', key: refundKey(mid, refund.refId), row: refund },
      { kind: 'update', key: transactionKey(mid, txnId), row: transaction },
      ...movement(mid, `refunded:${refund.refundId}`, txnId, now, [
        ['refund_payable', refund.amountPaise],
        ['acquirer_receivable', -refund.bankPaise],
        ...(refund.walletPaise > 0 ? [['customer_wallet', -refund.walletPaise, customer!.userId] as const] : []),
      ]),
      ...(undone?.changes ?? []),
      ...(walletPaise !== 0 ? [walletChange(customer!, walletPaise)] : []),
      ...notified.changes,
    ],
    events: [
      withNotified(refundEvent('refund.succeeded', before, refund, now), notified),
      transactionEvent('transaction.refunded', payment, transaction, now, refundOf(refund)),
      ...(undone?.events ?? []),
    ],
    tasks: notified.tasks,
  }
}

/**
 * The offer was for a purchase that no longer exists. A discount goes back to its funder. Cashback is taken back from the wallet, as far as
 * the balance allows, and the rest is booked as recoverable. For a customer without a wallet, unpaid cashback is no longer owed.
 */
function undoOffer(refunding: Refunding, redemption: Row<'redemptions'>, now: number) {
  const { refund, transaction, customer } = refunding
  const { mid, txnId, discountPaise } = transaction
  const released = release(redemption, refunding, now)
  const funder = `offer_funding:${redemption.fundedBy}` as const
  if (redemption.kind === 'DISCOUNT') {
    const lines: LedgerLine[] = [
      ['merchant_payable', discountPaise],
      [funder, -discountPaise],
    ]
    return {
      ...released,
      changes: [...released.changes, ...movement(mid, `discount-undone:${txnId}`, txnId, now, lines)],
      fromWalletPaise: 0,
    }
  }
  const paise = redemption.amountPaise
  const fromWalletPaise = customer ? Math.min(paise, customer.walletBalancePaise + refund.walletPaise) : 0
  const lines: LedgerLine[] = [
    ...(customer
      ? ([
          ['customer_wallet', fromWalletPaise, customer.userId],
          ['cashback_recoverable', paise - fromWalletPaise],
        ] satisfies LedgerLine[])
      : ([['cashback_payable', paise]] satisfies LedgerLine[])),
    [funder, -paise],
  ]
  return { ...released, changes: [...released.changes, ...movement(mid, `cashback-undone:${txnId}`, txnId, now, lines)], fromWalletPaise }
}

/** The bank refuses the refund, so the amount that was set aside is free again. */
function fail(refunding: Refunding, reference: string | undefined, now: number): Outcome {
  const { refund: before, transaction: payment } = refunding
  const { mid, txnId } = payment
  const refund: Refund = {
    ...before,
    version: before.version + 1,
    status: transitions.PENDING.fail,
    result: 'declined',
    bankTxnId: reference ?? null,
    updatedAt: now,
  }
  const transaction: Transaction = {
    ...payment,
    version: payment.version + 1,
    refundedPaise: payment.refundedPaise - refund.amountPaise,
    bankRefundedPaise: payment.bankRefundedPaise - refund.bankPaise,
    updatedAt: now,
  }
  // Money that came too late belongs to the customer alone. The service requests the refund again a day later, without end.
  const again =
    payment.status === 'FAILURE'
      ? requestRefund(
          transaction,
          { ...nextAutomatic(before), amountPaise: before.amountPaise, contentHash: '' },
          now,
          now + ASKED_DAILY_MS,
        )
      : undefined
  const notified = notifyOfRefund(refunding, transaction, refund, now)
  return {
    refund,
    changes: [
      { kind: 'update', key: refundKey(mid, refund.refId), row: refund },
      ...(again?.changes ?? [{ kind: 'update' as const, key: transactionKey(mid, txnId), row: transaction }]),
      ...movement(mid, `refund-failed:${refund.refundId}`, txnId, now, [
        ['refund_payable', refund.amountPaise],
        [sourceOf(payment), -refund.amountPaise],
      ]),
      ...notified.changes,
    ],
    events: [
      withNotified(refundEvent('refund.failed', before, refund, now), notified),
      transactionEvent('transaction.refund-freed', payment, transaction, now, refundOf(refund)),
      ...(again?.events ?? []),
    ],
    tasks: [...notified.tasks, ...(again?.tasks ?? [])],
  }
}

const notifyOfRefund = (refunding: Refunding, transaction: Transaction, refund: Refund, now: number) =>
  notify(
    { order: streamOf(refunding.order), event: refundEventName(refund), content: refundContentOf(refunding.order, transaction, refund) },
    refunding,
    now,
  )

interface Waiting {
  scheduledAt: number | undefined
  retryAfterMs: number | undefined
}

/**
 * Nothing is certain yet. The service asks the acquirer again, by the schedule of payments and then every day. A query that a person asked
 * for uses up no query of the schedule. Nor does a call that the acquirer did not take because it had too many.
 */
function waiting(before: Refund, result: 'pending' | 'delayed', now: number, { scheduledAt, retryAfterMs }: Waiting): Outcome {
  const askAt = scheduledAt ?? (retryAfterMs === undefined ? undefined : now + retryAfterMs)
  const checks = askAt === undefined ? before.checks + 1 : before.checks
  const refund: Refund = { ...before, result, checks, updatedAt: now }
  const dueAt = askAt === undefined ? nextRefundAsk(before, now) : Math.max(askAt, now)
  return {
    refund,
    changes: [{ kind: 'update', key: refundKey(refund.mid, refund.refId), row: refund }],
    events: [],
    tasks: [refundTask(refund, dueAt)],
  }
}
