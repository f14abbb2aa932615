// How Initiate Subscription crosses the wire: docs/interface.md section 4.6. Credentials become facts.

import { initiateSubscription, paymentHostWire, wire } from '../../domain/subscription/initiate-subscription.ts'
import { numberAt } from '../../engine/number-at.ts'
import type { Edge } from '../../flows/edge.ts'
import type { Handler } from '../../http/handler.ts'
import { replyBody, replyHead, signFor } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { withOurDigits } from '../../interface/numbered-ids.ts'
import { operations } from '../../interface/operations.ts'
import { initiateSubscription as codes } from '../../interface/result-codes.ts'
import { fromPaymentHost } from '../older-clients/payment-host.ts'
import { freshTxnToken, ssoTokenHashOf } from '../signin/sign-in-client.ts'

type Route = EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof initiateSubscription.codes)['success']>
const LAW_PATH = operations.initiateSubscription.paths[0]
const route: Route = {
  wire,
  translate: (plain, path, _now, written) => (path === LAW_PATH ? withOurDigits(plain, written) : fromPaymentHost(plain, written)),
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

export function initiateSubscriptionHandler(edge: Edge): Handler {
  const [law, host] = [envelopeHandler(route, edge), envelopeHandler({ ...route, wire: paymentHostWire }, edge)]
  return (received) => (received.url === LAW_PATH ? law : host)(received)
}
