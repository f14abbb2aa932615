// The payment page in a real browser: with and without script, by keyboard, by tabs and histories, in frames, and against WCAG 2.2 AA. `npm
// run pages` runs the whole product of cases, test/pages/payment/browser.test.ts one walk for each way to pay.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { BrowserContext, BrowserContextOptions, Page, Response } from 'playwright-core'
import { sign } from '../../../../src/interface/checksum.ts'
import { pagePaths } from '../../../../src/interface/page-paths.ts'
import type { Language } from '../../../../src/pages/kit/messages/messages.ts'
import { moveTo } from '../../../support/mandates/timeline.ts'
import { addressOf, axe, chromiumPath, openShop, sentToPay } from '../../../support/pages/browser.ts'
import { codeFrom, linkOf, walletMandate } from '../../../support/pages/mandate-page.ts'
import { type Case, runCase, sharedWorld, type World } from '../../../support/pages/page-cases.ts'
import { cutIn, cutWhenLarger } from '../../../support/pages/page-cut.ts'
import { byKeyboard, unfold } from '../../../support/pages/page-hands.ts'
import { type Middle, nameOfMiddle, runMiddle } from '../../../support/pages/page-middles.ts'
import { assertHeard, inState } from '../../../support/pages/page-states.ts'
import { begin, browserWays, payerActs, typeCard } from '../../../support/pages/page-ways.ts'
import { orderBody } from '../../../support/paying/order-body.ts'
import { createOrder } from '../../../support/paying/paying.ts'
import { KEY } from '../../../support/run/service.ts'
import { changeWorld, otherThan } from '../../../support/signin/signin.ts'

