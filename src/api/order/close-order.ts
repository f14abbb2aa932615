// How Close Order crosses the wire: docs/interface.md section 4.13.

import { closeOrder, reply, wire } from '../../domain/order/close-order.ts'
import { renderSigned } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { closeOrder as codes } from '../../interface/result-codes.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { signed } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof closeOrder.codes)['success']> = {
  wire,
  signed: { wrong: codes.invalidChecksum },
  perform: ({ body, signature }, { engine, clock }) =>
    engine.submit(closeOrder, { request: body, caller: { signature }, now: clock.now() }),
  render: renderSigned,
}

export const operation: Descriptor = {
  name: 'closeOrder',
  section: '4.13',
  resource: 'order',
  method: 'POST',
  paths: ['/v1/order/close'],
  writes: true,
  codes,
  credentials: [['signature']],
  signs: {},
  wire,
  reply,
  form: signed,
  sample: { ...sample.signed, body: { requestType: 'CLOSE', ...sample.order } },
  handler: ({ ports }) => envelopeHandler(route, ports),
}
