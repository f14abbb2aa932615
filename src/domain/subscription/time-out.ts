// Ends a subscription whose order closes before the customer has consented.

import type { TaskChange } from '../../engine/decision.ts'
import { revokeTask } from './mandate/bank-tasks.ts'
import { type Moved, move, type Subscription } from './subscription.ts'

/** Moves only a subscription in INIT. The bank may still have the mandate of a payment that was given back. That mandate is withdrawn. */
export const timeOut = (subscription: Subscription, now: number): Moved & { tasks: TaskChange[] } =>
  subscription.status === 'INIT'
    ? { ...move(subscription, 'timeOut', now), tasks: revokeTask(subscription, now) }
    : { subscription, changes: [], events: [], tasks: [] }
