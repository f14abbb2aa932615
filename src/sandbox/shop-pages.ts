// The demo shop's pages: its window, and an order as the shop's server saw it (docs/sandbox.md).

import { dateTimeInIndia } from '../engine/clock.ts'
import type { Listed } from '../flows/dead-letters.ts'
import { toRupees } from '../interface/money.ts'
import { pagePaths } from '../interface/page-paths.ts'
import { type Html, html, type Part } from '../pages/html.ts'
import { hidden } from '../pages/kit/fields.ts'
import { notice, type Rows, rowsOf } from '../pages/kit/layout.ts'
import { articles, SHOP, SHOP_MID, type ShopAnswer, type ShopRequest, shopAddress } from './shop-server.ts'

const rupees = (paise: number) => `₹${toRupees(paise)}`
const isText = (value: unknown): value is string => typeof value === 'string'

// -------------------------------------------------------------------------------------------------------------- buying

/** `form`: the fields of a form kit's button. */
export function shopWindow(form: Readonly<Record<string, string>>): Html {
  const { COFFEE, MONTHLY, FORM } = articles
  const scripts = html`<script src="${pagePaths.checkoutScript.replace(':mid', SHOP_MID)}.js"></script><script type="module" src="${SHOP}/shop.js"></script>`
  const order = (article: string, kind: Html, button: string) =>
    html`<form method="post" action="${SHOP}/orders"${kind}>${hidden('article', article)}<button>${button}</button></form>`
  const here = html`${order('COFFEE', html` data-shop hidden`, `Pay ${rupees(COFFEE.paise)} here`)}<p class="quiet" role="status" data-said></p>`
  const there = html`<form method="post" action="${SHOP}/orders">${hidden('article', 'COFFEE')}<button class="second">Pay ${rupees(COFFEE.paise)} on the payment page</button></form>`
  const monthly = order('MONTHLY', html``, `Subscribe for ${rupees(MONTHLY.renewalPaise)} a month`)
  const address = pagePaths.orderForms[1]
  const inputs = Object.entries(form).map(([name, value]) => hidden(name, value))
  const kit = html`<form method="post" action="${address}">${inputs}<button>Pay ${rupees(FORM.paise)} by a form</button></form>`
  return html`<p>Buy something: the shop makes an order, opens the payment page, and gets you back. No money moves.</p>
${item(COFFEE.name, 'The first button opens the payment page in this window by the browser loader; the second sends the payer to it.', html`${here}${there}`)}
${item(MONTHLY.name, `${rupees(MONTHLY.paise)} now, then ${rupees(MONTHLY.renewalPaise)} every month until the payer stops it.`, monthly)}
${item('The same coffee, by a form kit’s button', `The browser posts a form with a CHECKSUMHASH to ${address}. The shop’s server sends no request before it.`, html`${kit}${sourceOf(address, form)}`)}
${testData()}${scripts}`
}

const item = (name: string, about: string, buttons: Part): Html =>
  html`<section class="item"><h2>${name}</h2><p class="quiet">${about}</p>${buttons}</section>`

const testData = (): Html =>
  html`<section class="item"><h2>Test data</h2>${rowsOf([
    ['Card', '4111 1111 1111 1111'],
    ['Expiry and CVV', 'any later month, any three digits'],
    ['UPI', html`approve it on <a href="/sandbox/phone" target="_blank" rel="noopener">the phone</a>`],
  ])}</section>`

function sourceOf(address: string, fields: Readonly<Record<string, string>>): Html {
  const lines = Object.entries(fields).map(([name, value]) => `  <input type="hidden" name="${name}" value="${value}">\n`)
  const text = `<form method="post" action="${address}">\n${lines.join('')}  <button>Pay</button>\n</form>`
  return more('The form’s source', html`<pre tabindex="0">${text}</pre>`)
}

const more = (summary: string, inner: Part): Html =>
  html`<details class="other"><summary>${summary}</summary><div class="inner">${inner}</div></details>`

// ----------------------------------------------------------------------------------------------------------- one order

export interface ShopOrder {
  orderId: string
  /** The fields that the browser brought. Undefined until the browser came back. */
  callback: { fields: Readonly<Record<string, string>>; isSigned: boolean; isOfOrder: boolean } | undefined
  notifications: readonly Listed[]
  /** True when the order has a notification address, or is a subscription's. */
  isNotified: boolean
  status: ShopAnswer
  refund: ShopAnswer | undefined
  subscription: ShopAnswer | undefined
  /** The requests of the shop's server, in order. */
  sent: readonly ShopRequest[]
  ownUrl: string
}

const resultOf = (answer: ShopAnswer): string => {
  const { resultStatus, resultCode, resultMsg } = (answer['resultInfo'] ?? {}) as ShopAnswer
  return [resultStatus, isText(resultCode) && `(${resultCode})`, resultMsg].filter(isText).join(' ')
}
export const statusOf = (status: ShopAnswer) => ((status['resultInfo'] ?? {}) as ShopAnswer)['resultStatus']

