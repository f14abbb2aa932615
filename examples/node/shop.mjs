// A shop in Node without a dependency: one product, the payment page, callback, notification and refund.
//
//   MOHUR_URL=http://127.0.0.1:8080 MID=DEMO0000000000000001 KEY=ABCDEFGHIJKLMNOP PORT=3000 node shop.mjs

import { createCipheriv, createDecipheriv, createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { MOHUR_URL, MID, KEY, PORT = '3000', SHOP_URL = `http://127.0.0.1:${PORT}` } = process.env
const PRICE = '499.00'
const orders = new Map() // a shop has a database here: orderId -> { paid, txnId, refund }

// ------------------------------------------------------------------------------------------ the checksum, whole

const IV = '@@@@&&&&####$$$$'
if (![16, 24, 32].includes(Buffer.byteLength(KEY))) throw new Error('KEY must have 16, 24 or 32 bytes. Quotes around it count as bytes.')
const CIPHER = `aes-${Buffer.byteLength(KEY) * 8}-cbc`
const hashed = (text, salt) => createHash('sha256').update(`${text}|${salt}`).digest('hex') + salt

function sign(text) {
  const cipher = createCipheriv(CIPHER, KEY, IV)
  return cipher.update(hashed(text, randomBytes(3).toString('base64')), 'utf8', 'base64') + cipher.final('base64')
}

function isSigned(text, signature) {
  try {
    const decipher = createDecipheriv(CIPHER, KEY, IV)
    const plain = decipher.update(signature, 'base64', 'utf8') + decipher.final('utf8')
    return timingSafeEqual(Buffer.from(plain), Buffer.from(hashed(text, plain.slice(64))))
  } catch {
    return false // malformed, or signed with another key
  }
}

/** A form is signed over its values: sorted by their names, joined by |, without the checksum itself. */
function isSignedForm({ CHECKSUMHASH = '', ...fields }) {
  const values = Object.keys(fields).sort().map((name) => (fields[name].toLowerCase() === 'null' ? '' : fields[name]))
  return isSigned(values.join('|'), CHECKSUMHASH)
}

// ------------------------------------------------------------------------------------------ asking Mohur

/** The text that is signed is the text that is sent. The reply is believed only when Mohur has signed it. */
async function ask(path, body) {
  const text = JSON.stringify(body)
  const response = await fetch(MOHUR_URL + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"head":{"signature":${JSON.stringify(sign(text))}},"body":${text}}`,
    signal: AbortSignal.timeout(30_000),
  })
  const reply = await response.text()
  const { head, body: answer } = JSON.parse(reply)
  const signed = reply.slice(reply.indexOf('"body":') + '"body":'.length, -1) // the head comes first; the signature covers the bytes of body
  const { resultCode = '', resultMsg = '' } = answer?.resultInfo ?? {}
  const hint = response.headers.get('mohur-hint') // in a sandbox: why Mohur refused the request
  const result = `${path}: HTTP ${response.status} ${resultCode} ${resultMsg}; Mohur-Hint: ${hint ?? 'none'}`
  if (!isSigned(signed, head?.signature)) throw new Error(`${result}. The reply cannot be verified: wrong KEY or MID? See docs/checksum.md`)
  if (hint) console.error(result)
  return answer
}

const statusOf = (orderId) => ask('/v3/order/status', { mid: MID, orderId })

/** Records a payment once, from the callback or the notification, whichever comes first. It asks Mohur, not the browser. */
async function takeOver(orderId) {
  const order = orders.get(orderId)
  const status = await statusOf(orderId)
  if (status.resultInfo.resultStatus === 'TXN_SUCCESS' && status.payableAmount === PRICE) Object.assign(order, { paid: true, txnId: status.txnId })
  return status.resultInfo
}

// ------------------------------------------------------------------------------------------ pages

const escaped = (text) => String(text).replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
const form = (action, fields, button) =>
  `<form method="post" action="${escaped(action)}">${Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escaped(value)}">`)
    .join('')}<button>${button}</button></form>`

const pages = {
  'GET /': () => `<h1>Filter coffee, 500 g</h1><p>Rs ${PRICE}</p>${form('/buy', {}, 'Buy')}`,

  async 'POST /buy'() {
    const orderId = `NODE_${randomBytes(8).toString('hex')}`
    const { txnToken, resultInfo } = await ask(`/aoa-acquiring-biz/v2/order?mid=${MID}&orderId=${orderId}`, {
      requestType: 'PAYMENT',
      mid: MID,
      orderId,
      websiteName: 'DEFAULT',
      txnAmount: { value: PRICE, currency: 'INR' },
      userInfo: { custId: 'CUST_1' },
      callbackUrl: `${SHOP_URL}/callback`,
      peonUrl: `${SHOP_URL}/notification`,
    })
    if (!txnToken) throw new Error(`no order: ${resultInfo.resultCode} ${resultInfo.resultMsg}`)
    orders.set(orderId, { paid: false })
    return form(`${MOHUR_URL}/theia/api/v1/showPaymentPage?mid=${MID}&orderId=${orderId}`, { mid: MID, orderId, txnToken }, 'Pay')
  },

  async 'POST /callback'(fields) {
    if (!isSignedForm(fields) || !orders.has(fields.ORDERID)) return
    const { resultStatus, resultMsg } = await takeOver(fields.ORDERID)
    return `<h1>${escaped(resultStatus)}</h1><p>${escaped(resultMsg)}</p><a href="/order?orderId=${fields.ORDERID}">Your order</a>`
  },

  async 'POST /notification'(fields) {
    if (!isSignedForm(fields)) return
    const order = orders.get(fields.ORDERID)
    if (!order) throw new Error(`no order ${fields.ORDERID}`) // the answer is 500, and the notification comes again
    order.notified = [...(order.notified ?? []), `${fields.TXNTYPE} ${fields.STATUS}`]
    if (fields.TXNTYPE === 'REFUND') order.refund = fields.STATUS
    else await takeOver(fields.ORDERID)
    return 'ok'
  },

  async 'GET /order'({ orderId }) {
    const order = orders.get(orderId)
    if (!order) return
    return `<h1>${order.refund ? `refund ${order.refund}` : order.paid ? 'paid' : 'not paid'}</h1><p>${escaped(order.notified ?? '')}</p>${form('/refund', { orderId }, 'Refund')}`
  },

  /** A shop allows this only to its staff. The refId names the refund, so repeated requests give it once. */
  async 'POST /refund'({ orderId }) {
    const { paid, txnId } = orders.get(orderId) ?? {}
    if (!paid) return
    const { resultInfo } = await ask('/refund/apply', { mid: MID, txnType: 'REFUND', orderId, txnId, refId: `R_${orderId}`, refundAmount: PRICE })
    orders.get(orderId).refund ??= resultInfo.resultStatus
    return `<h1>${escaped(resultInfo.resultStatus)}</h1><p>${escaped(resultInfo.resultMsg)}</p>`
  },
}

createServer(async (request, response) => {
  let [status, page] = [400, undefined]
  try {
    const { pathname, searchParams } = new URL(request.url, SHOP_URL)
    let text = ''
    for await (const part of request.setEncoding('utf8')) if ((text += part).length > 65_536) throw new Error('the request is too long')
    page = await pages[`${request.method} ${pathname}`]?.(Object.fromEntries(request.method === 'POST' ? new URLSearchParams(text) : searchParams))
  } catch (error) {
    console.error(error.message)
    status = 500
  }
  response.writeHead(page ? 200 : status, { 'content-type': 'text/html; charset=utf-8' }).end(page ?? 'That cannot be done.')
}).listen(Number(PORT), '127.0.0.1', () => console.log(`The shop is open at ${SHOP_URL}`))
