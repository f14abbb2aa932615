// How Modify Order crosses the wire: docs/interface.md section 4.3.

import { modifyOrder, wire } from '../../domain/order/modify-order.ts'
import type { Edge } from '../../flows/edge.ts'
import { renderSigned } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { operations } from '../../interface/operations.ts'
import { fromPaymentHost, withToken } from '../older-clients/payment-host.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof modifyOrder.codes)['success']> = {
  wire,
  judgesBodyLater: true,
  translate(plain, path, _now, written) {
    if (path === operations.modifyOrder.paths[0]) return plain
    const { head, body } = fromPaymentHost(plain, written)
    return { head: withToken(head), body }
  },
  signed: {},
  async perform({ query, head, body, bodyRefusal, signature }, { engine, clock, vault }) {
    const mid = query['mid']!
    const given = typeof head.signature === 'string' ? head.signature : ''
    const token = typeof head.token === 'string' ? head.token : '' // of a form that none has: it opens nothing
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

export const modifyOrderHandler = (edge: Edge) => envelopeHandler(route, edge)
