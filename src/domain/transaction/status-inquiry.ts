// When the acquirer is asked again what became of a payment: docs/interface.md section 8 (Mohur), docs/decisions/0010. It is never sent again.

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

/** What the schedule of questions rests on. */
type Asking = Pick<Paying, 'transaction' | 'rules' | 'firstAskedAt' | 'windowEndsAt'>

/** What is said of a transaction that has failed here: `then` says when its acquirer is asked next. */
export function heard(paying: Paying, answer: AcquirerAnswer, now: number, then: (failed: Paying) => Outcome): Outcome {
  const said = saidOfFailed(paying.transaction, answer, now)
  if (!said) return then(paying)
  const { transaction, event } = said
  const outcome = then({ ...paying, transaction })
  const change: Change = { kind: 'update', key: transactionKey(transaction.mid, transaction.txnId), row: transaction }
  return { ...outcome, changes: [change, ...outcome.changes], events: [event, ...outcome.events] }
}

/** The acquirer goes on being asked about a transaction that was given up: what it took after all is given back. */
export function scheduleStatusInquiry(paying: Paying, dueAt: number | undefined, now: number): Outcome {
  const { status, capturedPaise, openAtBank } = paying.transaction
  if (status === 'SUCCESS' || capturedPaise > 0) return unchanged(paying)
  return withStatusInquiry(unchanged(paying), paying, openAtBank ? openStatusInquiryAt(paying, dueAt, now) : dueAt)
}
const openStatusInquiryAt = ({ transaction, windowEndsAt = 0 }: Asking, dueAt: number | undefined, now: number) =>
  openDebitInquiryAt(transaction, windowEndsAt, dueAt ?? lastStatusInquiry(now), now)

/** After the schedule's last question the acquirer is asked once a day until it says how the payment ended. */
export const untilAnswered = ({ firstAskedAt }: Paying, now: number) => nextStatusInquiry(firstAskedAt, now) ?? lastStatusInquiry(now)

/** Puts the next question on the schedule, or ends it. */
export function withStatusInquiry(outcome: Outcome, { firstAskedAt, rules }: Asking, dueAt: number | undefined): Outcome {
  // The collection sweep asks after what is in flight: the cycle itself is the work that is due.
  const asked = dueAt !== undefined && isInFlight(outcome.transaction) && rules.afterStatusInquiry(dueAt)
  if (asked) return { ...outcome, changes: [...outcome.changes, asked] }
  const { mid, txnId, initiatedAt } = outcome.transaction
  const subject = transactionSubject(outcome.transaction)
  const key = askedKey(outcome.transaction, outcome.order.subscriptionId)
  const payload = { mid, txnId, ...(firstAskedAt < initiatedAt && { from: firstAskedAt }), ...(key !== subject && { key }) }
  const ask: TaskChange[] =
    dueAt === undefined ? done(outcome.transaction) : [{ kind: 'add', task: 'transaction.due', subject, dueAt, payload }]
  return { ...outcome, tasks: [...outcome.tasks.filter(({ task }) => task !== 'transaction.due'), ...ask] }
}

/** The bank is asked once more, a day after a failure: by then it may have taken money, or a mandate, that nobody else knows of. */
export function withLastStatusInquiry(outcome: Outcome, paying: Asking, now: number): Outcome {
  const { transaction } = outcome
  const dueAt = transaction.openAtBank
    ? openStatusInquiryAt({ ...paying, transaction }, undefined, now)
    : finalStatusInquiryAt(transaction, now)
  return isAtBank(paying) ? withStatusInquiry(outcome, paying, dueAt) : outcome
}

/** A failure that is said again before the last question does not stand in for it. */
export function saidAgain(paying: Paying, now: number): Outcome {
  const { transaction } = paying
  const dueAt = Math.min(finalStatusInquiryAt(transaction, transaction.updatedAt), finalStatusInquiryAt(transaction, now))
  return isAtBank(paying) && dueAt > now ? scheduleStatusInquiry(paying, dueAt, now) : unchanged(paying)
}

const finalStatusInquiryAt = ({ collectionId }: Transaction, failedAt: number) =>
  collectionId === null ? lastStatusInquiry(failedAt) : lastAskOfDebit(failedAt)

/** It takes money there, or a consent: one that costs nothing is asked of the bank as well, a wallet's is in our own books. */
export const isAtBank = ({ transaction, rules }: Pick<Paying, 'transaction' | 'rules'>) =>
  transaction.bankPaise > 0 || rules.isAskedOfBank(transaction)

export const done = (transaction: Transaction): TaskChange[] =>
  transaction.collectionId === null ? [{ kind: 'cancel', task: 'transaction.due', subject: transactionSubject(transaction) }] : []
