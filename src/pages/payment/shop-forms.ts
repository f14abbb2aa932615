// The other addresses to which shops' own forms and clients send a payer: docs/pages.md, "Forms of shops". Each opens the page, or pays
// with the fields it gets and shows the result on the page.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ByForm, orderByForm, type ReadForm, readOrderForm } from '../../api/older-clients/order-by-form.ts'
import { isFieldName } from '../../api/older-clients/order-form.ts'
import { callbackFields, isCallback } from '../../api/transaction/callback-form.ts'
import { flatPayment } from '../../api/transaction/flat-payment.ts'
import { countingCodes } from '../../api/transaction/process-transaction.ts'
import { mayOpen } from '../../domain/payment-page/page.ts'
import { bankFormOf, isInFlight, payablePaise } from '../../domain/transaction/transaction.ts'
import { type Paid, pay } from '../../flows/pay.ts'
import { joinedValues } from '../../interface/checksum.ts'
import { toPaise } from '../../interface/money.ts'
import { pagePaths } from '../../interface/page-paths.ts'
import { look } from '../../tables/tables.ts'
import { html } from '../html.ts'
import { formatRupees } from '../kit/amounts.ts'
import { leadTo, sendSheet } from '../kit/document.ts'
import { answerByPages } from '../kit/error-page.ts'
import { hiddenForm } from '../kit/fields.ts'
import { type Form, formInQuery, takeForms } from '../kit/forms.ts'
import { alone, shopOf } from '../kit/layout.ts'
import { accepted, type Catalogue, languages } from '../kit/messages/messages.ts'
import { PageError } from '../kit/page-error.ts'
import { type AddedParts, browserOf, type PageParts, textIn } from '../kit/page-parts.ts'
import { type Opening, open, returnAddressOf } from './found/page-state.ts'
import { payingIn } from './view/total.ts'
import { originOf } from './view/view-of.ts'

export function addShopForms(server: FastifyInstance, parts: AddedParts) {
  server.register(async (scope) => {
    takeForms(scope)
    answerByPages(scope, parts)
    for (const url of [pagePaths.orderPay, pagePaths.upiPollPage])
      scope.get(url, async (_request, reply) => {
        void reply.header('allow', 'POST')
        throw new PageError('method')
      })
    for (const url of pagePaths.orderForms) {
      scope.post(url, async (request, reply) => leadTo(reply, await openedByForm(request, parts)))
      scope.get(url, async (request, reply) => showForm(request, reply, parts))
    }
    scope.post(pagePaths.upiPollPage, async (request, reply) => {
      return leadTo(reply, await open(parts, openingOf(request)))
    })
    scope.post(pagePaths.orderPay, async (request, reply) => payOnPage(request, reply, parts))
    // The same path takes JSON. The content type decides which of the two is meant.
    scope.post(pagePaths.payByForm, { constraints: { form: true } }, async (request, reply) => payAndGo(request, reply, parts))
    scope.route({ method: ['GET', 'POST'], url: pagePaths.callbackPage, handler: (request, reply) => callbackPage(request, reply, parts) })
  })
}

const formOf = ({ body }: FastifyRequest): Form => (body ?? {}) as Form

// ------------------------------------------------------------------------------------------- a form that makes the order

async function openedByForm(request: FastifyRequest, parts: PageParts): Promise<string> {
  const form = formOf(request)
  const named = textIn(request.query, 'ORDER_ID')
  if (named !== undefined && named !== form['ORDER_ID']) throw new PageError('wrong', { field: 'ORDER_ID' })
  const made = await orderByForm(parts.ports, form)
  if (!('formHash' in made)) throw await refusalOf(made, form, parts)
  const { mid, orderId, formHash } = made
  return open(parts, { mid, orderId, by: { formHash }, browser: browserOf(request) })
}

async function refusalOf(made: Exclude<ByForm, { formHash: string }>, form: Form, { ports }: PageParts): Promise<PageError> {
  if ('wrong' in made) return new PageError('wrong', { field: made.wrong, ...(asksToSubscribe(form) && { hint: 'subscribe' }) })
  const { mid, orderId } = made.taken
  return new PageError('taken', { callbackUrl: (await ports.query.row(look('orders', mid, orderId)))?.callbackUrl ?? null })
}

