// Cancel Subscription: docs/interface.md section 4.35. The merchant collects nothing any more: whatever has not been sent to the
// acquirer is over with it, the order of the first payment too, and the mandate is withdrawn at the bank.

import Type, { type Static } from 'typebox'
import { dateInIndia } from '../engine/clock.ts'
import { refuse, refuseWith } from '../engine/decision.ts'
import * as fields from '../interface/fields.ts'
import { cancelSubscription as codes } from '../interface/result-codes.ts'
import type { Signed } from '../interface/wire.ts'
import { merchantKey, openCollectionsOf, orderKey, subscriptionKey } from '../tables.ts'
import { cyclesIn, openCycleKeys, unsentKeys } from './end-cycle.ts'
import { ids, isLive, managingWire, refusalOf } from './managing.ts'
import { mandateOperation } from './telling.ts'
import { turn } from './turn-subscription.ts'
import { cyclesAhead } from './which-cycle.ts'

const body = Type.Object({ mid: fields.mid, ...ids })

export const wire = managingWire(body, codes)

export interface CancelSubscription {
  request: Static<typeof body>
  caller: Signed
  /** By whichever name, in body or query. */
  subscriptionId: string
  now: number
}

export const cancelSubscription = mandateOperation({
  name: 'cancelSubscription',
  codes,
  reads: ({ request: { mid }, subscriptionId }: CancelSubscription) => ({
    merchant: merchantKey(mid),
    subscription: subscriptionKey(mid, subscriptionId),
    open: openCollectionsOf(mid, subscriptionId),
  }),
  readsNext: ({ request: { mid }, now }, { subscription, open }) => ({
    firstOrder: subscription && orderKey(mid, subscription.orderId),
    ...openCycleKeys(open),
    ...cyclesAhead(subscription, dateInIndia(now)),
  }),
  readsLast: (_command, { subscription, ...state }) => unsentKeys(subscription, cyclesIn(state)),
  decide({ caller, subscriptionId, now }, { merchant, subscription, firstOrder, ...state }) {
    if (caller.signature !== 'valid') return refuse(codes.badRequest)
    if (!subscription) return refuse(codes.notFound)
    const done = { reply: { result: codes.success, body: { subsId: subscriptionId } }, changes: [], events: [], tasks: [] }
    if (subscription.subStatus === 'MERCHANT_CANCELLED') return done
    if (!isLive(subscription, now)) return refuseWith(refusalOf(subscription, codes, now))

    const { order, transaction, merchantStream, peonStream, callbackStream } = state
    const waiting = { merchant, order, transaction, merchantStream, peonStream, callbackStream }
    return { ...done, ...turn(subscription, 'cancel', { firstOrder, cycles: cyclesIn(state), waiting, category: undefined }, now) }
  },
})
