// Where the bank's page sends the payer's browser: the acquirer is asked how it ended, and the browser carries the answer to
// the merchant's callbackUrl (docs/interface.md section 6). What the browser brings is believed in nothing.

import type { FastifyInstance } from 'fastify'
import { gatherBody } from '../http/body.ts'
import { Ceiling } from '../http/ceiling.ts'
import type { Edge } from '../http/edge.ts'
import { hiddenForm, sendPage } from '../http/page.ts'
import { formats } from '../interface/fields.ts'
import { look, merchantKey } from '../tables.ts'
import { authorizeKey, isInFlight, payeeOf } from '../transaction/transaction.ts'
import { callbackFields } from './callback.ts'
import { askNow, type Paid } from './paying.ts'

const ID_FORM = /^[A-Za-z0-9_-]{1,64}$/
const ASKS_PER_MINUTE = 10 // docs/interface.md section 8 (Mohur): of one transaction; whoever comes more often is told what is known

export function addReturnPage(server: FastifyInstance, edge: Edge) {
  const asks = new Ceiling(ASKS_PER_MINUTE, edge.clock)
  server.register(async (scope) => {
    // Some banks post, some redirect; whatever they send along is not read.
    scope.addContentTypeParser('application/x-www-form-urlencoded', (request, payload, done) =>
      gatherBody(request, payload, (error) => done(error)),
    )
    scope.route<{ Querystring: { mid?: unknown; txnId?: unknown } }>({
      method: ['GET', 'POST'],
      url: '/transaction/return',
      async handler({ query: { mid, txnId } }, reply) {
        if (typeof mid !== 'string' || typeof txnId !== 'string' || !ID_FORM.test(mid) || !ID_FORM.test(txnId)) return unknown(reply)
        const found = await find(edge, mid, txnId)
        if (!found) return unknown(reply)
        const paid = isInFlight(found.transaction) && asks.admits(authorizeKey(found.transaction)) ? await askNow(edge, found) : found
        const { callbackUrl } = paid.order
        if (callbackUrl === null) return sendPage(reply, 'Thank you', '<p>You may close this page.</p>')
        const fields = await callbackFields(paid, edge)
        return sendPage(reply, 'Back to the shop', hiddenForm(callbackUrl, fields, 'Continue'), {
          submits: true,
          formAction: formats.callbackUrl(callbackUrl) ? `${new URL(callbackUrl).origin} https:` : 'https:',
        })
      },
    })
  })
}

const unknown = (reply: Parameters<typeof sendPage>[0]) => sendPage(reply.code(404), 'Not found', '<p>There is no such payment.</p>')

async function find({ query }: Edge, mid: string, txnId: string): Promise<Paid | undefined> {
  const [transaction, merchant] = await Promise.all([query.row(look('transactions', mid, txnId)), query.row(merchantKey(mid))])
  const order = transaction && (await query.row(look('orders', mid, transaction.orderId)))
  return transaction && order && merchant && { transaction, order, payee: payeeOf(merchant) }
}