export function orderTitle({ status }: ShopOrder): string {
  switch (statusOf(status)) {
    case 'TXN_SUCCESS':
      return 'Thank you'
    case 'PENDING':
      return 'Your payment is under way'
    default:
      return 'Your order'
  }
}

/** The shop believes only the answers to its server's own requests. */
export function orderView(order: ShopOrder): Html {
  const { orderId, callback, status } = order
  const brought = callback?.fields
  const mayRefund = statusOf(status) === 'TXN_SUCCESS' && !Number(status['refundAmt'] ?? 0) && Number(status['txnAmount'] ?? 0) > 0
  const refund =
    mayRefund &&
    html`<form method="post" action="${shopAddress('refund', orderId, brought)}"><button class="second">Refund ₹${String(status['txnAmount'])}</button></form>`
  return html`<p>Order <bdi>${orderId}</bdi>, as this shop’s server has seen it:</p>${browserSaw(order)}${serviceSaid(order)}${serverAsked(order)}<div class="ways">${refund}<a class="button second" href="${shopAddress('order', orderId, brought)}">Ask again</a></div><p><a href="${SHOP}">Back to the shop</a></p>${linesOf(order)}`
}

function browserSaw({ callback }: ShopOrder): Html {
  const heading = html`<h2>1. The payer’s browser</h2>`
  if (!callback) return html`<section class="item">${heading}<p>It has not come back yet.</p></section>`
  const { fields, isSigned, isOfOrder } = callback
  const says = !isSigned
    ? notice('It brought fields that this shop’s key has not signed. The shop ignores them.', 'bad')
    : isOfOrder
      ? notice('It brought a callback, and its checksum is right.', 'good')
      : notice('It brought the callback of another order.', 'bad')
  const rows: Rows = Object.entries(fields).map(([name, value]) => [html`<bdi>${name}</bdi>`, html`<bdi>${value}</bdi>`])
  return html`<section class="item">${heading}${says}${more('The fields of the callback', rowsOf(rows))}</section>`
}

const EVENTS: Readonly<Record<string, string>> = { transaction: 'Payment', refund: 'Refund', collection: 'Debit' }
function serviceSaid({ notifications, isNotified, status }: ShopOrder): Html {
  const none = !isNotified
    ? 'This order names no peonUrl, so the service sends none.'
    : isText(status['subsId'])
      ? 'None yet. After each debit the service notifies the callbackUrl.'
      : 'None has come yet.'
  const lines: Rows = notifications.map(({ event, status, deliveredAt, deliveries }) => [
    EVENTS[event.split('|')[0]!] ?? event,
    status === 'DELIVERED' && deliveredAt !== null
      ? `verified and accepted at ${dateTimeInIndia(deliveredAt).slice(11)}`
      : `not accepted: ${deliveries.at(-1)?.httpStatus ?? deliveries.at(-1)?.outcome ?? 'not sent yet'}`,
  ])
  return html`<section class="item"><h2>2. Notifications to the server</h2>${lines.length > 0 ? rowsOf(lines) : html`<p>${none}</p>`}</section>`
}

function serverAsked({ status, refund, subscription }: ShopOrder): Html {
  const row = (name: string, value: unknown): Rows => (isText(value) && value !== '' ? [[name, html`<bdi>${value}</bdi>`]] : [])
  const { txnAmount } = status
  const rows = rowsOf([
    ['Order Status', resultOf(status)],
    ...row('Amount', isText(txnAmount) ? `₹${txnAmount}` : undefined),
    ...row('Paid by', status['paymentMode']),
    ...row('Transaction', status['txnId']),
    ...(refund ? [['Refund Status', resultOf(refund)] as const] : []),
    ...(subscription ? row('Subscription', status['subsId']) : []),
    ...(subscription ? row('State', subscription['status'] ?? resultOf(subscription)) : []),
  ])
  return html`<section class="item"><h2>3. Answers to the server’s requests</h2>${rows}</section>`
}

/** Lines for a shell in the checkout, with `$KEY` in the key's place. */
function linesOf({ sent, ownUrl }: Pick<ShopOrder, 'sent' | 'ownUrl'>): Html {
  const lines = sent.map(
    ({ path, body }) =>
      `BODY='${body}'\ncurl -sS '${ownUrl}${path}' -H 'content-type: application/json' \\\n  -d '{"head":{"signature":"'$(npx mohur sign --key $KEY "$BODY")'"},"body":'"$BODY"'}'\n`,
  )
  return more(
    'Requests of the shop’s server',
    html`<p class="quiet">The key stays on the server. Set <code>KEY</code> to it to send the same requests.</p><pre tabindex="0">${lines.join('\n')}</pre>`,
  )
}

/** Shown before the payment page, until the payer goes on. With script the browser goes on at once. */
export const onward = (form: Html, request: ShopRequest, ownUrl: string): Html =>
  html`<p>The shop’s server has made the order. Continue to the payment page.</p>${form}${linesOf({ sent: [request], ownUrl })}`
