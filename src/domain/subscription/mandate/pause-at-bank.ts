// Notifies the bank of a pause that Mohur received, and of that pause's end. The pause comes from the merchant, or from the payer on the
// mandate page. The bank is called after the commit. Docs/interface.md section 4.36.

import type { Change, TaskChange } from '../../../engine/decision.ts'
import { subscriptionKey } from '../../../tables/keys.ts'
import { bankKeepsOurPause, changedIn, type Subscription } from '../subscription.ts'
import { subjectOf } from './bank-tasks.ts'

export const PAUSE_TASK = 'mandate-pause.due'

export type PauseOrResume = 'pause' | 'resume'
export const pauseOrResumeOf = (subscription: Subscription): PauseOrResume => (isPausedWithUs(subscription) ? 'pause' : 'resume')

/** True when Mohur received the pause and the bank did not, so the service must notify the bank. */
const isPausedWithUs = ({ subStatus, mandate }: Subscription) =>
  subStatus === 'MERCHANT_PAUSED' || (subStatus === 'USER_PAUSED' && mandate?.isPausedHere === true)

/** `version`: the subscription's version at the pause or resume. The key of the call contains it. */
export const pauseTask = ({ mid, subscriptionId, version }: Subscription, now: number): Extract<TaskChange, { kind: 'add' }> => ({
  kind: 'add',
  task: PAUSE_TASK,
  subject: subjectOf({ mid, subscriptionId }),
  dueAt: now,
  payload: { mid, subscriptionId, version },
})

/** The same call again under a new number. The call under the earlier number is done, but a delayed call arrived after that one. */
export const pauseTaskAnew = (subscription: Subscription, now: number) => {
  const task = pauseTask(subscription, now)
  return { ...task, payload: { ...task.payload, version: now } }
}

/**
 * The bank reports a merchant's pause that Mohur believed the bank had not received, or had lifted. A delayed call arrived. If the
 * subscription is active, the service sends the bank the pause's end again.
 */
export function pausedAfterAll(subscription: Subscription, now: number): { changes: Change[]; tasks: TaskChange[] } {
  const { mid, subscriptionId, status, mandate } = subscription
  if ((status !== 'ACTIVE' && status !== 'SUSPENDED') || mandate?.reference === undefined) return { changes: [], tasks: [] }
  const row = { ...subscription, mandate: { ...mandate, isPauseAtBank: true as const } }
  return {
    changes: [{ kind: 'update', key: subscriptionKey(mid, subscriptionId), row }],
    tasks: status === 'ACTIVE' ? [pauseTaskAnew(row, now)] : [],
  }
}

/** A bank is not notified about a wallet's mandate, nor about a mandate that it never received. */
export function pausingAtBank<Moved extends { changes: Change[]; tasks: TaskChange[] }>(moved: Moved, now: number): Moved {
  const change = changedIn(moved.changes)
  if (!change) return moved
  const { row } = change
  if (row.mandate?.reference === undefined) return moved
  if (!isPausedWithUs(row) && !(row.status === 'ACTIVE' && bankKeepsOurPause(row))) return moved
  const key = subscriptionKey(row.mid, row.subscriptionId)
  const held: Change = { kind: 'update', key, row: { ...row, mandate: { ...row.mandate, isPauseAtBank: true } } }
  return { ...moved, changes: moved.changes.map((each) => (each === change ? held : each)), tasks: [...moved.tasks, pauseTask(row, now)] }
}
