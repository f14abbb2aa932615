// Process Transaction, Direct Bank Request, Order Status and Close Order over HTTP: one row per row of docs/interface.md section 7, in
// order of precedence. Each row also has the faults of the rows below it, as far as they are possible together.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import {
  closeOrder as closeCodes,
  directBankRequest as directCodes,
  processTransaction as payCodes,
  type ResultCode,
  orderStatus as statusCodes,
} from '../../../src/interface/result-codes.ts'
import { issueSsoToken } from '../../support/mandates/subscription.ts'
import { CARD, createOrder, type Order, pay, script, statusOf } from '../../support/paying/paying.ts'
import { MID, onBothStores, type Reply, type Service, type StoreName, sharedService } from '../../support/run/service.ts'
import { type FaultPoint, type Faults, withFailingQuery, withFaults } from '../../support/store/faults.ts'

const forged = `${'A'.repeat(107)}=`
const DECLINED = { paymentMode: 'UPI', payerAccount: 'declined@upi' }
const PENDING = { paymentMode: 'UPI', payerAccount: 'pending@upi' }
const OTP_CARD = { paymentMode: 'CREDIT_CARD', authMode: 'otp', cardInfo: '|4000000000003220|123|122032' }
const FIRE = () => new Error('the disk is on fire')

/** A service whose store can fail, in a transaction and in a read beside it. */
function failingService(store: StoreName) {
  const failing = { now: false }
  const made: { faults?: Faults } = {}
  const service = sharedService(store, {
    exit: () => {},
    store(under) {
      made.faults = withFaults(under)
      return withFailingQuery(made.faults.store, failing)
    },
  })
  const during = <T>(at: FaultPoint, work: () => Promise<T>) => made.faults!.during(at, FIRE(), work)
  return { service, failing, during }
}

/** The number of events. A refusal does not change it. */
const decided = async ({ ports }: Service) => (await ports.query.rows({ find: 'events', limit: 10_000 })).length

function reported(reply: Reply, code: ResultCode, message?: string) {
  assert.equal(reply.status, 200)
  const { code: resultCode, status: resultStatus, message: resultMsg } = code
  assert.deepEqual(reply.body.resultInfo, { resultStatus, resultCode, resultMsg: message ?? resultMsg }, reply.text)
}

interface Asked {
  /** Undefined members are left out. */
  query?: Record<string, string | undefined>
  head?: object
  body?: object
  text?: string
}

const sendTo =
  (path: string) =>
  ({ post }: Service, { orderId, txnToken }: Order, { query = {}, head = {}, body = {}, text }: Asked) => {
    const parameters = Object.entries({ mid: MID, orderId, ...query }).filter(([, value]) => value !== undefined) as [string, string][]
    const whole = { head: { txnToken, ...head }, body: { mid: MID, orderId, ...body } }
    return post(`${path}?${new URLSearchParams(parameters)}`, text ?? JSON.stringify(whole))
  }
const sendPay = sendTo('/theia/api/v1/processTransaction')
const sendOtp = sendTo('/theia/api/v1/directBankRequest')

// ------------------------------------------------------------------------------------------------- process transaction

interface Case extends Asked {
  code: keyof typeof payCodes
  message?: string
  what: string
}
/** Every fault of a later row that is possible here. */
const wrongAll = {
  requestType: 'GIFT',
  txnRoutingParams: { rule: 'x' },
  paymentMode: 'CREDIT_CARD',
  cardInfo: '|4111111111111112|123|012020',
}
const wrongToken = { txnToken: 'nobody' }

