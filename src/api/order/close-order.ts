// How Close Order crosses the wire: docs/interface.md section 4.13.

import { closeOrder, wire } from '../../domain/order/close-order.ts'
import type { Edge } from '../../flows/edge.ts'
import { renderSigned } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { closeOrder as codes } from '../../interface/result-codes.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof closeOrder.codes)['success']> = {
  wire,
  signed: { wrong: codes.invalidChecksum },
  perform: ({ body, signature }, { engine, clock }) =>
    engine.submit(closeOrder, { request: body, caller: { signature }, now: clock.now() }),
  render: renderSigned,
}

export const closeOrderHandler = (edge: Edge) => envelopeHandler(route, edge)
