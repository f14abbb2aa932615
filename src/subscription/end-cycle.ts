// What a cycle becomes when its subscription is cancelled or paused: docs/interface.md section 3. What has been sent to the
// acquirer ends as it ends, and is kept.

import type { Change, Event } from '../engine/decision.ts'
import { become, type Collection, hasEnded } from './collection.ts'

export interface Ended {
  changes: Change[]
  events: Event[]
}

/** `why` is told by its event: one cycle may end for several reasons. */
export function endCycle(before: Collection, why: 'cancelled' | 'paused', now: number): Ended {
  if (hasEnded(before) || before.status === 'IN_FLIGHT') return { changes: [], events: [] }
  const [status, type] = before.attempts === 0 ? (['MISSED', 'missed'] as const) : (['FAILED', 'failed'] as const)
  return become(before, { ...before, status, nextAt: null }, type, now, { why })
}
