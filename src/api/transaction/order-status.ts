// How Order Status crosses the wire: docs/interface.md section 4.12.

import { orderStatus, reply, replyWithoutAttempt, wire } from '../../domain/transaction/order-status.ts'
import { isReadableByAll } from '../../domain/transaction/transaction.ts'
import { renderSigned } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { withDigits } from '../../interface/numbered-ids.ts'
import { orderStatus as codes } from '../../interface/result-codes.ts'
import { edited, numbered } from '../kit/as-sent.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { flat, signed } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { orFlat } from '../older-clients/flat-answer.ts'
import { ANSWERED, flatStatusHandler, MEMBERS } from './flat-status.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof orderStatus.codes)['success']> = {
  wire,
  translate: (plain, _path, _now, written) => withDigits(plain, written),
  signed: {},
  perform: ({ body, signature }, { query }) => orderStatus.answer({ request: body, caller: { signature } }, query),
  render: (reply, asked, ports) => renderSigned({ ...reply, ...(reply.body && { body: readableByAll(reply.body) }) }, asked, ports),
}

const readableByAll = (body: object) => Object.fromEntries(Object.entries(body).filter((member) => isReadableByAll(...member)))

const FLAT_PATHS = ['/order/status', '/merchant-status/getTxnStatus', '/oltp/HANDLER_INTERNAL/getTxnStatus'] as const
export const operation: Descriptor = {
  name: 'orderStatus',
  section: '4.12',
  resource: 'transaction',
  method: 'POST',
  paths: ['/v3/order/status', '/merchant-status/api/v1/getPaymentStatus', ...FLAT_PATHS],
  flatPaths: FLAT_PATHS,
  codes,
  credentials: [['signature']],
  signs: {},
  wire,
  asSent: (sent) => edited(sent, { orderId: numbered }),
  reply,
  form: signed,
  answers: [
    ...['success', 'unconfirmed', 'pending', 'cancelled', 'timedOut', 'undecided', 'declined', 'insufficientFunds'],
    ...['invalidInstrument', 'mandateRevoked', 'mandatePaused', 'notAuthenticated', 'returned'],
  ],
  besides: { noTransaction: replyWithoutAttempt },
  flat: { members: MEMBERS, form: flat(ANSWERED) },
  sample: { ...sample.signed, body: sample.order },
  handler: ({ ports }) => orFlat(FLAT_PATHS, flatStatusHandler(ports), envelopeHandler(route, ports)),
}
