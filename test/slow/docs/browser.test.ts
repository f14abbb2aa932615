// The pages of /docs in a browser, for people who use a keyboard, a screen reader or a phone, and under Mohur's own policy.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { chromiumPath, launch } from '../../support/pages/browser.ts'
import { startService } from '../../support/run/service.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const KINDS = [
  '/docs',
  '/docs/createOrder',
  '/docs/userDetails',
  '/docs/codes',
  '/docs/codes?code=330',
  '/docs/checksum',
  '/docs/guide',
  '/docs/guide/sandbox',
  '/docs/guide/decisions',
]
const SIZES = [
  { width: 320, height: 568 },
  { width: 1280, height: 800 },
] as const
const TABS_MAX = 400

describe('/docs in a browser', { timeout: 300_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  const starting = Promise.all([startService('sqlite'), launch()])
  after(async () => {
    for (const part of (await starting).toReversed()) await part.close()
  })

  async function at(path: string, look: (page: Page, reported: string[]) => Promise<void>, options: object = {}) {
    const [service, browser] = await starting
    const context = await browser.newContext({ viewport: SIZES[1], ...options })
    const reported: string[] = []
    try {
      const page = await context.newPage()
      page.on('console', (message) => message.type() === 'error' && reported.push(message.text()))
      await page.goto(service.url + path)
      await look(page, reported)
    } finally {
      await context.close()
    }
  }
  const faultsOf = async (page: Page) => {
    await page.evaluate(AXE)
    const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>('axe.run().then(({ violations }) => violations)')
    return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 120)}`)
  }

  for (const path of KINDS)
    for (const viewport of SIZES)
      for (const colorScheme of ['light', 'dark'] as const)
        test(`${path} at ${viewport.width}, ${colorScheme}: no barrier for any user, nothing is cut, nothing breaks the policy`, () =>
          at(
            path,
            async (page, reported) => {
              assert.deepEqual(await faultsOf(page), [])
              assert.ok(
                (await page.evaluate<number>('document.documentElement.scrollWidth')) <= viewport.width,
                'the page scrolls sideways',
              )
              assert.deepEqual(reported, [])
            },
            { viewport, colorScheme },
          ))

  test('by keyboard alone an order is tried, and its answer leads on to paying it', () =>
    at('/docs/createOrder', async (page) => {
      await press(page, 'button[name="send"]')
      await page.locator('#answer').waitFor()
      assert.match(await page.locator('section[aria-label="The answer"]').innerText(), /"resultCode": "0000"/)
      await press(page, 'form[action="/docs/processTransaction"] button')
      await page.locator('#try').waitFor()
      assert.notEqual(await page.locator('#try-txnToken').inputValue(), '')
      await press(page, 'button[name="send"]')
      await page.locator('#answer').waitFor()
      assert.match(await page.locator('section[aria-label="The answer"]').innerText(), /TXN_SUCCESS/)
    }))

  test('the doctor’s findings and the answer of a try have no barrier either', () =>
    at('/docs/checksum', async (page, reported) => {
      await page.locator('#sent').fill('{"head":{"signature":"x"},"body":{}}')
      await page.locator('#key').fill('ABCDEFGHIJKLMNOP')
      await page.locator('main button').click()
      await page.locator('[role="alert"]').waitFor()
      assert.deepEqual(await faultsOf(page), [])
      await page.goto(new URL('/docs/orderStatus', page.url()).href)
      await page.locator('button[name="send"]').click()
      await page.locator('#answer').waitFor()
      assert.deepEqual(await faultsOf(page), [])
      assert.deepEqual(reported, [])
    }))

  /** Presses Tab until the element has the focus, and then Enter. */
  async function press(page: Page, selector: string) {
    for (let tabs = 0; tabs < TABS_MAX; tabs++) {
      await page.keyboard.press('Tab')
      if ((await page.locator(`${selector}:focus`).count()) === 1) return page.keyboard.press('Enter')
    }
    assert.fail(`Tab does not reach ${selector}`)
  }
})
