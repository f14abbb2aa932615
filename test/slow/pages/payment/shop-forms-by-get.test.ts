// A shop that redirects its payer with a signed form in the address, in a browser, with script and without. One visit is one order, also
// for a payer who comes back and presses again.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { pagePaths } from '../../../../src/interface/page-paths.ts'
import { orderKey } from '../../../../src/tables/keys.ts'
import { axe, becomes, chromiumPath, PATIENCE_MS } from '../../../support/pages/browser.ts'
import { sharedWorld, takenFor, type World } from '../../../support/pages/page-cases.ts'
import { unfold } from '../../../support/pages/page-hands.ts'
import { typeCard } from '../../../support/pages/page-ways.ts'
import { checksummed, orderForm } from '../../../support/paying/order-forms.ts'
import { MID } from '../../../support/run/service.ts'

const OF_A_PAGE = /\/pay\/[0-9a-f]{32}$/

describe('a checkout form in an address', { timeout: 600_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  const world = sharedWorld()
  let orders = 0

  interface Visit extends World {
    context: BrowserContext
    page: Page
    orderId: string
    address: string
    posts: string[]
  }
  async function visit(options: { hasScript: boolean }, work: (here: Visit) => Promise<void>) {
    const parts = await world()
    const { service, shop, browser } = parts
    const orderId = `BY_GET_${++orders}`
    const form = checksummed(orderForm(orderId, { CALLBACK_URL: shop.callbackUrl, MERC_UNQ_REF: 'two\nlines' }))
    const address = `${service.url}${pagePaths.orderForms[0]}?${new URLSearchParams(form)}`
    const context = await browser.newContext({ locale: 'en-IN', javaScriptEnabled: options.hasScript })
    context.setDefaultTimeout(PATIENCE_MS)
    try {
      const page = await context.newPage()
      const posts: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().includes(pagePaths.orderForms[0])) posts.push(request.url())
      })
      const start = shop.shows(orderId, `<!doctype html><title>city</title><a id="pay" href="${address.replaceAll('&', '&amp;')}">Pay</a>`)
      await page.goto(start)
      await work({ ...parts, context, page, orderId, address, posts })
    } finally {
      await context.close()
    }
  }
  const versionOf = async ({ service, orderId }: Visit) => (await service.ports.query.row(orderKey(MID, orderId)))?.version
  const button = (page: Page) => page.getByRole('button', { name: 'Continue' })
  async function paid({ page, shop, orderId }: Visit) {
    await unfold(page, 'card')
    await typeCard(page, 'card')
    await page.locator('#way-card form button').click()
    await page.locator('#told').waitFor()
    assert.equal(shop.callbacks.get(orderId)?.['STATUS'], 'TXN_SUCCESS')
  }

  test('goes by itself with script, makes one order, and is paid', (t) =>
    visit({ hasScript: true }, async (here) => {
      const { page, posts, service, orderId } = here
      await page.locator('#pay').click()
      await page.waitForURL(OF_A_PAGE)
      assert.deepEqual([await versionOf(here), posts], [1, [`${service.url}${pagePaths.orderForms[0]}`]], 'posted once, without the query')
      await paid(here)
      const { captures } = await takenFor(service, orderId)
      t.diagnostic(`posts ${posts.length}, captures ${captures}`)
      assert.equal(captures, 1)
    }))

  test('is not sent again for a payer who comes back, and presses then make no second order', (t) =>
    visit({ hasScript: true }, async (here) => {
      const { page, posts, address, service, orderId } = here
      const start = page.url()
      // A form that goes by itself while a page loads replaces its entry in the history. So the payer leaves before it has gone.
      let isHeld = true
      await page.route(`**${pagePaths.orderForms[0]}`, (route) => (isHeld ? route.fulfill({ status: 204 }) : route.continue()))
      const goes = page.waitForRequest((request) => request.method() === 'POST')
      await page.goto(address, { waitUntil: 'commit' })
      await goes
      assert.equal(await page.locator('form[data-goes] button').innerText(), 'Continue', 'a button that is pressed keeps its words')
      isHeld = false
      await page.goto(start)
      assert.deepEqual([posts.length, await versionOf(here)], [1, undefined])
      for (let press = 1; press <= 3; press++) {
        await page.goBack()
        await button(page).waitFor()
        assert.equal(page.url(), address)
        await page.waitForLoadState('load')
        assert.equal(posts.length, press, 'Back sends nothing by itself')
        await button(page).click()
        await page.waitForURL(OF_A_PAGE)
        assert.deepEqual([posts.length, await versionOf(here)], [press + 1, 1])
      }
      await paid(here)
      const { captures } = await takenFor(service, orderId)
      t.diagnostic(`went by itself 1, Back 3, presses 3, posts ${posts.length}, orders 1, captures ${captures}`)
      assert.equal(captures, 1)
    }))

  test('waits for a press without script; two presses and a Back are one order', (t) =>
    visit({ hasScript: false }, async (here) => {
      const { page, posts, address, service, orderId } = here
      await page.locator('#pay').click()
      await button(page).waitFor()
      assert.match(await page.locator('h1').innerText(), /^Pay ₹100\.00 to Demo Stores$/)
      assert.deepEqual([page.url(), posts.length, await versionOf(here)], [address, 0, undefined])
      for (let press = 1; press <= 3; press++) {
        await button(page).click()
        await page.waitForURL(OF_A_PAGE)
        assert.deepEqual([posts.length, await versionOf(here)], [press, 1])
        await page.goBack()
        await button(page).waitFor()
        assert.equal(posts.length, press)
      }
      await button(page).click()
      await page.waitForURL(OF_A_PAGE)
      await unfold(page, 'card')
      await typeCard(page, 'card')
      await page.locator('#way-card form button').click()
      await page.getByRole('heading', { name: '₹100.00 paid' }).waitFor()
      await page.goto(address)
      assert.equal(await page.locator('h1').innerText(), '₹100.00 paid')
      const { captures } = await takenFor(service, orderId)
      t.diagnostic(`presses ${posts.length}, orders 1, captures ${captures}`)
      assert.equal(captures, 1)
    }))

  test('is shown whole in small windows, and without faults of WCAG', () =>
    visit({ hasScript: true }, async ({ page, address }) => {
      await page.route('**/*', (route) => (route.request().method() === 'POST' ? route.fulfill({ status: 204 }) : route.continue()))
      await page.setViewportSize({ width: 320, height: 568 })
      await page.goto(address, { waitUntil: 'commit' })
      await button(page).waitFor({ state: 'attached' })
      assert.ok(await becomes(page, `document.querySelector('form button').getBoundingClientRect().bottom <= innerHeight`))
      assert.deepEqual(await axe(page), [])
    }))
})
