// `collection.due`: decides the next step of a due cycle. That is a notice, an attempt, a question to the bank about one of them, or the
// cycle's end. The decision is committed before any call goes out. The collection sweep (flows/collection-due.ts) makes the call that the
// reply names. When the cycle is due again, the next run asks the bank for the result. Docs/interface.md section 3; decisions/0017.

import { dateInIndia, dayBegins, dayEnds } from '../../../engine/clock.ts'
import { NOTHING, operation, type Reply } from '../../../engine/decision.ts'
import { ownCodes } from '../../../interface/result-code.ts'
import type { Reference } from '../../../reference/reference.ts'
import {
  collectionKey,
  debitsOpenAtBank,
  merchantKey,
  newCustomerKey,
  orderKey,
  standingNoticeOf,
  statusInquiryOf,
  subscriptionKey,
  transactionKey,
} from '../../../tables/keys.ts'
import { look, type Row } from '../../../tables/tables.ts'
import { collectionReads } from '../../notification/notification.ts'
import { isPastExpiry } from '../manage-request.ts'
import { notifyOfMoves, recipientKeys } from '../mandate-notifications.ts'
import { isOver } from '../subscription.ts'
import { automaticOrderId, isTriedByUs, lastTryOf, nextCheckAt } from './attempt.ts'
import { become, type Collection, checkAgainAt, presentAmounts, subscriptionIdOf } from './collection.ts'
import { attempt, inquireDebitStatus, sendDeferred } from './debit-cycle.ts'
import { type AskedPayer, askPayer, type ClaimedCycle, type Due, end, HELD_UP_MS, isHeldUp, isNoticed, type Step } from './due-cycle.ts'
import { followingKey } from './find-cycle.ts'
import { isWaitedFor, needsNoticeFirst, notify, sendNotice } from './notify-cycle.ts'
import { openBehind } from './open-cycle.ts'

const codes = ownCodes('advanceCollection', 'taken', 'nothing')

export interface AdvanceCollection {
  mid: string
  collectionId: string
  reference: Pick<Reference, 'category'>
  /** This run acts on the answer, or on its absence. */
  asked?: AskedPayer
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
    const { step, scheduled } = decideCycle({
      ...{ collection, subscription, merchant, first, order, transaction, customer, merchantStream, peonStream, callbackStream },
      standingNotice: standingNotice?.[0],
      last: last?.[0],
      isBarred: isBarred(collection, { open, lastNow, inquiry: inquiry?.[0] }, command.now),
      isNameTaken: taken !== undefined,
      isNextThere: next !== undefined,
      category: command.reference.category(merchant.mcc),
      asked: command.asked,
      fresh: command.fresh,
      now: command.now,
    })
    const body: Partial<ClaimedCycle> = step.work ? { work: step.work, subscription, merchant, first, order: step.order ?? order } : {}
    const reply: Reply<(typeof codes)['taken']> = { result: codes.taken, body }
    return notifyOfMoves(state, command.now, {
      reply,
      changes: [...step.changes, ...(scheduled?.changes ?? [])],
      events: [...step.events, ...(scheduled?.events ?? [])],
      tasks: step.tasks ?? [],
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

interface EarlierDebits {
  open: readonly Row<'transactions'>[] | undefined
  lastNow: Row<'transactions'> | undefined
  inquiry: Row<'tasks'> | undefined
}

/**
 * True while the bank may still make an earlier debit of the cycle, or still has to return that debit's money. True also while a question
 * about the previous attempt is due or under way, if that attempt was sent. The answer ends such a bar, as does the end of the cycle's days.
 */
const isBarred = ({ txnId }: Collection, { open = [], lastNow, inquiry }: EarlierDebits, now: number) =>
  open.some((debit) => debit.txnId !== txnId) || lastNow?.openAtBank === true || (inquiry?.dueAt ?? Infinity) <= now

/** Decides the cycle's next step. Also opens the next cycle, which must exist from this cycle's first run on. */
function decideCycle(due: Due): { step: Step; scheduled: ReturnType<typeof openBehind> } {
  const { collection, subscription, category, isNextThere, now } = due
  const goesOn = collection.number !== null && !isNextThere
  return { step: stepOf(due), scheduled: goesOn ? openBehind(subscription, category, collection.number! + 1, now) : undefined }
}

function stepOf(due: Due): Step {
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
