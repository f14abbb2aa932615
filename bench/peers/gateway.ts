// A shop's own gateway, without framework and store: it verifies the checksum, keeps an order with a new token, and pays it. The peers
// answer the same requests as Mohur. The checksum's code is Mohur's, which is faster than the published library's.

import { randomBytes } from 'node:crypto'
import { operations } from '../../src/api/operations.ts'
import { sign, verify } from '../../src/interface/checksum.ts'
import { KEY } from '../requests.ts'

export const [CREATE_PATH, PAY_PATH] = [operations.createOrder.paths[0], operations.processTransaction.paths[0]]
export const POOL = 10 // pg's own default for connections

export interface Order {
  orderId: string
  txnToken: string
  amountPaise: number
  custId: string
  body: string
}
export interface Payment {
  orderId: string
  txnToken: string
  payerAccount: string
  succeeds: boolean
}
export interface Store {
  insert(order: Order): Promise<void> | void
  /** In one transaction. False where no open order has this token. */
  pay(payment: Payment): Promise<boolean> | boolean
}
export interface Request {
  head: { signature?: string; txnToken?: string }
  body: { orderId: string; txnAmount?: { value: string }; userInfo?: { custId: string }; payerAccount?: string }
}

export function gateway(store: Store) {
  return {
    async create({ head, body }: Request): Promise<object> {
      const text = JSON.stringify(body)
      if (!verify(text, head.signature, KEY)) return answer({ resultStatus: 'F', resultCode: '2005' })
      const order = {
        orderId: body.orderId,
        txnToken: randomBytes(16).toString('hex'),
        amountPaise: Math.round(Number(body.txnAmount?.value) * 100),
        custId: body.userInfo?.custId ?? '',
        body: text,
      }
      await store.insert(order)
      return answer({ resultStatus: 'S', resultCode: '0000' }, { txnToken: order.txnToken })
    },
    async pay({ head, body }: Request): Promise<object> {
      const { orderId, payerAccount = '' } = body
      const succeeds = !payerAccount.startsWith('declined')
      const isPaid = await store.pay({ orderId, txnToken: head.txnToken ?? '', payerAccount, succeeds })
      if (!isPaid) return answer({ resultStatus: 'F', resultCode: '1006' })
      return answer({ resultStatus: succeeds ? 'TXN_SUCCESS' : 'TXN_FAILURE', resultCode: succeeds ? '01' : '227' }, { orderId })
    },
  }
}

function answer(resultInfo: object, more: object = {}): object {
  const body = { resultInfo, ...more }
  return { head: { signature: sign(JSON.stringify(body), KEY, randomBytes(3).toString('base64')) }, body }
}

export const KEEP_ALIVE_MS = 72_000 // Fastify's own; node:http would end connections that wait five seconds on a busy machine

/** The line that bench/processes.ts waits for. */
export const announce = (url: string) => console.log(`the peer listens on ${url}`)

/** For both databases. */
export const TABLES = (identity: string) => `
  CREATE TABLE orders (order_id text PRIMARY KEY, txn_token text NOT NULL, amount_paise bigint NOT NULL, cust_id text NOT NULL,
    status text NOT NULL, body text NOT NULL, created_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP);
  CREATE TABLE payments (id ${identity}, order_id text NOT NULL REFERENCES orders, payer_account text NOT NULL, status text NOT NULL,
    created_at timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP);`
