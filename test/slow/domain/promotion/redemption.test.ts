// Promotions when money moves: reserved when a payment begins, committed when it succeeds, released when it fails.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { demoWorld } from '../../../../src/sandbox/world.ts'
import { find, look } from '../../../../src/tables/tables.ts'
import { ask, CALLBACK, formOf } from '../../../support/pages/pages.ts'
import { CARD, createOrder, inParallel, type Order, pay, statusOf } from '../../../support/paying/paying.ts'
import { refund } from '../../../support/paying/refunds.ts'
import { codeOf } from '../../../support/run/replies.ts'
import { MID, onBothStores, type Service, sharedService } from '../../../support/run/service.ts'
import { sized } from '../../../support/run/sizes.ts'

const REDEMPTIONS = sized(200, 1_000)
const GIVEN = REDEMPTIONS / 10
const world = {
  ...demoWorld,
  promotions: [
    { mid: MID, promocode: 'TEN', flat: '10.00', budget: `${GIVEN * 10}.00`, visible: false },
    { mid: MID, promocode: 'ONCE', flat: '5.00', maxPerCustomer: 1, visible: false },
    { mid: MID, promocode: 'BACK', kind: 'CASHBACK' as const, flat: '7.00', budget: '70.00', fundedBy: 'bank', visible: false },
    { mid: MID, promocode: 'FREE', flat: '100.00', visible: false },
    { mid: MID, promocode: 'BEST', percent: '20', payMethods: ['CREDIT_CARD' as const] },
  ],
}
const PENDING = { paymentMode: 'UPI', payerAccount: 'pending@upi' }
const acts = (service: Service, { orderId }: Pick<Order, 'orderId'>, action: 'approve' | 'decline') =>
  service.post('/sandbox/payer', JSON.stringify({ mid: MID, orderId, action }))
const counterOf = async (service: Service, promocode: string, custId = '') =>
  (await service.store.query.row(look('promotionCounters', MID, promocode, custId))) ?? { uses: 0, amountPaise: 0 }
const transactionOf = async ({ store }: Service, { orderId }: Order) =>
  (await store.query.rows(find('transactions', { equals: { mid: MID, orderId }, orderBy: ['attempt'], limit: 5 }))).at(-1)!
const redemptionOf = async (service: Service, order: Order) =>
  service.store.query.row(look('redemptions', MID, (await transactionOf(service, order)).txnId))
const ledgerOf = async ({ store }: Service, movement: string) =>
  (await store.query.rows(find('ledgerEntries', { equals: { owner: MID, movement }, limit: 10 }))).map(
    ({ account, debitPaise, creditPaise }) => `${account} ${debitPaise - creditPaise}`,
  )

