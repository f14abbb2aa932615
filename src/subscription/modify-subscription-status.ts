// Modify Subscription Status: docs/interface.md section 4.36. The merchant pauses, or lifts his own pause; a payer's he cannot.

import Type, { type Static } from 'typebox'
import { dateInIndia } from '../engine/clock.ts'
import { refuse, refuseWith } from '../engine/decision.ts'
import * as fields from '../interface/fields.ts'
import { modifySubscriptionStatus as codes } from '../interface/result-codes.ts'
import type { Signed } from '../interface/wire.ts'
import { collectionsOf, merchantKey, subscriptionKey } from '../tables.ts'
import type { Reference } from '../transaction/reference.ts'
import { NEWEST_CYCLES, openCycleKeys, unsentKeys } from './end-cycle.ts'
import { ids, isLive, managingWire, refusalOf } from './managing.ts'
import { mayMove } from './subscription.ts'
import { mandateOperation } from './telling.ts'
import { turn } from './turn-subscription.ts'
import { cycleKeys } from './which-cycle.ts'

const body = Type.Object({ mid: fields.mid, ...ids, status: Type.Enum(['ACTIVE', 'SUSPENDED']) })

export const wire = managingWire(body, codes)

export interface ModifySubscriptionStatus {
  request: Static<typeof body>
  caller: Signed
  /** By whichever name, in body or query. */
  subscriptionId: string
  reference: Pick<Reference, 'category'>
  now: number
}

export const modifySubscriptionStatus = mandateOperation({
  name: 'modifySubscriptionStatus',
  codes,
  reads: ({ request: { mid }, subscriptionId }: ModifySubscriptionStatus) => ({
    merchant: merchantKey(mid),
    subscription: subscriptionKey(mid, subscriptionId),
    newest: collectionsOf(mid, subscriptionId, NEWEST_CYCLES),
  }),
  readsNext: ({ now }, { subscription, newest }) => ({
    ...openCycleKeys(newest),
    following: cycleKeys(subscription, dateInIndia(now)).following,
  }),
  readsLast: (_command, { subscription, first, second, third }) => unsentKeys(subscription, [first, second, third]),
  decide(command, { merchant, subscription, newest: _, first, second, third, following, ...attempt }) {
    const { request, caller, subscriptionId, reference, now } = command
    const { status } = request
    if (caller.signature !== 'valid') return refuse(codes.badRequest)
    if (!subscription) return refuse(codes.notFound)
    if (!isLive(subscription, now)) return refuseWith(refusalOf(subscription, codes, now))
    const done = { reply: { result: codes.success, body: { subsId: subscriptionId, status } }, changes: [], events: [], tasks: [] }
    if (subscription.status === status) return done
    const name = status === 'SUSPENDED' ? 'pauseByMerchant' : 'resumeByMerchant'
    if (!mayMove(subscription, name)) return refuseWith(refusalOf(subscription, codes, now))

    const category = merchant && reference.category(merchant.mcc)
    const around = { cycles: [first, second, third], following, waiting: { merchant, ...attempt }, category }
    return { ...done, ...turn(subscription, name, around, now) }
  },
})
