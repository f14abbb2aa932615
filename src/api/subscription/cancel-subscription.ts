// How Cancel Subscription crosses the wire: docs/interface.md section 4.35.

import { cancelSubscription, wire } from '../../domain/subscription/cancel-subscription.ts'
import type { Edge } from '../../flows/edge.ts'
import { envelopeHandler } from '../../http/route.ts'
import { cancelSubscription as codes } from '../../interface/result-codes.ts'
import { managingRoute } from './manage-request.ts'

const route = managingRoute(wire, codes, (request, subscriptionId, signature, { engine, clock }) =>
  engine.submit(cancelSubscription, { request, caller: { signature }, subscriptionId, now: clock.now() }),
)

export const cancelSubscriptionHandler = (edge: Edge) => envelopeHandler(route, edge)
