// How Fetch Balance Info crosses the wire: docs/interface.md section 4.43.

import { fetchBalanceInfo, reply, wire } from '../../domain/payment-options/fetch-balance-info.ts'
import type { RateLimit } from '../../http/rate-limit.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { fetchBalanceInfo as codes } from '../../interface/result-codes.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { unsigned } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { byTxnToken, countingCall, credentialOf, renderPageCall } from './page-call.ts'

type Route = EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof fetchBalanceInfo.codes)['success']>

const route = (calls: RateLimit): Route => ({
  wire,
  translate: byTxnToken,
  perform({ query, head }, ports) {
    const credential = credentialOf(head, query, ports)
    return countingCall(calls, credential.tokenHash, () =>
      fetchBalanceInfo.answer({ mid: query['mid']!, credential, now: ports.clock.now() }, ports.query),
    )
  },
  render: renderPageCall,
})

export const operation: Descriptor = {
  name: 'fetchBalanceInfo',
  section: '4.43',
  resource: 'payment-options',
  method: 'POST',
  paths: ['/userAsset/fetchBalanceInfo', '/theia/api/v1/fetchBalanceInfo'],
  browser: true,
  codes,
  credentials: [['txnToken']],
  wire,
  reply,
  form: unsigned,
  hasCeiling: true,
  sample: { ...sample.byToken, body: { paymentMode: 'BALANCE' } },
  handler: ({ ports, pageCalls }) => envelopeHandler(route(pageCalls), ports),
}
