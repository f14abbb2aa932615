// How the lists of payments and of refunds cross the wire: docs/interface.md sections 4.16 and 4.17.

import { refundList, wire as refundsWire } from '../../domain/refund/refund-list.ts'
import { orderList, wire as ordersWire } from '../../domain/transaction/order-list.ts'
import type { Edge } from '../../flows/edge.ts'
import { renderSigned } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'

const ordersRoute: EnvelopeRoute<typeof ordersWire.head, typeof ordersWire.body, (typeof orderList.codes)['success']> = {
  wire: ordersWire,
  signed: {},
  perform: ({ body, signature }, { query }) => orderList.answer({ request: body, caller: { signature } }, query),
  render: renderSigned,
}

const refundsRoute: EnvelopeRoute<typeof refundsWire.head, typeof refundsWire.body, (typeof refundList.codes)['success']> = {
  wire: refundsWire,
  unwrapped: true,
  signed: {},
  perform: ({ body, signature }, { query }) => refundList.answer({ request: body, caller: { signature } }, query),
  render({ result, message, body }) {
    const said = { status: result.status, resultCode: result.code }
    return { head: {}, body: body ? { ...said, ...body } : { ...said, errorMessage: message ?? result.message } }
  },
}

export const listHandlers = (edge: Edge) => ({
  orderList: envelopeHandler(ordersRoute, edge),
  refundList: envelopeHandler(refundsRoute, edge),
})
