// Two people at one order. A press spends only what its own page showed, and a page shows nobody's sign-in to another holder of a form.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { customerKey, savedCardsOf, subscriptionKey, transactionsOfOrder } from '../../../src/tables/keys.ts'
import { initiate, subscription } from '../../support/mandates/subscription.ts'
import {
  ask,
  CALLBACK,
  CARD_FIELDS,
  formOf,
  formsOf,
  goesTo,
  newPage,
  openPage,
  Visitor,
  withoutDrawer,
  wordsOf,
} from '../../support/pages/pages.ts'
import { checksummed, orderForm } from '../../support/paying/order-forms.ts'
import { createOrder } from '../../support/paying/paying.ts'
import { promotionWorld } from '../../support/paying/promotions.ts'
import { MID, onBothStores, type Service, sharedService, startService } from '../../support/run/service.ts'
import { changeWorld, inbox, otherThan } from '../../support/signin/signin.ts'
import { revoke, signIn as signInByApi } from '../../support/signin/tokens.ts'

const [ASHA, RAVI] = ['9111155501', '9111155502'] as const
const HOUR = 60 * 60_000
const OFFERED = { simplifiedPaymentOffers: { applyAvailablePromo: true } }
const world = promotionWorld([{ promocode: 'BACK20', kind: 'CASHBACK', flat: '20.00', payMethods: ['PPBL'] }])
const OTHER_AGENT = { 'user-agent': 'another phone' }

const newest = async (service: Service, mobile: string) => (await inbox(service, mobile))[0]!.otp
async function signIn(visitor: Visitor, mobile: string) {
  visitor.service.clock.advance(1_000) // the inbox shows the newest code first
  await visitor.look()
  if (formsOf(visitor.last.text).some(({ action }) => action.endsWith('/sign-in'))) await visitor.send('/sign-in', { mobile })
  else await ask(visitor.service, `${visitor.page}/sign-in`, { mobile })
  await ask(visitor.service, `${visitor.page}/sign-in/otp`, { code: await newest(visitor.service, mobile) })
  return visitor.look()
}

