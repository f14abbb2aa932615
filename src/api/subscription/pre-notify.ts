// How Pre Notify crosses the wire: docs/interface.md section 4.37.

import { preNotify, wire } from '../../domain/subscription/pre-notification/pre-notify.ts'
import { numberAt } from '../../engine/number-at.ts'
import type { Edge } from '../../flows/edge.ts'
import { envelopeHandler } from '../../http/route.ts'
import { preNotify as codes } from '../../interface/result-codes.ts'
import { managingRoute } from './manage-request.ts'

const route = managingRoute(wire, codes, (request, subscriptionId, signature, { engine, clock, reference, fresh }) => {
  const now = clock.now()
  const command = { request, caller: { signature }, subscriptionId, reference, now, fresh: { noticeId: numberAt(now, fresh) } }
  return engine.submit(preNotify, command)
})

export const preNotifyHandler = (edge: Edge) => envelopeHandler(route, edge)
