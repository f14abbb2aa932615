// A shop to try out (docs/sandbox.md): a product, a subscription and a form kit's button. Each is paid on the payment page and shown as the
// shop saw it. The shop is a merchant like any other: it signs with its key, calls over HTTP, and believes only checksums.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { listNotifications } from '../flows/dead-letters.ts'
import { headerOf } from '../http/request-headers.ts'
import { toRupees } from '../interface/money.ts'
import { pagePaths } from '../interface/page-paths.ts'
import { browserFile, shortScript } from '../pages/kit/assets.ts'
import { privately } from '../pages/kit/document.ts'
import { hiddenForm } from '../pages/kit/fields.ts'
import { type Form, takeForms } from '../pages/kit/forms.ts'
import { PageError } from '../pages/kit/page-error.ts'
import type { Shell } from './shell.ts'
import { onward, orderTitle, orderView, type ShopOrder, shopWindow, statusOf } from './shop-pages.ts'
import {
  articleOf,
  articles,
  ask,
  isSigned,
  kitForm,
  newOrderId,
  orderIdIn,
  orderRequest,
  refundRequest,
  refundStatusRequest,
  SHOP,
  SHOP_MID,
  type ShopParts,
  shopAddress,
  statusRequest,
  subscriptionRequest,
} from './shop-server.ts'

const CALLBACK_KIB = 6 // Mohur's choice: the address with a callback's fields; a callback has some 700 bytes

export interface ShopRoutesParts extends ShopParts {
  shell: Shell
  /** Sends due notifications, so a page shows the notifications of the previous call. */
  runDue(): Promise<unknown>
}

export function addShop(server: FastifyInstance, parts: ShopRoutesParts) {
  const { shell } = parts
  const script = shortScript(browserFile('shop.js'))
  server.register(async (scope) => {
    takeForms(scope)
    shell.answerHere(scope)
    scope.get(SHOP, async (_request, reply) => shell.send(reply, 'Demo shop', shopWindow(await kitForm(parts)), { holdsPages: true }))
    scope.get(`${SHOP}/shop.js`, (_request, reply) =>
      reply.header('content-type', 'text/javascript; charset=utf-8').header('cache-control', 'no-store').send(script),
    )
    scope.post(`${SHOP}/orders`, (request, reply) => buy(request, reply, parts))
    scope.post(`${SHOP}/order`, (request, reply) => comesBack(request, reply, parts))
    scope.get(`${SHOP}/order`, (request, reply) => showOrder(request, reply, parts))
    scope.post(`${SHOP}/notification`, (request, reply) => takeNotification(request, reply, parts))
    scope.post(`${SHOP}/refund`, (request, reply) => giveBack(request, reply, parts))
    // The demo merchant's own callbackUrl: any order that comes back here has its page in the shop.
    scope.post(`${SHOP}/callback`, (request, reply) => toOrder(reply, orderIdIn(formOf(request)['ORDERID']), formOf(request)))
    scope.get(`${SHOP}/callback`, (_request, reply) => privately(reply).redirect(SHOP, 303))
  })
}
const formOf = ({ body }: Pick<FastifyRequest, 'body'>): Form => (body ?? {}) as Form
const orderIdOf = ({ query }: FastifyRequest) => orderIdIn((query as Readonly<Record<string, unknown>>)['orderId'])
function broughtIn({ query }: FastifyRequest): Form {
  const { orderId: _, ...brought } = query as Readonly<Record<string, unknown>>
  return Object.fromEntries(Object.entries(brought).filter((each): each is [string, string] => typeof each[1] === 'string'))
}

// -------------------------------------------------------------------------------------------------------------- buying

async function buy(request: FastifyRequest, reply: FastifyReply, parts: ShopRoutesParts) {
  const { article = 'COFFEE', by } = formOf(request)
  if (article !== 'COFFEE' && article !== 'MONTHLY') throw new PageError('wrong', { field: 'article' })
  const orderId = newOrderId(article, parts.ports)
  const made = orderRequest(parts, orderId)!
  const { txnToken } = await ask(parts, made)
  if (typeof txnToken !== 'string') throw new PageError('system')
  // The page's own script needs the loader's values. A form goes on to the payment page.
  if (by === 'loader') return privately(reply).send({ orderId, txnToken, amount: toRupees(articles[article].paise) })
  const form = hiddenForm(pagePaths.showPaymentPage, { mid: SHOP_MID, orderId, txnToken }, 'Continue', { goes: true })
  return parts.shell.send(reply, 'To the payment page', onward(form, made, parts.ownUrl()))
}

