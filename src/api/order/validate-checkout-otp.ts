// How Validate Checkout OTP crosses the wire: docs/interface.md section 4.24.

import type { ByToken } from '../../domain/order/txn-token.ts'
import { reply, validateCheckoutOtp, wire } from '../../domain/order/validate-checkout-otp.ts'
import type { Reply } from '../../engine/decision.ts'
import type { Ports } from '../../flows/ports.ts'
import { termOf } from '../../flows/search-keys.ts'
import type { Handler } from '../../http/handler.ts'
import { networkOf } from '../../http/networks.ts'
import { counting } from '../../http/rate-limit.ts'
import { replyBody, replyHead } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import type { Cause } from '../../interface/request.ts'
import { validateCheckoutOtp as codes, type ResultCode } from '../../interface/result-codes.ts'
import { look } from '../../tables/tables.ts'
import type { SignInParts } from '../kit/api-parts.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { named } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { withToken } from '../older-clients/payment-host.ts'
import { atCheckout, checkoutOtpHash, withinCeiling } from './checkout-login.ts'

/** The right password signs the payer in to the order. */
export async function validateCode(ports: Ports, { otp, ...by }: ByToken & { otp: string; pageHash?: string }): Promise<Reply> {
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

/**
 * Compares the code unless the caller's network has sent too many wrong codes for all numbers together. Throws TooManyRequests then. A text
 * that is no code has a cause, and is no guess. Nor is a kept answer.
 */
export const countingGuess = <T extends { result: ResultCode; cause?: Cause | undefined; isAgain?: boolean }>(
  { wrongCheckoutCodes }: SignInParts,
  network: string,
  compare: () => Promise<T>,
): Promise<T> =>
  counting(
    [[wrongCheckoutCodes, network]],
    compare,
    ({ result, cause, isAgain }) => result === codes.wrongOtp && cause === undefined && !isAgain,
  )

const guessing =
  (signIn: SignInParts, handler: Handler): Handler =>
  (received) =>
    countingGuess(signIn, networkOf(received.address), () => handler(received))

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
  handler: ({ ports, signIn, checkoutCeiling }) => withinCeiling(checkoutCeiling, guessing(signIn, envelopeHandler(route, ports))),
}
