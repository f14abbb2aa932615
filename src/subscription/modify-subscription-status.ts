// Modify Subscription Status: docs/interface.md section 4.36. The merchant pauses, or lifts his own pause; a payer's he cannot.

import Type, { type Static } from 'typebox'
import { dateInIndia } from '../engine/clock.ts'
import { operation, refuse, refuseWith } from '../engine/decision.ts'
import * as fields from '../interface/fields.ts'
import { modifySubscriptionStatus as codes } from '../interface/result-codes.ts'
import type { Signed } from '../interface/wire.ts'
import { collectionsOf, subscriptionKey } from '../tables.ts'
import { endCycle } from './end-cycle.ts'
import { ids, isLive, managingWire, NEWEST_CYCLES, openCycleKeys, refusalOf } from './managing.ts'
import { mayMove, move } from './subscription.ts'

const body = Type.Object({ mid: fields.mid, ...ids, status: Type.Enum(['ACTIVE', 'SUSPENDED']) })

export const wire = managingWire(body, codes)

export interface ModifySubscriptionStatus {
  request: Static<typeof body>
  caller: Signed
  /** By whichever name, in body or query. */
  subscriptionId: string
  now: number
}

export const modifySubscriptionStatus = operation({
  name: 'modifySubscriptionStatus',
  codes,
  reads: ({ request: { mid }, subscriptionId }: ModifySubscriptionStatus) => ({
    subscription: subscriptionKey(mid, subscriptionId),
    newest: collectionsOf(mid, subscriptionId, NEWEST_CYCLES),
  }),
  readsNext: ({ request: { status } }, { newest }) => openCycleKeys(status === 'SUSPENDED' ? newest : []),
  decide({ request: { status }, caller, subscriptionId, now }, { subscription, first, second, third }) {
    if (caller.signature !== 'valid') return refuse(codes.badRequest)
    if (!subscription) return refuse(codes.notFound)
    if (!isLive(subscription, now)) return refuseWith(refusalOf(subscription, codes, now))
    const done = { reply: { result: codes.success, body: { subsId: subscriptionId, status } }, changes: [], events: [], tasks: [] }
    if (subscription.status === status) return done
    const name = status === 'SUSPENDED' ? 'pauseByMerchant' : 'resumeByMerchant'
    if (!mayMove(subscription, name)) return refuseWith(refusalOf(subscription, codes, now))

    const moved = move(subscription, name, now)
    // A cycle that could have been collected now is not made up for when the pause is lifted.
    const begun = [first, second, third].filter((cycle) => cycle !== undefined && cycle.windowFrom <= dateInIndia(now))
    const cycles = begun.map((cycle) => endCycle(cycle!, 'paused', now))
    return {
      ...done,
      changes: [...moved.changes, ...cycles.flatMap(({ changes }) => changes)],
      events: [...moved.events, ...cycles.flatMap(({ events }) => events)],
    }
  },
})
