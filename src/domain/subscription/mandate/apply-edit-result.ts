// Applies a payer's answer to new terms: docs/interface.md section 4.41. Cycles that the payer was notified of keep the old terms. A late
// yes still applies, even if the merchant has asked for other terms since.

import { dateInIndia, dayEnds } from '../../../engine/clock.ts'
import { type Change, type Event, NOTHING, operation } from '../../../engine/decision.ts'
import { ownCodes } from '../../../interface/result-code.ts'
import type { Category, Reference } from '../../../reference/reference.ts'
import {
  collectionKey,
  collectionsOf,
  mandatePageKey,
  merchantKey,
  openCollectionsOf,
  subscriptionKey,
  taskKey,
} from '../../../tables/keys.ts'
import type { PendingEdit } from '../../../tables/subscription.ts'
import { find, type Row } from '../../../tables/tables.ts'
import { become, hasEnded, presentAmounts } from '../collection/collection.ts'
import { type CycleTerms, firstTryAt, windowOf } from '../collection/collection-times.ts'
import { existingCycles, openCycleKeys } from '../collection/end-cycle.ts'
import { cyclesAhead, followingKey, followingOf } from '../collection/find-cycle.ts'
import { openCycle } from '../collection/open-cycle.ts'
import { isLive } from '../manage-request.ts'
import { notifyOfMoves, recipientKeys } from '../mandate-notifications.ts'
import { type CodeVerdict, isOpen, type MandatePage, type TypedCode, tried } from '../payer-page/mandate-page.ts'
import { type Subscription, subscriptionEvent } from '../subscription.ts'
import { isEditOpen } from '../subscription-view.ts'
import { AMEND_TASK, amendSubject, amendTask, revokeTask } from './bank-tasks.ts'

const codes = ownCodes('applyEditResult', 'applied', 'gone', 'wrong', 'over', 'used', 'exceeded')
const HOUR_MS = 60 * 60_000
const EDIT_ASKED_EVERY_MS = HOUR_MS // Mohur's choice: how often to ask about a payer who has not decided
const ASKED_LATE_EVERY_MS = 24 * HOUR_MS // Mohur's choice: how often to ask after the time for an answer is over
const ASKED_FOR_MS = 30 * 24 * HOUR_MS // Mohur's choice: how long to ask after that time; later the bank would have to report by itself

export interface ApplyEditResult {
  mid: string
  subscriptionId: string
  edit: PendingEdit
  /** The outcome of the amendment, in the acquirer's words: docs/acquirer.md. */
  outcome: 'active' | 'paused' | 'revoked' | 'refused' | 'pending' | 'unknown' | 'absent'
  /** The bank's name of the mandate after the amendment. */
  mandateReference?: string
  /**
   * The payer answers on the mandate page, because no bank can ask about a wallet's terms. A yes needs the code that was sent for this
   * edit.
   */
  onPage?: { code?: TypedCode }
  reference: Pick<Reference, 'category'>
  now: number
}

