// How Fetch Payment Options crosses the wire: docs/interface.md section 4.30.

import { fetchPaymentOptions, wire } from '../../domain/payment-options/fetch-payment-options.ts'
import { reply } from '../../domain/payment-options/options-reply.ts'
import { dateInIndia } from '../../engine/clock.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { fetchPaymentOptions as codes } from '../../interface/result-codes.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { unsigned } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { byTxnToken, credentialOf, renderPageCall } from './page-call.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof fetchPaymentOptions.codes)['success']> = {
  wire,
  translate: byTxnToken,
  async perform({ query, head }, ports) {
    const now = ports.clock.now()
    const mid = query['mid']!
    const promotions = await ports.promotions.on(mid, dateInIndia(now))
    const credential = credentialOf(head, query, ports)
    return fetchPaymentOptions.answer({ mid, credential, promotions, reference: ports.reference, now }, ports.query)
  },
  render: renderPageCall,
}

export const operation: Descriptor = {
  name: 'fetchPaymentOptions',
  section: '4.30',
  resource: 'payment-options',
  method: 'POST',
  paths: ['/theia/api/v2/fetchPaymentOptions', '/theia/api/v1/fetchPaymentOptions', '/fetchPaymentOptions'],
  browser: true,
  codes,
  credentials: [['txnToken'], ['accessToken']],
  wire,
  reply,
  form: unsigned,
  sample: { ...sample.byToken, body: sample.order },
  handler: ({ ports }) => envelopeHandler(route, ports),
}
