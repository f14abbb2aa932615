// A number under verification, and a sign-in that was ended: 48 hours and no longer. Meanwhile no payment begins from that wallet
// (docs/interface.md sections 4.1 and 4.10).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dateInIndia } from '../../../src/engine/clock.ts'
import { find } from '../../../src/tables/tables.ts'
import { initiate, LIST, subscription } from '../../support/mandates/subscription.ts'
import { accessToken, ask, byToken, OFFERS, OPTIONS } from '../../support/paying/options.ts'
import { CARD, createOrder, type Order, pay } from '../../support/paying/paying.ts'
import { MID, onBothStores, type Reply, type Service, sharedService } from '../../support/run/service.ts'
import { changeWorld, codeOf, receive, send, signInWorld, validate } from '../../support/signin/signin.ts'
import { details, errorOf, receiveAt, refresh, refreshed, revoke, signIn, validateAt } from '../../support/signin/tokens.ts'

const HOUR = 60 * 60_000
const rich = (mobile: string) => ({ mobile, walletBalance: '1000.00' })
const numbers = [
  '9876580001',
  '9876580002',
  '9876580003',
  '9876580004',
  '9876580005',
  '9876580006',
  '9876580007',
  '9876580008',
  '9876580009',
]
const WALLET = { paymentMode: 'BALANCE' }
const HYBRID = { paymentMode: 'UPI', payerAccount: 'success@upi', paymentFlow: 'HYBRID' }

const verified = (running: Service, mobile: string, pendingVerification: boolean | string) =>
  changeWorld(running, { customers: [{ mobile, pendingVerification }] })
const answered = ({ body: { resultInfo } }: Reply) => `${resultInfo.resultCode} ${resultInfo.resultMsg}`
const noWallet = '1001 Invalid paymentMode'
const noFlow = '1001 Invalid paymentFlow'

