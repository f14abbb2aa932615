// A pause that was said to us, by the merchant or by the payer on their page, at the bank: the bank hears of it, and of its end, after the
// commit. Docs/interface.md section 4.36.

import type { Change, TaskChange } from '../../../engine/decision.ts'
import { subscriptionKey } from '../../../tables/keys.ts'
import { bankKeepsOurPause, changedIn, type Subscription } from '../subscription.ts'

export const PAUSE_TASK = 'mandate-pause.due'
export const pauseSubject = ({ mid, subscriptionId }: Pick<Subscription, 'mid' | 'subscriptionId'>) => `${mid}:${subscriptionId}`

/** What the bank is to do about it now. */
export type PauseOrResume = 'pause' | 'resume'
export const pauseOrResumeOf = (subscription: Subscription): PauseOrResume => (isPausedWithUs(subscription) ? 'pause' : 'resume')

/** Said to us and not to the bank, which does not know of it by itself. */
const isPausedWithUs = ({ subStatus, mandate }: Subscription) =>
  subStatus === 'MERCHANT_PAUSED' || (subStatus === 'USER_PAUSED' && mandate?.isPausedHere === true)

/** `version`: of the subscription when it was paused or resumed, for the call's key. */
export const pauseTask = ({ mid, subscriptionId, version }: Subscription, now: number): Extract<TaskChange, { kind: 'add' }> => ({
  kind: 'add',
  task: PAUSE_TASK,
  subject: pauseSubject({ mid, subscriptionId }),
  dueAt: now,
  payload: { mid, subscriptionId, version },
})

/** The same again under a number of its own: what was said under the one before has been done, and another word has come behind it. */
export const pauseTaskAnew = (subscription: Subscription, now: number) => {
  const task = pauseTask(subscription, now)
  return { ...task, payload: { ...task.payload, version: now } }
}

/**
 * A bank says that the merchant's pause holds, of which we thought that it had not heard or that it had lifted it: one that was long on its way.
 * Where the subscription is active, the bank is sent the end again.
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

/** A wallet's mandate, and one that the bank never heard of, is nobody's business but ours. */
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
