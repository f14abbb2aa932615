// How Validate Checkout OTP crosses the wire: docs/interface.md section 4.24.

import type { ByToken } from '../../domain/order/txn-token.ts'
import { reply, validateCheckoutOtp, wire } from '../../domain/order/validate-checkout-otp.ts'
import type { Reply } from '../../engine/decision.ts'
import type { Ports } from '../../flows/ports.ts'
import { termOf } from '../../flows/search-keys.ts'
import { replyBody, replyHead } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { validateCheckoutOtp as codes } from '../../interface/result-codes.ts'
import { look } from '../../tables/tables.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { named } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { withToken } from '../older-clients/payment-host.ts'
import { atCheckout, checkoutOtpHash, withinCeiling } from './checkout-login.ts'

/** The right password signs the payer in to the order. */
export async function validateCode(ports: Ports, { otp, ...by }: ByToken & { otp: string }): Promise<Reply> {
  const { engine, clock, fresh, query, vault } = ports
  // The term is made for the number in this row. A code may go to another number after this read. Then `otp` is wrong for that number, and
  // no term is written.
  const sent = await query.row(look('checkoutOtps', by.mid, by.orderId))
  const now = clock.now()
  return engine.submit(validateCheckoutOtp, {
    ...by,
    request: { otp },
    otpHash: checkoutOtpHash(by, otp, ports),
    term: sent && termOf(vault, sent.mobile),
    now,
    fresh: { userId: fresh.hex(16) },
  })
}

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof validateCheckoutOtp.codes)['success']> = {
  wire,
  translate: ({ head, body }) => ({ head: withToken(head), body }),
  perform: (envelope, ports) => validateCode(ports, { ...atCheckout(envelope, ports), otp: envelope.body.otp }),
  render: (reply, asked, { clock }) => ({ head: replyHead(asked, clock.now()), body: replyBody(reply) }),
}

export const operation: Descriptor = {
  name: 'validateCheckoutOtp',
  section: '4.24',
  resource: 'order',
  method: 'POST',
  paths: ['/login/validateOtp', '/aoa-pay-option-service/v2/otp/verify'],
  writes: true,
  browser: true,
  byOrder: true,
  codes,
  credentials: [['txnToken']],
  wire,
  reply,
  form: named,
  hasCeiling: true,
  sample: { ...sample.byToken, body: { otp: '{otp}' } },
  handler: ({ ports, checkoutCeiling }) => withinCeiling(checkoutCeiling, envelopeHandler(route, ports)),
}
