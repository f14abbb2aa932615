// What a button says against what the bank's journal and the wallet then took: every way to pay, with an offer, a cashback, a part from the
// wallet and a consent, with script and without. A button that names an amount takes it; one that says "at most" never takes more.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { addressOf, chromiumPath, launch, openShop, PATIENCE_MS, type Shop } from '../../../support/pages/browser.ts'
import { takenFor } from '../../../support/pages/page-cases.ts'
import { byPointer, type Hands, type Step } from '../../../support/pages/page-hands.ts'
import { begin, browserWays, type Paying, signIn, withWallet } from '../../../support/pages/page-ways.ts'
import { promotionWorld } from '../../../support/paying/promotions.ts'
import { type Service, startService } from '../../../support/run/service.ts'

const world = promotionWorld([
  { promocode: 'CARDS', kind: 'DISCOUNT', percent: '10', payMethods: ['CREDIT_CARD', 'NET_BANKING', 'EMI'] },
  { promocode: 'OTHERS_TOO', kind: 'DISCOUNT', flat: '25.00', payMethods: ['UPI', 'PPBL', 'DEBIT_CARD', 'BALANCE', 'SVC_DIGITAL_CREDIT'] },
  { promocode: 'SOME_CARDS', kind: 'DISCOUNT', flat: '90.00', payMethods: ['CREDIT_CARD'], bins: ['41111111'] },
  { promocode: 'SOME_BANKS', kind: 'DISCOUNT', flat: '80.00', payMethods: ['NET_BANKING'], banks: ['HDFC'] },
  { promocode: 'BACK', kind: 'CASHBACK', flat: '30.00' },
])
const offered = (simplifiedPaymentOffers: object) => ({ simplifiedPaymentOffers })
const WHOLE = '500.00'
const of = (value: string) => ({ txnAmount: { value, currency: 'INR' } })

/** What is put on top of an order of each way. Subscriptions have no offers, and their wallet pays no part. */
const extras: Readonly<Record<string, { more: object; isOfSubscription?: true; hasShare?: true }>> = {
  plain: { more: {}, isOfSubscription: true },
  'the best offer': { more: offered({ applyAvailablePromo: true }) },
  'one offer': { more: offered({ promoCode: 'CARDS', applyAvailablePromo: false }) },
  cashback: { more: offered({ promoCode: 'BACK', applyAvailablePromo: false }) },
  'a part from the wallet': { more: of(WHOLE), hasShare: true },
  'a part and an offer': { more: { ...of(WHOLE), ...offered({ applyAvailablePromo: true }) }, hasShare: true },
}
const SHARING = ['card', 'otp', 'saved', 'upi', 'upiId', 'netBanking', 'ppbl', 'postpaid'] // EMI takes no part, and a wallet is the whole
const SUBSCRIPTIONS = ['consent', 'mandate']
const cases = Object.entries(extras).flatMap(([extra, { isOfSubscription, hasShare }]) =>
  Object.keys(browserWays)
    .filter((way) => (hasShare ? SHARING.includes(way) : isOfSubscription || !SUBSCRIPTIONS.includes(way)))
    .flatMap((way) => [true, false].map((hasScript) => ({ way, extra, hasScript }))),
)
/** ₹1,349.10 is 134910. */
const paiseIn = (text: string): readonly number[] =>
  [...text.matchAll(/₹([\d,]+)\.(\d\d)/g)].map(([, rupees, paise]) => Number(rupees!.replaceAll(',', '')) * 100 + Number(paise))

describe('what a button says and what is taken', { timeout: 900_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  let opened: Promise<[Service, Shop, Browser]> | undefined
  after(async () => {
    for (const part of ((await opened) ?? []).toReversed()) await part.close()
  })

  /** The last button that pays, as it stood when it was pressed: `page` may change it until then. */
  function reading(said: string[]): Hands {
    return async (view, steps) => {
      for (const step of steps) {
        const pressed = 'press' in step ? view.locator('form[data-pays] button').and(view.locator(step.press)) : undefined
        if (pressed && (await pressed.count()) === 1) said.push(await pressed.innerText())
        await byPointer(view, [step])
      }
    }
  }

  async function pays({ way: name, extra, hasScript }: (typeof cases)[number], orderId: string) {
    opened ??= Promise.all([startService('sqlite', { world }), openShop(), launch()])
    const [service, shop, browser] = await opened
    const way = browserWays[name]!
    const { more, hasShare } = extras[extra]!
    const context = await browser.newContext({ locale: 'en-IN', javaScriptEnabled: hasScript })
    try {
      const makes = hasShare && name !== 'saved' ? withWallet : way.order
      const order = await makes(service, orderId, shop.callbackUrl, more)
      const page = await context.newPage()
      await page.goto(addressOf(service, order))
      const said: string[] = []
      const paying: Paying = { service, page, orderId, hasScript, hands: reading(said) }
      if (hasShare) await signIn(paying)
      const share: Step = { check: `${formOf(way.steps)} input[name="share"]` }
      if (hasShare) {
        const answer =
          hasScript && page.waitForResponse((each) => /(^|&)share=/.test(each.request().postData() ?? ''), { timeout: PATIENCE_MS })
        await paying.hands!(page, [...way.steps.slice(0, -1), share])
        if (answer) {
          // What is said before it, of the offer alone, is the whole.
          const { paise } = await (await answer).json()
          await page.locator(`${formOf(way.steps)} input[name="amount"][value="${paise}"]`).waitFor({ state: 'attached' })
        }
        await paying.hands!(page, way.steps.slice(-1))
      } else await begin(way, paying)
      await way.decide?.(paying, 'approve')
      await page.locator('#told, [data-stage="paid"]').first().waitFor()
      return { said: said.at(-1)!, ...(await takenFor(service, orderId)) }
    } finally {
      await context.close()
    }
  }
  /** The form that the last step's button belongs to. */
  const formOf = (steps: readonly Step[]) => (steps.at(-1) as { press: string }).press.replace(/ button$/, '')

  const sure = new Set<string>()
  for (const [at, each] of cases.entries()) {
    const name = `${each.way}, ${each.extra}, ${each.hasScript ? 'script' : 'no script'}`
    test(`${name}: no more than the button says, and what it says`, async () => {
      const { said, bankPaise, walletPaise, order } = await pays(each, `AMOUNT_${at}`)
      const amounts = paiseIn(said)
      const takenPaise = each.extra.startsWith('a part') && !said.includes('at most') ? bankPaise : bankPaise + walletPaise
      assert.equal(order.status, 'PAID')
      if (amounts.length === 0) return assert.equal(takenPaise, 0, said) // nothing is taken with the consent
      assert.equal(amounts.length, 1, said)
      if (said.includes('at most')) return assert.ok(takenPaise <= amounts[0]!, `${said}: ${takenPaise}`)
      assert.equal(takenPaise, amounts[0]!, said)
      sure.add(each.way)
    })
  }

  test('each way has buttons that name the very amount', () =>
    assert.deepEqual(
      [...sure].toSorted(),
      Object.keys(browserWays)
        .filter((way) => way !== 'mandate')
        .toSorted(),
    ))
})
