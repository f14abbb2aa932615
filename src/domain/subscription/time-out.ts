// What becomes of a subscription whose order closes first.

import type { TaskChange } from '../../engine/decision.ts'
import { revokeTask } from './mandate/bank-tasks.ts'
import { type Moved, move, type Subscription } from './subscription.ts'

/**
 * A subscription whose order closes before the customer consented is over; one in any other state stays as it is. The bank may have a
 * mandate all the same, of a payment that was given back: it is withdrawn.
 */
export const timeOut = (subscription: Subscription, now: number): Moved & { tasks: TaskChange[] } =>
  subscription.status === 'INIT'
    ? { ...move(subscription, 'timeOut', now), tasks: revokeTask(subscription, now) }
    : { subscription, changes: [], events: [], tasks: [] }
