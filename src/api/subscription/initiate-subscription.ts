// How Initiate Subscription crosses the wire: docs/interface.md section 4.6. Credentials become facts.

import { initiateSubscription, paymentHostWire, reply, wire } from '../../domain/subscription/initiate-subscription.ts'
import { numberAt } from '../../engine/number-at.ts'
import type { Ports } from '../../flows/ports.ts'
import { termsOf } from '../../flows/search-keys.ts'
import type { Handler } from '../../http/handler.ts'
import { replyBody, replyHead, signFor } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { withOurDigits } from '../../interface/numbered-ids.ts'
import { initiateSubscription as codes } from '../../interface/result-codes.ts'
import { edited, HOST, numbered } from '../kit/as-sent.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { signed } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { fromPaymentHost } from '../older-clients/payment-host.ts'
import { freshTxnToken, ssoTokenHashOf } from '../signin/sign-in-client.ts'

type Route = EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof initiateSubscription.codes)['success']>
const OWN_PATH = '/subscription/create'
const route: Route = {
  wire,
  translate: (plain, path, _now, written) => (path === OWN_PATH ? withOurDigits(plain, written) : fromPaymentHost(plain, written)),
  signed: { wrong: codes.invalidChecksum },
  async perform({ body, signature }, ports) {
    const { engine, clock, fresh, collected } = ports
    const modes = await collected()
    const now = clock.now()
    return engine.submit(initiateSubscription, {
      request: body,
      caller: { signature },
      ssoTokenHash: ssoTokenHashOf(ports, body.userInfo.svcSsoToken),
      searchTerms: termsOf(ports.vault, body.userInfo),
      collected: modes,
      now,
      fresh: { ...freshTxnToken(ports, now), subscriptionId: numberAt(now, fresh) },
    })
  },
  render(reply, asked, { clock }) {
    const whose = signFor(asked).signFor
    const { clientId: _, ...head } = replyHead(asked, clock.now()) // the key that signs the reply is named with the signature
    return {
      head,
      body: replyBody(reply),
      ...(whose && { signFor: { ...whose, namesKey: true } }),
    }
  },
}

function handlerOf(ports: Ports): Handler {
  const [law, host] = [envelopeHandler(route, ports), envelopeHandler({ ...route, wire: paymentHostWire }, ports)]
  return (received) => (received.url === OWN_PATH ? law : host)(received)
}

export const operation: Descriptor = {
  name: 'initiateSubscription',
  section: '4.6',
  resource: 'subscription',
  method: 'POST',
  paths: [OWN_PATH, '/theia/api/v1/subscription/create'],
  writes: true,
  codes,
  credentials: [['signature']],
  signs: {},
  wire,
  asSent: (sent, isHost) => edited(sent, { ...(isHost && HOST), subscriptionFrequency: numbered }),
  reply,
  form: signed,
  host: { wire: paymentHostWire },
  sample: {
    ...sample.ofOrder,
    ...sample.signed,
    body: {
      ...{ requestType: 'NATIVE_SUBSCRIPTION', ...sample.order, websiteName: 'DEFAULT', txnAmount: sample.rupees('1.00') },
      ...{ userInfo: { custId: 'CUST_1' }, subscriptionAmountType: 'FIX', renewalAmount: '199.00' },
      ...{ subscriptionFrequencyUnit: 'MONTH', subscriptionStartDate: '{startDate}', subscriptionGraceDays: '2' },
      ...{ subscriptionExpiryDate: '{expiryDate}', subscriptionEnableRetry: '1' },
    },
  },
  handler: ({ ports }) => handlerOf(ports),
}
