// The payment page in a real browser: with and without script, by keyboard, by tabs and histories, and held against WCAG 2.2 AA.
// `npm run pages` runs the whole product of cases.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { transactionsOfOrder } from '../src/tables.ts'
import {
  addressOf,
  axe,
  browserWays,
  chromiumPath,
  isBrowserRequired,
  launch,
  openShop,
  type Paying,
  type Shop,
  sentToPay,
  typeCard,
  unfold,
} from './support/browser.ts'
import { codeFrom, linkOf, walletMandate } from './support/mandate-page.ts'
import { bankJournal, createOrder, script } from './support/paying.ts'
import { MID, type Service, startService, storeNames } from './support/service.ts'
import { otherThan } from './support/signin.ts'
import { moveTo } from './support/timeline.ts'

if (!chromiumPath) {
  test('a browser is there where one is required', () => {
    console.log(
      '\n==== NO CHROMIUM HERE: the tests of the payment page in a browser are LEFT OUT (apt-get install chromium, or MOHUR_CHROMIUM) ====\n',
    )
    assert.ok(!isBrowserRequired, 'MOHUR_BROWSER=required, and there is no Chromium')
  })
}

/** What has the focus, and whether it can be seen there. */
const FOCUSED = `(() => {
  const element = document.activeElement
  const box = element.getBoundingClientRect()
  const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
  const isSeen = top !== null && (element.contains(top) || top.contains(element) || top.control === element)
  return { id: element.id || element.closest('details')?.id || element.tagName, tag: element.tagName, isSeen }
})()`
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

interface World {
  service: Service
  shop: Shop
  browser: Browser
}