/** Runs under the task that asked the bank, or for the payer on the mandate page. */
export const applyEditResult = operation({
  name: 'applyEditResult',
  codes,
  reads: ({ mid, subscriptionId, onPage }: ApplyEditResult) => ({
    merchant: merchantKey(mid),
    subscription: subscriptionKey(mid, subscriptionId),
    open: openCollectionsOf(mid, subscriptionId),
    newest: collectionsOf(mid, subscriptionId, 1),
    page: onPage?.code && mandatePageKey(onPage.code.pageHash),
  }),
  readsNext: ({ mid, edit, now }, { subscription, open, newest }) => ({
    cycles: [...openCycleKeys(open), ...cyclesAhead(subscription, dateInIndia(now))],
    notices: latestNotices(mid, open),
    behind: subscription && followingKey(applied(subscription, edit, now), newest[0]),
    ...recipientKeys(subscription),
  }),
  decide({ edit, outcome, mandateReference, onPage, reference, now }, state) {
    const { merchant, subscription, newest, cycles, notices, behind, page } = state
    if (!subscription) return { ...NOTHING, reply: { result: codes.gone } }
    const { task, subject, payload } = amendTask(subscription, edit, now)
    const over = [{ kind: 'cancel' as const, task, subject }]
    const isNewest = subscription.edit?.editId === edit.editId
    const used: Change[] = []
    const renamed = named(subscription, mandateReference)
    if (!isLive(subscription, now)) {
      // The subscription is over, and nothing is collected any more. But the bank may keep the mandate to a later last day, or under a name
      // that no withdrawal has used. So the mandate is withdrawn again.
      const mayLive = edit.expiryDate !== undefined && outcome !== 'refused' && outcome !== 'revoked'
      const changes = renamed === subscription ? [] : [updated(renamed)]
      const revoked = mayLive || changes.length > 0 ? revokeTask(renamed, now) : []
      return { reply: { result: codes.gone }, events: [], changes, tasks: [...over, ...revoked] }
    }
    if (onPage) {
      const { verdict, changes } = saidOnPage({ edit, outcome, code: onPage.code, now }, subscription, page)
      if (verdict !== 'right') return { ...NOTHING, reply: { result: codes[verdict] }, changes }
      used.push(...changes)
    }
    const by = onPage ? { by: 'page' } : {}
    const reply = { result: codes.applied }
    if (outcome === 'active') {
      const after = applied(renamed, edit, now)
      const category = merchant && reference.category(merchant.mcc)
      const known = existingCycles(cycles)
      const changed = known
        .filter((cycle) => !hasEnded(cycle))
        .map((cycle) => retermed(cycle, isNoticed(cycle, notices ?? []), after, category, now))
      // If a run has already come to the last cycle, only this decision can open the next cycle.
      const last = known.find(({ collectionId }) => collectionId === newest[0]?.collectionId) ?? newest[0]
      const next = last && !isUntouched(last) ? followingOf(after, category, last, behind, now) : NOTHING
      return notifyOfMoves(state, now, {
        reply,
        changes: [...used, updated(after), ...changed.flatMap(({ changes }) => changes), ...next.changes],
        events: [
          subscriptionEvent('subscription.edited', subscription, after, now, { editId: edit.editId, ...by }),
          ...changed.flatMap(({ events }) => events),
          ...next.events,
        ],
        tasks: over,
      })
    }
    if (outcome === 'refused' || outcome === 'revoked') {
      if (!isNewest) return { ...NOTHING, reply, tasks: over }
      const after = { ...subscription, version: subscription.version + 1, edit: null, updatedAt: now }
      return notifyOfMoves(state, now, {
        reply,
        changes: [updated(after)],
        events: [subscriptionEvent('subscription.edit-declined', subscription, after, now, { editId: edit.editId, ...by })],
        tasks: over,
      })
    }
    if (now >= edit.validUntil + ASKED_FOR_MS) return { ...NOTHING, reply, tasks: over }
    const dueAt = now + (now < edit.validUntil ? Math.min(EDIT_ASKED_EVERY_MS, edit.validUntil - now) : ASKED_LATE_EVERY_MS)
    return { ...NOTHING, reply, tasks: [{ kind: 'add', task, subject, dueAt, payload: { ...payload, isAsked: true } }] }
  },
})

/** Accepts an answer only to the pending edit, and only while it is open. A no needs no code. */
function saidOnPage(
  { edit, outcome, code, now }: Pick<ApplyEditResult, 'edit' | 'outcome' | 'now'> & { code: TypedCode | undefined },
  subscription: Subscription,
  page: MandatePage | undefined,
): { verdict: CodeVerdict | 'gone'; changes: Change[] } {
  const waits = subscription.paymentMode === 'BALANCE' && subscription.edit?.editId === edit.editId && isEditOpen(subscription.edit, now)
  if (!waits) return { verdict: 'gone', changes: [] }
  if (outcome === 'refused') return { verdict: 'right', changes: [] }
  const isOfIt = page && isOpen(page, now) && page.mid === subscription.mid && page.subscriptionId === subscription.subscriptionId
  if (!code || !isOfIt || outcome !== 'active') return { verdict: 'gone', changes: [] }
  const { verdict, page: after } = tried(page, code, `edit:${edit.editId}`, now)
  return { verdict, changes: after === page ? [] : [{ kind: 'update', key: mandatePageKey(page.pageHash), row: after }] }
}

export interface AskEditNow {
  mid: string
  subscriptionId: string
  editId: string
  now: number
}

/**
 * A report says that the payer has decided. So the service asks the bank now. The newest terms are asked about even if the service stopped
 * asking long ago.
 */
