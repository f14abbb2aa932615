// Check Subscription Status: docs/interface.md section 4.34. This question only reads, so the service answers it outside the batches.

import Type, { type Static } from 'typebox'
import { type Query, question } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import { checkSubscriptionStatus as codes } from '../../interface/result-codes.ts'
import type { Signed } from '../../interface/wire.ts'
import { look } from '../../tables/tables.ts'
import { ids, managingWire } from './manage-request.ts'
import { detailedReply, inDetail } from './subscription-view.ts'

const body = Type.Object({
  mid: fields.mid,
  ...ids,
  orderId: Type.Optional(fields.orderId),
  custId: Type.Optional(fields.hostCustId),
})

/** Beside `orderId` or `custId`, `subscriptionId` belongs to List Subscriptions or Pre Notify Status: docs/interface.md section 5.1. */
export const wire = managingWire(body, codes, ({ subscriptionId, orderId, custId }) =>
  subscriptionId !== undefined && (orderId !== undefined || custId !== undefined) ? 'subscriptionId' : undefined,
)

export const reply = detailedReply

export interface CheckSubscriptionStatus {
  request: Static<typeof body>
  caller: Signed
  /** From `subsId` or `subscriptionId`. */
  subscriptionId: string | undefined
  now: number
}

export const checkSubscriptionStatus = question({
  name: 'checkSubscriptionStatus',
  codes,
  async answer({ request, caller, subscriptionId, now }: CheckSubscriptionStatus, query) {
    // Only a known merchant has a key, so this line refuses an unknown merchant too.
    if (caller.signature !== 'valid') return { result: codes.badRequest, cause: 'signature' }
    const { mid, orderId, custId } = request
    if (subscriptionId === undefined && (orderId === undefined || custId === undefined))
      return { result: codes.badRequest, parameter: 'subsId', cause: 'noId' }
    const named = subscriptionId ?? (await subscriptionOfOrder(mid, orderId!, custId!, query))
    const subscription = named === undefined ? undefined : await query.row(look('subscriptions', mid, named))
    if (!subscription) return { result: codes.notFound }
    const [row] = await inDetail([subscription], mid, query, now)
    return { result: codes.success, body: row! }
  },
})

/** Every order of a first payment or of a collection names its subscription. */
async function subscriptionOfOrder(mid: string, orderId: string, custId: string, query: Query): Promise<string | undefined> {
  const order = await query.row(look('orders', mid, orderId))
  return order?.custId === custId ? (order.subscriptionId ?? undefined) : undefined
}
