// What both operations of the checkout's login share: docs/interface.md sections 4.23 and 4.24. The operations have two families of paths
// and two spellings.

import type { TSchema } from 'typebox'
import type { wire } from '../../domain/order/send-checkout-otp.ts'
import type { ByToken } from '../../domain/order/txn-token.ts'
import type { Ports } from '../../flows/ports.ts'
import type { Handler } from '../../http/handler.ts'
import { networkOf } from '../../http/networks.ts'
import type { RateLimit } from '../../http/rate-limit.ts'
import type { Envelope } from '../../http/route.ts'

export const atCheckout = ({ query, head }: Pick<Envelope<typeof wire.head, TSchema>, 'query' | 'head'>, { vault }: Ports): ByToken => ({
  mid: query['mid']!,
  orderId: query['orderId']!,
  token: { text: head.token, hash: vault.hash('txnToken', head.token) },
})

/** The hash covers the order, so an OTP is valid for its own order alone. */
export const checkoutOtpHash = ({ mid, orderId }: ByToken, otp: string, { vault }: Ports) =>
  vault.hash('checkoutOtp', JSON.stringify([mid, orderId, otp]))

/** Beyond the ceiling of an address the answer is HTTP 429, as in sign-in. This ceiling and the ceiling of sign-in have separate counts. */
export const withinCeiling =
  (ceiling: RateLimit, handler: Handler): Handler =>
  (received) => {
    ceiling.take(networkOf(received.address))
    return handler(received)
  }
