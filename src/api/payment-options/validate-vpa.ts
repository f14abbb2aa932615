// How Validate VPA crosses the wire: docs/interface.md section 4.32.

import { validateVpa, wire } from '../../domain/payment-options/validate-vpa.ts'
import type { Edge } from '../../flows/edge.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { withOurDigits } from '../../interface/numbered-ids.ts'
import { byTxnToken, credentialOf, renderPageCall } from './page-call.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof validateVpa.codes)['success']> = {
  wire,
  translate: (root, _path, _now, written) => withOurDigits(byTxnToken(root), written),
  perform({ query, head, body }, edge) {
    const credential = credentialOf(head, query, edge)
    const { reference, clock } = edge
    return validateVpa.answer({ mid: query['mid']!, request: body, credential, reference, now: clock.now() }, edge.query)
  },
  render: renderPageCall,
}

export const validateVpaHandler = (edge: Edge) => envelopeHandler(route, edge)
