// How Fetch EMI Detail crosses the wire: docs/interface.md section 4.45.

import { fetchEmiDetail, wire } from '../../domain/payment-options/fetch-emi-detail.ts'
import type { Edge } from '../../flows/edge.ts'
import type { RateLimit } from '../../http/rate-limit.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { byTxnToken, credentialOf, renderPageCall } from './page-call.ts'

type Route = EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof fetchEmiDetail.codes)['success']>

const route = (calls: RateLimit): Route => ({
  wire,
  translate: byTxnToken,
  perform({ query, head, body }, edge) {
    const credential = credentialOf(head, query, edge)
    calls.take(credential.tokenHash)
    const { reference, clock } = edge
    return fetchEmiDetail.answer({ mid: query['mid']!, request: body, credential, reference, now: clock.now() }, edge.query)
  },
  render: renderPageCall,
})

export const fetchEmiDetailHandler = (edge: Edge, calls: RateLimit) => envelopeHandler(route(calls), edge)
