// An answer and a refusal of every operation, from the sandbox, with a fixed clock and fixed chance. docs/examples holds them.

import assert from 'node:assert/strict'
import { type OperationName, operations } from '../../../src/api/operations.ts'
import type { Example, Exchange } from '../../../src/cli/openapi/examples.ts'
import { sign } from '../../../src/interface/checksum.ts'
import { demoWorld, type World } from '../../../src/sandbox/world.ts'
import { addCycle, CONSENTED, setSubscription } from '../mandates/mandates.ts'
import { issueSsoToken, subscription, TODAY } from '../mandates/subscription.ts'
import { orderBody } from '../paying/order-body.ts'
import { KEY, MID, type Reply, type Service, type StoreName, startService } from '../run/service.ts'
import { basic, inbox } from '../signin/signin.ts'
import { StillRandom } from './still-random.ts'

const world: World = { ...demoWorld, merchants: demoWorld.merchants!.map((each) => ({ ...each, registersNotificationUrl: true })) }

interface Ask {
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  head?: object
  /** The member of the head that has the signature. Without it the head has none. */
  by?: 'signature' | 'token'
  body?: object
  /** Flat JSON, without head and body. */
  flat?: object
}

export interface Sent {
  name: OperationName
  method: string
  path: string
  headers: Readonly<Record<string, string>>
  text: string | undefined
}
/** Called before each request that will be answered. */
export type Look = (sent: Sent, service: Service) => Promise<void>

class Recorder {
  readonly examples: Partial<Record<OperationName, Partial<Example>>> = {}
  readonly service: Service
  readonly #look: Look | undefined
  constructor(service: Service, look?: Look) {
    this.service = service
    this.#look = look
  }
  async ask(name: OperationName, kind: keyof Example, { query, headers = {}, head = {}, by, body, flat }: Ask): Promise<Reply> {
    const { method, paths } = operations[name]
    const path = query === undefined ? paths[0] : `${paths[0]}?${new URLSearchParams(query)}`
    const bodyText = JSON.stringify(body ?? flat)
    const whole = { ...head, ...(by && { [by]: sign(bodyText, KEY, 'docs') }) }
    const text = body === undefined ? bodyText : `{"head":${JSON.stringify(whole)},"body":${bodyText}}`
    const sent = { ...headers, ...(text !== undefined && { 'content-type': 'application/json' }) }
    if (kind === 'answer') await this.#look?.({ name, method, path, headers: sent, text }, this.service)
    const reply = await this.service.call(method, path, sent, text)
    await this.service.tasks.runDue() // so that its due work draws no chance during the next request
    const exchange: Exchange = {
      request: { method, path, headers: sent, ...(text !== undefined && { body: JSON.parse(text) }) },
      reply: { status: reply.status, ...(reply.text !== '' && { body: JSON.parse(reply.text) }) },
    }
    this.examples[name] = { ...this.examples[name], [kind]: exchange }
    return reply
  }
  signed(name: OperationName, kind: keyof Example, body: object, query?: Readonly<Record<string, string>>, head: object = {}) {
    return this.ask(name, kind, { by: 'signature', head, body: { mid: MID, ...body }, ...(query && { query }) })
  }
}

const rupees = (value: string) => ({ value, currency: 'INR' })
const byToken = (token: string) => ({ tokenType: 'TXN_TOKEN', token })
const NOBODY = 'no-token-of-any-order'

/** Records every operation, in an order in which each finds the rows that it needs. */
export async function recordExamples(store: StoreName, look?: Look): Promise<Readonly<Record<OperationName, Example>>> {
  const env = { MOHUR_PUBLIC_URL: 'https://pay.example' }
  const service = await startService(store, { world, env, fresh: new StillRandom() })
  try {
    const recorder = new Recorder(service, look)
    await signIn(recorder)
    const paid = await pay(recorder)
    await payByOtp(recorder)
    await payer(recorder)
    await offers(recorder)
    await refunds(recorder, paid)
    await mandates(recorder)
    await oneWayToPay(recorder)
    assert.equal(Object.keys(recorder.examples).length, Object.keys(operations).length)
    return recorder.examples as Readonly<Record<OperationName, Example>>
  } finally {
    await service.close()
  }
}

