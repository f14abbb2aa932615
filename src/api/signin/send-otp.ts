// How Send OTP crosses the wire: docs/interface.md section 4.7.

import { sendOtp, wire } from '../../domain/signin/send-otp.ts'
import type { Edge } from '../../flows/edge.ts'
import { type SignInParts, type SignInRoute, signInHandler, signInOtpHash } from './sign-in.ts'
import { type Ceilings, TOKEN_BYTES } from './sign-in-client.ts'

type Route = SignInRoute<typeof wire.query, typeof wire.body, (typeof sendOtp.codes)['success']>
const route = ({ clock, fresh, vault }: Edge, { settings, canSend, otpCeiling }: SignInParts): Route => ({
  wire,
  async perform(_query, request, caller, edge) {
    if (!canSend) throw new Error('there is nobody to send messages: MOHUR_SMS_URL is not set')
    const stateToken = fresh.text(TOKEN_BYTES)
    const stateTokenHash = vault.hash('stateToken', stateToken)
    const otp = fresh.otp()
    const reply = await otpCeiling.within(request.phone, edge, () =>
      edge.engine.submit(sendOtp, {
        request,
        caller,
        limits: settings,
        now: clock.now(),
        fresh: { stateToken, stateTokenHash, otp, otpHash: signInOtpHash(stateTokenHash, otp, vault), messageId: fresh.hex(16) },
      }),
    )
    return { reply, carries: reply.body ?? {} }
  },
})

export const sendOtpHandler = (edge: Edge, parts: SignInParts, ceilings: Ceilings) => signInHandler(route(edge, parts), edge, ceilings)
