// How Fetch NB Payment Channels crosses the wire: docs/interface.md section 4.44.

import { fetchNbPaymentChannels, reply, wire } from '../../domain/payment-options/fetch-nb-payment-channels.ts'
import type { RateLimit } from '../../http/rate-limit.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { fetchNbPaymentChannels as codes } from '../../interface/result-codes.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { unsigned } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { byTxnToken, countingCall, credentialOf, renderPageCall } from './page-call.ts'

type Route = EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof fetchNbPaymentChannels.codes)['success']>

const route = (calls: RateLimit): Route => ({
  wire,
  translate: byTxnToken,
  perform({ query, head }, ports) {
    const credential = credentialOf(head, query, ports)
    const { reference, clock } = ports
    const answer = () => fetchNbPaymentChannels.answer({ mid: query['mid']!, credential, reference, now: clock.now() }, ports.query)
    // All of a shop's payers may share an access token.
    return credential.tokenType === 'TXN_TOKEN' ? countingCall(calls, credential.tokenHash, answer) : answer()
  },
  render: renderPageCall,
})

export const operation: Descriptor = {
  name: 'fetchNbPaymentChannels',
  section: '4.44',
  resource: 'payment-options',
  method: 'POST',
  paths: ['/theia/api/v1/fetchNBPaymentChannels'],
  browser: true,
  codes,
  credentials: [['txnToken'], ['accessToken']],
  wire,
  reply,
  form: unsigned,
  hasCeiling: true,
  sample: { ...sample.byToken, body: { type: 'MERCHANT' } },
  handler: ({ ports, pageCalls }) => envelopeHandler(route(pageCalls), ports),
}
