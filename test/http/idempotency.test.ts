// The Idempotency-Key header over HTTP: one key and one request have one answer, whatever happens in between (docs/interface.md section 4,
// "Idempotency-Key").

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SANDBOX_OTP } from '../../src/adapters/acquirer/sandbox/sandbox.ts'
import { operations } from '../../src/api/operations.ts'
import { dateInIndia } from '../../src/engine/clock.ts'
import { KEY_VALIDITY_MS } from '../../src/engine/kept-replies.ts'
import { keyForgetting } from '../../src/flows/sweeps.ts'
import type { OperationLine } from '../../src/http/handler.ts'
import { sign } from '../../src/interface/checksum.ts'
import { transactionsOfOrder } from '../../src/tables/keys.ts'
import { find, lock, look, type Row } from '../../src/tables/tables.ts'
import { addCycle, CONSENTED, setSubscription } from '../support/mandates/mandates.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { CARD, createOrder, pay } from '../support/paying/paying.ts'
import { OTHER_KEY, OTHER_MID, promotionWorld, TOKEN } from '../support/paying/promotions.ts'
import { paidOrder, refundBody } from '../support/paying/refunds.ts'
import { KEY, MID, onBothStores, type Service, sharedService, startService } from '../support/run/service.ts'
import { basic, changeWorld, LOCALE, otherThan, rawPost, receive, SEND, VALIDATE } from '../support/signin/signin.ts'
import { LOGIN_SEND, LOGIN_VALIDATE, orderToPay, receiveAt } from '../support/signin/tokens.ts'
import { commitUnknown, type Faults, withFaults } from '../support/store/faults.ts'

const CREATE = operations.createOrder.paths[0]
const MODIFY = operations.modifyOrder.paths[0]
const SUBSCRIBE = operations.initiateSubscription.paths[0]
const DAY_MS = 24 * 60 * 60_000
const signInHeaders = { authorization: basic('demo-app', 'demo-secret'), 'x-device-identifier': 'device-1' }

interface Request {
  path: string
  text: string
  headers?: Record<string, string>
}
const post = ({ post }: Service, { path, text, headers }: Request, key: string) => post(path, text, { ...headers, 'idempotency-key': key })

/** An envelope signed with a fixed salt, so that the same request has the same bytes. */
const envelope = (body: object, { head = {}, member = 'signature', key = KEY } = {}) => {
  const bodyText = JSON.stringify(body)
  return `{"head":${JSON.stringify({ ...head, [member]: sign(bodyText, key, 'salt') })},"body":${bodyText}}`
}
const order = (orderId: string, more: object = {}): Request => ({
  path: `${CREATE}?mid=${MID}&orderId=${orderId}`,
  text: envelope(orderBody(orderId, more)),
})
const subscription = (orderId: string, more: object = {}): Request => ({
  path: `${SUBSCRIBE}?mid=${MID}&orderId=${orderId}`,
  text: envelope({
    requestType: 'NATIVE_SUBSCRIPTION',
    mid: MID,
    orderId,
    websiteName: 'DEFAULT',
    txnAmount: { value: '1.00', currency: 'INR' },
    userInfo: { custId: 'C1' },
    subscriptionAmountType: 'FIX',
    renewalAmount: '100.00',
    subscriptionFrequencyUnit: 'MONTH',
    subscriptionStartDate: '2026-07-01',
    subscriptionGraceDays: '1',
    subscriptionExpiryDate: '2030-07-01',
    subscriptionEnableRetry: '0',
    ...more,
  }),
})

