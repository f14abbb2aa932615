// The actions of a published client's payer, by a browser's calls or in Chromium on the shop's own page.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { joinedValues, sign, verify } from '../../src/interface/checksum.ts'
import { launch } from '../support/pages/browser.ts'
import { leave } from '../support/pages/cancels.ts'
import { onShopPage } from '../support/pages/loader-shop.ts'
import { mappedHosts } from '../support/pages/mapped-hosts.ts'
import { begin, browserWays } from '../support/pages/page-ways.ts'
import { ask, CARD_FIELDS, formOf, goesTo, openPage, Visitor } from '../support/pages/pages.ts'
import { KEY, MID, type Service } from '../support/run/service.ts'
import type { Exchange } from './outcome.ts'

export const WALLET = '9999900001' // a customer of the demo world, with a balance
const SHOP = 'shop.example' // the host of each shop that a harness plays
const CALLBACK_URL = `http://${SHOP}/callback`

/** Makes an order for a client that makes none, because its own would be a form in the payer's browser. Returns the token. */
export async function order(url: string, orderId: string, exchanges: Exchange[]): Promise<string> {
  const amount = { value: '499.50', currency: 'INR' }
  const userInfo = { custId: 'CUST_1' }
  const given = JSON.stringify({
    requestType: 'Payment',
    mid: MID,
    orderId,
    websiteName: 'DEFAULT',
    txnAmount: amount,
    userInfo,
    callbackUrl: CALLBACK_URL,
  })
  const path = `/theia/api/v1/initiateTransaction?mid=${MID}&orderId=${orderId}`
  const headers = { 'content-type': 'application/json' }
  const body = `{"head":{"signature":"${sign(given, KEY, 'salt')}"},"body":${given}}`
  const reply = await fetch(url + path, { method: 'POST', headers, body })
  const text = await reply.text()
  exchanges.push({ method: 'POST', path, headers, body, status: reply.status, reply: text })
  return JSON.parse(text).body.txnToken
}

export async function logIn(url: string, { orderId, txnToken, mid }: Record<string, unknown>) {
  const call = async (path: string, body: object) => {
    const text = JSON.stringify({ head: { txnToken }, body })
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${url}${path}?mid=${mid}&orderId=${orderId}`, { method: 'POST', headers, body: text })
    if (((await reply.json()) as { body: { resultInfo: { resultCode: string } } }).body.resultInfo.resultCode !== '01')
      throw new Error(path)
  }
  await call('/login/sendOtp', { mobileNo: WALLET })
  const { messages } = (await (await fetch(`${url}/sandbox/inbox?mobile=${WALLET}`)).json()) as { messages: { otp: string }[] }
  await call('/login/validateOtp', { otp: messages[0]!.otp })
}

/** Pays by the client's token, as the payer's browser does. Returns what the browser would take to the shop. */
export async function pay(
  url: string,
  { orderId, txnToken, mid }: Record<string, unknown>,
  by: object = { paymentMode: 'PPBL' },
): Promise<Record<string, unknown>> {
  const reply = await fetch(`${url}/theia/api/v1/processTransaction?mid=${mid}&orderId=${orderId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ head: { txnToken }, body: { mid, orderId, ...by } }),
  })
  const { body } = (await reply.json()) as { body: { txnId: string; txnInfo: Record<string, string> } }
  return { txnId: body.txnId, fields: body.txnInfo }
}

/** Sends the client's form as the payer's browser does. Returns the page to which it leads. */
export async function opened(url: string, action: string, fields: Record<string, string>, exchanges: Exchange[]): Promise<string> {
  const { pathname, search } = new URL(action)
  const body = new URLSearchParams(fields).toString()
  const answer = await ask({ url }, pathname + search, body)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  exchanges.push({ method: 'POST', path: pathname + search, headers, body, status: answer.status, reply: '' })
  return goesTo(answer)
}

/**
 * Follows the client's redirect as the payer's browser does, and presses the one button of that page. Returns the page to which it leads.
 */
