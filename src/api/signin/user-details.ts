// How User Details crosses the wire: docs/interface.md section 4.22.

import { reply, userDetails } from '../../domain/signin/user-details.ts'
import type { Ports } from '../../flows/ports.ts'
import { userDetails as codes } from '../../interface/result-codes.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { details } from '../kit/forms.ts'
import { at, missing } from './sign-in-client.ts'
import { sessionTokenOf, type TokenRoute, tokenHandler } from './token-handler.ts'

function detailsRoute({ vault, clock, query }: Ports): TokenRoute {
  return {
    systemError: codes.systemError,
    async answer({ rawHeaders }) {
      const sessionToken = sessionTokenOf(rawHeaders)
      if (sessionToken === undefined) return { result: codes.badRequest, ...at(missing('session_token')) }
      return userDetails.answer({ ssoTokenHash: vault.hash('ssoToken', sessionToken), now: clock.now() }, query)
    },
    render({ result, body }) {
      if (result.name === 'success') return JSON.stringify(body)
      return JSON.stringify({ status: result.status, responseCode: result.code, message: result.message })
    },
  }
}

export const operation: Descriptor = {
  name: 'userDetails',
  section: '4.22',
  resource: 'signin',
  method: 'GET',
  paths: ['/user/details'],
  codes,
  credentials: [['sessionToken']],
  reply,
  form: details,
  hasCeiling: true,
  sample: { headers: { session_token: '{ssoToken}' } },
  handler: ({ ports, ceilings }) => tokenHandler(detailsRoute(ports), ceilings),
}
