// What a request holds is read, repeated and blamed as it was sent (docs/interface.md sections 2, 4 and 9).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sign } from '../../src/interface/checksum.ts'
import { orderKey } from '../../src/tables.ts'
import { promotionWorld } from '../support/promotions.ts'
import { KEY, MID, onBothStores, sharedService } from '../support/service.ts'

const ROUTER = '/aoa-acquiring-biz/v2/order'
const APPLY = '/theia/api/v2/applyPromo'
const ITEM = { id: 'SHIRT', price: '10.00' }

onBothStores('as it was sent', (store) => {
  const service = sharedService(store, { world: promotionWorld([{ promocode: 'SHIRTS', flat: '50.00', skus: ['SHIRT'] }]) })

  /** Signs and sends a body as its text stands: how a number is written is what matters. */
  const send = async (path: string, bodyText: string, member = 'signature', more: object = {}) =>
    (await service()).post(path, `{"head":${JSON.stringify({ ...more, [member]: sign(bodyText, KEY, 'abcd') })},"body":${bodyText}}`)

  const numbers = ['1.50', '2', '1.0', '12345678901234567890', '1e-7', '1E400', '-0', '0']

  test('a number for a quantity is stored and repeated with the text that it was written with', async () => {
    const goods = numbers.map((quantity) => `{"quantity" : ${quantity}}`).join()
    const order = { requestType: 'PAYMENT', mid: MID, orderId: 'Q', txnAmount: { value: '1', currency: 'INR' } }
    const more = { userInfo: { custId: 'C1' }, websiteName: 'DEFAULT' }
    const bodyText = `${JSON.stringify({ ...order, ...more }).slice(0, -1)},"extendInfo":{"quantity":1.50},"goods":[${goods}]}`
    assert.equal((await send(`${ROUTER}?mid=${MID}&orderId=Q`, bodyText)).body.resultInfo.resultCode, '0000')
    const details = (await (await service()).edge.query.row(orderKey(MID, 'Q')))!.details
    assert.deepEqual(
      (details.goodsInfo as { quantity: string }[]).map(({ quantity }) => quantity),
      numbers,
    )
    assert.deepEqual(details.extendInfo, { quantity: 1.5 }, 'a merchant’s own map keeps what it holds')

    for (const quantity of numbers)
      for (const items of [`[{"id":"a","quantity":${quantity}}]`, `{"id":"a","quantity":${quantity}}`]) {
        const { body } = await apply(items, '100.00')
        assert.deepEqual(body.cartDetails, { items: [{ id: 'a', quantity }] })
      }
  })

  test('one piece is one piece, as a number or as a text', async () => {
    for (const quantity of ['1', '1.0', '"1"', '"1.0"']) {
      const items = `[${JSON.stringify(ITEM).slice(0, -1)},"quantity":${quantity}}]`
      assert.equal((await apply(items, '100.00')).body.paymentOffers.totalInstantDiscount, '10.00', quantity)
    }
  })

  const apply = (items: string, amount: string) => {
    const options = JSON.stringify([{ transactionAmount: amount, payMethod: 'UPI' }])
    const bodyText = `{"mid":"${MID}","paymentOptions":${options},"totalTransactionAmount":"${amount}","cartDetails":{"items":${items}}}`
    return send(`${APPLY}?mid=${MID}`, bodyText, 'token', { channelId: 'WEB', tokenType: 'CHECKSUM' })
  }
})
