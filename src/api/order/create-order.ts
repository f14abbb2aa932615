// How the operations on orders cross the wire: credentials become facts, aliases become the interface's own names.

import { closeOrder, wire as closeWire } from '../../domain/order/close-order.ts'
import { createOrder, wire as createOrderWire, paymentHostWire } from '../../domain/order/create-order.ts'
import { modifyOrder, wire as modifyOrderWire } from '../../domain/order/modify-order.ts'
import { orderStatus, wire as statusWire } from '../../domain/transaction/order-status.ts'
import { isReadableByAll } from '../../domain/transaction/transaction.ts'
import type { Edge } from '../../flows/edge.ts'
import { renderSigned, replyBody, replyHead, signFor } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler, type Handler } from '../../http/route.ts'
import { operations } from '../../interface/operations.ts'
import { closeOrder as closeOrderCodes, createOrder as createOrderCodes } from '../../interface/result-codes.ts'
import { flatStatusHandler } from '../older-clients/flat-status.ts'
import { fromPaymentHost, withToken } from '../older-clients/payment-host.ts'
import { freshTxnToken, ssoTokenHashOf } from '../signin/sign-in-client.ts'

/** The paths of the payment host, whose clients write `Payment` and expect two members more. */
const isPaymentHost = (path: string) => path !== operations.createOrder.paths[0]

const createOrderRoute: EnvelopeRoute<typeof createOrderWire.head, typeof createOrderWire.body, (typeof createOrder.codes)['success']> = {
  wire: createOrderWire,
  translate(plain, path, _now, written) {
    if (!isPaymentHost(path)) {
      if (!('svcSsoToken' in plain.body)) return plain
      const { svcSsoToken: _, ...body } = plain.body // the router's table has no such member: section 4.5
      return { head: plain.head, body }
    }
    const { head, body } = fromPaymentHost(plain, written)
    return { head, body: body['requestType'] === 'Payment' ? { ...body, requestType: 'PAYMENT' } : body }
  },
  signed: { wrong: createOrderCodes.invalidChecksum },
  async perform({ body, signature }, edge) {
    const { engine, clock } = edge
    const now = clock.now()
    return engine.submit(createOrder, {
      request: body,
      caller: { signature },
      ssoTokenHash: ssoTokenHashOf(edge, body.svcSsoToken),
      now,
      fresh: freshTxnToken(edge, now),
    })
  },
  render(reply, asked, { clock }) {
    const { resultInfo, authenticated, ...given } = replyBody(reply) as ReturnType<typeof replyBody> & { authenticated?: boolean }
    const extraParamsMap = reply.parameter === undefined ? {} : { parameter: reply.parameter }
    const more = isPaymentHost(asked.path) ? { isPromoCodeValid: false, authenticated } : {}
    return {
      head: replyHead(asked, clock.now()),
      body: reply.result.status === 'F' ? { resultInfo: { ...resultInfo, extraParamsMap } } : { resultInfo, ...given, ...more },
      ...signFor(asked),
    }
  },
}

function createHandler(edge: Edge): Handler {
  const [law, host] = [envelopeHandler(createOrderRoute, edge), envelopeHandler({ ...createOrderRoute, wire: paymentHostWire }, edge)]
  return (received) => (isPaymentHost(received.url) ? host : law)(received)
}

const modifyOrderRoute: EnvelopeRoute<typeof modifyOrderWire.head, typeof modifyOrderWire.body, (typeof modifyOrder.codes)['success']> = {
  wire: modifyOrderWire,
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

const statusRoute: EnvelopeRoute<typeof statusWire.head, typeof statusWire.body, (typeof orderStatus.codes)['success']> = {
  wire: statusWire,
  signed: {},
  perform: ({ body, signature }, { query }) => orderStatus.answer({ request: body, caller: { signature } }, query),
  render: (reply, asked, edge) => renderSigned({ ...reply, ...(reply.body && { body: readableByAll(reply.body) }) }, asked, edge),
}

const readableByAll = (body: object) => Object.fromEntries(Object.entries(body).filter((member) => isReadableByAll(...member)))

const closeRoute: EnvelopeRoute<typeof closeWire.head, typeof closeWire.body, (typeof closeOrder.codes)['success']> = {
  wire: closeWire,
  signed: { wrong: closeOrderCodes.invalidChecksum },
  perform: ({ body, signature }, { engine, clock }) =>
    engine.submit(closeOrder, { request: body, caller: { signature }, now: clock.now() }),
  render: renderSigned,
}

function statusHandler(edge: Edge): Handler {
  const [envelope, flat] = [envelopeHandler(statusRoute, edge), flatStatusHandler(edge)]
  const flatPaths: readonly string[] = operations.orderStatus.flatPaths
  return (received) => (flatPaths.includes(received.url) ? flat : envelope)(received)
}

export const orderHandlers = (edge: Edge) => ({
  orderStatus: statusHandler(edge),
  closeOrder: envelopeHandler(closeRoute, edge),
  createOrder: createHandler(edge),
  modifyOrder: envelopeHandler(modifyOrderRoute, edge),
})
