// How the bank's one-time password crosses the wire: docs/interface.md section 4.11.

import { type DirectBankRequest, directBankRequest, waitingForOtp, wire } from '../../domain/transaction/direct-bank-request.ts'
import { authorizeKey } from '../../domain/transaction/transaction.ts'
import type { Reply } from '../../engine/decision.ts'
import type { Paid } from '../../flows/pay.ts'
import type { Ports } from '../../flows/ports.ts'
import { renderSigned } from '../../http/render.ts'
import { type Envelope, type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { serializeByKey } from '../../http/serialize-by-key.ts'
import { OTP_PATH } from '../../interface/page-paths.ts'
import { directBankRequest as codes } from '../../interface/result-codes.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { signed } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { reply, tellPayment, translatePayment } from './payment-wire.ts'

type Route = EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof directBankRequest.codes)['success']>

const route: Route = {
  wire,
  translate: translatePayment,
  async perform(envelope, ports): Promise<Reply> {
    const { mid, orderId } = envelope.body
    // A request that was answered before does not ask the bank again: the submit below finds the earlier answer.
    const said = ports.isAnswered ? { refusal: { result: codes.noTransaction } } : await askBank(envelope, ports)
    const decided = await ports.engine.submit(directBankRequest, { mid, orderId, said, reference: ports.reference, now: ports.clock.now() })
    const paid = decided.body as Paid | undefined
    if (!paid) return decided
    const { result, message, ...members } = await tellPayment(paid, ports)
    return {
      ...members,
      result: result.name === 'failed' ? codes.failed : codes.success,
      ...(message !== undefined && { message }),
    }
  },
  render: renderSigned,
}

async function askBank({ head, body }: Envelope<typeof wire.head, typeof wire.body>, ports: Ports): Promise<DirectBankRequest['said']> {
  const { vault, query, occasion } = ports
  const found = await waitingForOtp.answer({ ...body, txnTokenHash: vault.hash('txnToken', head.txnToken) }, query)
  const transaction = found.body?.transaction
  if (!transaction) return { refusal: found }
  const key = authorizeKey(transaction)
  const action = body.requestType === 'submit' ? { type: body.requestType, otp: body.otp! } : { type: body.requestType }
  // Another process, or this one after a crash, may get the same request again. The bank then sees the same call.
  const call = occasion === undefined ? undefined : vault.hash('otpCall', `${key} ${occasion}`)
  return { txnId: transaction.txnId, answer: await ports.acquirer().otp(key, action, call) }
}

export const operation: Descriptor = {
  name: 'directBankRequest',
  section: '4.11',
  resource: 'transaction',
  method: 'POST',
  paths: [OTP_PATH],
  writes: true,
  browser: true,
  byOrder: true,
  codes,
  credentials: [['txnToken']],
  wire,
  reply,
  form: signed,
  answers: ['success', 'failed'],
  sample: { ...sample.byToken, body: { ...sample.order, requestType: 'submit', otp: '123123' } },
  handler: ({ ports }) => serializeByKey(envelopeHandler(route, ports)),
}
