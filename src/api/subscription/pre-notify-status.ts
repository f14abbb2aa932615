// How Pre Notify Status crosses the wire: docs/interface.md section 4.38.

import { preNotifyStatus, reply, wire } from '../../domain/subscription/pre-notification/pre-notify-status.ts'
import { envelopeHandler } from '../../http/route.ts'
import { preNotifyStatus as codes } from '../../interface/result-codes.ts'
import { respelled } from '../kit/as-sent.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { managing } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { managingRoute } from './manage-request.ts'

const route = managingRoute(wire, codes, (request, subscriptionId, signature, { query }) =>
  preNotifyStatus.answer({ request, caller: { signature }, subscriptionId }, query),
)

export const operation: Descriptor = {
  name: 'preNotifyStatus',
  section: '4.38',
  resource: 'subscription',
  method: 'POST',
  paths: ['/subscription/preNotify/status'],
  codes,
  credentials: [['signature']],
  signs: { strict: true },
  wire,
  asSent: (sent) => respelled(sent, 'noticeId'),
  reply,
  form: managing,
  sample: { ...sample.signed, body: { mid: sample.mid, subsId: sample.subsId, referenceId: '{noticeReference}' } },
  handler: ({ ports }) => envelopeHandler(route, ports),
}
