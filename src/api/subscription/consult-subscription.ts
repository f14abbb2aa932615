// How Consult Subscription crosses the wire: docs/interface.md section 4.40.

import { consultSubscription, reply, wire } from '../../domain/subscription/collection/consult-subscription.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import type { JsonObject } from '../../interface/envelope.ts'
import { consultSubscription as codes } from '../../interface/result-codes.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { managing } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { managingRoute } from './manage-request.ts'

/** An amount that came as a number becomes the text as the client wrote it. */
const amountAsText: NonNullable<EnvelopeRoute['translate']> = ({ head, body }, _path, _now, written) =>
  typeof body['amount'] === 'number' ? { head, body: { ...body, amount: (written()['body'] as JsonObject)['amount']! } } : { head, body }

const route = managingRoute(wire, codes, (request, subscriptionId, signature, { query, clock, reference }) =>
  consultSubscription.answer({ request, caller: { signature }, subscriptionId, reference, now: clock.now() }, query),
)

export const operation: Descriptor = {
  name: 'consultSubscription',
  section: '4.40',
  resource: 'subscription',
  method: 'POST',
  paths: ['/subscription/consult'],
  codes,
  credentials: [['signature']],
  signs: { strict: true },
  wire,
  reply,
  form: managing,
  sample: { ...sample.signed, body: { mid: sample.mid, subsId: sample.subsId, amount: '199.00' } },
  handler: ({ ports }) => envelopeHandler({ ...route, translate: amountAsText }, ports),
}