export async function redirected(url: string, to: string, exchanges: Exchange[]): Promise<string> {
  const { pathname, search } = new URL(to)
  const { status, text } = await ask({ url }, pathname + search)
  exchanges.push({ method: 'GET', path: pathname + search, headers: {}, body: '', status, reply: '' })
  const { action, fields } = formOf(text, { MID })
  return opened(url, new URL(action, url).href, fields, exchanges)
}

/** Pays by card, without script. Returns the form that the page sends to the shop. */
export async function payOnPage(url: string, page: string): Promise<Record<string, unknown>> {
  const { text } = await new Visitor({ url } as Service, page).send({ panel: 'card' }, CARD_FIELDS)
  const { fields } = formOf(text, { MID })
  return { txnId: fields['TXNID'], fields }
}

/** Leaves an order of this name without an attempt. Returns what the page sends to the shop. */
export async function left(url: string, orderId: string): Promise<Record<string, string>> {
  const service = { url } as Service
  const page = await openPage(service, { orderId, txnToken: await order(url, orderId, []) })
  const { text } = await leave(new Visitor(service, page))
  return formOf(text, { MID }).fields
}

/** A harness's description of the page that it has drawn. */
export interface ShopPageOfClient {
  html: string
  /** The selectors to press, one after the other, until the payment page opens. None where the page opens it by itself. */
  presses?: readonly string[]
  /** The shop server's answers to the page's own requests, by path. */
  answers?: Readonly<Record<string, unknown>>
  /** What the page shows after a payment whose result is not posted. */
  until?: string
  /** One of browserWays; by default a card. */
  way?: string
  orderId: string
}

/** Pays in Chromium, on the page that the client's own code has drawn. The names that it calls lead to the service. */
export async function payOnShopPage(url: string, shown: ShopPageOfClient): Promise<Record<string, unknown>> {
  const shop = await shopOf(shown)
  const hosts = await mappedHosts({ url })
  const browser = await launch([`${hosts.args[0]},MAP ${SHOP}:80 127.0.0.1:${shop.port}`, ...hosts.args.slice(1)])
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-IN' })
    const { top, view } = await onShopPage(context, `http://${SHOP}/`)
    top.on('dialog', (dialog) => dialog.dismiss())
    for (const press of shown.presses ?? []) await top.locator(press).click()
    await top.frameLocator('iframe').locator('#way-card, #way-upi').first().waitFor()
    const way = browserWays[shown.way ?? 'card']!
    const post = (path: string, body: string) =>
      fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const paying = { service: { url, post } as unknown as Service, page: view(), orderId: shown.orderId, hasScript: true, top }
    await begin(way, paying)
    await way.decide?.(paying, 'approve')
    await top.locator(shown.until ?? '#told').waitFor()
    const { CHECKSUMHASH, ...fields } = shop.posted() ?? {}
    if (shown.until) return { txnId: '' }
    if (!verify(joinedValues(fields), CHECKSUMHASH ?? '', KEY)) throw new Error(`the callback does not verify: ${JSON.stringify(fields)}`)
    return { txnId: fields['TXNID'], fields: { ...fields, CHECKSUMHASH } }
  } finally {
    await browser.close()
    await hosts.close()
    shop.close()
  }
}

/**
 * The shop's host. It serves the page, the requests of its script, and jQuery of Debian's libjs-jquery, and keeps what the browser posts.
 */
async function shopOf({ html, answers = {} }: ShopPageOfClient) {
  let posted: Record<string, string> | undefined
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      const fields = Object.fromEntries(new URLSearchParams(Buffer.concat(parts).toString()))
      const { pathname } = new URL(request.url!, `http://${SHOP}`)
      if (fields['CHECKSUMHASH']) {
        posted = fields
        response.writeHead(200, { 'content-type': 'text/html' }).end('<p id="told">told</p>')
      } else if (pathname in answers) {
        const answer = answers[pathname]
        const isText = typeof answer === 'string'
        response.writeHead(200, { 'content-type': isText ? 'text/html' : 'application/json' })
        response.end(isText ? answer : JSON.stringify(answer))
      } else if (pathname === '/jquery.js') {
        response.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync('/usr/share/javascript/jquery/jquery.min.js'))
      } else response.writeHead(pathname === '/' ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' }).end(html)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, posted: () => posted, close }
}