/** Older kits had a form to subscribe. Its checksum would sign a monthly amount without a name. */
const asksToSubscribe = (form: Form) => form['REQUEST_TYPE'] === 'SUBSCRIBE'

// ------------------------------------------------------------------------------------------------- the same, in an address

/** For a shop that redirects its payer: a page that posts the fields that the shop has signed. The GET itself writes nothing. */
async function showForm(request: FastifyRequest, reply: FastifyReply, parts: PageParts) {
  const form = formOfLink(request)
  const read = await readOrderForm(parts.ports, form)
  if ('wrong' in read && !isFieldName(read.wrong)) throw new PageError('wrong')
  if (!('signed' in read)) throw await refusalOf(read, form, parts)
  const { merchant, order, signed } = read
  if (order && !mayOpen(order, parts.ports.clock.now())) throw new PageError('over', { callbackUrl: order.callbackUrl })
  const language = accepted(browserOf(request).languages, merchant)
  const { texts } = languages[language]
  const title = await headingOf(read, texts, parts)
  const post = hiddenForm(request.routeOptions.url!, signed, texts.onward, { goes: !looksAhead(request) })
  const body = alone(title, shopOf(merchant, texts.order, read.request.orderId), post)
  return sendSheet(reply, parts.assets, { language, title, body })
}

/** Anyone can send a link. The link's page names a field only when some known form has a field of that name. */
function formOfLink(request: FastifyRequest): Form {
  try {
    return asBrowsersPost(formInQuery(request))
  } catch (error) {
    const fault = error instanceof PageError ? error.fault : undefined
    throw fault && 'name' in fault && !isFieldName(fault.name) ? new PageError('form') : error
  }
}

/** A browser writes each line break as CRLF. So the page is shown only if its post will be taken. */
const asBrowsersPost = (form: Form): Form =>
  Object.fromEntries(Object.entries(form).map(([name, value]) => [name, value.replace(/\r\n?|\n/g, '\r\n')]))

/** True when the browser loads the page before its payer asks for it. The browser may then run the script too. */
const looksAhead = ({ headers }: FastifyRequest): boolean => headers['sec-purpose'] !== undefined || headers['purpose'] !== undefined

/** The heading of the page behind the form. An offer may have changed the order's amount. */
async function headingOf({ merchant, order, request }: ReadForm, { title, result }: Catalogue, { ports }: PageParts): Promise<string> {
  if (!order) return title(formatRupees(toPaise(request.txnAmount.value)), merchant.name)
  if (order.status === 'CLOSED') return result.closed
  const latest = order.txnId === null ? undefined : await ports.query.row(look('transactions', order.mid, order.txnId))
  const paying = payingIn({ order, latest })
  const amount = formatRupees(paying ? payablePaise(paying) : order.amountPaise)
  return order.status === 'PAID' ? result.paid(amount) : title(amount, merchant.name)
}

// ----------------------------------------------------------------------------------------------- a form that brings a token

/** The query and the form must agree on mid and orderId, when both have them. */
function byToken({ query, body }: FastifyRequest): { mid: string; orderId: string; txnToken: string } {
  const given = (name: string) => {
    const [inForm, inQuery] = [textIn(body ?? {}, name), textIn(query, name)]
    if (inForm !== undefined && inQuery !== undefined && inForm !== inQuery) throw new PageError('wrong', { field: name })
    return inForm ?? inQuery
  }
  const [mid, orderId, txnToken] = [given('mid'), given('orderId'), textIn(body ?? {}, 'txnToken')]
  const missing = mid === undefined ? 'mid' : orderId === undefined ? 'orderId' : 'txnToken'
  if (mid === undefined || orderId === undefined || txnToken === undefined) throw new PageError('wrong', { field: missing })
  return { mid, orderId, txnToken }
}

const openingOf = (request: FastifyRequest): Opening & { by: { txnToken: string } } => {
  const { mid, orderId, txnToken } = byToken(request)
  return { mid, orderId, by: { txnToken }, browser: browserOf(request) }
}

