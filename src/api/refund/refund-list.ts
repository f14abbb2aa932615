// How Refund List crosses the wire: docs/interface.md section 4.17.

import { refundList, wire } from '../../domain/refund/refund-list.ts'
import type { Edge } from '../../flows/edge.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof refundList.codes)['success']> = {
  wire,
  unwrapped: true,
  signed: {},
  perform: ({ body, signature }, { query }) => refundList.answer({ request: body, caller: { signature } }, query),
  render({ result, message, body }) {
    const said = { status: result.status, resultCode: result.code }
    return { head: {}, body: body ? { ...said, ...body } : { ...said, errorMessage: message ?? result.message } }
  },
}

export const refundListHandler = (edge: Edge) => envelopeHandler(route, edge)
