// Cashfree's payment API as its published document of 2025-01-01 describes it, kept in memory: orders, payments, refunds, webhooks. The
// official package drives it unmodified. On demand it loses an answer, or answers as people have seen Cashfree answer.

import { createHmac, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { visit } from './bank-page.ts'
import { callName } from './calls.ts'

export const CLIENT_ID = 'TEST430329ae80e0f32e41a393d78b923034'
export const CLIENT_SECRET = 'cfsk_ma_test_that_only_this_simulator_knows'

export type PaymentStatus = 'SUCCESS' | 'NOT_ATTEMPTED' | 'FAILED' | 'USER_DROPPED' | 'VOID' | 'CANCELLED' | 'PENDING'
type Entity = Record<string, unknown>

export interface SimulatedPayment {
  cf_payment_id: string
  status: string
  amount: number
  method: string
  begunAt: number
  completedAt: number | undefined
  bankReference: string | null
  more: Entity
}
export interface SimulatedRefund {
  cf_refund_id: string
  refund_id: string
  amount: number
  status: string
  type: 'MERCHANT_INITIATED' | 'PAYMENT_AUTO_REFUND' | 'UNRECONCILED_AUTO_REFUND'
}
export interface SimulatedOrder {
  id: string
  cfId: string
  amount: number
  currency: string
  status: string
  session: string
  createdAt: number
  expiresAt: number
  customer: Entity
  meta: Entity
  tags: Record<string, string>
  note: string
  payments: SimulatedPayment[]
  refunds: SimulatedRefund[]
}

/** A request as received, and its answer. */
export interface Recorded {
  method: string
  path: string
  headers: Record<string, string | undefined>
  body: Entity | undefined
  status: number
}

/**
 * What happens to a call, before its work is done or after it. `late`: the caller gets no answer, and the call arrives when `arrive` is
 * called. `half`: the connection ends in the middle of the answer. `stop`: the caller stands still for a time, and then gets the answer.
 */
export type Fault =
  | { when: 'before' | 'after' | 'late'; how: 'break' | 'silence' }
  | { when: 'after'; how: 'half' }
  | { when: 'before' | 'after'; how: 'stop' }
  | { when: 'before' | 'after'; status: number; body?: string; type?: string; headers?: Record<string, string> }

interface Answer {
  status: number
  body: unknown
  headers?: Record<string, string>
}

const MINUTE_MS = 60_000
/** Calls in a minute: docs/acquirer-cashfree.md, "Limits". */
export const LIMITS: Readonly<Record<string, number>> = {
  'POST /orders': 200,
  'POST /orders/sessions': 100,
  'GET /orders/{order}': 400,
  'GET /orders/{order}/payments': 100,
  'POST /orders/{order}/refunds': 100,
  'GET /orders/{order}/refunds/{refund}': 30,
}

/** The last two serve the package's own tests; the adapter does not use them. */
const MEANS = ['upi', 'netbanking', 'card', 'app']
const MS_30_DAYS = 30 * 24 * 60 * 60_000
const SIMULATED: readonly unknown[] = ['SUCCESS', 'FAILED', 'PENDING', 'USER_DROPPED']

export class CashfreeSimulator {
  readonly orders = new Map<string, SimulatedOrder>()
  readonly recorded: Recorded[] = []
  /** The method and path of each page that a payer's browser asked for. */
  readonly visits: string[] = []
  /** The first state of a new payment; the payer decides later by `settle`. */
  begins: PaymentStatus = 'PENDING'
  /** Every pay call is refused with this status. */
  refusesPay: number | undefined
  refundBegins: 'SUCCESS' | 'PENDING' | 'ONHOLD' = 'SUCCESS'
  /** Faults by method and a pattern of the path. A call takes the first that fits, and uses it up. */
  readonly faults: { method: string; path: RegExp; fault: Fault }[] = []
  /** Decides about each call that fits no row of `faults`. */
  plants: (method: string, path: string, body: Entity | undefined) => Fault | undefined = () => undefined
  /** Called when a call will get no answer, and when a caller stands still. */
  onSilence = () => {}
  onStop: () => Promise<void> = async () => {}
  payLinks: 'upi' | 'page' = 'upi'
  /** How long after its beginning a new payment appears in the list of its order. */
  listsAfterMs = 0
  /** The order of a simulated success expires during its payment. The payment fails meanwhile, and is paid this long after. */
  paysLateMs = 0
  /** The payer pays this fee on top of each payment. */
  feePaise = 0
  /** The answer to a second refund of one id. */
  refundAgain: 409 | 400 = 409
  /** Calls of a name in a minute; calls beyond get 429. `LIMITS` are Cashfree's own. */
  limits: Readonly<Record<string, number>> = {}
  readonly #admitted = new Map<string, number[]>()
  url = ''
  readonly #late: (() => void)[] = []
  readonly #simulations = new Map<string, Entity>()
  #number = 1_000
  readonly #clock: { now(): number }
  readonly #server = createServer((request, response) => void this.#serve(request, response))

  constructor(clock: { now(): number } = { now: () => Date.now() }) {
    this.#clock = clock
  }

  /** The test that starts it stops it. */
  static async start(clock?: { now(): number }): Promise<CashfreeSimulator> {
    const simulator = new CashfreeSimulator(clock)
    await new Promise<void>((resolve) => simulator.#server.listen(0, '127.0.0.1', resolve))
    simulator.url = `http://127.0.0.1:${(simulator.#server.address() as AddressInfo).port}/pg`
    return simulator
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise((resolve) => this.#server.close(() => resolve()))
  }

  fail(method: string, path: RegExp, ...faults: Fault[]) {
    for (const fault of faults) this.faults.push({ method, path, fault })
  }

  arrive() {
    for (const call of this.#late.splice(0)) call()
  }

  /** The payer or the bank decides a payment of an order: the last one, unless another is given. */
  settle(orderId: string, status: PaymentStatus, payment = this.orders.get(orderId)!.payments.at(-1)!) {
    const order = this.orders.get(orderId)!
    payment.status = status
    payment.completedAt = this.#clock.now()
    if (order.status === 'TERMINATION_REQUESTED' && !order.payments.some(isUnderWay)) order.status = 'TERMINATED'
    if (status !== 'SUCCESS') return
    payment.bankReference = `${100_000_000_000 + ++this.#number}`
    if (order.status === 'ACTIVE') order.status = 'PAID'
  }

  /** Cashfree gives a payment back by itself, as it does when the payment came after its order's end. */
  giveBack(orderId: string, status = 'SUCCESS') {
    const order = this.orders.get(orderId)!
    const paid = order.payments.find((payment) => payment.status === 'SUCCESS')!
    order.refunds.push({
      cf_refund_id: `${++this.#number}`,
      refund_id: `auto${this.#number}`,
      amount: paid.amount,
      status,
      type: 'PAYMENT_AUTO_REFUND',
    })
  }

  entity = (order: SimulatedOrder) => orderEntity(order)

  /** What Cashfree keeps: payments less refunds, in paise. */
  get keptPaise(): number {
    const paise = (rupees: number) => Math.round(rupees * 100)
    return [...this.orders.values()].reduce((sum, { payments, refunds }) => {
      const taken = payments.filter(({ status }) => status === 'SUCCESS').reduce((of, { amount }) => of + paise(amount), 0)
      const given = refunds.filter(({ status }) => status === 'SUCCESS').reduce((of, { amount }) => of + paise(amount), 0)
      return sum + taken - given
    }, 0)
  }

  /** The body and headers of a webhook about an order, signed as Cashfree signs them. */
  webhook(orderId: string, { at = this.#clock.now(), secret = CLIENT_SECRET, type = 'PAYMENT_SUCCESS_WEBHOOK', tags }: WebhookGiven = {}) {
    const order = this.orders.get(orderId)!
    const payment = order.payments.at(-1)
    const body = JSON.stringify({
      data: {
        order: { order_id: order.id, order_amount: order.amount, order_currency: order.currency, order_tags: tags ?? order.tags },
        payment: payment && paymentEntity(order, payment),
        customer_details: order.customer,
      },
      event_time: new Date(at).toISOString(),
      type,
    })
    const signature = createHmac('sha256', secret).update(`${at}${body}`).digest('base64')
    return {
      body,
      headers: {
        'content-type': 'application/json',
        'x-webhook-timestamp': String(at),
        'x-webhook-signature': signature,
        'x-webhook-version': '2025-01-01',
      },
    }
  }

  // --------------------------------------------------------------------------------------------------------------- calls

  async #serve(request: IncomingMessage, response: ServerResponse) {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const [method, path] = [request.method!, new URL(request.url!, 'http://cashfree').pathname.replace(/^\/pg/, '')]
    if (path.startsWith('/view/')) return this.#show(response, method, path, Buffer.concat(chunks).toString())
    const at = this.faults.findIndex((each) => each.method === method && each.path.test(path))
    const body = chunks.length === 0 ? undefined : parsed(Buffer.concat(chunks).toString())
    const planted = at < 0 ? this.plants(method, path, body) : this.faults.splice(at, 1)[0]!.fault
    const isStop = planted !== undefined && 'how' in planted && planted.how === 'stop'
    if (isStop && planted.when === 'before') await this.onStop()
    const fault = isStop ? undefined : planted
    const isDone = fault === undefined || fault.when === 'after'
    const answer = isDone ? this.#answer(request, method, path, body) : { status: 0, body: undefined }
    if (fault?.when === 'late') this.#late.push(() => this.#answer(request, method, path, body))
    if (isStop && planted.when === 'after') await this.onStop()
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    this.recorded.push({ method, path, headers, body, status: answer.status })
    if (fault && 'how' in fault) {
      if (fault.how === 'half') {
        const text = JSON.stringify(answer.body)
        response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
        response.write(text.slice(0, text.length / 2), () => request.socket.destroy())
      } else if (fault.how === 'break') request.socket.destroy()
      else this.onSilence()
      return
    }
    const told = fault ? { ...answer, status: fault.status, headers: fault.headers } : answer
    const text = fault?.body ?? JSON.stringify(fault ? { message: 'planted', code: 'planted', type: 'api_error' } : answer.body)
    response.writeHead(told.status, { 'content-type': fault?.type ?? 'application/json', 'x-api-version': '2025-01-01', ...told.headers })
    response.end(text)
  }

  #show(response: ServerResponse, method: string, path: string, text: string) {
    this.visits.push(`${method} ${path}`)
    const { status, headers, html } = visit(this, { method, path, form: new URLSearchParams(text) })
    response.writeHead(status, headers).end(html)
  }

  #answer(request: IncomingMessage, method: string, path: string, body: Entity | undefined): Answer {
    const { headers } = request
    const isOfAccount = path !== '/orders/sessions' // the package sends no keys there: the session names the account
    if (isOfAccount && (headers['x-client-id'] !== CLIENT_ID || headers['x-client-secret'] !== CLIENT_SECRET))
      return refusal(401, 'request_failed', 'authentication Failed', 'authentication_error')
    const limited = this.#tooMany(callName(method, path))
    if (limited) return limited
    if (headers['x-api-version'] === undefined) return refusal(400, 'version_invalid', 'api version is missing')
    const [, collection, id = '', part, name = ''] = path.split('/').map(decodeURIComponent)
    if (method === 'POST' && path === '/orders') return this.#create(body ?? {})
    if (method === 'POST' && path === '/orders/sessions') return this.#pay(body ?? {})
    if (method === 'POST' && path === '/simulate') return this.#simulate(body ?? {})
    if (method === 'GET' && collection === 'simulate') return this.#simulated(id)
    const order = collection === 'orders' ? this.#current(id) : undefined
    if (!order) return refusal(404, 'order_not_found', 'Order Reference Id does not exist')
    if (method === 'GET' && part === undefined) return { status: 200, body: orderEntity(order) }
    if (method === 'PATCH' && part === undefined) return this.#terminate(order, body ?? {})
    if (part === 'payments' && method === 'GET') return paymentsOf(order, name, this.#clock.now() - this.listsAfterMs)
    if (part === 'refunds' && method === 'POST') return this.#refund(order, body ?? {})
    if (part === 'refunds' && method === 'GET') return refundsOf(order, name)
    return refusal(404, 'not_found', 'no such path')
  }

  #tooMany(call: string): Answer | undefined {
    const most = this.limits[call]
    if (most === undefined) return undefined
    const now = this.#clock.now()
    const within = (this.#admitted.get(call) ?? []).filter((at) => at > now - MINUTE_MS)
    const isOver = within.length >= most
    this.#admitted.set(call, isOver ? within : [...within, now])
    if (!isOver) return undefined
    const seconds = Math.ceil((within[0]! + MINUTE_MS - now) / 1_000)
    return {
      ...refusal(429, 'rate_limit_exceeded', 'too many calls', 'rate_limit_error'),
      headers: { 'x-ratelimit-retry': String(seconds) },
    }
  }

  #current(id: string): SimulatedOrder | undefined {
    const order = this.orders.get(id)
    if (order?.status === 'ACTIVE' && this.#clock.now() >= order.expiresAt) order.status = 'EXPIRED'
    return order
  }

  #create(body: Entity): Answer {
    const customer = (body['customer_details'] ?? {}) as Entity
    const id = (body['order_id'] as string | undefined) ?? `order_${randomUUID().replaceAll('-', '').slice(0, 20)}`
    const amount = body['order_amount']
    if (!/^[A-Za-z0-9_-]{3,45}$/.test(id)) return refusal(400, 'order_id_invalid', 'order_id : should be alphanumeric')
    if (typeof amount !== 'number' || amount < 1 || Math.round(amount * 100) / 100 !== amount)
      return refusal(400, 'order_amount_invalid', `order_amount : Invalid amount. Value received: ${amount}`)
    if (body['order_currency'] !== 'INR') return refusal(400, 'order_currency_invalid', 'order_currency : is not enabled')
    if (!/^[0-9]{10}$/.test(String(customer['customer_phone'] ?? '').replace(/^\+91/, '')))
      return refusal(400, 'customer_details.customer_phone_missing', 'customer_phone : is missing')
    if (!/^[A-Za-z0-9_-]{3,50}$/.test(String(customer['customer_id'] ?? '')))
      return refusal(400, 'customer_details.customer_id_invalid', 'customer_id : should be alphanumeric')
    if (this.orders.has(id)) return refusal(409, 'order_already_exists', 'order with same id is already present')
    const now = this.#clock.now()
    const expiry = body['order_expiry_time'] === undefined ? now + MS_30_DAYS : Date.parse(String(body['order_expiry_time']))
    if (Number.isNaN(expiry)) return refusal(400, 'order_expiry_time_invalid', 'order_expiry_time : is no time')
    const order: SimulatedOrder = {
      id,
      cfId: `${2_149_460_000 + ++this.#number}`,
      amount,
      currency: 'INR',
      status: 'ACTIVE',
      session: `session_${randomUUID()}payment`,
      createdAt: now,
      expiresAt: expiry,
      customer,
      meta: (body['order_meta'] ?? {}) as Entity,
      tags: (body['order_tags'] ?? {}) as Record<string, string>,
      note: String(body['order_note'] ?? ''),
      payments: [],
      refunds: [],
    }
    this.orders.set(id, order)
    return { status: 200, body: orderEntity(order) }
  }

  #pay(body: Entity): Answer {
    if (this.refusesPay) return refusal(this.refusesPay, 'payment_method_unsupported', 'payment method is not enabled')
    const order = [...this.orders.values()].find(({ session }) => session === body['payment_session_id'])
    if (!order) return refusal(400, 'payment_session_id_invalid', 'payment_session_id is not present or is invalid')
    if (this.#current(order.id)!.status !== 'ACTIVE') return refusal(400, 'order_inactive', 'order is no longer active')
    const method = (body['payment_method'] ?? {}) as Record<string, Entity>
    const by = MEANS.find((means) => method[means]?.['channel'] === 'link')
    if (method['card']?.['card_cvv'] === '')
      return refusal(400, 'card_cvv_missing', 'card_cvv : is missing in the request. Value received: ')
    if (!by) return refusal(400, 'payment_method_invalid', 'payment_method : is not supported here')
    if (by === 'netbanking' && !Number.isInteger(method['netbanking']!['netbanking_bank_code']))
      return refusal(400, 'netbanking_bank_code_invalid', 'netbanking_bank_code : should be a number')
    const id = `${5_000_000_000 + ++this.#number}`
    order.payments.push({
      cf_payment_id: id,
      status: this.begins,
      amount: order.amount,
      method: by,
      begunAt: this.#clock.now(),
      completedAt: undefined,
      bankReference: null,
      more: this.feePaise > 0 ? withFee(order.amount, this.feePaise) : {},
    })
    if (this.begins !== 'PENDING') this.settle(order.id, this.begins)
    const page = `${this.url}/view/gateway/${order.session}`
    const link = `upi://pay?pa=cashfree@testbank&pn=Merchant&mc=5732&tr=${id}&tn=Payment&am=${order.amount.toFixed(2)}&cu=INR`
    const isLink = by === 'upi' && this.payLinks === 'upi'
    const payload = by === 'upi' ? { bhim: link, default: isLink ? link : page, gpay: link, paytm: link, phonepe: link, web: page } : null
    return {
      status: 200,
      body: {
        action: by === 'upi' ? 'custom' : 'link',
        cf_payment_id: id,
        channel: 'link',
        data: { url: by === 'upi' ? null : page, payload, content_type: null, method: null },
        payment_amount: order.amount,
        payment_method: by,
      },
    }
  }

  #simulate({ entity, entity_id, entity_simulation: simulation }: Entity): Answer {
    const { payment_status, payment_error_code = '' } = (simulation ?? {}) as Entity
    if (entity !== 'PAYMENTS' && entity !== 'SUBS_PAYMENTS') return refusal(400, 'entity_invalid', 'entity : is invalid')
    if (typeof entity_id !== 'string') return refusal(400, 'entity_id_invalid', 'entity_id : should be a string')
    if (!SIMULATED.includes(payment_status) || typeof payment_error_code !== 'string')
      return refusal(400, 'entity_simulation_invalid', 'entity_simulation : is invalid')
    const payments = [...this.orders.values()].flatMap((order) => order.payments.map((payment) => ({ order, payment })))
    const found = entity === 'PAYMENTS' ? payments.find(({ payment }) => payment.cf_payment_id === entity_id) : undefined
    if (!found) return refusal(404, 'payment_not_found', 'transaction does not exist')
    if (!isUnderWay(found.payment)) return refusal(400, 'payment_not_pending', 'transaction is over')
    this.#decide(found.order, found.payment, payment_status as PaymentStatus)
    const simulation_id = `sim_${++this.#number}`
    const body = { simulation_id, entity, entity_id, entity_simulation: { payment_status, payment_error_code } }
    this.#simulations.set(simulation_id, body)
    return { status: 200, body }
  }

  #simulated(id: string): Answer {
    const body = this.#simulations.get(id)
    return body ? { status: 200, body } : refusal(404, 'simulation_not_found', 'simulation does not exist')
  }

  #decide(order: SimulatedOrder, payment: SimulatedPayment, status: PaymentStatus) {
    if (status !== 'SUCCESS' || this.paysLateMs === 0) return this.settle(order.id, status, payment)
    order.status = 'EXPIRED'
    payment.status = 'FAILED'
    setTimeout(() => {
      order.status = 'ACTIVE'
      this.settle(order.id, 'SUCCESS', payment)
    }, this.paysLateMs)
  }

  #terminate(order: SimulatedOrder, body: Entity): Answer {
    if (body['order_status'] !== 'TERMINATED') return refusal(400, 'order_status_invalid', 'order_status : should be TERMINATED')
    if (order.status !== 'ACTIVE' && order.status !== 'TERMINATION_REQUESTED')
      return refusal(400, 'order_inactive', `order is ${order.status}`)
    order.status = order.payments.some(isUnderWay) ? 'TERMINATION_REQUESTED' : 'TERMINATED'
    return { status: 200, body: orderEntity(order) }
  }

  #refund(order: SimulatedOrder, body: Entity): Answer {
    const [id, amount] = [String(body['refund_id'] ?? ''), body['refund_amount']]
    if (!/^[A-Za-z0-9_-]{3,40}$/.test(id)) return refusal(400, 'refund_id_invalid', 'refund_id : should be alphanumeric')
    if (typeof amount !== 'number' || amount <= 0) return refusal(400, 'refund_amount_invalid', 'refund_amount : should be a number')
    const isKnown = order.refunds.some(({ refund_id }) => refund_id === id)
    if (isKnown) return refusal(this.refundAgain, 'refund_already_exists', 'refund with same id is already present')
    const paid = order.payments.find(({ status }) => status === 'SUCCESS')
    if (!paid) return refusal(400, 'refund_not_possible', 'no successful payment for the order')
    const given = order.refunds
      .filter(({ status }) => status !== 'FAILED' && status !== 'CANCELLED')
      .reduce((sum, each) => sum + each.amount, 0)
    if (Math.round((given + amount) * 100) > Math.round(paid.amount * 100))
      return refusal(400, 'refund_amount_invalid', 'refund amount exceeds what is left')
    const status = this.refundBegins
    order.refunds.push({ cf_refund_id: `${++this.#number}`, refund_id: id, amount, status, type: 'MERCHANT_INITIATED' })
    return { status: 200, body: refundEntity(order, order.refunds.at(-1)!) }
  }
}

