// A due cycle's notice: whether the cycle needs one, for which day, and how long to wait for its answer.

import { dateInIndia, dayBegins, dayEnds } from '../../../engine/clock.ts'
import { noticeKey } from '../../../tables/keys.ts'
import type { Row } from '../../../tables/tables.ts'
import { notifyKey } from '../../transaction/acquirer-keys.ts'
import { COLLECT_LEASE_MS } from '../../transaction/transaction.ts'
import { checkAgainAt } from './collection.ts'
import { afterForbiddenHours, noticeMsOf } from './collection-check.ts'
import { usualTryAt } from './collection-times.ts'
import { type Due, end, type Step } from './due-cycle.ts'
import { asksPayer } from './renewal-check.ts'

const NOTICE_REASON = 'subscription' // the reason that the payer's bank receives when the merchant gave none

/** True when the cycle needs a notice, or when the amount is above the limit. There the notice asks for an approval. */
export const needsNoticeFirst = ({ collection, category, now }: Due) =>
  collection.noticeNeeded || asksPayer(collection, category, collection.amountPaise!, dateInIndia(now)) === 'ASKED'

/** A debit that needs neither notice nor approval waits for an unanswered notice until the usual hour of its debit date. */
export const isWaitedFor = (due: Due, { debitDate }: Row<'notices'>) =>
  needsNoticeFirst(due) || due.collection.authentication === 'ASKED' || due.now < usualTryAt(due.collection, debitDate)

/** Notifies the payer if a day's notice still fits the window. Otherwise the cycle ends, because nothing may be debited. */
export function notify(due: Due): Step {
  const { collection: before, subscription, category, fresh, now } = due
  const { mid, collectionId, rail, windowFrom, windowTo, amountPaise, dueDate } = before
  const debitAt = afterForbiddenHours(Math.max(now + noticeMsOf(before, dateInIndia(now)), dayBegins(windowFrom)), rail, category)
  if (debitAt >= dayEnds(windowTo)) return end(due, 'noticeTooShort')
  const notice: Row<'notices'> = {
    mid,
    noticeId: fresh.noticeId,
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

export function sendNotice({ collection, now }: Due, notice: Row<'notices'>, isFirst: boolean): Step {
  const key = notifyKey(collection.mid, collection.collectionId, notice.number)
  const authenticationNeeded = collection.authentication === 'ASKED'
  const until = dayEnds(notice.debitDate) - noticeMsOf(collection, notice.debitDate)
  return {
    changes: [checkAgainAt(collection, now + COLLECT_LEASE_MS)],
    events: [],
    work: { kind: 'notify', key, notice, authenticationNeeded, isFirst, until },
  }
}
