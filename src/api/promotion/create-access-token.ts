// How Create Access Token crosses the wire: docs/interface.md section 4.8.

import { createAccessToken, wire } from '../../domain/promotion/create-access-token.ts'
import type { Edge } from '../../flows/edge.ts'
import { replyBody, versionOf } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { ssoTokenHashOf } from '../signin/sign-in-client.ts'

const ACCESS_TOKEN_BYTES = 32

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof createAccessToken.codes)['success']> = {
  wire,
  async perform({ head, body, bodyText }, edge) {
    const { engine, clock, fresh, vault, merchantKeys } = edge
    const accessToken = fresh.text(ACCESS_TOKEN_BYTES)
    return engine.submit(createAccessToken, {
      request: body,
      caller: { signature: await merchantKeys.check(body.mid, head.clientId, bodyText, head.token) },
      ssoTokenHash: ssoTokenHashOf(edge, body.svcSsoToken),
      now: clock.now(),
      fresh: { accessToken, tokenHash: vault.hash('accessToken', accessToken) },
    })
  },
  render: (reply, asked, { clock }) => ({
    head: { responseTimestamp: String(clock.now()), version: versionOf(asked) },
    body: replyBody(reply),
  }),
}

export const createAccessTokenHandler = (edge: Edge) => envelopeHandler(route, edge)
