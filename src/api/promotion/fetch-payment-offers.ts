// How Fetch All Payment Offers crosses the wire: docs/interface.md section 4.33.

import { type FetchAllPaymentOffers, fetchAllPaymentOffers, reply, wire } from '../../domain/promotion/fetch-payment-offers.ts'
import { dateInIndia } from '../../engine/clock.ts'
import { replyBody, versionOf } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { fetchAllPaymentOffers as codes } from '../../interface/result-codes.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { offers } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { tokenHash } from '../signin/sign-in-client.ts'
import { requestIdOf } from './request-id.ts'

type Route = EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof fetchAllPaymentOffers.codes)['success']>
const route: Route = {
  wire,
  async perform({ query, head, body, bodyText }, ports) {
    const { query: rows, clock, merchantKeys, promotions } = ports
    const now = clock.now()
    const credentials: Record<typeof head.tokenType, () => Promise<FetchAllPaymentOffers['credential']>> = {
      CHECKSUM: async () => ({
        tokenType: 'CHECKSUM',
        signature: await merchantKeys.check(body.mid, head.clientId, bodyText, head.token),
      }),
      SSO: async () => ({ tokenType: 'SSO', tokenHash: tokenHash(ports, 'ssoToken', head.token) }),
      ACCESS: async () => ({
        tokenType: 'ACCESS',
        referenceId: query['referenceId']!,
        tokenHash: tokenHash(ports, 'accessToken', head.token),
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

export const operation: Descriptor = {
  name: 'fetchAllPaymentOffers',
  section: '4.33',
  resource: 'promotion',
  method: 'POST',
  paths: ['/theia/api/v1/fetchAllPaymentOffers'],
  codes,
  credentials: [['checksum'], ['ssoToken'], ['accessToken']],
  signs: {},
  wire,
  reply,
  form: offers,
  sample: { query: { mid: sample.mid }, head: sample.checksum, body: { mid: sample.mid } },
  handler: ({ ports }) => envelopeHandler(route, ports),
}
