// `refund.due`: asks the acquirer to refund money, and afterwards for the result. A refund is sent once. It is sent again, under the same
// key, only when two conditions hold. The acquirer has had enough time, and reports that it does not know the refund. A query that a person
// asked for sends nothing.

import type { Acquirer } from '../adapters/acquirer/acquirer.ts'
import { applyRefundResult } from '../domain/refund/apply-refund-result.ts'
import { isAutomatic, isRefusedForAWeek, loggedRefund, OTHERS_REFUND_MS, type Refund, refundKeyOf } from '../domain/refund/refund.ts'
import { givenBackBy, isAsWanted } from '../domain/refund/refund-outcome.ts'
import { type AcquirerAnswer, UNKNOWN } from '../domain/transaction/acquirer-answer.ts'
import { ABSENT_BELIEVED_AFTER_MS, authorizeKey, type Transaction } from '../domain/transaction/transaction.ts'
import type { Query } from '../engine/decision.ts'
import type { TaskHandler } from '../engine/tasks.ts'
import { look, type Row } from '../tables/tables.ts'
import type { AskParts } from './transaction-due.ts'

export interface RefundParts extends AskParts {
  query: Query
}

/** `refundNeedsPerson` reports a case to the operator that no program can resolve. */
export const refundDue =
  ({ engine, query, clock, acquirer }: RefundParts, refundNeedsPerson: (refund: Refund, what: string) => void): TaskHandler =>
  async (task, lease) => {
    const { mid, refId, scheduledAt } = task.payload as unknown as Payload
    const refund = await query.row(look('refunds', mid, refId))
    const paid = refund && (await query.row(look('transactions', mid, refund.txnId)))
    const answer = paid ? await withGivenBack(await answerTo(refund, paid, task, acquirer, clock), refund, paid, acquirer) : UNKNOWN
    if (refund && answer.outcome === 'success' && !isAsWanted(refund, answer))
      refundNeedsPerson(refund, 'the acquirer gave back another amount')
    const isRefused = paid && answer.outcome === 'failure' && givenBackBy({ refund, transaction: paid }, answer) === undefined
    if (isRefused && isAutomatic(refund) && !refund.details.isReportedByBank)
      refundNeedsPerson(refund, 'the acquirer will not take back what came too late')
    const said = { mid, refId, answer, ...(scheduledAt !== undefined && { scheduledAt }) }
    await engine.submit(applyRefundResult, { ...said, now: clock.now() }, lease)
  }

interface Payload {
  mid: string
  refId: string
  /** A person asked for this query, beside the schedule (domain/refund/recheck-refund.ts). */
  scheduledAt?: number
}

/** Two inconclusive answers are enough too. By any schedule more than that time has then passed, whatever clock dated the request. */
const isAbsenceBelieved = ({ requestedAt, checks }: Refund, now: number) => now - requestedAt >= ABSENT_BELIEVED_AFTER_MS || checks >= 2

async function answerTo(
  refund: Refund,
  paid: Transaction,
  { attempts, payload, leaseUntil }: Row<'tasks'>,
  acquirer: () => Acquirer,
  clock: AskParts['clock'],
): Promise<AcquirerAnswer> {
  const now = clock.now()
  // The wallet's part is in Mohur's own ledger.
  if (refund.bankPaise === 0) return { outcome: 'success', reference: refund.refundId, amountPaise: 0 }
  const [key, logged, paymentKey] = [refundKeyOf(refund, paid), loggedRefund(refund), authorizeKey(paid)]
  if (refund.details.isReportedByBank) {
    const mayStillFail = paid.collectionId === null && now < refund.requestedAt + OTHERS_REFUND_MS
    return reportedByBank(refund, { key, logged, paymentKey, mayStillFail }, acquirer())
  }
  const { mid, orderId, bankPaise } = refund
  // After the lease another process may have asked, and learned that there is no such refund.
  const send = async () =>
    clock.realNow() >= leaseUntil
      ? UNKNOWN
      : acquirer().refund({ key, logged, authorizeKey: paymentKey, mid, orderId, amountPaise: bankPaise })
  // Before any result, a second start means that a process died in the first one. It may have sent the refund, so the acquirer is asked.
  if (refund.checks === 0 && attempts <= 1) return send()
  const answer = await acquirer().status(key, logged, paymentKey)
  // An unanswered first question must count. Otherwise the next run would take the refund for one that was never sent.
  if (refund.checks === 0 && answer.outcome === 'unknown') return UNKNOWN
  const maySend = (payload as unknown as Payload).scheduledAt === undefined
  return maySend && answer.outcome === 'absent' && isAbsenceBelieved(refund, now) ? send() : answer
}

/**
 * Adds to a refusal what others have refunded, by the payment's own status, because not every bank says why it refuses. A refund that is
 * under way counts there too, and may still fail. So the service believes the status only after a week of refusals.
 */
async function withGivenBack(answer: AcquirerAnswer, refund: Refund, paid: Transaction, acquirer: () => Acquirer): Promise<AcquirerAnswer> {
  if (answer.outcome !== 'failure' || answer.givenBack || !isRefusedForAWeek(refund)) return answer
  const payment = await acquirer().status(authorizeKey(paid))
  if (payment.outcome !== 'success' || !payment.refundedPaise) return answer
  return { ...answer, givenBack: { reference: payment.reference, paise: payment.refundedPaise } }
}

/**
 * The bank reported this refund before Mohur made it. The bank has it under Mohur's key, or under a key that this store has never had. When
 * the bank reports neither, this refund has failed, and Mohur's next refund is sent (domain/refund/refund-outcome.ts). `mayStillFail`: others
 * made the refund lately, so it may be under way.
 */
async function reportedByBank(
  { bankPaise }: Refund,
  { key, logged, paymentKey, mayStillFail }: { key: string; logged: string; paymentKey: string; mayStillFail: boolean },
  acquirer: Acquirer,
): Promise<AcquirerAnswer> {
  const ours = await acquirer.status(key, logged, paymentKey)
  if (ours.outcome !== 'absent') return ours
  const payment = await acquirer.status(paymentKey)
  if (payment.outcome !== 'success') return payment.outcome === 'unknown' ? payment : UNKNOWN
  const { reference, refundedPaise = 0 } = payment
  if (refundedPaise < bankPaise) return { outcome: 'failure', failure: 'declined' }
  return mayStillFail ? { outcome: 'pending' } : { outcome: 'success', reference, amountPaise: bankPaise }
}
