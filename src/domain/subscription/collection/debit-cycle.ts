// A due cycle's attempt: whether the attempt may be sent now, what is sent, and what to ask the bank about it.

import { dayEnds } from '../../../engine/clock.ts'
import { type Change, latest } from '../../../engine/decision.ts'
import { transactionKey } from '../../../tables/keys.ts'
import type { Row } from '../../../tables/tables.ts'
import { isOfFormerOwner, isPending } from '../../signin/signin.ts'
import { collectKey, notifyKey } from '../../transaction/acquirer-keys.ts'
import { holdOf } from '../../transaction/begin-transaction.ts'
import type { Outcome } from '../../transaction/paying.ts'
import { COLLECT_LEASE_MS } from '../../transaction/transaction.ts'
import { outcomeOf } from '../../transaction/transaction-outcome.ts'
import { isCollected } from '../manage-request.ts'
import { outcomeRules } from '../outcome-rules.ts'
import { agreementOf, type Subscription } from '../subscription.ts'
import { automaticOrderId, beginAttempt, collectionRetryAt } from './attempt.ts'
import { type Collection, checkAgainAt } from './collection.ts'
import { checkCollection } from './collection-check.ts'
import { usualTryAt } from './collection-times.ts'
import { askPayer, type Due, end, HELD_UP_MS, isHeldUp, isNoticed, type Step, type Work } from './due-cycle.ts'
import { intentOf } from './renewal-check.ts'

const BARRED_MS = 15 * 60_000 // Mohur's choice: how long to wait for a bank that has not decided, or not refunded, an earlier debit

export function attempt(due: Due): Step {
  const { collection, subscription, standingNotice, last, first, category, fresh, isNameTaken, now } = due
  if (due.isBarred) return { changes: [checkAgainAt(collection, now + BARRED_MS)], events: [] }
  const verdict = checkCollection({ ...intentOf(collection, category, collection.amountPaise!), standingNotice }, now)
  const isForbidden = 'rule' in verdict && verdict.rule !== 'notAuthenticated'
  if (isForbidden && verdict.next === undefined) return end(due, verdict.rule)
  // A run may come early for any reason. No attempt comes before the usual hour of the day that the notice named. No retry comes before its
  // time.
  const usualAt = Math.max(usualTryAt(collection, standingNotice?.debitDate), last ? collectionRetryAt(collection, last.initiatedAt) : 0)
  const opensAt = Math.max((isForbidden && verdict.next) || now, usualAt)
  if (opensAt > now) return { changes: [checkAgainAt(collection, opensAt)], events: [] }
  const beginning = {
    ...{ subscription, collection, first, now, sendAt: now, amountPaise: collection.amountPaise! },
    orderId: isNameTaken ? `A${fresh.txnId}` : automaticOrderId(collection),
    txnId: fresh.txnId,
  }
  if (!('rule' in verdict)) return sent(due, beginAttempt(beginning))
  // A debit that needs the payer's approval and lacks it is not sent, and no wallet amount is held. The attempt fails, and counts.
  return askPayer(due, () => {
    const unsent = beginAttempt({ ...beginning, isLeftToCollector: true })
    return endedBy(due, unsent, { outcome: 'failure', failure: 'notAuthenticated' })
  })
}

/** Sends an attempt that waited for its hour. The rules and the state are checked again first. */
export function sendDeferred(due: Due): Step {
  const { collection, subscription, standingNotice, category, order, transaction, now } = due
  const attempt = { order: order!, transaction: transaction!, collection, changes: [], events: [] }
  const leaves = { ...transaction!, initiatedAt: now, updatedAt: now } // the attempt may have been requested days ago; its time begins here
  if (!isCollected(subscription, now)) return endedBy(due, attempt, { outcome: 'failure', failure: 'cancelled' })
  // The payer has agreed to less meanwhile, and was not notified of the attempt's amount. So the attempt is withdrawn.
  if (!isNoticed(due) && order!.amountPaise > subscription.maxAmountPaise)
    return endedBy(due, attempt, { outcome: 'failure', failure: 'cancelled' })
  const verdict = checkCollection({ ...intentOf(collection, category, order!.amountPaise, collection.attempts - 1), standingNotice }, now)
  const waitsUntil = 'rule' in verdict ? verdict.next : isHeldUp(due) ? now + HELD_UP_MS : undefined
  if (waitsUntil !== undefined) return { changes: [checkAgainAt(collection, waitsUntil)], events: [] }
  if ('rule' in verdict && verdict.rule === 'notAuthenticated')
    return askPayer(due, () => endedBy(due, { ...attempt, transaction: leaves }, { outcome: 'failure', failure: 'notAuthenticated' }))
  if ('rule' in verdict) return endedBy(due, attempt, { outcome: 'failure', failure: 'timedOut' })
  if (due.isBarred) return { changes: [checkAgainAt(collection, now + BARRED_MS)], events: [] }
  const row = { ...collection, sentAt: now, nextAt: now + COLLECT_LEASE_MS }
  const left = { ...leaves, sentAt: collection.rail === 'WALLET' ? null : (leaves.sentAt ?? now) }
  const changes: Change[] = [checkAgainAt(row, row.nextAt), { kind: 'update', key: transactionKey(left.mid, left.txnId), row: left }]
  return sent(due, { ...attempt, transaction: left, collection: row, changes })
}