// -------------------------------------------------------------------------------------------------------- what comes in

/** Sends the browser to a page that can be reloaded. The page's address has the fields, and the page verifies them. */
function toOrder(reply: FastifyReply, orderId: string, fields: Form) {
  const address = shopAddress('order', orderId, fields)
  if (address.length > CALLBACK_KIB * 1_024) throw new PageError('form', { fault: { kind: 'long', kib: CALLBACK_KIB } })
  return privately(reply).redirect(address, 303)
}

async function comesBack(request: FastifyRequest, reply: FastifyReply, parts: ShopRoutesParts) {
  const orderId = orderIdOf(request)
  // After a debit of a subscription the service itself notifies the callbackUrl. No browser comes back from a debit.
  const isBrowser = headerOf(request.raw.rawHeaders, 'accept')?.includes('text/html') === true
  return isBrowser ? toOrder(reply, orderId, formOf(request)) : takeNotification(request, reply, parts)
}

/** Answers 200 when the shop has verified the notification. The delivery log keeps the answer. */
async function takeNotification(request: FastifyRequest, reply: FastifyReply, parts: ShopRoutesParts) {
  const isOurs = await isSigned(parts, formOf(request))
  return reply
    .code(isOurs ? 200 : 400)
    .header('content-type', 'text/plain; charset=utf-8')
    .send(isOurs ? 'verified\n' : 'the checksum is wrong\n')
}

// ------------------------------------------------------------------------------------------------------------- showing

async function showOrder(request: FastifyRequest, reply: FastifyReply, parts: ShopRoutesParts) {
  const order = await orderOf(orderIdOf(request), request, parts)
  return parts.shell.send(reply, orderTitle(order), orderView(order))
}

async function orderOf(orderId: string, request: FastifyRequest, parts: ShopRoutesParts): Promise<ShopOrder> {
  const fields = broughtIn(request)
  await parts.runDue()
  const [status, notifications] = await Promise.all([
    ask(parts, statusRequest(orderId)),
    listNotifications(parts.ports.query, { mid: SHOP_MID, orderId }),
  ])
  const isRefunded = Number(status['refundAmt'] ?? 0) > 0
  const { subsId, txnId, txnAmount } = status as Readonly<Record<string, string>>
  const [refund, subscription] = await Promise.all([
    isRefunded ? ask(parts, refundStatusRequest(orderId)) : undefined,
    subsId ? ask(parts, subscriptionRequest(subsId)) : undefined,
  ])
  const made = orderRequest(parts, orderId)
  const sent = [
    ...(made ? [made] : []),
    statusRequest(orderId),
    ...(subsId ? [subscriptionRequest(subsId)] : []),
    ...(isRefunded && txnId && txnAmount ? [refundRequest(orderId, txnId, txnAmount), refundStatusRequest(orderId)] : []),
  ]
  const callback =
    Object.keys(fields).length > 0
      ? { fields, isSigned: await isSigned(parts, fields), isOfOrder: fields['ORDERID'] === orderId }
      : undefined
  const isNotified = articleOf(orderId) === 'COFFEE' || subsId !== undefined
  return { orderId, callback, notifications, isNotified, status, refund, subscription, sent, ownUrl: parts.ownUrl() }
}

async function giveBack(request: FastifyRequest, reply: FastifyReply, parts: ShopRoutesParts) {
  const orderId = orderIdOf(request)
  const status = await ask(parts, statusRequest(orderId))
  const { txnId, txnAmount } = status as Readonly<Record<string, string>>
  if (statusOf(status) === 'TXN_SUCCESS' && txnId && txnAmount) await ask(parts, refundRequest(orderId, txnId, txnAmount))
  return privately(reply).redirect(shopAddress('order', orderId, broughtIn(request)), 303)
}