const payCases: Case[] = [
  { code: 'invalidBody', what: 'text that is not JSON', text: '{"head":{},"body":' },
  { code: 'invalidBody', what: 'a body that is a list', text: '{"head":{},"body":[]}' },
  {
    code: 'missingParam',
    what: 'a query without orderId',
    query: { orderId: undefined },
    head: wrongToken,
    body: { ...wrongAll, paymentMode: null },
  },
  { code: 'missingParam', what: 'no token', head: { txnToken: null }, body: { ...wrongAll, paymentMode: null } },
  { code: 'missingParam', what: 'a token of another type', head: { txnToken: null, tokenType: 'SSO', token: 'x' }, body: wrongAll },
  { code: 'missingElement', what: 'no paymentMode', query: { mid: 'OTHER' }, head: wrongToken, body: { ...wrongAll, paymentMode: '' } },
  {
    code: 'midMismatch',
    what: 'another mid and orderId in the query',
    query: { mid: 'OTHER', orderId: 'other' },
    head: wrongToken,
    body: wrongAll,
  },
  { code: 'orderIdMismatch', what: 'another orderId in the query', query: { orderId: 'other' }, head: wrongToken, body: wrongAll },
  {
    code: 'invalidField',
    message: 'Invalid channelId',
    what: 'a channelId of its own',
    head: { ...wrongToken, channelId: 'TV' },
    body: { ...wrongAll, requestType: 'NATIVE' },
  },
  { code: 'invalidField', message: 'Invalid requestType', what: 'a requestType of its own', head: wrongToken, body: wrongAll },
  {
    code: 'invalidField',
    message: 'Invalid paymentMode',
    what: 'a mode that nobody has',
    head: wrongToken,
    body: { ...wrongAll, requestType: 'NATIVE', paymentMode: 'CASH' },
  },
  {
    code: 'invalidField',
    message: 'Invalid payerAccount',
    what: 'a UPI id without a handle',
    head: wrongToken,
    body: { paymentMode: 'UPI', payerAccount: 'asha' },
  },
  {
    code: 'invalidField',
    message: 'Invalid channelCode',
    what: 'a way that UPI does not have',
    head: wrongToken,
    body: { ...PENDING, channelCode: 'HDFC' },
  },
  {
    code: 'invalidField',
    message: 'Invalid cardInfo',
    what: 'three parts of a card',
    head: wrongToken,
    body: { ...CARD, cardInfo: '4111111111111111|123|122032' },
  },
  {
    code: 'invalidField',
    message: 'Invalid cardInfo',
    what: 'a CVV of letters',
    head: wrongToken,
    body: { ...CARD, cardInfo: '|4111111111111112|abc|012020' },
  },
  {
    code: 'illegalParameter',
    message: "Parameter '[txnRoutingParams.rule]' has invalid value '[x]'",
    what: 'a routing parameter that is no object',
    head: wrongToken,
    body: { ...wrongAll, requestType: 'NATIVE' },
  },
  { code: 'missingElement', what: 'a card payment without a card', head: wrongToken, body: { paymentMode: 'DEBIT_CARD' } },
  { code: 'missingElement', what: 'net-banking without a bank', head: wrongToken, body: { paymentMode: 'NET_BANKING' } },
  { code: 'missingElement', what: 'a collect without a UPI id', head: wrongToken, body: { paymentMode: 'UPI' } },
  {
    code: 'missingElement',
    what: 'EMI without a plan, and a wrong card',
    head: wrongToken,
    body: { ...wrongAll, requestType: 'NATIVE', txnRoutingParams: {}, paymentMode: 'EMI' },
  },
  {
    code: 'cardNotSupported',
    what: 'a card with a wrong check digit that is past as well',
    head: wrongToken,
    body: { ...CARD, cardInfo: '|4111111111111112|123|012020' },
  },
  { code: 'invalidExpiry', what: 'a card of last month', head: wrongToken, body: { ...CARD, cardInfo: '|4111111111111111|123|052026' } },
  { code: 'invalidExpiry', what: 'a thirteenth month', head: wrongToken, body: { ...CARD, cardInfo: '|4111111111111111|123|132032' } },
  { code: 'invalidExpiry', what: 'a card for thirty years', head: wrongToken, body: { ...CARD, cardInfo: '|4111111111111111|123|062056' } },
  {
    code: 'invalidField',
    message: 'Invalid channelCode',
    what: 'a bank that nobody knows',
    head: wrongToken,
    body: { paymentMode: 'NET_BANKING', channelCode: 'NOBANK' },
  },
  {
    code: 'invalidField',
    message: 'Invalid payerAccount',
    what: 'a handle that nobody knows',
    head: wrongToken,
    body: { paymentMode: 'UPI', payerAccount: 'asha@nowhere' },
  },
  {
    code: 'invalidField',
    message: 'Invalid planId',
    what: 'a plan that nobody knows',
    head: wrongToken,
    body: { ...CARD, paymentMode: 'EMI', planId: 'HDFC|7' },
  },
  {
    code: 'invalidField',
    message: 'Invalid planId',
    what: "another bank's plan",
    head: wrongToken,
    body: { ...CARD, paymentMode: 'EMI', planId: 'AXIS|3' },
  },
  {
    code: 'cardNotSupported',
    what: 'a debit card as a credit card',
    head: wrongToken,
    body: { ...CARD, cardInfo: '|4012888888881881|123|122032' },
  },
  {
    code: 'cardNotSupported',
    what: 'a card of no known network',
    head: wrongToken,
    body: { ...CARD, cardInfo: '|9000000000000001|123|122032' },
  },
  {
    code: 'invalidToken',
    what: 'a token that nobody has, and a saved card that nobody has',
    head: wrongToken,
    body: { ...CARD, cardInfo: 'nobody||123|' },
  },
  { code: 'invalidField', message: 'Invalid cardInfo', what: 'a saved card that nobody has', body: { ...CARD, cardInfo: 'nobody||123|' } },
  {
    code: 'invalidField',
    message: 'Invalid paymentMode',
    what: 'the wallet of nobody',
    body: { paymentMode: 'BALANCE', promoCode: 'NONE' },
  },
  {
    code: 'invalidField',
    message: 'Invalid paymentFlow',
    what: 'part of the wallet of nobody',
    body: { ...CARD, paymentFlow: 'HYBRID', promoCode: 'NONE' },
  },
  {
    code: 'invalidField',
    message: 'Invalid planId',
    what: 'a plan for larger amounts',
    body: { ...CARD, paymentMode: 'EMI', planId: 'HDFC|3' },
  },
  { code: 'invalidField', message: 'Invalid promoCode', what: 'an offer that there is not', body: { ...CARD, promoCode: 'NONE' } },
]

