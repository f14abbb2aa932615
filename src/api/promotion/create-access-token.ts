// How Create Access Token crosses the wire: docs/interface.md section 4.8.

import { createAccessToken, reply, wire } from '../../domain/promotion/create-access-token.ts'
import { replyBody, versionOf } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import { createAccessToken as codes } from '../../interface/result-codes.ts'
import { respelled } from '../kit/as-sent.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { unsigned } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { ssoTokenHashOf } from '../signin/sign-in-client.ts'

const ACCESS_TOKEN_BYTES = 32

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof createAccessToken.codes)['success']> = {
  wire,
  async perform({ head, body, bodyText }, ports) {
    const { engine, clock, fresh, vault, merchantKeys } = ports
    const accessToken = fresh.text(ACCESS_TOKEN_BYTES)
    return engine.submit(createAccessToken, {
      request: body,
      caller: { signature: await merchantKeys.check(body.mid, head.clientId, bodyText, head.token) },
      ssoTokenHash: ssoTokenHashOf(ports, body.svcSsoToken),
      now: clock.now(),
      fresh: { accessToken, tokenHash: vault.hash('accessToken', accessToken) },
    })
  },
  render: (reply, asked, { clock }) => ({
    head: { responseTimestamp: String(clock.now()), version: versionOf(asked) },
    body: replyBody(reply),
  }),
}

export const operation: Descriptor = {
  name: 'createAccessToken',
  section: '4.8',
  resource: 'promotion',
  method: 'POST',
  paths: ['/theia/api/v1/token/create'],
  writes: true,
  codes,
  credentials: [['checksum']],
  signs: { strict: true, passesOver: ['userInfo', 'requestType'] },
  wire,
  asSent: (sent) => respelled(sent, 'svcSsoToken'),
  reply,
  form: unsigned,
  sample: {
    query: { mid: sample.mid, referenceId: '{referenceId}' },
    head: sample.checksum,
    body: { mid: sample.mid, referenceId: '{referenceId}' },
  },
  handler: ({ ports }) => envelopeHandler(route, ports),
}
