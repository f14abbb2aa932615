// `collection.due`: decides the next step of a due cycle. That is a notice, an attempt, a question to the bank about one of them, or the
// cycle's end. The decision is committed before any call goes out. The collection sweep (flows/collection-due.ts) makes the call that the
// reply names. When the cycle is due again, the next run asks the bank for the result. Docs/interface.md section 3; decisions/0017.

import { dateInIndia, dayBegins, dayEnds } from '../../../engine/clock.ts'
import { type Change, type Event, latest, NOTHING, operation, type Reply, type TaskChange } from '../../../engine/decision.ts'
import { ownCodes } from '../../../interface/result-code.ts'
import type { Category, Reference } from '../../../reference/reference.ts'
import {
  collectionKey,
  debitsOpenAtBank,
  merchantKey,
  newCustomerKey,
  noticeKey,
  orderKey,
  standingNoticeOf,
  statusInquiryOf,
  subscriptionKey,
  transactionKey,
} from '../../../tables/keys.ts'
import { look, type Row } from '../../../tables/tables.ts'
import { takesPayments } from '../../merchant/merchant.ts'
import { collectionReads } from '../../notification/notification.ts'
import { isOfFormerOwner, isPending } from '../../signin/signin.ts'
import { notifyKey } from '../../transaction/acquirer-keys.ts'
import { holdOf } from '../../transaction/begin-transaction.ts'
import type { Outcome } from '../../transaction/paying.ts'
import { COLLECT_LEASE_MS } from '../../transaction/transaction.ts'
import { outcomeOf } from '../../transaction/transaction-outcome.ts'
import { isCollected, isPastExpiry } from '../manage-request.ts'
import { notifyOfMoves, recipientKeys } from '../mandate-notifications.ts'
import { outcomeRules } from '../outcome-rules.ts'
import { agreementOf, bankKeepsOurPause, isOver, type Subscription } from '../subscription.ts'
import { automaticOrderId, beginAttempt, collectionRetryAt, isTriedByUs, lastTryOf, nextCheckAt } from './attempt.ts'
import { become, type Collection, checkAgainAt, isAwaited, presentAmounts, subscriptionIdOf } from './collection.ts'
import { afterForbiddenHours, type CollectionRule, checkCollection, noticeMsOf } from './collection-check.ts'
import { usualTryAt } from './collection-times.ts'
import { type ClaimedCycle, collectOf, type Work } from './collection-work.ts'
import { followingKey } from './find-cycle.ts'
import { openBehind } from './open-cycle.ts'
import { asksPayer, intentOf } from './renewal-check.ts'

const codes = ownCodes('advanceCollection', 'taken', 'nothing')
const APPROVAL_NOT_KNOWN_MS = 15 * 60_000 // Mohur's choice: how long to wait before asking the bank again about an approval
const HELD_UP_MS = 15 * 60_000 // Mohur's choice: how long to wait for a bank that has not confirmed a pause's end, or for a disabled merchant
const BARRED_MS = 15 * 60_000 // Mohur's choice: how long to wait for a bank that has not decided, or not refunded, an earlier debit
const NOTICE_REASON = 'subscription' // the reason that the payer's bank receives when the merchant gave none

export interface AdvanceCollection {
  mid: string
  collectionId: string
  reference: Pick<Reference, 'category'>
  /** An earlier run set `nextAt` to `until` and asked the payer's bank for the approval. This run acts on the answer, or on its absence. */
  asked?: { until: number; isAnswered: boolean }
  now: number
  fresh: { txnId: string; noticeId: string }
}