interface WebhookGiven {
  at?: number
  secret?: string
  type?: string
  tags?: Record<string, string>
}

const refusal = (status: number, code: string, message: string, type = 'invalid_request_error'): Answer => ({
  status,
  body: { message, code, type },
})

const withFee = (amount: number, feePaise: number): Entity => ({
  payment_amount: Math.round(amount * 100 + feePaise) / 100,
  payment_surcharge: { payment_surcharge_service_charge: feePaise / 100, payment_surcharge_service_tax: 0 },
})

const isUnderWay = ({ status }: SimulatedPayment) => status === 'PENDING' || status === 'NOT_ATTEMPTED'

function parsed(text: string): Entity | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Time in India, as Cashfree writes it. */
const india = (ms: number) => new Date(ms + 19_800_000).toISOString().replace(/\.[0-9]+Z$/, '+05:30')

const orderEntity = (order: SimulatedOrder) => ({
  cf_order_id: order.cfId,
  created_at: india(order.createdAt),
  customer_details: { customer_name: null, customer_email: null, ...order.customer, customer_uid: null },
  entity: 'order',
  order_amount: order.amount,
  order_currency: order.currency,
  order_expiry_time: india(order.expiresAt),
  order_id: order.id,
  order_meta: { return_url: null, notify_url: null, payment_methods: null, ...order.meta },
  order_note: order.note,
  order_splits: [],
  order_status: order.status,
  order_tags: Object.keys(order.tags).length > 0 ? order.tags : null,
  payment_session_id: order.session,
})