/** A request of each operation that, repeated without a key, would be refused or would act again. */
const subjects: Readonly<Record<string, (service: Service, id: string) => Request | Promise<Request>>> = {
  createOrder: (_service, id) => order(id),
  async modifyOrder(service, id) {
    const { path, text } = order(id)
    const token = (await service.post(path, text)).body.txnToken
    const body = { txnAmount: { value: '5.00', currency: 'INR' }, extendInfo: { udf1: id } }
    return { path: `${MODIFY}?mid=${MID}&orderId=${id}`, text: envelope(body, { head: { tokenType: 'TXN_TOKEN', token } }) }
  },
  initiateSubscription: (_service, id) => subscription(id),
  createAccessToken: (_service, id) => ({
    path: `${TOKEN}?mid=${MID}&referenceId=${id}`,
    text: envelope({ mid: MID, referenceId: id }, { head: { tokenType: 'CHECKSUM' }, member: 'token' }),
  }),
  sendOtp: () => ({ path: SEND + LOCALE, text: JSON.stringify({ phone: '9999900001' }), headers: signInHeaders }),
  async validateOtp(service) {
    const { state_token, otp } = await receive(service, '9999900002')
    const path = `${VALIDATE}${LOCALE}&anchor=enc_user_id`
    return { path, text: JSON.stringify({ state_token, otp }), headers: signInHeaders }
  },
  async processTransaction(service, id) {
    const { txnToken } = await createOrder(service, id)
    const body = { requestType: 'NATIVE', mid: MID, orderId: id, ...CARD }
    return { path: `${operations.processTransaction.paths[0]}?mid=${MID}&orderId=${id}`, text: page(txnToken, body) }
  },
  async directBankRequest(service, id) {
    const order = await createOrder(service, id)
    await pay(service, order, { paymentMode: 'CREDIT_CARD', cardInfo: '|4000000000003220|123|122032', authMode: 'otp' })
    const body = { mid: MID, orderId: id, requestType: 'submit', otp: SANDBOX_OTP }
    return { path: `${operations.directBankRequest.paths[0]}?mid=${MID}&orderId=${id}`, text: page(order.txnToken, body) }
  },
  async closeOrder(service, id) {
    await createOrder(service, id)
    return { path: operations.closeOrder.paths[0], text: envelope({ requestType: 'CLOSE', mid: MID, orderId: id }) }
  },
  cancelSubscription: (service, id) => managing(service, id, operations.cancelSubscription.paths[0]),
  modifySubscriptionStatus: (service, id) => managing(service, id, operations.modifySubscriptionStatus.paths[0], { status: 'SUSPENDED' }),
  preNotify: (service, id) => managing(service, id, operations.preNotify.paths[0], { txnAmount: '100.00' }),
  editSubscription: (service, id) => managing(service, id, operations.editSubscription.paths[0], { renewalAmount: '50.00' }),
  async renewSubscription(service, id) {
    const renewal = { orderId: `${id}-1`, txnAmount: { value: '100.00', currency: 'INR' } }
    const { path, text } = await managing(service, id, operations.renewSubscription.paths[0], renewal)
    const today = dateInIndia(service.clock.now())
    const fixed = { amountType: 'FIX', amountPaise: 100_00, dueDate: today, rail: 'ENACH', noticeNeeded: false } as const
    await addCycle(service, JSON.parse(text).body.subsId, fixed)
    return { path: `${path}?mid=${MID}&orderId=${id}-1`, text }
  },
  async applyRefund(service, id) {
    const paid = await paidOrder(service, id)
    return { path: operations.applyRefund.paths[0], text: envelope(refundBody(paid, id, '10.00')) }
  },
  async sendCheckoutOtp(service, id) {
    const { txnToken } = await createOrder(service, id)
    return { path: `${LOGIN_SEND}?mid=${MID}&orderId=${id}`, text: page(txnToken, { mobileNo: '9999900004' }) }
  },
  async validateCheckoutOtp(service, id) {
    const order = await orderToPay(service, id)
    const otp = await receiveAt(service, order, '9999900005')
    return { path: `${LOGIN_VALIDATE}?mid=${MID}&orderId=${id}`, text: page(order.txnToken, { otp }) }
  },
}
/** For a subscription with its customer's consent. */
async function managing(service: Service, id: string, path: string, more: object = {}): Promise<Request> {
  const { path: create, text } = subscription(id)
  const { subscriptionId } = (await service.post(create, text)).body
  await setSubscription(service, subscriptionId, { ...CONSENTED, startDate: dateInIndia(service.clock.now()) })
  return { path, text: envelope({ mid: MID, subsId: subscriptionId, ...more }) }
}
const page = (txnToken: string, body: object) => JSON.stringify({ head: { txnToken }, body })