describe('the payment page in a browser', { timeout: 900_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  const world = sharedWorld()
  let orders = 0
  const newId = () => `ORDER_${++orders}_HERE`

  async function inContext(options: BrowserContextOptions, work: (parts: World & { context: BrowserContext }) => Promise<void>) {
    const parts = await world()
    const context = await parts.browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-IN', ...options })
    try {
      await work({ ...parts, context })
    } finally {
      await context.close()
    }
  }
  const reported = async (page: Page) => {
    const status = page.locator('#told')
    await status.waitFor()
    return status.textContent()
  }

  // --------------------------------------------------------------------------------------------------- every way to pay

  const plain = { end: 'pays', hasScript: true, isFramed: false } as const satisfies Partial<Case>
  for (const way of Object.keys(browserWays))
    test(`${way}: an order whose first attempt fails is paid in place`, async () => {
      await runCase(await world(), { ...plain, way, end: 'fails then pays' }, newId())
    })

  test('without script a card, an app and a bank’s page pay by buttons alone', async () => {
    for (const way of ['card', 'upi', 'netBanking']) await runCase(await world(), { ...plain, way, hasScript: false }, newId())
  })

  for (const way of ['card', 'netBanking'])
    test(`${way}: it is paid by the keyboard alone, every control in its order, on the screen and not covered`, async () => {
      await runCase(await world(), { ...plain, way }, newId(), byKeyboard)
    })

  test('a page that waits goes on by itself when the payer has approved', () =>
    inContext({}, async ({ service, shop, context }) => {
      const { page } = await sentToPay({ service, shop, context }, 'BY_ITSELF')
      await begin(browserWays['upi']!, { service, page, orderId: 'BY_ITSELF', hasScript: true })
      await page.locator('[data-stage="upi"]').waitFor()
      await payerActs(service, 'BY_ITSELF', 'approve')
      assert.equal(await reported(page), 'TXN_SUCCESS')
      await page.goBack()
      await page.getByRole('heading', { name: /paid/ }).waitFor() // and does not leave again
    }))

  // -------------------------------------------------------------------------------------------------------- in the middle

  const interrupted: readonly Middle[] = [
    { way: 'card', what: 'two tabs', hasScript: true },
    { way: 'netBanking', what: 'back', hasScript: true },
    { way: 'mandate', what: 'reload', hasScript: false },
    { way: 'otp', what: 'closed tab', hasScript: true },
    { way: 'upi', what: 'offline', hasScript: true },
    { way: 'consent', what: 'app switch', hasScript: true },
    { way: 'upiId', what: 'another way', hasScript: true },
  ]
  for (const middle of interrupted)
    test(`after any interruption it is paid once, and the shop learns of it: ${nameOfMiddle(middle)}`, async () =>
      assert.equal(await runMiddle(await world(), middle, newId()), 'once'))

  test('a card’s first digits say its brand and what is paid with it, before the button is pressed', () =>
    inContext({}, async ({ service, shop, context }) => {
      const offers = { txnAmount: { value: '499.00', currency: 'INR' }, simplifiedPaymentOffers: { applyAvailablePromo: true } }
      const { page } = await sentToPay({ service, shop, context }, 'PRICE', offers)
      const way = await unfold(page, 'card')
      await way
        .getByRole('button', { name: 'Pay ₹499.00' })
        .and(page.getByRole('button', { description: 'Less, if an offer fits your card.' }))
        .waitFor()
      await typeCard(page, 'card', { number: '4012888888881881' })
      await way.locator('[data-less]').waitFor({ state: 'hidden' })
      assert.equal(await way.getByRole('button').innerText(), 'Pay ₹499.00')
      assert.equal(await way.locator('[data-brand]').textContent(), 'Visa')
      await way.locator('form button').click()
      assert.equal(await reported(page), 'TXN_SUCCESS')
      assert.equal(shop.callbacks.get('PRICE')?.['TXNAMOUNT'], '499.00')
    }))

  // ------------------------------------------------------------------------------------------------------------ reach

  /** `npm run pages` tests every state in every language, scheme and width. */
  const seen: readonly (readonly [state: string, language: Language])[] = [
    ['choices', 'en'],
    ['choices', 'hi'],
    ['fault', 'hi'],
    ['mandate', 'en'],
    ['otp', 'en'],
    ['bank', 'hi'],
    ['upi', 'hi'],
    ['unknown', 'en'],
    ['paid', 'en'],
    ['missing', 'hi'],
  ]
  for (const [state, language] of seen)
    test(`nothing on the page is a barrier, or is cut where text is larger: ${state}, ${language}`, async () => {
      const orderId = newId()
      const { page, context } = await inState(await world(), { state, language }, orderId)
      try {
        await assertHeard(page, { state, language }, orderId)
        assert.deepEqual(await cutWhenLarger(page), [])
        await page.setViewportSize({ width: 320, height: 800 })
        await page.emulateMedia({ colorScheme: language === 'en' ? 'light' : 'dark' })
        assert.deepEqual([await axe(page), await cutIn(page)], [[], []])
      } finally {
        await context.close()
      }
    })

  test('a planted fault of each kind is found', () =>
    inContext({}, async ({ service, shop, context }) => {
      const { page } = await sentToPay({ service, shop, context }, 'PLANTED')
      const faults: Record<string, string> = {
        'color-contrast': "document.querySelector('h1').style.color = '#ccc'",
        'image-alt': "document.querySelector('h1').append(document.createElement('img'))",
        label:
          "document.querySelector('label[for=language]').remove(); document.querySelector('#upi-upiId').closest('.field').querySelector('label').remove()",
        'button-name': "document.querySelector('button').textContent = ''",
        'link-name': "document.querySelector('.foot a').textContent = ''",
        'html-has-lang': "document.documentElement.removeAttribute('lang')",
        'document-title': 'document.title = ""',
        'svg-img-alt': "const s = document.querySelector('svg'); s.removeAttribute('aria-hidden'); s.setAttribute('role', 'img')",
        'aria-valid-attr-value': "document.querySelector('main').setAttribute('aria-hidden', 'maybe')",
        'select-name': "document.querySelector('label[for=language]').remove()",
      }
      assert.deepEqual(await axe(page, Object.keys(faults)), [])
      for (const [rule, plant] of Object.entries(faults)) {
        await page.reload()
        await page.evaluate(plant)
        assert.ok(
          (await axe(page, [rule])).some((found) => found.startsWith(`${rule}:`)),
          `${rule} is not found`,
        )
      }
      await page.reload()
      assert.deepEqual(await cutIn(page), [])
      for (const [kind, plant] of Object.entries({
        'cut off': "Object.assign(document.querySelector('h1').style, { overflow: 'hidden', width: '20px', whiteSpace: 'nowrap' })",
        'out of the window': "document.querySelector('h1').style.marginLeft = '2000px'",
        'on one another': "document.querySelector('h1').style.marginBottom = '-60px'",
        'too low': "Object.assign(document.querySelector('#upi-upiId').style, { height: '20px', minHeight: '0' })",
        'cut off in its list': "document.querySelector('#language').style.width = '40px'",
      })) {
        await page.reload()
        await page.evaluate(`(() => { ${plant} })()`)
        assert.ok(
          (await cutIn(page)).some((found) => found.startsWith(`${kind}:`)),
          `${kind} is not found`,
        )
      }
    }))

  test('the first view is three requests and 10 KB by gzip, and what browsers report of the policy is nothing', () =>
    inContext({}, async ({ service, shop, context }) => {
      const order = await createOrder(service, 'WEIGHT', { callbackUrl: shop.callbackUrl })
      const page = await context.newPage()
      const bodies: Promise<Buffer>[] = []
      const weigh = (response: Response) => {
        if (response.ok() && response.url().startsWith('http')) bodies.push(response.body())
      }
      page.on('response', weigh)
      await page.goto(addressOf(service, order), { waitUntil: 'networkidle' })
      page.off('response', weigh) // a later response may come when the page is gone
      const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body, { level: 9 }).length)
      assert.equal(sizes.length, 3)
      assert.ok(sizes.reduce((sum, size) => sum + size) <= 10 * 1024, `${sizes} bytes`)
      assert.match(await (await fetch(`${service.url}/metrics`)).text(), /mohur_page_reports_total 0/)
      // A control: the page reports what its policy forbids.
      const reported = page.waitForRequest((request) => request.url().endsWith('/pay/report'))
      await page.evaluate("document.body.append(Object.assign(document.createElement('img'), { src: 'https://elsewhere.example/x.png' }))")
      await (await reported).response()
      assert.match(await (await fetch(`${service.url}/metrics`)).text(), /mohur_page_reports_total 1/)
    }))

  // ----------------------------------------------------------------------------------------------------------- frames

  // Browsers report frames that they block, so these tests come after the one that counts reports.
  test('a frame of a site that the shop has named shows the page; one of another site nothing of it', () =>
    inContext({}, async ({ service, shop, context }) => {
      const other = await openShop()
      try {
        const mid = 'FRAMED00000000000001'
        await changeWorld(service, { merchants: [{ mid, keys: [{ clientId: 'C11', key: KEY }], pageOrigins: [shop.url] }] })
        const frameOn = async (site: typeof shop, origin: string | undefined) => {
          const orderId = newId()
          const text = JSON.stringify(orderBody(orderId, { mid, txnAmount: { value: '100.00', currency: 'INR' } }))
          const head = JSON.stringify({ signature: sign(text, KEY, 'salt') })
          const { body } = await service.post(
            `/aoa-acquiring-biz/v2/order?mid=${mid}&orderId=${orderId}`,
            `{"head":${head},"body":${text}}`,
          )
          const fields = { mid, orderId, txnToken: body.txnToken, ...(origin !== undefined && { origin }) }
          const query = new URLSearchParams(fields).toString().replaceAll('&', '&amp;')
          const page = await context.newPage()
          let status = 0
          page.on('response', (response) => {
            if (response.url().startsWith(service.url) && response.status() !== 303) status ||= response.status()
          })
          const frame = `<iframe src="${service.url}${pagePaths.showPaymentPage}?${query}" width="700" height="900"></iframe>`
          await page.goto(site.shows(orderId, `<!doctype html>${frame}`), { waitUntil: 'load' })
          const framed = page.frames()[1]!
          const [shown, isOurs] = [await framed.locator('main').count(), framed.url().startsWith(service.url)]
          await page.close()
          return { status, shown, isOurs }
        }
        const isShown = { status: 200, shown: 1, isOurs: true }
        const isBlocked = { shown: 0, isOurs: false }
        assert.deepEqual(await frameOn(shop, shop.url), isShown)
        assert.deepEqual(await frameOn(other, undefined), { status: 200, ...isBlocked }, 'it says nothing')
        assert.deepEqual(await frameOn(other, shop.url), { status: 200, ...isBlocked }, 'it says that it is another')
        assert.deepEqual(await frameOn(other, other.url), { ...isShown, status: 403 }, 'it says who it is, and is told why')
      } finally {
        await other.close()
      }
    }))

  const views = [
    { locale: 'en-IN', colorScheme: 'light', width: 320 },
    { locale: 'hi-IN', colorScheme: 'dark', width: 1280 },
  ] as const

  // The last of all, because it moves the clock.
  test('a mandate’s page has no barrier in any of its states, on a small screen in English and a dark wide one in Hindi', async () => {
    const { service } = await world()
    const agreed = await walletMandate(service, 'AXE_MANDATE', '9815000001', 2026)
    const link = `${service.url}${await linkOf(service, agreed)}`
    await moveTo(service, '2026-12-04 12:00:00')
    for (const { locale, colorScheme, width } of views)
      await inContext({ locale, colorScheme, viewport: { width, height: 800 } }, async ({ context }) => {
        const page = await context.newPage()
        const looksWell = async (state: string) => {
          assert.deepEqual(await axe(page), [], `${state} ${locale} ${colorScheme} ${width}`)
          assert.deepEqual(await cutIn(page), [], `${state} ${locale} ${width}`)
        }
        const typeCode = async (otp: string) => {
          await page.locator('#code-code').fill(otp)
          await page.locator('form:has(#code-code) button').click()
        }
        const sentBy = (selector: string, lands: string) =>
          codeFrom(service, agreed.mobile, async () => {
            await page.locator(selector).click()
            await page.locator(lands).waitFor()
          })
        await page.goto(link)
        await looksWell('link')
        const opening = await sentBy('form[action$="/code"] button', '[data-stage="mandate-code"]')
        await looksWell('code')
        await typeCode(otherThan(opening.otp))
        await page.locator('#code-code-fault').waitFor()
        assert.equal(await page.evaluate('document.activeElement.id'), 'code-code', 'the field at fault has the focus')
        await looksWell('wrong code')
        await typeCode(opening.otp)
        await page.locator('[data-stage="mandate-open"]').waitFor()
        await looksWell('open')
        const approving = await sentBy('form[action$="/approve"] button', 'form[action$="/approve/code"]')
        await looksWell('approving')
        const address = page.url().replace(/\?.*/, '')
        for (const asks of ['skip', 'stop']) {
          await page.goto(`${address}?ask=${asks}`)
          await looksWell(asks)
        }
        if (locale === 'en-IN') return
        await page.goto(address)
        await typeCode(approving.otp)
        await page.locator('.notice.good').waitFor()
        await looksWell('approved')
        await page.goto(`${address}?ask=stop`)
        await page.locator('form[action$="/stop"] button').click()
        await page.locator('.notice.good').waitFor()
        await looksWell('stopped')
      })
  })
})
