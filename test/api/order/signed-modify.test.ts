// Tests which signed bodies are modifications. A checksum covers the body alone, and bodies that a merchant signed for another operation
// reach other parties (docs/interface.md sections 4.3 and 5.1).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { World } from '../../../src/sandbox/world.ts'
import { orderKey } from '../../../src/tables/keys.ts'
import { createOrder, type Order } from '../../support/paying/paying.ts'
import { MID, onBothStores, sharedService } from '../../support/run/service.ts'

const world: World = { merchants: [{ mid: MID, keys: [{ clientId: 'C11', key: 'ABCDEFGHIJKLMNOP' }], signedModify: 'always' }] }
const txnAmount = { value: '1.00', currency: 'INR' }
const paymentOptions = [{ transactionAmount: '100.00', payMethod: 'UPI' }]

/** Bodies of other operations, most of them about this order, each with its fault as a modification. */
const others = (orderId: string): [what: string, body: object, answer: string][] => [
  ['Create Order', { requestType: 'PAYMENT', mid: MID, orderId, txnAmount, websiteName: 'DEFAULT' }, '1001 Invalid requestType'],
  ['Close Order', { requestType: 'CLOSE', mid: MID, orderId }, '1001 Invalid requestType'],
  ['Order Status', { mid: MID, orderId }, '1001 Invalid mid'],
  ['Order Status, of a kind', { mid: MID, orderId, txnType: 'SALE' }, '1001 Invalid txnType'],
  ['Fetch All Payment Offers', { mid: MID }, '1001 Invalid mid'],
  ['no operation', { orderId, userInfo: { custId: 'C1' } }, '1001 Invalid orderId'],
  ['Apply Promo', { mid: MID, paymentOptions, totalTransactionAmount: '100.00' }, '1001 Invalid paymentOptions'],
  ['Create Access Token', { mid: MID, referenceId: 'NOTICE-0001' }, '1001 Invalid referenceId'],
  ['Apply Refund', { mid: MID, orderId, txnType: 'REFUND', refId: 'R1', refundAmount: '1.00' }, '1001 Invalid txnType'],
  ['Refund Status', { mid: MID, orderId, refId: 'R1' }, '1001 Invalid refId'],
  [
    'Renew Subscription',
    { mid: MID, orderId: 'RENEWAL1', subscriptionId: '1', txnAmount },
    '2014 different orderId in create and modify requests',
  ],
  ['Renew Subscription, of its name', { mid: MID, orderId, subscriptionId: '1', txnAmount }, '1001 Invalid subscriptionId'],
  ['Pre Notify', { mid: MID, subsId: '1', txnAmount, referenceId: 'NOTICE-0001' }, '1001 Invalid subsId'],
  ['Check Subscription Status', { mid: MID, custId: 'C1', orderId }, '1001 Invalid custId'],
  ['another merchant’s', { mid: 'OTHER', orderId, txnAmount }, '2013 different mid in create and modify requests'],
  ['a mid that is no text', { mid: [MID], txnAmount }, '2013 different mid in create and modify requests'],
  ['of names that every object has', { toString: 'x', txnAmount }, '1001 Invalid toString'],
  ['of a name that is not shown', { 'a|b': 'x', txnAmount }, '1001 Invalid ?'],
]

const published = (orderId: string): [what: string, body: object][] => [
  ['the documented sample', { txnAmount, userInfo: { custId: 'CUST_001' } }],
  ['with names of the order', { mid: MID, orderId, txnAmount }],
  ['goods by their other name', { goods: [{ description: 'shirt' }], shippingInfo: [{ cityName: 'Pune' }] }],
  ['goods by both names', { goods: [{ description: 'shoes' }], goodsInfo: [{ description: 'shirt' }] }],
  ['data of the merchant’s own', { extendInfo: { subscriptionId: orderId } }],
  ['an empty one', {}],
]

onBothStores('a signed modification', (store) => {
  const service = sharedService(store, { world })
  const modify = async ({ orderId, txnToken }: Order, path: string, body: object, signature?: null) => {
    const head = { txnToken, tokenType: 'TXN_TOKEN', token: txnToken }
    const options = { head, ...(signature === null && { signature }) }
    const { resultCode, resultMsg } = (await (await service()).signed(`${path}?mid=${MID}&orderId=${orderId}`, body, options)).body
      .resultInfo
    return `${resultCode} ${resultMsg}`
  }
  const stored = async (orderId: string) => (await service()).ports.query.row(orderKey(MID, orderId))

  for (const path of ['/aoa-acquiring-biz/v2/modifyOrder', '/theia/api/v1/updateTransactionDetail']) {
    test(`is none that was signed for another operation: ${path}`, async () => {
      const order = await createOrder(await service(), `OTHERS-${path.length}`)
      const before = await stored(order.orderId)
      for (const [what, body, answer] of others(order.orderId)) assert.equal(await modify(order, path, body), answer, what)
      assert.deepEqual(await stored(order.orderId), before)
      assert.equal(
        await modify(order, path, { txnAmount, subscriptionId: '1' }, null),
        '1012 param missing',
        'unsigned it needs a signature first',
      )
    })

    test(`is whatever published clients sign: ${path}`, async () => {
      for (const [at, [what, body]] of published('').entries()) {
        const order = await createOrder(await service(), `PUBLISHED-${path.length}-${at}`)
        assert.equal(await modify(order, path, 'orderId' in body ? { ...body, orderId: order.orderId } : body), '0000 Success', what)
        const { amountPaise, details } = (await stored(order.orderId))!
        assert.equal(amountPaise, 'txnAmount' in body ? 100 : 10_000, what)
        if ('goods' in body) assert.deepEqual(details.goodsInfo, [{ description: 'shirt' }], what)
      }
    })
  }
})