onBothStores('a wallet', (store) => {
  const service = sharedService(store, { world: { ...signInWorld, customers: numbers.map(rich) } })
  let orders = 0
  const orderOf = async (ssoToken: string, more: object = {}): Promise<Order> =>
    createOrder(await service(), `P${++orders}`, { paytmSsoToken: ssoToken, userInfo: { custId: `C${orders}` }, ...more })
  const paid = async (order: Order, means: object) => answered(await pay(await service(), order, means))
  const shown = async ({ orderId, txnToken }: Order) => {
    const { merchantPayOption } = (await ask(await service(), byToken(OPTIONS, orderId, txnToken))).body
    const wallet = merchantPayOption.paymentModes.find(({ paymentMode }: { paymentMode: string }) => paymentMode === 'BALANCE')
    return [
      wallet.payChannelOptions[0]?.balanceInfo.accountBalance.value ?? wallet.isDisabled.msg,
      merchantPayOption.savedInstruments.length,
    ]
  }
  const signedOut = 'Sign in to pay from the wallet'
  const walletOf = async (mobile: string) =>
    (await (await service()).ports.query.rows(find('customers', { equals: { mobile }, limit: 1 })))[0]!.walletBalancePaise

  test('begins no payment while its number is being verified, whichever payer signed in before, and 48 hours later it does', async () => {
    const running = await service()
    const [mobile] = numbers as [string]
    const { ssoToken } = await signIn(running, mobile)
    const [before, atCheckout] = [await orderOf(ssoToken), await createOrder(running, 'CHECKOUT-1')]
    const login = { mid: MID, ...atCheckout }
    assert.equal((await validateAt(running, login, await receiveAt(running, login, mobile))).body.authenticated, true)
    await verified(running, mobile, true)
    for (const order of [before, atCheckout, await orderOf(ssoToken)]) {
      assert.equal(await paid(order, WALLET), noWallet)
      assert.equal(await paid(order, HYBRID), noFlow)
      assert.deepEqual(await shown(order), [signedOut, 0])
    }
    assert.equal(await paid(before, CARD), '0000 Success', 'the wallet is not needed for it')
    assert.equal(await walletOf(mobile), 100_000)
    await verified(running, mobile, false)
    assert.equal(await paid(atCheckout, WALLET), '0000 Success')

    await verified(running, mobile, true)
    running.clock.advance(24 * HOUR)
    await verified(running, mobile, true)
    running.clock.advance(24 * HOUR - 1)
    assert.equal(await codeOf(send(running, { phone: mobile })), '200 BE1425004')
    running.clock.advance(1)
    const again = await signIn(running, mobile)
    assert.equal(await paid(await orderOf(again.ssoToken), WALLET), '0000 Success')
    assert.equal(await walletOf(mobile), 80_000)
    await verified(running, mobile, true)
    assert.equal(await codeOf(send(running, { phone: mobile })), '200 BE1400001', 'a file that is loaded again begins nothing anew')
    await verified(running, mobile, false)
    await verified(running, mobile, true)
    assert.equal(await codeOf(send(running, { phone: mobile })), '200 BE1425004')
  })

  test('is released 48 hours after the time that the world names, whatever asks', async () => {
    const running = await service()
    const mobile = numbers[1]!
    const sent = await receive(running, mobile)
    const { refreshToken, ssoToken } = await signIn(running, mobile)
    const since = new Date(running.clock.now() - 47 * HOUR).toISOString()
    for (let times = 0; times < 2; times++) {
      await verified(running, mobile, since)
      assert.equal(await codeOf(send(running, { phone: mobile })), '200 BE1425004')
      assert.equal(await errorOf(refresh(running, refreshToken)), '403 BE1425004')
      assert.equal(await codeOf(validate(running, sent)), '200 BE1425004')
      assert.equal(await paid(await orderOf(ssoToken), WALLET), noWallet)
    }
    running.clock.advance(HOUR)
    await verified(running, mobile, since)
    assert.equal(await paid(await orderOf(ssoToken), WALLET), '0000 Success')
    await refreshed(running, refreshToken)
    assert.equal(await codeOf(send(running, { phone: mobile })), '200 BE1400001')
    for (const wrong of ['yesterday', '2026-06-15', '2026-06-15T10:00:00', '', '1969-12-31T00:00:00Z', 7, null, {}]) {
      const { status } = await running.call(
        'PUT',
        '/sandbox/world',
        {},
        JSON.stringify({ customers: [{ mobile, pendingVerification: wrong }] }),
      )
      assert.equal(status, 400, String(wrong))
    }
  })

  test('opens nothing by a token from before a report of a new owner, until the report is taken back', async () => {
    const running = await service()
    const mobile = numbers[8]!
    const { ssoToken: before, refreshToken } = await signIn(running, mobile)
    let times = 0
    const opens = async (ssoToken: string) => {
      const custId = `OWNER${++times}`
      const [userInfo, head] = [
        { custId, svcSsoToken: ssoToken },
        { tokenType: 'SSO', token: ssoToken },
      ]
      const reference = `REFERENCE-${custId}`
      const token = await accessToken(running, reference, { custId, paytmSsoToken: ssoToken })
      const byReference = { path: OPTIONS, query: { mid: MID, referenceId: reference }, head: { tokenType: 'ACCESS', token }, body: {} }
      const offers = await ask(running, { path: OFFERS, query: { mid: MID }, head, body: { mid: MID } })
      return {
        details: (await details(running, ssoToken)).body.mobile === mobile,
        list: (await running.signed(LIST, { mid: MID, custId }, { head })).body.resultInfo.status === 'SUCCESS',
        offers: offers.body.resultInfo.resultStatus === 'S',
        subscription:
          (await initiate(running, subscription(custId, { userInfo, subscriptionStartDate: dateInIndia(running.clock.now()) }))).body
            .resultInfo.resultStatus === 'S',
        order: (await shown(await orderOf(ssoToken)))[0] === '1000.00',
        reference: JSON.stringify((await ask(running, byReference)).body).includes('"1000.00"'),
      }
    }
    const all = { details: true, list: true, offers: true, subscription: true, order: true, reference: true }
    const none = { details: false, list: false, offers: false, subscription: false, order: false, reference: false }
    assert.deepEqual(await opens(before), all)
    await verified(running, mobile, true)
    assert.deepEqual(await opens(before), none)
    await verified(running, mobile, false)
    assert.deepEqual(await opens(before), all)

    await verified(running, mobile, new Date(running.clock.now() - 48 * HOUR).toISOString())
    assert.deepEqual(await opens(before), all, 'the sign-in is from after this report')
    const since = new Date(running.clock.now()).toISOString()
    running.clock.advance(1_000)
    const { ssoToken: renewed } = await refreshed(running, refreshToken)
    assert.deepEqual(await opens(renewed), all)
    await verified(running, mobile, since)
    assert.deepEqual(await opens(renewed), none, 'the sign-in is from before this report, though the token is not')
  })

  test('pays nothing that begins after its owner signed out, and hides its balance and cards', async () => {
    const running = await service()
    const mobile = numbers[2]!
    const { ssoToken } = await signIn(running, mobile)
    const custId = 'KEEPS'
    const kept = await orderOf(ssoToken, { userInfo: { custId } })
    assert.equal(await paid(kept, { ...CARD, storeInstrument: '1' }), '0000 Success')
    const [order, another] = [await orderOf(ssoToken, { userInfo: { custId } }), await orderOf(ssoToken)]
    assert.deepEqual(await shown(order), ['1000.00', 1])
    const reading = await accessToken(running, 'REFERENCE-KEEPS', { custId, paytmSsoToken: ssoToken })
    const byReference = {
      path: OPTIONS,
      query: { mid: MID, referenceId: 'REFERENCE-KEEPS' },
      head: { tokenType: 'ACCESS', token: reading },
      body: {},
    }
    const seen = async () => JSON.stringify((await ask(running, byReference)).body).includes('"1000.00"')
    assert.equal(await seen(), true)

    assert.equal((await revoke(running, ssoToken)).status, 200)
    assert.equal(await paid(order, WALLET), noWallet)
    assert.equal(await paid(order, { ...HYBRID, paymentFlow: 'ADDANDPAY' }), noFlow)
    assert.equal(await paid(order, { ...CARD, cardInfo: '411111111111122032C||123|' }), '1001 Invalid cardInfo')
    assert.deepEqual(await shown(order), [signedOut, 0])
    assert.equal(await seen(), false)
    assert.equal(await paid(another, CARD), '0000 Success')
    assert.equal(await walletOf(mobile), 100_000)

    const login = { mid: MID, ...order }
    assert.equal((await validateAt(running, login, await receiveAt(running, login, mobile))).body.authenticated, true)
    assert.deepEqual(await shown(order), ['1000.00', 1])
    assert.equal(await paid(order, WALLET), '0000 Success', 'he signed in anew, for this order')
  })

  test('pays nothing after a copied refresh token ended the family', async () => {
    const running = await service()
    const mobile = numbers[3]!
    const { ssoToken, refreshToken } = await signIn(running, mobile)
    const order = await orderOf(ssoToken)
    const next = await refreshed(running, refreshToken)
    await refreshed(running, next.refreshToken)
    assert.equal(await errorOf(refresh(running, refreshToken)), '400 BE1422001')
    assert.equal(await paid(order, WALLET), noWallet)
  })

  test('pays on when its token’s own time is over, until the whole sign-in’s is', async () => {
    const running = await service()
    const { refreshToken, ssoToken } = await signIn(running, numbers[5]!)
    running.clock.advance(24 * HOUR - 1)
    const first = await orderOf(ssoToken)
    running.clock.advance(10 * 60_000)
    assert.equal(await paid(first, WALLET), '0000 Success')
    running.clock.advance(29 * 24 * HOUR - 10 * 60_000)
    const last = await refreshed(running, refreshToken)
    running.clock.advance(24 * HOUR - 60_000)
    const order = await orderOf(last.ssoToken)
    assert.equal(await paid(await orderOf(last.ssoToken), WALLET), '0000 Success', 'its last token is still good')
    running.clock.advance(60_000)
    assert.equal(await paid(order, WALLET), noWallet)
  })

  test('ends what is under way as it would: held money is spent by a success and free again after a failure', async () => {
    const running = await service()
    const payer = (orderId: string, action: string) => running.post('/sandbox/payer', JSON.stringify({ mid: MID, orderId, action }))
    for (const [at, end, left] of [
      [6, 'approve', 0],
      [7, 'decline', 100_000],
    ] as const) {
      const mobile = numbers[at]!
      const { ssoToken } = await signIn(running, mobile)
      const order = await orderOf(ssoToken, { txnAmount: { value: '1500.00', currency: 'INR' } })
      assert.equal(await paid(order, { ...HYBRID, payerAccount: 'pending@upi' }), '0000 Success')
      await verified(running, mobile, true)
      assert.equal((await revoke(running, ssoToken)).status, 200)
      await payer(order.orderId, end)
      assert.equal(await walletOf(mobile), left)
      if (end === 'decline') assert.equal(await paid(order, WALLET), noWallet)
    }
  })
})