onBothStores('process transaction', (store) => {
  const { service, failing, during } = failingService(store)
  let open: Order
  before(async () => {
    open = await createOrder(await service(), 'OPEN')
  })

  for (const { code, message, what, ...asked } of payCases) {
    test(`${payCodes[code].code}: ${what}`, async () => {
      const running = await service()
      const count = await decided(running)
      reported(await sendPay(running, open, asked), payCodes[code], message)
      assert.equal(await decided(running), count)
    })
  }

  test('1006: a token of another order, and of an order that is not there', async () => {
    const running = await service()
    const other = await createOrder(running, 'NEIGHBOUR')
    reported(await pay(running, { ...other, txnToken: open.txnToken }, CARD), payCodes.invalidToken)
    reported(await pay(running, { orderId: 'NOWHERE', txnToken: open.txnToken }, CARD), payCodes.invalidToken)
  })

  test('201, 372, 410, 1005: the state is reported before the age of the token, and only then 1006', async () => {
    const running = await service()
    const orders: Record<string, Order> = {}
    for (const name of ['paid', 'tried', 'closed', 'busy', 'fresh']) orders[name] = await createOrder(running, `STATE-${name}`)
    reported(await pay(running, orders['paid']!, CARD), payCodes.success)
    for (let attempt = 1; attempt <= 5; attempt++)
      reported(await pay(running, orders['tried']!, DECLINED), payCodes.failed, 'The bank declined the payment')
    reported(
      await running.signed('/v1/order/close', { requestType: 'CLOSE', mid: MID, orderId: orders['closed']!.orderId }),
      closeCodes.success,
    )
    reported(await pay(running, orders['busy']!, PENDING), payCodes.success)
    for (const old of [false, true]) {
      if (old) running.clock.advance(15 * 60_000)
      reported(await pay(running, orders['paid']!, { ...CARD, promoCode: 'NONE' }), payCodes.orderPaid)
      reported(await pay(running, orders['tried']!, { ...CARD, promoCode: 'NONE' }), payCodes.attemptsExceeded)
      reported(await pay(running, orders['closed']!, { ...CARD, promoCode: 'NONE' }), payCodes.orderClosed)
      reported(await pay(running, orders['busy']!, { ...CARD, promoCode: 'NONE' }), payCodes.duplicateRequest)
    }
    reported(await pay(running, orders['fresh']!, { ...CARD, promoCode: 'NONE' }), payCodes.invalidToken)
  })

  test('a token pays for fifteen minutes less nothing', async () => {
    const running = await service()
    const [first, second] = [await createOrder(running, 'AGE1'), await createOrder(running, 'AGE2')]
    running.clock.advance(15 * 60_000 - 1)
    reported(await pay(running, first, CARD), payCodes.success)
    running.clock.advance(1)
    reported(await pay(running, second, CARD), payCodes.invalidToken)
  })

  test('1001 and 312: what an order leaves out cannot pay it, each refusal before the amount over the limit', async () => {
    const running = await service()
    const of = (orderId: string, more: object) =>
      createOrder(running, orderId, { txnAmount: { value: '200000.01', currency: 'INR' }, ...more })
    const without = await of('WITHOUT', {
      disablePaymentMode: [
        { mode: 'UPI', channels: ['UPI'] },
        { mode: 'CREDIT_CARD', channels: ['VISA'] },
        { mode: 'NET_BANKING', banks: ['HDFC'] },
        { mode: 'EMI', tenures: [3] },
        { mode: 'PPBL' },
      ],
    })
    reported(await pay(running, without, { paymentMode: 'PPBL' }), payCodes.invalidField, 'Invalid paymentMode')
    reported(await pay(running, without, PENDING), payCodes.invalidField, 'Invalid channelCode')
    reported(await pay(running, without, { paymentMode: 'NET_BANKING', channelCode: 'HDFC' }), payCodes.invalidField, 'Invalid channelCode')
    reported(await pay(running, without, CARD), payCodes.cardNotSupported)
    reported(await pay(running, without, { ...CARD, paymentMode: 'EMI', planId: 'HDFC|3' }), payCodes.invalidField, 'Invalid planId')
    const only = await of('ONLY', { enablePaymentMode: [{ mode: 'CREDIT_CARD', channels: ['MASTER'] }] })
    reported(await pay(running, only, PENDING), payCodes.invalidField, 'Invalid paymentMode')
    reported(await pay(running, only, CARD), payCodes.cardNotSupported)
    reported(await pay(running, without, { paymentMode: 'UPI_INTENT' }), payCodes.amountOverLimit)
  })

  test('RC-00018 and 235: the limit of a mode comes before what the wallet holds', async () => {
    const running = await service()
    const paytmSsoToken = await issueSsoToken(running, `sso-limits-${store}`)
    const create = (orderId: string, value: string) =>
      createOrder(running, orderId, { txnAmount: { value, currency: 'INR' }, paytmSsoToken })
    reported(await pay(running, await create('LIMIT1', '200000.01'), { paymentMode: 'BALANCE' }), payCodes.amountOverLimit)
    reported(await pay(running, await create('LIMIT2', '5000.01'), { paymentMode: 'WALLET' }), payCodes.insufficientFunds)
    reported(await pay(running, await create('LIMIT3', '60000.01'), { paymentMode: 'PAYTM_DIGITAL_CREDIT' }), payCodes.amountOverLimit)
    reported(
      await pay(running, await create('LIMIT4', '100000.01'), { paymentMode: 'UPI', payerAccount: 'a.b@upi' }),
      payCodes.amountOverLimit,
    )
    reported(await pay(running, await create('LIMIT5', '100000.00'), { paymentMode: 'UPI', payerAccount: 'a.b@upi' }), payCodes.success)
  })

  for (const at of ['begin', 'read', 'write', 'commit'] as const satisfies readonly FaultPoint[]) {
    test(`501: a store that fails once at ${at}; nothing has begun, and the order can be paid afterwards`, async () => {
      const running = await service()
      const order = await createOrder(running, `FAULT-${at}`)
      const reply = await during(at, () => pay(running, order, CARD))
      reported(reply, payCodes.systemError)
      assert.ok(!reply.text.includes('fire'))
      reported(await statusOf(running, order), statusCodes.noTransaction)
      reported(await pay(running, order, CARD), payCodes.success)
    })
  }

  test('501: a store that cannot be looked into', async () => {
    const running = await service()
    const order = await createOrder(running, 'FAULT-look')
    failing.now = true
    try {
      reported(await pay(running, order, CARD), payCodes.systemError)
    } finally {
      failing.now = false
    }
    reported(await pay(running, order, CARD), payCodes.success)
  })
})

