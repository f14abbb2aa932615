// How refunds cross the wire: docs/interface.md sections 4.14 and 4.15.

import { type applyRefund, wire as applyWire } from '../../domain/refund/apply-refund.ts'
import { refundStatus, wire as statusWire } from '../../domain/refund/refund-status.ts'
import type { Edge } from '../../flows/edge.ts'
import { renderSigned } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler, type Handler } from '../../http/route.ts'
import { operations } from '../../interface/operations.ts'
import { applyRefund as codes } from '../../interface/result-codes.ts'
import { flatRefundHandler } from '../older-clients/flat-refund.ts'
import { askForRefund } from './refund-fingerprint.ts'

const applyRoute: EnvelopeRoute<typeof applyWire.head, typeof applyWire.body, (typeof applyRefund.codes)['success']> = {
  wire: applyWire,
  signed: { wrong: codes.invalidChecksum },
  perform: ({ body, signature }, edge) => askForRefund(edge, body, { signature }),
  render: renderSigned,
}

const statusRoute: EnvelopeRoute<typeof statusWire.head, typeof statusWire.body, (typeof refundStatus.codes)['success']> = {
  wire: statusWire,
  signed: {},
  perform: ({ body, signature }, { query }) => refundStatus.answer({ request: body, caller: { signature } }, query),
  render: applyRoute.render,
}

function applyHandler(edge: Edge): Handler {
  const [envelope, flat] = [envelopeHandler(applyRoute, edge), flatRefundHandler(edge)]
  const flatPaths: readonly string[] = operations.applyRefund.flatPaths
  return (received) => (flatPaths.includes(received.url) ? flat : envelope)(received)
}

export const refundHandlers = (edge: Edge) => ({
  applyRefund: applyHandler(edge),
  refundStatus: envelopeHandler(statusRoute, edge),
})