export const advanceCollection = operation({
  name: 'advanceCollection',
  codes,
  reads: ({ mid, collectionId }: AdvanceCollection) => ({
    collection: collectionKey(mid, collectionId),
    subscription: subscriptionKey(mid, subscriptionIdOf(collectionId)),
    merchant: merchantKey(mid),
  }),
  readsNext: ({ mid, now }, { collection, subscription }) => ({
    first: subscription && look('orders', mid, subscription.orderId),
    next: followingKey(subscription, collection),
    standingNotice: collection && hasStandingNotice(collection, now) ? standingNoticeOf(mid, collection.collectionId) : undefined,
    last: collection && lastTryOf(collection),
    taken: collection && mayBegin(collection) ? orderKey(mid, automaticOrderId(collection)) : undefined,
    order: collection?.orderId ? orderKey(mid, collection.orderId) : undefined,
    transaction: collection?.txnId ? transactionKey(mid, collection.txnId) : undefined,
    open: collection && collection.attempts > 0 ? debitsOpenAtBank(collection) : undefined,
    customer: subscription?.mandate?.payer ? newCustomerKey(subscription.mandate.payer.mobile) : undefined,
    ...(subscription ? collectionReads(mid, subscription.orderId) : {}),
    ...recipientKeys(subscription),
  }),
  // Sets are read before the batch's first decision. The last attempt's row is read by its key too, as an answer in the batch has left it.
  readsLast(_command, { last }) {
    const sent = last?.[0] && last[0].sentAt !== null ? last[0] : undefined
    return { inquiry: sent && statusInquiryOf(sent), lastNow: sent && look('transactions', sent.mid, sent.txnId) }
  },
  decide(command, state) {
    const { collection, subscription, merchant, first, standingNotice, last, open, next, taken, order, transaction, customer, ...more } =
      state
    const { inquiry, lastNow, merchantStream, peonStream, callbackStream } = more as Partial<typeof more>
    if (!collection || !subscription || !merchant || !first || !isDue(collection, command))
      return { ...NOTHING, reply: { result: codes.nothing } }
    const { done, scheduled } = decideCycle({
      ...{ command, collection, subscription, merchant, first, order, transaction, customer, merchantStream, peonStream, callbackStream },
      standingNotice: standingNotice?.[0],
      last: last?.[0],
      isBarred:
        open?.some(({ txnId }) => txnId !== collection.txnId) || lastNow?.openAtBank || (inquiry?.[0]?.dueAt ?? Infinity) <= command.now,
      isNameTaken: taken !== undefined,
      isNextThere: next !== undefined,
      category: command.reference.category(merchant.mcc),
      now: command.now,
    })
    const body: Partial<ClaimedCycle> = done.work ? { work: done.work, subscription, merchant, first, order: done.order ?? order } : {}
    const reply: Reply<(typeof codes)['taken']> = { result: codes.taken, body }
    return notifyOfMoves(state, command.now, {
      reply,
      changes: [...done.changes, ...(scheduled?.changes ?? [])],
      events: [...done.events, ...(scheduled?.events ?? [])],
      tasks: done.tasks ?? [],
    })
  },
})

/** True when the cycle is due. After a question to the bank: true while no other run has taken the cycle since. */
const isDue = ({ nextAt }: Collection, { asked, now }: AdvanceCollection) =>
  nextAt !== null && (asked ? nextAt === asked.until : nextAt <= now)

const mayBegin = ({ status, noticeNeeded, noticedAt }: Collection) => status !== 'IN_FLIGHT' && (!noticeNeeded || noticedAt !== null)
/** The notice decides the next step while it is unanswered, or while it may name a later day than today. */
const hasStandingNotice = ({ notices, noticedAt, sentAt, windowTo }: Collection, now: number) =>
  notices > 0 && sentAt === null && (noticedAt === null || dateInIndia(now) < windowTo)

interface Due {
  command: AdvanceCollection
  collection: Collection
  subscription: Subscription
  merchant: Row<'merchants'>
  /** The order by which the customer consented. */
  first: Row<'orders'>
  /** The standing notice: it has succeeded, or it has no answer yet. */
  standingNotice: Row<'notices'> | undefined
  /** The previous attempt. */
  last: Row<'transactions'> | undefined
  /** The rows of the attempt in flight. */
  order: Row<'orders'> | undefined
  transaction: Row<'transactions'> | undefined
  customer: Row<'customers'> | undefined
  merchantStream: Row<'notificationStreams'> | undefined
  peonStream: Row<'notificationStreams'> | undefined
  callbackStream: Row<'notificationStreams'> | undefined
  /**
   * True while the bank may still make an earlier debit of the cycle, or still has to return that debit's money. True also while a question
   * about the previous attempt is due or under way, if that attempt was sent. The answer ends such a bar, as does the end of the cycle's days.
   */
  isBarred: boolean
  isNameTaken: boolean
  isNextThere: boolean
  category: Category | undefined
  now: number
}
interface Done {
  changes: readonly Change[]
  events: readonly Event[]
  tasks?: readonly TaskChange[]
  work?: Work
  order?: Row<'orders'>
}