// ------------------------------------------------------------------------------------------------- direct bank request

const directCases: (Asked & { code: keyof typeof directCodes; message?: string; what: string })[] = [
  { code: 'invalidBody', what: 'an empty text', text: '' },
  { code: 'missingParam', what: 'a query without mid', query: { mid: undefined }, head: wrongToken, body: { requestType: null } },
  { code: 'missingParam', what: 'no token', head: { txnToken: '' }, body: { requestType: null } },
  { code: 'missingElement', what: 'no requestType', query: { mid: 'OTHER' }, head: wrongToken, body: { otp: 'letters' } },
  {
    code: 'midMismatch',
    what: 'another mid and orderId',
    query: { mid: 'OTHER', orderId: 'other' },
    head: wrongToken,
    body: { requestType: 'guess' },
  },
  { code: 'orderIdMismatch', what: 'another orderId', query: { orderId: 'other' }, head: wrongToken, body: { requestType: 'guess' } },
  {
    code: 'invalidField',
    message: 'Invalid requestType',
    what: 'a requestType of its own',
    head: wrongToken,
    body: { requestType: 'guess' },
  },
  {
    code: 'invalidField',
    message: 'Invalid otp',
    what: 'a password of letters',
    head: wrongToken,
    body: { requestType: 'submit', otp: 'letters' },
  },
  { code: 'missingElement', what: 'nothing to submit', head: wrongToken, body: { requestType: 'submit' } },
  { code: 'invalidToken', what: 'a token that nobody has', head: wrongToken, body: { requestType: 'submit', otp: '123123' } },
  { code: 'noTransaction', what: 'an order that nobody pays', body: { requestType: 'submit', otp: '123123' } },
]

