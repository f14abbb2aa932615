// How the checkout's login crosses the wire: docs/interface.md sections 4.23 and 4.24. Two families of paths, two spellings.

import type { TSchema } from 'typebox'
import { sendCheckoutOtp, wire as sendWire } from '../../domain/order/send-checkout-otp.ts'
import type { ByToken } from '../../domain/order/txn-token.ts'
import { validateCheckoutOtp, wire as validateWire } from '../../domain/order/validate-checkout-otp.ts'
import type { Reply } from '../../engine/decision.ts'
import type { Edge } from '../../flows/edge.ts'
import { networkOf } from '../../http/networks.ts'
import { RateLimit } from '../../http/rate-limit.ts'
import { replyBody, replyHead } from '../../http/render.ts'
import { type Envelope, type EnvelopeRoute, envelopeHandler, type Handler } from '../../http/route.ts'
import { withToken } from '../older-clients/payment-host.ts'
import type { SignInParts } from '../signin/sign-in.ts'

const atCheckout = ({ query, head }: Pick<Envelope<typeof sendWire.head, TSchema>, 'query' | 'head'>, { vault }: Edge): ByToken => ({
  mid: query['mid']!,
  orderId: query['orderId']!,
  token: { text: head.token, hash: vault.hash('txnToken', head.token) },
})
/** The OTP of one order is no other's. */
const otpHash = ({ mid, orderId }: ByToken, otp: string, { vault }: Edge) => vault.hash('checkoutOtp', JSON.stringify([mid, orderId, otp]))

/** Sends a one-time password to whoever stands before an order. */
export function sendCode(edge: Edge, parts: SignInParts, { mobileNo, ...by }: ByToken & { mobileNo: string }): Promise<Reply> {
  const { settings: limits, canSend, otpCeiling } = parts
  if (!canSend) throw new Error('there is nobody to send messages: MOHUR_SMS_URL is not set')
  const { engine, clock, fresh } = edge
  const otp = fresh.otp()
  return otpCeiling.within(mobileNo, edge, () =>
    engine.submit(sendCheckoutOtp, {
      ...by,
      request: { mobileNo },
      limits,
      now: clock.now(),
      fresh: { otp, otpHash: otpHash(by, otp, edge), messageId: fresh.hex(16) },
    }),
  )
}

/** The password that was sent: the right one signs the payer in to the order. */
export function validateCode(edge: Edge, { otp, ...by }: ByToken & { otp: string }): Promise<Reply> {
  const { engine, clock, fresh } = edge
  return engine.submit(validateCheckoutOtp, {
    ...by,
    request: { otp },
    otpHash: otpHash(by, otp, edge),
    now: clock.now(),
    fresh: { userId: fresh.hex(16) },
  })
}

const sendRoute = (
  parts: SignInParts,
): EnvelopeRoute<typeof sendWire.head, typeof sendWire.body, (typeof sendCheckoutOtp.codes)['success']> => ({
  wire: sendWire,
  translate: ({ head, body: { mobileNumber, ...body } }) => ({
    head: withToken(head),
    body: mobileNumber === undefined ? body : { mobileNo: mobileNumber, ...body },
  }),
  perform: (envelope, edge) => sendCode(edge, parts, { ...atCheckout(envelope, edge), mobileNo: envelope.body.mobileNo }),
  render: (reply, asked, { clock }) => ({ head: replyHead(asked, clock.now()), body: replyBody(reply) }),
})

const validateRoute: EnvelopeRoute<typeof validateWire.head, typeof validateWire.body, (typeof validateCheckoutOtp.codes)['success']> = {
  wire: validateWire,
  translate: ({ head, body }) => ({ head: withToken(head), body }),
  perform: (envelope, edge) => validateCode(edge, { ...atCheckout(envelope, edge), otp: envelope.body.otp }),
  render: (reply, asked, { clock }) => ({ head: replyHead(asked, clock.now()), body: replyBody(reply) }),
}

/** Beyond the ceiling of an address the answer is HTTP 429, as in sign-in, and counted apart from it. */
export function checkoutHandlers(edge: Edge, parts: SignInParts) {
  const ceiling = new RateLimit(parts.settings.ceilingPerMinute, edge.clock)
  const limited =
    (handler: Handler): Handler =>
    (received) => {
      ceiling.take(networkOf(received.address))
      return handler(received)
    }
  return {
    sendCheckoutOtp: limited(envelopeHandler(sendRoute(parts), edge)),
    validateCheckoutOtp: limited(envelopeHandler(validateRoute, edge)),
  }
}
