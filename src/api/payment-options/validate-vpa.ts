// How Validate VPA crosses the wire: docs/interface.md section 4.32.

import { reply, validateVpa, wire } from '../../domain/payment-options/validate-vpa.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { withOurDigits } from '../../interface/numbered-ids.ts'
import { validateVpa as codes } from '../../interface/result-codes.ts'
import { edited, numbered } from '../kit/as-sent.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { unsigned } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { byTxnToken, credentialOf, renderPageCall } from './page-call.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof validateVpa.codes)['success']> = {
  wire,
  translate: (root, _path, _now, written) => withOurDigits(byTxnToken(root), written),
  perform({ query, head, body }, ports) {
    const credential = credentialOf(head, query, ports)
    const { reference, clock } = ports
    return validateVpa.answer({ mid: query['mid']!, request: body, credential, reference, now: clock.now() }, ports.query)
  },
  render: renderPageCall,
}

export const operation: Descriptor = {
  name: 'validateVpa',
  section: '4.32',
  resource: 'payment-options',
  method: 'POST',
  paths: ['/theia/api/v1/vpa/validate', '/theia/api/v1/validateVPA'],
  browser: true,
  codes,
  credentials: [['txnToken'], ['accessToken']],
  wire,
  asSent: (sent) => ({
    ...edited(sent, { numericId: numbered }),
    anyOf: [{ required: ['vpa'] }, { required: ['numericId'] }],
  }),
  reply,
  form: unsigned,
  sample: { ...sample.byToken, body: { vpa: 'asha@upi' } },
  handler: ({ ports }) => envelopeHandler(route, ports),
}
