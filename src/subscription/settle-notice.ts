// What an acquirer, or our own messenger, answered to a notice: docs/interface.md section 3. A notice that has succeeded opens
// the cycle to debits a day later; one that has failed is sent again while a day's notice still fits the window.

import { dateInIndia, dayBegins, dayEnds } from '../engine/clock.ts'
import { type Change, latest } from '../engine/decision.ts'
import { ownCodes } from '../interface/result-code.ts'
import { collectionKey, merchantKey, noticeKey, type Row, subscriptionKey } from '../tables.ts'
import { isCollectedByUs } from './attempt.ts'
import { become, type Collection, hasEnded } from './collection.ts'
import { firstTryAt } from './cycles.ts'
import { endCycle, unsentKeys } from './end-cycle.ts'
import { afterForbiddenHours } from './permits.ts'
import { type Category, ruleOf } from './rule-book.ts'
import type { Subscription } from './subscription.ts'
import { nextNoticeAt, subscriptionIdOf } from './take-up-collection.ts'
import { mandateOperation } from './telling.ts'

const codes = ownCodes('settleNotice', 'settled', 'gone')
const HOUR_MS = 60 * 60_000
const ASK_AGAIN_MS = 15 * 60_000 // ours: a notice that nobody has answered for

export interface SettleNotice {
  mid: string
  collectionId: string
  noticeId: string
  outcome: 'success' | 'failure' | 'optedOut' | 'pending' | 'unknown'
  category: Category | undefined
  now: number
}

export const settleNotice = mandateOperation({
  name: 'settleNotice',
  codes,
  reads: ({ mid, collectionId, noticeId }: SettleNotice) => ({
    collection: collectionKey(mid, collectionId),
    subscription: subscriptionKey(mid, subscriptionIdOf(collectionId)),
    notice: noticeKey(mid, noticeId),
    merchant: merchantKey(mid),
  }),
  readsLast: (_command, { subscription, collection }) => unsentKeys(subscription, [collection]),
  decide({ outcome, category, now }, { collection, subscription, notice, ...waiting }) {
    // Between the notice and the debit its payer may still opt out; nothing else becomes of one that was given.
    const isOpen = notice?.status === 'PENDING' || (notice?.status === 'SUCCESS' && outcome === 'optedOut')
    if (!collection || !subscription || !notice || !isOpen) return { reply: { result: codes.gone }, changes: [], events: [], tasks: [] }
    const reply = { result: codes.settled }
    if (outcome === 'pending' || outcome === 'unknown')
      return { reply, changes: hasEnded(collection) ? [] : [lookedAtAgain(collection, now + ASK_AGAIN_MS)], events: [], tasks: [] }
    const status = { success: 'SUCCESS', failure: 'FAILURE', optedOut: 'OPTED_OUT' } as const
    const answered: Row<'notices'> = { ...notice, status: status[outcome], answeredAt: now }
    const change: Change = { kind: 'update', key: noticeKey(notice.mid, notice.noticeId), row: answered }
    if (outcome === 'optedOut') {
      const { changes, ...ended } = endCycle(collection, subscription, waiting, 'skipped', now, { noticeId: notice.noticeId })
      return { reply, changes: latest([change, ...changes]), ...ended }
    }
    // What ended, or is being debited already, is not moved by a late word about its notice.
    const isBefore = collection.status === 'SCHEDULED' || collection.status === 'NOTIFIED'
    const cycle = isBefore ? afterNotice(collection, subscription, answered, category, now) : { changes: [], events: [] }
    return { reply, changes: [change, ...cycle.changes], events: cycle.events, tasks: [] }
  },
})

const lookedAtAgain = (row: Collection, nextAt: number): Change => ({
  kind: 'update',
  key: collectionKey(row.mid, row.collectionId),
  row: { ...row, nextAt },
})

function afterNotice(before: Collection, subscription: Subscription, notice: Row<'notices'>, category: Category | undefined, now: number) {
  const { noticeId, amountPaise } = notice
  const windowEnd = dayEnds(before.windowTo)
  if (notice.status === 'FAILURE') {
    const nextAt = isCollectedByUs(subscription) ? nextNoticeAt(now) : windowEnd
    return become(before, { ...before, nextAt }, 'notice-failed', now, { noticeId })
  }
  const nextAt = isCollectedByUs(subscription) ? Math.min(debitAt(before, category, now), windowEnd) : windowEnd
  const row: Collection = { ...before, status: 'NOTIFIED', noticedAt: now, noticedPaise: amountPaise, nextAt }
  return become(before, row, 'noticed', now, { noticeId, noticedPaise: amountPaise })
}

/** The usual hour, or later where the notice was late. */
function debitAt({ windowFrom, windowTo, dueDate, rail }: Collection, category: Category | undefined, now: number): number {
  const noticeMs = (ruleOf('noticeHours', rail, category, dateInIndia(now))?.value ?? 0) * HOUR_MS
  // A day that only stands for the due day begins with the first permitted instant, not with the usual hour.
  const usual = windowFrom === dueDate ? firstTryAt({ from: windowFrom, to: windowTo }) : dayBegins(windowFrom)
  return afterForbiddenHours(Math.max(usual, now + noticeMs), rail, category)
}
