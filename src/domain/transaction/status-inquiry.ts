// When the service asks the acquirer for a payment's result: docs/interface.md section 8 (Mohur), docs/decisions/0010. The service never
// sends the payment again.

import type { Change, TaskChange } from '../../engine/decision.ts'
import { transactionKey } from '../../tables/keys.ts'
import type { AcquirerAnswer } from './acquirer-answer.ts'
import { openDebitInquiryAt, saidOfFailed } from './open-debit.ts'
import { type Outcome, type Paying, unchanged } from './paying.ts'
import {
  askedKey,
  isInFlight,
  lastAskOfDebit,
  lastStatusInquiry,
  nextStatusInquiry,
  type Transaction,
  transactionSubject,
} from './transaction.ts'

type Asking = Pick<Paying, 'transaction' | 'rules' | 'firstAskedAt' | 'windowEndsAt'>

/** Applies an answer about a transaction that has failed here. `then` schedules the next question to the acquirer. */
export function applyAfterFailure(paying: Paying, answer: AcquirerAnswer, now: number, then: (failed: Paying) => Outcome): Outcome {
  const said = saidOfFailed(paying.transaction, answer, now)
  if (!said) return then(paying)
  const { transaction, event } = said
  const outcome = then({ ...paying, transaction })
  const change: Change = { kind: 'update', key: transactionKey(transaction.mid, transaction.txnId), row: transaction }
  return { ...outcome, changes: [change, ...outcome.changes], events: [event, ...outcome.events] }
}

/** The service goes on asking about a transaction that it gave up. Money that the acquirer took after all is given back. */
export function scheduleStatusInquiry(paying: Paying, dueAt: number | undefined, now: number): Outcome {
  const { status, capturedPaise, openAtBank } = paying.transaction
  if (status === 'SUCCESS' || capturedPaise > 0) return unchanged(paying)
  return withStatusInquiry(unchanged(paying), paying, openAtBank ? openStatusInquiryAt(paying, dueAt, now) : dueAt)
}
const openStatusInquiryAt = ({ transaction, windowEndsAt = 0 }: Asking, dueAt: number | undefined, now: number) =>
  openDebitInquiryAt(transaction, windowEndsAt, dueAt ?? lastStatusInquiry(now), now)

/** After the schedule's last inquiry the service asks once a day, until the acquirer reports a result. */
export const untilAnswered = ({ firstAskedAt }: Paying, now: number) => nextStatusInquiry(firstAskedAt, now) ?? lastStatusInquiry(now)

/** Schedules the next status inquiry. Without `dueAt` the inquiries end. */
export function withStatusInquiry(outcome: Outcome, { firstAskedAt, rules }: Asking, dueAt: number | undefined): Outcome {
  // The collection sweep asks about a debit in flight: the cycle itself is the due work.
  const asked = dueAt !== undefined && isInFlight(outcome.transaction) && rules.afterStatusInquiry(dueAt)
  if (asked) return { ...outcome, changes: [...outcome.changes, asked] }
  const { mid, txnId, orderId, initiatedAt } = outcome.transaction
  const subject = transactionSubject(outcome.transaction)
  const key = askedKey(outcome.transaction, outcome.order.subscriptionId)
  const payload = { mid, txnId, orderId, ...(firstAskedAt < initiatedAt && { from: firstAskedAt }), ...(key !== subject && { key }) }
  const ask: TaskChange[] =
    dueAt === undefined ? done(outcome.transaction) : [{ kind: 'add', task: 'transaction.due', subject, dueAt, payload }]
  return { ...outcome, tasks: [...outcome.tasks.filter(({ task }) => task !== 'transaction.due'), ...ask] }
}

/** Asks the bank once more, a day after a failure. By then the bank may have taken money, or a mandate, unnoticed. */
export function withLastStatusInquiry(outcome: Outcome, paying: Asking, now: number): Outcome {
  const { transaction } = outcome
  const dueAt = transaction.openAtBank
    ? openStatusInquiryAt({ ...paying, transaction }, undefined, now)
    : finalStatusInquiryAt(transaction, now)
  return isAtBank(paying) ? withStatusInquiry(outcome, paying, dueAt) : outcome
}

/** A failure that is reported again before the last inquiry does not replace that inquiry. */
export function applyRepeatedFailure(paying: Paying, now: number): Outcome {
  const { transaction } = paying
  const dueAt = Math.min(finalStatusInquiryAt(transaction, transaction.updatedAt), finalStatusInquiryAt(transaction, now))
  return isAtBank(paying) && dueAt > now ? scheduleStatusInquiry(paying, dueAt, now) : unchanged(paying)
}

const finalStatusInquiryAt = ({ collectionId }: Transaction, failedAt: number) =>
  collectionId === null ? lastStatusInquiry(failedAt) : lastAskOfDebit(failedAt)

/**
 * True when the bank takes money or a consent. A consent without an amount counts too. A wallet's part does not count, because wallets are
 * in Mohur's own books.
 */
export const isAtBank = ({ transaction, rules }: Pick<Paying, 'transaction' | 'rules'>) =>
  transaction.bankPaise > 0 || rules.isAskedOfBank(transaction)

export const done = (transaction: Transaction): TaskChange[] =>
  transaction.collectionId === null ? [{ kind: 'cancel', task: 'transaction.due', subject: transactionSubject(transaction) }] : []
