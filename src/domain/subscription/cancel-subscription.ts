// Cancel Subscription: docs/interface.md section 4.35. The merchant collects nothing any more. Everything that the acquirer has not
// received ends, including the order of the first payment. The mandate is withdrawn at the bank.

import Type, { type Static } from 'typebox'
import { NOTHING, operation, refuse, refuseWith } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import * as replied from '../../interface/replied.ts'
import { cancelSubscription as codes } from '../../interface/result-codes.ts'
import type { Signed } from '../../interface/wire.ts'
import { merchantKey, openCollectionsOf, subscriptionKey } from '../../tables/keys.ts'
import { aroundKeys, aroundOf, existingCycles, unsentKeys } from './collection/end-cycle.ts'
import { endOrPause } from './end-or-pause.ts'
import { ids, isLive, managingWire, refusalOf } from './manage-request.ts'
import { notifyOfMoves, recipientKeys } from './mandate-notifications.ts'

const body = Type.Object({ mid: fields.mid, ...ids })

export const wire = managingWire(body, codes)

export const reply = Type.Object({ subsId: replied.text })

export interface CancelSubscription {
  request: Static<typeof body>
  caller: Signed
  /** From `subsId` or `subscriptionId`. */
  subscriptionId: string
  now: number
}

export const cancelSubscription = operation({
  name: 'cancelSubscription',
  codes,
  reads: ({ request: { mid }, subscriptionId }: CancelSubscription) => ({
    merchant: merchantKey(mid),
    subscription: subscriptionKey(mid, subscriptionId),
    open: openCollectionsOf(mid, subscriptionId),
  }),
  readsNext: ({ request: { mid }, now }, state) => ({ ...aroundKeys(mid, state, now), ...recipientKeys(state.subscription) }),
  readsLast: (_command, { subscription, cycles }) => unsentKeys(subscription, existingCycles(cycles)),
  decide({ caller, subscriptionId, now }, { subscription, ...state }) {
    if (caller.signature !== 'valid') return refuse(codes.badRequest, undefined, undefined, 'signature')
    if (!subscription) return refuse(codes.notFound)
    const done = { ...NOTHING, reply: { result: codes.success, body: { subsId: subscriptionId } } }
    if (subscription.subStatus === 'MERCHANT_CANCELLED') return done
    if (!isLive(subscription, now)) return refuseWith(refusalOf(subscription, codes, now))
    return notifyOfMoves({ subscription, ...state }, now, { ...done, ...endOrPause(subscription, 'cancel', aroundOf(state), now) })
  },
})
