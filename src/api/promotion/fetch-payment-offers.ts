// How Fetch All Payment Offers crosses the wire: docs/interface.md section 4.33.

import { type FetchAllPaymentOffers, fetchAllPaymentOffers, wire } from '../../domain/promotion/fetch-payment-offers.ts'
import { dateInIndia } from '../../engine/clock.ts'
import type { Edge } from '../../flows/edge.ts'
import { replyBody, versionOf } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { tokenHash } from '../signin/sign-in-client.ts'
import { requestIdOf } from './request-id.ts'

type Route = EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof fetchAllPaymentOffers.codes)['success']>
const route: Route = {
  wire,
  async perform({ query, head, body, bodyText }, edge) {
    const { query: rows, clock, merchantKeys, promotions } = edge
    const now = clock.now()
    const credentials: Record<typeof head.tokenType, () => Promise<FetchAllPaymentOffers['credential']>> = {
      CHECKSUM: async () => ({
        tokenType: 'CHECKSUM',
        signature: await merchantKeys.check(body.mid, head.clientId, bodyText, head.token),
      }),
      SSO: async () => ({ tokenType: 'SSO', tokenHash: tokenHash(edge, 'ssoToken', head.token) }),
      ACCESS: async () => ({
        tokenType: 'ACCESS',
        referenceId: query['referenceId']!,
        tokenHash: tokenHash(edge, 'accessToken', head.token),
      }),
    }
    const credential = await credentials[head.tokenType]()
    return fetchAllPaymentOffers.answer(
      { request: body, credential, promotions: await promotions.on(body.mid, dateInIndia(now)), now },
      rows,
    )
  },
  render: (reply, asked, { clock }) => ({
    head: {
      ...(requestIdOf(asked) !== undefined && { requestId: requestIdOf(asked)! }),
      responseTimestamp: String(clock.now()),
      version: versionOf(asked),
    },
    body: replyBody(reply),
  }),
}

export const fetchAllPaymentOffersHandler = (edge: Edge) => envelopeHandler(route, edge)
