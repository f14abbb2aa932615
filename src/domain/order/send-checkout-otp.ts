// Send Checkout OTP: docs/interface.md section 4.23. Known and unknown numbers are answered alike.

import Type, { type Static } from 'typebox'
import { operation, refuse } from '../../engine/decision.ts'
import { sendCheckoutOtp as codes } from '../../interface/result-codes.ts'
import type { Wire } from '../../interface/wire.ts'
import { checkoutOtpKey, checkoutOtpSendsKey, customerKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { isPending, mayBeSent, type OtpMessage, type SignInLimits } from '../signin/signin.ts'
import { CHECKOUT_OTP_SENDS_MAX, CHECKOUT_OTP_VALIDITY_MS, head, orderAtCheckout } from './checkout-otp.ts'
import { type ByToken, readsNamed, readsOthers } from './txn-token.ts'

const body = Type.Object({ mobileNo: Type.String({ pattern: '^[6-9][0-9]{9}$' }) })

export const wire: Wire<typeof head, typeof body, (typeof codes)['success']> = {
  query: ['mid', 'orderId'],
  head,
  body,
  faults: {
    missing: () => ({ result: codes.badRequest }),
    wrong: ({ path }) => ({ result: path === 'mobileNo' ? codes.invalidMobile : codes.badRequest }),
  },
  wrongHead: () => ({ result: codes.badRequest }),
  unreadable: codes.badRequest,
  missingParam: () => ({ result: codes.badRequest }),
  systemError: codes.systemError,
}

export const reply = Type.Object({})

export interface SendCheckoutOtp extends ByToken {
  request: Static<typeof body>
  limits: SignInLimits
  now: number
  fresh: { otp: string; otpHash: string; messageId: string }
}

export const sendCheckoutOtp = operation({
  name: 'sendCheckoutOtp',
  codes,
  reads: (command: SendCheckoutOtp) => ({
    ...readsNamed(command),
    before: checkoutOtpKey(command.mid, command.orderId),
    customer: customerKey(command.request.mobileNo),
    sends: checkoutOtpSendsKey(command.request.mobileNo),
  }),
  readsNext: readsOthers,
  decide(command, { named, others, before, customer, sends }) {
    const { request: r, limits, now, fresh } = command
    const { order, refusal } = orderAtCheckout(command, { named, others }, now, codes)
    if (refusal) return refuse(refusal)
    if (isPending(customer, now)) return refuse(codes.temporarilyBlocked)
    if ((before?.sentAt.length ?? 0) >= CHECKOUT_OTP_SENDS_MAX) return refuse(codes.sendLimitReached)
    const sent = mayBeSent(sends, r.mobileNo, limits, now)
    if (!sent) return refuse(codes.sendLimitReached)

    const { mid, orderId } = order
    const expiresAt = now + CHECKOUT_OTP_VALIDITY_MS
    // The earlier code is void, because only one number at a time may sign in to an order.
    const row: Row<'checkoutOtps'> = {
      mid,
      orderId,
      mobile: r.mobileNo,
      otpHash: fresh.otpHash,
      tries: 0,
      sentAt: [...(before?.sentAt ?? []), now],
      expiresAt,
      consumedAt: null,
    }
    const message: OtpMessage = { mobile: r.mobileNo, otp: fresh.otp, validityMs: CHECKOUT_OTP_VALIDITY_MS, expiresAt, attempts: 0 }
    return {
      reply: { result: codes.success },
      changes: [
        { kind: before ? 'update' : 'insert', key: checkoutOtpKey(mid, orderId), row },
        { kind: sends ? 'update' : 'insert', key: checkoutOtpSendsKey(r.mobileNo), row: sent },
      ],
      events: [],
      tasks: [{ kind: 'add', task: 'otp-message.due', subject: fresh.messageId, dueAt: now, payload: { ...message } }],
    }
  },
})
