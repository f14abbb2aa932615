// How Pre Notify Status crosses the wire: docs/interface.md section 4.38.

import { preNotifyStatus, wire } from '../../domain/subscription/pre-notification/pre-notify-status.ts'
import type { Edge } from '../../flows/edge.ts'
import { envelopeHandler } from '../../http/route.ts'
import { preNotifyStatus as codes } from '../../interface/result-codes.ts'
import { managingRoute } from './manage-request.ts'

const route = managingRoute(wire, codes, (request, subscriptionId, signature, { query }) =>
  preNotifyStatus.answer({ request, caller: { signature }, subscriptionId }, query),
)

export const preNotifyStatusHandler = (edge: Edge) => envelopeHandler(route, edge)
