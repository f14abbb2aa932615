// Validate Checkout OTP: docs/interface.md section 4.24. The right OTP signs the payer in to its order alone. The reply gives no token, and
// the OTP is spent.

import Type, { type Static } from 'typebox'
import { type Change, type Decision, operation, refuse, refuseWith } from '../../engine/decision.ts'
import * as replied from '../../interface/replied.ts'
import { validateCheckoutOtp as codes } from '../../interface/result-codes.ts'
import type { Wire } from '../../interface/wire.ts'
import { checkoutOtpKey, newCustomerKey, orderKey, pageKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { isPending, OTP_FORM, signedIn } from '../signin/signin.ts'
import { CHECKOUT_OTP_TRIES_MAX, head, isCodeLive, orderAtCheckout } from './checkout-otp.ts'
import { lateTerm } from './keep-search-terms.ts'
import { orderEvent } from './order.ts'
import { type ByToken, readsNamed, readsOthers } from './txn-token.ts'

/** Why a text was refused that is no code. Such a text is no guess, so no ceiling counts it. */
const NO_CODE = { keyword: 'pattern', limit: OTP_FORM.source }

/** An OTP of another form is no bad request. It gets the reply of a wrong OTP, and nothing is spent. */
const body = Type.Object({ otp: Type.String() })

export const wire: Wire<typeof head, typeof body, (typeof codes)['success']> = {
  query: ['mid', 'orderId'],
  head,
  body,
  faults: { missing: () => ({ result: codes.badRequest }), wrong: () => ({ result: codes.badRequest }) },
  wrongHead: () => ({ result: codes.badRequest }),
  unreadable: codes.badRequest,
  missingParam: () => ({ result: codes.badRequest }),
  systemError: codes.systemError,
}

export const reply = Type.Object({ authenticated: replied.yes })

export interface ValidateCheckoutOtp extends ByToken {
  request: Static<typeof body>
  /** The hash of OTP and order together, so an OTP is good for one order. */
  otpHash: string
  /** The search term of the number that got the OTP (docs/console.md). Undefined when no OTP was sent. */
  term: number | undefined
  /** The payment page where the OTP was typed. */
  pageHash?: string
  now: number
  fresh: { userId: string }
}

export const validateCheckoutOtp = operation({
  name: 'validateCheckoutOtp',
  codes,
  reads: (command: ValidateCheckoutOtp) => ({
    ...readsNamed(command),
    sent: checkoutOtpKey(command.mid, command.orderId),
    page: command.pageHash === undefined ? undefined : pageKey(command.pageHash),
  }),
  readsNext: (command, { named, sent }) => ({ ...readsOthers(command, { named }), customer: sent && newCustomerKey(sent.mobile) }),
  decide(command, { named, others, sent, page, customer }) {
    const { request: r, otpHash, now } = command
    const { order, refusal } = orderAtCheckout(command, { named, others }, now, codes)
    if (refusal) return refuse(refusal)
    if (!sent || !isCodeLive(sent, now)) return refuse(codes.otpExpired)
    if (isPending(customer, now)) return refuse(codes.temporarilyBlocked)
    if (sent.consumedAt !== null) return refuse(codes.alreadyUsed)
    if (sent.tries >= CHECKOUT_OTP_TRIES_MAX) return refuse(codes.attemptsExceeded)
    if (!OTP_FORM.test(r.otp)) return refuseWith({ result: codes.wrongOtp, parameter: 'otp', cause: NO_CODE })
    const key = checkoutOtpKey(sent.mid, sent.orderId)
    if (sent.otpHash !== otpHash)
      return { ...refuse(codes.wrongOtp), changes: [{ kind: 'update', key, row: { ...sent, tries: sent.tries + 1 } }] }
    return signInAtCheckout(order, sent, { customer, page }, command)
  },
})

/** Spends the OTP, and makes the customer at the number's first sign-in. Notes on the order whose wallet may pay it, and on the
 * page who may see that. */
function signInAtCheckout(
  order: Row<'orders'>,
  sent: Row<'checkoutOtps'>,
  { customer, page }: { customer: Row<'customers'> | undefined; page: Row<'pages'> | undefined },
  { term, now, fresh }: ValidateCheckoutOtp,
): Decision<(typeof codes)['success']> {
  const { mobile } = sent
  const userId = customer?.userId ?? fresh.userId
  const row: Row<'orders'> = { ...order, version: order.version + 1, payer: { userId, mobile } }
  const changes: Change[] = [
    { kind: 'update', key: checkoutOtpKey(sent.mid, sent.orderId), row: { ...sent, consumedAt: now } },
    { kind: 'update', key: orderKey(order.mid, order.orderId), row },
    signedIn(customer, mobile, userId, now),
    ...(page ? [{ kind: 'update' as const, key: pageKey(page.pageHash), row: { ...page, view: { ...page.view, userId } } }] : []),
    // A late term, and not an entry of a segment, even when the sweep has not reached the order. A look-up reads both tables.
    ...(term === undefined ? [] : [lateTerm({ term, at: order.txnTokenIssuedAt, mid: order.mid, orderId: order.orderId })]),
  ]
  return {
    reply: { result: codes.success, body: { authenticated: true } },
    changes,
    events: [orderEvent('order.payer-signed-in', order, row, now)],
    tasks: [],
  }
}
