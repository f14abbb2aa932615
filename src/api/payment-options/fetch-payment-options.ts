// How the calls of a payment page that only read cross the wire: tokens become hashes, card numbers lose what nobody needs.

import { wire as binWire, fetchBinDetail } from '../../domain/payment-options/fetch-bin-detail.ts'
import { fetchPaymentOptions, wire as optionsWire } from '../../domain/payment-options/fetch-payment-options.ts'
import type { Credential } from '../../domain/payment-options/options-access.ts'
import { validateVpa, wire as vpaWire } from '../../domain/payment-options/validate-vpa.ts'
import { isInFlight } from '../../domain/transaction/transaction.ts'
import { wire as statusWire, transactionStatus } from '../../domain/transaction/transaction-status.ts'
import { dateInIndia } from '../../engine/clock.ts'
import type { Edge } from '../../flows/edge.ts'
import { RateLimit } from '../../http/rate-limit.ts'
import { replyBody, versionOf } from '../../http/render.ts'
import { type EnvelopeRoute, envelopeHandler, type Rendered } from '../../http/route.ts'
import type { Json, JsonObject } from '../../interface/envelope.ts'
import { BIN_DIGITS } from '../../reference/reference.ts'
import { withToken } from '../older-clients/payment-host.ts'
import { callbackFields } from '../transaction/callback-form.ts'

const STATUS_ASKS_PER_MINUTE = 60 // docs/interface.md section 8 (Mohur): of one token, in each process

type Root = { head: JsonObject; body: JsonObject }

const byTxnToken = ({ head, body }: Root): Root => ({ head: withToken(head), body })

/** Before anything is validated, logged or handed on: a fault keeps the value that it is about. */
function byBin(root: Root): Root {
  const { head, body } = byTxnToken(root)
  return body['bin'] === undefined ? { head, body } : { head, body: { ...body, bin: cut(body['bin']) } }
}

/** Digits of a whole card number are cut to those that say whose it is; what has another form leaves nothing behind. */
function cut(bin: Json): Json {
  const digits = typeof bin === 'number' ? String(bin) : bin
  return typeof digits === 'string' && /^[0-9]{6,19}$/.test(digits) ? digits.slice(0, BIN_DIGITS) : 'not a card number'
}

const credentialOf = (
  { tokenType, token }: { tokenType: 'TXN_TOKEN' | 'ACCESS'; token: string },
  query: Readonly<Record<string, string>>,
  { vault }: Edge,
): Credential =>
  tokenType === 'TXN_TOKEN'
    ? { tokenType, orderId: query['orderId']!, tokenHash: vault.hash('txnToken', token) }
    : { tokenType, referenceId: query['referenceId']!, tokenHash: vault.hash('accessToken', token) }

const render: EnvelopeRoute['render'] = (reply, asked, { clock }): Rendered => ({
  head: { responseTimestamp: String(clock.now()), version: versionOf(asked) },
  body: replyBody(reply),
})

const optionsRoute: EnvelopeRoute<typeof optionsWire.head, typeof optionsWire.body, (typeof fetchPaymentOptions.codes)['success']> = {
  wire: optionsWire,
  translate: byTxnToken,
  async perform({ query, head }, edge) {
    const now = edge.clock.now()
    const mid = query['mid']!
    const promotions = await edge.promotions.on(mid, dateInIndia(now))
    const credential = credentialOf(head, query, edge)
    return fetchPaymentOptions.answer({ mid, credential, promotions, reference: edge.reference, now }, edge.query)
  },
  render,
}

const binRoute: EnvelopeRoute<typeof binWire.head, typeof binWire.body, (typeof fetchBinDetail.codes)['success']> = {
  wire: binWire,
  translate: byBin,
  perform({ query, head, body }, edge) {
    const credential = credentialOf(head, query, edge)
    const { reference, clock } = edge
    return fetchBinDetail.answer({ mid: query['mid']!, request: body, credential, reference, now: clock.now() }, edge.query)
  },
  render,
}

const vpaRoute: EnvelopeRoute<typeof vpaWire.head, typeof vpaWire.body, (typeof validateVpa.codes)['success']> = {
  wire: vpaWire,
  translate: byTxnToken,
  perform({ query, head, body }, edge) {
    const credential = credentialOf(head, query, edge)
    const { reference, clock } = edge
    return validateVpa.answer({ mid: query['mid']!, request: body, credential, reference, now: clock.now() }, edge.query)
  },
  render,
}

type StatusRoute = EnvelopeRoute<typeof statusWire.head, typeof statusWire.body, (typeof transactionStatus.codes)['success']>

function statusRoute({ clock }: Edge): StatusRoute {
  const asks = new RateLimit(STATUS_ASKS_PER_MINUTE, clock)
  return {
    wire: statusWire,
    translate: byTxnToken,
    async perform({ head, body }, edge) {
      const txnTokenHash = edge.vault.hash('txnToken', head.token)
      asks.take(txnTokenHash)
      const found = await transactionStatus.answer({ request: body, txnTokenHash }, edge.query)
      if (!found.body) return found
      const { order, transaction, payee } = found.body
      const told = {
        ...(transaction && { txnInfo: await callbackFields({ order, transaction, payee }, edge) }),
        ...(order.callbackUrl && { callbackUrl: order.callbackUrl }),
        isPollingRequired: transaction !== undefined && isInFlight(transaction),
      }
      return { result: found.result, body: told }
    },
    render,
  }
}

export const paymentOptionsHandlers = (edge: Edge) => ({
  transactionStatus: envelopeHandler(statusRoute(edge), edge),
  fetchPaymentOptions: envelopeHandler(optionsRoute, edge),
  fetchBinDetail: envelopeHandler(binRoute, edge),
  validateVpa: envelopeHandler(vpaRoute, edge),
})
