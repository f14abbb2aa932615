// How Modify Order crosses the wire: docs/interface.md section 4.3.

import { modifyOrder, reply, wire } from '../../domain/order/modify-order.ts'
import { renderSigned } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { modifyOrder as codes } from '../../interface/result-codes.ts'
import { edited, HOST, without } from '../kit/as-sent.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { signed } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { fromPaymentHost, withToken } from '../older-clients/payment-host.ts'

const OWN_PATH = '/aoa-acquiring-biz/v2/modifyOrder'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof modifyOrder.codes)['success']> = {
  wire,
  judgesBodyLater: true,
  translate(plain, path, _now, written) {
    if (path === OWN_PATH) return plain
    const { head, body } = fromPaymentHost(plain, written)
    return { head: withToken(head), body }
  },
  signed: {},
  async perform({ query, head, body, bodyRefusal, signature }, { engine, clock, vault }) {
    const mid = query['mid']!
    const given = typeof head.signature === 'string' ? head.signature : ''
    const token = typeof head.token === 'string' ? head.token : '' // a token that is no text opens nothing
    return engine.submit(modifyOrder, {
      mid,
      orderId: query['orderId']!,
      token: { text: token, hash: vault.hash('txnToken', token) },
      request: body,
      ...(bodyRefusal && { bodyRefusal: bodyRefusal as never }),
      caller: { signature },
      signatureHash: vault.hash('signature', given),
      now: clock.now(),
    })
  },
  render: renderSigned,
}

export const operation: Descriptor = {
  name: 'modifyOrder',
  section: '4.3',
  resource: 'order',
  method: 'POST',
  paths: [OWN_PATH, '/theia/api/v1/updateTransactionDetail'],
  writes: true,
  byOrder: true,
  codes,
  credentials: [['txnToken'], ['txnToken', 'signature']], // the merchant's setting signedModify decides which
  signs: { refuses: ['requestType'] },
  wire,
  asSent: (sent, isHost) => {
    const taken = without(sent, 'requestType') // the schema names it only to refuse it
    return isHost ? edited(taken, HOST) : taken
  },
  reply,
  form: signed,
  host: {},
  sample: { ...sample.ofOrder, head: { tokenType: 'TXN_TOKEN', token: '{txnToken}' }, body: { txnAmount: sample.rupees('449.00') } },
  handler: ({ ports }) => envelopeHandler(route, ports),
}
