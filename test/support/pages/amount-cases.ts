// What buttons that pay say beside offers, a cashback, a part from the wallet and a consent, in every way to pay.

import assert from 'node:assert/strict'
import { promotionWorld } from '../paying/promotions.ts'
import { addressOf, PATIENCE_MS } from './browser.ts'
import { assertTaken, type Bound, noting, type Pressed } from './page-amounts.ts'
import { takenFor, type World } from './page-cases.ts'
import type { Step } from './page-hands.ts'
import { begin, browserWays, type Paying, signIn, withWallet } from './page-ways.ts'

/** The promotions of the service of these cases. */
export const amountWorld = promotionWorld([
  { promocode: 'CARDS', kind: 'DISCOUNT', percent: '10', payMethods: ['CREDIT_CARD', 'NET_BANKING', 'EMI'] },
  { promocode: 'OTHERS_TOO', kind: 'DISCOUNT', flat: '25.00', payMethods: ['UPI', 'PPBL', 'DEBIT_CARD', 'BALANCE', 'SVC_DIGITAL_CREDIT'] },
  { promocode: 'SOME_CARDS', kind: 'DISCOUNT', flat: '90.00', payMethods: ['CREDIT_CARD'], bins: ['41111111'] },
  { promocode: 'SOME_BANKS', kind: 'DISCOUNT', flat: '80.00', payMethods: ['NET_BANKING'], banks: ['HDFC'] },
  { promocode: 'BACK', kind: 'CASHBACK', flat: '30.00' },
])
const offered = (simplifiedPaymentOffers: object) => ({ simplifiedPaymentOffers })
const WHOLE = { txnAmount: { value: '500.00', currency: 'INR' } }

/** What is added to an order of each way. Subscriptions have no offers, and their wallet pays no part. */
export const extras: Readonly<Record<string, { more: object; isOfSubscription?: true; hasShare?: true }>> = {
  plain: { more: {}, isOfSubscription: true },
  'the best offer': { more: offered({ applyAvailablePromo: true }) },
  'one offer': { more: offered({ promoCode: 'CARDS', applyAvailablePromo: false }) },
  cashback: { more: offered({ promoCode: 'BACK', applyAvailablePromo: false }) },
  'a part from the wallet': { more: WHOLE, hasShare: true },
  'a part and an offer': { more: { ...WHOLE, ...offered({ applyAvailablePromo: true }) }, hasShare: true },
}
const SHARING = ['card', 'otp', 'saved', 'upi', 'upiId', 'netBanking', 'ppbl', 'postpaid'] // EMI takes no part; the wallet pays the whole
const SUBSCRIPTIONS = ['consent', 'mandate']

export interface AmountCase {
  way: string
  extra: string
  hasScript: boolean
}
export const amountCases: readonly AmountCase[] = Object.entries(extras).flatMap(([extra, { isOfSubscription, hasShare }]) =>
  Object.keys(browserWays)
    .filter((way) => (hasShare ? SHARING.includes(way) : isOfSubscription || !SUBSCRIPTIONS.includes(way)))
    .flatMap((way) => [true, false].map((hasScript) => ({ way, extra, hasScript }))),
)
export const nameOfAmountCase = ({ way, extra, hasScript }: AmountCase) => `${way}, ${extra}, ${hasScript ? 'script' : 'no script'}`

const formOf = (steps: readonly Step[]) => (steps.at(-1) as { press: string }).press.replace(/ button$/, '')

/** Pays, and compares the button's amount with the amount taken. The service must have `amountWorld`. */
export async function runAmountCase(world: World, { way: name, extra, hasScript }: AmountCase, orderId: string): Promise<Bound> {
  const { service, shop, browser } = world
  const way = browserWays[name]!
  const { more, hasShare } = extras[extra]!
  const context = await browser.newContext({ locale: 'en-IN', javaScriptEnabled: hasScript })
  context.setDefaultTimeout(PATIENCE_MS)
  try {
    const makes = hasShare && name !== 'saved' ? withWallet : way.order
    const order = await makes(service, orderId, shop.callbackUrl, more)
    const page = await context.newPage()
    await page.goto(addressOf(service, order))
    const pressed: Pressed[] = []
    const paying: Paying = { service, page, orderId, hasScript, hands: noting(pressed) }
    if (hasShare) {
      await signIn(paying)
      const form = formOf(way.steps)
      const answer =
        hasScript && page.waitForResponse((each) => /(^|&)share=/.test(each.request().postData() ?? ''), { timeout: PATIENCE_MS })
      await paying.hands!(page, [...way.steps.slice(0, -1), { check: `${form} input[name="share"]` }])
      if (answer) {
        // Until the answer with both comes, the page shows the offer without the wallet's part.
        const { paise } = await (await answer).json()
        await page.locator(`${form} input[name="amount"][value="${paise}"]`).waitFor({ state: 'attached' })
      }
      await paying.hands!(page, way.steps.slice(-1))
    } else await begin(way, paying)
    await way.decide?.(paying, 'approve')
    await page.locator('#told, [data-stage="paid"]').first().waitFor()
    const taken = await takenFor(service, orderId)
    assert.equal(taken.order.status, 'PAID')
    return assertTaken(pressed.at(-1)!, taken)
  } finally {
    await context.close()
  }
}