test('every operation that writes is tried here', () => {
  const writing = Object.entries<OperationLine>(operations).filter(([, { writes }]) => writes)
  assert.deepEqual(Object.keys(subjects).sort(), writing.map(([name]) => name).sort())
})

onBothStores('an Idempotency-Key', (storeName) => {
  const service = sharedService(storeName, { world: promotionWorld([]) })
  let ids = 0
  const nextId = () => `IDEMPOTENT-${++ids}`
  /**
   * Counts what requests have begun, not what tasks make of it later. Runs the due work of a request too: a renewal is debited, which may
   * not happen twice either.
   */
  const doneBy = async ({ store, tasks }: Service) => {
    await tasks.runDue()
    const events = await store.query.rows(find('events', { limit: 10_000 }))
    return events.filter(({ fromStatus, type }) => fromStatus === '' || /^order\./.test(type)).length
  }
  const keptOf = async ({ store }: Service) => store.query.rows(find('idempotencyKeys', { limit: 1_000 }))

  for (const [name, subject] of Object.entries(subjects)) {
    test(`${name}: the same key and request are answered with the same bytes, and done once`, async () => {
      const running = await service()
      const request = await subject(running, nextId())
      const first = await post(running, request, `key of ${name}`)
      const events = await doneBy(running)
      assert.match(JSON.stringify(first.body), /"(0000|BE1400001|601|01|3006)"/, first.text)
      running.clock.advance(61_000)
      const again = await post(running, request, `key of ${name}`)
      assert.equal(again.text, first.text)
      assert.equal(await doneBy(running), events)
    })

    test(`${name}: the key with another request answers 409 and does nothing`, async () => {
      const running = await service()
      const request = await subject(running, nextId())
      const first = await post(running, request, `reused for ${name}`)
      const events = await doneBy(running)
      const others: Request[] = [
        { ...request, text: `${request.text} ` },
        ...(request.path.includes('?') ? [{ ...request, text: 'no JSON' }] : []), // without ids in the path nothing names its merchant
        { ...request, path: `${request.path}${request.path.includes('?') ? '&' : '?'}more=1` },
      ]
      for (const other of others) {
        const reply = await post(running, other, `reused for ${name}`)
        assert.equal(reply.status, 409, reply.text)
        assert.deepEqual(reply.body.errorDetails, {
          code: 409,
          errorCode: 'SVE-004',
          errorMessage: 'The Idempotency-Key was used with another request; send the same bytes again, signature included',
        })
      }
      assert.equal(await doneBy(running), events)
      assert.equal((await post(running, request, `reused for ${name}`)).text, first.text)
    })
  }

  test('50 callers at once with one key make one order and get one answer', async () => {
    const running = await service()
    const request = order(nextId())
    const replies = await Promise.all(Array.from({ length: 50 }, () => post(running, request, 'fifty')))
    assert.equal(new Set(replies.map(({ text }) => text)).size, 1)
    assert.equal(replies[0]!.body.resultInfo.resultCode, '0000')
  })

  test('40 requests, each from ten callers at once: every one is done once and answered ten times', async () => {
    const running = await service()
    const requests = Array.from({ length: 40 }, () => order(nextId()))
    const replies = await Promise.all(requests.flatMap((request) => Array.from({ length: 10 }, () => post(running, request, request.path))))
    assert.equal(new Set(replies.map(({ text }) => text)).size, 40)
    for (const { body, text } of replies) assert.equal(body.resultInfo.resultCode, '0000', text)
  })

  test('two requests at once with one key: one is answered, the other gets 409', async () => {
    const running = await service()
    const requests = [order(nextId()), order(nextId())]
    const replies = await Promise.all(requests.map((request) => post(running, request, 'two requests')))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 409])
    const orders = await running.store.query.rows(find('orders', { limit: 1_000 }))
    assert.equal(orders.filter(({ orderId }) => requests.some(({ path }) => path.endsWith(`=${orderId}`))).length, 1)
  })

  test('a refusal is not kept: when its reason is gone the same request succeeds', async () => {
    const running = await service()
    const request = order(nextId(), { websiteName: 'LATER' })
    const before = (await keptOf(running)).length
    assert.equal((await post(running, request, 'refused first')).body.resultInfo.resultCode, '1001')
    assert.equal((await keptOf(running)).length, before)
    await changeWorld(running, { merchants: [{ mid: MID, websites: { DEFAULT: {}, LATER: {} } }] })
    assert.equal((await post(running, request, 'refused first')).body.resultInfo.resultCode, '0000')
    const other = order(nextId())
    assert.equal((await post(running, other, 'refused first')).status, 409)
  })

  test('a refusal that counted something is kept: a wrong OTP spends one try, however often it is sent', async () => {
    const running = await service()
    const { state_token, otp } = await receive(running, '9999900003')
    const request = { path: VALIDATE + LOCALE, text: JSON.stringify({ state_token, otp: otherThan(otp) }), headers: signInHeaders }
    const replies = []
    for (let time = 0; time < 5; time++) replies.push(await post(running, request, 'wrong OTP'))
    assert.deepEqual(new Set(replies.map(({ body }) => body.responseCode)), new Set(['BE1425007']))
    const right = await running.post(VALIDATE + LOCALE, JSON.stringify({ state_token, otp }), signInHeaders)
    assert.equal(right.body.responseCode, 'BE1400001')
  })

  test('the reply about a payment is repeated, whatever its state has become since', async () => {
    const running = await service()
    const paying = async (means: object) => {
      const { orderId, txnToken } = await createOrder(running, nextId())
      const body = { requestType: 'NATIVE', mid: MID, orderId, ...means }
      const path = `${operations.processTransaction.paths[0]}?mid=${MID}&orderId=${orderId}`
      return { orderId, request: { path, text: page(txnToken, body) } }
    }
    const slow = await paying({ paymentMode: 'UPI', payerAccount: 'slow@upi' })
    const pending = await post(running, slow.request, 'slow')
    assert.equal(pending.body.resultInfo.resultCode, '0000', pending.text)
    const end = running.clock.now() + 10 * 60_000
    await running.tasks.advance(end, async (instant) => running.clock.advance(Math.max(0, instant - running.clock.now())))
    assert.equal((await running.store.query.row(look('orders', MID, slow.orderId)))?.status, 'PAID')
    assert.equal((await post(running, slow.request, 'slow')).text, pending.text)

    const declined = await paying({ paymentMode: 'CREDIT_CARD', cardInfo: '|4000000000000002|123|122032' })
    const failed = await post(running, declined.request, 'declined')
    assert.equal(failed.body.resultInfo.resultCode, '0001', failed.text)
    assert.equal((await post(running, declined.request, 'declined')).text, failed.text)
    const anew = await post(running, declined.request, 'declined, tried again')
    assert.notEqual(anew.body.txnId, failed.body.txnId)
    assert.equal((await running.store.query.row(look('orders', MID, declined.orderId)))?.transactionCount, 2)
  })

  test('a payment whose best offer has ended gets the next best, and a repeat of it begins no other', async () => {
    const promotions = ['ENDS', 'STAYS'].map((promocode, at) => ({ promocode, flat: ['40.00', '25.00'][at]! }))
    const running = await startService(storeName, { world: promotionWorld(promotions) })
    try {
      const paying = async (means: object) => {
        const { orderId, txnToken } = await createOrder(running, nextId(), { simplifiedPaymentOffers: { applyAvailablePromo: true } })
        const text = page(txnToken, { requestType: 'NATIVE', mid: MID, orderId, ...means })
        return { orderId, request: { path: `${operations.processTransaction.paths[0]}?mid=${MID}&orderId=${orderId}`, text } }
      }
      const discounts = async (orderId: string) =>
        (await running.store.query.rows(transactionsOfOrder(MID, orderId))).map(({ discountPaise }) => discountPaise)
      const first = await paying(CARD)
      await post(running, first.request, 'with the best offer')
      assert.deepEqual(await discounts(first.orderId), [40_00])
      const key = lock('promotions', MID, 'ENDS')
      await running.store.transaction(async (transaction) => {
        const row = (await transaction.read([key])).get(key.name) as Row<'promotions'>
        await transaction.write({ changes: [{ kind: 'update', key, row: { ...row, validUpto: '2026-06-14' } }], events: [], tasks: [] })
      })
      const declined = await paying({ paymentMode: 'CREDIT_CARD', cardInfo: '|4000000000000002|123|122032' })
      const failed = await post(running, declined.request, 'after it has ended')
      assert.equal(failed.body.resultInfo.resultCode, '0001', failed.text)
      assert.equal((await post(running, declined.request, 'after it has ended')).text, failed.text)
      assert.deepEqual(await discounts(declined.orderId), [25_00])
    } finally {
      await running.close()
    }
  })

  test('ten callers at once with one key begin one payment', async () => {
    const running = await service()
    const { orderId, txnToken } = await createOrder(running, nextId())
    const body = { requestType: 'NATIVE', mid: MID, orderId, ...CARD }
    const request = { path: `${operations.processTransaction.paths[0]}?mid=${MID}&orderId=${orderId}`, text: page(txnToken, body) }
    const replies = await Promise.all(Array.from({ length: 10 }, () => post(running, request, 'pay once')))
    assert.deepEqual(new Set(replies.map(({ body }) => `${body.resultInfo.resultCode} ${body.txnId}`)).size, 1)
    assert.equal((await running.store.query.row(look('orders', MID, orderId)))?.transactionCount, 1)
    const after = await post(running, request, 'pay once')
    assert.equal(after.body.txnInfo.STATUS, 'TXN_SUCCESS', after.text)
    assert.equal((await post(running, request, 'pay once')).text, after.text)
  })

  test('after 24 hours the key is free, a millisecond before it is not', async () => {
    const running = await service()
    const [first, second] = [order(nextId()), order(nextId())]
    const answer = await post(running, first, 'a day')
    running.clock.advance(DAY_MS - 1)
    assert.equal((await post(running, second, 'a day')).status, 409)
    assert.equal((await post(running, first, 'a day')).text, answer.text)
    running.clock.advance(1)
    assert.equal((await post(running, first, 'a day')).body.resultInfo.resultCode, '324')
    assert.equal((await post(running, second, 'a day')).body.resultInfo.resultCode, '0000')
    assert.equal((await post(running, first, 'a day')).status, 409)
  })

  test('keys that are free again are forgotten', async () => {
    const running = await service()
    await post(running, order(nextId()), 'forgotten')
    const { ports, clock } = running
    clock.advance(KEY_VALIDITY_MS - 1)
    await keyForgetting(ports).run(clock.now())
    assert.ok((await keptOf(running)).length > 0)
    clock.advance(1)
    await keyForgetting(ports).run(clock.now()) // or the service itself, at a poll
    assert.deepEqual(await keptOf(running), [])
  })

  test('a subscription that starts today is answered again after midnight', async () => {
    const running = await service()
    const today = new Date(running.clock.now() + 330 * 60_000).toISOString().slice(0, 10)
    const request = subscription(nextId(), { subscriptionStartDate: today })
    const first = await post(running, request, 'starts today')
    assert.equal(first.body.resultInfo.resultCode, '0000', first.text)
    running.clock.advance(DAY_MS - 1)
    assert.equal((await post(running, request, 'starts today')).text, first.text)
  })

  test('a key of one merchant, or for one operation, says nothing to another', async () => {
    const running = await service()
    const [id, referenceId] = [nextId(), nextId()]
    assert.equal((await post(running, order(id), 'shared')).body.resultInfo.resultCode, '0000')
    const theirs = {
      path: `${CREATE}?mid=${OTHER_MID}&orderId=${id}`,
      text: envelope(orderBody(id, { mid: OTHER_MID }), { key: OTHER_KEY }),
    }
    assert.equal((await post(running, theirs, 'shared')).body.resultInfo.resultCode, '0000')
    const token = await subjects['createAccessToken']!(running, referenceId)
    assert.equal((await post(running, token, 'shared')).body.resultInfo.resultCode, '0000')
  })

  test('another device is another request', async () => {
    const running = await service()
    const request = await subjects['sendOtp']!(running, '')
    assert.equal((await post(running, request, 'device')).status, 200)
    const headers = { ...signInHeaders, 'x-device-identifier': 'device-2' }
    assert.equal((await post(running, { ...request, headers }, 'device')).status, 409)
  })

  test('a key of 255 printable characters is taken; an empty, long, non-ASCII or repeated one answers 400', async () => {
    const running = await service()
    const request = order(nextId())
    assert.equal((await post(running, request, '~'.repeat(255))).body.resultInfo.resultCode, '0000')
    const fresh = order(nextId())
    const wrong: [string, string[]][] = [
      ['An Idempotency-Key is 1 to 255 printable ASCII characters', ['idempotency-key', '']],
      ['An Idempotency-Key is 1 to 255 printable ASCII characters', ['idempotency-key', '~'.repeat(256)]],
      ['An Idempotency-Key is 1 to 255 printable ASCII characters', ['Idempotency-Key', 'caf\u00e9']],
      ['The Idempotency-Key was given twice', ['idempotency-key', 'a', 'Idempotency-Key', 'a']],
    ]
    for (const [errorMessage, headers] of wrong) {
      const reply = await rawPost(running, fresh.path, fresh.text, headers)
      assert.deepEqual([reply.status, reply.body.errorDetails], [400, { code: 400, errorCode: 'SVE-004', errorMessage }])
    }
    assert.equal((await running.post(fresh.path, fresh.text)).body.resultInfo.resultCode, '0000')
  })

  test('in sign-in, too, a key that is none answers 400 before anything is read, whichever client asks', async () => {
    const running = await service()
    for (const path of [SEND, VALIDATE])
      for (const headers of [{ authorization: 'Basic nobody' }, { ...signInHeaders, 'x-device-identifier': '' }, signInHeaders]) {
        const reply = await post(running, { path, text: 'no JSON', headers }, '~'.repeat(256))
        assert.deepEqual([reply.status, reply.body.errorDetails?.errorCode], [400, 'SVE-004'], reply.text)
      }
  })

  test('an operation that only reads takes no notice of it', async () => {
    const running = await service()
    const text = envelope({ mid: MID, custId: 'NOBODY' }, { head: { tokenType: 'AES', token: 'none' } })
    const path = operations.listSubscriptions.paths[0]
    assert.equal((await post(running, { path, text }, 'x'.repeat(300))).body.resultInfo.code, '200')
  })

  test('neither the key nor a reply lies in the database in the clear', async () => {
    const running = await service()
    const reply = await post(running, order(nextId()), 'a key that can be found')
    const rows = await keptOf(running)
    const row = rows.find(({ reply: { body } }) => (body as { txnToken?: string }).txnToken === reply.body.txnToken)!
    assert.ok(!JSON.stringify({ ...row, reply: undefined }).includes('a key that can be found'))
    assert.equal(row.owner, MID)
    assert.equal(row.requestHash.length, 43)
  })
})