/** Decides the cycle's next step. Also opens the next cycle, which must exist from this cycle's first run on. */
function decideCycle(due: Due): { done: Done; scheduled: ReturnType<typeof openBehind> } {
  const { collection, subscription, category, isNextThere, now } = due
  const goesOn = collection.number !== null && !isNextThere
  return { done: stepOf(due), scheduled: goesOn ? openBehind(subscription, category, collection.number! + 1, now) : undefined }
}

function stepOf(due: Due): Done {
  const { collection, subscription, standingNotice, now } = due
  if (collection.status === 'IN_FLIGHT') return collection.sentAt === null ? sendDeferred(due) : inquireDebitStatus(due)
  if (isOver(subscription) || isPastExpiry(subscription, now))
    return end(due, isOver(subscription) && subscription.status !== 'EXPIRED' ? 'cancelled' : 'windowOver')
  if (now >= dayEnds(collection.windowTo)) return end(due, 'windowOver')
  // A payer whose subscription was suspended at any instant of the due day is not debited for that day.
  const begins = dayBegins(collection.windowFrom)
  if (subscription.status !== 'ACTIVE' && now >= begins) return end(due, 'paused')
  if (subscription.status !== 'ACTIVE') return { changes: [checkAgainAt(collection, begins)], events: [] }
  if (isHeldUp(due)) return { changes: [checkAgainAt(collection, now + HELD_UP_MS)], events: [] }
  const isOurs = isTriedByUs(subscription, collection)
  const unanswered = collection.noticedAt === null && standingNotice?.status === 'PENDING' ? standingNotice : undefined
  if (unanswered && (!isOurs || isWaitedFor(due, unanswered))) return sendNotice(due, unanswered, false)
  // The payer agreed to other terms during an attempt, and the cycle's notices have failed.
  if (!isNoticed(due) && collection.maxPaise !== subscription.maxAmountPaise)
    return become(collection, { ...collection, ...presentAmounts(subscription), nextAt: now }, 'terms-changed', now)
  if (!isOurs) return askPayer(due, () => ({ changes: [checkAgainAt(collection, nextCheckAt(collection, now))], events: [] }))
  if (collection.noticedAt === null && needsNoticeFirst(due)) return notify(due)
  return attempt(due)
}

/** True when the payer has the notice, or may have it. Such a notice keeps the cycle's terms. */
const isNoticed = ({ collection, standingNotice }: Due) => collection.noticedAt !== null || standingNotice !== undefined

// ---------------------------------------------------------------------------------------------------------------- ends

/** True while nothing new may go to the bank. The cycle still ends when its days are over. */
const isHeldUp = ({ subscription, merchant }: Due) => bankKeepsOurPause(subscription) || !takesPayments(merchant)

function end({ collection, now }: Due, why: CollectionRule | 'cancelled' | 'paused'): Done {
  const status = collection.attempts > 0 ? 'FAILED' : 'MISSED'
  const row = { ...collection, status, orderId: null, txnId: null, sentAt: null, nextAt: null } as const
  return become(collection, row, status === 'FAILED' ? 'failed' : 'missed', now, { why })
}

// -------------------------------------------------------------------------------------------------------------- notices

/** True when the cycle needs a notice, or when the amount is above the limit. There the notice asks for an approval. */
const needsNoticeFirst = ({ collection, category, now }: Due) =>
  collection.noticeNeeded || asksPayer(collection, category, collection.amountPaise!, dateInIndia(now)) === 'ASKED'

/** A debit that needs neither notice nor approval waits for an unanswered notice until the usual hour of its debit date. */
const isWaitedFor = (due: Due, { debitDate }: Row<'notices'>) =>
  needsNoticeFirst(due) || due.collection.authentication === 'ASKED' || due.now < usualTryAt(due.collection, debitDate)

