// How Apply Refund crosses the wire: docs/interface.md section 4.14.

import { type applyRefund, wire } from '../../domain/refund/apply-refund.ts'
import type { Edge } from '../../flows/edge.ts'
import { renderSigned } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { withDigits } from '../../interface/numbered-ids.ts'
import { applyRefund as codes } from '../../interface/result-codes.ts'
import { askForRefund } from './ask-for-refund.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof applyRefund.codes)['success']> = {
  wire,
  translate: (plain, _path, _now, written) => withDigits(plain, written),
  signed: { wrong: codes.invalidChecksum },
  perform: ({ body, signature }, edge) => askForRefund(edge, body, { signature }),
  render: renderSigned,
}

export const applyRefundHandler = (edge: Edge) => envelopeHandler(route, edge)
