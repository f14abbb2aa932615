// How Order List crosses the wire: docs/interface.md section 4.16.

import { orderList, reply, wire } from '../../domain/transaction/order-list.ts'
import { renderSigned } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { orderList as codes } from '../../interface/result-codes.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { signed } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof orderList.codes)['success']> = {
  wire,
  signed: {},
  perform: ({ body, signature }, { query }) => orderList.answer({ request: body, caller: { signature } }, query),
  render: renderSigned,
}

export const operation: Descriptor = {
  name: 'orderList',
  section: '4.16',
  resource: 'transaction',
  method: 'POST',
  paths: ['/merchant-passbook/search/list/order/v2'],
  codes,
  credentials: [['signature']],
  signs: {},
  wire,
  reply,
  form: signed,
  sample: { ...sample.signed, body: { mid: sample.mid, fromDate: '{fromDate}', toDate: '{toDate}', orderSearchType: 'TRANSACTION' } },
  handler: ({ ports }) => envelopeHandler(route, ports),
}
