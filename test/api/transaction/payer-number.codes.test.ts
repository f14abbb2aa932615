// The refusal 1007 `userInfo.mobile` where an acquirer needs the payer's mobile number, in the order of refusals. Each row also has every
// fault of the rows below it. docs/interface.md sections 4.10 and 7.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { tokenFamilyKey } from '../../../src/tables/keys.ts'
import type { Row } from '../../../src/tables/tables.ts'
import { accountAt, PAYER } from '../../support/cashfree/account.ts'
import { CashfreeSimulator } from '../../support/cashfree/simulator.ts'
import { issueSsoToken } from '../../support/mandates/subscription.ts'
import { createOrder, type Order, pay } from '../../support/paying/paying.ts'
import { MID, onBothStores, type Service, startService } from '../../support/run/service.ts'

const LATER = { promoCode: 'NONE' }
const SHARED = { ...LATER, paymentFlow: 'HYBRID' }
const rows: readonly [what: string, means: object, code: string, message: string, more?: { token?: string; hasMobile?: boolean }][] = [
  ['no paymentMode', { ...SHARED, paymentMode: '' }, '1007', 'Missing mandatory element', { token: 'nobody' }],
  ['a mode that nobody has', { ...SHARED, paymentMode: 'CASH' }, '1001', 'Invalid paymentMode', { token: 'nobody' }],
  ['a token that nobody has', { ...SHARED, paymentMode: 'UPI', channelCode: 'UPIPUSH' }, '1006', 'Session expired', { token: 'nobody' }],
  ['a mode that is not offered', { ...SHARED, paymentMode: 'PPBL' }, '1001', 'Invalid paymentMode'],
  ['a bank that is not offered', { ...SHARED, paymentMode: 'NET_BANKING', channelCode: 'SBI' }, '1001', 'Invalid channelCode'],
  ['no number for UPI', { ...SHARED, paymentMode: 'UPI', channelCode: 'UPIPUSH' }, '1007', 'Missing mandatory element'],
  ['no number for net banking', { ...SHARED, paymentMode: 'NET_BANKING', channelCode: 'HDFC' }, '1007', 'Missing mandatory element'],
  [
    'part of the wallet of nobody',
    { ...SHARED, paymentMode: 'UPI', channelCode: 'UPIPUSH' },
    '1001',
    'Invalid paymentFlow',
    { hasMobile: true },
  ],
  [
    'an offer that there is not',
    { ...LATER, paymentMode: 'UPI', channelCode: 'UPIPUSH' },
    '1001',
    'Invalid promoCode',
    { hasMobile: true },
  ],
]

onBothStores("the payer's number", (store) => {
  let bank: CashfreeSimulator
  let service: Service
  const orders: Partial<Record<'with' | 'without', Order>> = {}
  const opened = async () => {
    bank ??= await CashfreeSimulator.start()
    service ??= await startService(store, { env: accountAt(bank.url) })
    orders.with ??= await createOrder(service, 'WITH_NUMBER', PAYER)
    orders.without ??= await createOrder(service, 'WITHOUT_NUMBER')
  }
  after(async () => {
    await service?.close()
    await bank?.stop()
  })

  for (const [what, means, code, message, { token, hasMobile = false } = {}] of rows)
    test(`${code}: ${what}`, async () => {
      await opened()
      const order = hasMobile ? orders.with! : orders.without!
      const { body } = await pay(service, { ...order, ...(token && { txnToken: token }) }, means)
      assert.deepEqual([body.resultInfo.resultCode, body.resultInfo.resultMsg], [code, message])
      assert.deepEqual(bank.recorded, [], 'Cashfree is not called')
    })

  test('1007: the number of a payer whose sign-in was revoked is no number of the payer', async () => {
    await opened()
    const token = `revoked-${store}`
    await issueSsoToken(service, token, { userId: 'revoked', mobile: '9000000009' })
    const order = await createOrder(service, 'REVOKED', { paytmSsoToken: token })
    const key = tokenFamilyKey(`family of ${service.ports.vault.hash('ssoToken', token)}`)
    await service.store.transaction(async (transaction) => {
      const row = (await transaction.read([key])).get(key.name) as Row<'tokenFamilies'>
      await transaction.write({ changes: [{ kind: 'update', key, row: { ...row, status: 'REVOKED' } }], events: [], tasks: [] })
    })
    const { body } = await pay(service, order, { paymentMode: 'UPI', channelCode: 'UPIPUSH' })
    assert.deepEqual([body.resultInfo.resultCode, body.resultInfo.resultMsg], ['1007', 'Missing mandatory element'])
    assert.deepEqual(bank.recorded, [], 'Cashfree is not called')
  })

  test('410: the state of the order comes before the number', async () => {
    await opened()
    const order = await createOrder(service, 'CLOSED')
    await service.signed('/v1/order/close', { requestType: 'CLOSE', mid: MID, orderId: order.orderId })
    assert.equal((await pay(service, order, { ...SHARED, paymentMode: 'UPI', channelCode: 'UPIPUSH' })).body.resultInfo.resultCode, '410')
  })
})
