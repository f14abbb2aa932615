// How Revoke Token crosses the wire: docs/interface.md section 4.21.

import { revokeToken } from '../../domain/signin/revoke-token.ts'
import type { Edge } from '../../flows/edge.ts'
import { deviceOf } from '../../http/request-headers.ts'
import type { Refusal } from '../../interface/request.ts'
import { revokeToken as codes } from '../../interface/result-codes.ts'
import { at, authorizedClient, type Ceilings, DEVICE_FAULT, isDeviceTooLong, missing } from './sign-in-client.ts'
import { sessionTokenOf, type TokenRoute, tokenHandler } from './token-handler.ts'

function revokeRoute(edge: Edge, ceilings: Ceilings): TokenRoute {
  const bad = (fault: Parameters<typeof at>[0]): Refusal => ({ result: codes.badRequest, ...at(fault) })
  return {
    systemError: codes.systemError,
    async answer({ rawHeaders }) {
      const clientId = await authorizedClient(rawHeaders, edge)
      if (clientId === undefined) return { result: codes.invalidAuthorization }
      ceilings.client.take(clientId)
      const device = deviceOf(rawHeaders)
      if (!device || isDeviceTooLong(device)) return bad(device ? DEVICE_FAULT : missing('x-device-identifier'))
      const sessionToken = sessionTokenOf(rawHeaders)
      if (sessionToken === undefined) return bad(missing('session_token'))
      const { vault, clock, engine } = edge
      const caller = { clientId, deviceHash: vault.hash('device', device) }
      return engine.submit(revokeToken, { ssoTokenHash: vault.hash('ssoToken', sessionToken), caller, now: clock.now() })
    },
    render: () => '',
  }
}

export const revokeTokenHandler = (edge: Edge, ceilings: Ceilings) => tokenHandler(revokeRoute(edge, ceilings), ceilings)
