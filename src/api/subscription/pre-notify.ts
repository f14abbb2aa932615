// How Pre Notify crosses the wire: docs/interface.md section 4.37.

import { preNotify, reply, wire } from '../../domain/subscription/pre-notification/pre-notify.ts'
import { numberAt } from '../../engine/number-at.ts'
import { envelopeHandler } from '../../http/route.ts'
import { preNotify as codes } from '../../interface/result-codes.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { managing } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { managingRoute } from './manage-request.ts'

const route = managingRoute(wire, codes, (request, subscriptionId, signature, { engine, clock, reference, fresh }) => {
  const now = clock.now()
  const command = { request, caller: { signature }, subscriptionId, reference, now, fresh: { noticeId: numberAt(now, fresh) } }
  return engine.submit(preNotify, command)
})

export const operation: Descriptor = {
  name: 'preNotify',
  section: '4.37',
  resource: 'subscription',
  method: 'POST',
  paths: ['/subscription/preNotify'],
  writes: true,
  codes,
  credentials: [['signature']],
  signs: { strict: true, passesOver: ['merchantName', 'merchantLogoUrl'] },
  wire,
  reply,
  form: managing,
  sample: { ...sample.signed, body: { mid: sample.mid, subsId: sample.subsId, txnAmount: '199.00', referenceId: '{noticeReference}' } },
  handler: ({ ports }) => envelopeHandler(route, ports),
}
