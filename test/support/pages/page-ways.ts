// Every way to pay on the payment page, as a payer's steps, and the payer's part where another party must approve.

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { SANDBOX_OTP } from '../../../src/adapters/acquirer/sandbox/sandbox.ts'
import { initiate, issueSsoToken, subscription } from '../mandates/subscription.ts'
import { createOrder, type Order, pay } from '../paying/paying.ts'
import { MID, type Service } from '../run/service.ts'
import { changeWorld, inbox } from '../signin/signin.ts'
import { byPointer, type Hands, type Step, type View } from './page-hands.ts'

export const TYPED_CARD = { number: '4111111111111111', otpNumber: '4000000000003220', expiry: '1232', cvv: '739' }
export const TYPED_ACCOUNT = '50100987650000'

export interface Paying {
  service: Service
  page: View
  /** The window around a page that is in a frame. A bank's page takes the whole window. */
  top?: Page
  orderId: string
  /** Without script the payer goes to the bank, and checks for the result, by pressing buttons. */
  hasScript: boolean
  hands?: Hands
}
type Act = (paying: Paying, action: 'approve' | 'decline') => Promise<void>

export interface BrowserWay {
  panel: string
  /** An order that this way can pay, of ₹100 unless the way says more. */
  order(service: Service, orderId: string, callbackUrl: string, more?: object): Promise<Order>
  /** A step before any payment by this way. It does nothing where it was done already. */
  ready?(paying: Paying): Promise<void>
  /** The steps until the bank, or the payer elsewhere, decides. */
  steps: readonly Step[]
  /** The payer's decision; absent where the bank decides alone. */
  decide?: Act
  /** Makes the first attempt fail where neither the payer nor the bank's script does. `paysThen` are the steps that pay afterwards. */
  fails?(paying: Paying): Promise<void>
  paysThen?: readonly Step[]
  /** The way asks no bank, so there is no result to wait for. */
  isOurs?: true
}

export const handsOf = ({ hands = byPointer }: Paying) => hands
export async function begin(way: BrowserWay, paying: Paying, steps = way.steps) {
  await way.ready?.(paying)
  await handsOf(paying)(paying.page, steps)
}

const pays = (panel: string) => ({ press: `#way-${panel} form[data-pays] button` })
export const cardSteps = (panel: string, { number = TYPED_CARD.number, ...more } = {}): readonly Step[] => {
  const { expiry, cvv } = { ...TYPED_CARD, ...more }
  return [
    { type: `#${panel}-cardNumber`, text: number },
    { type: `#${panel}-expiry`, text: expiry.replace(/^(..)/, '$1/') },
    { type: `#${panel}-cvv`, text: cvv },
  ]
}
export const typeCard = (view: View, panel: string, card: Parameters<typeof cardSteps>[1] = {}) => byPointer(view, cardSteps(panel, card))

const plainOrder =
  (own: object = {}): BrowserWay['order'] =>
  (service, orderId, callbackUrl, more = {}) =>
    createOrder(service, orderId, { callbackUrl, ...own, ...more })

// ------------------------------------------------------------------------------------------------------ who says yes

export const payerActs = (service: Service, orderId: string, action: 'approve' | 'decline') =>
  service.post('/sandbox/payer', JSON.stringify({ mid: MID, orderId, action }))

const CHECK = { press: 'form[action$="/check"] button' }
/** With script the page goes on by itself within seconds. Mostly the button is quicker. */
const inApp: Act = async (paying, action) => {
  const { service, page, top = page, orderId } = paying
  await page.locator('[data-stage="upi"], [data-stage="collect"]').waitFor()
  await payerActs(service, orderId, action)
  const gone = Promise.race([top.locator('#told').waitFor(), page.locator('[data-stage="choices"], [data-stage="paid"]').waitFor()]).catch(
    () => undefined,
  )
  await Promise.race([gone, handsOf(paying)(page, [CHECK]).catch(() => gone)])
}

