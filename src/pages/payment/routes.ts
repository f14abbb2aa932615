// The payment page's addresses: docs/pages.md, "Addresses". They give full documents, and take forms that lead back to them.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { authorizeKey, isInFlight } from '../../domain/transaction/transaction.ts'
import { inquireStatusNow } from '../../flows/pay.ts'
import { gatherBody } from '../../http/body.ts'
import { networkOf } from '../../http/networks.ts'
import { RateLimit } from '../../http/rate-limit.ts'
import { pagePaths } from '../../interface/page-paths.ts'
import { isHttpUrl } from '../../interface/url.ts'
import { merchantKey } from '../../tables/keys.ts'
import { look } from '../../tables/tables.ts'
import { addAssets } from '../kit/assets.ts'
import { leadTo, privately } from '../kit/document.ts'
import { answerByPages, comesBack } from '../kit/error-page.ts'
import { type Form, takeForms } from '../kit/forms.ts'
import { languageOf } from '../kit/messages/messages.ts'
import { PageError } from '../kit/page-error.ts'
import { type AddedParts, browserOf, type PageParts, textIn } from '../kit/page-parts.ts'
import { shopViewIn } from '../loader/shop-view.ts'
import { actions, press, toPage, underWay } from './actions.ts'
import { foundFor } from './found/found.ts'
import { framersOf, open, pageStateOf, pageVersionOf, returnedTo } from './found/page-state.ts'
import { renderPage } from './render.ts'
import { upiState } from './upi-state.ts'
import { pageMessageIn } from './view/asked.ts'
import type { ActionName } from './view/page-actions.ts'
import { priceOf } from './view/price.ts'

const ASKS_PER_MINUTE = 10 // docs/interface.md section 8 (Mohur): of one transaction
const CODES_PER_MINUTE = 3 // docs/interface.md section 8 (Mohur): of one transaction
const PRICES_PER_MINUTE = 60 // Mohur's choice: of one page, one a second
const REPORT_BYTES_MAX = 4 * 1024 // Mohur's choice: a report names a rule and an address

export function addPages(server: FastifyInstance, parts: AddedParts) {
  addAssets(server, parts.assets)
  addReports(server, parts)
  server.register(async (scope) => {
    takeForms(scope)
    answerByPages(scope, parts)
    addOpening(scope, parts)
    addPage(scope, parts)
  })
}

// ---------------------------------------------------------------------------------------------------------- opening

/** A form, or its fields in the query of a GET. A valid token opens a page, and the browser is sent to it. */
function addOpening(scope: FastifyInstance, parts: PageParts) {
  scope.route({
    method: ['GET', 'POST'],
    url: pagePaths.showPaymentPage,
    handler: async (request, reply) => leadTo(reply, await openedBy(request, parts)),
  })
}

async function openedBy(request: FastifyRequest, parts: PageParts): Promise<string> {
  const { query, body } = request
  const given = (name: string) => textIn(body ?? {}, name) ?? textIn(query, name)
  const [mid, orderId, txnToken] = [given('mid'), given('orderId'), given('txnToken')]
  if (mid === undefined || orderId === undefined || txnToken === undefined)
    throw new PageError('wrong', { field: mid === undefined ? 'mid' : orderId === undefined ? 'orderId' : 'txnToken' })
  const differs = (name: string) =>
    textIn(query, name) !== undefined && textIn(body ?? {}, name) !== undefined && textIn(query, name) !== textIn(body, name)
  if (differs('mid') || differs('orderId')) throw new PageError('wrong')
  const language = languageOf(given('locale'))
  const opening = { mid, orderId, by: { txnToken }, browser: browserOf(request), ...(language !== undefined && { language }) }
  const origin = given('origin')
  if (origin === undefined) return open(parts, opening)
  // The page that holds the frame is not the shop's. The payer may still pay in a full window.
  if (!(await mayFrame(origin, mid, orderId, parts))) throw new PageError('framed', { page: await open(parts, opening) })
  const shop = shopViewIn(given('view'))
  return open(parts, { ...opening, embeddingOrigin: origin, ...(shop && { shop }) })
}

