// A request's members are read, repeated and named in refusals as they were sent (docs/interface.md sections 2, 4 and 9).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../src/api/operations.ts'
import { sign } from '../../src/interface/checksum.ts'
import { orderKey } from '../../src/tables/keys.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { createOrder } from '../support/paying/paying.ts'
import { promotionWorld } from '../support/paying/promotions.ts'
import { KEY, MID, onBothStores, sharedService } from '../support/run/service.ts'

const ROUTER = '/aoa-acquiring-biz/v2/order'
const APPLY = '/theia/api/v2/applyPromo'
const ITEM = { id: 'SHIRT', price: '10.00' }

onBothStores('as it was sent', (store) => {
  const service = sharedService(store, { world: promotionWorld([{ promocode: 'SHIRTS', flat: '50.00', skus: ['SHIRT'] }]) })

  /** Signs and sends a body as its text stands, because the spelling of a number matters. */
  const send = async (path: string, bodyText: string, member = 'signature', more: object = {}) =>
    (await service()).post(path, `{"head":${JSON.stringify({ ...more, [member]: sign(bodyText, KEY, 'abcd') })},"body":${bodyText}}`)

  const numbers = ['1.50', '2', '1.0', '12345678901234567890', '1e-7', '1E400', '-0', '0']

  test('a number for a quantity is stored and repeated with the text that it was written with', async () => {
    for (const [at, key] of ['quantity', 'quantit\\u0079', '\\u0071\\u0075\\u0061\\u006E\\u0074\\u0069\\u0074\\u0079'].entries()) {
      const orderId = `Q${at}`
      const goods = numbers.map((quantity) => `{"${key}" : ${quantity}}`).join()
      const bodyText = `${JSON.stringify(orderBody(orderId)).slice(0, -1)},"extendInfo":{"${key}":1.50},"goods":[${goods}]}`
      assert.equal((await send(`${ROUTER}?mid=${MID}&orderId=${orderId}`, bodyText)).body.resultInfo.resultCode, '0000')
      const details = (await (await service()).ports.query.row(orderKey(MID, orderId)))!.details
      assert.deepEqual(
        (details.goodsInfo as { quantity: string }[]).map(({ quantity }) => quantity),
        numbers,
      )
      assert.deepEqual(details.extendInfo, { quantity: 1.5 }, 'a merchant’s own map keeps what it holds')
    }

    for (const quantity of numbers)
      for (const items of [`[{"id":"a","quantity":${quantity}}]`, `{"id":"a","quantity":${quantity}}`]) {
        const { body } = await apply(items, '100.00')
        assert.deepEqual(body.cartDetails, { items: [{ id: 'a', quantity }] })
      }
  })

  test('a member of a map is no index in a path, however it is named', async () => {
    for (const [member, shown] of [
      ['12', '?'],
      ['12345', '?'],
      ['rule', 'rule'],
    ] as const) {
      const bodyText = JSON.stringify(orderBody('MAP', { txnRoutingParams: { [member]: 'x' } }))
      const { resultCode, resultMsg, extraParamsMap } = (await send(`${ROUTER}?mid=${MID}&orderId=MAP`, bodyText)).body.resultInfo
      const parameter = `txnRoutingParams.${shown}`
      assert.deepEqual([resultCode, resultMsg], ['1011', `Parameter '[${parameter}]' has invalid value '[x]'`])
      assert.deepEqual(extraParamsMap, { parameter })
    }
  })

  test('one piece is one piece, as a number or as a text', async () => {
    for (const quantity of ['1', '1.0', '"1"', '"1.0"']) {
      const items = `[${JSON.stringify(ITEM).slice(0, -1)},"quantity":${quantity}}]`
      assert.equal((await apply(items, '100.00')).body.paymentOffers.totalInstantDiscount, '10.00', quantity)
    }
  })

  test('a version that no table bounds refuses nothing, and four characters of it come back', async () => {
    const { orderId, txnToken } = await createOrder(await service(), 'V')
    const { fetchPaymentOptions, fetchBinDetail, validateVpa, transactionStatus, fetchAllPaymentOffers, orderStatus } = operations
    const { fetchBalanceInfo, fetchNbPaymentChannels, fetchEmiDetail } = operations
    const body = { mid: MID, orderId }
    const byToken: [path: string, more: object][] = [
      [fetchPaymentOptions.paths[0], {}],
      [fetchBinDetail.paths[0], { bin: '411111' }],
      [validateVpa.paths[0], { vpa: 'asha@upi' }],
      [transactionStatus.paths[0], {}],
      [fetchBalanceInfo.paths[0], { paymentMode: 'BALANCE' }],
      [fetchNbPaymentChannels.paths[0], { type: 'MERCHANT' }],
      [fetchEmiDetail.paths[0], { channelCode: 'HDFC' }],
    ]
    const answers = async (version: unknown) => {
      const replies = []
      for (const [path, more] of byToken) {
        const text = JSON.stringify({ head: { tokenType: 'TXN_TOKEN', token: txnToken, version }, body: { ...body, ...more } })
        replies.push(await (await service()).post(`${path}?mid=${MID}&orderId=${orderId}`, text))
      }
      const offers = `${fetchAllPaymentOffers.paths[0]}?mid=${MID}`
      replies.push(await send(offers, JSON.stringify({ mid: MID }), 'token', { tokenType: 'CHECKSUM', version }))
      replies.push(await send(orderStatus.paths[0], JSON.stringify(body), 'signature', { version }))
      return replies.map(({ head, body }) => [head.version, body.resultInfo.resultCode])
    }
    const codes = (await answers('v1')).map(([, code]) => code)
    assert.deepEqual(codes, ['0000', '0000', '0000', '0000', '2004', '0000', '0000', '00000000', '331'])
    const emoji = '\u{1f600}'
    for (const [version, repeated] of [
      ['v1.2.3', 'v1.2'],
      [1, 'v1'],
      [emoji.repeat(5), emoji.repeat(4)],
    ])
      assert.deepEqual(
        await answers(version),
        codes.map((code) => [repeated, code]),
        String(version),
      )
  })

  test('extraParamsMap names the parameter that was refused, whatever it was refused for', async () => {
    const { signed } = await service()
    await createOrder(await service(), 'USED')
    const blamed = async (more: object, options: object = {}) => {
      const given = orderBody('USED', more)
      const { resultInfo } = (await signed(`${ROUTER}?mid=${given.mid}&orderId=${given.orderId}`, given, options)).body
      return [resultInfo.resultCode, resultInfo.extraParamsMap]
    }
    assert.deepEqual(await blamed({ mid: 'NOBODY' }), ['2006', { parameter: 'mid' }])
    assert.deepEqual(await blamed({ mid: 'NO BODY' }), ['2006', { parameter: 'mid' }])
    assert.deepEqual(await blamed({}), ['324', { parameter: 'orderId' }])
    assert.deepEqual(await blamed({}, { signature: null }), ['1012', { parameter: 'head.signature' }])
    for (const signature of ['forged', 5, sign('{}', KEY, 'abcd')])
      assert.deepEqual(await blamed({}, { signature }), ['2005', { parameter: 'head.signature' }])
  })

  const apply = (items: string, amount: string) => {
    const options = JSON.stringify([{ transactionAmount: amount, payMethod: 'UPI' }])
    const bodyText = `{"mid":"${MID}","paymentOptions":${options},"totalTransactionAmount":"${amount}","cartDetails":{"items":${items}}}`
    return send(`${APPLY}?mid=${MID}`, bodyText, 'token', { channelId: 'WEB', tokenType: 'CHECKSUM' })
  }
})