onBothStores('two payers of one order', (store) => {
  const running = sharedService(store, { world })
  const withWallets = async () => {
    const service = await running()
    service.clock.advance(HOUR) // a number gets five codes in an hour
    await changeWorld(service, { customers: [ASHA, RAVI].map((mobile) => ({ mobile, walletBalance: '900.00' })) })
    return service
  }
  const balances = (service: Service) =>
    Promise.all([ASHA, RAVI].map(async (mobile) => (await service.ports.query.row(customerKey(mobile)))!.walletBalancePaise))
  /** Asha's page, drawn before Ravi signed in on another. */
  async function both(orderId: string, more: object = {}) {
    const service = await withWallets()
    const { order, page } = await newPage(service, orderId, more)
    const asha = new Visitor(service, page)
    const drawn = await signIn(asha, ASHA)
    await signIn(new Visitor(service, await openPage(service, order)), RAVI)
    return { service, asha, drawn }
  }

  test('a press on a page that showed the first payer’s wallet does not take the second payer’s', async () => {
    const { service, asha, drawn } = await both('TWO_WALLETS')
    const before = await balances(service)
    const { action, fields } = formOf(drawn.text, { panel: 'wallet' })
    const pressed = await ask(service, action, fields)
    assert.equal(pressed.status, 422)
    assert.match(wordsOf(pressed.text), /Someone else has signed in for this order since\./)
    assert.deepEqual(await balances(service), before)
    await asha.look()
    await asha.send({ panel: 'wallet' })
    assert.match(wordsOf(asha.last.text), /₹100\.00 paid/, 'the page drawn anew names whose wallet pays, and pays')
    assert.deepEqual(await balances(service), [before[0], before[1]! - 100_00])
  })

  test('nor a part of it, nor does the second payer keep the first one’s card', async () => {
    for (const [orderId, chosen] of [
      ['TWO_SHARES', { share: '1' }],
      ['TWO_KEEP', { keep: '1' }],
    ] as const) {
      const { service, drawn } = await both(orderId, { txnAmount: { value: '1000.00', currency: 'INR' }, userInfo: { custId: orderId } })
      const before = await balances(service)
      const { action, fields } = formOf(drawn.text, { panel: 'card' })
      const pressed = await ask(service, action, { ...fields, ...CARD_FIELDS, ...chosen })
      assert.equal(pressed.status, 422, orderId)
      assert.match(wordsOf(pressed.text), /Someone else has signed in/)
      assert.deepEqual(await balances(service), before)
      assert.deepEqual(await service.ports.query.rows(savedCardsOf(MID, orderId)), [])
      const plain = await ask(service, action, { ...fields, ...CARD_FIELDS })
      assert.equal(plain.status, 303, 'the card alone pays: it is nobody’s sign-in')
    }
  })

  test('the page that is drawn anew has chosen nothing of the second payer’s', async () => {
    const { service, drawn } = await both('TWO_TICKS', { txnAmount: { value: '1000.00', currency: 'INR' } })
    const { action, fields } = formOf(drawn.text, { panel: 'card' })
    const pressed = await ask(service, action, { ...fields, ...CARD_FIELDS, share: '1' })
    const again = formOf(pressed.text, { panel: 'card' })
    assert.equal('share' in again.fields, false)
    assert.equal((await ask(service, again.action, { ...again.fields, ...CARD_FIELDS })).status, 303)
    const [paid] = await service.ports.query.rows(transactionsOfOrder(MID, 'TWO_TICKS'))
    assert.equal(paid!.walletPaise, 0)
  })

  test('the second payer gets no cashback that the first one’s page promised', async () => {
    const { service, asha, drawn } = await both('TWO_CASHBACKS', OFFERED)
    const before = await balances(service)
    const { action, fields } = formOf(drawn.text, { panel: 'ppbl' })
    assert.equal(fields['cashback'], '2000 BACK20')
    assert.equal((await ask(service, action, fields)).status, 422)
    assert.deepEqual(await balances(service), before)
    await asha.look()
    await asha.send({ panel: 'ppbl' })
    assert.match(wordsOf(asha.last.text), /₹100\.00 paid/)
  })

  test('a page that showed nobody pays as nobody, and its cashback is owed to the customer', async () => {
    const service = await withWallets()
    const { order, page } = await newPage(service, 'TWO_NOBODY', OFFERED)
    const nobody = new Visitor(service, page)
    const { action, fields } = formOf((await nobody.look()).text, { panel: 'ppbl' })
    await signIn(new Visitor(service, await openPage(service, order)), RAVI)
    const before = await balances(service)
    assert.equal((await ask(service, action, fields)).status, 303)
    assert.deepEqual(await balances(service), before)
    const [paid] = await service.ports.query.rows(transactionsOfOrder(MID, 'TWO_NOBODY'))
    assert.deepEqual([paid!.status, paid!.payer, paid!.promocode], ['SUCCESS', null, 'BACK20'])
  })

  test('the second payer agrees to no mandate that the first one read, though nothing is taken now', async () => {
    for (const [orderId, without] of [
      ['TWO_MANDATES', {}],
      ['TWO_MANDATES_BARE', { payer: undefined }],
    ] as const) {
      const service = await withWallets()
      const of = { subscriptionPaymentMode: 'PPI', txnAmount: { value: '0.00', currency: 'INR' } }
      const { subscriptionId, txnToken } = (await initiate(service, subscription(orderId, of))).body
      const asha = new Visitor(service, await openPage(service, { orderId, txnToken }))
      const drawn = await signIn(asha, ASHA)
      await signIn(new Visitor(service, await openPage(service, { orderId, txnToken })), RAVI)
      const { action, fields } = formOf(drawn.text, { panel: 'wallet' })
      const sent = Object.entries({ ...fields, ...without }).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
      const pressed = await ask(service, action, Object.fromEntries(sent))
      assert.equal(pressed.status, 422, orderId)
      const { status, mandate } = (await service.ports.query.row(subscriptionKey(MID, subscriptionId)))!
      assert.deepEqual([status, mandate], ['INIT', null])
    }
  })

  test('a payer whose sign-in has ended reads so once, and pays', async () => {
    const service = await withWallets()
    for (const [orderId, panel, typed] of [
      ['ENDED_CASHBACK', 'ppbl', {}],
      ['ENDED_KEEP', 'card', { ...CARD_FIELDS, keep: '1' }],
    ] as const) {
      const { ssoToken } = await signInByApi(service, ASHA)
      const { page } = await newPage(service, orderId, { ...OFFERED, paytmSsoToken: ssoToken, userInfo: { custId: orderId } })
      const asha = new Visitor(service, page)
      await asha.look()
      await revoke(service, ssoToken)
      const refused = await asha.send({ panel }, typed)
      assert.equal(refused.status, 422)
      assert.match(wordsOf(refused.text), /Your sign-in has ended\./)
      await asha.send({ panel }, panel === 'card' ? CARD_FIELDS : {})
      assert.match(wordsOf(asha.last.text), /₹100\.00 paid/)
    }
  })
})

