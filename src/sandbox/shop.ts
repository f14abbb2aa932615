// A shop to try out: one product, paid in an overlay by the browser loader or on the payment page (docs/sandbox.md). It is a merchant like any
// other: it signs its orders with its key, asks the operations of the interface, and believes a callback by its checksum alone.

import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Edge } from '../flows/edge.ts'
import { joinedValues } from '../interface/checksum.ts'
import { toRupees } from '../interface/money.ts'
import { operations, pagePaths } from '../interface/operations.ts'
import { html, type Part } from '../pages/html.ts'
import { browserFile, shortScript } from '../pages/kit/assets.ts'
import { privately } from '../pages/kit/document.ts'
import { hiddenForm } from '../pages/kit/fields.ts'
import { type Form, takeForms } from '../pages/kit/forms.ts'
import { rowsOf } from '../pages/kit/layout.ts'
import { PageError } from '../pages/kit/page-error.ts'
import type { Shell } from './shell.ts'
import { demoWorld } from './world.ts'

const PRODUCT = { name: 'Filter coffee, 500 g', paise: 499_00 }
const { mid: MID } = demoWorld.merchants![0]!
const SHOP = '/sandbox/shop'

export interface ShopParts {
  edge: Edge
  shell: Shell
}

interface Ordered {
  orderId: string
  txnToken: string
}

export function addShop(server: FastifyInstance, parts: ShopParts) {
  const { shell } = parts
  const script = shortScript(browserFile('shop.js'))
  server.register(async (scope) => {
    takeForms(scope)
    shell.answerHere(scope)
    scope.get(SHOP, (_request, reply) => shopWindow(reply, parts))
    scope.get(`${SHOP}/shop.js`, (_request, reply) =>
      reply.header('content-type', 'text/javascript; charset=utf-8').header('cache-control', 'no-store').send(script),
    )
    scope.post(`${SHOP}/orders`, async (request, reply) => {
      const order = await createOrder(server, parts)
      // The page's own script asks for what the loader needs; a form goes on to the payment page.
      if ((request.body as Form | undefined)?.['by'] === 'loader')
        return privately(reply).send({ ...order, amount: toRupees(PRODUCT.paise) })
      const onward = hiddenForm(pagePaths.showPaymentPage, { mid: MID, ...order }, 'Go on', { goes: true })
      return shell.send(reply, 'To the payment page', onward)
    })
    scope.post<Of>(`${SHOP}/orders/:orderId`, async (request, reply) => {
      const { CHECKSUMHASH, ...fields } = (request.body ?? {}) as Record<string, string>
      const isOfOrder = fields['ORDERID'] === request.params.orderId
      const signature = await parts.edge.merchantKeys.check(MID, undefined, joinedValues(fields), CHECKSUMHASH)
      const brought = isOfOrder && signature === 'valid' ? 'verified' : 'refused'
      return privately(reply).redirect(`${SHOP}/orders/${request.params.orderId}?brought=${brought}`, 303)
    })
    scope.get<Of>(`${SHOP}/orders/:orderId`, async (request, reply) => {
      const { orderId } = request.params
      return orderPage(reply, orderId, await askStatus(server, parts, orderId), request.query['brought'], parts)
    })
  })
}
interface Of {
  Params: { orderId: string }
  Querystring: Readonly<Record<string, unknown>>
}

// ------------------------------------------------------------------------------------------------- as any shop's server

/** Signed with the merchant's key, and sent through the same door as any shop's request. */
async function ask(server: FastifyInstance, { edge }: ShopParts, path: string, body: object): Promise<Readonly<Record<string, unknown>>> {
  const text = JSON.stringify(body)
  const signed = await edge.merchantKeys.sign(MID, undefined, text)
  if (!signed) throw new PageError('unknown') // a world of the operator's own has no demo merchant
  const payload = `{"head":{"clientId":${JSON.stringify(signed.clientId)},"signature":${JSON.stringify(signed.signature)}},"body":${text}}`
  const answer = await server.inject({ method: 'POST', url: path, headers: { 'content-type': 'application/json' }, payload })
  return answer.json<{ body?: Record<string, unknown> }>().body ?? {}
}

