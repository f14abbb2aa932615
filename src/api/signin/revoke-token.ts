// How Revoke Token crosses the wire: docs/interface.md section 4.21.

import { reply as nothing } from '../../domain/order/modify-order.ts'
import { revokeToken } from '../../domain/signin/revoke-token.ts'
import type { Ports } from '../../flows/ports.ts'
import { deviceOf } from '../../http/request-headers.ts'
import type { Refusal } from '../../interface/request.ts'
import { revokeToken as codes } from '../../interface/result-codes.ts'
import type { Ceilings } from '../kit/api-parts.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { grant } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { at, authorizedClient, DEVICE_FAULT, isDeviceTooLong, missing } from './sign-in-client.ts'
import { sessionTokenOf, type TokenRoute, tokenHandler } from './token-handler.ts'

function revokeRoute(ports: Ports, ceilings: Ceilings): TokenRoute {
  const bad = (fault: Parameters<typeof at>[0]): Refusal => ({ result: codes.badRequest, ...at(fault) })
  return {
    systemError: codes.systemError,
    async answer({ rawHeaders }) {
      const clientId = await authorizedClient(rawHeaders, ports)
      if (clientId === undefined) return { result: codes.invalidAuthorization }
      ceilings.client.take(clientId)
      const device = deviceOf(rawHeaders)
      if (!device || isDeviceTooLong(device)) return bad(device ? DEVICE_FAULT : missing('x-device-identifier'))
      const sessionToken = sessionTokenOf(rawHeaders)
      if (sessionToken === undefined) return bad(missing('session_token'))
      const { vault, clock, engine } = ports
      const caller = { clientId, deviceHash: vault.hash('device', device) }
      return engine.submit(revokeToken, { ssoTokenHash: vault.hash('ssoToken', sessionToken), caller, now: clock.now() })
    },
    render: () => '',
  }
}

export const operation: Descriptor = {
  name: 'revokeToken',
  section: '4.21',
  resource: 'signin',
  method: 'DELETE',
  paths: ['/oauth2/token/sv1'],
  codes,
  credentials: [['client', 'device', 'sessionToken']],
  reply: nothing,
  form: grant,
  empty: ['success', 'badRequest', 'invalidAuthorization', 'systemError'],
  hasCeiling: true,
  sample: { headers: { ...sample.CLIENT, ...sample.DEVICE, session_token: '{ssoToken}' } },
  handler: ({ ports, ceilings }) => tokenHandler(revokeRoute(ports, ceilings), ceilings),
}
