// How List Subscriptions crosses the wire: docs/interface.md section 4.2.

import { linkCustomer } from '../../domain/subscription/link-customer.ts'
import { listSubscriptions, wire } from '../../domain/subscription/list-subscriptions.ts'
import type { Edge } from '../../flows/edge.ts'
import { versionOf } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { customerLinkKey } from '../../tables/keys.ts'
import { tokenHash } from '../signin/sign-in-client.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof listSubscriptions.codes)['success']> = {
  wire,
  signed: {},
  async perform({ head, body, signature }, edge) {
    const { engine, query, clock } = edge
    const { mid, custId } = body
    const now = clock.now()
    const ssoTokenHash = head.tokenType === 'SSO' ? tokenHash(edge, 'ssoToken', head.token) : undefined
    if (ssoTokenHash !== undefined && signature === 'valid' && !(await query.row(customerLinkKey(mid, custId))))
      await engine.submit(linkCustomer, { mid, custId, ssoTokenHash, now })
    return listSubscriptions.answer({ request: body, caller: { signature }, ssoTokenHash, now }, query)
  },
  render: ({ result, message, body }, asked, { clock }) => ({
    head: { version: versionOf(asked), timestamp: String(clock.now()) },
    body: { resultInfo: { status: result.status, code: result.code, message: message ?? result.message }, ...body },
  }),
}

export const listSubscriptionsHandler = (edge: Edge) => envelopeHandler(route, edge)
