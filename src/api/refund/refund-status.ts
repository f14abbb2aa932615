// How Refund Status crosses the wire: docs/interface.md section 4.15.

import { refundStatus, wire } from '../../domain/refund/refund-status.ts'
import type { Edge } from '../../flows/edge.ts'
import { renderSigned } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { withDigits } from '../../interface/numbered-ids.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof refundStatus.codes)['success']> = {
  wire,
  translate: (plain, _path, _now, written) => withDigits(plain, written),
  signed: {},
  perform: ({ body, signature }, { query }) => refundStatus.answer({ request: body, caller: { signature } }, query),
  render: renderSigned,
}

export const refundStatusHandler = (edge: Edge) => envelopeHandler(route, edge)
