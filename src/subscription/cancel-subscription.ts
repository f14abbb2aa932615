// Cancel Subscription: docs/interface.md section 4.35. The merchant collects nothing any more: whatever has not been sent to the
// acquirer is over with it, the order of the first payment too, and the mandate is withdrawn at the bank.

import Type, { type Static } from 'typebox'
import { operation, refuse, refuseWith } from '../engine/decision.ts'
import * as fields from '../interface/fields.ts'
import { cancelSubscription as codes } from '../interface/result-codes.ts'
import type { Signed } from '../interface/wire.ts'
import { closed } from '../order/order.ts'
import { collectionsOf, merchantKey, orderKey, subscriptionKey } from '../tables.ts'
import { endCycle, NEWEST_CYCLES, openCycleKeys, unsentKeys } from './end-cycle.ts'
import { ids, isLive, managingWire, refusalOf } from './managing.ts'
import { revokeTask } from './mandate.ts'
import { move } from './subscription.ts'

const body = Type.Object({ mid: fields.mid, ...ids })

export const wire = managingWire(body, codes)

export interface CancelSubscription {
  request: Static<typeof body>
  caller: Signed
  /** By whichever name, in body or query. */
  subscriptionId: string
  now: number
}

export const cancelSubscription = operation({
  name: 'cancelSubscription',
  codes,
  reads: ({ request: { mid }, subscriptionId }: CancelSubscription) => ({
    merchant: merchantKey(mid),
    subscription: subscriptionKey(mid, subscriptionId),
    newest: collectionsOf(mid, subscriptionId, NEWEST_CYCLES),
  }),
  readsNext: ({ request: { mid } }, { subscription, newest }) => ({
    firstOrder: subscription && orderKey(mid, subscription.orderId),
    ...openCycleKeys(newest),
  }),
  readsLast: (_command, { subscription, first, second, third }) => unsentKeys(subscription, [first, second, third]),
  decide({ caller, subscriptionId, now }, { merchant, subscription, firstOrder, first, second, third, ...attempt }) {
    if (caller.signature !== 'valid') return refuse(codes.badRequest)
    if (!subscription) return refuse(codes.notFound)
    const done = { reply: { result: codes.success, body: { subsId: subscriptionId } }, changes: [], events: [], tasks: [] }
    if (subscription.subStatus === 'MERCHANT_CANCELLED') return done
    if (!isLive(subscription, now)) return refuseWith(refusalOf(subscription, codes, now))

    const cancelled = move(subscription, 'cancel', now)
    const order = firstOrder ? closed(firstOrder, now) : done
    const open = [first, second, third].filter((cycle) => cycle !== undefined)
    const cycles = open.map((cycle) => endCycle(cycle, cancelled.subscription, { merchant, ...attempt }, 'cancelled', now))
    return {
      ...done,
      changes: [...cancelled.changes, ...order.changes, ...cycles.flatMap(({ changes }) => changes)],
      events: [...cancelled.events, ...order.events, ...cycles.flatMap(({ events }) => events)],
      tasks: [...cycles.flatMap(({ tasks }) => tasks), ...revokeTask(cancelled.subscription, now)],
    }
  },
})