const FRAME_MS = 60_000 // a busy machine
/** With script the bank's page opens by itself. From a frame a browser may ask for a press. */
const atBank: Act = async (paying, action) => {
  const { page, top, hasScript } = paying
  const there = top ?? (page as Page)
  const choice = there.getByRole('button', { name: action === 'approve' ? 'Approve' : 'Decline' })
  const go = 'form[data-goes] button'
  if (!hasScript) await handsOf(paying)(page, [{ press: go }])
  else if (top)
    await Promise.race([
      choice.waitFor({ timeout: FRAME_MS }),
      page
        .locator(go)
        .click({ timeout: FRAME_MS })
        .catch(() => undefined),
    ])
  await choice.waitFor()
  await handsOf(paying)(there, [{ press: `form:has(input[value="${action}"]) button` }])
}

/** Three wrong codes end an attempt. A reloaded page has an empty field. */
const byOtp: Act = async (paying, action) => {
  const { page } = paying
  for (const text of action === 'approve' ? [SANDBOX_OTP] : ['000001', '000002', '000003']) {
    await page.locator('#otp-otp:invalid').waitFor()
    await handsOf(paying)(page, [{ type: '#otp-otp', text }, { press: 'form:has(#otp-otp) button' }])
    if (action === 'decline') await page.locator('#otp-otp:invalid, [data-stage="choices"]').waitFor()
  }
}

// -------------------------------------------------------------------------------------------------- who is signed in

const WALLET_RUPEES = '150.00'
/** A number that no other order's customer has. */
export const mobileOf = (orderId: string) =>
  `9${[...orderId]
    .reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_000_007, 7)
    .toString()
    .padStart(9, '0')
    .slice(-9)}`
const ssoOf = (service: Service, orderId: string) =>
  issueSsoToken(service, `sso of ${orderId}`, { userId: service.ports.vault.hash('userId', mobileOf(orderId)), mobile: mobileOf(orderId) })
export const withWallet: BrowserWay['order'] = async (service, orderId, callbackUrl, more = {}) => {
  await changeWorld(service, { customers: [{ mobile: mobileOf(orderId), walletBalance: WALLET_RUPEES }] })
  return createOrder(service, orderId, { callbackUrl, userInfo: { custId: `C${mobileOf(orderId)}` }, ...more })
}

export async function signIn(paying: Paying) {
  const { service, page, orderId } = paying
  await page.locator('#way-wallet').waitFor()
  if ((await page.locator('#wallet-mobile').count()) === 0) return
  const hands = handsOf(paying)
  const text = async () => (await inbox(service, mobileOf(orderId)))[0]!.otp
  await hands(page, [
    { unfold: 'wallet' },
    { type: '#wallet-mobile', text: mobileOf(orderId) },
    { press: 'form[action$="/sign-in"] button' },
  ])
  await page.locator('#wallet-code').waitFor()
  await hands(page, [{ type: '#wallet-code', text }, { press: 'main form[action$="/sign-in/otp"] button' }])
  await page.locator('main:not(:has(#wallet-code)) #way-wallet').waitFor() // a wallet with too little money pays nothing
}

/** Another order of the same customer takes most of the wallet's money first. */
async function drain({ service, orderId }: Paying) {
  const paytmSsoToken = await ssoOf(service, orderId)
  const other = await createOrder(service, `${orderId}_OTHER`, { paytmSsoToken, userInfo: { custId: `C${mobileOf(orderId)}` } })
  const { body } = await pay(service, other, { paymentMode: 'BALANCE' })
  assert.equal(body.resultInfo.resultCode, '0000', JSON.stringify(body))
}

/** A customer who stored a card with an earlier order. */
const withCard: BrowserWay['order'] = async (service, orderId, callbackUrl, more) => {
  const order = await withWallet(service, orderId, callbackUrl, more)
  const paytmSsoToken = await ssoOf(service, orderId)
  const before = await createOrder(service, `${orderId}_BEFORE`, { paytmSsoToken, userInfo: { custId: `C${mobileOf(orderId)}` } })
  const { number, cvv } = TYPED_CARD
  await pay(service, before, { paymentMode: 'CREDIT_CARD', cardInfo: `|${number}|${cvv}|122032`, storeInstrument: '1' })
  return order
}

// ------------------------------------------------------------------------------------------------------ subscriptions