describe('the payment page in a browser', { timeout: 900_000 }, () => {
  if (!chromiumPath || !storeNames.includes('sqlite')) return
  let opened: Promise<World> | undefined
  const world = () => {
    opened ??= (async () => {
      const [service, shop, browser] = await Promise.all([startService('sqlite'), openShop(), launch()])
      return { service, shop, browser }
    })()
    return opened
  }
  after(async () => {
    const { service, shop, browser } = (await opened) ?? {}
    await browser?.close()
    await shop?.close()
    await service?.close()
  })

  async function inContext(options: BrowserContextOptions, work: (parts: World & { context: BrowserContext }) => Promise<void>) {
    const parts = await world()
    const context = await parts.browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-IN', ...options })
    try {
      await work({ ...parts, context })
    } finally {
      await context.close()
    }
  }

  async function captures(service: Service, orderId: string): Promise<number> {
    const attempts = await service.edge.query.rows(transactionsOfOrder(MID, orderId))
    const keys = new Set(attempts.map(({ txnId }) => `${MID}:${txnId}`))
    return (await bankJournal(service)).filter(({ kind, key, outcome }) => kind === 'authorize' && outcome === 'success' && keys.has(key))
      .length
  }

  const told = async (page: Page) => {
    const status = page.locator('#told')
    await status.waitFor()
    return status.textContent()
  }

  for (const [name, { more, begin, decide }] of Object.entries(browserWays)) {
    test(`${name}: an order is paid, and one whose first attempt fails is paid in place`, () =>
      inContext({}, async ({ service, shop, context }) => {
        for (const fails of [false, true]) {
          const orderId = `B_${name.toUpperCase()}_${fails}`
          const { order, page } = await sentToPay({ service, shop, context }, orderId, more)
          const paying: Paying = { service, page, orderId, hasScript: true }
          if (fails) {
            if (!decide) await script(service, order, 'declined')
            await begin(paying)
            await decide?.(paying, 'decline')
            await page.getByRole('alert').getByText('Nothing was taken').waitFor()
          }
          await begin(paying)
          await decide?.(paying, 'approve')
          assert.equal(await told(page), 'TXN_SUCCESS')
          assert.equal(shop.callbacks.get(orderId)?.['STATUS'], 'TXN_SUCCESS')
          assert.equal(await captures(service, orderId), 1)
          await page.close()
        }
      }))
  }

  test('without script a card, an app and a bank’s page pay by buttons alone', () =>
    inContext({ javaScriptEnabled: false }, async ({ service, shop, context }) => {
      for (const name of ['card', 'upi', 'netBanking'] as const) {
        const orderId = `NOSCRIPT_${name.toUpperCase()}`
        const { page } = await sentToPay({ service, shop, context }, orderId)
        const paying: Paying = { service, page, orderId, hasScript: false }
        await browserWays[name]!.begin(paying)
        await browserWays[name]!.decide?.(paying, 'approve')
        await page.locator('form[action*="/callback"] button').click()
        assert.equal(await told(page), 'TXN_SUCCESS')
        assert.equal(await captures(service, orderId), 1)
      }
    }))

  test('a payment that is begun in one tab is seen in the other, survives Back, reload and being offline, and is made once', () =>
    inContext({}, async ({ service, shop, context }) => {
      const { page } = await sentToPay({ service, shop, context }, 'TABS')
      const other = await context.newPage()
      await other.goto(page.url())
      const paying: Paying = { service, page, orderId: 'TABS', hasScript: true }
      await browserWays['upi']!.begin(paying)
      await page.locator('svg.code').waitFor()
      await other.bringToFront()
      await other.reload()
      await other.locator('svg.code').waitFor()
      await page.bringToFront()
      await page.goBack()
      await page.goForward()
      await page.locator('svg.code').waitFor()
      await page.reload()
      await page.locator('svg.code').waitFor()
      await context.setOffline(true)
      await page.getByText('This device is not connected').waitFor()
      await service.post('/sandbox/payer', JSON.stringify({ mid: MID, orderId: 'TABS', action: 'approve' }))
      await context.setOffline(false)
      assert.equal(await told(page), 'TXN_SUCCESS')
      assert.equal(await captures(service, 'TABS'), 1)
      assert.equal((await service.edge.query.rows(transactionsOfOrder(MID, 'TABS'))).length, 1)
      await page.goBack()
      await page.getByRole('heading', { name: /paid/ }).waitFor() // and is not sent away again
    }))

  test('a page that waits goes on by itself when the payer has approved', () =>
    inContext({}, async ({ service, shop, context }) => {
      const { page } = await sentToPay({ service, shop, context }, 'BY_ITSELF')
      await browserWays['upi']!.begin({ service, page, orderId: 'BY_ITSELF', hasScript: true })
      await page.locator('[data-stage="upi"]').waitFor()
      await service.post('/sandbox/payer', JSON.stringify({ mid: MID, orderId: 'BY_ITSELF', action: 'approve' }))
      assert.equal(await told(page), 'TXN_SUCCESS')
    }))

  test('a card’s first digits say its brand and what is paid with it, before the button is pressed', () =>
    inContext({}, async ({ service, shop, context }) => {
      const offers = { txnAmount: { value: '499.00', currency: 'INR' }, simplifiedPaymentOffers: { applyAvailablePromo: true } }
      const { page } = await sentToPay({ service, shop, context }, 'PRICE', offers)
      const way = await unfold(page, 'card')
      await way.getByRole('button', { name: 'Pay ₹449.10' }).waitFor()
      await typeCard(page, 'card', { number: '4012888888881881' })
      await way.getByRole('button', { name: 'Pay ₹499.00' }).waitFor()
      assert.equal(await way.locator('[data-brand]').textContent(), 'Visa')
      await way.locator('form button').click()
      assert.equal(await told(page), 'TXN_SUCCESS')
      assert.equal(shop.callbacks.get('PRICE')?.['TXNAMOUNT'], '499.00')
    }))

  test('a card is paid by the keyboard alone, every control in reach and in sight', () =>
    inContext({}, async ({ service, shop, context }) => {
      const { page } = await sentToPay({ service, shop, context }, 'KEYS')
      const focused = () => page.evaluate<{ id: string; tag: string; isSeen: boolean }>(FOCUSED)
      const tabTo = async (id: string, tag: string) => {
        for (let at = 0; at < 40; at++) {
          await page.keyboard.press('Tab')
          const here = await focused()
          assert.ok(here.isSeen, `${here.tag} ${here.id} is covered`)
          if (here.id === id && here.tag === tag) return
        }
        assert.fail(`Tab does not reach ${tag} ${id}`)
      }
      await tabTo('way-card', 'SUMMARY')
      await page.keyboard.press('Enter')
      await tabTo('card-cardNumber', 'INPUT')
      await page.keyboard.type('4111111111111111')
      assert.equal(await page.locator('#card-cardNumber').inputValue(), '4111 1111 1111 1111')
      await tabTo('card-expiry', 'INPUT')
      await page.keyboard.type('1232')
      assert.equal(await page.locator('#card-expiry').inputValue(), '12/32')
      await tabTo('card-cvv', 'INPUT')
      await page.keyboard.type('123')
      await page.keyboard.press('Enter')
      assert.equal(await told(page), 'TXN_SUCCESS')
    }))

  /** Each state of the page, on an order of its own. */
  const states: Record<string, (page: Page, service: Service, order: { orderId: string }) => Promise<unknown>> = {
    choices: async (page) => unfold(page, 'card'),
    fault: async (page) => {
      await unfold(page, 'card')
      await typeCard(page, 'card', { number: '4111111111111112' })
      await page.locator('#way-card form button').click()
      await page
        .getByText(/slip|चूक/)
        .first()
        .waitFor()
    },
    upi: async (page) => {
      await (await unfold(page, 'upi')).locator('form button').first().click()
      await page.locator('svg.code').waitFor()
    },
    otp: async (page) => {
      await unfold(page, 'card')
      await typeCard(page, 'card', { number: '4000000000003220' })
      await page.locator('#way-card form button').click()
      await page.locator('#otp-otp').waitFor()
    },
    unknown: async (page, service, order) => {
      await script(service, order, 'timeout')
      await unfold(page, 'card')
      await typeCard(page, 'card')
      await page.locator('#way-card form button').click()
      await page.locator('[data-stage="waiting"]').waitFor()
    },
    leaving: async (page) => page.goto(`${page.url()}?leave=1`),
    missing: async (page) => page.goto(page.url().replace(/[0-9a-f]{32}/, '0'.repeat(32))),
  }

  /** `npm run pages` looks at every pair of them. */
  const views = [
    { locale: 'en-IN', colorScheme: 'light', width: 320 },
    { locale: 'hi-IN', colorScheme: 'dark', width: 1280 },
  ] as const
  for (const [state, reach] of Object.entries(states))
    test(`nothing on the page keeps anybody out: ${state}, on a small screen in English and a dark wide one in Hindi`, async () => {
      for (const { locale, colorScheme, width } of views)
        await inContext({ locale, colorScheme, viewport: { width, height: 800 } }, async ({ service, shop, context }) => {
          const { page, order } = await sentToPay({ service, shop, context }, `AXE_${state.toUpperCase()}_${width}`)
          await reach(page, service, order)
          assert.deepEqual(await axe(page), [], `${state} ${locale} ${colorScheme} ${width}`)
          assert.equal(await page.evaluate(OVERFLOW), 0, `${state} ${locale} is wider than ${width} pixels`)
        })
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
      for (const [rule, plant] of Object.entries(faults)) {
        await page.reload()
        await page.evaluate(plant)
        assert.ok(
          (await axe(page)).some((found) => found.startsWith(`${rule}:`)),
          `${rule} is not found`,
        )
      }
    }))

  test('the first view is three requests and 30 KB, and what browsers report of the policy is nothing', () =>
    inContext({}, async ({ service, shop, context }) => {
      const order = await createOrder(service, 'WEIGHT', { callbackUrl: shop.callbackUrl })
      const page = await context.newPage()
      const bodies: Promise<Buffer>[] = []
      page.on('response', (response) => {
        if (response.ok() && response.url().startsWith('http')) bodies.push(response.body())
      })
      await page.goto(addressOf(service, order), { waitUntil: 'networkidle' })
      const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body, { level: 9 }).length)
      assert.equal(sizes.length, 3)
      assert.ok(sizes.reduce((sum, size) => sum + size) <= 30 * 1024, `${sizes} bytes`)
      assert.match(await (await fetch(`${service.url}/metrics`)).text(), /mohur_page_reports_total 0/)
      // A control: what the policy forbids is reported.
      const reported = page.waitForRequest((request) => request.url().endsWith('/pay/report'))
      await page.evaluate("document.body.append(Object.assign(document.createElement('img'), { src: 'https://elsewhere.example/x.png' }))")
      await (await reported).response()
      assert.match(await (await fetch(`${service.url}/metrics`)).text(), /mohur_page_reports_total 1/)
    }))

  // The last of all, because it moves the clock.
  test('a mandate’s page keeps nobody out in any of its states, on a small screen in English and a dark wide one in Hindi', async () => {
    const { service } = await world()
    const agreed = await walletMandate(service, 'AXE_MANDATE', '9815000001', 2026)
    const link = `${service.url}${await linkOf(service, agreed)}`
    await moveTo(service, '2026-12-04 12:00:00')
    for (const { locale, colorScheme, width } of views)
      await inContext({ locale, colorScheme, viewport: { width, height: 800 } }, async ({ context }) => {
        const page = await context.newPage()
        const looksWell = async (state: string) => {
          assert.deepEqual(await axe(page), [], `${state} ${locale} ${colorScheme} ${width}`)
          assert.equal(await page.evaluate(OVERFLOW), 0, `${state} ${locale} is wider than ${width} pixels`)
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
