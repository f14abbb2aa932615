// How long the payment page shows the end of a payment before it leads on to the shop, and what it promises (docs/pages.md, "State").

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { addressOf, chromiumPath, launch, openShop, type Shop } from '../../../support/pages/browser.ts'
import { CARD, createOrder, type Order, pay } from '../../../support/paying/paying.ts'
import { type Service, startService } from '../../../support/run/service.ts'

const STAYS_MS = 3_000
const AGES_MS = 600_000
const TO_SHOP = 'form[data-to-shop] button'
const GOING = '[data-going]'
const FAILS = { paymentMode: 'CREDIT_CARD', cardInfo: '|4000000000000002|123|122032' }

describe('the end of a payment', { timeout: 600_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  let opened: Promise<[Service, Browser, Shop]> | undefined
  const parts = () => {
    opened ??= Promise.all([startService('sqlite'), launch(), openShop()])
    return opened
  }
  after(async () => {
    const [service, browser, shop] = (await opened) ?? []
    await browser?.close()
    await service?.close()
    await shop?.close()
  })

  type Ending = (service: Service, order: Order, page: Page) => Promise<unknown>
  const isPaid: Ending = (service, order) => pay(service, order, CARD)
  const endings: readonly [name: string, heading: string, ending: Ending][] = [
    ['PAID', '₹100.00 paid', isPaid],
    [
      'CLOSED',
      'This order is closed',
      async (_service, _order, page) => {
        await page.locator('[data-leaves]').click()
        await page.locator('dialog[data-leaving] button.second').click()
      },
    ],
    [
      'FIVE',
      'The payment failed five times',
      async (service, order) => {
        for (let attempts = 0; attempts < 5; attempts++) await pay(service, order, FAILS)
      },
    ],
  ]

  /** On the page of an order that has just ended, with a clock that stands still until it is moved. */
  async function onEnd(
    name: string,
    work: (at: { page: Page; shop: Shop; orderId: string; address: string }) => Promise<void>,
    { ending = isPaid, hasScript = true, hasClock = hasScript }: { ending?: Ending; hasScript?: boolean; hasClock?: boolean } = {},
  ) {
    const [service, browser, shop] = await parts()
    const orderId = `STAYS_${name}`
    const context = await browser.newContext({ locale: 'en-IN', javaScriptEnabled: hasScript })
    try {
      const order = await createOrder(service, orderId, { callbackUrl: shop.callbackUrl })
      const page = await context.newPage()
      if (hasClock) {
        await page.clock.install()
        await page.clock.pauseAt(Date.now() + 1_000)
      }
      await page.goto(addressOf(service, order))
      const address = page.url()
      await ending(service, order, page)
      await page.goto(address)
      await work({ page, shop, orderId, address })
    } finally {
      await context.close()
    }
  }

  for (const [name, heading, ending] of endings)
    test(`stays for three seconds and then leads to the shop: ${heading}`, () =>
      onEnd(
        name,
        async ({ page, shop, orderId, address }) => {
          await page.getByRole('heading', { name: heading }).waitFor()
          assert.equal(await page.evaluate(`document.activeElement.id`), 'heading')
          assert.equal(await page.locator(GOING).innerText(), 'Taking you back to the shop …')
          await page.clock.runFor(STAYS_MS - 100)
          assert.equal(page.url(), address)
          await page.clock.runFor(200)
          await page.locator('#told').waitFor()
          assert.ok(shop.callbacks.has(orderId))
        },
        { ending },
      ))

  test('is left at once by its button', () =>
    onEnd('PRESSED', async ({ page }) => {
      await page.locator(TO_SHOP).click()
      await page.locator('#told').waitFor()
    }))

  const touches: readonly [string, (page: Page) => Promise<unknown>][] = [
    ['a key', (page) => page.keyboard.press('Shift')],
    ['a press', (page) => page.locator('#heading').click()],
    ['a focus', (page) => page.locator(TO_SHOP).focus()],
    ['the wheel', (page) => page.mouse.wheel(0, 40)],
  ]
  for (const [at, [name, touch]] of touches.entries())
    test(`is kept by ${name}, and then promises nothing`, () =>
      onEnd(`TOUCHED_${at}`, async ({ page, address }) => {
        await page.clock.runFor(1_000)
        await touch(page)
        await page.locator(GOING).waitFor({ state: 'hidden' })
        await page.clock.runFor(AGES_MS)
        assert.equal(page.url(), address)
        await page.locator(TO_SHOP).click()
        await page.locator('#told').waitFor()
      }))

  test('is kept while the page is not seen', () =>
    onEnd('HIDDEN', async ({ page, address }) => {
      const becomes = (state: 'hidden' | 'visible') =>
        page.evaluate(
          `Object.defineProperty(document, 'hidden', { configurable: true, value: ${state === 'hidden'} }); document.dispatchEvent(new Event('visibilitychange'))`,
        )
      await page.clock.runFor(STAYS_MS - 100)
      await becomes('hidden')
      await page.clock.runFor(AGES_MS)
      assert.equal(page.url(), address)
      await becomes('visible')
      await page.clock.runFor(STAYS_MS - 100)
      assert.equal(page.url(), address)
      await page.clock.runFor(200)
      await page.locator('#told').waitFor()
    }))

  test('stays when the payer comes back from the shop, and promises nothing', () =>
    onEnd(
      'BACK',
      async ({ page, shop, orderId, address }) => {
        await page.locator(TO_SHOP).click()
        await page.locator('#told').waitFor()
        shop.callbacks.delete(orderId)
        await page.goBack()
        await page.getByRole('heading', { name: '₹100.00 paid' }).waitFor()
        assert.equal(await page.locator(GOING).isVisible(), false)
        assert.deepEqual([page.url(), shop.callbacks.has(orderId)], [address, false])
        await page.locator(TO_SHOP).click()
        await page.locator('#told').waitFor()
        assert.ok(shop.callbacks.has(orderId))
      },
      { hasClock: false }, // it hides from the page how it was opened
    ))

  test('stays without script', () =>
    onEnd(
      'NO_SCRIPT',
      async ({ page }) => {
        assert.equal(await page.locator(GOING).isVisible(), false)
        await page.locator(TO_SHOP).click()
        await page.locator('#told').waitFor()
      },
      { hasScript: false },
    ))

  test('a page that is offline says what to press once the network is back, and sends nothing by itself', () =>
    onEnd(
      'OFFLINE',
      async ({ page }) => {
        const context = page.context()
        const posts: string[] = []
        page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()))
        await context.setOffline(true)
        await page.getByText('You are offline. Press the button again once you are online.').waitFor()
        await page.locator('#way-upi form[data-pays] button').first().click()
        await context.setOffline(false)
        await page.getByText('You are online. Press the button again.').waitFor()
        assert.equal(await page.getByText('You are offline').count(), 0)
        await page.clock.runFor(AGES_MS / 10)
        assert.deepEqual(posts, [])
        await page.clock.resume()
        await page.locator('#way-upi form[data-pays] button').first().click()
        await page.locator('[data-stage="upi"], [data-stage="collect"]').waitFor()
        assert.equal(posts.length, 1)
      },
      { ending: async () => {} },
    ))
})
