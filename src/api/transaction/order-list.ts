// How Order List crosses the wire: docs/interface.md section 4.16.

import { orderList, wire } from '../../domain/transaction/order-list.ts'
import type { Edge } from '../../flows/edge.ts'
import { renderSigned } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof orderList.codes)['success']> = {
  wire,
  signed: {},
  perform: ({ body, signature }, { query }) => orderList.answer({ request: body, caller: { signature } }, query),
  render: renderSigned,
}

export const orderListHandler = (edge: Edge) => envelopeHandler(route, edge)
