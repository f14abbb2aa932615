// How Modify Subscription Status crosses the wire: docs/interface.md section 4.36.

import { modifySubscriptionStatus, reply, wire } from '../../domain/subscription/modify-subscription-status.ts'
import { envelopeHandler } from '../../http/route.ts'
import { modifySubscriptionStatus as codes } from '../../interface/result-codes.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { managing } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { managingRoute } from './manage-request.ts'

const route = managingRoute(wire, codes, (request, subscriptionId, signature, { engine, clock, reference }) =>
  engine.submit(modifySubscriptionStatus, { request, caller: { signature }, subscriptionId, reference, now: clock.now() }),
)

export const operation: Descriptor = {
  name: 'modifySubscriptionStatus',
  section: '4.36',
  resource: 'subscription',
  method: 'POST',
  paths: ['/subscription/status/modify', '/subscription/subscription/status/modify'],
  writes: true,
  codes,
  credentials: [['signature']],
  signs: { strict: true },
  wire,
  reply,
  form: managing,
  sample: { ...sample.signed, body: { mid: sample.mid, subsId: sample.subsId, status: 'SUSPENDED' } },
  handler: ({ ports }) => envelopeHandler(route, ports),
}