/** True for an origin as browsers write it, if `framersOf` admits it. In production that is an origin of the shop. */
async function mayFrame(origin: string, mid: string, orderId: string, { ports, isSandbox }: PageParts): Promise<boolean> {
  if (!isHttpUrl(origin) || new URL(origin).origin !== origin) return false
  const [merchant, order] = await Promise.all([ports.query.row(merchantKey(mid)), ports.query.row(look('orders', mid, orderId))])
  if (!merchant || !order) return true // `open` will answer that there is no such page
  const framers = framersOf(merchant, order, isSandbox)
  return framers.includes('*') || framers.includes(origin)
}

// ---------------------------------------------------------------------------------------------------------- the page

function addPage(scope: FastifyInstance, parts: PageParts) {
  const asks = new RateLimit(ASKS_PER_MINUTE, parts.ports.clock)
  const codes = new RateLimit(CODES_PER_MINUTE, parts.ports.clock)
  const signIns = new RateLimit(parts.signIn.settings.ceilingPerMinute, parts.ports.clock)
  const seenIn = (request: FastifyRequest) => pageStateOf(parts.ports, (request.params as { id: string }).id, browserOf(request))

  scope.get('/pay/:id', async (request, reply) => {
    const { query } = request
    const seen = await seenIn(request)
    const asked = {
      message: pageMessageIn(textIn(query, 'message')),
      leaves: textIn(query, 'leave') === '1',
      isToShop: textIn(query, 'to') === 'shop',
      emi: textIn(query, 'emi'),
      open: textIn(query, 'open'),
    }
    return renderPage(reply.code(seen.stage === 'over' ? 410 : 200), parts, seen, asked)
  })
  scope.get('/pay/:id/state', async (request, reply) => {
    const seen = await seenIn(request)
    const upi = textIn(request.query, 'draw') === 'upi' ? await upiState(await foundFor(parts, seen, {}), parts) : undefined
    const state = { version: pageVersionOf(seen), until: seen.page.until, now: seen.now, upi }
    return privately(reply).header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(state))
  })
  const prices = new RateLimit(PRICES_PER_MINUTE, parts.ports.clock)
  scope.post('/pay/:id/price', async (request, reply) => {
    const seen = await seenIn(request)
    prices.take(seen.page.pageHash)
    const form = (request.body ?? {}) as Form
    const price = priceOf(form, await foundFor(parts, seen, { form }))
    return privately(reply)
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify(price ?? {}))
  })
  comesBack(scope, '/pay/:id/return', async (request, reply) => {
    const pageId = returnedTo(parts.ports, (request.params as { id: string }).id)
    const seen = await pageStateOf(parts.ports, pageId, browserOf(request))
    const paid = underWay(seen)
    if (!paid) return toPage(reply, seen)
    const asked = asks.admits(authorizeKey(paid.transaction)) ? await inquireStatusNow(parts.ports, paid) : paid
    // A payment that has not ended must not send the browser to the bank a second time by itself.
    return toPage(reply, seen, isInFlight(asked.transaction) ? '?message=checked' : '')
  })
  for (const name of Object.keys(actions) as ActionName[]) {
    scope.post(`/pay/:id/${name}`, async (request, reply) => {
      const network = networkOf(request.ip)
      if (name.startsWith('sign-in')) signIns.take(network)
      return press(name, { parts, seen: await seenIn(request), form: (request.body ?? {}) as Form, reply, network, asks, codes })
    })
    // An answer in place leaves the browser at this address. The script, and a browser that opens the address again, are redirected to the
    // page.
    scope.get(`/pay/:id/${name}`, async (request, reply) => toPage(reply, await seenIn(request)))
  }
}

// ------------------------------------------------------------------------------------------------------------ reports

/** Reports are counted and not kept: a report holds an address. */
function addReports(server: FastifyInstance, { reported }: Pick<AddedParts, 'reported'>) {
  server.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', gatherBody)
    scope.post('/pay/report', { bodyLimit: REPORT_BYTES_MAX }, (_request, reply: FastifyReply) => {
      reported()
      return reply.code(204).send()
    })
  })
}
