// How Edit Subscription crosses the wire: docs/interface.md section 4.41.

import { editSubscription, wire } from '../../domain/subscription/edit-subscription.ts'
import { numberAt } from '../../engine/number-at.ts'
import type { Edge } from '../../flows/edge.ts'
import { envelopeHandler } from '../../http/route.ts'
import { editSubscription as codes } from '../../interface/result-codes.ts'
import { managingRoute } from './manage-request.ts'

const route = managingRoute(wire, codes, (request, subscriptionId, signature, { engine, clock, fresh }) => {
  const now = clock.now()
  const command = { request, caller: { signature }, subscriptionId, now, fresh: { editId: numberAt(now, fresh) } }
  return engine.submit(editSubscription, command)
})

export const editSubscriptionHandler = (edge: Edge) => envelopeHandler(route, edge)