onBothStores('direct bank request', (store) => {
  const { service, failing, during } = failingService(store)
  const submit = (running: Service, order: Order, otp: string) => sendOtp(running, order, { body: { requestType: 'submit', otp } })
  let open: Order
  before(async () => {
    open = await createOrder(await service(), 'OPEN')
  })

  for (const { code, message, what, ...asked } of directCases) {
    test(`${directCodes[code].code}: ${what}`, async () => {
      const running = await service()
      const count = await decided(running)
      reported(await sendOtp(running, open, asked), directCodes[code], message)
      assert.equal(await decided(running), count)
    })
  }

  test('309: a payment that waits for something else, that is over, or whose order was closed', async () => {
    const running = await service()
    const [collect, over, closed] = [await createOrder(running, 'D1'), await createOrder(running, 'D2'), await createOrder(running, 'D3')]
    reported(await pay(running, collect, PENDING), payCodes.success)
    reported(await pay(running, over, CARD), payCodes.success)
    reported(await pay(running, closed, OTP_CARD), payCodes.success)
    reported(await running.signed('/v1/order/close', { requestType: 'CLOSE', mid: MID, orderId: closed.orderId }), closeCodes.success)
    for (const order of [collect, over, closed]) reported(await submit(running, order, '123123'), directCodes.noTransaction)
  })

  test('403, 0000: a wrong password may be tried again, and the right one pays', async () => {
    const running = await service()
    const order = await createOrder(running, 'D4')
    reported(await pay(running, order, OTP_CARD), payCodes.success)
    reported(await submit(running, order, '000000'), directCodes.wrongOtp)
    running.clock.advance(14 * 60_000) // the bank waits as long, also after the token's end
    reported(await submit(running, order, '123123'), directCodes.success)
    reported(await statusOf(running, order), statusCodes.success)
  })

  test('0001: the third wrong password, and a payer who gives up', async () => {
    const running = await service()
    const [wrong, cancelled] = [await createOrder(running, 'D5'), await createOrder(running, 'D6')]
    reported(await pay(running, wrong, OTP_CARD), payCodes.success)
    for (const _ of [1, 2]) reported(await submit(running, wrong, '000000'), directCodes.wrongOtp)
    reported(await submit(running, wrong, '000000'), directCodes.failed, statusCodes.notAuthenticated.message)
    reported(await pay(running, cancelled, OTP_CARD), payCodes.success)
    reported(await sendOtp(running, cancelled, { body: { requestType: 'cancel' } }), directCodes.failed, statusCodes.cancelled.message)
  })

  test('501: a store that fails, and the password is taken afterwards', async () => {
    const running = await service()
    const order = await createOrder(running, 'D7')
    reported(await pay(running, order, OTP_CARD), payCodes.success)
    failing.now = true
    reported(await submit(running, order, '123123'), directCodes.systemError)
    failing.now = false
    reported(await during('commit', () => submit(running, order, '123123')), directCodes.systemError) // by then the bank has the money
    reported(await statusOf(running, order), statusCodes.pending)
    running.clock.advance(90_000)
    await running.tasks.runDue()
    reported(await statusOf(running, order), statusCodes.success)
  })
})

