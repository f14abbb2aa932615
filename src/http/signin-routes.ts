// How the two operations of sign-in cross the wire: flat JSON without an envelope, unsigned, the caller named by headers
// (docs/interface.md sections 4.1, 4.7 and 5).

import { timingSafeEqual } from 'node:crypto'
import type { Static, TSchema } from 'typebox'
import type { Reply } from '../engine/decision.ts'
import { readRequest } from '../interface/envelope.ts'
import { normalise, type Refusal, reader } from '../interface/request.ts'
import type { ResultCode } from '../interface/result-codes.ts'
import { sendOtp, wire as sendOtpWire } from '../signin/send-otp.ts'
import type { SignInCaller, SignInLimits, SignInWire } from '../signin/signin.ts'
import { validateOtp, wire as validateOtpWire } from '../signin/validate-otp.ts'
import { signInClientKey } from '../tables.ts'
import { basicCredentials, headerOf } from './caller.ts'
import { Ceiling, networkOf, TooManyRequests } from './ceiling.ts'
import type { Edge } from './edge.ts'
import { type Handler, type Received, singleParameters } from './route.ts'

const DEVICE_LENGTH = 255 // ours: docs/interface.md section 8
const CLIENT_FACTOR = 10 // a client's ceiling is so many times an address's: its users come from many
const TOKEN_BYTES = 32 // 256 bits: nobody finds one by trying
/** No client has it; an unknown client costs the same time as a wrong secret. */
const NOBODYS_HASH = '0'.repeat(43)

export interface SignInSettings extends SignInLimits {
  ceilingPerMinute: number
}
export interface SignInParts {
  settings: SignInSettings
  /** False where no messenger could carry an OTP: production without MOHUR_SMS_URL. */
  canSend: boolean
}

interface SignInRoute<Query extends TSchema, Body extends TSchema, Code extends ResultCode> {
  wire: SignInWire<Query, Body, Code>
  /** The reply, and what it carries beside status, message and responseCode. */
  perform(query: Static<Query>, body: Static<Body>, caller: SignInCaller): Promise<{ reply: Reply; carries: object }>
}

export function signInHandlers(edge: Edge, { settings, canSend }: SignInParts) {
  const { engine, clock, fresh, vault } = edge
  const { ceilingPerMinute, ...limits } = settings
  const ceilings = { address: new Ceiling(ceilingPerMinute, clock), client: new Ceiling(ceilingPerMinute * CLIENT_FACTOR, clock) }
  const otpHash = (stateTokenHash: string, otp: string) => vault.hash('otp', `${stateTokenHash}|${otp}`)

  const sendOtpRoute: SignInRoute<typeof sendOtpWire.query, typeof sendOtpWire.body, (typeof sendOtp.codes)['success']> = {
    wire: sendOtpWire,
    async perform(_query, request, caller) {
      if (!canSend) throw new Error('there is nobody to send messages: MOHUR_SMS_URL is not set')
      const stateToken = fresh.text(TOKEN_BYTES)
      const stateTokenHash = vault.hash('stateToken', stateToken)
      const otp = fresh.otp()
      const reply = await engine.submit(sendOtp, {
        request,
        caller,
        limits,
        now: clock.now(),
        fresh: { stateToken, stateTokenHash, otp, otpHash: otpHash(stateTokenHash, otp), messageId: fresh.hex(16) },
      })
      return { reply, carries: reply.body ?? {} }
    },
  }

  const validateOtpRoute: SignInRoute<typeof validateOtpWire.query, typeof validateOtpWire.body, (typeof validateOtp.codes)['success']> = {
    wire: validateOtpWire,
    async perform({ anchor }, request, caller) {
      const stateTokenHash = vault.hash('stateToken', request.state_token)
      // The first letters tell people and scanners what they have found.
      const ssoToken = `mohur_sso_${fresh.text(TOKEN_BYTES)}`
      const refreshToken = `mohur_rt_${fresh.text(TOKEN_BYTES)}`
      const reply = await engine.submit(validateOtp, {
        request,
        stateTokenHash,
        otpHash: otpHash(stateTokenHash, request.otp),
        caller,
        limits,
        now: clock.now(),
        fresh: {
          ssoToken,
          ssoTokenHash: vault.hash('ssoToken', ssoToken),
          refreshToken,
          refreshTokenHash: vault.hash('refreshToken', refreshToken),
          familyId: fresh.hex(16),
          userId: fresh.hex(16),
        },
      })
      const { tokens, userId } = (reply.body ?? {}) as { tokens?: string; userId?: string }
      if (tokens === undefined || userId === undefined) return { reply, carries: {} }
      const encryptedUserId = anchor && vault.seal(userId, `encryptedUserId|${caller.clientId}`)
      return { reply, carries: { tokens, ...(encryptedUserId && { encryptedUserId }) } }
    },
  }

  return {
    validateOtp: signInHandler(validateOtpRoute, edge, ceilings),
    sendOtp: signInHandler(sendOtpRoute, edge, ceilings),
  }
}

/** The order of docs/interface.md section 7: Authorization, device, request; what follows needs rows and is decided behind it. */
function signInHandler<Query extends TSchema, Body extends TSchema, Code extends ResultCode>(
  { wire, perform }: SignInRoute<Query, Body, Code>,
  edge: Edge,
  ceilings: { address: Ceiling; client: Ceiling },
): Handler {
  const readers = { query: reader(wire.query), body: reader(wire.body) }

  const answer = async (received: Received): Promise<{ reply: Reply; carries: object }> => {
    const refusal = (reply: Refusal<Code>) => ({ reply, carries: {} })
    const clientId = await authorizedClient(received.rawHeaders, edge)
    if (clientId === undefined) return refusal({ result: wire.invalidAuthorization })
    ceilings.client.take(clientId)
    const device = headerOf(received.rawHeaders, 'x-device-identifier')
    if (!device) return refusal({ result: wire.deviceMissing })
    const bad = (parameter: string | undefined) => refusal({ result: wire.badRequest, ...(parameter && { parameter }) })
    if (device.length > DEVICE_LENGTH) return bad('x-device-identifier')
    const query = readers.query(singleParameters(received.query))
    if (query.faults) return bad(query.faults[0]?.path)
    const read = readRequest(received.bytes)
    if (!read) return bad(undefined)
    const body = readers.body(normalise(read.root))
    if (body.faults) return bad(body.faults[0]?.path)
    return perform(query.value, body.value, { clientId, deviceHash: edge.vault.hash('device', device) })
  }

  return async (received) => {
    ceilings.address.take(networkOf(received.address))
    let answered: { reply: Reply; carries: object }
    let error: Error | undefined
    try {
      answered = await answer(received)
    } catch (thrown) {
      if (thrown instanceof TooManyRequests) throw thrown
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

/** The client that the Authorization header names, when the secret in it is the client's own. */
async function authorizedClient(rawHeaders: readonly string[], { query, vault }: Edge): Promise<string | undefined> {
  const credentials = basicCredentials(headerOf(rawHeaders, 'authorization'))
  if (!credentials) return undefined
  const { clientId, secret } = credentials
  const given = Buffer.from(vault.hash('clientSecret', `${clientId}:${secret}`))
  const client = await query.row(signInClientKey(clientId))
  const isRight = timingSafeEqual(given, Buffer.from(client?.secretHash ?? NOBODYS_HASH))
  return client && isRight ? clientId : undefined
}
