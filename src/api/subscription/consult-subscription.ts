// How Consult Subscription crosses the wire: docs/interface.md section 4.40.

import { consultSubscription, wire } from '../../domain/subscription/collection/consult-subscription.ts'
import type { Edge } from '../../flows/edge.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import type { JsonObject } from '../../interface/envelope.ts'
import { consultSubscription as codes } from '../../interface/result-codes.ts'
import { managingRoute } from './manage-request.ts'

/** An amount that was written as a number is the text that it was written with. */
const amountAsText: NonNullable<EnvelopeRoute['translate']> = ({ head, body }, _path, _now, written) =>
  typeof body['amount'] === 'number' ? { head, body: { ...body, amount: (written()['body'] as JsonObject)['amount']! } } : { head, body }

const route = managingRoute(wire, codes, (request, subscriptionId, signature, { query, clock, reference }) =>
  consultSubscription.answer({ request, caller: { signature }, subscriptionId, reference, now: clock.now() }, query),
)

export const consultSubscriptionHandler = (edge: Edge) => envelopeHandler({ ...route, translate: amountAsText }, edge)
