// The bearer of a txnToken changes an order unsigned, although its merchant signs. That moves neither an offer's calculation nor the
// merchant's own share of the five modifications (docs/interface.md section 4.3).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { World } from '../../../src/sandbox/world.ts'
import { CARD, createOrder, type Order, pay } from '../../support/paying/paying.ts'
import { promotionWorld } from '../../support/paying/promotions.ts'
import { MID, onBothStores, type Reply, sharedService } from '../../support/run/service.ts'
import { changeWorld } from '../../support/signin/signin.ts'

const setting = (signedModify: 'optional' | 'amount' | 'always'): World => ({ merchants: [{ mid: MID, signedModify }] })
const shoes = [{ merchantGoodsId: 'SHOES', quantity: '1', price: { value: '100.00', currency: 'INR' } }]
const shirt = [{ merchantGoodsId: 'SHIRT', quantity: '1', price: { value: '100.00', currency: 'INR' } }]
const cheapShirt = [{ merchantGoodsId: 'SHIRT', quantity: '1', price: { value: '20.00', currency: 'INR' } }]
const offered = { ...CARD, promoCode: 'SHIRTS' }

const answered = ({ body: { resultInfo, txnInfo } }: Reply) => [resultInfo.resultCode, txnInfo?.TXNAMOUNT ?? resultInfo.resultMsg]
const refused = ['1001', 'Invalid promoCode']
const discounted = ['0000', '50.00']

onBothStores('an order that is changed without a signature', (store) => {
  const service = sharedService(store, { world: promotionWorld([{ promocode: 'SHIRTS', flat: '50.00', skus: ['SHIRT'] }]) })
  let orders = 0
  const order = async (more: object = {}) => createOrder(await service(), `U${++orders}`, more)
  const modify = async ({ orderId, txnToken }: Order, body: object, signed: 'signed' | 'unsigned') =>
    (await service()).signed(`/aoa-acquiring-biz/v2/modifyOrder?mid=${MID}&orderId=${orderId}`, body, {
      head: { tokenType: 'TXN_TOKEN', token: txnToken },
      ...(signed === 'unsigned' && { signature: null }),
    })
  const modified = async (of: Order, body: object, signed: 'signed' | 'unsigned') => {
    const { resultCode, resultMsg } = (await modify(of, body, signed)).body.resultInfo
    return resultCode === '0000' ? resultCode : `${resultCode} ${resultMsg}`
  }

  test('offers look at the goods of its creation, however often the bearer names others', async () => {
    const running = await service()
    await changeWorld(running, setting('amount'))
    for (const changed of [await order({ goodsInfo: shoes }), await order()]) {
      assert.equal(await modified(changed, { goodsInfo: shirt }, 'unsigned'), '0000')
      assert.equal(await modified(changed, { goodsInfo: shirt }, 'unsigned'), '0000')
      assert.deepEqual(answered(await pay(running, changed, offered)), refused)
      assert.deepEqual(answered(await pay(running, changed, CARD)), ['0000', '100.00'])
    }
    const best = { simplifiedPaymentOffers: { applyAvailablePromo: true } }
    const found = await order({ goodsInfo: shoes, ...best })
    assert.equal(await modified(found, { goodsInfo: shirt }, 'unsigned'), '0000')
    assert.deepEqual(answered(await pay(running, found, CARD)), ['0000', '100.00'], 'nor does the best offer see them')
  })

  test('the bearer neither takes an offer away, nor raises the amount that it is calculated on', async () => {
    const running = await service()
    await changeWorld(running, setting('amount'))
    const bought = await order({ goodsInfo: shirt })
    assert.equal(await modified(bought, { goodsInfo: shoes }, 'unsigned'), '0000')
    assert.deepEqual(answered(await pay(running, bought, offered)), discounted)
    const cheap = await order({ goodsInfo: cheapShirt })
    assert.equal(await modified(cheap, { goodsInfo: shirt }, 'unsigned'), '0000')
    assert.deepEqual(answered(await pay(running, cheap, offered)), ['0000', '80.00'])
  })

  test('the goods of a signed change count, from then on, and under `optional` those of every change', async () => {
    const running = await service()
    for (const each of ['amount', 'always'] as const) {
      await changeWorld(running, setting(each))
      const of = await order({ goodsInfo: shoes })
      assert.equal(await modified(of, { goodsInfo: shirt, extendInfo: { udf1: each } }, 'signed'), '0000')
      if (each === 'amount') assert.equal(await modified(of, { goodsInfo: shoes }, 'unsigned'), '0000')
      assert.equal(await modified(of, { shippingInfo: [{ cityName: `of ${store}` }], extendInfo: { udf1: each } }, 'signed'), '0000')
      assert.deepEqual(answered(await pay(running, of, offered)), discounted, each)
    }

    await changeWorld(running, setting('optional'))
    const of = await order({ goodsInfo: shoes })
    assert.equal(await modified(of, { extendInfo: { udf1: 'x' } }, 'unsigned'), '0000')
    assert.equal(await modified(of, { goodsInfo: shirt }, 'unsigned'), '0000')
    assert.deepEqual(answered(await pay(running, of, offered)), discounted)
    const other = await order({ goodsInfo: shirt })
    assert.equal(await modified(other, { goodsInfo: shoes }, 'unsigned'), '0000')
    assert.deepEqual(answered(await pay(running, other, offered)), refused)
  })

  test('a payer’s changes leave the merchant three of the five', async () => {
    const running = await service()
    await changeWorld(running, setting('amount'))
    const of = await order()
    const ofPayer = '1111 modification not allowed, limit of 2 without a signature reached'
    for (const answer of ['0000', '0000', ofPayer, ofPayer])
      assert.equal(await modified(of, { extendInfo: { udf1: 'payer' } }, 'unsigned'), answer)
    for (let at = 1; at <= 3; at++) assert.equal(await modified(of, { extendInfo: { at, of: of.orderId } }, 'signed'), '0000')
    const limit = '1111 modification not allowed, limit of 5 reached'
    for (const signed of ['signed', 'unsigned'] as const)
      assert.equal(await modified(of, { extendInfo: { of: of.orderId } }, signed), limit)
  })

  test('under `optional` all five may be unsigned, and a merchant who begins to sign counts them', async () => {
    const running = await service()
    await changeWorld(running, setting('optional'))
    const of = await order()
    for (let at = 0; at < 3; at++) assert.equal(await modified(of, {}, 'unsigned'), '0000')
    await changeWorld(running, setting('amount'))
    assert.match(await modified(of, {}, 'unsigned'), /^1111 .* 2 without a signature/)
    await changeWorld(running, setting('optional'))
    for (let at = 0; at < 2; at++) assert.equal(await modified(of, {}, 'unsigned'), '0000')
    assert.match(await modified(of, {}, 'unsigned'), /^1111 .* limit of 5 reached/)
  })

  test('many unsigned changes at once are two', async () => {
    const running = await service()
    await changeWorld(running, setting('amount'))
    const of = await order()
    const answers = await Promise.all(Array.from({ length: 20 }, () => modified(of, {}, 'unsigned')))
    assert.equal(answers.filter((answer) => answer === '0000').length, 2)
    const signed = await Promise.all(Array.from({ length: 20 }, () => modified(of, { extendInfo: { of: of.orderId } }, 'signed')))
    assert.equal(signed.filter((answer) => answer === '0000').length, 3)
  })
})