/** Notifies the payer if a day's notice still fits the window. Otherwise the cycle ends, because nothing may be debited. */
function notify(due: Due): Done {
  const { collection: before, subscription, category, command, now } = due
  const { mid, collectionId, rail, windowFrom, windowTo, amountPaise, dueDate } = before
  const debitAt = afterForbiddenHours(Math.max(now + noticeMsOf(before, dateInIndia(now)), dayBegins(windowFrom)), rail, category)
  if (debitAt >= dayEnds(windowTo)) return end(due, 'noticeTooShort')
  const notice: Row<'notices'> = {
    mid,
    noticeId: command.fresh.noticeId,
    subscriptionId: subscription.subscriptionId,
    collectionId,
    number: before.notices + 1,
    referenceId: `${collectionId}.${before.notices + 1}`,
    orderId: null,
    status: 'PENDING',
    amountPaise: amountPaise!,
    debitDate: dateInIndia(debitAt) > dueDate ? dateInIndia(debitAt) : dueDate,
    content: { txnMessage: NOTICE_REASON },
    requestedAt: now,
    answeredAt: null,
  }
  const authentication = asksPayer(before, category, notice.amountPaise, notice.debitDate)
  const collection = { ...before, notices: notice.number, authentication }
  const sent = sendNotice({ ...due, collection }, notice, true)
  return { ...sent, changes: [{ kind: 'insert', key: noticeKey(mid, notice.noticeId), row: notice }, ...sent.changes] }
}

function sendNotice({ collection, now }: Due, notice: Row<'notices'>, isFirst: boolean): Done {
  const key = notifyKey(collection.mid, collection.collectionId, notice.number)
  const authenticationNeeded = collection.authentication === 'ASKED'
  const until = dayEnds(notice.debitDate) - noticeMsOf(collection, notice.debitDate)
  return {
    changes: [checkAgainAt(collection, now + COLLECT_LEASE_MS)],
    events: [],
    work: { kind: 'notify', key, notice, authenticationNeeded, isFirst, until },
  }
}

// ------------------------------------------------------------------------------------------------------------- attempts

function attempt(due: Due): Done {
  const { collection, subscription, standingNotice, last, first, category, command, isNameTaken, now } = due
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
    orderId: isNameTaken ? `A${command.fresh.txnId}` : automaticOrderId(collection),
    txnId: command.fresh.txnId,
  }
  if (!('rule' in verdict)) return sent(due, beginAttempt(beginning))
  // A debit that needs the payer's approval and lacks it is not sent, and no wallet amount is held. The attempt fails, and counts.
  return askPayer(due, () => {
    const unsent = beginAttempt({ ...beginning, isLeftToCollector: true })
    return endedBy(due, unsent, { outcome: 'failure', failure: 'notAuthenticated' })
  })
}

/** The bank's report of an approval may be lost. So the service asks the payer's bank before it acts on a missing approval. */
function askPayer({ collection, command: { asked }, now }: Due, otherwise: () => Done): Done {
  if (!isAwaited(collection) || asked?.isAnswered) return otherwise()
  if (asked) return { changes: [checkAgainAt(collection, now + APPROVAL_NOT_KNOWN_MS)], events: [] }
  const { collectionId, notices: number } = collection
  const until = now + COLLECT_LEASE_MS
  return { changes: [checkAgainAt(collection, until)], events: [], work: { kind: 'askPayer', collectionId, number, until } }
}

/** Sends an attempt that waited for its hour. The rules and the state are checked again first. */
function sendDeferred(due: Due): Done {
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
function sent(due: Due, attempt: Begun): Done {
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
function endedBy(due: Due, attempt: Begun, answer: Parameters<typeof outcomeOf>[1]): Done {
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
function inquireDebitStatus(due: Due): Done {
  const { collection, transaction, now } = due
  if (!transaction) return { changes: [], events: [] }
  const work = collectOf(due, transaction, false)
  return { changes: [checkAgainAt(collection, now + COLLECT_LEASE_MS)], events: [], work }
}
