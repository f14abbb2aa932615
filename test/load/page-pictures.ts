// Draws docs/pictures anew from a running page: `node bin/run.mjs test/load/page-pictures.ts [NAME…]`. A picture has at most 100 KB.

import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { find } from '../../src/tables/tables.ts'
import { personOf } from '../support/console/desk.ts'
import { moveTo } from '../support/mandates/timeline.ts'
import { addressOf, chromiumPath, launch } from '../support/pages/browser.ts'
import { codeFrom, linkOf, walletMandate } from '../support/pages/mandate-page.ts'
import { byPointer, unfold } from '../support/pages/page-hands.ts'
import { ANDROID } from '../support/pages/page-middles.ts'
import { cardSteps, TYPED_CARD } from '../support/pages/page-ways.ts'
import { CARD, createOrder, pay, script } from '../support/paying/paying.ts'
import { refund } from '../support/paying/refunds.ts'
import { MID, type Service, startService } from '../support/run/service.ts'

const BYTES_MAX = 100 * 1024 // of one picture
const folder = resolve(import.meta.dirname, '../../docs/pictures')

interface Picture {
  view: BrowserContextOptions
  /** The first address, when it is not an order's page. */
  at?(service: Service): Promise<string>
  reach(page: Page, service: Service): Promise<unknown>
}

const PAYER = '9816000001'
/** The page of a wallet's mandate, the day before a debit above the limit. */
const mandate: Pick<Picture, 'at' | 'reach'> = {
  async at(service) {
    const orderId = `MANDATE_${service.clock.now()}`
    const agreed = await walletMandate(service, orderId, PAYER, 2026)
    const link = await linkOf(service, agreed)
    await moveTo(service, '2026-12-04 12:00:00')
    return `${service.url}${link}`
  },
  async reach(page, service) {
    const { otp } = await codeFrom(service, PAYER, async () => {
      await page.locator('form[action$="/code"] button').click()
      await page.locator('#code-code').waitFor()
    })
    await page.locator('#code-code').fill(otp)
    await page.locator('form:has(#code-code) button').click()
    await page.locator('[data-stage="mandate-open"]').waitFor()
  },
}

/** An order of the demo shop, after the payer has come back. */
const shop: Pick<Picture, 'at' | 'reach'> = {
  at: async (service) => `${service.url}/sandbox/shop`,
  async reach(page) {
    await page.getByRole('button', { name: 'on the payment page' }).click()
    await byPointer(page, [{ unfold: 'card' }, ...cardSteps('card'), { press: '#way-card form[data-pays] button' }])
    await page.getByText('TXN_SUCCESS (01)').waitFor()
  },
}

/** The console as a member of the staff sees it, on a day of the shop. */
const desk = (path: string): Pick<Picture, 'at' | 'reach'> => ({
  at: async (service) => service.url,
  async reach(page, service) {
    await shopDay(service)
    const { cookie } = await personOf(service, ['admin', 'operations'])
    await page.context().addCookies([{ name: 'console', value: cookie, url: `${service.url}/console`, sameSite: 'Strict' }])
    await page.goto(`${service.url}/console${path}`)
  },
})
let isDayOver = false
async function shopDay(service: Service) {
  if (isDayOver) return
  isDayOver = true
  const outcomes = ['success', 'success', 'declined', 'success', 'pending', 'success', 'insufficient', 'success']
  for (const [nth, outcome] of outcomes.entries()) {
    service.clock.advance(37 * 60_000)
    const userInfo = { custId: `CUST_${104 + nth}`, mobile: `98160010${10 + nth}` }
    const order = await createOrder(service, `TEA_${20_410 + nth}`, {
      userInfo,
      txnAmount: { value: `${249 * (1 + (nth % 3))}.00`, currency: 'INR' },
    })
    await script(service, order, outcome)
    await pay(service, order, nth % 2 === 0 ? CARD : { paymentMode: 'NET_BANKING', channelCode: 'HDFC' })
    await service.tasks.runDue()
  }
  const [paid] = await service.ports.query.rows(find('transactions', { equals: { mid: MID, orderId: 'TEA_20411' }, limit: 1 }))
  await refund(service, { orderId: 'TEA_20411', txnId: paid!.txnId }, 'REFUND_1', '100.00')
  service.clock.advance(60_000)
  await service.tasks.runDue()
}

const WIDE = { viewport: { width: 1120, height: 820 } }
const PHONE = { viewport: { width: 360, height: 720 }, userAgent: ANDROID }
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
  'upi-phone': {
    view: { ...PHONE, colorScheme: 'light' },
    async reach(page) {
      await (await unfold(page, 'upi')).locator('form button').first().click()
      await page.locator('.apps a').first().waitFor()
    },
  },
  'shop-wide': {
    view: { ...WIDE, viewport: { width: 720, height: 820 }, colorScheme: 'light' },
    at: async (service) => `${service.url}/sandbox/shop`,
    reach: async () => undefined,
  },
  'shop-phone': { view: { viewport: { width: 400, height: 820 }, colorScheme: 'light' }, ...shop },
  'drawer-phone': {
    view: { viewport: { width: 360, height: 1_080 }, colorScheme: 'light' },
    async reach(page) {
      await byPointer(page, [
        { unfold: 'card' },
        ...cardSteps('card', { number: TYPED_CARD.otpNumber }),
        { press: '#way-card form[data-pays] button' },
      ])
      await page.locator('[data-stage="otp"]').waitFor()
      await page.locator('aside summary').click()
    },
  },
  'console-order': { view: { viewport: { width: 960, height: 620 }, colorScheme: 'light' }, ...desk(`/orders/${MID}/TEA_20411`) },
  'console-payments': { view: { ...WIDE, viewport: { width: 1000, height: 620 }, colorScheme: 'light' }, ...desk('/payments') },
  'console-phone': { view: { ...PHONE, colorScheme: 'dark' }, ...desk('/payments') },
  'mandate-phone': { view: { viewport: { width: 360, height: 900 }, colorScheme: 'light' }, ...mandate },
}

if (!chromiumPath) throw new Error('there is no Chromium here: apt-get install chromium-headless-shell, or MOHUR_CHROMIUM')
const named = process.argv.slice(2)
mkdirSync(folder, { recursive: true })
const [service, browser] = await Promise.all([startService('sqlite'), launch()])
for (const [name, { view, at, reach }] of Object.entries(pictures)) {
  if (named.length > 0 && !named.includes(name)) continue
  const address = await at?.(service)
  const order = await createOrder(service, `ORDER_${name.toUpperCase().replaceAll('-', '_')}`, {
    txnAmount: { value: '1499.00', currency: 'INR' },
    simplifiedPaymentOffers: { applyAvailablePromo: true },
  })
  const context = await browser.newContext({ locale: 'en-IN', reducedMotion: 'reduce', ...view }) // no motion is caught halfway
  const page = await context.newPage()
  await page.goto(address ?? addressOf(service, order))
  await reach(page, service)
  if (!name.startsWith('drawer')) await page.evaluate('document.querySelector("aside.drawer")?.remove()') // as a shop's customer sees it
  const picture = await page.screenshot()
  assert.ok(picture.length <= BYTES_MAX, `${name} has ${picture.length} bytes`)
  writeFileSync(join(folder, `${name}.png`), picture)
  console.log(`${name}.png ${picture.length} bytes`)
  await context.close()
}
await browser.close()
await service.close()
