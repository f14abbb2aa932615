// How Validate OTP crosses the wire: docs/interface.md section 4.1.

import { OTP_FORM, type SignInLimits } from '../../domain/signin/signin.ts'
import { reply, validateOtp, wire } from '../../domain/signin/validate-otp.ts'
import type { OnceReply } from '../../engine/kept-replies.ts'
import type { Ports } from '../../flows/ports.ts'
import { validateOtp as codes } from '../../interface/result-codes.ts'
import { wrongCodesOf } from '../kit/api-parts.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { signIn } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { type SignInRoute, signInHandler, signInOtpHash } from './sign-in.ts'
import { freshTokens } from './sign-in-client.ts'

type Route = SignInRoute<typeof wire.query, typeof wire.body, (typeof validateOtp.codes)['success']>
const route = ({ clock, fresh, vault }: Ports, limits: SignInLimits): Route => ({
  wire,
  async perform({ anchor }, request, caller, ports) {
    const stateTokenHash = vault.hash('stateToken', request.state_token)
    const reply = await ports.engine.submit(validateOtp, {
      request,
      stateTokenHash,
      otpHash: signInOtpHash(stateTokenHash, request.otp, vault),
      caller,
      limits,
      now: clock.now(),
      fresh: { ...freshTokens(ports), familyId: fresh.hex(16), userId: fresh.hex(16) },
    })
    // A text that is no code spends no try, and a kept answer compares nothing again.
    const isWrongGuess = reply.result.name === 'wrongOtp' && OTP_FORM.test(request.otp) && !(reply as Partial<OnceReply>).isAgain
    const { tokens, userId } = (reply.body ?? {}) as { tokens?: string; userId?: string }
    if (tokens === undefined || userId === undefined) return { reply, carries: {}, isWrongGuess }
    const encryptedUserId = anchor && vault.seal(userId, `encryptedUserId|${caller.clientId}`, ports.occasion)
    return { reply, carries: { tokens, ...(encryptedUserId && { encryptedUserId }) } }
  },
})

export const operation: Descriptor = {
  name: 'validateOtp',
  section: '4.1',
  resource: 'signin',
  method: 'POST',
  paths: ['/v4/signin/validate/otp/sv1'],
  writes: true,
  codes,
  credentials: [['client', 'device']],
  wire,
  reply,
  form: signIn,
  hasCeiling: true,
  sample: { ...sample.signIn, body: { state_token: '{stateToken}', otp: '{otp}' } },
  handler: ({ ports, signIn, ceilings }) =>
    signInHandler(route(ports, signIn.settings), ports, ceilings, wrongCodesOf(signIn.settings.ceilingPerMinute, ports)),
}
