// An order and its payment, as a merchant and a payer make them.

import { codeOf } from '../run/replies.ts'
import { MID, type Reply, type Service } from '../run/service.ts'
import { orderBody } from './order-body.ts'

export interface Order {
  orderId: string
  txnToken: string
}

/** A card payment that succeeds. */
export const CARD = { paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032' }

export async function createOrder(
  service: Service,
  orderId: string,
  more: object = {},
  path = 'paytmSsoToken' in more ? '/order/initiate' : '/aoa-acquiring-biz/v2/order', // the router accepts no such member
): Promise<Order> {
  const body = orderBody(orderId, { txnAmount: { value: '100.00', currency: 'INR' }, ...more })
  const reply = await service.signed(`${path}?mid=${MID}&orderId=${orderId}`, body)
  if (reply.body.resultInfo.resultCode !== '0000') throw new Error(`the order was refused: ${reply.text}`)
  return { orderId, txnToken: reply.body.txnToken }
}

export const pay = (service: Service, { orderId, txnToken }: Order, means: object): Promise<Reply> =>
  service.post(
    `/theia/api/v1/processTransaction?mid=${MID}&orderId=${orderId}`,
    JSON.stringify({ head: { txnToken }, body: { requestType: 'NATIVE', mid: MID, orderId, ...means } }),
  )

export const statusOf = (service: Service, { orderId }: Pick<Order, 'orderId'>): Promise<Reply> =>
  service.signed('/v3/order/status', { mid: MID, orderId })
export const orderCode = async (service: Service, order: Pick<Order, 'orderId'>) => codeOf(await statusOf(service, order))

export interface JournalLine {
  at: string
  key: string
  kind: 'authorize' | 'refund'
  reference: string
  outcome: string
  amountPaise: number
}
export const bankJournal = async (service: Pick<Service, 'url'>): Promise<JournalLine[]> =>
  (await fetch(`${service.url}/sandbox/bank/journal`)).json() as Promise<JournalLine[]>

/** Sets the bank's outcomes for the next calls of an order. */
export async function script(service: Service, { orderId }: Pick<Order, 'orderId'>, ...outcomes: string[]): Promise<void> {
  await service.post('/sandbox/bank/script', JSON.stringify({ mid: MID, orderId, outcomes }))
}

/** Runs `work` `count` times, at most `width` at a time. */
export async function inParallel(width: number, count: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (next < count) await work(next++)
    }),
  )
}
