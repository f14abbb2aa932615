// Presses, pages and seconds of a payer until the order is paid, by way to pay: `node bin/run.mjs test/load/presses.ts`. With
// MOHUR_TEST_CHECKOUT=FOLDER it measures another checkout. The line is slow: 400 kbit/s, and 400 ms for an answer. The payer's hands take
// no time, and the payer approves a UPI payment as soon as its code or app is in sight.

import { type BrowserContext, devices, type Page } from 'playwright-core'
import { transactionsOfOrder } from '../../src/tables/keys.ts'
import { chromiumPath, launch, openShop, sentToPay } from '../support/pages/browser.ts'
import { unfold } from '../support/pages/page-hands.ts'
import { browserWays, payerActs } from '../support/pages/page-ways.ts'
import { MID, startService } from '../support/run/service.ts'

if (!chromiumPath) throw new Error('there is no Chromium here: apt-get install chromium-headless-shell, or MOHUR_CHROMIUM')
const ROUNDS = 3
const PAID = '[data-stage="paid"], #told'
const NEXT = '.qr .code, .apps a' // the payer's next step by UPI
const { userAgent, viewport } = devices['Pixel 7']!

const cases = [
  { name: 'UPI, desk', way: 'upi', sees: {} },
  { name: 'UPI, phone', way: 'upi', sees: { userAgent, viewport } },
  { name: 'card', way: 'card', sees: {} },
  { name: 'net banking', way: 'netBanking', sees: {} },
] as const

const [service, shop, browser] = await Promise.all([startService('sqlite'), openShop(), launch()])

async function slowed(context: BrowserContext, page: Page) {
  const line = await context.newCDPSession(page)
  await line.send('Network.enable')
  const rate = 400_000 / 8
  await line.send('Network.emulateNetworkConditions', { offline: false, latency: 400, downloadThroughput: rate, uploadThroughput: rate })
}

async function walked({ way: named, sees }: (typeof cases)[number], orderId: string) {
  const context = await browser.newContext({ locale: 'en-IN', ...sees })
  try {
    const counts = { presses: 0, pages: 0 }
    const seen = { pressedAt: 0, nextAt: 0 }
    await context.exposeBinding('counted', () => {
      counts.presses++
      seen.pressedAt = performance.now()
    })
    await context.exposeBinding('shows', () => {
      seen.nextAt ||= performance.now()
    })
    await context.addInitScript(`addEventListener('click', ({ isTrusted, detail }) => isTrusted && detail > 0 && counted(), true)
      addEventListener('change', ({ target }) => target.localName === 'select' && counted(), true)
      const look = () => document.querySelector(${JSON.stringify(NEXT)})?.checkVisibility() ? shows() : requestAnimationFrame(look)
      look()`)
    const { page } = await sentToPay({ service, shop, context }, orderId)
    await page.waitForLoadState('networkidle')
    await slowed(context, page)
    page.on('request', (request) => request.isNavigationRequest() && request.redirectedFrom() === null && counts.pages++)
    const way = browserWays[named]!
    const began = performance.now()
    const since = () => (performance.now() - began) / 1_000
    for (const step of way.steps)
      if ('unfold' in step) await unfold(page, step.unfold)
      else if ('type' in step) await page.locator(step.type).pressSequentially(String(step.text))
      else if ('choose' in step) await page.locator(step.choose).selectOption({ label: step.label })
      else if ('press' in step) await page.locator(step.press).click()
    if (named === 'upi') {
      await page.locator(NEXT).first().waitFor({ state: 'visible' })
      await payerActs(service, orderId, 'approve')
    } else if (named === 'netBanking') await page.getByRole('button', { name: 'Approve' }).click()
    await page.locator(PAID).first().waitFor()
    const [attempt] = await service.ports.query.rows(transactionsOfOrder(MID, orderId))
    if (attempt?.status !== 'SUCCESS') throw new Error(`${named}: ${attempt?.status}`)
    return { ...counts, nextAt: (seen.nextAt - seen.pressedAt) / 1_000, paidAt: since() }
  } finally {
    await context.close()
  }
}

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!

try {
  for (const each of cases) {
    const walks: Awaited<ReturnType<typeof walked>>[] = []
    for (let round = 0; round < ROUNDS; round++) walks.push(await walked(each, `PRESSES_${each.name.replace(/\W+/g, '_')}_${round}`))
    const of = (name: keyof (typeof walks)[number]) => median(walks.map((walk) => walk[name]))
    const next = each.way === 'upi' ? `, ${of('nextAt').toFixed(2)} s from the press to the code or the apps` : ''
    console.log(`${each.name}: ${of('presses')} presses, ${of('pages')} pages, ${of('paidAt').toFixed(2)} s to the paid order${next}`)
  }
} finally {
  await browser.close()
  await shop.close()
  await service.close()
}