function paymentEntity(order: SimulatedOrder, payment: SimulatedPayment) {
  return {
    auth_id: null,
    authorization: null,
    bank_reference: payment.bankReference,
    cf_payment_id: payment.cf_payment_id,
    entity: 'payment',
    error_details: null,
    is_captured: payment.status === 'SUCCESS',
    order_amount: order.amount,
    order_currency: 'INR',
    order_id: order.id,
    payment_amount: payment.amount,
    payment_completion_time: payment.completedAt === undefined ? null : india(payment.completedAt),
    payment_currency: 'INR',
    payment_gateway_details: null,
    payment_group: payment.method === 'upi' ? 'upi' : 'net_banking',
    payment_message: null,
    payment_method: payment.method === 'upi' ? { upi: { channel: 'link', upi_id: 'payer@bank' } } : { netbanking: { channel: 'link' } },
    payment_status: payment.status,
    payment_surcharge: null,
    payment_time: india(order.createdAt),
    ...payment.more,
  }
}

const refundEntity = (order: SimulatedOrder, refund: SimulatedRefund) => ({
  cf_payment_id: order.payments.find(({ status }) => status === 'SUCCESS')?.cf_payment_id,
  cf_refund_id: refund.cf_refund_id,
  created_at: india(order.createdAt),
  entity: 'refund',
  order_id: order.id,
  processed_at: refund.status === 'SUCCESS' ? india(order.createdAt) : null,
  refund_amount: refund.amount,
  refund_arn: refund.status === 'SUCCESS' ? `${refund.cf_refund_id}77` : null,
  refund_charge: 0,
  refund_currency: 'INR',
  refund_id: refund.refund_id,
  refund_note: null,
  refund_status: refund.status,
  refund_type: refund.type,
  status_description: 'as it stands',
})

function paymentsOf(order: SimulatedOrder, id: string, begunUntil: number): Answer {
  const listed = order.payments.filter(({ begunAt }) => begunAt <= begunUntil)
  if (!id) return { status: 200, body: listed.map((payment) => paymentEntity(order, payment)) }
  const payment = listed.find(({ cf_payment_id }) => cf_payment_id === id)
  return payment ? { status: 200, body: paymentEntity(order, payment) } : refusal(404, 'payment_not_found', 'payment not found')
}

function refundsOf(order: SimulatedOrder, id: string): Answer {
  if (!id) return { status: 200, body: order.refunds.map((refund) => refundEntity(order, refund)) }
  const refund = order.refunds.find(({ refund_id }) => refund_id === id)
  return refund ? { status: 200, body: refundEntity(order, refund) } : refusal(404, 'refund_not_found', 'Refund does not exist')
}
