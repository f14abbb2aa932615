// How what comes after a sign-in crosses the wire: flat JSON or headers only, answered by HTTP statuses of their own
// (docs/interface.md sections 4.20 to 4.22). None takes an Idempotency-Key: Refresh Token has a narrower rule of its own.

import { refreshToken, wire as refreshTokenWire } from '../../domain/signin/refresh-token.ts'
import { revokeToken } from '../../domain/signin/revoke-token.ts'
import type { SignInLimits } from '../../domain/signin/signin.ts'
import { userDetails } from '../../domain/signin/user-details.ts'
import type { Reply } from '../../engine/decision.ts'
import type { Edge } from '../../flows/edge.ts'
import { networkOf } from '../../http/networks.ts'
import { TooManyRequests } from '../../http/rate-limit.ts'
import { deviceOf, headerOf } from '../../http/request-headers.ts'
import type { Handler, Received } from '../../http/route.ts'
import { readRequest } from '../../interface/envelope.ts'
import { normalise, type Refusal, reader } from '../../interface/request.ts'
import {
  userDetails as detailsCodes,
  type ResultCode,
  refreshToken as refreshCodes,
  revokeToken as revokeCodes,
} from '../../interface/result-codes.ts'
import { authorizedClient, type Ceilings, freshTokens, isDeviceTooLong } from './sign-in-client.ts'

const SESSION_TOKEN_FORM = /^[!-~]{1,255}$/ // docs/interface.md section 8 (Mohur)

interface TokenRoute {
  answer(received: Received): Promise<Reply>
  render(reply: Reply): string
  systemError: ResultCode
}

export function tokenHandlers(edge: Edge, limits: SignInLimits, ceilings: Ceilings) {
  return {
    refreshToken: tokenHandler(refreshRoute(edge, limits, ceilings), ceilings),
    revokeToken: tokenHandler(revokeRoute(edge, ceilings), ceilings),
    userDetails: tokenHandler(detailsRoute(edge), ceilings),
  }
}

function tokenHandler({ answer, render, systemError }: TokenRoute, ceilings: Ceilings): Handler {
  return async (received) => {
    ceilings.address.take(networkOf(received.address))
    let reply: Reply
    let error: Error | undefined
    try {
      reply = await answer(received)
    } catch (thrown) {
      if (thrown instanceof TooManyRequests) throw thrown
      error = thrown as Error // the store failed or a decision threw: what the caller may know is the table's own row
      reply = { result: systemError }
    }
    return { text: render(reply), result: reply.result, parameter: reply.parameter, error }
  }
}

function refreshRoute(edge: Edge, limits: SignInLimits, ceilings: Ceilings): TokenRoute {
  const codes = refreshCodes
  const readers = { grant: reader(refreshTokenWire.grant), body: reader(refreshTokenWire.body) }
  const bad = (parameter: string | undefined): Refusal => ({ result: codes.badRequest, ...(parameter && { parameter }) })
  return {
    systemError: codes.systemError,
    async answer({ rawHeaders, bytes }) {
      const clientId = await authorizedClient(rawHeaders, edge)
      if (clientId === undefined) return { result: codes.invalidAuthorization }
      ceilings.client.take(clientId)
      const read = readRequest(bytes)
      if (!read) return bad(undefined)
      const given = normalise(read.root)
      const grant = readers.grant(given)
      if (grant.faults) return bad(grant.faults[0]?.path)
      if (grant.value.grantType !== 'refresh_token') return { result: codes.unsupportedGrantType, parameter: 'grantType' }
      const body = readers.body(given)
      if (body.faults) return bad(body.faults[0]?.path)
      const { vault, clock, engine } = edge
      return engine.submit(refreshToken, {
        tokenHash: vault.hash('refreshToken', body.value.refreshToken),
        caller: { clientId, deviceHash: vault.hash('device', body.value.deviceId.trim()) },
        limits,
        now: clock.now(),
        fresh: freshTokens(edge),
      })
    },
    render({ result, message, body }) {
      if (result.name === 'success') return JSON.stringify(body)
      if (result.name === 'invalidAuthorization') return ''
      return JSON.stringify({ error: result.code, error_description: message ?? result.message })
    },
  }
}

function revokeRoute(edge: Edge, ceilings: Ceilings): TokenRoute {
  const codes = revokeCodes
  const bad = (parameter: string): Refusal => ({ result: codes.badRequest, parameter })
  return {
    systemError: codes.systemError,
    async answer({ rawHeaders }) {
      const clientId = await authorizedClient(rawHeaders, edge)
      if (clientId === undefined) return { result: codes.invalidAuthorization }
      ceilings.client.take(clientId)
      const device = deviceOf(rawHeaders)
      if (!device || isDeviceTooLong(device)) return bad('x-device-identifier')
      const sessionToken = sessionTokenOf(rawHeaders)
      if (sessionToken === undefined) return bad('session_token')
      const { vault, clock, engine } = edge
      const caller = { clientId, deviceHash: vault.hash('device', device) }
      return engine.submit(revokeToken, { ssoTokenHash: vault.hash('ssoToken', sessionToken), caller, now: clock.now() })
    },
    render: () => '',
  }
}

function detailsRoute({ vault, clock, query }: Edge): TokenRoute {
  const codes = detailsCodes
  return {
    systemError: codes.systemError,
    async answer({ rawHeaders }) {
      const sessionToken = sessionTokenOf(rawHeaders)
      if (sessionToken === undefined) return { result: codes.badRequest, parameter: 'session_token' }
      return userDetails.answer({ ssoTokenHash: vault.hash('ssoToken', sessionToken), now: clock.now() }, query)
    },
    render({ result, body }) {
      if (result.name === 'success') return JSON.stringify(body)
      return JSON.stringify({ status: result.status, responseCode: result.code, message: result.message })
    },
  }
}

function sessionTokenOf(rawHeaders: readonly string[]): string | undefined {
  const given = headerOf(rawHeaders, 'session_token')
  return given !== undefined && SESSION_TOKEN_FORM.test(given) ? given : undefined
}
