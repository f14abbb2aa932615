// The bank's page sends the browser here after a payment by the API. The service asks the acquirer for the result, and the browser carries
// it to the merchant's callbackUrl (docs/interface.md section 6). Nothing that the browser brings is believed.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { callbackFields } from '../../api/transaction/callback-form.ts'
import { authorizeKey, isInFlight, payeeOf } from '../../domain/transaction/transaction.ts'
import { inquireStatusNow, type Paid } from '../../flows/pay.ts'
import type { Ports } from '../../flows/ports.ts'
import { RateLimit } from '../../http/rate-limit.ts'
import { merchantKey, subscriptionKey } from '../../tables/keys.ts'
import { look, type Row } from '../../tables/tables.ts'
import { html, type Part } from '../html.ts'
import { sendSheet } from '../kit/document.ts'
import { answerByPages, comesBack } from '../kit/error-page.ts'
import { hiddenForm } from '../kit/fields.ts'
import { icons } from '../kit/icons.ts'
import { alone } from '../kit/layout.ts'
import { accepted, type Language, languages } from '../kit/messages/messages.ts'
import { PageError } from '../kit/page-error.ts'
import { type AddedParts, browserOf, type PageParts, transactionIn } from '../kit/page-parts.ts'
import { endIcon, endSays, receiptPart } from './draw/end.ts'
import { keptBy, receiptOf } from './view/end.ts'
import { originOf } from './view/view-of.ts'
import { payingBy, waitingFor, whyFailed } from './view/why-failed.ts'

const ASKS_PER_MINUTE = 10 // docs/interface.md section 8 (Mohur): for one transaction; beyond the limit the page shows the known state

interface Returned extends Paid {
  merchant: Row<'merchants'>
}

export function addReturnPage(server: FastifyInstance, parts: AddedParts) {
  const { ports } = parts
  const asks = new RateLimit(ASKS_PER_MINUTE, ports.clock)
  server.register(async (scope) => {
    answerByPages(scope, parts)
    comesBack(scope, '/transaction/return', async (request, reply) => {
      const found = await find(ports, request)
      const isAsked = isInFlight(found.transaction) && asks.admits(authorizeKey(found.transaction))
      const known = isAsked ? { ...found, ...(await inquireStatusNow(ports, found)) } : found
      return show(request, reply, await withSpokesman(ports, known), parts)
    })
  })
}

async function find({ query }: Ports, request: FastifyRequest): Promise<Returned> {
  const { mid, txnId } = transactionIn(request)
  const [transaction, merchant] = await Promise.all([query.row(look('transactions', mid, txnId)), query.row(merchantKey(mid))])
  const order = transaction && (await query.row(look('orders', mid, transaction.orderId)))
  if (!order || !merchant) throw new PageError('unknown')
  return { transaction, order, merchant, payee: payeeOf(merchant) }
}

/**
 * A failed attempt gives way to a later attempt that has paid, or may still pay. The shop takes the signed fields for the order's result.
 */
async function withSpokesman({ query }: Ports, returned: Returned): Promise<Returned> {
  const { order, transaction } = returned
  if (transaction.status !== 'FAILURE' || order.txnId === null || order.txnId === transaction.txnId) return returned
  const latest = await query.row(look('transactions', order.mid, order.txnId))
  return latest && latest.status !== 'FAILURE' ? { ...returned, transaction: latest } : returned
}

/**
 * Shows the attempt's state, and a form to the shop that sends itself. Without a callbackUrl, shows only the details that the payer can
 * keep.
 */
async function show(request: FastifyRequest, reply: FastifyReply, paid: Returned, parts: PageParts) {
  const { order, merchant } = paid
  const { callbackUrl } = order
  const language = accepted(browserOf(request).languages, merchant)
  const { texts } = languages[language]
  const { query } = parts.ports
  const subscription = order.subscriptionId === null ? undefined : await query.row(subscriptionKey(order.mid, order.subscriptionId))
  const { title, icon, says } = standing({ ...paid, subscription }, language)
  const onward =
    callbackUrl !== null &&
    html`<p class="quiet" data-going hidden>${texts.result.goes}</p>${hiddenForm(callbackUrl, await callbackFields(paid, parts.ports), texts.result.toShop(merchant.name), { goes: true })}`
  return sendSheet(reply, parts.assets, {
    language,
    title: `${title} · ${merchant.name}`,
    body: alone(title, icon, says, onward),
    ...(callbackUrl !== null && { formAction: originOf(callbackUrl, parts) }),
  })
}

function standing(
  { transaction, ...of }: Returned & { subscription: Row<'subscriptions'> | undefined },
  language: Language,
): { title: string; icon?: Part; says: Part } {
  const { texts } = languages[language]
  if (transaction.status === 'SUCCESS') {
    const kept = keptBy({ texts, ...of }, transaction)
    const receipt = receiptPart(receiptOf({ texts, language, order: of.order }, transaction))
    return { title: kept.heading, icon: endIcon(kept), says: html`${endSays(kept)}${receipt}` }
  }
  if (isInFlight(transaction)) {
    const says = html`<p class="notice wait">${waitingFor(texts, transaction)}</p>`
    return { title: texts.waiting.heading(payingBy(transaction)), says }
  }
  return { title: texts.notThrough(payingBy(transaction)), icon: icons.ended, says: html`<p>${whyFailed(texts, transaction)}</p>` }
}
