// How Edit Subscription crosses the wire: docs/interface.md section 4.41.

import { editSubscription, reply, wire } from '../../domain/subscription/edit-subscription.ts'
import { numberAt } from '../../engine/number-at.ts'
import { envelopeHandler } from '../../http/route.ts'
import { editSubscription as codes } from '../../interface/result-codes.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { managing } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { managingRoute } from './manage-request.ts'

const route = managingRoute(wire, codes, (request, subscriptionId, signature, { engine, clock, fresh }) => {
  const now = clock.now()
  const command = { request, caller: { signature }, subscriptionId, now, fresh: { editId: numberAt(now, fresh) } }
  return engine.submit(editSubscription, command)
})

export const operation: Descriptor = {
  name: 'editSubscription',
  section: '4.41',
  resource: 'subscription',
  method: 'POST',
  paths: ['/subscription/edit'],
  writes: true,
  codes,
  credentials: [['signature']],
  signs: { strict: true },
  wire,
  reply,
  form: managing,
  sample: { ...sample.signed, body: { mid: sample.mid, subsId: sample.subsId, renewalAmount: '249.00' } },
  handler: ({ ports }) => envelopeHandler(route, ports),
}
