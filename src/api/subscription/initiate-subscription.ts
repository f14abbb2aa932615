// How the operations on subscriptions cross the wire: credentials become facts.

import { initiateSubscription, wire as initiateWire, paymentHostWire } from '../../domain/subscription/initiate-subscription.ts'
import { linkCustomer } from '../../domain/subscription/link-customer.ts'
import { listSubscriptions, wire as listWire } from '../../domain/subscription/list-subscriptions.ts'
import { numberAt } from '../../engine/number-at.ts'
import type { Edge } from '../../flows/edge.ts'
import { replyBody, replyHead, signFor, versionOf } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler, type Handler } from '../../http/route.ts'
import { operations } from '../../interface/operations.ts'
import { initiateSubscription as codes } from '../../interface/result-codes.ts'
import { customerLinkKey } from '../../tables/keys.ts'
import { fromPaymentHost } from '../older-clients/payment-host.ts'
import { freshTxnToken, ssoTokenHashOf, tokenHash } from '../signin/sign-in-client.ts'

type Initiate = EnvelopeRoute<typeof initiateWire.head, typeof initiateWire.body, (typeof initiateSubscription.codes)['success']>
const LAW_PATH = operations.initiateSubscription.paths[0]
const initiateRoute: Initiate = {
  wire: initiateWire,
  translate: (plain, path, _now, written) => (path === LAW_PATH ? plain : fromPaymentHost(plain, written)),
  signed: { wrong: codes.invalidChecksum },
  async perform({ body, signature }, edge) {
    const { engine, clock, fresh, collected } = edge
    const modes = await collected()
    const now = clock.now()
    return engine.submit(initiateSubscription, {
      request: body,
      caller: { signature },
      ssoTokenHash: ssoTokenHashOf(edge, body.userInfo.svcSsoToken),
      collected: modes,
      now,
      fresh: { ...freshTxnToken(edge, now), subscriptionId: numberAt(now, fresh) },
    })
  },
  render(reply, asked, { clock }) {
    const whose = signFor(asked).signFor
    const { clientId: _, ...head } = replyHead(asked, clock.now()) // the key that signs it is named with the signature
    return {
      head,
      body: replyBody(reply),
      ...(whose && { signFor: { ...whose, namesKey: true } }),
    }
  },
}

function initiateHandler(edge: Edge): Handler {
  const [law, host] = [envelopeHandler(initiateRoute, edge), envelopeHandler({ ...initiateRoute, wire: paymentHostWire }, edge)]
  return (received) => (received.url === LAW_PATH ? law : host)(received)
}

const listRoute: EnvelopeRoute<typeof listWire.head, typeof listWire.body, (typeof listSubscriptions.codes)['success']> = {
  wire: listWire,
  signed: {},
  async perform({ head, body, signature }, edge) {
    const { engine, query, clock } = edge
    const { mid, custId } = body
    const now = clock.now()
    const ssoTokenHash = head.tokenType === 'SSO' ? tokenHash(edge, 'ssoToken', head.token) : undefined
    if (ssoTokenHash !== undefined && signature === 'valid' && !(await query.row(customerLinkKey(mid, custId))))
      await engine.submit(linkCustomer, { mid, custId, ssoTokenHash, now })
    return listSubscriptions.answer({ request: body, caller: { signature }, ssoTokenHash, now }, query)
  },
  render: ({ result, message, body }, asked, { clock }) => ({
    head: { version: versionOf(asked), timestamp: String(clock.now()) },
    body: { resultInfo: { status: result.status, code: result.code, message: message ?? result.message }, ...body },
  }),
}

export const subscriptionHandlers = (edge: Edge) => ({
  initiateSubscription: initiateHandler(edge),
  listSubscriptions: envelopeHandler(listRoute, edge),
})
