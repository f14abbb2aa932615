// The benchmarks' requests, as whole HTTP requests in bytes, signed with the demo merchant's key.

import { randomBytes } from 'node:crypto'
import { operations } from '../src/api/operations.ts'
import { sign } from '../src/interface/checksum.ts'

export const MID = 'DEMO0000000000000001'
export const KEY = 'ABCDEFGHIJKLMNOP'

export type RequestKind = 'createOrder' | 'listSubscriptions' | 'applyPromo'

/** A browser's user agent, because a page remembers the one that opened it. */
export const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const CUSTOMERS = 50 // who exist in the small store and in the large one

const builders: Readonly<
  Record<RequestKind, (run: string, at: number) => { path: string; body: object; head?: object; signatureIsToken?: true }>
> = {
  createOrder(run, at) {
    const orderId = orderIdOf(run, at)
    return {
      path: `${operations.createOrder.paths[0]}?mid=${MID}&orderId=${orderId}`,
      body: createOrderBody(MID, orderId, { custId: `CUST_${at % 10_000}`, mobile: '9999900001', email: 'a@example.com' }, at),
    }
  },
  listSubscriptions: (_run, at) => ({
    path: operations.listSubscriptions.paths[0],
    head: { tokenType: 'AES', token: 'none' },
    body: { mid: MID, custId: `CUST_${at % CUSTOMERS}` },
  }),
  applyPromo: (_run, at) => ({
    path: `${operations.applyPromo.paths[0]}?mid=${MID}`,
    head: { channelId: 'WEB', tokenType: 'CHECKSUM' },
    signatureIsToken: true,
    body: {
      mid: MID,
      custId: `CUST_${at % 10_000}`,
      ...(at % 2 === 0 && { promocode: `OFFER${at % 1_000}` }),
      paymentOptions: [{ transactionAmount: '1499.00', payMethod: ['CREDIT_CARD', 'UPI'][at % 2], bankCode: 'HDFC' }],
      totalTransactionAmount: '1499.00',
    },
  }),
}

export const createOrderBody = (mid: string, orderId: string, payer: { custId: string; mobile: string; email: string }, at: number) => ({
  requestType: 'PAYMENT' as const,
  mid,
  orderId,
  txnAmount: { value: '499.00', currency: 'INR' as const },
  userInfo: { ...payer, firstName: 'Asha' },
  websiteName: 'DEFAULT',
  goodsInfo: [
    { merchantGoodsId: 'SKU-1', description: 'Cotton shirt', quantity: '1', price: { value: '499.00', currency: 'INR' as const } },
  ],
  extendInfo: { udf1: 'store-12', mercUnqRef: `ref-${at}` },
})

export const orderIdOf = (run: string, at: number) => `${run}-${String(at).padStart(8, '0')}`

export function requestsOf(kind: RequestKind, run: string, count: number): Buffer[] {
  const salts = randomBytes(3 * 1_024)
  return Array.from({ length: count }, (_, at) => {
    const { path, body, head, signatureIsToken } = builders[kind](run, at)
    const bodyText = JSON.stringify(body)
    const salt = salts.toString('base64', (at % 1_024) * 3, (at % 1_024) * 3 + 3)
    const signed = { ...head, [signatureIsToken ? 'token' : 'signature']: sign(bodyText, KEY, salt) }
    return requestBytes(path, `{"head":${JSON.stringify(signed)},"body":${bodyText}}`)
  })
}

/** A payment by UPI. `payerAccount` names the answer of the sandbox's bank. */
export function payRequest(orderId: string, txnToken: string, payerAccount: string): Buffer {
  const body = { requestType: 'NATIVE', mid: MID, orderId, paymentMode: 'UPI', payerAccount }
  return requestBytes(
    `${operations.processTransaction.paths[0]}?mid=${MID}&orderId=${orderId}`,
    JSON.stringify({ head: { txnToken }, body }),
  )
}

export const getRequest = (path: string) =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nuser-agent: ${AGENT}\r\naccept-language: en-IN,en;q=0.9\r\n\r\n`)

/** A form of a page, as a browser posts it. */
export const formRequest = (path: string, form: string, authorization?: string) =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nuser-agent: ${AGENT}\r\naccept-language: en-IN,en;q=0.9\r\ncontent-type: application/x-www-form-urlencoded\r\n${authorization ? `authorization: ${authorization}\r\n` : ''}content-length: ${Buffer.byteLength(form)}\r\n\r\n${form}`,
  )

const requestBytes = (path: string, text: string) =>
  Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
