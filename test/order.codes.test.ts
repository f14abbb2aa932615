// Create Order and Modify Order over HTTP: one row per row of docs/interface.md section 7, in order of precedence.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MID, onBothStores, sharedService } from './support/service.ts'

const order = (orderId: string, more: object = {}) => ({
  requestType: 'PAYMENT',
  mid: MID,
  orderId,
  txnAmount: { value: '10.00', currency: 'INR' },
  userInfo: { custId: 'C1' },
  websiteName: 'DEFAULT',
  ...more,
})
const path = (orderId: string) => `/aoa-acquiring-biz/v2/order?mid=${MID}&orderId=${orderId}`

onBothStores('create order', (store) => {
  const service = sharedService(store)

  test('a good request creates an order, and the same orderId again is a duplicate', async () => {
    const { signed } = await service()
    const first = await signed(path('O1'), order('O1'))
    assert.equal(first.body.resultInfo.resultCode, '0000')
    assert.match(first.body.txnToken, /^[0-9a-f]{32}[0-9]{13}$/)
    const second = await signed(path('O1'), order('O1'))
    assert.equal(second.body.resultInfo.resultCode, '324')
  })

  test('modify: the amount changes five times and not a sixth', async () => {
    const { signed } = await service()
    const created = await signed(path('O2'), order('O2'))
    const codes: string[] = []
    for (let at = 0; at < 6; at++) {
      const reply = await signed(
        `/aoa-acquiring-biz/v2/modifyOrder?mid=${MID}&orderId=O2`,
        { txnAmount: { value: `${20 + at}.00`, currency: 'INR' } },
        { head: { tokenType: 'TXN_TOKEN', token: created.body.txnToken } },
      )
      codes.push(reply.body.resultInfo.resultCode)
    }
    assert.deepEqual(codes, ['0000', '0000', '0000', '0000', '0000', '1111'])
  })

  test('modify with the token of another order', async () => {
    const { signed } = await service()
    const created = await signed(path('O3'), order('O3'))
    const head = { tokenType: 'TXN_TOKEN', token: created.body.txnToken }
    const reply = await signed(`/aoa-acquiring-biz/v2/modifyOrder?mid=${MID}&orderId=O2`, {}, { head })
    assert.equal(reply.body.resultInfo.resultCode, '2014')
  })
})