onBothStores('a page that a shop’s form opened', (store) => {
  const running = sharedService(store)
  const opened = async (service: Service, orderId: string, headers: Record<string, string> = {}) =>
    goesTo(await ask(service, `/order/process?ORDER_ID=${orderId}`, checksummed(orderForm(orderId, { CALLBACK_URL: CALLBACK })), headers))

  test('shows the payer who signed in on it, and nobody else who holds the form', async () => {
    const service = await running()
    await changeWorld(service, { customers: [{ mobile: ASHA, walletBalance: '700.00' }] })
    const asha = new Visitor(service, await opened(service, 'FORM_HELD'))
    const drawn = await signIn(asha, ASHA)
    assert.match(wordsOf(drawn.text), /You have ₹700\.00/)
    const own = formOf(drawn.text, { panel: 'wallet' })
    for (const headers of [OTHER_AGENT, {}]) {
      const page = await opened(service, 'FORM_HELD', headers)
      const seen = wordsOf(withoutDrawer((await ask(service, page, undefined, headers)).text))
      assert.doesNotMatch(seen, /Signed in with|You have ₹/)
      for (const payer of [{}, { payer: own.fields['payer']! }]) {
        const pressed = await ask(service, `${page}/pay`, { ...own.fields, ...payer }, headers)
        assert.equal(pressed.status, 422)
      }
    }
    assert.equal((await service.ports.query.row(customerKey(ASHA)))!.walletBalancePaise, 700_00)
    await asha.send({ panel: 'wallet' })
    assert.match(wordsOf(asha.last.text), /₹\d+\.\d\d paid/)
  })

  test('shows nobody the UPI id of a payment that failed', async () => {
    const service = await running()
    const page = await opened(service, 'FORM_UPI')
    const { fields } = formOf((await ask(service, page)).text, { panel: 'upi' })
    await ask(service, `${page}/pay`, { ...fields, by: 'upiId', upiId: 'invalid@upi' })
    const seen = await ask(service, await opened(service, 'FORM_UPI', OTHER_AGENT), undefined, OTHER_AGENT)
    assert.match(wordsOf(seen.text), /You can try/)
    assert.doesNotMatch(seen.text, /invalid@upi/)
  })
})

onBothStores('guesses at codes of the checkout', (store) => {
  test('beyond a tenth of the ceiling wrong codes of one network are refused, by pages and API alike', async () => {
    const service = await startService(store, { env: { MOHUR_SIGNIN_CEILING_PER_MINUTE: '80' } })
    try {
      const asked: Visitor[] = []
      for (let at = 0; at < 6; at++) {
        const visitor = new Visitor(service, (await newPage(service, `GUESS${at}`)).page)
        await visitor.send('/sign-in', { mobile: `911115560${at}` })
        asked.push(visitor)
      }
      const code = (at: number) => newest(service, `911115560${at}`)
      const typed = async (at: number, text: string) => (await ask(service, `${asked[at]!.page}/sign-in/otp`, { code: text })).status
      for (let time = 0; time < 9; time++) assert.equal(await typed(0, 'no code'), 422)
      assert.equal(await typed(0, await code(0)), 303, 'a text that is no code takes no place, nor does a right code')
      for (const at of [1, 2, 3, 4]) for (let time = 0; time < 2; time++) assert.equal(await typed(at, otherThan(await code(at))), 422)
      assert.equal(await typed(5, otherThan(await code(5))), 429)
      service.clock.set(60_000)
      assert.equal(await typed(5, await code(5)), 303)
    } finally {
      await service.close()
    }
  })

  test('an answer that a key gives again is no guess', async () => {
    const service = await startService(store, { env: { MOHUR_SIGNIN_CEILING_PER_MINUTE: '20' } })
    try {
      const order = await createOrder(service, 'GUESS_AGAIN')
      const head = { txnToken: order.txnToken }
      const post = (path: string, body: object, headers = {}) =>
        service.post(`${path}?mid=${MID}&orderId=${order.orderId}`, JSON.stringify({ head, body }), headers)
      await post('/login/sendOtp', { mobileNo: ASHA })
      const otp = await newest(service, ASHA)
      const statuses: number[] = []
      for (let time = 0; time < 4; time++)
        statuses.push((await post('/login/validateOtp', { otp: otherThan(otp) }, { 'idempotency-key': 'guess once' })).status)
      assert.deepEqual(statuses, [200, 200, 200, 200])
      const right = await post('/login/validateOtp', { otp })
      assert.equal(right.body.authenticated, true)
    } finally {
      await service.close()
    }
  })
})