type Begun = Pick<ReturnType<typeof beginAttempt>, 'order' | 'transaction' | 'collection' | 'changes' | 'events'>

/** A bank is called after the commit. A wallet pays in this decision, because wallets are in Mohur's own books. */
function sent(due: Due, attempt: Begun): Step {
  const { transaction, order, collection } = attempt
  if (collection.rail !== 'WALLET')
    return { changes: attempt.changes, events: attempt.events, order, work: collectOf({ ...due, collection }, transaction, true) }
  const { customer, subscription, now } = due
  const isOpen = customer !== undefined && !isPending(customer, now) && !isOfFormerOwner(agreementOf(subscription), customer)
  if (!isOpen || customer.walletBalancePaise < transaction.walletPaise) {
    const unsent = { ...attempt, collection: { ...collection, sentAt: null } }
    return endedBy(due, unsent, { outcome: 'failure', failure: isOpen ? 'insufficientFunds' : 'invalidInstrument' })
  }
  const held = holdOf(customer, transaction, now)
  const ended = endedBy({ ...due, customer: held.customer }, attempt, {
    outcome: 'success',
    reference: transaction.txnId,
    amountPaise: 0,
  })
  return { ...ended, changes: latest([...held.changes, ...ended.changes]) }
}

/** Applies a result that needs no call. */
function endedBy(due: Due, attempt: Begun, answer: Parameters<typeof outcomeOf>[1]): Step {
  const { merchant, category, customer, subscription, merchantStream, peonStream, callbackStream, now } = due
  const { order, transaction, collection } = attempt
  const ofCycles = { redemption: undefined, savedCard: undefined, everybody: undefined, ofCustomer: undefined, firstAskedAt: now }
  const recipients = { merchant, customer, merchantStream, peonStream, callbackStream }
  const rules = outcomeRules({ subscription, collection, category, isNoticed: isNoticed(due) })
  const cycle = { rules, windowEndsAt: dayEnds(collection.windowTo) }
  const applied: Outcome = outcomeOf({ ...ofCycles, ...recipients, ...cycle, order, transaction }, answer, now)
  return {
    changes: latest([...attempt.changes, ...applied.changes]),
    events: [...attempt.events, ...applied.events],
    tasks: applied.tasks,
  }
}

/** Asks for the result of a sent debit that has no answer. */
export function inquireDebitStatus(due: Due): Step {
  const { collection, transaction, now } = due
  if (!transaction) return { changes: [], events: [] }
  const work = collectOf(due, transaction, false)
  return { changes: [checkAgainAt(collection, now + COLLECT_LEASE_MS)], events: [], work }
}

/** The debit of an attempt, or the question for its result. */
function collectOf(
  { collection, subscription, now }: { collection: Collection; subscription: Subscription; now: number },
  { txnId, bankPaise }: Row<'transactions'>,
  isFirst: boolean,
): Work {
  const { mid, collectionId, attempts, notices, noticedAt, authentication, windowTo } = collection
  const key = collectKey(mid, collectionId, attempts)
  const until = Math.min(now + COLLECT_LEASE_MS, dayEnds(windowTo), dayEnds(subscription.expiryDate))
  return {
    ...{ kind: 'collect', key, collectionId, txnId, amountPaise: bankPaise, attempt: attempts, isFirst, until },
    notifyKey: noticedAt === null ? undefined : notifyKey(mid, collectionId, notices),
    authenticated: authentication === 'APPROVED',
  }
}
