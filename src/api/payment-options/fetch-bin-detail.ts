// How Fetch BIN Detail crosses the wire: docs/interface.md section 4.31.

import { fetchBinDetail, reply, wire } from '../../domain/payment-options/fetch-bin-detail.ts'
import { type EnvelopeRoute, envelopeHandler } from '../../http/route.ts'
import type { Json } from '../../interface/envelope.ts'
import { fetchBinDetail as codes } from '../../interface/result-codes.ts'
import { BIN_DIGITS } from '../../reference/reference.ts'
import { edited } from '../kit/as-sent.ts'
import type { Descriptor } from '../kit/descriptor.ts'
import { unsigned } from '../kit/forms.ts'
import * as sample from '../kit/sample.ts'
import { byTxnToken, credentialOf, type Root, renderPageCall } from './page-call.ts'

/** Runs before anything is validated, logged or handed on, because a fault holds the wrong value. */
function byBin(root: Root): Root {
  const { head, body } = byTxnToken(root)
  return body['bin'] === undefined ? { head, body } : { head, body: { ...body, bin: cut(body['bin']) } }
}

/** Cuts a whole card number to the digits that name its issuer. A value of any other form becomes a fixed text. */
function cut(bin: Json): Json {
  const digits = typeof bin === 'number' ? String(bin) : bin
  return typeof digits === 'string' && /^[0-9]{6,19}$/.test(digits) ? digits.slice(0, BIN_DIGITS) : 'not a card number'
}

const route: EnvelopeRoute<typeof wire.head, typeof wire.body, (typeof fetchBinDetail.codes)['success']> = {
  wire,
  translate: byBin,
  perform({ query, head, body }, ports) {
    const credential = credentialOf(head, query, ports)
    const { reference, clock } = ports
    return fetchBinDetail.answer({ mid: query['mid']!, request: body, credential, reference, now: clock.now() }, ports.query)
  },
  render: renderPageCall,
}

export const operation: Descriptor = {
  name: 'fetchBinDetail',
  section: '4.31',
  resource: 'payment-options',
  method: 'POST',
  paths: ['/theia/api/v1/fetchBinDetail', '/fetchBinDetail'],
  browser: true,
  codes,
  credentials: [['txnToken'], ['accessToken']],
  wire,
  asSent: (sent) => edited(sent, { bin: (bin) => ({ anyOf: [{ ...bin, pattern: '^[0-9]{6,19}$' }, { type: 'integer' }] }) }),
  reply,
  form: unsigned,
  sample: { ...sample.byToken, body: { bin: '41111111' } },
  handler: ({ ports }) => envelopeHandler(route, ports),
}
