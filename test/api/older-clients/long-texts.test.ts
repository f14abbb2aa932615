// Long texts of payers and goods at the payment host, and older kits' name of UPI's channel: docs/interface.md sections 4.9 and 4.10.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../src/api/operations.ts'
import { pagePaths } from '../../../src/interface/page-paths.ts'
import { orderKey, subscriptionKey, transactionsOfOrder } from '../../../src/tables/keys.ts'
import { subscription } from '../../support/mandates/subscription.ts'
import { ask, goesTo } from '../../support/pages/pages.ts'
import { orderBody } from '../../support/paying/order-body.ts'
import { createOrder } from '../../support/paying/paying.ts'
import { codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, sharedService } from '../../support/run/service.ts'

const [LAW, ...HOSTS] = operations.createOrder.paths
const [LAW_INITIATE, HOST_INITIATE] = operations.initiateSubscription.paths
const [LAW_MODIFY, HOST_MODIFY] = operations.modifyOrder.paths as readonly [string, string]

const LONG = 'y'.repeat(256)
/** A family is one letter of seven code points and eleven units; a letter of Hindi has two. */
const [FAMILY, KI] = ['👨‍👩‍👧‍👦', 'कि']
/** Sent names, and what is stored of each. */
const NAMES: readonly (readonly [string, string])[] = [
  ['x'.repeat(64), 'x'.repeat(64)],
  ['x'.repeat(65), 'x'.repeat(64)],
  ['x'.repeat(32_000), 'x'.repeat(64)],
  ['😀'.repeat(64), '😀'.repeat(64)],
  ['😀'.repeat(65), '😀'.repeat(64)],
  [`${'x'.repeat(63)}😀😀`, `${'x'.repeat(63)}😀`],
  [`${'x'.repeat(64)}😀`, 'x'.repeat(64)],
  [`${'x'.repeat(60)}${FAMILY}`, 'x'.repeat(60)],
  [FAMILY.repeat(10), FAMILY.repeat(9)],
  [KI.repeat(40), KI.repeat(32)],
  [`x${KI.repeat(40)}`, `x${KI.repeat(31)}`],
  [`e${'\u0301'.repeat(100)}`, `e${'\u0301'.repeat(63)}`],
]

