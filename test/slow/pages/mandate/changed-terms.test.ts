// Changed terms on a mandate's page, in a browser: docs/pages.md, "The mandate page". Nothing on the page is larger, and nothing is cut.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { manage } from '../../../support/mandates/mandates.ts'
import { moveTo } from '../../../support/mandates/timeline.ts'
import { axe, chromiumPath } from '../../../support/pages/browser.ts'
import { opened, walletMandate } from '../../../support/pages/mandate-page.ts'
import { sharedWorld } from '../../../support/pages/page-cases.ts'
import { cutIn } from '../../../support/pages/page-cut.ts'
import { AGENT } from '../../../support/pages/pages.ts'

const CHANGES = {
  en: ['₹20,000.00 → ₹1,00,000.00', '5 February 2028 → 5 December 2028'],
  hi: ['₹20,000.00 → ₹1,00,000.00', '5 फ़रवरी 2028 → 5 दिसंबर 2028'],
} as const

describe('changed terms of a mandate', { timeout: 120_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so, and fails where a browser is required
  const world = sharedWorld()

  test('stand old → new in the largest text, at every width, in both languages', async () => {
    const { service, browser } = await world()
    const agreed = await walletMandate(service, 'LARGEST', '9814500001', 2027)
    await moveTo(service, '2027-12-04 12:00:00')
    const visitor = await opened(service, agreed)
    const terms = { renewalAmount: '100000.00', subscriptionExpiryDate: '2028-12-05' }
    const reply = await manage(service, '/subscription/edit', { subsId: agreed.subscriptionId, ...terms })
    assert.equal(reply.body.resultInfo.code, '3006', reply.text)
    await service.tasks.runDue()
    await visitor.look()
    for (const language of ['en', 'hi'] as const) {
      await visitor.send('/language', { language })
      for (const width of [320, 390, 1280]) {
        const context = await browser.newContext({ viewport: { width, height: 844 }, userAgent: AGENT })
        const page = await context.newPage()
        await page.goto(service.url + visitor.page)
        const lines = page.locator('.change .amount')
        assert.deepEqual(
          (await lines.allInnerTexts()).map((line) => line.replace(/\s+/g, ' ')),
          CHANGES[language],
        )
        const sizes = await page.evaluate<{ changes: number[]; others: number[] }>(`(() => {
          const sizesOf = (selector) => [...document.querySelectorAll(selector)].map((each) => parseFloat(getComputedStyle(each).fontSize))
          return { changes: sizesOf('.change .amount span'), others: sizesOf('main *') }
        })()`)
        assert.equal(sizes.changes.length, 6)
        for (const size of sizes.changes) assert.equal(size, Math.max(...sizes.others), `${language}, ${width}: ${size}`)
        assert.deepEqual([...(await cutIn(page)), ...(await axe(page))], [], `${language}, ${width}`)
        await context.close()
      }
    }
  })
})
