// What a payer says to other terms: docs/interface.md section 4.41. Cycles of which he has been told keep the old ones; a yes that
// comes late still applies.

import { dayEnds } from '../engine/clock.ts'
import { operation, type TaskChange } from '../engine/decision.ts'
import { ownCodes } from '../interface/result-code.ts'
import { collectionsOf, type PendingEdit, type Row, subscriptionKey } from '../tables.ts'
import { become } from './collection.ts'
import { NEWEST_CYCLES, openCycleKeys } from './end-cycle.ts'
import { amendTask } from './mandate.ts'
import { isOver, type Subscription, subscriptionEvent } from './subscription.ts'
import { mandateOperation } from './telling.ts'

const codes = ownCodes('settleEdit', 'settled', 'gone')
const HOUR_MS = 60 * 60_000
const ASKED_EVERY_MS = HOUR_MS // ours: a payer who has not decided
const ASKED_LATE_EVERY_MS = 24 * HOUR_MS // ours: one whose time is over
const ASKED_FOR_MS = 30 * 24 * HOUR_MS // ours: after that, the bank would have to tell of it

export interface SettleEdit {
  mid: string
  subscriptionId: string
  editId: string
  /** Of the amendment, as the acquirer says it: docs/acquirer.md. */
  outcome: 'active' | 'paused' | 'revoked' | 'refused' | 'pending' | 'unknown' | 'absent'
  now: number
}

/** Made under the task that asked. */
export const settleEdit = mandateOperation({
  name: 'settleEdit',
  codes,
  reads: ({ mid, subscriptionId }: SettleEdit) => ({
    subscription: subscriptionKey(mid, subscriptionId),
    newest: collectionsOf(mid, subscriptionId, NEWEST_CYCLES),
  }),
  readsNext: (_command, { newest }) => openCycleKeys(newest),
  decide({ editId, outcome, now }, { subscription, first, second, third }) {
    const edit = subscription?.edit
    const nothing = { changes: [], events: [], tasks: [] }
    if (!subscription) return { reply: { result: codes.gone }, ...nothing }
    const { task, subject, payload } = amendTask(subscription, editId, now) as Extract<TaskChange, { kind: 'add' }>
    const over = [{ kind: 'cancel' as const, task, subject }]
    if (edit?.editId !== editId || isOver(subscription)) return { reply: { result: codes.gone }, ...nothing, tasks: over }
    const reply = { result: codes.settled }
    if (outcome === 'active') {
      const after = applied(subscription, edit, now)
      const cycles = [first, second, third].flatMap((cycle) => (cycle ? [retermed(cycle, after, now)] : []))
      return {
        reply,
        changes: [updated(after), ...cycles.flatMap(({ changes }) => changes)],
        events: [subscriptionEvent('subscription.edited', subscription, after, now), ...cycles.flatMap(({ events }) => events)],
        tasks: over,
      }
    }
    if (outcome === 'refused' || outcome === 'revoked') {
      const after = { ...subscription, version: subscription.version + 1, edit: null, updatedAt: now }
      return {
        reply,
        changes: [updated(after)],
        events: [subscriptionEvent('subscription.edit-declined', subscription, after, now)],
        tasks: over,
      }
    }
    if (now >= edit.validUntil + ASKED_FOR_MS) return { reply, ...nothing, tasks: over }
    const dueAt = now + (now < edit.validUntil ? Math.min(ASKED_EVERY_MS, edit.validUntil - now) : ASKED_LATE_EVERY_MS)
    return { reply, ...nothing, tasks: [{ kind: 'add', task, subject, dueAt, payload: { ...payload, isAsked: true } }] }
  },
})

export type AskEditNow = Omit<SettleEdit, 'outcome'>

/** Somebody says that the payer has decided: his bank is asked now. */
export const askEditNow = operation({
  name: 'askEditNow',
  codes,
  reads: ({ mid, subscriptionId }: AskEditNow) => ({ subscription: subscriptionKey(mid, subscriptionId) }),
  decide({ editId, now }, { subscription }) {
    if (subscription?.edit?.editId !== editId) return { reply: { result: codes.gone }, changes: [], events: [], tasks: [] }
    const task = amendTask(subscription, editId, now) as Extract<TaskChange, { kind: 'add' }>
    return { reply: { result: codes.settled }, changes: [], events: [], tasks: [{ ...task, payload: { ...task.payload, isAsked: true } }] }
  },
})

const updated = (row: Subscription) => ({ kind: 'update' as const, key: subscriptionKey(row.mid, row.subscriptionId), row })

function applied(before: Subscription, { renewalAmountPaise, maxAmountPaise, expiryDate }: PendingEdit, now: number): Subscription {
  return {
    ...before,
    // With FIX the amount is the maximum too.
    ...(renewalAmountPaise !== undefined && { renewalAmountPaise, maxAmountPaise: renewalAmountPaise }),
    ...(maxAmountPaise !== undefined && { maxAmountPaise }),
    ...(expiryDate !== undefined && { expiryDate, wakesAt: dayEnds(expiryDate) }),
    version: before.version + 1,
    edit: null,
    updatedAt: now,
  }
}

/** A cycle of which nobody has been told has the new amounts. */
function retermed(before: Row<'collections'>, { renewalAmountPaise, maxAmountPaise }: Subscription, now: number) {
  if (before.status !== 'SCHEDULED' || before.notices > 0 || before.attempts > 0 || before.maxPaise === maxAmountPaise)
    return { changes: [], events: [] }
  return become(before, { ...before, amountPaise: renewalAmountPaise, maxPaise: maxAmountPaise }, 'terms-changed', now)
}
