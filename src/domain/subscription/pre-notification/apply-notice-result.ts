// Applies the answer of an acquirer, or of Mohur's messenger, to a notice: docs/interface.md section 3. A succeeded notice opens the cycle
// to debits a day later. A failed notice is sent again while a day's notice still fits the window. Above the limit a notice also asks the
// payer to approve the debit. The payer's answer comes with the notice's result, or later.

import { dateInIndia, dayEnds } from '../../../engine/clock.ts'
import { type Change, latest, NOTHING, operation } from '../../../engine/decision.ts'
import { ownCodes } from '../../../interface/result-code.ts'
import type { Category } from '../../../reference/reference.ts'
import { collectionKey, mandatePageKey, merchantKey, noticeKey, subscriptionKey } from '../../../tables/keys.ts'
import type { Row } from '../../../tables/tables.ts'
import { isCollectedByUs, nextCheckAt } from '../collection/attempt.ts'
import { become, type Collection, checkAgainAt, isUnsent, subscriptionIdOf, withTerms } from '../collection/collection.ts'
import { afterForbiddenHours, noticeMsOf } from '../collection/collection-check.ts'
import { usualTryAt } from '../collection/collection-times.ts'
import { type Ended, endCycle, hasMoved, unsentKeys, type Waiting } from '../collection/end-cycle.ts'
import { followingKey, followingOf } from '../collection/find-cycle.ts'
import { cycleTerms } from '../mandate/apply-edit-result.ts'
import { notifyOfMoves, recipientKeys } from '../mandate-notifications.ts'
import { isOpen, type MandatePage, type TypedCode, tried } from '../payer-page/mandate-page.ts'
import type { Subscription } from '../subscription.ts'

const codes = ownCodes('applyNoticeResult', 'applied', 'gone', 'wrong', 'over', 'used', 'exceeded')
const NOTIFY_AGAIN_AFTER_MS = 60 * 60_000 // Mohur's choice: how long to wait after a failed notice; the cycle ends when no notice fits any more
const ASK_AGAIN_MS = 15 * 60_000 // Mohur's choice: how long to wait before asking again about an unanswered notice

export interface ApplyNoticeResult {
  mid: string
  collectionId: string
  noticeId: string
  outcome: 'success' | 'failure' | 'optedOut' | 'pending' | 'unknown'
  /** The payer's answer when they were asked to approve the debit. */
  authentication?: 'pending' | 'approved' | 'declined' | undefined
  /** The payer acts on the mandate page, and not at their bank. An approval takes the code that was sent for this very debit. */
  onPage?: { code?: TypedCode }
  category: Category | undefined
  now: number
}

export const applyNoticeResult = operation({
  name: 'applyNoticeResult',
  codes,
  reads: ({ mid, collectionId, noticeId, onPage }: ApplyNoticeResult) => ({
    collection: collectionKey(mid, collectionId),
    subscription: subscriptionKey(mid, subscriptionIdOf(collectionId)),
    notice: noticeKey(mid, noticeId),
    merchant: merchantKey(mid),
    page: onPage?.code && mandatePageKey(onPage.code.pageHash),
  }),
  readsNext: ({ outcome }, { collection, subscription }) => ({
    following: outcome === 'optedOut' ? followingKey(subscription, collection) : undefined,
    ...recipientKeys(subscription),
  }),
  readsLast: (_command, { subscription, collection }) => unsentKeys(subscription, [collection]),
  decide(said, state) {
    const { collection, subscription, notice, page, following, ...waiting } = state
    const { outcome, onPage, now } = said
    // Until the debit, the payer of a succeeded notice may still opt out, or approve the debit. No other answer changes that notice.
    const isOpen = notice?.status === 'PENDING' || (notice?.status === 'SUCCESS' && (outcome === 'optedOut' || outcome === 'success'))
    if (!collection || !subscription || !notice || !isOpen) return { ...NOTHING, reply: { result: codes.gone } }
    // On the mandate page only a wallet's debits are approved or declined. For every other debit the payer's bank asks.
    if (onPage && said.authentication && collection.rail !== 'WALLET') return { ...NOTHING, reply: { result: codes.gone } }
    if (onPage && said.authentication === 'approved') return notifyOfMoves(state, now, approvedOnPage(said, collection, notice, page))
    const reply = { result: codes.applied }
    // An attempt that waits for its hour or its result has a time of its own. No answer about its notice changes that time.
    if (outcome === 'pending' || outcome === 'unknown')
      return { reply, changes: isUntried(collection) ? [checkAgainAt(collection, now + ASK_AGAIN_MS)] : [], events: [], tasks: [] }
    const isSaidInVain = (done: Ended) => onPage !== undefined && !hasMoved(done)
    if (notice.status === 'SUCCESS' && outcome === 'success') {
      const done = approved(collection, notice, said)
      return notifyOfMoves(state, now, { reply: { result: isSaidInVain(done) ? codes.gone : codes.applied }, ...done })
    }
    const status = { success: 'SUCCESS', failure: 'FAILURE', optedOut: 'OPTED_OUT' } as const
    const answered: Row<'notices'> = { ...notice, status: status[outcome], answeredAt: now }
    const change: Change = { kind: 'update', key: noticeKey(notice.mid, notice.noticeId), row: answered }
    const done = afterNotice(collection, subscription, answered, waiting, said)
    // If the collection sweep has not come to this cycle yet, the next cycle is not open. So a skip opens the next cycle.
    const isSkipped = outcome === 'optedOut' && hasMoved(done)
    const next = isSkipped ? followingOf(subscription, said.category, collection, following, now) : NOTHING
    return notifyOfMoves(state, now, {
      reply: { result: isSaidInVain(done) ? codes.gone : codes.applied },
      changes: latest([change, ...done.changes, ...next.changes]),
      events: [...done.events, ...next.events],
      tasks: done.tasks,
    })
  },
})