// -------------------------------------------------------------------------------------------- order status, close order

const SIGNED_BODY = (orderId: string, more: object = {}) => ({ mid: MID, orderId, ...more })

onBothStores('order status', (store) => {
  const { service, failing } = failingService(store)
  const ask = async (body: object, options: Parameters<Service['signed']>[2] = {}) =>
    (await service()).signed('/v3/order/status', body, options)

  test('every refusal of the table, each before the rows below it', async () => {
    const running = await service()
    await createOrder(running, 'S1')
    const wrong = { signature: forged }
    reported(await running.post('/v3/order/status', '{"head":{}}'), statusCodes.invalidBody)
    reported(await ask({ orderId: 'nowhere' }, wrong), statusCodes.invalidMid)
    reported(await ask({ mid: 'NOBODY' }, wrong), statusCodes.invalidOrderId)
    reported(await ask({ mid: '!', orderId: '!' }, wrong), statusCodes.invalidOrderId)
    reported(await ask(SIGNED_BODY('!'), { ...wrong, head: { clientId: 'x'.repeat(65) } }), statusCodes.invalidOrderId)
    reported(await ask({ mid: '!', orderId: 'nowhere' }, wrong), statusCodes.invalidMid)
    reported(await ask(SIGNED_BODY('nowhere'), { head: { clientId: 'x'.repeat(65) } }), statusCodes.invalidChecksum)
    reported(await ask({ mid: 'NOBODY', orderId: 'nowhere' }, wrong), statusCodes.invalidMid)
    reported(await ask(SIGNED_BODY('nowhere'), wrong), statusCodes.invalidChecksum)
    reported(await ask(SIGNED_BODY('nowhere'), { signature: null }), statusCodes.invalidChecksum)
    reported(await ask(SIGNED_BODY('nowhere')), statusCodes.invalidOrderId)
    const none = await ask(SIGNED_BODY('S1', { txnType: 'PREAUTH' }), { head: { clientId: 'C11', version: 'v2' } })
    reported(none, statusCodes.noTransaction)
    assert.deepEqual([none.body.mid, none.body.orderId, none.head.version, none.head.clientId], [MID, 'S1', 'v2', 'C11'])
  })

  test('every state of a payment, by the row that the acquirer gave', async () => {
    const running = await service()
    const ends: [keyof typeof statusCodes, object, string[]][] = [
      ['success', CARD, []],
      ['unconfirmed', { paymentMode: 'UPI', payerAccount: 'timeout@upi' }, []],
      ['pending', PENDING, []],
      ['declined', CARD, ['declined']],
      ['insufficientFunds', { paymentMode: 'UPI', payerAccount: 'insufficient@upi' }, []],
      ['invalidInstrument', { paymentMode: 'UPI', payerAccount: 'invalid@upi' }, []],
      ['returned', { paymentMode: 'PPBL' }, ['wrongAmount']],
    ]
    for (const [code, means, outcomes] of ends) {
      const order = await createOrder(running, `END-${code}`)
      if (outcomes.length > 0) await script(running, order, ...outcomes)
      await pay(running, order, means)
      reported(await statusOf(running, order), statusCodes[code])
    }
    const declines = await createOrder(running, 'END-cancelled')
    await pay(running, declines, PENDING)
    await running.post('/sandbox/payer', JSON.stringify({ mid: MID, orderId: declines.orderId, action: 'decline' }))
    reported(await statusOf(running, declines), statusCodes.cancelled)
    running.clock.advance(15 * 60_000)
    await running.tasks.runDue()
    reported(await statusOf(running, { orderId: 'END-pending' }), statusCodes.timedOut)
    reported(await statusOf(running, { orderId: 'END-unconfirmed' }), statusCodes.timedOut)
  })

  test('501: a store that cannot be looked into', async () => {
    const running = await service()
    await createOrder(running, 'S2')
    failing.now = true
    const replies = [
      await statusOf(running, { orderId: 'S2' }),
      await running.post('/order/status', JSON.stringify({ MID, ORDERID: 'S2' })),
    ]
    failing.now = false
    reported(replies[0]!, statusCodes.systemError)
    const { MID: mid, ORDERID: orderId, STATUS: status, RESPCODE: code, TXNID: txnId } = JSON.parse(replies[1]!.text)
    assert.deepEqual({ mid, orderId, status, code, txnId }, { mid: MID, orderId: 'S2', status: 'PENDING', code: '501', txnId: '' })
  })

  test('the flat form is the same query', async () => {
    const running = await service()
    const { post, ports } = running
    const order = await createOrder(running, 'FLAT', { extendInfo: { mercUnqRef: 'ref-1' } })
    await pay(running, order, CARD)
    const flat = async (fields: Record<string, unknown>, path = '/order/status') => {
      const values = Object.keys(fields)
        .sort()
        .map((name) => fields[name])
        .join('|')
      const { signature } = (await ports.merchantKeys.sign(MID, undefined, values))!
      return JSON.parse((await post(path, JSON.stringify({ CHECKSUMHASH: signature, ...fields }))).text)
    }
    const envelope = (await statusOf(running, order)).body
    for (const path of operations.orderStatus.flatPaths!)
      assert.deepEqual(await flat({ MID, ORDERID: 'FLAT' }, path), {
        MID,
        ORDERID: 'FLAT',
        TXNID: envelope.txnId,
        BANKTXNID: envelope.bankTxnId,
        TXNAMOUNT: '100.00',
        TXNTYPE: 'SALE',
        GATEWAYNAME: 'VISA',
        BANKNAME: 'HDFC',
        PAYMENTMODE: 'CC',
        REFUNDAMT: '0.00',
        TXNDATE: envelope.txnDate,
        SUBS_ID: '',
        MERC_UNQ_REF: 'ref-1',
        STATUS: 'TXN_SUCCESS',
        RESPCODE: '01',
        RESPMSG: 'Txn Success',
      })
    const codeOf = async (fields: Record<string, unknown>) => (await flat(fields))['RESPCODE']
    assert.equal(await codeOf({ MID, ORDERID: 7 }), '334')
    assert.equal(await codeOf({ MID, ORDERID: true }), '2222')
    assert.equal(await codeOf({ A: '{"x":"', MID, ORDERID: 'S2', Z: 'y|z' }), '2222')
    assert.equal(await codeOf({ ORDERID: 'nowhere', CHECKSUMHASH: forged }), '335')
    assert.equal(await codeOf({ MID: 'NOBODY', ORDERID: 'nowhere', CHECKSUMHASH: forged }), '335')
    assert.equal(await codeOf({ MID, ORDERID: '!', CHECKSUMHASH: forged }), '334')
    assert.equal(await codeOf({ MID, ORDERID: 'nowhere', CHECKSUMHASH: forged }), '330')
    assert.equal(await codeOf({ MID, ORDERID: 'nowhere' }), '334')
    assert.equal(JSON.parse((await post('/order/status', '[]')).text).RESPCODE, '2222')
  })

  test('the older path of the envelope is the same operation', async () => {
    const { signed } = await service()
    reported(await signed('/merchant-status/api/v1/getPaymentStatus', SIGNED_BODY('nowhere')), statusCodes.invalidOrderId)
  })
})

