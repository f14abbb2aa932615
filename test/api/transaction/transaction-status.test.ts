// Transaction Status over HTTP: one row per row of docs/interface.md section 7, in order of precedence, and its reply at each stage of a
// payment. Each row has its own fault and all those of the rows below.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { joinedValues } from '../../../src/interface/checksum.ts'
import { transactionStatus as codes } from '../../../src/interface/result-codes.ts'
import { type Asked, ask, STATUS } from '../../support/paying/options.ts'
import { CARD, createOrder, type Order, pay } from '../../support/paying/paying.ts'
import { OTHER_MID } from '../../support/paying/promotions.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'

type Name = keyof typeof codes
const rows: readonly [broken: string, breaks: (asked: Asked) => void, name: Name, message?: string][] = [
  ['no tokenType', ({ head }) => delete head['tokenType'], 'missingParam'],
  ['no token', ({ head }) => (head['token'] = ''), 'missingParam'],
  ['no orderId', ({ body }) => delete body['orderId'], 'missingElement'],
  ['another mid in the query', ({ query }) => (query['mid'] = OTHER_MID), 'midMismatch'],
  ['another orderId in the query', ({ query }) => (query['orderId'] = 'ANOTHER'), 'orderIdMismatch'],
  ['a token that is no order’s', ({ head }) => (head['tokenType'] = 'ACCESS'), 'invalidField', 'Invalid tokenType'],
  ['an orderId that cannot be one', ({ body }) => (body['orderId'] = 'A B'), 'invalidField', 'Invalid orderId'],
  ['a mid that cannot be one', ({ body }) => (body['mid'] = 'M'.repeat(21)), 'invalidMid'],
  ['a mid nobody knows', ({ body }) => (body['mid'] = 'NOBODY'), 'invalidMid'],
  ['an unknown token', ({ head }) => (head['token'] = `${'a'.repeat(32)}1781497922000`), 'sessionExpired'],
]

const asking = ({ orderId, txnToken }: Order): Asked => ({
  path: STATUS,
  query: {},
  head: { tokenType: 'TXN_TOKEN', version: 'v2', token: txnToken },
  body: { mid: MID, orderId },
})
const reported = async (running: Service, order: Order) => (await ask(running, asking(order))).body

onBothStores('transaction status', (store) => {
  const service = sharedService(store)
  let orders = 0
  const order = async (more: object = {}) => createOrder(await service(), `T${++orders}`, more)

  for (const [at, [broken, , name, message]] of rows.entries())
    test(`${broken} answers ${codes[name].code}`, async () => {
      const asked = asking(await order())
      for (const [, breaks] of rows.slice(at).reverse()) breaks(asked)
      const { status, body } = await ask(await service(), asked)
      const { resultCode, resultStatus, resultMsg } = body.resultInfo
      assert.deepEqual(
        [status, resultCode, resultStatus, resultMsg],
        [200, codes[name].code, codes[name].status, message ?? codes[name].message],
      )
      assert.deepEqual(Object.keys(body), ['resultInfo'])
    })

  test('bytes that are no envelope answer 2222, and a form is HTTP 415', async () => {
    const running = await service()
    for (const text of ['', '{', '[]', '{"head":{}}'])
      assert.equal((await running.post(STATUS, text)).body.resultInfo.resultCode, codes.invalidBody.code)
    assert.equal((await running.post(STATUS, 'mid=1', { 'content-type': 'application/x-www-form-urlencoded' })).status, 415)
  })

  test('before an attempt there is nothing to wait for, in flight there is, and the end is reported with a checksum that holds', async () => {
    const running = await service()
    const asked = await order()
    assert.deepEqual(await reported(running, asked), {
      resultInfo: { resultStatus: 'S', resultCode: '0000', resultMsg: 'Success' },
      callbackUrl: 'http://127.0.0.1:8080/sandbox/shop/callback',
      isPollingRequired: false,
    })
    await pay(running, asked, { paymentMode: 'UPI', payerAccount: 'pending@upi' })
    const waiting = await reported(running, asked)
    assert.deepEqual([waiting.txnInfo.STATUS, waiting.isPollingRequired], ['PENDING', true])
    running.clock.advance(16 * 60_000) // the token is older than its fifteen minutes
    await running.tasks.runDue()
    const failed = await reported(running, asked)
    assert.deepEqual([failed.txnInfo.STATUS, failed.txnInfo.RESPCODE, failed.isPollingRequired], ['TXN_FAILURE', '141', false])

    const paid = await order()
    await pay(running, paid, CARD)
    const { txnInfo, isPollingRequired } = await reported(running, paid)
    assert.deepEqual([txnInfo.STATUS, txnInfo.ORDERID, isPollingRequired], ['TXN_SUCCESS', paid.orderId, false])
    assert.equal(await running.ports.merchantKeys.check(MID, undefined, joinedValues(txnInfo), txnInfo.CHECKSUMHASH), 'valid')
  })

  test('the token may be head.txnToken, mid and orderId may stand in the query too, and the token of another order reveals nothing', async () => {
    const running = await service()
    const [one, other] = [await order(), await order()]
    const asked = { ...asking(one), head: { txnToken: one.txnToken }, query: { mid: MID, orderId: one.orderId } }
    assert.equal((await ask(running, asked)).body.resultInfo.resultCode, '0000')
    const { body } = await ask(running, { ...asking(one), head: { txnToken: other.txnToken } })
    assert.deepEqual([body.resultInfo.resultCode, Object.keys(body)], [codes.sessionExpired.code, ['resultInfo']])
  })

  test('tokens that open no order take no place from others, however often they are sent', async () => {
    const running = await service()
    const asked = await order()
    const madeUp = { ...asking(asked), head: { txnToken: `${'0'.repeat(32)}1781500000000` } }
    const statuses = await Promise.all(Array.from({ length: 70 }, async () => (await ask(running, madeUp)).status))
    assert.ok(statuses.filter((status) => status === 429).length <= 10, 'only while sixty are under way')
    assert.equal((await ask(running, madeUp)).status, 200)
  })

  test('one token is answered sixty times a minute, another beside it as before', async () => {
    const running = await service()
    const [one, other] = [await order(), await order()]
    const statuses = await Promise.all(Array.from({ length: 130 }, async () => (await ask(running, asking(one))).status))
    const refused = statuses.filter((status) => status === 429).length
    assert.ok(refused >= 10 && refused <= 70, String(refused)) // 70, unless the minute changed in between
    assert.equal((await ask(running, asking(other))).status, 200)
  })
})