/** The decision that approves the debit uses up the code. */
function approvedOnPage(said: ApplyNoticeResult, collection: Collection, notice: Row<'notices'>, page: MandatePage | undefined) {
  const code = said.onPage?.code
  const isOfIt = page && isOpen(page, said.now) && page.mid === notice.mid && page.subscriptionId === notice.subscriptionId
  if (!code || !isOfIt) return { ...NOTHING, reply: { result: codes.gone } }
  const { verdict, page: after } = tried(page, code, `debit:${notice.noticeId}`, said.now)
  const change: Change[] = after === page ? [] : [{ kind: 'update', key: mandatePageKey(page.pageHash), row: after }]
  if (verdict !== 'right') return { reply: { result: codes[verdict] }, changes: change, events: [], tasks: [] }
  const { changes, events, tasks } = approved(collection, notice, said)
  // The cycle may have ended meanwhile.
  return { reply: { result: events.length > 0 ? codes.applied : codes.gone }, changes: [...change, ...changes], events, tasks }
}

const isUntried = ({ status }: Collection) => status === 'SCHEDULED' || status === 'NOTIFIED'

/**
 * A late answer about a notice does not move a cycle that has ended, or is being debited already. An attempt that waits for its hour keeps
 * its time and its terms.
 */
function afterNotice(
  before: Collection,
  subscription: Subscription,
  notice: Row<'notices'>,
  waiting: Waiting,
  said: ApplyNoticeResult,
): Ended {
  const { category, now } = said
  const { noticeId, referenceId, amountPaise } = notice
  const windowEnd = dayEnds(before.windowTo)
  if (notice.status === 'OPTED_OUT') return endCycle(before, subscription, waiting, 'skipped', now, { noticeId })
  const isWaiting = isUnsent(before)
  if (!isUntried(before) && !isWaiting) return NOTHING
  const isOurs = isCollectedByUs(subscription)
  if (notice.status === 'FAILURE') {
    const unasked: Collection = { ...before, authentication: 'NONE' }
    if (isWaiting) return { ...become(before, unasked, 'notice-failed', now, { noticeId, referenceId }), tasks: [] }
    // While the notice was out, the cycle kept the terms that it named. The payer may have agreed to other terms since.
    const terms = cycleTerms(before, subscription, category, now)
    const { windowFrom, windowTo } = { ...before, ...terms }
    const { expiryDate } = subscription
    const isSentAgain = isOurs && windowFrom <= expiryDate
    const nextAt = isSentAgain ? now + NOTIFY_AGAIN_AFTER_MS : dayEnds(windowTo < expiryDate ? windowTo : expiryDate)
    const failed = become(before, { ...unasked, nextAt }, 'notice-failed', now, { noticeId, referenceId })
    return { ...withTerms(failed, { ...terms, nextAt }, now), tasks: [] }
  }
  const noticed: Collection = { ...before, noticedAt: now, noticedPaise: amountPaise }
  const nextAt = isOurs ? Math.min(debitAt(before, notice, category, now), windowEnd) : nextCheckAt(noticed, now)
  const row: Collection = isWaiting ? noticed : { ...noticed, status: 'NOTIFIED', nextAt }
  const afterNotice = become(before, row, 'noticed', now, { noticeId, referenceId, noticedPaise: amountPaise })
  const answered = approved(afterNotice.collection, notice, said)
  return { changes: latest([...afterNotice.changes, ...answered.changes]), events: [...afterNotice.events, ...answered.events], tasks: [] }
}

/**
 * An approval is final. After a decline the payer may still approve, and the approval holds for every later sending of the debit. No answer
 * counts once the debit is sent, or the cycle has ended.
 */
function approved(before: Collection, { noticeId }: Row<'notices'>, { authentication = 'pending', onPage, now }: ApplyNoticeResult): Ended {
  const isAsked = before.authentication === 'ASKED' || before.authentication === 'DECLINED'
  const said = { pending: before.authentication, approved: 'APPROVED', declined: 'DECLINED' } as const
  const after = said[authentication]
  if (!isAsked || after === before.authentication || !(isUntried(before) || isUnsent(before))) return NOTHING
  const row: Collection = { ...before, authentication: after }
  const by = onPage ? { by: 'page' } : {}
  return { ...become(before, row, after === 'APPROVED' ? 'approved' : 'declined', now, { noticeId, ...by }), tasks: [] }
}

/** The usual hour of the day that the notice named to the payer, or later if the notice was late. */
function debitAt(cycle: Collection, { debitDate }: Row<'notices'>, category: Category | undefined, now: number): number {
  const earliest = Math.max(usualTryAt(cycle, debitDate), now + noticeMsOf(cycle, dateInIndia(now)))
  return afterForbiddenHours(earliest, cycle.rail, category)
}
