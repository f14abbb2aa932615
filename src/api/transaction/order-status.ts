// How Order Status crosses the wire: docs/interface.md section 4.12.

import { orderStatus, wire } from '../../domain/transaction/order-status.ts'
import { isReadableByAll } from '../../domain/transaction/transaction.ts'
import type { Edge } from '../../flows/edge.ts'
import { renderSigned } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { withDigits } from '../../interface/numbered-ids.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof orderStatus.codes)['success']> = {
  wire,
  translate: (plain, _path, _now, written) => withDigits(plain, written),
  signed: {},
  perform: ({ body, signature }, { query }) => orderStatus.answer({ request: body, caller: { signature } }, query),
  render: (reply, asked, edge) => renderSigned({ ...reply, ...(reply.body && { body: readableByAll(reply.body) }) }, asked, edge),
}

const readableByAll = (body: object) => Object.fromEntries(Object.entries(body).filter((member) => isReadableByAll(...member)))

export const orderStatusHandler = (edge: Edge) => envelopeHandler(route, edge)
