// Wallets, hybrid and added money, offers that a payment uses, and a store that fails in the middle. After each test the bank's journal
// equals Mohur's books.

import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import type { World } from '../../../src/sandbox/world.ts'
import { customerKey, orderKey, redemptionKey, taskKey, transactionsOfOrder } from '../../../src/tables/keys.ts'
import { booksEqualJournal, chainsAreWhole } from '../../support/bank/books.ts'
import { initiate, issueSsoToken, subscription } from '../../support/mandates/subscription.ts'
import { bankJournal, CARD, createOrder, type Order, pay, script, statusOf } from '../../support/paying/paying.ts'
import { promotionWorld } from '../../support/paying/promotions.ts'
import { codeAndMessage, codeOf } from '../../support/run/replies.ts'
import { MID, onBothStores, type Service, sharedService } from '../../support/run/service.ts'
import { watched } from '../../support/store/faults.ts'

const vpa = (name: string) => ({ paymentMode: 'UPI', payerAccount: `${name}@upi` })
const DEBIT_CARD = { paymentMode: 'DEBIT_CARD', cardInfo: '|4012888888881881|123|122032' }
const rupees = (value: string) => ({ txnAmount: { value, currency: 'INR' } })

const world: World = {
  ...promotionWorld([
    { promocode: 'TENTH', percent: '10', budget: '50.00' },
    { promocode: 'CARDS', flat: '30.00', payMethods: ['CREDIT_CARD'] },
    { promocode: 'BACK', kind: 'CASHBACK', flat: '25.00', visible: false },
    { promocode: 'ONCE', flat: '5.00', maxPerCustomer: 1, visible: false },
    // For net banking: the first has a budget for one payment, the second for two.
    { promocode: 'MOST', flat: '40.00', budget: '40.00', payMethods: ['NET_BANKING'] },
    { promocode: 'NEXT', flat: '25.00', budget: '50.00', payMethods: ['NET_BANKING'] },
    // For debit cards: the first is worth more for a whole order, the second for what a wallet leaves.
    { promocode: 'HALF', percent: '50', payMethods: ['DEBIT_CARD'] },
    { promocode: 'FLAT', flat: '30.00', payMethods: ['DEBIT_CARD'] },
    { promocode: 'ALONE', flat: '45.00', payMethods: ['BALANCE'] },
  ]),
  customers: [
    { mobile: '9000000001', walletBalance: '60.00' },
    { mobile: '9000000002', walletBalance: '0.00' },
  ],
}

