// What an acquirer, or our own messenger, answered to a notice: docs/interface.md section 3. A notice that has succeeded opens
// the cycle to debits a day later; one that has failed is sent again while a day's notice still fits the window. Above the limit it
// also asks the payer to approve the debit, and his answer comes with it or later.

import { dateInIndia, dayEnds } from '../../../engine/clock.ts'
import { type Change, latest, NOTHING, operation } from '../../../engine/decision.ts'
import { ownCodes } from '../../../interface/result-code.ts'
import type { Category } from '../../../reference/reference.ts'
import { collectionKey, mandatePageKey, merchantKey, noticeKey, subscriptionKey } from '../../../tables/keys.ts'
import type { Row } from '../../../tables/tables.ts'
import { subscriptionIdOf } from '../collection/advance-collection.ts'
import { isCollectedByUs, nextLookAt } from '../collection/attempt.ts'
import { become, type Collection, isUnsent, lookedAtAgain } from '../collection/collection.ts'
import { afterForbiddenHours, noticeMsOf } from '../collection/collection-check.ts'
import { usualTryAt } from '../collection/collection-times.ts'
import { type Ended, endCycle, hasMoved, unsentKeys, type Waiting } from '../collection/end-cycle.ts'
import { followingKey, followingOf } from '../collection/find-cycle.ts'
import { notifyOfMoves, recipientKeys } from '../mandate-notifications.ts'
import { isOpen, type MandatePage, type TypedCode, tried } from '../payer-page/mandate-page.ts'
import type { Subscription } from '../subscription.ts'

const codes = ownCodes('applyNoticeResult', 'applied', 'gone', 'wrong', 'over', 'used', 'exceeded')
const TELL_AGAIN_MS = 60 * 60_000 // ours: after a notice that failed; the cycle ends when it fits no more
const ASK_AGAIN_MS = 15 * 60_000 // ours: a notice that nobody has answered for

export interface ApplyNoticeResult {
  mid: string
  collectionId: string
  noticeId: string
  outcome: 'success' | 'failure' | 'optedOut' | 'pending' | 'unknown'
  /** What the payer has said when he was asked to approve the debit. */
  authentication?: 'pending' | 'approved' | 'declined' | undefined
  /** On the payer's own page, and not at his bank: an approval takes the code that was sent to him for this very debit. */
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
    // A notice that was given is given: its payer may opt out until the debit, and approve it.
    const isOpen = notice?.status === 'PENDING' || (notice?.status === 'SUCCESS' && (outcome === 'optedOut' || outcome === 'success'))
    if (!collection || !subscription || !notice || !isOpen) return { ...NOTHING, reply: { result: codes.gone } }
    // On his page only a wallet's debits are approved or declined: for every other his own bank asks him.
    if (onPage && said.authentication && collection.rail !== 'WALLET') return { ...NOTHING, reply: { result: codes.gone } }
    if (onPage && said.authentication === 'approved') return notifyOfMoves(state, now, approvedOnPage(said, collection, notice, page))
    const reply = { result: codes.applied }
    // An attempt that waits for its hour, or is asked after, has a time of its own, whatever is said of its notice.
    if (outcome === 'pending' || outcome === 'unknown')
      return { reply, changes: isUntried(collection) ? [lookedAtAgain(collection, now + ASK_AGAIN_MS)] : [], events: [], tasks: [] }
    const isSaidInVain = (done: Ended) => onPage !== undefined && !hasMoved(done)
    if (notice.status === 'SUCCESS' && outcome === 'success') {
      const done = approved(collection, notice, said)
      return notifyOfMoves(state, now, { reply: { result: isSaidInVain(done) ? codes.gone : codes.applied }, ...done })
    }
    const status = { success: 'SUCCESS', failure: 'FAILURE', optedOut: 'OPTED_OUT' } as const
    const answered: Row<'notices'> = { ...notice, status: status[outcome], answeredAt: now }
    const change: Change = { kind: 'update', key: noticeKey(notice.mid, notice.noticeId), row: answered }
    const done = afterNotice(collection, subscription, answered, waiting, said)
    // Before the collection sweep has looked at a cycle nobody has brought the one behind it.
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

/** The code is used up by the decision that approves the debit. */
function approvedOnPage(said: ApplyNoticeResult, collection: Collection, notice: Row<'notices'>, page: MandatePage | undefined) {
  const code = said.onPage?.code
  const isOfIt = page && isOpen(page, said.now) && page.mid === notice.mid && page.subscriptionId === notice.subscriptionId
  if (!code || !isOfIt) return { ...NOTHING, reply: { result: codes.gone } }
  const { verdict, page: after } = tried(page, code, `debit:${notice.noticeId}`, said.now)
  const change: Change[] = after === page ? [] : [{ kind: 'update', key: mandatePageKey(page.pageHash), row: after }]
  if (verdict !== 'right') return { reply: { result: codes[verdict] }, changes: change, events: [], tasks: [] }
  const { changes, events, tasks } = approved(collection, notice, said)
  // It may have ended beside him.
  return { reply: { result: events.length > 0 ? codes.applied : codes.gone }, changes: [...change, ...changes], events, tasks }
}

const isUntried = ({ status }: Collection) => status === 'SCHEDULED' || status === 'NOTIFIED'

/** What has ended, or is being debited already, is not moved by a late word about its notice. */
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
  if (!isUntried(before)) return NOTHING
  const isOurs = isCollectedByUs(subscription)
  if (notice.status === 'FAILURE') {
    const nextAt = isOurs ? now + TELL_AGAIN_MS : windowEnd
    return { ...become(before, { ...before, nextAt }, 'notice-failed', now, { noticeId, referenceId }), tasks: [] }
  }
  const noticed: Collection = { ...before, status: 'NOTIFIED', noticedAt: now, noticedPaise: amountPaise }
  const nextAt = isOurs ? Math.min(debitAt(before, notice, category, now), windowEnd) : nextLookAt(noticed, now)
  const afterNotice = become(before, { ...noticed, nextAt }, 'noticed', now, { noticeId, referenceId, noticedPaise: amountPaise })
  const answered = approved(afterNotice.collection, notice, said)
  return { changes: latest([...afterNotice.changes, ...answered.changes]), events: [...afterNotice.events, ...answered.events], tasks: [] }
}

/** His yes stands; a no may still become one, and then counts for whatever is sent from then on. */
function approved(before: Collection, { noticeId }: Row<'notices'>, { authentication = 'pending', onPage, now }: ApplyNoticeResult): Ended {
  const isAsked = before.authentication === 'ASKED' || before.authentication === 'DECLINED'
  const said = { pending: before.authentication, approved: 'APPROVED', declined: 'DECLINED' } as const
  const after = said[authentication]
  if (!isAsked || after === before.authentication || !(isUntried(before) || isUnsent(before))) return NOTHING
  const row: Collection = { ...before, authentication: after }
  const by = onPage ? { by: 'page' } : {}
  return { ...become(before, row, after === 'APPROVED' ? 'approved' : 'declined', now, { noticeId, ...by }), tasks: [] }
}

/** The usual hour of the day that the notice named to the payer, or later where the notice was late. */
function debitAt(cycle: Collection, { debitDate }: Row<'notices'>, category: Category | undefined, now: number): number {
  const earliest = Math.max(usualTryAt(cycle, debitDate), now + noticeMsOf(cycle, dateInIndia(now)))
  return afterForbiddenHours(earliest, cycle.rail, category)
}
