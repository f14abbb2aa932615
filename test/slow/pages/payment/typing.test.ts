// A payer who types: a fault is shown at its field before anything is sent, and no typed value is lost. In Chromium.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { transactionsOfOrder } from '../../../../src/tables/keys.ts'
import { issueSsoToken } from '../../../support/mandates/subscription.ts'
import { addressOf, chromiumPath, launch } from '../../../support/pages/browser.ts'
import { unfold } from '../../../support/pages/page-hands.ts'
import { typeCard } from '../../../support/pages/page-ways.ts'
import { createOrder } from '../../../support/paying/paying.ts'
import { promotionWorld } from '../../../support/paying/promotions.ts'
import { MID, type Service, startService } from '../../../support/run/service.ts'
import { changeWorld } from '../../../support/signin/signin.ts'

const PATIENCE_MS = 20_000
const world = promotionWorld([
  { promocode: 'TENTH', percent: '10', payMethods: ['CREDIT_CARD'] },
  { promocode: 'BACK', kind: 'CASHBACK', flat: '5.00', payMethods: ['CREDIT_CARD'] },
])
const OFFERED = { simplifiedPaymentOffers: { applyAvailablePromo: true } }
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15'

describe('typing on the payment page', { timeout: 600_000 }, () => {
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
    work: (page: Page, service: Service) => Promise<void>,
    more: (service: Service) => Promise<object> = async () => ({}),
    options: BrowserContextOptions = {},
  ) {
    const [service, browser] = await parts()
    const context = await browser.newContext({ locale: 'en-IN', ...options })
    context.setDefaultTimeout(PATIENCE_MS)
    try {
      const page = await context.newPage()
      await page.goto(addressOf(service, await createOrder(service, orderId, await more(service))))
      await work(page, service)
    } finally {
      await context.close()
    }
  }
  async function pressed(page: Page, button: string) {
    const answered = page.waitForResponse((response) => response.url().endsWith('/pay'))
    await page.locator(button).click({ noWaitAfter: true })
    assert.equal((await answered).status(), 303)
  }
  const attempts = async (service: Service, orderId: string) => (await service.ports.query.rows(transactionsOfOrder(MID, orderId))).length

  test('a number, an expiry and a CVV that cannot be right are said where they stand, and nothing is sent or emptied', () =>
    onPage('SLIPS', async (page, service) => {
      const asked: string[] = []
      page.on('request', (request) => request.method() === 'POST' && asked.push(new URL(request.url()).pathname.replace(/^.*\//, '')))
      const way = await unfold(page, 'card')
      const number = way.locator('#card-cardNumber')
      for (const [typed, isGood] of [
        ['4111111111111112', false],
        ['41111111111', false],
        ['4111111111111111', true],
      ] as const) {
        await number.fill(typed)
        await number.blur()
        assert.equal(await number.getAttribute('aria-invalid'), isGood ? null : 'true', typed)
      }
      const expiry = way.locator('#card-expiry')
      const FORM = 'Enter month and year as on the card, like 09/29.'
      for (const [typed, says] of [
        ['13/29', FORM],
        ['01/20', 'This card has expired. Use another card.'],
        ['1', FORM],
        ['05/26', 'This card has expired. Use another card.'],
      ] as const) {
        await expiry.fill(typed)
        await expiry.blur()
        assert.equal(await expiry.getAttribute('aria-invalid'), 'true', typed)
        assert.equal(await way.locator('#card-expiry-fault').innerText(), says, typed)
      }
      await way.locator('#card-cvv').fill('12')
      await way.locator('form button').click()
      assert.equal(await way.locator('.fault').count(), 2)
      assert.equal(await page.evaluate('document.activeElement.id'), 'card-expiry')
      assert.equal(await number.inputValue(), '4111 1111 1111 1111')
      assert.ok(!asked.includes('pay'), asked.join())
      await expiry.fill('12/32')
      await way.locator('#card-cvv').fill('123')
      assert.equal(await way.locator('.fault').count(), 0)
      await pressed(page, '#way-card form button')
      assert.equal(await attempts(service, 'SLIPS'), 1)
    }))

  test('a form is not sent before its button says the amount, though the payer presses while the answer is on its way', () => {
    const mobile = '9111166666'
    const signedIn = async (service: Service) => {
      await changeWorld(service, { customers: [{ mobile, walletBalance: '50.00' }] })
      const userId = service.ports.vault.hash('userId', mobile)
      return { paytmSsoToken: await issueSsoToken(service, 'sso of EARLY', { userId, mobile }), userInfo: { custId: 'EARLY' } }
    }
    return onPage(
      'EARLY',
      async (page) => {
        const asked = Promise.withResolvers<void>()
        const answers = Promise.withResolvers<void>()
        const sent: string[] = []
        page.on('request', (request) => request.url().endsWith('/pay') && sent.push(request.postData() ?? ''))
        const way = await unfold(page, 'card')
        await typeCard(page, 'card')
        const button = way.locator('form[data-pays] button')
        await button.getByText('₹100.00').waitFor()
        await page.route('**/price', async (route) => {
          asked.resolve()
          await answers.promise
          return route.continue()
        })
        await way.locator('input[name="share"]').check()
        await asked.promise
        await button.click({ noWaitAfter: true })
        await button.click({ noWaitAfter: true })
        assert.deepEqual(sent, [])
        const said = page.waitForRequest(/\/pay$/)
        answers.resolve()
        await said
        assert.equal(sent.length, 1)
      },
      signedIn,
    )
  })

  test('cashback for credit cards is promised while the typed card is one', () =>
    onPage(
      'BACK',
      async (page, service) => {
        const way = await unfold(page, 'card')
        const number = way.locator('#card-cardNumber')
        const promised = (value: string) => way.locator(`[name="cashback"][value="${value}"]`).waitFor({ state: 'attached' })
        for (const [typed, value] of [
          ['4111111111111111', '500 BACK'],
          ['41111', ''],
          ['4111111111111111', '500 BACK'],
          ['4012888888881881', ''],
        ] as const) {
          await number.fill(typed)
          await promised(value)
        }
        await way.locator('#card-expiry').fill('12/32')
        await way.locator('#card-cvv').fill('123')
        await pressed(page, '#way-card form button')
        assert.equal(await attempts(service, 'BACK'), 1)
      },
      async () => ({ simplifiedPaymentOffers: { promoCode: 'BACK', applyAvailablePromo: false } }),
    ))

  test('the brand of a card goes with its number, and comes back with it', () =>
    onPage('BRAND', async (page) => {
      const way = await unfold(page, 'card')
      const [number, brand] = [way.locator('#card-cardNumber'), way.locator('[data-brand]')]
      await number.fill('4111111111111111')
      await brand.getByText('Visa').waitFor()
      await number.fill('4111111111111112')
      await number.blur()
      await brand.waitFor({ state: 'hidden' })
      await number.fill('4111')
      assert.equal(await brand.textContent(), '')
      await number.fill('4111111111111111')
      await brand.getByText('Visa').waitFor()
    }))

  test('a UPI id of an unknown app gets another message than what is no UPI id', () =>
    onPage('HANDLES', async (page) => {
      const id = page.locator('#upi-upiId')
      for (const [typed, says] of [
        ['asha@nosuchbank', 'We know no UPI app with @nosuchbank. Check the part behind @.'],
        ['asha', 'A UPI ID looks like name@bank. Please check it.'],
      ] as const) {
        await id.fill(typed)
        await page.getByRole('button', { name: /to my UPI ID/ }).click()
        await page.locator('#upi-upiId-fault').getByText(says).waitFor()
        assert.equal(await id.inputValue(), typed)
      }
    }))

  test('the amount, its discount and the wallet’s part follow the choice, and the button says what the card takes', () => {
    const mobile = '9111155555'
    const signedIn = async (service: Service) => {
      await changeWorld(service, { customers: [{ mobile, walletBalance: '800.00' }] })
      const userId = service.ports.vault.hash('userId', mobile)
      const payer = { paytmSsoToken: await issueSsoToken(service, 'sso of SUMMARY', { userId, mobile }), userInfo: { custId: 'SUMMARY' } }
      return { ...payer, ...OFFERED, txnAmount: { value: '1499.00', currency: 'INR' } }
    }
    return onPage(
      'SUMMARY',
      async (page) => {
        const [amount, summary] = [page.locator('[data-amount]'), page.locator('[data-summary]')]
        const way = await unfold(page, 'card')
        await way.getByRole('button', { name: 'Pay ₹1,499.00' }).waitFor()
        const less = way.locator('[data-less]')
        await less.getByText('Less, if an offer fits your card.').waitFor()
        await typeCard(page, 'card')
        await way.getByRole('button', { name: 'Pay ₹1,349.10' }).waitFor()
        assert.equal(await amount.textContent(), '₹1,349.10')
        await way.locator('[name="share"]').check()
        await way.getByRole('button', { name: 'Pay ₹629.10' }).waitFor()
        assert.equal(await less.isVisible(), false)
        assert.match(
          (await summary.innerText()).replace(/\s+/g, ' '),
          /Discount −₹69\.90 From your wallet −₹800\.00 Now by credit card ₹629\.10/,
        )
        assert.equal(await summary.getAttribute('role'), 'status')
      },
      signedIn,
    )
  })

  test('an offer for credit cards is a condition until the card is known, and again once it is not', () =>
    onPage(
      'CONDITION',
      async (page) => {
        const way = page.locator('#way-card')
        const [saves, until, summary] = [way.locator('[data-saves]'), page.locator('[data-until-card]'), page.locator('[data-summary]')]
        const condition = async (button: string) => {
          await way.getByRole('button', { name: button }).waitFor()
          assert.equal(await way.locator('[data-less]').innerText(), 'Less, if an offer fits your card.')
          assert.equal(await saves.textContent(), ' · saves ₹10.00 by credit card')
          assert.equal(await until.innerText(), 'Taken off once you enter a credit card.')
        }
        assert.equal(await saves.textContent(), ' · saves ₹10.00 by credit card')
        assert.equal(await until.innerText(), 'Taken off once you enter a credit card.')
        await saves.evaluate((element) => element.replaceChildren())
        await unfold(page, 'card')
        await saves.getByText('saves ₹10.00 by credit card').waitFor()
        await condition('Pay ₹100.00')
        const number = page.locator('#card-cardNumber')
        await number.pressSequentially('41111111')
        await way.getByRole('button', { name: 'Pay ₹90.00' }).waitFor()
        assert.deepEqual([await saves.textContent(), await until.isVisible()], [' · saves ₹10.00', false])
        assert.match(await summary.innerText(), /Discount\s+−₹10\.00/)
        await number.press('Backspace')
        await condition('Pay ₹100.00')
        assert.deepEqual([await summary.innerText(), await way.locator('[data-brand]').textContent()], ['', ''])
        await number.fill('40128888')
        await way.locator('[data-less]').waitFor({ state: 'hidden' })
        await way.getByRole('button', { name: 'Pay ₹100.00' }).waitFor()
        assert.deepEqual([await saves.textContent(), await until.isVisible(), await summary.innerText()], ['', false, ''])
      },
      async () => OFFERED,
    ))

  test('another language and "go on paying" keep what was typed, but for number and CVV', () =>
    onPage('KEEPS', async (page) => {
      await unfold(page, 'card')
      await typeCard(page, 'card')
      await page.getByRole('link', { name: /^Cancel and go back/ }).click()
      await page.getByRole('button', { name: 'No, continue paying' }).click()
      assert.equal(await page.locator('#card-cardNumber').inputValue(), '4111 1111 1111 1111')
      await page.locator('#language').focus()
      await page.keyboard.press('ArrowDown')
      assert.equal(await page.locator('html').getAttribute('lang'), 'en-IN', 'an arrow key chooses, and does not send')
      await page.locator('#language').selectOption('hi')
      await page.locator('form.language button').click()
      await page.locator('html[lang="hi-IN"]').waitFor()
      assert.equal(await page.locator('#card-expiry').inputValue(), '12/32')
      assert.deepEqual([await page.locator('#card-cardNumber').inputValue(), await page.locator('#card-cvv').inputValue()], ['', ''])
      assert.equal(await page.locator('#way-card').getAttribute('open'), '')
    }))

  test('paying while offline says so and keeps the form, which is then sent once', () =>
    onPage('OFFLINE', async (page, service) => {
      const way = await unfold(page, 'card')
      await typeCard(page, 'card')
      await way.locator('[data-brand]', { hasText: 'Visa' }).waitFor()
      await page.context().setOffline(true)
      await way.locator('form button').click()
      await page.locator('[data-offline]').waitFor()
      assert.equal(await page.locator('#card-cardNumber').inputValue(), '4111 1111 1111 1111')
      assert.equal(await attempts(service, 'OFFLINE'), 0)
      await page.context().setOffline(false)
      await pressed(page, '#way-card form button')
      assert.equal(await attempts(service, 'OFFLINE'), 1)
    }))

  test('after the plans of a bank and after a code was sent, what comes next has the focus and is in sight', () =>
    onPage(
      'NEXT',
      async (page) => {
        const way = await unfold(page, 'emi')
        await way.locator('select').selectOption('HDFC')
        await way.getByRole('button', { name: 'Show plans' }).click()
        await page.locator('input[name="plan"]').first().waitFor()
        assert.equal(await page.evaluate('document.activeElement.name'), 'plan')
        const { y } = (await page.locator('input[name="plan"]').first().boundingBox())!
        assert.ok(y >= 0 && y < 664, `the first plan stands at ${y}`)
        const wallet = await unfold(page, 'wallet')
        await wallet.locator('[name="mobile"]').fill('9999900001')
        await wallet.getByRole('button', { name: 'Send OTP' }).click()
        await page.locator('#wallet-code').waitFor()
      },
      async () => ({ txnAmount: { value: '10000.00', currency: 'INR' } }),
      { viewport: { width: 390, height: 664 } },
    ))

  test('on an iPhone each app has one button, BHIM too, and the one that was used last comes first', () =>
    onPage(
      'APPS',
      async (page) => {
        await page.getByRole('button', { name: 'Choose a UPI app for ₹100.00' }).click()
        const apps = page.locator('.apps a')
        await apps.first().waitFor()
        assert.deepEqual(await apps.allInnerTexts(), ['Google Pay', 'PhonePe', 'Paytm', 'BHIM', 'CRED', 'Navi', 'super.money'])
        assert.ok(await page.getByText('On another device: show the QR code').isVisible())
        // No app opens the link here.
        await page.evaluate(`document.querySelector('[data-app="BHIM"]').addEventListener('click', (event) => event.preventDefault())`)
        await apps.nth(3).click()
        await page.reload()
        await page.locator('.apps a:first-child').getByText('BHIM').waitFor()
      },
      undefined,
      { userAgent: IPHONE },
    ))

  test('an amount of crores stands on one line at 320 pixels, with larger text and with text that is spaced', () =>
    onPage(
      'CRORES',
      async (page) => {
        for (const style of ['', 'html { font-size: 200% }', '* { letter-spacing: .12em !important; word-spacing: .16em !important }'])
          assert.equal(
            await page.evaluate(`(() => {
              const sheet = new CSSStyleSheet()
              sheet.replaceSync(${JSON.stringify(style)})
              document.adoptedStyleSheets = [sheet]
              const range = document.createRange()
              range.selectNodeContents(document.querySelector('.amount'))
              return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size
            })()`),
            1,
            style,
          )
      },
      async () => ({ txnAmount: { value: '123456789.70', currency: 'INR' } }),
      { viewport: { width: 320, height: 568 } },
    ))

  test('a button that is pressed says so in words, and the first view asks three times', () =>
    onPage('BUSY', async (page) => {
      const asked: string[] = []
      page.on('request', (request) => asked.push(request.url()))
      await page.reload({ waitUntil: 'networkidle' })
      assert.equal(asked.filter((url) => !url.startsWith('data:')).length, 3, asked.join())
      await unfold(page, 'ppbl')
      const said: string[] = []
      page.on('console', (message) => said.push(message.text()))
      await page.evaluate(`addEventListener('submit', ({ target }) => console.log(target.querySelector('button').outerHTML))`)
      await pressed(page, '#way-ppbl form button')
      assert.equal(said.at(-1), '<button aria-busy="true">Please wait …</button>')
    }))
})
