// Modify Subscription Status: docs/interface.md section 4.36. The merchant pauses, or lifts their own pause. A merchant cannot lift a
// payer's pause.

import Type, { type Static } from 'typebox'
import { NOTHING, operation, refuse, refuseWith } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import * as replied from '../../interface/replied.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { modifySubscriptionStatus as codes } from '../../interface/result-codes.ts'
import type { Signed } from '../../interface/wire.ts'
import type { Reference } from '../../reference/reference.ts'
import { merchantKey, openCollectionsOf, subscriptionKey } from '../../tables/keys.ts'
import { aroundOf, everyCycleKeys, existingCycles, unsentKeys } from './collection/end-cycle.ts'
import { endOrPause } from './end-or-pause.ts'
import { ids, isLive, managingWire, refusalOf } from './manage-request.ts'
import { notifyOfMoves, recipientKeys } from './mandate-notifications.ts'
import { mayMove } from './subscription.ts'

const body = Type.Object({ mid: fields.mid, ...ids, status: Type.Enum(['ACTIVE', 'SUSPENDED']) })

export const wire = managingWire(body, codes)

export const reply = Type.Object({ subsId: replied.text, status: Type.Enum(['ACTIVE', 'SUSPENDED']) })

export interface ModifySubscriptionStatus {
  request: Static<typeof body>
  caller: Signed
  /** From `subsId` or `subscriptionId`. */
  subscriptionId: string
  /** The subscription's version that a person saw in the console. If the version differs, nothing changes. */
  version?: number
  reference: Pick<Reference, 'category'>
  now: number
}

/** Only a command with a `version` gets it, so it crosses no wire. */
const { changed } = ownCodes('modifySubscriptionStatus', 'changed')

export const modifySubscriptionStatus = operation({
  name: 'modifySubscriptionStatus',
  codes,
  reads: ({ request: { mid }, subscriptionId }: ModifySubscriptionStatus) => ({
    merchant: merchantKey(mid),
    subscription: subscriptionKey(mid, subscriptionId),
    open: openCollectionsOf(mid, subscriptionId),
  }),
  readsNext: ({ now }, state) => ({ cycles: everyCycleKeys(state, now), ...recipientKeys(state.subscription) }),
  readsLast: (_command, { subscription, cycles }) => unsentKeys(subscription, existingCycles(cycles)),
  decide(command, { subscription, ...state }) {
    const { request, caller, subscriptionId, version, reference, now } = command
    const { status } = request
    if (caller.signature !== 'valid') return refuse(codes.badRequest, undefined, undefined, 'signature')
    if (!subscription) return refuse(codes.notFound)
    if (!isLive(subscription, now)) return refuseWith(refusalOf(subscription, codes, now))
    if (subscription.version !== (version ?? subscription.version)) return refuse(changed)
    const done = { ...NOTHING, reply: { result: codes.success, body: { subsId: subscriptionId, status } } }
    if (subscription.status === status) return done
    const name = status === 'SUSPENDED' ? 'pauseByMerchant' : 'resumeByMerchant'
    if (!mayMove(subscription, name)) return refuseWith(refusalOf(subscription, codes, now))
    return notifyOfMoves({ subscription, ...state }, now, { ...done, ...endOrPause(subscription, name, aroundOf(state, reference), now) })
  },
})
