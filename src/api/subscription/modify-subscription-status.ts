// How Modify Subscription Status crosses the wire: docs/interface.md section 4.36.

import { modifySubscriptionStatus, wire } from '../../domain/subscription/modify-subscription-status.ts'
import type { Edge } from '../../flows/edge.ts'
import { envelopeHandler } from '../../http/route.ts'
import { modifySubscriptionStatus as codes } from '../../interface/result-codes.ts'
import { managingRoute } from './manage-request.ts'

const route = managingRoute(wire, codes, (request, subscriptionId, signature, { engine, clock, reference }) =>
  engine.submit(modifySubscriptionStatus, { request, caller: { signature }, subscriptionId, reference, now: clock.now() }),
)

export const modifySubscriptionStatusHandler = (edge: Edge) => envelopeHandler(route, edge)
