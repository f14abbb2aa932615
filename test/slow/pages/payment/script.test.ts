// Script's additions to the payment page beside waiting. It shows the time that is left, gives more time, and shows the effect of a bank or
// a card on the amount.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Browser, BrowserContext } from 'playwright-core'
import { orderKey, transactionsOfOrder } from '../../../../src/tables/keys.ts'
import { issueSsoToken } from '../../../support/mandates/subscription.ts'
import { addressOf, chromiumPath, launch } from '../../../support/pages/browser.ts'
import { unfold } from '../../../support/pages/page-hands.ts'
import { typeCard } from '../../../support/pages/page-ways.ts'
import { createOrder, type Order, pay } from '../../../support/paying/paying.ts'
import { promotionWorld } from '../../../support/paying/promotions.ts'
import { MID, type Service, startService } from '../../../support/run/service.ts'
import { changeWorld } from '../../../support/signin/signin.ts'

const MINUTE_MS = 60_000
const PATIENCE_MS = 120_000 // a busy machine is slow, and slowness alone is no failure
const world = promotionWorld([
  { promocode: 'HDFCONLY', percent: '10', payMethods: ['NET_BANKING'], banks: ['HDFC'] },
  { promocode: 'VISA', flat: '5.00', payMethods: ['CREDIT_CARD'], bins: ['411111'] },
  { promocode: 'EMI', flat: '1000.00', payMethods: ['EMI'] },
  { promocode: 'EMILESS', flat: '2500.00', payMethods: ['EMI'], bins: ['41111122'] },
  { promocode: 'EMIBACK', kind: 'CASHBACK', flat: '2000.00', payMethods: ['EMI'], bins: ['41111111'] },
])

