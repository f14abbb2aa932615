// What the bank has to be told of a mandate, as tasks: it is asked after the commit, under a key of its own.

import type { TaskChange } from '../engine/decision.ts'
import type { Subscription } from './subscription.ts'

const subjectOf = ({ mid, subscriptionId }: Subscription) => `${mid}:${subscriptionId}`

/** Of a mandate that the bank knows; a wallet's stands on its consent alone. */
export const revokeTask = (subscription: Subscription, now: number): TaskChange[] =>
  subscription.mandate?.reference === undefined
    ? []
    : [
        {
          kind: 'add',
          task: 'mandate-revoke.due',
          subject: subjectOf(subscription),
          dueAt: now,
          payload: { mid: subscription.mid, subscriptionId: subscription.subscriptionId },
        },
      ]

/** The payer is asked by his bank to approve other terms. */
export const amendTask = (subscription: Subscription, editId: string, now: number): TaskChange => ({
  kind: 'add',
  task: 'mandate-amend.due',
  subject: `${subjectOf(subscription)}:${editId}`,
  dueAt: now,
  payload: { mid: subscription.mid, subscriptionId: subscription.subscriptionId, editId },
})
