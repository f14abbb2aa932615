// How Refresh Token crosses the wire: docs/interface.md section 4.20.

import { refreshToken, reply, wire } from '../../domain/signin/refresh-token.ts'
import type { SignInLimits } from '../../domain/signin/signin.ts'
import type { Ports } from '../../flows/ports.ts'
import { readRequest } from '../../interface/envelope.ts'
import { normalise, type Refusal, reader } from '../../interface/request.ts'
import { refreshToken as codes } from '../../interface/result-codes.ts'
import type { Ceilings } from '../kit/api-parts.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { grant } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { at, authorizedClient, freshTokens } from './sign-in-client.ts'
import { type TokenRoute, tokenHandler } from './token-handler.ts'

function refreshRoute(ports: Ports, limits: SignInLimits, ceilings: Ceilings): TokenRoute {
  const readers = { grant: reader(wire.grant), body: reader(wire.body) }
  const bad = (fault: Parameters<typeof at>[0]): Refusal => ({ result: codes.badRequest, ...at(fault) })
  return {
    systemError: codes.systemError,
    async answer({ rawHeaders, bytes }) {
      const clientId = await authorizedClient(rawHeaders, ports)
      if (clientId === undefined) return { result: codes.invalidAuthorization }
      ceilings.client.take(clientId)
      const read = readRequest(bytes)
      if (!read) return { result: codes.badRequest, cause: 'unreadable' }
      const given = normalise(read.root)
      const grant = readers.grant(given)
      if (grant.faults) return bad(grant.faults[0])
      if (grant.value.grantType !== 'refresh_token') return { result: codes.unsupportedGrantType, parameter: 'grantType' }
      const body = readers.body(given)
      if (body.faults) return bad(body.faults[0])
      const { vault, clock, engine } = ports
      return engine.submit(refreshToken, {
        tokenHash: vault.hash('refreshToken', body.value.refreshToken),
        caller: { clientId, deviceHash: vault.hash('device', body.value.deviceId.trim()) },
        limits,
        now: clock.now(),
        fresh: freshTokens(ports),
      })
    },
    render({ result, message, body }) {
      if (result.name === 'success') return JSON.stringify(body)
      if (result.name === 'invalidAuthorization') return ''
      return JSON.stringify({ error: result.code, error_description: message ?? result.message })
    },
  }
}

export const operation: Descriptor = {
  name: 'refreshToken',
  section: '4.20',
  resource: 'signin',
  method: 'POST',
  paths: ['/oauth2/v3/token/sv1'],
  codes,
  credentials: [['client', 'refreshToken']],
  wire,
  reply,
  form: grant,
  empty: ['invalidAuthorization'],
  hasCeiling: true,
  sample: { headers: sample.CLIENT, body: { grantType: 'refresh_token', refreshToken: '{refreshToken}', deviceId: 'device-1' } },
  handler: ({ ports, signIn, ceilings }) => tokenHandler(refreshRoute(ports, signIn.settings, ceilings), ceilings),
}