/** The checksum's two forms share their keys. A pipe in signed JSON would turn it into values that a stranger chose. */
onBothStores('a stranger', (store) => {
  const service = sharedService(store)

  test('gets nothing signed that could be split into the fields of a callback', async () => {
    const running = await service()
    const forgery = `x|${MID}|VICTIM|01|TXN_SUCCESS|100.00|y`
    const whole = { mid: MID, orderId: 'STRANGER', txnRoutingParams: { [forgery]: 'x|y' }, extendInfo: { [forgery]: forgery } }
    const order = {
      paymentMode: 'BALANCE',
      requestType: 'PAYMENT',
      txnAmount: { value: '1.00', currency: 'INR' },
      userInfo: { custId: 'C1' },
      websiteName: 'DEFAULT',
    }
    const replies = await Promise.all(
      ['/theia/api/v1/processTransaction', '/aoa-acquiring-biz/v2/order'].map((path) =>
        sendTo(path)(running, { orderId: 'STRANGER', txnToken: 'nobody' }, { body: { ...order, ...whole } }),
      ),
    )
    for (const { head, body, text } of replies) {
      assert.match(body.resultInfo.resultMsg, /^Parameter '\[txnRoutingParams\.\?\]' has invalid value '\[x\?y\]'$/)
      assert.equal(typeof head.signature, 'string')
      assert.ok(!text.includes('|'), text)
    }
  })

  test('and the payer gets none either: a pipe in a signed reply is written as JSON may write it', async () => {
    const running = await service()
    const callbackUrl = `https://shop.example/?q=|${MID}|VICTIM|TXN_SUCCESS|`
    const { text, body, head } = await pay(running, await createOrder(running, 'PIPES', { callbackUrl }), CARD)
    assert.equal(body.callBackUrl, callbackUrl)
    assert.ok(!text.includes('|'), text)
    const bodyText = text.slice(text.indexOf('"body":') + '"body":'.length, -1)
    assert.equal(await running.ports.merchantKeys.check(MID, undefined, bodyText, head.signature), 'valid')
  })
})

