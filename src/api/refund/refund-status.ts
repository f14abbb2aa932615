// How Refund Status crosses the wire: docs/interface.md section 4.15.

import { refundStatus, reply, wire } from '../../domain/refund/refund-status.ts'
import { renderSigned } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { withDigits } from '../../interface/numbered-ids.ts'
import { refundStatus as codes } from '../../interface/result-codes.ts'
import { edited, numbered } from '../kit/as-sent.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { signed } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof refundStatus.codes)['success']> = {
  wire,
  translate: (plain, _path, _now, written) => withDigits(plain, written),
  signed: {},
  perform: ({ body, signature }, { query }) => refundStatus.answer({ request: body, caller: { signature } }, query),
  render: renderSigned,
}

export const operation: Descriptor = {
  name: 'refundStatus',
  section: '4.15',
  resource: 'refund',
  method: 'POST',
  paths: ['/v2/refund/status', '/refund/api/v1/refundStatus'],
  codes,
  credentials: [['signature']],
  signs: {},
  wire,
  asSent: (sent) => edited(sent, { orderId: numbered, refId: numbered }),
  reply,
  form: signed,
  answers: ['success', 'pending', 'delayed', 'declined'],
  sample: { ...sample.signed, body: { ...sample.order, refId: '{refId}' } },
  handler: ({ ports }) => envelopeHandler(route, ports),
}
