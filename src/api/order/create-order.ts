// How Create Order crosses the wire: docs/interface.md section 4.5. Credentials become facts, aliases become the interface's own names.

import { createOrder, paymentHostReply, paymentHostWire, reply, wire } from '../../domain/order/create-order.ts'
import type { Ports } from '../../flows/ports.ts'
import { termsOf } from '../../flows/search-keys.ts'
import type { Handler } from '../../http/handler.ts'
import { replyBody, replyHead, signFor } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { createOrder as codes } from '../../interface/result-codes.ts'
import { edited, HOST, respelled, without, withValues } from '../kit/as-sent.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { naming } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { fromPaymentHost } from '../older-clients/payment-host.ts'
import { freshTxnToken, ssoTokenHashOf } from '../signin/sign-in-client.ts'

const OWN_PATH = '/aoa-acquiring-biz/v2/order'
/** The paths of the payment host, whose clients write `Payment` and expect two more members. */
const isPaymentHost = (path: string) => path !== OWN_PATH

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof createOrder.codes)['success']> = {
  wire,
  translate(plain, path, _now, written) {
    if (!isPaymentHost(path)) {
      if (!('svcSsoToken' in plain.body)) return plain
      const { svcSsoToken: _, ...body } = plain.body // the router's table has no such member: section 4.5
      return { head: plain.head, body }
    }
    const { head, body } = fromPaymentHost(plain, written)
    return { head, body: body['requestType'] === 'Payment' ? { ...body, requestType: 'PAYMENT' } : body }
  },
  signed: { wrong: codes.invalidChecksum, unlessDisabled: true },
  async perform({ body, signature }, ports) {
    const { engine, clock } = ports
    const now = clock.now()
    return engine.submit(createOrder, {
      request: body,
      caller: { signature },
      ssoTokenHash: ssoTokenHashOf(ports, body.svcSsoToken),
      searchTerms: termsOf(ports.vault, body.userInfo),
      now,
      fresh: freshTxnToken(ports, now),
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

function handlerOf(ports: Ports): Handler {
  const [law, host] = [envelopeHandler(route, ports), envelopeHandler({ ...route, wire: paymentHostWire }, ports)]
  return (received) => (isPaymentHost(received.url) ? host : law)(received)
}

export const operation: Descriptor = {
  name: 'createOrder',
  section: '4.5',
  resource: 'order',
  method: 'POST',
  paths: [OWN_PATH, '/theia/api/v1/initiateTransaction', '/theia/api/v1/initiateTransaction/', '/order/initiate'],
  writes: true,
  codes,
  credentials: [['signature'], []], // no credential where the merchant's setting checksumEnabled is off
  signs: {},
  wire,
  asSent: (sent, isHost) =>
    isHost
      ? edited(respelled(sent, 'goodsInfo', 'svcSsoToken'), { ...HOST, requestType: withValues('Payment') })
      : without(sent, 'svcSsoToken'),
  reply,
  form: naming,
  host: { wire: paymentHostWire, reply: paymentHostReply },
  sample: {
    ...sample.ofOrder,
    ...sample.signed,
    body: {
      requestType: 'PAYMENT',
      ...sample.order,
      txnAmount: sample.rupees('499.00'),
      userInfo: { custId: 'CUST_1' },
      websiteName: 'DEFAULT',
    },
  },
  handler: ({ ports }) => handlerOf(ports),
}
