// How List Subscriptions crosses the wire: docs/interface.md section 4.2.

import { linkCustomer } from '../../domain/subscription/link-customer.ts'
import { listSubscriptions, reply, wire } from '../../domain/subscription/list-subscriptions.ts'
import { versionOf } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { listSubscriptions as codes } from '../../interface/result-codes.ts'
import { customerLinkKey } from '../../tables/keys.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { list } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { tokenHash } from '../signin/sign-in-client.ts'

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof listSubscriptions.codes)['success']> = {
  wire,
  signed: {},
  async perform({ head, body, signature }, ports) {
    const { engine, query, clock } = ports
    const { mid, custId } = body
    const now = clock.now()
    const ssoTokenHash = head.tokenType === 'SSO' ? tokenHash(ports, 'ssoToken', head.token) : undefined
    if (ssoTokenHash !== undefined && signature === 'valid' && !(await query.row(customerLinkKey(mid, custId))))
      await engine.submit(linkCustomer, { mid, custId, ssoTokenHash, now })
    return listSubscriptions.answer({ request: body, caller: { signature }, ssoTokenHash, now }, query)
  },
  render: ({ result, message, body }, asked, { clock }) => ({
    head: { version: versionOf(asked), timestamp: String(clock.now()) },
    body: { resultInfo: { status: result.status, code: result.code, message: message ?? result.message }, ...body },
  }),
}

export const operation: Descriptor = {
  name: 'listSubscriptions',
  section: '4.2',
  resource: 'subscription',
  method: 'POST',
  paths: ['/subscription/list/all'],
  codes,
  credentials: [['signature'], ['signature', 'ssoToken']],
  signs: { strict: true },
  wire,
  reply,
  form: list,
  answers: ['success', 'noContent'],
  sample: {
    head: { signature: '{signature}', tokenType: 'AES', token: '{ssoToken}' },
    body: { mid: sample.mid, custId: 'CUST_1' },
  },
  handler: ({ ports }) => envelopeHandler(route, ports),
}