export const recheckEdit = operation({
  name: 'recheckEdit',
  codes,
  reads: ({ mid, subscriptionId, editId }: AskEditNow) => ({
    subscription: subscriptionKey(mid, subscriptionId),
    asking: taskKey(AMEND_TASK, amendSubject({ mid, subscriptionId }, editId)),
  }),
  decide({ editId, now }, { subscription, asking }) {
    const edit = asking ? (asking.payload['edit'] as PendingEdit) : subscription?.edit
    if (!subscription || edit?.editId !== editId) return { ...NOTHING, reply: { result: codes.gone } }
    const task = amendTask(subscription, edit, now)
    return { reply: { result: codes.applied }, changes: [], events: [], tasks: [{ ...task, payload: { ...task.payload, isAsked: true } }] }
  },
})

const updated = (row: Subscription) => ({ kind: 'update' as const, key: subscriptionKey(row.mid, row.subscriptionId), row })

const named = (before: Subscription, reference: string | undefined): Subscription =>
  before.mandate && reference !== undefined && reference !== before.mandate.reference
    ? { ...before, mandate: { ...before.mandate, reference } }
    : before

function applied(before: Subscription, { editId, renewalAmountPaise, maxAmountPaise, expiryDate }: PendingEdit, now: number): Subscription {
  return {
    ...before,
    // With FIX the amount is the maximum too.
    ...(renewalAmountPaise !== undefined && { renewalAmountPaise, maxAmountPaise: renewalAmountPaise }),
    ...(maxAmountPaise !== undefined && { maxAmountPaise }),
    // An earlier `wakesAt` stays.
    ...(expiryDate !== undefined && { expiryDate, wakesAt: Math.min(before.wakesAt ?? Number.MAX_SAFE_INTEGER, dayEnds(expiryDate)) }),
    version: before.version + 1,
    edit: before.edit?.editId === editId ? null : before.edit,
    updatedAt: now,
  }
}

const latestNotices = (mid: string, open: readonly Row<'collections'>[]) =>
  open.length === 0
    ? undefined
    : find('notices', {
        equals: { mid },
        in: { column: 'collectionId', values: open.map(({ collectionId }) => collectionId) },
        lastOf: { of: ['mid', 'collectionId'], by: 'number' },
        limit: open.length,
      })

/**
 * True when the payer was notified or may be notified now. The latest notice, by the cycle's own count, does not count if it is known to
 * have failed.
 */
function isNoticed({ collectionId, noticedAt, notices: count }: Row<'collections'>, notices: readonly Row<'notices'>[]) {
  const hasFailed = notices.some((notice) => notice.collectionId === collectionId && notice.number === count && notice.status === 'FAILURE')
  return noticedAt !== null || (count > 0 && !hasFailed)
}

/** True until the cycle's first run, which also opens the next cycle. */
const isUntouched = ({ status, attempts, notices }: Row<'collections'>) => status === 'SCHEDULED' && attempts === 0 && notices === 0

/** A cycle that the payer was not notified of takes the new terms. No cycle's next run is later than the end of the last day. */
function retermed(
  before: Row<'collections'>,
  isKept: boolean,
  after: Subscription,
  category: Category | undefined,
  now: number,
): { changes: Change[]; events: Event[] } {
  if (before.status === 'IN_FLIGHT') return { changes: [], events: [] }
  const row = isKept ? before : { ...before, ...cycleTerms(before, after, category, now) }
  const nextAt = Math.min(row.nextAt!, dayEnds(after.expiryDate))
  const isOther = row.maxPaise !== before.maxPaise || row.windowTo !== before.windowTo
  if (isOther) return become(before, { ...row, nextAt }, 'terms-changed', now)
  return { changes: [{ kind: 'update', key: collectionKey(before.mid, before.collectionId), row: { ...row, nextAt } }], events: [] }
}

/**
 * The new terms set the days of an untried cycle too, unless the cycle is due after the last day. Then the cycle waits for its end, or for a
 * later last day.
 */
export function cycleTerms(before: Row<'collections'>, after: Subscription, category: Category | undefined, now: number) {
  const { number, rail, dueDate, windowFrom, attempts } = before
  const amounts = presentAmounts(after)
  if (number === null || windowFrom !== dueDate || attempts > 0) return amounts
  const window = windowOf(after as CycleTerms, number, rail)
  if (!window) return { ...amounts, nextAt: dayEnds(after.expiryDate) }
  const { windowTo, nextAt } = openCycle({ subscription: after, category, dueDate, number, window, firstTryAt: firstTryAt(window), now })
  return { ...amounts, windowTo, nextAt }
}
