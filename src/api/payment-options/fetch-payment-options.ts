// How Fetch Payment Options crosses the wire: docs/interface.md section 4.30.

import { fetchPaymentOptions, wire } from '../../domain/payment-options/fetch-payment-options.ts'
import { dateInIndia } from '../../engine/clock.ts'
import type { Edge } from '../../flows/edge.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { byTxnToken, credentialOf, renderPageCall } from './page-call.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof fetchPaymentOptions.codes)['success']> = {
  wire,
  translate: byTxnToken,
  async perform({ query, head }, edge) {
    const now = edge.clock.now()
    const mid = query['mid']!
    const promotions = await edge.promotions.on(mid, dateInIndia(now))
    const credential = credentialOf(head, query, edge)
    return fetchPaymentOptions.answer({ mid, credential, promotions, reference: edge.reference, now }, edge.query)
  },
  render: renderPageCall,
}

export const fetchPaymentOptionsHandler = (edge: Edge) => envelopeHandler(route, edge)
