// A real browser for the payment page, and the shop that its payers return to.

import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { joinedValues, verify } from '../../../src/interface/checksum.ts'
import { pagePaths } from '../../../src/interface/page-paths.ts'
import { createOrder, type Order } from '../paying/paying.ts'
import { KEY, MID, type Service } from '../run/service.ts'

const WHOLE = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const firstOf = (places: readonly string[]) =>
  [process.env['MOHUR_CHROMIUM'], ...places].find((place) => place !== undefined && existsSync(place))
/** The headless shell where the machine has it: the same engine without a browser's windows (docs/decisions/0030). */
export const chromiumPath = firstOf(['/usr/bin/chromium-headless-shell', ...WHOLE])
/** A browser that can keep pages which its payer has left, and leaves them as payers' browsers do. */
export const wholeChromiumPath = firstOf(WHOLE)
/** CI sets this, so that a machine without a browser fails. */
export const isBrowserRequired = process.env['MOHUR_BROWSER'] === 'required'

export const CHROMIUM_ARGS = ['--no-sandbox', '--disable-gpu']
export const launch = (args: readonly string[] = []): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath!, args: [...CHROMIUM_ARGS, ...args] })
export const launchWhole = (): Promise<Browser> => chromium.launch({ executablePath: wholeChromiumPath!, args: CHROMIUM_ARGS })

/** A shop's own site. It starts payments by a form, takes callbacks and keeps them. */
export interface Shop {
  url: string
  callbackUrl: string
  /** Serves a page of the shop at `/start/<name>`, with its own headers. */
  shows(name: string, html: string, headers?: Readonly<Record<string, string>>): string
  /** By order, each callback whose signature was verified. */
  callbacks: Map<string, Record<string, string>>
  close(): Promise<void>
}

/** `packages` is a folder of npm packages. The shop serves its files at `/packages/`, where its modules import them. */
export async function openShop({ packages }: { packages?: string } = {}): Promise<Shop> {
  const callbacks: Shop['callbacks'] = new Map()
  const starts = new Map<string, { html: string; headers: Readonly<Record<string, string>> }>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      response.setHeader('content-type', 'text/html')
      if (request.url?.startsWith('/start/')) {
        const { html = '', headers = {} } = starts.get(request.url) ?? {}
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
        return response.end(html)
      }
      if (packages && request.url?.startsWith('/packages/')) {
        const named = join(packages, request.url.slice('/packages/'.length))
        const file = [named, `${named}.js`, join(named, 'index.js')].find((each) => statSync(each, { throwIfNoEntry: false })?.isFile())
        response.setHeader('content-type', 'text/javascript')
        return file ? response.end(readFileSync(file)) : response.writeHead(404).end()
      }
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
    shows(name, html, headers = {}) {
      starts.set(`/start/${name}`, { html, headers })
      return `${url}/start/${name}`
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** A busy machine is slow, and slowness alone is no failure. */
export const PATIENCE_MS = 120_000

/** An order, and the browser on the page to which a shop's form has sent it. */
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

// --------------------------------------------------------------------------------------------------------------- axe

const require = createRequire(import.meta.url)
const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Failures of WCAG 2.2 AA that a program can find, or of some of its rules: rule and element. Empty when all is well. */
export async function axe(page: Pick<Page, 'evaluate'>, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(axeSource)
  return page.evaluate(`axe.run(document, { runOnly: ${JSON.stringify(rules ?? TAGS)}, resultTypes: ['violations'] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ': ' + target.join(' '))))`)
}

/**
 * Whether an expression becomes true in time, tested in every drawn frame. The browser's own wait compiles text in the page, which Mohur's
 * policy forbids. If the page navigates meanwhile, the new page is asked.
 */
export async function becomes(page: Page, expression: string, withinMs = PATIENCE_MS): Promise<boolean> {
  const asked = `new Promise((answer) => {
    const until = performance.now() + ${withinMs}
    const look = () => ((${expression}) ? answer(true) : performance.now() > until ? answer(false) : requestAnimationFrame(look))
    look()
  })`
  return page.evaluate<boolean>(asked).catch(() => page.waitForLoadState().then(() => page.evaluate<boolean>(asked)))
}
