// How Fetch EMI Detail crosses the wire: docs/interface.md section 4.45.

import { fetchEmiDetail, reply, wire } from '../../domain/payment-options/fetch-emi-detail.ts'
import type { RateLimit } from '../../http/rate-limit.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { fetchEmiDetail as codes } from '../../interface/result-codes.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { unsigned } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { byTxnToken, countingCall, credentialOf, renderPageCall } from './page-call.ts'

type Route = EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof fetchEmiDetail.codes)['success']>

const route = (calls: RateLimit): Route => ({
  wire,
  translate: byTxnToken,
  perform({ query, head, body }, ports) {
    const credential = credentialOf(head, query, ports)
    const { reference, clock } = ports
    return countingCall(calls, credential.tokenHash, () =>
      fetchEmiDetail.answer({ mid: query['mid']!, request: body, credential, reference, now: clock.now() }, ports.query),
    )
  },
  render: renderPageCall,
})

export const operation: Descriptor = {
  name: 'fetchEmiDetail',
  section: '4.45',
  resource: 'payment-options',
  method: 'POST',
  paths: ['/theia/api/v1/fetchEMIDetail'],
  browser: true,
  codes,
  credentials: [['txnToken']],
  wire,
  reply,
  form: unsigned,
  hasCeiling: true,
  sample: { ...sample.byToken, body: { channelCode: 'HDFC,ICICI' } },
  handler: ({ ports, pageCalls }) => envelopeHandler(route(pageCalls), ports),
}