onBothStores('promotions that are paid with', (store) => {
  const service = sharedService(store, { world })

  test(`${REDEMPTIONS} parallel redemptions of a budget for ${GIVEN}: ${GIVEN}, and what fails is free again`, async () => {
    const running = await service()
    const orders: Order[] = []
    await inParallel(32, REDEMPTIONS, async (at) => {
      orders.push(await createOrder(running, `TEN${at}`, { userInfo: { custId: `C${at}` } }))
    })
    const replies: string[] = []
    await inParallel(64, REDEMPTIONS, async (at) => {
      const { body } = await pay(running, orders[at]!, { ...PENDING, promoCode: 'TEN' })
      replies.push(body.resultInfo.resultMsg)
    })
    const redemptions = await running.store.query.rows(find('redemptions', { equals: { promocode: 'TEN' }, limit: REDEMPTIONS }))
    const winners = redemptions.filter(({ status }) => status === 'RESERVED')
    assert.equal(winners.length, GIVEN)
    assert.equal(replies.filter((message) => message === 'Success').length, GIVEN)
    assert.equal(replies.filter((message) => message === 'Invalid promoCode').length, REDEMPTIONS - GIVEN)
    assert.deepEqual(pick(await counterOf(running, 'TEN')), { uses: GIVEN, amountPaise: GIVEN * 1_000 })
    await inParallel(8, GIVEN, async (at) => void (await acts(running, winners[at]!, at % 2 === 0 ? 'decline' : 'approve')))
    const left = pick(await counterOf(running, 'TEN'))
    console.log(
      `${store}: ${REDEMPTIONS} redemptions of a budget for ${GIVEN}: ${winners.length}; after half of them failed ${GIVEN - left.uses} are free`,
    )
    assert.deepEqual(left, { uses: GIVEN / 2, amountPaise: GIVEN * 500 })
  })

  test('the result of an offer is reported when the payment has ended, and not while it is under way', async () => {
    const running = await service()
    for (const [action, status, code] of [
      ['approve', 'PROMO_SUCCESS', '01'],
      ['decline', 'PROMO_FAILURE', '702'],
    ] as const) {
      const order = await createOrder(running, `TOLD_${action.toUpperCase()}`, { callbackUrl: CALLBACK })
      const { body } = await pay(running, order, { ...PENDING, promoCode: 'BACK' })
      const brought = async () => {
        const { text } = await ask(running, `/transaction/return?mid=${MID}&txnId=${body.txnId}`)
        const { PROMO_CAMP_ID, PROMO_STATUS, PROMO_RESPCODE } = formOf(text, { ORDERID: order.orderId }).fields
        return [PROMO_CAMP_ID, PROMO_STATUS, PROMO_RESPCODE]
      }
      assert.deepEqual(await brought(), ['BACK', undefined, undefined])
      await acts(running, order, action)
      assert.deepEqual(await brought(), ['BACK', status, code])
    }
  })

  test('a discount lowers what the bank takes, and its funder owes it in the ledger', async () => {
    const running = await service()
    const order = await createOrder(running, 'DISCOUNT', { simplifiedPaymentOffers: { promoCode: 'ONCE' } })
    const { body } = await pay(running, order, CARD)
    assert.equal(body.txnInfo.TXNAMOUNT, '95.00')
    assert.equal(body.txnInfo.PROMO_CAMP_ID, 'ONCE')
    const { txnId, capturedPaise, discountPaise } = await transactionOf(running, order)
    assert.deepEqual([capturedPaise, discountPaise], [9_500, 500])
    assert.deepEqual(await ledgerOf(running, `capture:${txnId}`), [
      'acquirer_receivable 9500',
      'offer_funding:merchant 500',
      'merchant_payable -10000',
    ])
    assert.equal((await redemptionOf(running, order))?.status, 'COMMITTED')
  })

  test('a customer who has used their share pays in full, or not at all when the merchant insists', async () => {
    const running = await service()
    const second = await createOrder(running, 'SECOND', { simplifiedPaymentOffers: { promoCode: 'ONCE' } })
    assert.equal((await pay(running, second, CARD)).body.txnInfo.TXNAMOUNT, '100.00')
    const third = await createOrder(running, 'THIRD', { simplifiedPaymentOffers: { promoCode: 'ONCE', validatePromo: 'true' } })
    assert.equal((await pay(running, third, CARD)).body.resultInfo.resultMsg, 'Invalid promoCode')
    assert.equal((await statusOf(running, third)).body.resultInfo.resultCode, '331')
  })

  test('the best offer is found when the merchant asks for it', async () => {
    const running = await service()
    const order = await createOrder(running, 'BESTOFFER', { simplifiedPaymentOffers: { applyAvailablePromo: 'true' } })
    assert.equal((await pay(running, order, CARD)).body.txnInfo.TXNAMOUNT, '80.00')
  })

  test('an offer of everything leaves nothing for the bank, and the order is paid', async () => {
    const running = await service()
    const order = await createOrder(running, 'NOTHING')
    const { body } = await pay(running, order, { ...CARD, promoCode: 'FREE' })
    assert.deepEqual([body.resultInfo.resultCode, body.txnInfo.TXNAMOUNT], ['0000', '0.00'])
    assert.equal((await transactionOf(running, order)).status, 'SUCCESS')
    // No money came, so there is none to give back, and the offer stays used.
    assert.equal(codeOf(await refund(running, { ...order, txnId: body.txnId }, 'FREE', '0.01')), '610')
    assert.equal((await redemptionOf(running, order))!.status, 'COMMITTED')
  })

  test('cashback is charged in full and posted after success, to no wallet where no payer signed in', async () => {
    const running = await service()
    const order = await createOrder(running, 'CASHBACK')
    const { body } = await pay(running, order, { ...CARD, promoCode: 'BACK' })
    assert.equal(body.txnInfo.TXNAMOUNT, '100.00')
    const { txnId } = await transactionOf(running, order)
    assert.deepEqual(await ledgerOf(running, `cashback:${txnId}`), ['offer_funding:bank 700', 'cashback_payable -700'])
  })
})

const pick = ({ uses, amountPaise }: { uses: number; amountPaise: number }) => ({ uses, amountPaise })
