// How the two operations of sign-in cross the wire: flat JSON without an envelope, unsigned, the caller named by headers
// (docs/interface.md sections 4.1, 4.7 and 5).

import type { Static, TSchema } from 'typebox'
import { sendOtp, wire as sendOtpWire } from '../../domain/signin/send-otp.ts'
import type { SignInCaller, SignInLimits, SignInWire } from '../../domain/signin/signin.ts'
import { validateOtp, wire as validateOtpWire } from '../../domain/signin/validate-otp.ts'
import type { Reply } from '../../engine/decision.ts'
import type { Edge } from '../../flows/edge.ts'
import { type Keyed, KeyRefused, keyed, keyOf } from '../../http/idempotency.ts'
import { networkOf } from '../../http/networks.ts'
import { TooManyRequests } from '../../http/rate-limit.ts'
import { deviceOf } from '../../http/request-headers.ts'
import { type Handler, type Received, singleParameters } from '../../http/route.ts'
import { readRequest } from '../../interface/envelope.ts'
import { normalise, type Refusal, reader } from '../../interface/request.ts'
import type { ResultCode } from '../../interface/result-codes.ts'
import type { OtpRateLimit, OtpRateLimits } from './otp-rate-limit.ts'
import { tokenHandlers } from './refresh-token.ts'
import {
  authorizedClient,
  type Ceilings,
  ceilingsOf,
  countingWrong,
  freshTokens,
  isDeviceTooLong,
  TOKEN_BYTES,
  wrongCodesOf,
} from './sign-in-client.ts'

export interface SignInSettings extends SignInLimits {
  ceilingPerMinute: number
  otps: OtpRateLimits
}
export interface SignInParts {
  settings: SignInSettings
  /** False where no messenger could carry an OTP: production without MOHUR_SMS_URL. */
  canSend: boolean
  /** Shared with the checkout's login: one provider sends for both. */
  otpCeiling: OtpRateLimit
}

interface SignInRoute<Query extends TSchema, Body extends TSchema, Code extends ResultCode> {
  wire: SignInWire<Query, Body, Code>
  /** The reply, and what it carries beside status, message and responseCode. */
  perform(query: Static<Query>, body: Static<Body>, caller: SignInCaller, edge: Edge): Promise<{ reply: Reply; carries: object }>
}
export function signInHandlers(edge: Edge, { settings, canSend, otpCeiling }: SignInParts) {
  const { clock, fresh, vault } = edge
  const { ceilingPerMinute, otps: _, ...limits } = settings
  const ceilings = ceilingsOf(ceilingPerMinute, edge)
  const otpHash = (stateTokenHash: string, otp: string) => vault.hash('otp', `${stateTokenHash}|${otp}`)

  const sendOtpRoute: SignInRoute<typeof sendOtpWire.query, typeof sendOtpWire.body, (typeof sendOtp.codes)['success']> = {
    wire: sendOtpWire,
    async perform(_query, request, caller, edge) {
      if (!canSend) throw new Error('there is nobody to send messages: MOHUR_SMS_URL is not set')
      const stateToken = fresh.text(TOKEN_BYTES)
      const stateTokenHash = vault.hash('stateToken', stateToken)
      const otp = fresh.otp()
      const reply = await otpCeiling.within(request.phone, edge, () =>
        edge.engine.submit(sendOtp, {
          request,
          caller,
          limits,
          now: clock.now(),
          fresh: { stateToken, stateTokenHash, otp, otpHash: otpHash(stateTokenHash, otp), messageId: fresh.hex(16) },
        }),
      )
      return { reply, carries: reply.body ?? {} }
    },
  }

  const validateOtpRoute: SignInRoute<typeof validateOtpWire.query, typeof validateOtpWire.body, (typeof validateOtp.codes)['success']> = {
    wire: validateOtpWire,
    async perform({ anchor }, request, caller, edge) {
      const stateTokenHash = vault.hash('stateToken', request.state_token)
      const reply = await edge.engine.submit(validateOtp, {
        request,
        stateTokenHash,
        otpHash: otpHash(stateTokenHash, request.otp),
        caller,
        limits,
        now: clock.now(),
        fresh: { ...freshTokens(edge), familyId: fresh.hex(16), userId: fresh.hex(16) },
      })
      const { tokens, userId } = (reply.body ?? {}) as { tokens?: string; userId?: string }
      if (tokens === undefined || userId === undefined) return { reply, carries: {} }
      const encryptedUserId = anchor && vault.seal(userId, `encryptedUserId|${caller.clientId}`, edge.occasion)
      return { reply, carries: { tokens, ...(encryptedUserId && { encryptedUserId }) } }
    },
  }

  return {
    validateOtp: signInHandler(validateOtpRoute, edge, ceilings, wrongCodesOf(ceilingPerMinute, edge)),
    sendOtp: signInHandler(sendOtpRoute, edge, ceilings),
    ...tokenHandlers(edge, limits, ceilings),
  }
}

/** The order of docs/interface.md section 7: Authorization, device, request; what follows needs rows and is decided behind it. */
function signInHandler<Query extends TSchema, Body extends TSchema, Code extends ResultCode>(
  { wire, perform }: SignInRoute<Query, Body, Code>,
  edge: Edge,
  ceilings: Ceilings,
  wrongCodes?: Ceilings,
): Handler {
  const readers = { query: reader(wire.query), body: reader(wire.body) }

  const answer = async (received: Received): Promise<{ reply: Reply; carries: object }> => {
    const refusal = (reply: Refusal<Code>) => ({ reply, carries: {} })
    const key = keyOf(received) // one that is none is refused whoever sends it
    const clientId = await authorizedClient(received.rawHeaders, edge)
    if (clientId === undefined) return refusal({ result: wire.invalidAuthorization })
    ceilings.client.take(clientId)
    const device = deviceOf(received.rawHeaders)
    if (!device) return refusal({ result: wire.deviceMissing })
    const bad = (parameter: string | undefined) => refusal({ result: wire.badRequest, ...(parameter && { parameter }) })
    if (isDeviceTooLong(device)) return bad('x-device-identifier')
    const once: Keyed | undefined = key === undefined ? undefined : await keyed(received, key, clientId, edge, { more: device })
    const query = readers.query(singleParameters(received.query))
    if (query.faults) return bad(query.faults[0]?.path)
    const read = readRequest(received.bytes)
    if (!read) return bad(undefined)
    const body = readers.body(normalise(read.root))
    if (body.faults) return bad(body.faults[0]?.path)
    const caller = { clientId, deviceHash: edge.vault.hash('device', device) }
    const counts = wrongCodes
      ? ([
          [wrongCodes.address, networkOf(received.address)],
          [wrongCodes.client, clientId],
        ] as const)
      : []
    return countingWrong(counts, () => perform(query.value, body.value, caller, once?.edge ?? edge))
  }

  return async (received) => {
    ceilings.address.take(networkOf(received.address))
    let answered: { reply: Reply; carries: object }
    let error: Error | undefined
    try {
      answered = await answer(received)
    } catch (thrown) {
      if (thrown instanceof TooManyRequests || thrown instanceof KeyRefused) throw thrown
      error = thrown as Error // the store failed or a decision threw: what the caller may know is the table's own row
      answered = { reply: { result: wire.systemError }, carries: {} }
    }
    const { result, message, parameter } = answered.reply
    const text = JSON.stringify({
      status: result.status,
      message: message ?? result.message,
      responseCode: result.code,
      ...answered.carries,
    })
    return { text, result, parameter, error }
  }
}
