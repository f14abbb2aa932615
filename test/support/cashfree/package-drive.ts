// A process of its own for the official package, because its error reporter patches Node. No connection leaves this machine, and the
// reporter's attempts are counted. It runs the package's own order tests and the webhooks that it gets on stdin, and writes one line of
// JSON at the end.

import Module, { createRequire } from 'node:module'
import { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { CLIENT_ID, CLIENT_SECRET } from './simulator.ts'

export interface Webhook {
  timestamp: string
  body: string
  signature: string
}

export interface Driven {
  tests: { name: string; failure?: string }[]
  verdicts: boolean[]
  /** What the package read of an order that it made, paid and refunded. */
  order: Record<string, unknown>
  /** Hosts on other machines that it tried to connect to. No connection was made. */
  refused: string[]
}

const [from, url] = process.argv.slice(2) as [string, string]
const refused: string[] = []
closeNetwork()
// biome-ignore lint/suspicious/noExplicitAny: the package is JavaScript here
const required = createRequire(from) as any
const { Cashfree, CFEnvironment } = required('cashfree-pg')
// The package has no setting for its address; its HTTP client has one.
required('axios').interceptors.request.use((config: { url: string }) => ({
  ...config,
  url: config.url.replace('https://sandbox.cashfree.com/pg', url),
}))

const cashfree = new Cashfree(CFEnvironment.SANDBOX, CLIENT_ID, CLIENT_SECRET) // its error reporter is on, as it is by default
const tests = await ownTests()
const whole = await wholeOrder()
const webhooks = JSON.parse(await text(process.stdin)) as Webhook[]
const driven: Driven = { tests, verdicts: webhooks.map(judged), order: whole, refused }
console.log(`\n${JSON.stringify(driven)}`)
process.exit(0)

function closeNetwork() {
  const { connect } = Socket.prototype
  // biome-ignore lint/suspicious/noExplicitAny: it has five forms
  Socket.prototype.connect = function (this: Socket, ...args: any[]) {
    const [first] = Array.isArray(args[0]) ? args[0] : args
    const host = first?.path ? '' : (first?.host ?? args[1])
    if (host === '127.0.0.1') return Reflect.apply(connect, this, args)
    refused.push(String(host))
    process.nextTick(() => this.destroy(new Error('no connection leaves this machine')))
    return this
  }
}

/** Unmodified. `test` and `expect` stand in for its runner's. */
async function ownTests(): Promise<Driven['tests']> {
  process.env['XCLIENTIDSANDBOX'] = CLIENT_ID
  process.env['XCLIENTSECRETSANDBOX'] = CLIENT_SECRET
  const found: { name: string; run: () => Promise<void> }[] = []
  const globals = { test: (name: string, run: () => Promise<void>) => found.push({ name, run }), expect: required('expect').expect }
  const loader = Module as unknown as { _load(name: string, ...more: unknown[]): unknown }
  const load = loader._load
  loader._load = (name, ...more) => (name === '@jest/globals' ? globals : load(name, ...more))
  required('cashfree-pg/tests/ordersV5.test.js')
  loader._load = load
  const done: Driven['tests'] = []
  for (const { name, run } of found) {
    try {
      await run()
      done.push({ name })
    } catch (error) {
      done.push({ name, failure: String(error) })
    }
  }
  return done
}

function judged({ timestamp, body, signature }: Webhook): boolean {
  try {
    cashfree.PGVerifyWebhookSignature(signature, body, timestamp)
    return true
  } catch {
    return false
  }
}

async function wholeOrder() {
  const customer_details = { customer_id: 'CUSTOMER', customer_phone: '9999999999' }
  const create = { order_amount: 12.34, order_currency: 'INR', order_id: 'whole', customer_details }
  const { data: made } = await cashfree.PGCreateOrder(create)
  const upi = { payment_session_id: made.payment_session_id, payment_method: { upi: { channel: 'link' } } }
  const { data: paying } = await cashfree.PGPayOrder(upi)
  const simulation = { entity: 'PAYMENTS', entity_id: paying.cf_payment_id, entity_simulation: { payment_status: 'SUCCESS' } }
  const { data: simulated } = await cashfree.PGSimulatePayment(simulation)
  const { data: fetched } = await cashfree.PGFetchSimulation(simulated.simulation_id)
  const { data: order } = await cashfree.PGFetchOrder('whole')
  const { data: payments } = await cashfree.PGOrderFetchPayments('whole')
  await cashfree.PGOrderCreateRefund('whole', { refund_id: 'back', refund_amount: 2.34, refund_speed: 'STANDARD' })
  const { data: refund } = await cashfree.PGOrderFetchRefund('whole', 'back')
  const { data: refunds } = await cashfree.PGOrderFetchRefunds('whole')
  await cashfree.PGCreateOrder({ ...create, order_id: 'ended' })
  const { data: ended } = await cashfree.PGTerminateOrder('ended', { order_status: 'TERMINATED' })
  return {
    link: paying.data.payload.default,
    states: [order.order_status, payments[0].payment_status, refund.refund_status, ended.order_status],
    amounts: [order.order_amount, payments[0].payment_amount, refund.refund_amount],
    counts: [payments.length, refunds.length],
    simulation: fetched.entity_simulation.payment_status,
  }
}
