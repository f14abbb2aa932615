// How Renew Subscription crosses the wire: docs/interface.md section 4.39.

import { INVALID_ID, renewSubscription, reply, wire } from '../../domain/subscription/collection/renew-subscription.ts'
import { numberAt } from '../../engine/number-at.ts'
import { renderSigned } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { renewSubscription as codes } from '../../interface/result-codes.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { signed } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { subscriptionNamed } from './manage-request.ts'

/** This operation's schema knows only `subscriptionId`. */
const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof codes)['success']> = {
  wire,
  signed: { wrong: codes.invalidChecksum, unlessDisabled: true },
  translate: ({ head, body }) => ({
    head,
    body: body['subscriptionId'] === undefined && body['subsId'] !== undefined ? { ...body, subscriptionId: body['subsId'] } : body,
  }),
  async perform({ query, body, signature }, { engine, clock, reference, fresh }) {
    const named = subscriptionNamed({ query, body }, { badRequest: codes.missingElement })
    if (typeof named !== 'string') return { ...INVALID_ID, parameter: 'subscriptionId', cause: named ? 'twoIds' : 'noId' }
    const now = clock.now()
    const command = { request: body, caller: { signature }, subscriptionId: named, reference, now, fresh: { txnId: numberAt(now, fresh) } }
    return engine.submit(renewSubscription, command)
  },
  render: renderSigned,
}

export const operation: Descriptor = {
  name: 'renewSubscription',
  section: '4.39',
  resource: 'subscription',
  method: 'POST',
  paths: ['/subscription/renew'],
  writes: true,
  codes,
  credentials: [['signature']],
  signs: { strict: true, passesOver: ['requestType'] },
  wire,
  reply,
  form: signed,
  sample: {
    ...sample.ofOrder,
    ...sample.signed,
    body: { ...sample.order, subscriptionId: sample.subsId, txnAmount: sample.rupees('199.00') },
  },
  handler: ({ ports }) => envelopeHandler(route, ports),
}
