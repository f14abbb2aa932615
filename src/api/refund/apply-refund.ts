// How Apply Refund crosses the wire: docs/interface.md section 4.14.

import { type applyRefund, reply, wire } from '../../domain/refund/apply-refund.ts'
import { askForRefund } from '../../flows/ask-for-refund.ts'
import { renderSigned } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { withDigits } from '../../interface/numbered-ids.ts'
import { applyRefund as codes } from '../../interface/result-codes.ts'
import { edited, numbered } from '../kit/as-sent.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { flat, signed } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { orFlat } from '../older-clients/flat-answer.ts'
import { ANSWERED, flatRefundHandler, MEMBERS } from './flat-refund.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof applyRefund.codes)['success']> = {
  wire,
  translate: (plain, _path, _now, written) => withDigits(plain, written),
  signed: { wrong: codes.invalidChecksum },
  perform: ({ body, signature }, ports) => askForRefund(ports, body, { signature }),
  render: renderSigned,
}

const FLAT_PATHS = ['/refund/HANDLER_INTERNAL/REFUND', '/oltp/HANDLER_INTERNAL/REFUND'] as const
export const operation: Descriptor = {
  name: 'applyRefund',
  section: '4.14',
  resource: 'refund',
  method: 'POST',
  paths: ['/refund/apply', '/refund/api/v1/async/refund', ...FLAT_PATHS],
  flatPaths: FLAT_PATHS,
  writes: true,
  codes,
  credentials: [['signature']],
  signs: {},
  wire,
  asSent: (sent) => edited(sent, { orderId: numbered, txnId: numbered, refId: numbered }),
  reply,
  form: signed,
  flat: { members: MEMBERS, form: flat(ANSWERED) },
  sample: { ...sample.signed, body: { ...sample.order, txnType: 'REFUND', txnId: '{txnId}', refId: '{refId}', refundAmount: '499.00' } },
  handler: ({ ports }) => orFlat(FLAT_PATHS, flatRefundHandler(ports), envelopeHandler(route, ports)),
}
