// How Send Checkout OTP crosses the wire: docs/interface.md section 4.23.

import { reply, sendCheckoutOtp, wire } from '../../domain/order/send-checkout-otp.ts'
import type { ByToken } from '../../domain/order/txn-token.ts'
import type { Reply } from '../../engine/decision.ts'
import type { Ports } from '../../flows/ports.ts'
import { replyBody, replyHead } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { sendCheckoutOtp as codes } from '../../interface/result-codes.ts'
import type { SignInParts } from '../kit/api-parts.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { named } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { withToken } from '../older-clients/payment-host.ts'
import { atCheckout, checkoutOtpHash, withinCeiling } from './checkout-login.ts'

/** Sends a one-time password to the payer of an order. */
export function sendCode(ports: Ports, parts: SignInParts, { mobileNo, ...by }: ByToken & { mobileNo: string }): Promise<Reply> {
  const { settings: limits, canSend, otpCeiling } = parts
  if (!canSend) throw new Error('there is nobody to send messages: MOHUR_SMS_URL is not set')
  const { engine, clock, fresh } = ports
  const otp = fresh.otp()
  return otpCeiling.within(mobileNo, ports, () =>
    engine.submit(sendCheckoutOtp, {
      ...by,
      request: { mobileNo },
      limits,
      now: clock.now(),
      fresh: { otp, otpHash: checkoutOtpHash(by, otp, ports), messageId: fresh.hex(16) },
    }),
  )
}

const route = (parts: SignInParts): EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof sendCheckoutOtp.codes)['success']> => ({
  wire,
  translate: ({ head, body: { mobileNumber, ...body } }) => ({
    head: withToken(head),
    body: mobileNumber === undefined ? body : { mobileNo: mobileNumber, ...body },
  }),
  perform: (envelope, ports) => sendCode(ports, parts, { ...atCheckout(envelope, ports), mobileNo: envelope.body.mobileNo }),
  render: (reply, asked, { clock }) => ({ head: replyHead(asked, clock.now()), body: replyBody(reply) }),
})

export const operation: Descriptor = {
  name: 'sendCheckoutOtp',
  section: '4.23',
  resource: 'order',
  method: 'POST',
  paths: ['/login/sendOtp', '/aoa-pay-option-service/v2/otp/generate'],
  writes: true,
  browser: true,
  byOrder: true,
  codes,
  credentials: [['txnToken']],
  wire,
  reply,
  form: named,
  hasCeiling: true,
  sample: { ...sample.byToken, body: { mobileNo: '9999900001' } },
  handler: ({ ports, signIn, checkoutCeiling }) => withinCeiling(checkoutCeiling, envelopeHandler(route(signIn), ports)),
}
