// How Check Subscription Status crosses the wire: docs/interface.md section 4.34.

import { checkSubscriptionStatus, reply, wire } from '../../domain/subscription/check-subscription-status.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { checkSubscriptionStatus as codes } from '../../interface/result-codes.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { managing } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { renderManaging, subscriptionNamed } from './manage-request.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof codes)['success']> = {
  wire,
  signed: { wrong: codes.badRequest },
  // A published page prints `orderid`.
  translate: ({ head, body: { orderid, ...body } }) => ({
    head,
    body: orderid === undefined || body['orderId'] !== undefined ? body : { ...body, orderId: orderid },
  }),
  async perform({ query: parameters, body, signature }, { query, clock }) {
    const subscriptionId = subscriptionNamed({ query: parameters, body }, codes)
    if (typeof subscriptionId === 'object') return subscriptionId
    return checkSubscriptionStatus.answer({ request: body, caller: { signature }, subscriptionId, now: clock.now() }, query)
  },
  render: renderManaging,
}

export const operation: Descriptor = {
  name: 'checkSubscriptionStatus',
  section: '4.34',
  resource: 'subscription',
  method: 'POST',
  paths: ['/subscription/checkStatus', '/subscription/subscription/checkStatus'],
  codes,
  credentials: [['signature']],
  signs: { strict: true, passesOver: ['orderid', 'linkId'] },
  wire,
  reply,
  form: managing,
  sample: sample.ofSubscription,
  handler: ({ ports }) => envelopeHandler(route, ports),
}
