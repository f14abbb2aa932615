// How Check Subscription Status crosses the wire: docs/interface.md section 4.34.

import { checkSubscriptionStatus, wire } from '../../domain/subscription/check-subscription-status.ts'
import type { Edge } from '../../flows/edge.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { checkSubscriptionStatus as codes } from '../../interface/result-codes.ts'
import { renderManaging, subscriptionNamed } from './manage-request.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof codes)['success']> = {
  wire,
  signed: { wrong: codes.badRequest },
  // A published page prints it so.
  translate: ({ head, body: { orderid, ...body } }) => ({
    head,
    body: orderid === undefined || body['orderId'] !== undefined ? body : { ...body, orderId: orderid },
  }),
  async perform({ query: parameters, body, signature }, { query, clock }) {
    const subscriptionId = subscriptionNamed({ query: parameters, body }, codes)
    if (typeof subscriptionId === 'object') return subscriptionId
    return checkSubscriptionStatus.answer({ request: body, caller: { signature }, subscriptionId, now: clock.now() }, query)
  },
  render: renderManaging,
}

export const checkSubscriptionStatusHandler = (edge: Edge) => envelopeHandler(route, edge)
