// How the operations on orders cross the wire: credentials become facts, aliases become the interface's own names.

import { operations } from '../interface/operations.ts'
import { createOrder, wire as createOrderWire } from '../order/create-order.ts'
import { modifyOrder, wire as modifyOrderWire } from '../order/modify-order.ts'
import type { Edge } from './edge.ts'
import { replyBody, replyHead, signFor } from './render.ts'
import { type EnvelopeRoute, envelopeHandler } from './route.ts'

/** The paths of the payment host, whose clients write `Payment` and expect two members more. */
const isPaymentHost = (path: string) => path !== operations.createOrder.paths[0]

const createOrderRoute: EnvelopeRoute<typeof createOrderWire.head, typeof createOrderWire.body, (typeof createOrder.codes)['success']> = {
  wire: createOrderWire,
  translate({ head, body }, path) {
    if (!isPaymentHost(path) || body['requestType'] !== 'Payment') return { head, body }
    return { head, body: { ...body, requestType: 'PAYMENT' } }
  },
  async perform({ head, body, bodyText }, { engine, clock, fresh, vault, merchantKeys }) {
    const signature = await merchantKeys.check(body.mid, head.clientId, bodyText, head.signature)
    const now = clock.now()
    const txnToken = `${fresh.hex(16)}${now}`
    const { svcSsoToken } = body
    return engine.submit(createOrder, {
      request: body,
      caller: { signature },
      ssoTokenHash: svcSsoToken === undefined ? undefined : vault.hash('ssoToken', svcSsoToken),
      now,
      fresh: { txnToken, txnTokenHash: vault.hash('txnToken', txnToken) },
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

const modifyOrderRoute: EnvelopeRoute<typeof modifyOrderWire.head, typeof modifyOrderWire.body, (typeof modifyOrder.codes)['success']> = {
  wire: modifyOrderWire,
  judgesBodyLater: true,
  translate({ head, body }, path) {
    if (path === operations.modifyOrder.paths[0] || head['txnToken'] === undefined) return { head, body }
    return { head: { tokenType: 'TXN_TOKEN', token: head['txnToken'], ...head }, body }
  },
  async perform({ query, head, body, bodyRefusal, bodyText }, { engine, clock, vault, merchantKeys }) {
    const mid = query['mid']!
    const given = typeof head.signature === 'string' ? head.signature : ''
    return engine.submit(modifyOrder, {
      mid,
      orderId: query['orderId']!,
      token: { text: head.token, hash: vault.hash('txnToken', head.token) },
      request: body,
      ...(bodyRefusal && { bodyRefusal: bodyRefusal as never }),
      caller: { signature: await merchantKeys.check(mid, head.clientId, bodyText, head.signature) },
      signatureHash: vault.hash('signature', given),
      now: clock.now(),
    })
  },
  render: (reply, asked, { clock }) => ({ head: replyHead(asked, clock.now()), body: replyBody(reply), ...signFor(asked) }),
}

export const orderHandlers = (edge: Edge) => ({
  createOrder: envelopeHandler(createOrderRoute, edge),
  modifyOrder: envelopeHandler(modifyOrderRoute, edge),
})
