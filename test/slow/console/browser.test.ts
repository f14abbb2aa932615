// The console in a browser, for people who use a keyboard, a screen reader, a phone, or no script. Also the way from the printed link to
// the first payment.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { BrowserContext, Page } from 'playwright-core'
import { operatorLink } from '../../../src/flows/operator-links.ts'
import { find } from '../../../src/tables/tables.ts'
import { PASSWORD, type Person, personOf } from '../../support/console/desk.ts'
import { axe, chromiumPath, launch, PATIENCE_MS } from '../../support/pages/browser.ts'
import { CARD, createOrder, pay, script } from '../../support/paying/paying.ts'
import { MID, type Service, startService } from '../../support/run/service.ts'

const SIZES = [320, 768, 1280]
const TABS_MAX = 120
/** Faults that the test plants into a page, and must find. */
const FAULTS: Readonly<Record<string, string>> = {
  'image-alt': "document.body.append(document.createElement('img'))",
  label: "document.querySelector('#q').removeAttribute('placeholder'); document.querySelector('#q').labels[0].remove()",
  'button-name': "document.querySelector('button').textContent = ''",
  'html-has-lang': "document.documentElement.removeAttribute('lang')",
  'document-title': "document.title = ''",
  'color-contrast': "document.querySelector('h1').style.color = '#eee'",
  'link-name': "document.querySelector('nav a').textContent = ''",
  'aria-valid-attr': "document.querySelector('#q').setAttribute('aria-labeled', 'x')",
  'meta-viewport': "document.querySelector('meta[name=viewport]').content = 'user-scalable=no'",
  list: "document.querySelector('.line').prepend(document.createElement('div'))",
}

describe('the console in a browser', { timeout: 600_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  const starting = Promise.all([startService('sqlite'), launch()])
  let screens: readonly string[] = []
  let staff: Person
  const filled = starting.then(async ([service]) => {
    staff = await personOf(service, ['admin', 'operations', 'finance'])
    const paid = await createOrder(service, 'SEEN_PAID', { userInfo: { custId: 'CUST_1', mobile: '9876543210' } })
    await pay(service, paid, CARD)
    const failed = await createOrder(service, 'SEEN_FAILED')
    await script(service, failed, 'declined')
    await pay(service, failed, CARD)
    const [transaction] = await service.ports.query.rows(find('transactions', { equals: { mid: MID, orderId: 'SEEN_PAID' }, limit: 1 }))
    const lists = ['orders?state=any', 'payments', 'refunds', 'subscriptions', 'notifications', 'people', 'me', 'step-up']
    const ofOne = [`orders/${MID}/SEEN_FAILED`, `payments/${MID}/${transaction!.txnId}`, 'find?q=nothing', 'payments?from=x', 'nothing']
    screens = ['', ...[...lists, ...ofOne, `people/${staff.operatorId}`].map((path) => `/${path}`)]
    return service
  })
  after(async () => {
    for (const part of (await starting).toReversed()) await part.close()
  })

  async function signedIn(options: object = {}): Promise<{ service: Service; context: BrowserContext; page: Page; reported: string[] }> {
    const [service, [, browser]] = [await filled, await starting]
    const context = await browser.newContext(options)
    context.setDefaultTimeout(PATIENCE_MS)
    await context.addCookies([{ name: 'console', value: staff.cookie, url: `${service.url}/console`, sameSite: 'Strict' }])
    const page = await context.newPage()
    const reported: string[] = []
    page.on('console', (message) => message.type() === 'error' && !/404|422/.test(message.text()) && reported.push(message.text()))
    return { service, context, page, reported }
  }

  for (const width of SIZES)
    for (const colorScheme of ['light', 'dark'] as const)
      test(`each screen at ${width}, ${colorScheme}: no barrier for any user, nothing is cut, nothing breaks the policy`, async (t) => {
        const { service, context, page, reported } = await signedIn({ viewport: { width, height: 700 }, colorScheme })
        for (const path of screens) {
          await page.goto(`${service.url}/console${path}`)
          assert.deepEqual(await axe(page), [], path)
          assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width, `${path} scrolls sideways`)
        }
        assert.deepEqual(reported, [])
        await context.close()
        t.diagnostic(`${screens.length} screens at ${width}, ${colorScheme}: axe 0`)
      })

  test('a fault that is planted into a screen is found', async () => {
    const { service, context, page } = await signedIn({ bypassCSP: true })
    for (const [rule, plant] of Object.entries(FAULTS)) {
      await page.goto(`${service.url}/console/orders/${MID}/SEEN_PAID`)
      await page.evaluate(plant)
      assert.ok(
        (await axe(page)).some((found) => found.startsWith(rule)),
        `${rule} is found`,
      )
    }
    await context.close()
  })

  test('by the keyboard alone, without script, a payment is found and its payer shown', async () => {
    const { service, context, page } = await signedIn({ javaScriptEnabled: false })
    await page.goto(`${service.url}/console`)
    const to = async (isIt: (name: string) => boolean) => {
      for (let tab = 0; tab < TABS_MAX; tab++) {
        await page.keyboard.press('Tab')
        const name = await page.locator(':focus').evaluate((element) => `${element.id} ${element.textContent}`)
        if (isIt(name)) return
      }
      assert.fail('no tab leads there')
    }
    await to((name) => name.startsWith('q '))
    await page.keyboard.type('SEEN_PAID')
    await page.keyboard.press('Enter')
    await page.waitForURL(/orders\/.*SEEN_PAID/)
    await to((name) => name.includes('Show the payer'))
    await page.keyboard.press('Enter')
    await page.getByText('9876543210').waitFor()
    await context.close()
  })

  test('from the printed link to the first payment: by what the page says alone', async (t) => {
    const [service, [, browser]] = [await filled, await starting]
    const person = { email: 'first@staff.test', name: 'First', roles: ['support'] as const, mids: null }
    const made = await operatorLink(service.ports, { kind: 'SETUP', person, by: { operatorId: 'shell', network: '' } })
    assert.ok('link' in made)
    const page = await browser.newPage()
    const began = performance.now()
    await page.goto(`${service.url}/console/set-up/${made.link}`)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button').click()
    await page.getByRole('searchbox').fill('SEEN_PAID')
    await page.getByRole('button', { name: 'Find' }).click()
    await page.getByRole('heading', { name: /₹100.00/ }).waitFor()
    t.diagnostic(`the first payment is found after 2 presses and 2 texts, ${((performance.now() - began) / 1_000).toFixed(1)} s`)
    await page.close()
  })
})
