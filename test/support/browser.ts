// A real browser in front of the payment page, and the shop that its payers come back to.

import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { joinedValues, verify } from '../../src/interface/checksum.ts'
import { pagePaths } from '../../src/interface/operations.ts'
import { createOrder, type Order } from './paying.ts'
import { KEY, MID, type Service } from './service.ts'

const PLACES = [process.env['MOHUR_CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
export const chromiumPath = PLACES.find((place) => place !== undefined && existsSync(place))
/** CI says that a machine without a browser is a failure. */
export const isBrowserRequired = process.env['MOHUR_BROWSER'] === 'required'

export const launch = (): Promise<Browser> => chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox', '--disable-gpu'] })

/** A shop's own site: it starts payments by a form, takes the callback, and keeps what it got. */
export interface Shop {
  url: string
  callbackUrl: string
  /** A page of the shop's at `/start/<name>`. */
  shows(name: string, html: string): string
  /** By the order, what came, once its signature was verified. */
  callbacks: Map<string, Record<string, string>>
  close(): Promise<void>
}

export async function openShop(): Promise<Shop> {
  const callbacks: Shop['callbacks'] = new Map()
  const starts = new Map<string, string>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      response.setHeader('content-type', 'text/html')
      if (request.url?.startsWith('/start/')) return response.end(starts.get(request.url) ?? '')
      const { CHECKSUMHASH, ...fields } = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()))
      const isTrue = request.method === 'POST' && verify(joinedValues(fields), CHECKSUMHASH, KEY)
      if (isTrue) callbacks.set(fields['ORDERID']!, fields)
      response.end(`<!doctype html><title>shop</title><p id="told">${isTrue ? fields['STATUS'] : 'not verified'}</p>`)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    callbackUrl: `${url}/callback`,
    callbacks,
    shows(name, html) {
      starts.set(`/start/${name}`, html)
      return `${url}/start/${name}`
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** An order, and the browser on the page that a shop's form has sent it to. */
export async function sentToPay(
  { service, shop, context }: { service: Service; shop: Shop; context: BrowserContext },
  orderId: string,
  more: object = {},
): Promise<{ order: Order; page: Page }> {
  const order = await createOrder(service, orderId, { callbackUrl: shop.callbackUrl, ...more })
  context.setDefaultTimeout(PATIENCE_MS)
  const page = await context.newPage()
  await page.goto(addressOf(service, order))
  return { order, page }
}
export const addressOf = (service: Service, { orderId, txnToken }: Order) =>
  `${service.url}${pagePaths.showPaymentPage}?${new URLSearchParams({ mid: MID, orderId, txnToken })}`

// ------------------------------------------------------------------------------------------------------------ paying

/** What is only slow on a busy machine is no failure. */
const PATIENCE_MS = 120_000

const CARD = { number: '4111111111111111', expiry: '1232', cvv: '123' }

export async function typeCard(page: View, panel: string, card: Partial<typeof CARD> = {}) {
  const { number, expiry, cvv } = { ...CARD, ...card }
  await page.locator(`#${panel}-cardNumber`).fill(number)
  await page.locator(`#${panel}-expiry`).fill(expiry.replace(/^(..)/, '$1/'))
  await page.locator(`#${panel}-cvv`).fill(cvv)
}

/** Opens a panel that is not open, by its summary. */
export async function unfold(page: View, panel: string) {
  const way = page.locator(`#way-${panel}`)
  if ((await way.getAttribute('open')) === null) await way.locator('summary').first().click()
  return way
}

const payerActs = (service: Service, orderId: string, action: 'approve' | 'decline') =>
  service.post('/sandbox/payer', JSON.stringify({ mid: MID, orderId, action }))

/** What shows the payment page: a page, or a frame of the shop's. */
export type View = Pick<Page, 'locator' | 'getByRole' | 'getByText' | 'url' | 'goto'>

export interface Paying {
  service: Service
  page: View
  /** The window, where the page is in a frame of it: a bank's page takes it. */
  top?: Page
  orderId: string
  /** Without script the payer goes to the bank by himself. */
  hasScript: boolean
}
export interface BrowserWay {
  more?: object
  /** A step of its own before anything can be paid; `begin` takes it where nobody has. */
  ready?(paying: Paying): Promise<void>
  /** To where the bank, or nobody, decides. */
  begin(paying: Paying): Promise<void>
  /** What the payer does then; absent where the bank decides alone. */
  decide?(paying: Paying, action: 'approve' | 'decline'): Promise<void>
}

const press = async (page: View, panel: string, which = 0) =>
  (await unfold(page, panel)).locator('form[data-pays] button').nth(which).click()

/** The page would go on by itself within seconds; the button is quicker. */
const inApp: BrowserWay['decide'] = async ({ service, page, orderId }, action) => {
  await page.locator('[data-stage="upi"]').waitFor()
  await payerActs(service, orderId, action)
  await page.locator('form[action$="/check"] button').click()
}
/** With script the bank's page comes by itself. */
const atBank: BrowserWay['decide'] = async ({ page, top, hasScript }, action) => {
  if (!hasScript) await page.locator('form[data-goes] button').click()
  // From within a frame a browser may want a press of its own.
  if (hasScript && top)
    await page
      .locator('form[data-goes] button')
      .click({ timeout: 5_000 })
      .catch(() => undefined)
  await (top ?? page).getByRole('button', { name: action === 'approve' ? 'Approve' : 'Decline' }).click()
}

/** Without script the plans of a bank are a page of their own. */
async function chooseEmiBank({ page }: Pick<Paying, 'page'>) {
  await unfold(page, 'emi')
  const bank = page.locator('#emi-emi')
  if ((await bank.count()) === 0) return
  await bank.selectOption('HDFC')
  await page.locator('#way-emi form[method="get"] button').click()
  await page.locator('#way-emi input[name="plan"]').first().waitFor()
}

export const browserWays: Readonly<Record<string, BrowserWay>> = {
  card: {
    async begin({ page }) {
      await unfold(page, 'card')
      await typeCard(page, 'card')
      await press(page, 'card')
    },
  },
  upi: { begin: ({ page }) => press(page, 'upi'), decide: inApp },
  upiId: {
    async begin({ page }) {
      await unfold(page, 'upi')
      await page.locator('#upi-upiId').fill('payer@upi')
      await press(page, 'upi', 1)
    },
  },
  netBanking: {
    async begin({ page }) {
      await unfold(page, 'bank')
      await page.locator('#bank-bank').selectOption('HDFC')
      await press(page, 'bank')
    },
    decide: atBank,
  },
  emi: {
    more: { txnAmount: { value: '5000.00', currency: 'INR' } },
    ready: chooseEmiBank,
    async begin({ page }) {
      await chooseEmiBank({ page })
      await page.locator('#way-emi input[name="plan"]').first().check()
      await typeCard(page, 'emi')
      await press(page, 'emi')
    },
  },
  ppbl: { begin: ({ page }) => press(page, 'ppbl') },
  postpaid: { begin: ({ page }) => press(page, 'postpaid') },
}

// --------------------------------------------------------------------------------------------------------------- axe

const require = createRequire(import.meta.url)
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** What of WCAG 2.2 AA a program can find: rule and element, none when all is well. */
export async function axe(page: Page): Promise<string[]> {
  await page.evaluate(axeSource)
  return page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, resultTypes: ['violations'] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`)
}