onBothStores('long texts', (store) => {
  const service = sharedService(store)
  let next = 0
  const create = async (path: string, more: object) => {
    const { signed, ports } = await service()
    const orderId = `LONG-${next++}`
    const reply = await signed(`${path}?mid=${MID}&orderId=${orderId}`, orderBody(orderId, more))
    return { reply, order: await ports.query.row(orderKey(MID, orderId)), txnToken: reply.body.txnToken as string }
  }

  test('a name is cut at a whole letter on the payment host, and is wrong on the first path', async () => {
    for (const [name, kept] of NAMES) {
      const userInfo = { custId: 'C1', firstName: name, lastName: name }
      const shippingInfo = [{ firstName: name, carrier: 'Post' }]
      for (const path of name === NAMES[1]![0] ? HOSTS : HOSTS.slice(0, 1)) {
        const { reply, order } = await create(path, { userInfo, ...(name.length < 1_000 && { shippingInfo }) })
        assert.equal(codeOf(reply), '0000', reply.text)
        const { details } = order!
        assert.deepEqual([details.userInfo.firstName, details.userInfo.lastName], [kept, kept])
        assert.ok(kept.isWellFormed())
        if (name.length < 1_000) assert.deepEqual(details.shippingInfo, [{ firstName: kept, carrier: 'Post' }])
      }
      const { reply } = await create(LAW, { userInfo })
      assert.equal(codeOf(reply), name === kept ? '0000' : '1001')
    }
  })

  test('texts of goods and shipping that are too long, and an address that is none, count as not given there', async () => {
    const { signed, ports } = await service()
    const kept = { merchantGoodsId: 'g', quantity: '1', unit: 'z'.repeat(255), extendInfo: { udf1: LONG } }
    const goods = [
      { ...kept, description: LONG, category: '😀'.repeat(256), snapshotUrl: 'no address' },
      { snapshotUrl: `https://shop.example/${'p'.repeat(2_048)}` },
      { snapshotUrl: 'https://shop.example/p', category: '😀'.repeat(255) },
    ]
    const shipping = [{ carrier: 'Post', address1: LONG, mobileNo: LONG, email: LONG }]
    const goodsInfo = [kept, {}, goods[2]!]
    for (const path of HOSTS)
      for (const name of ['goods', 'goodsInfo']) {
        const { reply, order } = await create(path, { [name]: goods, shippingInfo: shipping })
        assert.equal(codeOf(reply), '0000', reply.text)
        assert.deepEqual([order!.details.goodsInfo, order!.details.shippingInfo], [goodsInfo, [{ carrier: 'Post' }]])
      }
    for (const more of [...goods.slice(0, 2).map((each) => ({ goodsInfo: [each] })), { shippingInfo: shipping }])
      assert.equal(codeOf((await create(LAW, more)).reply), '1011')
    // One object stands for a list of one. A value that is no text, or has a control character, stays wrong.
    assert.deepEqual((await create(HOSTS[0]!, { goods: goods[0] })).order!.details.goodsInfo, [kept])
    for (const wrong of [{ goods: [{ category: 5 }] }, { goods: ['x'] }, { goods: 'x' }, { goods: [{ unit: 'a\u0001' }] }])
      assert.ok(['1001', '1011'].includes(codeOf((await create(HOSTS[0]!, wrong)).reply)), JSON.stringify(wrong))
    assert.equal(codeOf((await create(HOSTS[0]!, { userInfo: { custId: 'C1', firstName: `a\u0001${'x'.repeat(9)}` } })).reply), '1001')
    assert.equal(codeOf((await create(HOSTS[0]!, { userInfo: { custId: 'C1', lastName: {} } })).reply), '1001')

    const { order, txnToken } = await create(HOSTS[0]!, {})
    const change = { goodsInfo: goods, shippingInfo: shipping }
    const modify = (path: string) =>
      signed(`${path}?mid=${MID}&orderId=${order!.orderId}`, change, { head: { tokenType: 'TXN_TOKEN', token: txnToken } })
    assert.equal(codeOf(await modify(LAW_MODIFY)), '1011')
    assert.equal(codeOf(await modify(HOST_MODIFY)), '0000')
    assert.deepEqual((await ports.query.row(orderKey(MID, order!.orderId)))!.details.goodsInfo, goodsInfo)
  })

  test('a new subscription of the payment host is not refused for a long name, and that of the first path is', async () => {
    const { signed, ports } = await service()
    for (const [path, code] of [
      [LAW_INITIATE, '1007'],
      [HOST_INITIATE, '0000'],
    ] as const) {
      const body = subscription(`LONG-${next++}`, { userInfo: { custId: 'C1', firstName: 'x'.repeat(65) } })
      const reply = await signed(`${path}?mid=${MID}&orderId=${body['orderId']}`, body)
      assert.equal(codeOf(reply), code)
      const made = reply.body.subscriptionId && (await ports.query.row(subscriptionKey(MID, reply.body.subscriptionId)))
      assert.equal(made !== undefined, code === '0000')
    }
  })

  test('the collect of UPI has three spellings where a UPI id stands beside it, and none without', async () => {
    const { post, ports } = await service()
    const payerAccount = 'asha@okhdfcbank'
    const attempts = async (orderId: string) => (await ports.query.rows(transactionsOfOrder(MID, orderId))).length
    const paid = async (path: string, means: object) => {
      const { orderId, txnToken } = await createOrder(await service(), `LONG-${next++}`)
      const body = { requestType: 'NATIVE', mid: MID, orderId, ...means }
      const reply = await post(`${path}?mid=${MID}&orderId=${orderId}`, JSON.stringify({ head: { txnToken }, body }))
      const code = codeOf(reply)
      assert.equal(await attempts(orderId), code === '0000' ? 1 : 0)
      return code
    }
    for (const path of operations.processTransaction.paths) {
      for (const channelCode of ['collect', 'COLLECT', 'Collect', 'UPI'])
        assert.equal(await paid(path, { paymentMode: 'UPI', channelCode, payerAccount }), '0000', channelCode)
      for (const channelCode of ['collects', 'upi', 'push'])
        assert.equal(await paid(path, { paymentMode: 'UPI', channelCode, payerAccount }), '1001', channelCode)
      assert.equal(await paid(path, { paymentMode: 'UPI', channelCode: 'collect' }), '1007')
      assert.equal(await paid(path, { paymentMode: 'UPI', channelCode: 'collect', payerAccount: '' }), '1007')
      assert.equal(await paid(path, { paymentMode: 'UPI', channelCode: 'collect', payerAccount: 5 }), '1001')
      assert.equal(await paid(path, { paymentMode: 'NET_BANKING', channelCode: 'collect', payerAccount }), '1001')
    }
    for (const [means, begun] of [
      [{ channelCode: 'Collect', payerAccount }, 1],
      [{ channelCode: 'collect' }, 0],
      [{ channelCode: 'collects', payerAccount }, 0],
    ] as const) {
      const { orderId, txnToken } = await createOrder(await service(), `LONG-${next++}`)
      const answer = await ask(await service(), `${pagePaths.orderPay}?mid=${MID}&orderId=${orderId}`, {
        txnToken,
        paymentMode: 'UPI',
        ...means,
      })
      assert.ok(goesTo(answer))
      assert.equal(await attempts(orderId), begun, JSON.stringify(means))
    }
  })
})
