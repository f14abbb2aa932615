// The load of bench/pay.ts, in a process of its own: merchants who create orders, payers who pay them, and the endpoint that
// hears of every payment. The clock stops when the last notification has come.

import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sign } from '../src/interface/checksum.ts'
import { operations } from '../src/interface/operations.ts'
import { KEY, MID } from './requests.ts'

export interface PayLoad {
  port: number
  connections: number
  orders: number
  run: string
}
export interface PayMeasured {
  orders: number
  seconds: number
  perSecond: number
  /** From the first byte of the order to the last of the payment's answer. */
  p50Ms: number
  p99Ms: number
  notified: number
}

async function measure({ port, connections, orders, run }: PayLoad): Promise<PayMeasured> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const post = (method: string, path: string, text: string) => send(agent, port, method, path, text)
  const notified = new Set<string>()
  const all = Promise.withResolvers<void>()
  const receiver = createServer(async (incoming, reply) => {
    let text = ''
    for await (const piece of incoming.setEncoding('utf8')) text += piece
    reply.end('ok')
    notified.add(JSON.parse(text).body.orderId)
    if (notified.size === orders) all.resolve()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/notify`
  const merchants = [{ mid: MID, notification: { url, form: 'json', secret: `whsec_${Buffer.alloc(24, 1).toString('base64')}` } }]
  await post('PUT', '/sandbox/world', JSON.stringify({ merchants }))

  const latencies = new Float64Array(orders)
  let next = 0
  const started = performance.now()
  const merchant = async () => {
    for (let at = next++; at < orders; at = next++) {
      const began = performance.now()
      await payOne(post, `${run}-${at}`)
      latencies[at] = performance.now() - began
    }
  }
  await Promise.all(Array.from({ length: connections }, merchant))
  await all.promise
  const seconds = (performance.now() - started) / 1_000
  receiver.close()
  agent.destroy()
  latencies.sort()
  const percentile = (share: number) => latencies[Math.min(orders - 1, Math.floor(orders * share))]!
  return { orders, seconds, perSecond: orders / seconds, p50Ms: percentile(0.5), p99Ms: percentile(0.99), notified: notified.size }
}

type Post = (method: string, path: string, text: string) => Promise<string>

async function payOne(post: Post, orderId: string) {
  const body = JSON.stringify({
    requestType: 'PAYMENT',
    mid: MID,
    orderId,
    txnAmount: { value: '499.00', currency: 'INR' },
    userInfo: { custId: 'CUST_1', mobile: '9999900001' },
    websiteName: 'DEFAULT',
    goodsInfo: [{ merchantGoodsId: 'SKU-1', description: 'Cotton shirt', quantity: '1', price: { value: '499.00', currency: 'INR' } }],
  })
  const place = `?mid=${MID}&orderId=${orderId}`
  const created = await post(
    'POST',
    operations.createOrder.paths[0] + place,
    `{"head":{"signature":"${sign(body, KEY, 'Ab3=')}"},"body":${body}}`,
  )
  const { txnToken } = JSON.parse(created).body
  const pay = { head: { txnToken }, body: { requestType: 'NATIVE', mid: MID, orderId, paymentMode: 'UPI', payerAccount: 'success@upi' } }
  const paid = await post('POST', operations.processTransaction.paths[0] + place, JSON.stringify(pay))
  if (!paid.includes('"TXN_SUCCESS"')) throw new Error(`not paid: ${paid}`)
}

async function send(agent: Agent, port: number, method: string, path: string, text: string): Promise<string> {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  const call = request({ agent, port, host: '127.0.0.1', method, path, headers })
  call.end(text)
  const [response] = await once(call, 'response')
  let reply = ''
  for await (const piece of response.setEncoding('utf8')) reply += piece
  return reply
}

process.on('message', async (given: PayLoad) => {
  process.send!(await measure(given))
  process.exit(0)
})
