// Draws docs/pictures anew from a running page: `node bin/run.mjs test/load/page-pictures.ts`. Each picture has 100 KB at most.

import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { addressOf, chromiumPath, launch, unfold } from '../support/browser.ts'
import { createOrder } from '../support/paying.ts'
import { startService } from '../support/service.ts'

const BYTES_MAX = 100 * 1024 // of one picture
const folder = resolve(import.meta.dirname, '../../docs/pictures')

interface Picture {
  view: BrowserContextOptions
  reach(page: Page): Promise<unknown>
}
const WIDE = { viewport: { width: 1120, height: 820 } }
const PHONE = { viewport: { width: 360, height: 720 } }
const pictures: Record<string, Picture> = {
  'pay-wide': { view: { ...WIDE, colorScheme: 'light' }, reach: (page) => unfold(page, 'card') },
  'pay-phone-dark': { view: { ...PHONE, colorScheme: 'dark' }, reach: async () => undefined },
  'pay-phone-hindi': { view: { ...PHONE, colorScheme: 'light', locale: 'hi-IN' }, reach: (page) => unfold(page, 'bank') },
  'upi-wide': {
    view: { ...WIDE, viewport: { width: 1120, height: 620 }, colorScheme: 'light' },
    async reach(page) {
      await (await unfold(page, 'upi')).locator('form button').first().click()
      await page.locator('svg.code').waitFor()
    },
  },
}

if (!chromiumPath) throw new Error('there is no Chromium here: apt-get install chromium, or MOHUR_CHROMIUM')
mkdirSync(folder, { recursive: true })
const [service, browser] = await Promise.all([startService('sqlite'), launch()])
for (const [name, { view, reach }] of Object.entries(pictures)) {
  const order = await createOrder(service, `ORDER_${name.toUpperCase().replaceAll('-', '_')}`, {
    txnAmount: { value: '1499.00', currency: 'INR' },
    simplifiedPaymentOffers: { applyAvailablePromo: true },
  })
  const context = await browser.newContext({ locale: 'en-IN', ...view })
  const page = await context.newPage()
  await page.goto(addressOf(service, order))
  await reach(page)
  const picture = await page.screenshot()
  assert.ok(picture.length <= BYTES_MAX, `${name} has ${picture.length} bytes`)
  writeFileSync(join(folder, `${name}.png`), picture)
  console.log(`${name}.png ${picture.length} bytes`)
  await context.close()
}
await browser.close()
await service.close()
