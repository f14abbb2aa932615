// How Send OTP crosses the wire: docs/interface.md section 4.7.

import { reply, sendOtp, wire } from '../../domain/signin/send-otp.ts'
import type { Ports } from '../../flows/ports.ts'
import { sendOtp as codes } from '../../interface/result-codes.ts'
import type { SignInParts } from '../kit/api-parts.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { signIn } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { type SignInRoute, signInHandler, signInOtpHash } from './sign-in.ts'
import { TOKEN_BYTES } from './sign-in-client.ts'

type Route = SignInRoute<typeof wire.query, typeof wire.body, (typeof sendOtp.codes)['success']>
const route = ({ clock, fresh, vault }: Ports, { settings, canSend, otpCeiling }: SignInParts): Route => ({
  wire,
  async perform(_query, request, caller, ports) {
    if (!canSend) throw new Error('there is nobody to send messages: MOHUR_SMS_URL is not set')
    const stateToken = fresh.text(TOKEN_BYTES)
    const stateTokenHash = vault.hash('stateToken', stateToken)
    const otp = fresh.otp()
    const reply = await otpCeiling.within(request.phone, ports, () =>
      ports.engine.submit(sendOtp, {
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

export const operation: Descriptor = {
  name: 'sendOtp',
  section: '4.7',
  resource: 'signin',
  method: 'POST',
  paths: ['/v4/signin/otp/sv1'],
  writes: true,
  codes,
  credentials: [['client', 'device']],
  wire,
  reply,
  form: signIn,
  hasCeiling: true,
  sample: { ...sample.signIn, body: { phone: '9999900001', scopes: ['wallet'] } },
  handler: ({ ports, signIn, ceilings }) => signInHandler(route(ports, signIn), ports, ceilings),
}
