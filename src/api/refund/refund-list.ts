// How Refund List crosses the wire: docs/interface.md section 4.17.

import { refundList, reply, wire } from '../../domain/refund/refund-list.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { refundList as codes } from '../../interface/result-codes.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { listing } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof refundList.codes)['success']> = {
  wire,
  unwrapped: true,
  signed: {},
  perform: ({ body, signature }, { query }) => refundList.answer({ request: body, caller: { signature } }, query),
  render({ result, message, body }) {
    const said = { status: result.status, resultCode: result.code }
    return { head: {}, body: body ? { ...said, ...body } : { ...said, errorMessage: message ?? result.message } }
  },
}

export const operation: Descriptor = {
  name: 'refundList',
  section: '4.17',
  resource: 'refund',
  method: 'POST',
  paths: ['/merchant-passbook/api/v1/refundList'],
  codes,
  credentials: [['signature']],
  signs: {},
  wire,
  reply,
  form: listing,
  sample: { ...sample.signed, body: { mid: sample.mid, startDate: '{fromDate}', endDate: '{toDate}' } },
  handler: ({ ports }) => envelopeHandler(route, ports),
}