onBothStores('close order', (store) => {
  const { service, during } = failingService(store)
  const ask = async (body: object, options: Parameters<Service['signed']>[2] = {}) =>
    (await service()).signed('/v1/order/close', { requestType: 'CLOSE', ...body }, options)

  test('every row of the table, each before the rows below it', async () => {
    const running = await service()
    const count = await decided(running)
    const wrong = { signature: forged }
    reported(await running.post('/v1/order/close', '{'), closeCodes.invalidBody)
    reported(await ask({ mid: '!', orderId: '!' }, { signature: null }), closeCodes.missingElement)
    reported(await ask({ mid: '!' }, wrong), closeCodes.missingElement)
    reported(
      await ask({ mid: '!', orderId: '!' }, { ...wrong, head: { clientId: 'x'.repeat(65) } }),
      closeCodes.invalidField,
      'Invalid clientId',
    )
    reported(await ask({ mid: '!', orderId: '!' }, wrong), closeCodes.invalidMid)
    reported(await ask({ mid: 'NOBODY', orderId: '!' }, wrong), closeCodes.invalidOrderId)
    reported(await ask({ ...SIGNED_BODY('C2'), requestType: undefined }), closeCodes.missingElement)
    reported(await ask({ ...SIGNED_BODY('C2'), requestType: 'PAYMENT' }), closeCodes.invalidField, 'Invalid requestType')
    reported(await ask({ ...SIGNED_BODY('C2'), resultInfo: {} }), closeCodes.invalidChecksum)
    reported(await ask({ mid: 'NOBODY', orderId: 'nowhere' }, wrong), closeCodes.invalidMid)
    reported(await ask(SIGNED_BODY('nowhere'), wrong), closeCodes.invalidChecksum)
    reported(await ask(SIGNED_BODY('nowhere')), closeCodes.invalidOrderId)
    assert.equal(await decided(running), count)

    const [paid, open] = [await createOrder(running, 'C1'), await createOrder(running, 'C2')]
    await pay(running, paid, CARD)
    reported(await ask(SIGNED_BODY('C1')), closeCodes.orderPaid)
    const closed = await ask(SIGNED_BODY('C2'))
    reported(closed, closeCodes.success)
    assert.deepEqual([closed.body.mid, closed.body.orderId], [MID, 'C2'])
    assert.equal(await running.ports.merchantKeys.check(MID, undefined, JSON.stringify(closed.body), closed.head.signature), 'valid')
    reported(await ask(SIGNED_BODY('C2')), closeCodes.orderClosed)
    reported(await pay(running, open, CARD), payCodes.orderClosed)
  })

  for (const at of ['begin', 'read', 'write', 'commit'] as const satisfies readonly FaultPoint[]) {
    test(`501: a store that fails once at ${at}`, async () => {
      await createOrder(await service(), `CF-${at}`)
      reported(await during(at, () => ask(SIGNED_BODY(`CF-${at}`))), closeCodes.systemError)
      reported(await ask(SIGNED_BODY(`CF-${at}`)), closeCodes.success)
    })
  }
})