onBothStores('an Idempotency-Key and a crash', (storeName) => {
  test('an answer that was lost after the COMMIT is the answer of the next try; nothing is lost when it was not committed', async () => {
    let faults: Faults | undefined
    const running = await startService(storeName, {
      exit: () => {},
      store(of) {
        faults = withFaults(of)
        return faults.store
      },
    })
    try {
      for (const at of ['begin', 'write', 'commit', 'after commit'] as const) {
        const orderId = `CRASH-${at.replace(' ', '-')}`
        faults!.fail(at, at.endsWith('commit') ? commitUnknown() : new Error('injected'))
        assert.equal((await post(running, order(orderId), orderId)).body.resultInfo.resultCode, '501', at)
        const committed = await running.store.query.row(look('orders', MID, orderId))
        assert.equal(committed !== undefined, at === 'after commit')
        running.clock.advance(1_000)
        const next = await post(running, order(orderId), orderId)
        assert.equal(next.body.resultInfo.resultCode, '0000', at)
        assert.equal((await post(running, order(orderId), orderId)).text, next.text)
        const { txnTokenHash } = (await running.store.query.row(look('orders', MID, orderId)))!
        assert.equal(running.ports.vault.hash('txnToken', next.body.txnToken), txnTokenHash, 'the token is the one that was kept')
        if (committed) assert.equal(next.head.responseTimestamp, String(committed.txnTokenIssuedAt))
      }
    } finally {
      await running.close()
    }
  })
})
