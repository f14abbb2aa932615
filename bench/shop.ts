// One merchant's orders and their payers.

import type { Connection } from './connection.ts'
import { orderIdOf, payRequest, requestsOf } from './requests.ts'

interface Payment {
  payerAccount?: string
  state?: string
  /** The planned beginning. */
  since?: number | undefined
}

/** The orders of one run, signed before the clock starts, and their times. */
export function shop(run: string, count: number) {
  const requests = requestsOf('createOrder', run, count)
  const tokens: string[] = []
  const [createMs, payMs, paidAt] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)]
  const orderId = (at: number) => orderIdOf(run, at)
  return {
    count,
    createMs,
    payMs,
    paidAt,
    orderId,
    async create(line: Connection, at: number, since = performance.now()) {
      const reply = (await line.ask(requests[at]!)).toString()
      createMs[at] = performance.now() - since
      tokens[at] = /"txnToken":"([^"]+)"/.exec(reply)?.[1] ?? fail(reply)
    },
    async pay(line: Connection, at: number, { payerAccount = 'success@upi', state = 'TXN_SUCCESS', since }: Payment = {}) {
      const request = payRequest(orderId(at), tokens[at]!, payerAccount)
      const began = since ?? performance.now()
      const reply = await line.ask(request)
      paidAt[at] = performance.now()
      payMs[at] = paidAt[at]! - began
      if (!reply.includes(state)) fail(reply.toString())
    },
  }
}

function fail(reply: string): never {
  throw new Error(`not as expected: ${reply}`)
}
