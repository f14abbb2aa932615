// How Fetch Balance Info crosses the wire: docs/interface.md section 4.43.

import { fetchBalanceInfo, wire } from '../../domain/payment-options/fetch-balance-info.ts'
import type { Edge } from '../../flows/edge.ts'
import type { RateLimit } from '../../http/rate-limit.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { byTxnToken, credentialOf, renderPageCall } from './page-call.ts'

type Route = EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof fetchBalanceInfo.codes)['success']>

const route = (calls: RateLimit): Route => ({
  wire,
  translate: byTxnToken,
  perform({ query, head }, edge) {
    const credential = credentialOf(head, query, edge)
    calls.take(credential.tokenHash)
    return fetchBalanceInfo.answer({ mid: query['mid']!, credential, now: edge.clock.now() }, edge.query)
  },
  render: renderPageCall,
})

export const fetchBalanceInfoHandler = (edge: Edge, calls: RateLimit) => envelopeHandler(route(calls), edge)
