// How Cancel Subscription crosses the wire: docs/interface.md section 4.35.

import { cancelSubscription, reply, wire } from '../../domain/subscription/cancel-subscription.ts'
import { envelopeHandler } from '../../http/route.ts'
import { cancelSubscription as codes } from '../../interface/result-codes.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { managing } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { managingRoute } from './manage-request.ts'

const route = managingRoute(wire, codes, (request, subscriptionId, signature, { engine, clock }) =>
  engine.submit(cancelSubscription, { request, caller: { signature }, subscriptionId, now: clock.now() }),
)

export const operation: Descriptor = {
  name: 'cancelSubscription',
  section: '4.35',
  resource: 'subscription',
  method: 'POST',
  paths: ['/subscription/cancel', '/subscription/subscription/cancel'],
  writes: true,
  codes,
  credentials: [['signature']],
  signs: { strict: true },
  wire,
  reply,
  form: managing,
  sample: sample.ofSubscription,
  handler: ({ ports }) => envelopeHandler(route, ports),
}