describe('the script of the payment page', { timeout: 600_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  let opened: Promise<[Service, Browser]> | undefined
  const parts = () => {
    opened ??= Promise.all([startService('sqlite', { world }), launch()])
    return opened
  }
  after(async () => {
    const [service, browser] = (await opened) ?? []
    await browser?.close()
    await service?.close()
  })

  async function onPage(
    orderId: string,
    work: (parts: { service: Service; context: BrowserContext; order: Order }) => Promise<void>,
    more: (service: Service) => Promise<object> = async () => ({}),
  ) {
    const [service, browser] = await parts()
    const context = await browser.newContext({ locale: 'en-IN' })
    context.setDefaultTimeout(PATIENCE_MS)
    try {
      const order = await createOrder(service, orderId, {
        simplifiedPaymentOffers: { applyAvailablePromo: true },
        ...(await more(service)),
      })
      await work({ service, context, order })
    } finally {
      await context.close()
    }
  }
  const LEFT = '[data-left]'

  test('the time that is left is the service’s, whatever the payer’s clock says, and right again after a sleep', () =>
    onPage('TIME_LEFT', async ({ service, context, order }) => {
      const page = await context.newPage()
      await page.clock.install({ time: '2031-01-01T00:00:00Z' })
      await page.goto(addressOf(service, order))
      const left = async () => {
        const [, minutes, seconds] = /^\((\d+) min (\d+) s left\)$/.exec(await page.locator(LEFT).innerText())!
        return Number(minutes) * 60 + Number(seconds)
      }
      await page.locator(LEFT).waitFor()
      const before = await left()
      assert.ok(before > 14 * 60 && before <= 15 * 60, `${before} seconds`)
      const soon = page.locator('.total:has(.amount) [data-soon]') // beside the amount
      assert.equal(await soon.isVisible(), false)
      assert.equal(await page.locator(LEFT).getAttribute('aria-hidden'), 'true')
      // A laptop is closed for thirteen minutes and more: counters stand still, and one tick comes late.
      service.clock.advance(13 * MINUTE_MS + 30_000)
      await page.clock.fastForward(10_000)
      await soon.waitFor()
      const after = await left()
      assert.ok(after > 60 && after <= 90, `${after} seconds`)
      service.clock.advance(90_000)
      await page.clock.fastForward(100_000)
      await page.getByRole('heading', { name: 'This page has expired' }).waitFor()
    }))

  test('more time is given without losing what was typed, also when it was asked for in another tab', () =>
    onPage('MORE_TIME', async ({ service, context, order }) => {
      const [page, other] = [await context.newPage(), await context.newPage()]
      await page.goto(addressOf(service, order))
      service.clock.advance(14 * MINUTE_MS)
      await page.reload()
      await page.locator('[data-soon]').waitFor()
      const until = await page.locator('.time time').innerText()
      await unfold(page, 'card')
      await typeCard(page, 'card')
      await page.locator('form[data-more] button').click()
      await page.locator('[data-soon]').waitFor({ state: 'hidden' })
      assert.notEqual(await page.locator('.time time').innerText(), until)
      assert.equal(await page.locator('#card-cardNumber').inputValue(), '4111 1111 1111 1111')
      service.clock.advance(MINUTE_MS)
      await other.goto(page.url())
      await other.locator('form[data-more] button').click()
      // Not by a polled function: the page's policy forbids making a function from text.
      const later = other.locator('.time time').filter({ hasNotText: await page.locator('.time time').innerText() })
      await later.waitFor()
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
      await page
        .locator('.time time')
        .getByText(await later.innerText())
        .waitFor()
      assert.equal(await page.locator('#card-cardNumber').inputValue(), '4111 1111 1111 1111')
    }))

  test('a page that has refused what was typed still goes on by itself: when the order is being paid elsewhere, and when its time is over', () =>
    onPage('REFUSED', async ({ service, context, order }) => {
      const [page, other] = [await context.newPage(), await context.newPage()]
      for (const each of [page, other]) {
        await each.goto(addressOf(service, order))
        await each.locator('#upi-upiId').fill('nobody')
        await each.getByRole('button', { name: /to my UPI ID/ }).click()
        await each.getByRole('alert').waitFor()
        assert.match(each.url(), /\/pay\/[0-9a-f]{32}$/, 'loading it again sends nothing again')
      }
      await pay(service, order, { paymentMode: 'UPI', payerAccount: 'pending@upi' })
      await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
      await page.locator('[data-stage="collect"]').waitFor()
      service.clock.advance(16 * MINUTE_MS)
      await other.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
      await other.getByRole('heading', { name: 'This page has expired' }).waitFor()
    }))

  test('a payer who has been at the bank is not sent there again by another language, nor where there is no more time', () =>
    onPage('BEEN_THERE', async ({ service, context, order }) => {
      const page = await context.newPage()
      await page.goto(addressOf(service, order))
      const address = page.url()
      await unfold(page, 'bank')
      await page.locator('#bank-bank').selectOption('HDFC')
      await page.locator('#way-bank form[data-pays] button').click()
      await page.locator('form[action="/sandbox/bank/page"] input[value="approve"]').waitFor({ state: 'attached' })
      service.clock.advance(MINUTE_MS)
      await page.goto(`${address}?message=checked`)
      await page.locator('#language').selectOption('hi')
      await page.locator('form.language button').click()
      await page.locator('html[lang="hi-IN"] [data-stage="bank"]').waitFor()
      assert.match(page.url(), /message=checked$/)
      await page.route('**/more-time', (route) => route.fulfill({ status: 204 }))
      await page.waitForLoadState('load')
      await Promise.all([page.waitForEvent('load'), page.locator('form[data-more] button').click()])
      assert.deepEqual([page.url(), await page.locator('[data-goes]').count()], [`${address}?message=checked`, 0])
    }))

  test('a bank’s offer is taken off as soon as the bank is chosen, a card’s as soon as its first digits are typed', () =>
    onPage('OFFERS', async ({ service, context, order }) => {
      const page = await context.newPage()
      await page.goto(addressOf(service, order))
      await unfold(page, 'bank')
      const pays = page.locator('#way-bank form[data-pays]')
      assert.equal(await pays.locator('button').innerText(), 'Go to your bank and pay ₹100.00')
      assert.equal(await pays.locator('[data-less]').innerText(), 'Less, if an offer fits your bank.')
      await page.locator('#bank-bank').selectOption('HDFC')
      await pays.getByRole('button', { name: 'Go to HDFC Bank and pay ₹90.00' }).waitFor()
      assert.equal(await pays.locator('[name="amount"]').inputValue(), '9000')
      assert.equal(await pays.locator('[data-less]').isVisible(), false)
      await page.locator('#bank-bank').selectOption('SBI')
      await pays.getByRole('button', { name: 'Go to State Bank of India and pay ₹100.00' }).waitFor()
      await unfold(page, 'card')
      await page.locator('#card-cardNumber').pressSequentially('41111111')
      await page.locator('#way-card').getByRole('button', { name: 'Pay ₹95.00' }).waitFor()
    }))

  test('instalments are reckoned anew as a card’s first digits are typed: what is chosen is what the card is charged', () =>
    onPage(
      'TERMS',
      async ({ service, context, order }) => {
        const page = await context.newPage()
        await page.goto(addressOf(service, order))
        await page.goto(`${page.url()}?emi=HDFC`)
        const way = page.locator('#way-emi')
        await way.getByRole('radio', { name: '₹9,292.50 in all, 19.4% a year by reducing balance' }).check()
        await way.locator('summary', { hasText: 'saves ₹1,000.00' }).waitFor()
        await typeCard(page, 'emi')
        await way.getByRole('button', { name: 'Pay ₹10,000.00' }).waitFor()
        const chosen = way.getByRole('radio', { name: '3 months, ₹3,441.67 a month ₹10,325.00 in all, 19.4% a year by reducing balance' })
        assert.equal(await chosen.isChecked(), true)
        assert.doesNotMatch(await way.locator('summary').innerText(), /saves/)
        const answered = page.waitForResponse((response) => response.url().endsWith('/pay'))
        await way.locator('form[data-pays] button').click()
        assert.equal((await answered).status(), 303)
        const [{ bankPaise } = { bankPaise: 0 }] = await service.ports.query.rows(transactionsOfOrder(MID, 'TERMS'))
        assert.equal(bankPaise, 10_000_00)
      },
      async () => ({ txnAmount: { value: '10000.00', currency: 'INR' } }),
    ))

  test('a plan that is not for what is left with a card cannot be chosen', () =>
    onPage(
      'TERMS_LESS',
      async ({ service, context, order }) => {
        const page = await context.newPage()
        await page.goto(addressOf(service, order))
        await page.goto(`${page.url()}?emi=HDFC`)
        const way = page.locator('#way-emi')
        await way.getByRole('radio').first().check()
        await page.locator('#emi-cardNumber').pressSequentially('41111122')
        await way.getByRole('button', { name: 'Pay ₹2,500.00' }).waitFor()
        assert.equal(await way.getByRole('radio').count(), 0)
        assert.equal(await way.locator('input[name="plan"]:checked').count(), 0)
        await page.locator('#emi-cardNumber').fill('4111 1133')
        await way.getByRole('button', { name: 'Pay ₹4,000.00' }).waitFor()
        assert.equal(await way.getByRole('radio').count(), 3)
      },
      async () => ({ txnAmount: { value: '5000.00', currency: 'INR' } }),
    ))

  test('five QR codes are left by “Pay another way”, and a card pays the order', () =>
    onPage('CODES_LEFT', async ({ service, context, order }) => {
      await context.route('**/callback', (route) => route.fulfill({ body: 'back at the shop' }))
      const page = await context.newPage()
      await page.goto(addressOf(service, order))
      for (let code = 0; code < 5; code++) {
        await unfold(page, 'upi')
        await page.getByRole('button', { name: 'Show QR code' }).click()
        await page.locator('.qr').waitFor()
        await page.getByRole('button', { name: 'Pay another way' }).click()
        await page.getByText('The payment was not made. Nothing was taken').waitFor()
        assert.equal(await page.getByRole('alert').count(), 0)
      }
      await unfold(page, 'card')
      await typeCard(page, 'card')
      await page.locator('#way-card form button').click()
      await page.getByText('back at the shop').waitFor()
      const { status, transactionCount, leftCount } = (await service.ports.query.row(orderKey(MID, order.orderId)))!
      assert.deepEqual([status, transactionCount, leftCount], ['PAID', 6, 5])
    }))

  test('a part from the wallet leaves less for the offer, and the button says so whenever the box is ticked', () => {
    const mobile = '9111133333'
    const signedIn = async (service: Service) => {
      await changeWorld(service, { customers: [{ mobile, walletBalance: '60.00' }] })
      const userId = service.ports.vault.hash('userId', mobile)
      return {
        paytmSsoToken: await issueSsoToken(service, 'sso of SHARED_OFFER', { userId, mobile }),
        userInfo: { custId: 'SHARED_OFFER' },
      }
    }
    return onPage(
      'SHARED_OFFER',
      async ({ service, context, order }) => {
        const page = await context.newPage()
        await page.goto(addressOf(service, order))
        await unfold(page, 'bank')
        const pays = page.locator('#way-bank form[data-pays]')
        const says = (name: string) => pays.getByRole('button', { name }).waitFor()
        const box = pays.locator('[name="share"]')
        await page.locator('#bank-bank').selectOption('HDFC')
        await says('Go to HDFC Bank and pay ₹90.00')
        // Also when the wallet has changed since the page was drawn.
        await pays.locator('[name="wallet"]').evaluate((field) => field.setAttribute('value', '5000'))
        await box.check()
        await says('Go to HDFC Bank and pay ₹36.00')
        assert.equal(await pays.locator('[name="amount"]').inputValue(), '9600')
        assert.equal(await pays.locator('[name="wallet"]').inputValue(), '6000')
        await box.uncheck()
        await says('Go to HDFC Bank and pay ₹90.00')
        await box.check()
        await says('Go to HDFC Bank and pay ₹36.00')
        await pays.getByRole('button', { name: 'Go to HDFC Bank and pay ₹36.00' }).click()
        await page.locator('form[action="/sandbox/bank/page"] input[value="approve"]').first().waitFor({ state: 'attached' })
      },
      signedIn,
    )
  })
})
