// The sandbox's demo shop (docs/sandbox.md), as a developer tries it: both its buttons, to the order that its server was told of.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext } from 'playwright-core'
import { chromiumPath, launch, PATIENCE_MS } from '../support/pages/browser.ts'
import { typeCard } from '../support/pages/page-ways.ts'
import { ask } from '../support/pages/pages.ts'
import { MID, type Service, startService } from '../support/run/service.ts'

describe('the demo shop', { timeout: 300_000 }, () => {
  let service: Service
  before(async () => {
    service = await startService('sqlite')
  })
  after(() => service.close())

  test('believes no callback that its key has not signed', async () => {
    const { orderId } = (await (
      await fetch(`${service.url}/sandbox/shop/orders`, { method: 'POST', body: new URLSearchParams({ by: 'loader' }) })
    ).json()) as { orderId: string }
    const forged = { MID, ORDERID: orderId, STATUS: 'TXN_SUCCESS', CHECKSUMHASH: 'forged' }
    const brought = await ask(service, `/sandbox/shop/orders/${orderId}`, forged)
    assert.equal(brought.headers.get('location'), `/sandbox/shop/orders/${orderId}?brought=refused`)
    const { text } = await ask(service, `/sandbox/shop/orders/${orderId}?brought=refused`)
    assert.match(text, /has not signed/)
    assert.doesNotMatch(text, /Thank you|TXN_SUCCESS/)
  })

  describe('in a browser', () => {
    if (!chromiumPath) return // test/pages/payment/browser.test.ts says so, and fails where a browser is required
    let browser: Browser
    let context: BrowserContext
    before(async () => {
      browser = await launch()
      context = await browser.newContext()
      context.setDefaultTimeout(PATIENCE_MS)
    })
    after(() => browser.close())

    for (const by of ['here', 'on the payment page'] as const)
      test(`an order is paid ${by}`, async () => {
        const page = await context.newPage()
        await page.goto(`${service.url}/sandbox/shop`)
        await page.getByRole('button', { name: `Pay ₹499.00 ${by}` }).click()
        const view = by === 'here' ? page.frameLocator('iframe') : page
        await view.locator('#way-card > summary').click()
        await typeCard(view as typeof page, 'card')
        await view.locator('#way-card form[data-pays] button').click()
        await page.getByText('TXN_SUCCESS').waitFor()
        assert.match(await page.locator('main').innerText(), /Thank you[\s\S]*its checksum is right/)
        assert.match(await (await fetch(`${service.url}/metrics`)).text(), /mohur_page_reports_total 0/)
      })
  })
})
