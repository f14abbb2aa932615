// One payer's calls affect neither another payer nor an app. Idempotency-Keys of a txnToken's calls belong to its order (docs/interface.md
// section 4). A checkout's codes are counted apart from an app's (section 4.23).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CARD, createOrder, type Order } from '../support/paying/paying.ts'
import { MID, onBothStores, type Service, sharedService } from '../support/run/service.ts'
import { codeOf, inbox, send, signInWorld } from '../support/signin/signin.ts'
import { type OrderToPay, orderToPay, resultOf, sendAt, validateAt } from '../support/signin/tokens.ts'

const HOUR = 60 * 60_000

onBothStores('two payers of one merchant', (store) => {
  const service = sharedService(store, { world: signInWorld })
  const call = ({ post }: Service, path: string, { orderId, txnToken }: Order, body: object, key: string) =>
    post(`${path}?mid=${MID}&orderId=${orderId}`, JSON.stringify({ head: { txnToken, tokenType: 'TXN_TOKEN', token: txnToken }, body }), {
      'idempotency-key': key,
    })

  test('may use the same Idempotency-Key for every call of a txnToken, and each gets their own answer again', async () => {
    const running = await service()
    const [first, second] = [await createOrder(running, 'KEY-1'), await createOrder(running, 'KEY-2')]
    const pay = ({ orderId }: Order) => ({ mid: MID, orderId, ...CARD })
    for (const [path, bodyOf] of [
      ['/aoa-acquiring-biz/v2/modifyOrder', () => ({})],
      ['/login/sendOtp', () => ({ mobileNo: '9876590001' })],
      ['/theia/api/v1/processTransaction', pay],
    ] as const) {
      const answers = []
      for (const order of [first, second, first, second]) answers.push(await call(running, path, order, bodyOf(order), 'made by a page'))
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200, 200, 200],
        path,
      )
      assert.equal(answers[2]!.text, answers[0]!.text, path)
      assert.equal(answers[3]!.text, answers[1]!.text, path)
    }
    for (const { orderId } of [first, second])
      assert.equal((await running.signed('/v3/order/status', { mid: MID, orderId })).body.currentTxnCount, '1')

    // Within one order it is still one key, and the merchant's own calls share the merchant's keys.
    const order = await createOrder(running, 'KEY-3')
    const modify = (body: object) => call(running, '/aoa-acquiring-biz/v2/modifyOrder', order, body, 'k')
    assert.equal((await modify({})).status, 200)
    assert.equal((await modify({ extendInfo: { udf1: 'x' } })).status, 409)
    const create = (orderId: string) =>
      running.post(`/aoa-acquiring-biz/v2/order?mid=${MID}&orderId=${orderId}`, JSON.stringify({ head: {}, body: { orderId } }), {
        'idempotency-key': 'k',
      })
    assert.equal((await create('KEY-4')).status, 200)
  })
})

onBothStores('a number that strangers type at checkouts', (store) => {
  const service = sharedService(store, { world: signInWorld })
  const phone = '9876591001'

  test('has all its sends left for its owner’s app, and the other way round', async () => {
    const running = await service()
    for (let at = 0; at < 5; at++) assert.equal(await resultOf(sendAt(running, await orderToPay(running, `APART-${at}`), phone)), '200 01')
    assert.equal(await resultOf(sendAt(running, await orderToPay(running, 'APART-5'), phone)), '200 531')
    for (let at = 0; at < 5; at++) assert.equal(await codeOf(send(running, { phone })), '200 BE1400001')
    assert.equal(await codeOf(send(running, { phone })), '200 BE1425006')
    assert.equal((await inbox(running, phone)).length, 10)

    running.clock.advance(HOUR)
    for (let at = 0; at < 5; at++) assert.equal(await codeOf(send(running, { phone })), '200 BE1400001')
    assert.equal(await codeOf(send(running, { phone })), '200 BE1425006')
    for (let at = 6; at < 11; at++) assert.equal(await resultOf(sendAt(running, await orderToPay(running, `APART-${at}`), phone)), '200 01')
    running.clock.advance(HOUR)
    assert.equal(await codeOf(send(running, { phone })), '200 BE1425006', 'ten in a day at the app')
    assert.equal(await resultOf(sendAt(running, await orderToPay(running, 'APART-11'), phone)), '200 531', 'and ten at checkouts')
    running.clock.advance(22 * HOUR)
    assert.equal(await codeOf(send(running, { phone })), '200 BE1400001')
    assert.equal(await resultOf(sendAt(running, await orderToPay(running, 'APART-12'), phone)), '200 01')
  })

  test('many checkouts at once send it five', async () => {
    const running = await service()
    const orders: OrderToPay[] = []
    for (let at = 0; at < 10; at++) orders.push(await orderToPay(running, `ONCE-${at}`))
    const answers = await Promise.all(orders.map((order) => resultOf(sendAt(running, order, '9876591002'))))
    assert.equal(answers.filter((answer) => answer === '200 01').length, 5)
    assert.equal((await inbox(running, '9876591002')).length, 5)
    const unsent = orders[answers.indexOf('200 531')]!
    assert.equal(await resultOf(validateAt(running, unsent, '123456')), '200 513')
    assert.equal(await codeOf(send(running, { phone: '9876591002' })), '200 BE1400001')
  })
})
