// Tasks that notify the bank about a mandate. Each task calls the bank after the commit, under a key of its own.

import type { TaskChange } from '../../../engine/decision.ts'
import type { PendingEdit } from '../../../tables/subscription.ts'
import type { Subscription } from '../subscription.ts'

export const REVOKE_TASK = 'mandate-revoke.due'
export const subjectOf = ({ mid, subscriptionId }: Pick<Subscription, 'mid' | 'subscriptionId'>) => `${mid}:${subscriptionId}`

/** Only for a mandate that the bank knows: a wallet's mandate is its consent alone. */
export const revokeTask = (subscription: Subscription, now: number): TaskChange[] =>
  subscription.mandate?.reference === undefined
    ? []
    : [
        {
          kind: 'add',
          task: REVOKE_TASK,
          subject: subjectOf(subscription),
          dueAt: now,
          payload: { mid: subscription.mid, subscriptionId: subscription.subscriptionId },
        },
      ]

/** A mandate of one attempt at the first payment that is not the subscription's mandate. */
export interface Other {
  attempt: number
  reference: string
}
export const otherSubject = (of: Pick<Subscription, 'mid' | 'subscriptionId'>, { attempt }: Pick<Other, 'attempt'>) =>
  `${subjectOf(of)}:${attempt}`
export const revokeOther = (
  { mid, subscriptionId }: Pick<Subscription, 'mid' | 'subscriptionId'>,
  other: Other,
  now: number,
): TaskChange[] => [
  {
    kind: 'add',
    task: REVOKE_TASK,
    subject: otherSubject({ mid, subscriptionId }, other),
    dueAt: now,
    payload: { mid, subscriptionId, other },
  },
]

export const AMEND_TASK = 'mandate-amend.due'
export const amendSubject = (subscription: Pick<Subscription, 'mid' | 'subscriptionId'>, editId: string) =>
  `${subjectOf(subscription)}:${editId}`

/**
 * The bank asks its payer to approve new terms. The task carries those terms, because a yes may come after the merchant has asked for other
 * terms.
 */
export const amendTask = (subscription: Subscription, edit: PendingEdit, now: number): Extract<TaskChange, { kind: 'add' }> => ({
  kind: 'add',
  task: AMEND_TASK,
  subject: amendSubject(subscription, edit.editId),
  dueAt: now,
  payload: { mid: subscription.mid, subscriptionId: subscription.subscriptionId, edit },
})

const DOUBLED_MAX = 10
/** The wait before a bank that has not answered is called again. It doubles each time. */
export const againAfterMs = (attempts: number, firstMs: number, mostMs: number) =>
  Math.min(firstMs * 2 ** Math.min(attempts - 1, DOUBLED_MAX), mostMs)
