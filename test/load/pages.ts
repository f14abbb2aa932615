// The whole product of cases of the payment page in a real browser: way x end x script x frame, WCAG in every language, scheme and width,
// hostile names, sizes and times; its figures, and exit 1 when something is not as it must be. `npm run pages`; 15 minutes at most.

import assert from 'node:assert/strict'
import { gzipSync } from 'node:zlib'
import type { BrowserContext, Frame, Page } from 'playwright-core'
import { pagePaths } from '../../src/interface/operations.ts'
import { languages } from '../../src/pages/messages/messages.ts'
import { transactionsOfOrder } from '../../src/tables.ts'
import {
  addressOf,
  axe,
  browserWays,
  chromiumPath,
  launch,
  openShop,
  type Paying,
  typeCard,
  unfold,
  type View,
} from '../support/browser.ts'
import { bankJournal, createOrder, type Order, script } from '../support/paying.ts'
import { MID, startService } from '../support/service.ts'

const LIMIT_MS = 15 * 60_000
const ENDS = ['pays', 'fails then pays', 'leaves', 'time over'] as const
const [SCRIPTS, FRAMES] = [
  [true, false],
  [false, true],
] as const
const BUTTON_MS = 5_000 // for a browser that lets a frame lead its window away at once

if (!chromiumPath) throw new Error('there is no Chromium here: apt-get install chromium, or MOHUR_CHROMIUM')
const started = performance.now()
const [service, shop, browser] = await Promise.all([startService('sqlite'), openShop(), launch()])
const failures: string[] = []
const attempt = async (what: string, work: () => Promise<void>) => {
  try {
    assert.ok(performance.now() - started < LIMIT_MS, 'fifteen minutes are over')
    await work()
  } catch (error) {
    failures.push(`${what}: ${String((error as Error).message).split('\n')[0]}`)
  }
}

async function captures(orderId: string): Promise<number> {
  const attempts = await service.edge.query.rows(transactionsOfOrder(MID, orderId))
  const keys = new Set(attempts.map(({ txnId }) => `${MID}:${txnId}`))
  return (await bankJournal(service)).filter(({ kind, key, outcome }) => kind === 'authorize' && outcome === 'success' && keys.has(key))
    .length
}