onBothStores('wallet and offers', (store) => {
  const tearing = { now: false }
  const service = sharedService(store, {
    world,
    /** Fails once, at the write that captures a payment. */
    store: (under) =>
      watched(under, {
        write({ changes }) {
          if (!tearing.now || !changes.some(({ key }) => key.table === 'ledgerEntries' && key.id[1]?.startsWith('capture:'))) return
          tearing.now = false
          throw new Error('injected')
        },
      }),
  })
  let orders = 0
  const order = async (more: object = {}) => createOrder(await service(), `W${++orders}`, more)
  const signedIn = async (mobile: string, more: object = {}) => {
    const running = await service()
    const paytmSsoToken = await issueSsoToken(running, `sso-${store}-${orders}-${mobile}`, { userId: `user-${mobile}`, mobile })
    return order({ paytmSsoToken, userInfo: { custId: `C${mobile}` }, ...more })
  }
  const balance = async (mobile: string) => (await (await service()).ports.query.row(customerKey(mobile)))!.walletBalancePaise
  const attempt = async ({ orderId }: Order) => (await (await service()).ports.query.rows(transactionsOfOrder(MID, orderId))).at(-1)!
  const parts = async (of: Order) => {
    const { flow, discountPaise, walletPaise, bankPaise } = await attempt(of)
    return [flow, discountPaise, walletPaise, bankPaise]
  }
  const redemption = async (of: Order) => (await service()).ports.query.row(redemptionKey(MID, (await attempt(of)).txnId))
  const used = async (promocode: string, custId = '') => {
    const { ports } = await service()
    return (await ports.query.rows({ find: 'promotionCounters', equals: { mid: MID, promocode, custId }, limit: 1 }))[0]?.uses ?? 0
  }
  const payer = ({ post }: Service, { orderId }: Order, action: string) =>
    post('/sandbox/payer', JSON.stringify({ mid: MID, orderId, action }))

  afterEach(async () => {
    const running = await service()
    await running.tasks.runDue()
    await booksEqualJournal(running)
    await chainsAreWhole(running)
  })

  // The tests of the wallet follow one another, because they share its balance.

  test('the wallet pays part: held while the bank is asked, free again when it fails, spent when it succeeds', async () => {
    const running = await service()
    const hybrid = await signedIn('9000000001')
    assert.equal(codeOf(await pay(running, hybrid, { ...vpa('pending'), paymentFlow: 'HYBRID' })), '0000')
    assert.deepEqual(await parts(hybrid), ['HYBRID', 0, 6_000, 4_000])
    assert.equal(await balance('9000000001'), 0)
    await payer(running, hybrid, 'decline')
    assert.equal(await balance('9000000001'), 6_000)
    await script(running, hybrid, 'wrongAmount')
    assert.equal(codeOf(await pay(running, hybrid, { ...CARD, paymentFlow: 'HYBRID' })), '0001')
    assert.equal(await balance('9000000001'), 6_000, 'what the bank took wrongly is the bank’s alone')
    const paid = await pay(running, hybrid, { ...CARD, paymentFlow: 'HYBRID' })
    assert.deepEqual([codeOf(paid), paid.body.txnInfo.TXNAMOUNT, await balance('9000000001')], ['0000', '100.00', 0])
  })

  test('an empty wallet leaves all of it to the bank', async () => {
    const running = await service()
    const empty = await signedIn('9000000002')
    assert.equal(codeOf(await pay(running, empty, { ...CARD, paymentFlow: 'HYBRID' })), '0000')
    assert.deepEqual(await parts(empty), ['NONE', 0, 0, 10_000])
    assert.equal(codeOf(await pay(running, await signedIn('9000000002'), { paymentMode: 'BALANCE' })), '235')
  })

  test('cashback goes into the wallet, and from there the wallet alone pays; no bank is called', async () => {
    const running = await service()
    const first = await signedIn('9000000002')
    assert.equal(codeOf(await pay(running, first, { ...CARD, promoCode: 'BACK' })), '0000')
    assert.equal(await balance('9000000002'), 2_500)
    assert.deepEqual([(await redemption(first))?.status, (await statusOf(running, first)).body.txnAmount], ['COMMITTED', '100.00'])
    const lines = (await bankJournal(running)).length
    for (const [means, amount] of [
      [{ paymentMode: 'BALANCE' }, '10'],
      [{ ...CARD, paymentFlow: 'HYBRID' }, '5'],
    ] as const) {
      const small = await signedIn('9000000002', rupees(amount))
      const { body } = await pay(running, small, means)
      assert.equal(body.txnInfo.GATEWAYNAME, 'WALLET')
      assert.deepEqual((await running.ports.query.row(orderKey(MID, small.orderId)))?.status, 'PAID')
    }
    assert.equal(await balance('9000000002'), 1_000)
    assert.equal((await bankJournal(running)).length, lines)
  })

  test('money added to the wallet and paid out of it: the same amounts, one movement more', async () => {
    const running = await service()
    const added = await signedIn('9000000002')
    assert.equal(codeOf(await pay(running, added, { ...CARD, paymentFlow: 'ADDANDPAY' })), '0000')
    assert.deepEqual(await parts(added), ['ADDANDPAY', 0, 1_000, 9_000])
    assert.equal(await balance('9000000002'), 0)
    const { txnId } = await attempt(added)
    const lines = await running.ports.query.rows({
      find: 'ledgerEntries',
      equals: { subject: txnId, account: 'customer_wallet' },
      limit: 10,
    })
    assert.deepEqual(lines.map(({ debitPaise, creditPaise }) => debitPaise - creditPaise).sort(), [-9_000, 1_000, 9_000])
  })

  test('cashback of a customer without a wallet is kept as the customer’s credit', async () => {
    const running = await service()
    const nobody = await order()
    assert.equal(codeOf(await pay(running, nobody, { ...CARD, promoCode: 'BACK' })), '0000')
    const { txnId } = await attempt(nobody)
    const [line] = await running.ports.query.rows({
      find: 'ledgerEntries',
      equals: { subject: txnId, account: 'cashback_payable' },
      limit: 2,
    })
    assert.equal(line?.creditPaise, 2_500)
  })

  // --------------------------------------------------------------------------------------------------------- offers

  test('a discount is charged less, reserved while it lasts, free after a failure, used up by a success', async () => {
    const running = await service()
    const discounted = await order()
    const means = { ...vpa('pending'), promoCode: 'TENTH' }
    assert.equal(codeOf(await pay(running, discounted, means)), '0000')
    assert.deepEqual(
      [await parts(discounted), (await redemption(discounted))?.status, await used('TENTH')],
      [['NONE', 1_000, 0, 9_000], 'RESERVED', 1],
    )
    await payer(running, discounted, 'decline')
    assert.deepEqual([(await redemption(discounted))?.status, await used('TENTH')], ['RELEASED', 0])
    await pay(running, discounted, means)
    await payer(running, discounted, 'approve')
    assert.deepEqual([(await redemption(discounted))?.status, await used('TENTH')], ['COMMITTED', 1])
    const { body } = await statusOf(running, discounted)
    assert.deepEqual([body.txnAmount, body.payableAmount, (await attempt(discounted)).capturedPaise], ['90.00', '100.00', 9_000])
  })

  test('an offer that the payer names and cannot get refuses the payment: the mode, the budget, the limit of a customer', async () => {
    const running = await service()
    const refused = ['1001', 'Invalid promoCode']
    assert.deepEqual(codeAndMessage(await pay(running, await order(), { ...vpa('asha'), promoCode: 'CARDS' })), refused)
    assert.deepEqual(
      codeAndMessage(await pay(running, await order(rupees('500')), { ...CARD, promoCode: 'TENTH' })),
      refused,
      'Rs 40 are left',
    )
    assert.deepEqual(codeAndMessage(await pay(running, await order(), { ...CARD, promoCode: 'ONCE' })), ['0000', 'Success'])
    assert.deepEqual(codeAndMessage(await pay(running, await order(), { ...CARD, promoCode: 'ONCE' })), refused)
    assert.equal(await used('ONCE', 'C1'), 1)
  })

  test('an offer for all of the amount leaves nothing to charge: paid, and no bank is asked', async () => {
    const running = await service()
    const lines = (await bankJournal(running)).length
    const free = await order(rupees('30'))
    const reply = await pay(running, free, { ...CARD, promoCode: 'CARDS' })
    assert.deepEqual([codeOf(reply), reply.body.txnInfo.TXNAMOUNT, await parts(free)], ['0000', '0.00', ['NONE', 3_000, 0, 0]])
    assert.deepEqual([codeOf(await statusOf(running, free)), (await bankJournal(running)).length], ['01', lines])
  })

  test('simplifiedPaymentOffers: the named offer, the best one, and whether the payment insists', async () => {
    const running = await service()
    const discountOf = async (simplifiedPaymentOffers: object, means: object) => {
      const offered = await order({ simplifiedPaymentOffers })
      const reply = await pay(running, offered, means)
      return codeOf(reply) === '0000' ? (await attempt(offered)).discountPaise : codeAndMessage(reply)[1]
    }
    assert.equal(await discountOf({ promoCode: 'CARDS' }, CARD), 3_000)
    assert.equal(await discountOf({ promoCode: 'CARDS' }, vpa('asha')), 0)
    assert.equal(await discountOf({ promoCode: 'CARDS', validatePromo: 'true' }, vpa('asha')), 'Invalid promoCode')
    assert.equal(await discountOf({ applyAvailablePromo: 'true' }, CARD), 3_000, 'the best of the visible ones')
    assert.equal(await discountOf({ applyAvailablePromo: true }, vpa('asha')), 1_000)
    assert.equal(await discountOf({ applyAvailablePromo: false }, CARD), 0)
    assert.equal(await discountOf({ promoCode: 'CARDS' }, { ...CARD, promoCode: 'TENTH' }), 1_000, 'what the payer names wins')
  })

  test('the offer of a hybrid payment is reckoned on what the wallet does not pay', async () => {
    const running = await service()
    const { ports } = running
    await running.call('PUT', '/sandbox/world', {}, JSON.stringify({ customers: [{ mobile: '9000000003', walletBalance: '60.00' }] }))
    const both = await signedIn('9000000003')
    assert.equal(codeOf(await pay(running, both, { ...CARD, paymentFlow: 'HYBRID', promoCode: 'CARDS' })), '0000')
    assert.deepEqual(await parts(both), ['HYBRID', 3_000, 6_000, 1_000])
    assert.equal((await ports.query.row(customerKey('9000000003')))?.walletBalancePaise, 0)
  })

  test('payers who take the last of the best offer in the same moment are each given the next best', async () => {
    const running = await service()
    const offered = { ...rupees('100'), simplifiedPaymentOffers: { applyAvailablePromo: true } }
    const orders = await Promise.all(Array.from({ length: 5 }, () => order(offered)))
    const replies = await Promise.all(orders.map((each) => pay(running, each, { paymentMode: 'NET_BANKING', channelCode: 'HDFC' })))
    assert.deepEqual(replies.map(codeOf), Array(5).fill('0000'))
    const discounts = await Promise.all(orders.map(async (each) => (await attempt(each)).discountPaise))
    assert.deepEqual(
      discounts.toSorted((one, other) => other - one),
      [4_000, 2_500, 2_500, 1_000, 1_000],
    )
  })

  test('the best offer beside a wallet is the best for what the wallet leaves', async () => {
    const running = await service()
    await running.call('PUT', '/sandbox/world', {}, JSON.stringify({ customers: [{ mobile: '9000000004', walletBalance: '60.00' }] }))
    const best = await signedIn('9000000004', { ...rupees('100'), simplifiedPaymentOffers: { applyAvailablePromo: true } })
    assert.equal(codeOf(await pay(running, best, { ...DEBIT_CARD, paymentFlow: 'HYBRID' })), '0000')
    assert.deepEqual(await parts(best), ['HYBRID', 3_000, 6_000, 1_000])
  })

  test('a wallet that pays alone gets the best offer for the whole amount, whatever flow is named', async () => {
    const running = await service()
    await running.call('PUT', '/sandbox/world', {}, JSON.stringify({ customers: [{ mobile: '9000000005', walletBalance: '1000.00' }] }))
    for (const flow of [{}, { paymentFlow: 'HYBRID' }, { paymentFlow: 'ADDANDPAY' }]) {
      const whole = await signedIn('9000000005', { ...rupees('100'), simplifiedPaymentOffers: { applyAvailablePromo: true } })
      assert.equal(codeOf(await pay(running, whole, { paymentMode: 'BALANCE', ...flow })), '0000')
      assert.deepEqual(await parts(whole), ['NONE', 4_500, 5_500, 0])
    }
  })

  // -------------------------------------------------------------------------------------------------- subscriptions

  test("the first payment of a subscription activates it, also when it is for nothing; its order's offers do not count", async () => {
    const running = await service()
    for (const value of ['10.00', '0.00']) {
      const orderId = `SUBS${value}`
      const reply = await initiate(
        running,
        subscription(orderId, { txnAmount: { value, currency: 'INR' }, enablePaymentMode: [{ mode: 'UPI' }] }),
      )
      const asked = { orderId, txnToken: reply.body.txnToken as string }
      assert.deepEqual(codeAndMessage(await pay(running, asked, CARD)), ['1001', 'Invalid paymentMode'])
      assert.equal(codeOf(await pay(running, asked, vpa('asha'))), '0000')
      const [row] = await running.ports.query.rows({ find: 'subscriptions', equals: { orderId }, limit: 1 })
      assert.equal(row?.status, 'ACTIVE')
    }
  })

  test('a subscription whose order is closed while it is being paid is over', async () => {
    const running = await service()
    const { body } = await initiate(running, subscription('SUBSCLOSED'))
    const closed = { orderId: 'SUBSCLOSED', txnToken: body.txnToken as string }
    const { subscriptionId } = body
    assert.equal(codeOf(await pay(running, closed, vpa('pending'))), '0000')
    assert.equal(codeOf(await running.signed('/v1/order/close', { requestType: 'CLOSE', mid: MID, orderId: 'SUBSCLOSED' })), '0000')
    await payer(running, closed, 'approve')
    assert.equal(codeOf(await statusOf(running, closed)), '810')
    const [row] = await running.ports.query.rows({ find: 'subscriptions', equals: { subscriptionId }, limit: 1 })
    assert.deepEqual([row?.status, row?.subStatus], ['REJECT', 'TIMED_OUT'])
  })

  // ------------------------------------------------------------------------------------------- a store that is torn

  test('a store that fails when the bank has taken the money: 501, still in process, and found by a query; charged once', async () => {
    const running = await service()
    const torn = await order()
    const charges = async () =>
      (await bankJournal(running)).filter(({ outcome, kind }) => kind === 'authorize' && outcome === 'success').length
    const before = await charges()
    tearing.now = true
    assert.equal(codeOf(await pay(running, torn, CARD)), '501')
    assert.equal(tearing.now, false)
    assert.equal(await charges(), before + 1)
    assert.equal(codeOf(await statusOf(running, torn)), '402')
    assert.equal(codeOf(await pay(running, torn, CARD)), '1005')
    // The lease lasts thirty seconds of real time. The test expires it by hand.
    const key = taskKey('transaction.due', `${MID}:${(await attempt(torn)).txnId}`)
    const task = (await running.ports.query.row(key))!
    await running.store.transaction((transaction) =>
      transaction.write({ changes: [{ kind: 'update', key, row: { ...task, leaseUntil: 0 } }], events: [], tasks: [] }),
    )
    await running.tasks.runDue()
    assert.equal(codeOf(await statusOf(running, torn)), '01')
    assert.equal(await charges(), before + 1)
  })
})