async function signIn(recorder: Recorder) {
  const query = { locale: 'en-IN' }
  const authorization = basic('demo-app', 'demo-secret')
  const headers = { authorization, 'x-device-identifier': 'device-1' }
  await recorder.ask('sendOtp', 'refusal', { query, headers, flat: { phone: '12345' } })
  const sent = await recorder.ask('sendOtp', 'answer', { query, headers, flat: { phone: '9876543210' } })
  const [message] = await inbox(recorder.service, '9876543210')
  const { state_token } = sent.body
  await recorder.ask('validateOtp', 'refusal', { query, headers, flat: { state_token, otp: 'wrong!' } })
  const given = await recorder.ask('validateOtp', 'answer', { query, headers, flat: { state_token, otp: message!.otp } })
  const { access_token: session_token, refresh_token: refreshToken } = JSON.parse(given.body.tokens)
  await recorder.ask('userDetails', 'refusal', { headers: { session_token: 'no-token' } })
  await recorder.ask('userDetails', 'answer', { headers: { session_token } })
  const refresh = { refreshToken, deviceId: 'device-1' }
  await recorder.ask('refreshToken', 'refusal', { headers: { authorization }, flat: { grantType: 'authorization_code', ...refresh } })
  await recorder.ask('refreshToken', 'answer', { headers: { authorization }, flat: { grantType: 'refresh_token', ...refresh } })
  await recorder.ask('revokeToken', 'refusal', { headers: { ...headers, session_token: 'no-token' } })
  await recorder.ask('revokeToken', 'answer', { headers: { ...headers, session_token } })
}

const placed = (orderId: string) => ({ mid: MID, orderId })