/** In the window itself, or in a frame of the shop's page that a form of the shop's fills. */
async function opened(context: BrowserContext, order: Order, isFramed: boolean): Promise<{ top: Page; view(): View }> {
  context.setDefaultTimeout(60_000)
  const top = await context.newPage()
  if (!isFramed) {
    await top.goto(addressOf(service, order))
    return { top, view: () => top }
  }
  const fields = { mid: MID, orderId: order.orderId, txnToken: order.txnToken, origin: shop.url }
  const inputs = Object.entries(fields).map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`)
  const form = `<form method="post" target="pay" action="${service.url}${pagePaths.showPaymentPage}">${inputs.join('')}<button>Pay</button></form>`
  await top.goto(shop.shows(order.orderId, `<!doctype html>${form}<iframe name="pay" width="700" height="900"></iframe>`))
  await top.locator('button').click()
  await top.frameLocator('iframe').locator('main').waitFor()
  const frame = (): Frame | undefined => top.frames().find((each) => each !== top.mainFrame() && each.url().includes('/pay/'))
  return { top, view: () => frame() ?? top }
}

async function run(name: string, end: (typeof ENDS)[number], hasScript: boolean, isFramed: boolean, orderId: string) {
  const { more, ready, begin, decide } = browserWays[name]!
  const context = await browser.newContext({ javaScriptEnabled: hasScript, viewport: { width: 1280, height: 900 }, locale: 'en-IN' })
  try {
    const order = await createOrder(service, orderId, { callbackUrl: shop.callbackUrl, ...more })
    const { top, view } = await opened(context, order, isFramed)
    const paying = (): Paying => ({ service, page: view(), orderId, hasScript, ...(isFramed && { top }) })
    const toShop = async () => {
      const button = view().locator('form[action*="/callback"] button')
      if (!hasScript || isFramed || end === 'time over')
        await button.click({ timeout: hasScript ? BUTTON_MS : 60_000 }).catch(() => undefined)
      await top.locator('#told').waitFor()
      return shop.callbacks.get(orderId)
    }
    if (end === 'leaves') {
      await unfold(view(), { netBanking: 'bank', upiId: 'upi' }[name] ?? name)
      await view().locator('.foot a').click()
      await view().locator('form[action$="/leave"] button').click()
      await view()
        .locator('[data-stage="closed"]')
        .waitFor({ timeout: BUTTON_MS })
        .catch(() => undefined)
      assert.equal((await toShop())?.['RESPCODE'], '141')
      assert.equal(await captures(orderId), 0)
      return
    }
    if (end === 'time over') {
      await ready?.(paying())
      service.clock.advance(15 * 60_000)
      await begin(paying())
      await view().locator('[data-stage="over"]').waitFor()
      assert.equal((await toShop())?.['STATUS'], 'PENDING')
      assert.equal(await captures(orderId), 0)
      return
    }
    if (end === 'fails then pays') {
      if (!decide) await script(service, order, 'declined')
      await begin(paying())
      await decide?.(paying(), 'decline')
      await view().getByRole('alert').getByText('Nothing was taken').waitFor()
    }
    await begin(paying())
    await decide?.(paying(), 'approve')
    await view()
      .locator('[data-stage="paid"]')
      .waitFor({ timeout: BUTTON_MS })
      .catch(() => undefined)
    assert.equal((await toShop())?.['STATUS'], 'TXN_SUCCESS')
    assert.equal(await captures(orderId), 1)
  } finally {
    await context.close()
  }
}

/** Every state in every language, scheme and width. */
const states: Record<string, (page: Page, order: Order) => Promise<unknown>> = {
  choices: (page) => unfold(page, 'card'),
  fault: async (page) => {
    await unfold(page, 'card')
    await typeCard(page, 'card', { number: '4111111111111112' })
    await page.locator('#way-card form button').click()
    await page.locator('[aria-invalid]').waitFor()
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
  unknown: async (page, order) => {
    await script(service, order, 'timeout')
    await unfold(page, 'card')
    await typeCard(page, 'card')
    await page.locator('#way-card form button').click()
    await page.locator('[data-stage="waiting"]').waitFor()
  },
  leaving: (page) => page.goto(`${page.url()}?leave=1`),
  emi: (page) => page.goto(`${page.url()}?emi=HDFC`),
}
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
/** WCAG 2.2, criterion 1.4.12, and text at 200 %. */
const SPACED = `(() => { const sheet = new CSSStyleSheet(); sheet.replaceSync('html{font-size:200%}*{line-height:1.5!important;letter-spacing:.12em!important;word-spacing:.16em!important}p{margin-bottom:2em!important}'); document.adoptedStyleSheets = [sheet] })()`

let views = 0
let clock = 0
const cases = { run: 0, of: Object.keys(browserWays).length * ENDS.length * SCRIPTS.length * FRAMES.length }
for (const name of Object.keys(browserWays))
  for (const end of ENDS)
    for (const hasScript of SCRIPTS)
      for (const isFramed of FRAMES) {
        const orderId = `P${++clock}`
        cases.run++
        await attempt(`${name}, ${end}, ${hasScript ? 'script' : 'no script'}, ${isFramed ? 'framed' : 'full'}`, () =>
          run(name, end, hasScript, isFramed, orderId),
        )
      }
const productMs = performance.now() - started

for (const [state, reach] of Object.entries(states))
  for (const language of Object.keys(languages))
    await attempt(`axe ${state} ${language}`, async () => {
      const order = await createOrder(service, `A${++clock}`, {
        callbackUrl: shop.callbackUrl,
        txnAmount: { value: '5000.00', currency: 'INR' },
      })
      const context = await browser.newContext({ locale: `${language}-IN` })
      try {
        const page = await context.newPage()
        await page.goto(addressOf(service, order))
        await reach(page, order)
        for (const colorScheme of ['light', 'dark'] as const)
          for (const width of [320, 1280]) {
            views++
            await page.emulateMedia({ colorScheme })
            await page.setViewportSize({ width, height: 800 })
            assert.deepEqual(await axe(page), [], `${colorScheme} ${width}`)
            assert.equal(await page.evaluate(OVERFLOW), 0, `${colorScheme}: wider than ${width}`)
          }
        await page.evaluate(SPACED)
        assert.equal(await page.evaluate(OVERFLOW), 0, 'with text at 200 % and spaced something is cut')
      } finally {
        await context.close()
      }
    })

const HOSTILE = [
  '<script>document.title="ran"</script>',
  '"><img src=x onerror="document.title=\'ran\'">',
  '</title><svg onload="document.title=\'ran\'">',
  "' autofocus onfocus='document.title=\"ran\"' x='",
  '\u202e<b>',
  '&lt;script&gt;',
]
let hostilePages = 0
await attempt('hostile names', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  for (let at = 0; at < 50; at++) {
    const name = `${HOSTILE[at % HOSTILE.length]}${at}`
    const told = await fetch(`${service.url}/sandbox/world`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ merchants: [{ mid: MID, name }] }),
    })
    assert.equal(told.status, 200)
    const order = await createOrder(service, `H${++clock}`, { callbackUrl: `${shop.callbackUrl}?${encodeURIComponent(name)}` })
    await page.goto(addressOf(service, order))
    await page.locator('#way-upi').waitFor()
    assert.match(await page.title(), /^Pay /)
    assert.equal(await page.locator('.shop b').innerText(), name.replace('\u202e', '\u202e'))
    hostilePages++
  }
  assert.match(await (await fetch(`${service.url}/metrics`)).text(), /mohur_page_reports_total 0/)
  await context.close()
})

/** First view on a slow line: until a control answers a key. */
const times: number[] = []
let bytes: number[] = []
for (let at = 0; at < 3; at++)
  await attempt('first view', async () => {
    const order = await createOrder(service, `F${++clock}`, { callbackUrl: shop.callbackUrl })
    const context = await browser.newContext()
    const page = await context.newPage()
    const line = await context.newCDPSession(page)
    await line.send('Network.enable')
    await line.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 400,
      downloadThroughput: 400_000 / 8,
      uploadThroughput: 400_000 / 8,
    })
    const bodies: Promise<Buffer>[] = []
    page.on('response', (response) => {
      if (response.ok() && response.url().startsWith('http')) bodies.push(response.body())
    })
    const began = performance.now()
    await page.goto(addressOf(service, order), { waitUntil: 'commit' })
    await page.locator('#way-upi summary').waitFor()
    await page.locator('#way-card summary').press('Enter')
    await page.locator('#card-cardNumber').waitFor()
    times.push(performance.now() - began)
    await page.waitForLoadState('load')
    bytes = (await Promise.all(bodies)).map((body) => gzipSync(body, { level: 9 }).length)
    await context.close()
  })

await browser.close()
await shop.close()
await service.close()
const median = times.toSorted((a, b) => a - b)[1] ?? Number.NaN
const weight = bytes.reduce((sum, each) => sum + each, 0)
if (cases.run !== cases.of || cases.of !== 112) failures.push(`${cases.run} of ${cases.of} cases were run`)
if (!(median <= 3_000)) failures.push(`the first view takes ${Math.round(median)} ms`)
if (bytes.length !== 3 || weight > 30 * 1024) failures.push(`the first view is ${bytes.length} requests, ${weight} bytes`)
console.log(`way x end x script x frame: ${cases.run} of ${cases.of} cases in ${Math.round(productMs / 1_000)} s
axe (WCAG 2.2 AA): ${views} views of ${Object.keys(states).length} states
hostile names: ${hostilePages} pages
first view: ${bytes.length} requests, ${weight} bytes (gzip -9); a control answers after ${Math.round(median)} ms at 400 kbit/s and 400 ms (median of three)
${failures.length} failures, ${Math.round((performance.now() - started) / 1_000)} s in all`)
for (const failure of failures) console.error(`  ${failure}`)
process.exitCode = failures.length > 0 ? 1 : 0