async function createOrder(server: FastifyInstance, parts: ShopParts): Promise<Ordered> {
  const { edge } = parts
  const orderId = `SHOP${edge.fresh.hex(8)}`
  const { txnToken } = await ask(server, parts, `${operations.createOrder.paths[0]}?mid=${MID}&orderId=${orderId}`, {
    ...{ requestType: 'PAYMENT', mid: MID, orderId, websiteName: 'DEFAULT', userInfo: { custId: 'DEMO_CUSTOMER' } },
    ...{ txnAmount: { value: toRupees(PRODUCT.paise), currency: 'INR' }, callbackUrl: `${edge.publicUrl()}${SHOP}/orders/${orderId}` },
  })
  if (typeof txnToken !== 'string') throw new PageError('system')
  return { orderId, txnToken }
}

const askStatus = (server: FastifyInstance, parts: ShopParts, orderId: string) =>
  ask(server, parts, operations.orderStatus.paths[0], { mid: MID, orderId })

// -------------------------------------------------------------------------------------------------------------- showing

const price = `₹${toRupees(PRODUCT.paise)}`

async function shopWindow(reply: FastifyReply, { edge, shell }: ShopParts) {
  if (!(await edge.merchantKeys.knows(MID))) throw new PageError('unknown')
  const scripts = html`<script src="${pagePaths.checkoutScript.replace(':mid', MID)}.js"></script><script type="module" src="${SHOP}/shop.js"></script>`
  const here = html`<form class="stack" method="post" action="${SHOP}/orders" data-shop hidden><button>Pay ${price} here</button></form><p role="status" data-said></p>`
  const there = html`<form class="stack" method="post" action="${SHOP}/orders"><button class="second">Pay ${price} on the payment page</button></form>`
  const about = html`<p>${PRODUCT.name}</p><p class="quiet">The shop signs the order with its key. The first button opens the payment page by the browser loader, the second sends the payer to it.</p>`
  return shell.send(reply, 'Demo shop', html`${about}${here}${there}${scripts}`, { holdsPages: true })
}

const BROUGHT: Readonly<Record<string, Part>> = {
  verified: html`<p class="notice good" role="status">The payer's browser brought a callback, and its checksum is right.</p>`,
  refused: html`<p class="notice bad" role="alert">The payer's browser brought fields that this shop's key has not signed.</p>`,
}

/** What the shop believes is what its server is told when it asks. */
function orderPage(
  reply: FastifyReply,
  orderId: string,
  status: Readonly<Record<string, unknown>>,
  brought: unknown,
  { shell }: ShopParts,
) {
  const { resultInfo = {}, txnId, txnAmount, paymentMode } = status as Record<string, string> & { resultInfo?: Record<string, string> }
  const { resultStatus = '', resultCode = '', resultMsg = '' } = resultInfo as Record<string, string>
  const rows = rowsOf([
    ['Order', html`<bdi>${orderId}</bdi>`],
    ['Order Status', `${resultStatus} (${resultCode}) ${resultMsg}`],
    ...(txnAmount ? [['Amount', `₹${txnAmount}`] as const] : []),
    ...(paymentMode ? [['Paid by', paymentMode] as const] : []),
    ...(txnId ? [['Transaction', html`<bdi>${txnId}</bdi>`] as const] : []),
  ])
  const said = typeof brought === 'string' && Object.hasOwn(BROUGHT, brought) && BROUGHT[brought]
  const title = resultStatus === 'TXN_SUCCESS' ? 'Thank you' : 'Your order'
  return shell.send(reply, title, html`${said}${rows}<p><a class="button second" href="${SHOP}">Back to the shop</a></p>`)
}