async function pay(recorder: Recorder) {
  const query = placed('ORDER_1')
  const body = orderBody('ORDER_1', { txnAmount: rupees('100.00') })
  const created = await recorder.signed('createOrder', 'answer', body, query)
  await recorder.signed('createOrder', 'refusal', body, query)
  const head = byToken(created.body.txnToken)
  await recorder.ask('modifyOrder', 'refusal', { query, head: byToken(NOBODY), body: { txnAmount: rupees('120.00') } })
  await recorder.ask('modifyOrder', 'answer', { query, head, body: { txnAmount: rupees('120.00') } })
  await recorder.ask('fetchPaymentOptions', 'refusal', { query, head: byToken(NOBODY), body: {} })
  await recorder.ask('fetchPaymentOptions', 'answer', { query, head, body: {} })
  await recorder.ask('fetchBinDetail', 'refusal', { query, head, body: { bin: '999999' } })
  await recorder.ask('fetchBinDetail', 'answer', { query, head, body: { bin: '411111' } })
  await recorder.ask('validateVpa', 'refusal', { query, head: byToken(NOBODY), body: { vpa: 'asha@upi' } })
  await recorder.ask('validateVpa', 'answer', { query, head, body: { vpa: 'asha@upi' } })
  const { txnToken } = created.body
  const means = { ...query, requestType: 'NATIVE', paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032' }
  const reported = await recorder.ask('processTransaction', 'answer', { query, head: { txnToken }, body: means })
  await recorder.ask('processTransaction', 'refusal', { query, head: { txnToken }, body: means })
  await recorder.ask('transactionStatus', 'refusal', { head: byToken(NOBODY), body: query })
  await recorder.ask('transactionStatus', 'answer', { head, body: query })
  await recorder.signed('orderStatus', 'refusal', { orderId: 'ORDER_0' })
  await recorder.signed('orderStatus', 'answer', { orderId: 'ORDER_1' })
  return { orderId: 'ORDER_1', txnId: reported.body.txnId as string }
}

async function payByOtp(recorder: Recorder) {
  const { service } = recorder
  const query = placed('ORDER_2')
  const created = await service.signed(`${operations.createOrder.paths[0]}?${new URLSearchParams(query)}`, orderBody('ORDER_2'))
  const head = { txnToken: created.body.txnToken }
  const card = { paymentMode: 'CREDIT_CARD', cardInfo: '|4000000000003220|123|122032', authMode: 'otp' }
  const path = `${operations.processTransaction.paths[0]}?${new URLSearchParams(query)}`
  await service.post(path, JSON.stringify({ head, body: { ...query, ...card } }))
  await recorder.ask('directBankRequest', 'refusal', { query, head, body: { ...query, requestType: 'submit', otp: '999999' } })
  await recorder.ask('directBankRequest', 'answer', { query, head, body: { ...query, requestType: 'submit', otp: '123123' } })
}

/** A payer signs in at the checkout of an order, which is closed then. */
async function payer(recorder: Recorder) {
  const { service } = recorder
  const query = placed('ORDER_3')
  const created = await service.signed(`${operations.createOrder.paths[0]}?${new URLSearchParams(query)}`, orderBody('ORDER_3'))
  const head = byToken(created.body.txnToken)
  await recorder.ask('sendCheckoutOtp', 'refusal', { query, head, body: { mobileNo: '12345' } })
  await recorder.ask('sendCheckoutOtp', 'answer', { query, head, body: { mobileNo: '9876501234' } })
  const [message] = await inbox(service, '9876501234')
  await recorder.ask('validateCheckoutOtp', 'refusal', { query, head, body: { otp: 'wrong!' } })
  await recorder.ask('validateCheckoutOtp', 'answer', { query, head, body: { otp: message!.otp } })
  await recorder.signed('closeOrder', 'answer', { requestType: 'CLOSE', orderId: 'ORDER_3' })
  await recorder.signed('closeOrder', 'refusal', { requestType: 'CLOSE', orderId: 'ORDER_3' })
}

async function offers(recorder: Recorder) {
  const head = { channelId: 'WEB', tokenType: 'CHECKSUM', requestId: 'request-1' }
  const options = { paymentOptions: [{ transactionAmount: '1000.00', payMethod: 'UPI' }], totalTransactionAmount: '1000.00' }
  const query = { mid: MID }
  await recorder.ask('applyPromo', 'answer', { query, head, by: 'token', body: { mid: MID, ...options } })
  await recorder.ask('applyPromo', 'refusal', { query, head: { ...head, token: 'wrong' }, body: { mid: MID, ...options } })
  await recorder.ask('fetchAllPaymentOffers', 'answer', { query, head, by: 'token', body: { mid: MID } })
  await recorder.ask('fetchAllPaymentOffers', 'refusal', { query, head: { ...head, token: 'wrong' }, body: { mid: MID } })
  const referenceId = 'REFERENCE_1'
  const access: Ask = { query: { mid: MID, referenceId }, head: { tokenType: 'CHECKSUM' }, by: 'token', body: { mid: MID, referenceId } }
  await recorder.ask('createAccessToken', 'answer', access)
  await recorder.ask('createAccessToken', 'refusal', access)
}

async function refunds(recorder: Recorder, { orderId, txnId }: { orderId: string; txnId: string }) {
  const asked = { txnType: 'REFUND', orderId, txnId, refId: 'REFUND_1' }
  await recorder.signed('applyRefund', 'answer', { ...asked, refundAmount: '20.00' })
  await recorder.signed('applyRefund', 'refusal', { ...asked, refId: 'REFUND_2', refundAmount: '500.00' })
  await recorder.signed('refundStatus', 'answer', { orderId, refId: 'REFUND_1' })
  await recorder.signed('refundStatus', 'refusal', { orderId, refId: 'REFUND_0' })
  const [from, to] = [`${TODAY}T00:00:00+05:30`, '2026-06-16T00:00:00+05:30']
  await recorder.signed('orderList', 'answer', { fromDate: from, toDate: to, orderSearchType: 'TRANSACTION' })
  await recorder.signed('orderList', 'refusal', { fromDate: to, toDate: from, orderSearchType: 'TRANSACTION' })
  await recorder.signed('refundList', 'answer', { startDate: from, endDate: to })
  await recorder.signed('refundList', 'refusal', { startDate: to, endDate: from })
  const flat = { mid: MID, queryParam: 'notificationUrls', paymentNotificationUrl: 'http://127.0.0.1:9/notified' }
  const headers = { 'x-checksum': sign(JSON.stringify(flat), KEY, 'docs') }
  await recorder.ask('registerNotificationUrl', 'refusal', { headers: { 'x-checksum': 'wrong' }, flat })
  await recorder.ask('registerNotificationUrl', 'answer', { headers, flat })
}

const { subscriptionMaxAmount: _, ...monthly } = subscription('SUBSCRIPTION_1')
const WEEKLY = { ...monthly, subscriptionAmountType: 'FIX', renewalAmount: '100.00', subscriptionFrequencyUnit: 'WEEK' }

async function mandates(recorder: Recorder) {
  const { service } = recorder
  const query = placed('SUBSCRIPTION_1')
  const initiated = await recorder.signed('initiateSubscription', 'answer', WEEKLY, query)
  await recorder.signed('initiateSubscription', 'refusal', { ...WEEKLY, subscriptionFrequencyUnit: 'DAY' }, query)
  const subsId = initiated.body.subscriptionId as string
  await setSubscription(service, subsId, CONSENTED)
  const noticed = { notices: 1, noticedAt: Date.parse('2026-06-13T10:00:00+05:30'), noticedPaise: 100_00 }
  const fixed = { amountType: 'FIX', amountPaise: 100_00, maxPaise: 100_00 } as const
  await addCycle(service, subsId, { status: 'NOTIFIED', dueDate: TODAY, windowTo: '2026-06-17', ...fixed, ...noticed })

  const sso = { tokenType: 'AES', token: 'not looked at' }
  await recorder.signed('listSubscriptions', 'answer', { custId: 'C1' }, undefined, sso)
  await recorder.signed('listSubscriptions', 'refusal', { custId: 'C1', pageSize: 1000 }, undefined, sso)
  const both = async (name: OperationName, body: object, refused: object) => {
    await recorder.signed(name, 'answer', { subsId, ...body })
    await recorder.signed(name, 'refusal', { subsId, ...body, ...refused })
  }
  const unknown = { subsId: '17814978000000000000000000' }
  await both('checkSubscriptionStatus', {}, unknown)
  await both('consultSubscription', { amount: '100.00' }, unknown)
  const notice = { txnAmount: '100.00', subscriptionScheduledExecutionDate: '2026-06-22', referenceId: 'NOTICE_1' }
  await both('preNotify', notice, { subscriptionScheduledExecutionDate: '2026-07-22' })
  await both('preNotifyStatus', { referenceId: 'NOTICE_1' }, { referenceId: 'NOTICE_0' })
  const renewal = { mid: MID, orderId: 'RENEWAL_1', subscriptionId: subsId, txnAmount: rupees('100.00') }
  await recorder.signed('renewSubscription', 'answer', renewal, placed('RENEWAL_1'))
  await recorder.signed('renewSubscription', 'refusal', { ...renewal, orderId: 'RENEWAL_2' }, placed('RENEWAL_2'))
  await both('editSubscription', { renewalAmount: '90.00' }, {})
  await both('modifySubscriptionStatus', { status: 'SUSPENDED' }, unknown)
  await both('cancelSubscription', {}, unknown)
}

/** A page's questions about one way to pay. The wallet is that of a payer who came with the order. */
async function oneWayToPay(recorder: Recorder) {
  const { service } = recorder
  const paytmSsoToken = await issueSsoToken(service, 'sso-token')
  const [nobodys, own] = [placed('ORDER_4'), placed('ORDER_5')]
  const created = async (query: { orderId: string }, more: object) => {
    const path = `${operations.createOrder.paths[1]}?${new URLSearchParams(query)}`
    return byToken((await service.signed(path, orderBody(query.orderId, { txnAmount: rupees('12000.00'), ...more }))).body.txnToken)
  }
  const [head, ownHead] = [await created(nobodys, {}), await created(own, { paytmSsoToken })]
  await recorder.ask('fetchBalanceInfo', 'refusal', { query: nobodys, head, body: { paymentMode: 'BALANCE' } })
  await recorder.ask('fetchBalanceInfo', 'answer', { query: own, head: ownHead, body: { paymentMode: 'BALANCE' } })
  await recorder.ask('fetchNbPaymentChannels', 'refusal', { query: own, head: byToken(NOBODY), body: { type: 'MERCHANT' } })
  await recorder.ask('fetchNbPaymentChannels', 'answer', { query: own, head: ownHead, body: { type: 'MERCHANT' } })
  await recorder.ask('fetchEmiDetail', 'refusal', { query: own, head: ownHead, body: { channelCode: 'HDFC,' } })
  await recorder.ask('fetchEmiDetail', 'answer', { query: own, head: ownHead, body: { channelCode: 'HDFC' } })
}
