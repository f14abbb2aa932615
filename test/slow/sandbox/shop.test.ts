// The sandbox's demo shop in a browser, from `npm start` to a paid order, with script and without.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { axe, chromiumPath, launch, PATIENCE_MS } from '../../support/pages/browser.ts'
import { byPointer } from '../../support/pages/page-hands.ts'
import { cardSteps } from '../../support/pages/page-ways.ts'
import { serveProcess } from '../../support/run/process.ts'

const SHOP = '/sandbox/shop'
const BUTTONS = [...['Pay ₹499.00 here', 'Pay ₹499.00 on the payment page'], ...['Subscribe for ₹199.00 a month', 'Pay ₹499.00 by a form']]

describe('from `npm start` to a paid order', { timeout: 300_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so, and fails where a browser is required
  const folder = mkdtempSync(join(tmpdir(), 'mohur-shop-'))
  let service: Awaited<ReturnType<typeof serveProcess>>
  let browser: Browser
  before(async () => {
    ;[service, browser] = await Promise.all([serveProcess({ MOHUR_DATA: folder, MOHUR_LOG: 'warn' }), launch()])
  })
  after(async () => {
    await browser.close()
    await service.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  })
  const shopIn = async (options: { javaScriptEnabled?: boolean } = {}): Promise<{ context: BrowserContext; page: Page }> => {
    const context = await browser.newContext({ locale: 'en-IN', ...options })
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    await page.goto(`${service.url}${SHOP}`)
    return { context, page }
  }

  for (const button of BUTTONS)
    for (const hasScript of [true, false]) {
      if (!hasScript && button.endsWith('here')) continue
      test(`"${button}" is paid ${hasScript ? 'in three clicks' : 'without script'}`, async () => {
        const { context, page } = await shopIn({ javaScriptEnabled: hasScript })
        assert.deepEqual(hasScript ? await axe(page) : [], [])
        assert.equal(await page.getByRole('button', { name: 'Pay ₹499.00 here' }).isVisible(), hasScript, 'the loader needs script')
        const began = performance.now()
        let clicks = 3 // the shop's button, the card, and "Pay"
        await page.getByRole('button', { name: button }).click()
        const goOn = page.getByRole('button', { name: 'Continue' })
        if (!hasScript && (await goOn.count()) > 0) {
          await goOn.click()
          clicks++
        }
        const view = button.endsWith('here') ? page.frameLocator('iframe') : page
        await byPointer(view as Page, [{ unfold: 'card' }, ...cardSteps('card'), { press: '#way-card form[data-pays] button' }])
        if (!hasScript) {
          await page.locator('form[action*="/sandbox/shop/"] button').click()
          clicks++
        }
        await page.getByText('TXN_SUCCESS (01)').waitFor()
        console.log(
          `${button}, ${hasScript ? 'with' : 'without'} script: ${clicks} clicks, ${((performance.now() - began) / 1_000).toFixed(1)} s`,
        )
        assert.match(await page.locator('main').innerText(), /Thank you[\s\S]*its checksum is right/)
        assert.ok(clicks === 3 || !hasScript)
        if (hasScript) assert.deepEqual(await axe(page), [])
        assert.match(await (await fetch(`${service.url}/metrics`)).text(), /mohur_page_reports_total 0/)
        await context.close()
      })
    }
})