/** Pays at once with the posted fields. The page asks for fields that are missing, wrong or refused, and shows the current state. */
async function payOnPage(request: FastifyRequest, reply: FastifyReply, parts: PageParts) {
  const { ports } = parts
  const opening = openingOf(request)
  const form = formOf(request)
  // The payment page can ask for a card's one-time password itself.
  const isOurs = form['cardInfo'] !== undefined && form['authMode'] === undefined && form['AUTH_MODE'] === undefined
  const payment = flatPayment(isOurs ? { ...form, authMode: 'otp' } : form, opening, ports.clock.now())
  const by = { txnTokenHash: ports.vault.hash('txnToken', opening.by.txnToken) }
  const { address } = await countingCodes(parts.promocodes, { promoCode: payment?.request.promoCode, ...by }, async () => {
    const address = await open(parts, opening)
    const returnUrl = `${ports.publicUrl()}${returnAddressOf(ports, address)}`
    const tried = payment && (await pay(ports, { ...payment, by, returnUrl, userAgent: opening.browser.agent }))
    return { address, ...(tried && 'refusal' in tried && { refusal: tried.refusal }) }
  })
  return leadTo(reply, address)
}

/**
 * Pays for a page of the shop's own. The browser goes on to the bank, or to the shop with the result. Otherwise it goes to the payment
 * page.
 */
async function payAndGo(request: FastifyRequest, reply: FastifyReply, parts: PageParts) {
  const { ports } = parts
  const opening = openingOf(request)
  const payment = flatPayment(formOf(request), opening, ports.clock.now())
  const by = { txnTokenHash: ports.vault.hash('txnToken', opening.by.txnToken) }
  const { promoCode } = payment?.request ?? {}
  const tried =
    payment &&
    (await countingCodes(parts.promocodes, { promoCode, ...by }, () => pay(ports, { ...payment, by, userAgent: opening.browser.agent })))
  const next = tried && 'paid' in tried ? await nextOf(tried.paid, parts) : undefined
  if (!next) return leadTo(reply, await open(parts, opening))
  const language = accepted(opening.browser.languages)
  const { onward: goOn } = languages[language].texts
  const { action, fields, formAction } = next
  const body = alone(goOn, hiddenForm(action, fields, goOn, { goes: true, isTop: true }))
  return sendSheet(reply, parts.assets, { language, title: goOn, body, formAction })
}

interface Onward {
  action: string
  fields: Readonly<Record<string, string>>
  formAction: readonly string[]
}
async function nextOf(paid: Paid, parts: PageParts): Promise<Onward | undefined> {
  const { transaction, order } = paid
  if (!isInFlight(transaction)) {
    const { callbackUrl } = order
    if (callbackUrl === null) return undefined
    return { action: callbackUrl, fields: await callbackFields(paid, parts.ports), formAction: originOf(callbackUrl, parts) }
  }
  const { next } = transaction
  if (next?.kind !== 'bankForm' || !/^https?:\/\//.test(next.actionUrl)) return undefined
  const { actionUrl, content } = bankFormOf(next, transaction, parts.ports.publicUrl())
  return { action: actionUrl, fields: content, formAction: originOf(next.actionUrl, parts) }
}

// --------------------------------------------------------------------------------------------- an app's callback address

/** For apps that have no server to come back to: their web view reads the signed fields from this page. */
async function callbackPage(request: FastifyRequest, reply: FastifyReply, parts: PageParts) {
  const language = accepted(browserOf(request).languages)
  const { appCallback } = languages[language].texts
  const fields = formOf(request)
  const named = textIn(request.query, 'ORDER_ID')
  const isOurs = request.method === 'POST' && isCallback(fields) && (named === undefined || named === fields['ORDERID'])
  const isSigned = isOurs && (await parts.ports.merchantKeys.holds(fields['MID']!, joinedValues(fields), fields['CHECKSUMHASH']))
  const response = isSigned && html`<input type="hidden" id="response" value="${JSON.stringify(fields)}">`
  const { title, about } = appCallback
  return sendSheet(reply, parts.assets, { language, title, body: alone(title, html`<p>${about}</p>`, response) })
}