const agreed =
  (more: object, before?: (service: Service, subscriptionId: string) => Promise<unknown>): BrowserWay['order'] =>
  async (service, orderId, callbackUrl) => {
    const { body } = await initiate(service, subscription(orderId, { callbackUrl, ...more }))
    assert.equal(body.resultInfo.resultCode, '0000', JSON.stringify(body))
    await before?.(service, body.subscriptionId)
    return { orderId, txnToken: body.txnToken }
  }
const toBanksPage = (service: Service, subscriptionId: string) =>
  service.post('/sandbox/bank/script', JSON.stringify({ mid: MID, subscriptionId, call: 'mandate', outcomes: ['page', 'page'] }))

/** Without script a bank's plans have a page of their own. */
async function chooseEmiBank(paying: Paying) {
  const { page } = paying
  await page.locator('#way-emi').waitFor()
  if ((await page.locator('#emi-emi').count()) === 0) return
  const steps = [{ unfold: 'emi' }, { choose: '#emi-emi', label: 'HDFC Bank' }, { press: '#way-emi form[method="get"] button' }]
  await handsOf(paying)(page, steps)
  await page.locator('#way-emi input[name="plan"]').first().waitFor()
}

const cardForm = (panel: string, more: Parameters<typeof cardSteps>[1] = {}): readonly Step[] => [
  { unfold: panel },
  ...cardSteps(panel, more),
  pays(panel),
]
export const browserWays: Readonly<Record<string, BrowserWay>> = {
  card: { panel: 'card', order: plainOrder(), steps: cardForm('card') },
  otp: { panel: 'card', order: plainOrder(), steps: cardForm('card', { number: TYPED_CARD.otpNumber }), decide: byOtp },
  saved: {
    panel: 'saved',
    order: withCard,
    ready: signIn,
    steps: [{ unfold: 'saved' }, { type: '#saved-cvv', text: TYPED_CARD.cvv }, pays('saved')],
  },
  upi: {
    panel: 'upi',
    order: plainOrder(),
    steps: [{ unfold: 'upi' }, { press: '#way-upi form[data-pays]:not(:has(#upi-upiId)) button' }],
    decide: inApp,
  },
  upiId: {
    panel: 'upi',
    order: plainOrder(),
    steps: [{ unfold: 'upi' }, { type: '#upi-upiId', text: 'pending@upi' }, { press: 'form:has(#upi-upiId) button' }],
    decide: inApp,
  },
  netBanking: {
    panel: 'bank',
    order: plainOrder(),
    steps: [{ unfold: 'bank' }, { choose: '#bank-bank', label: 'HDFC Bank' }, pays('bank')],
    decide: atBank,
  },
  wallet: {
    panel: 'wallet',
    order: withWallet,
    ready: signIn,
    steps: [{ unfold: 'wallet' }, pays('wallet')],
    fails: drain,
    paysThen: [{ unfold: 'card' }, ...cardSteps('card'), { check: '#way-card input[name="share"]' }, pays('card')],
    isOurs: true,
  },
  emi: {
    panel: 'emi',
    order: plainOrder({ txnAmount: { value: '5000.00', currency: 'INR' } }),
    ready: chooseEmiBank,
    steps: [{ unfold: 'emi' }, { check: '#way-emi input[name="plan"][value="HDFC|3"]' }, ...cardSteps('emi'), pays('emi')],
  },
  ppbl: { panel: 'ppbl', order: plainOrder(), steps: [{ unfold: 'ppbl' }, pays('ppbl')] },
  postpaid: { panel: 'postpaid', order: plainOrder(), steps: [{ unfold: 'postpaid' }, pays('postpaid')] },
  consent: { panel: 'upi', order: agreed({}), steps: [{ unfold: 'upi' }, pays('upi')], decide: inApp },
  mandate: {
    panel: 'mandate',
    order: agreed(
      { txnAmount: { value: '0.00', currency: 'INR' }, subscriptionPaymentMode: 'BANK_MANDATE', mandateType: 'E_MANDATE' },
      toBanksPage,
    ),
    steps: [
      { unfold: 'mandate' },
      { type: '#mandate-holder', text: 'Asha Rao' },
      { type: '#mandate-account', text: TYPED_ACCOUNT },
      { type: '#mandate-ifsc', text: 'HDFC0000001' },
      { choose: '#mandate-bank', label: 'HDFC Bank' },
      pays('mandate'),
    ],
    decide: atBank,
  },
}
