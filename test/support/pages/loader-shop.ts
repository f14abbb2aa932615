// A shop's own web page that opens the payment page by the browser loader, and keeps what it learns: docs/pages.md, "The browser loader".

import type { BrowserContext, Frame, Page } from 'playwright-core'
import { pagePaths } from '../../../src/interface/page-paths.ts'
import type { Order } from '../paying/paying.ts'
import { MID, type Service } from '../run/service.ts'
import { PATIENCE_MS, type Shop } from './browser.ts'

export interface ShopPage {
  /** What else its document holds. */
  html?: string
  /** Members of `config` beside the order's; `handler` is made by the page. */
  config?: object
  redirect?: boolean | undefined
  /** Which handlers the page gives; what a handler does beside being noted. */
  handlers?: Readonly<Partial<Record<'transactionStatus' | 'notifyMerchant', string>>>
  headers?: Record<string, string>
}

/** What the shop's page heard: the name of the handler, and what it was given. */
export type Heard = readonly [name: string, ...given: unknown[]]

export interface Opened {
  top: Page
  heard: Heard[]
  /** Until so many of a name were heard. */
  hears(name: string, times?: number): Promise<Heard>
  /** The payment page, or the shop's page where there is none. */
  view(): Frame | Page
}

export const scriptOf = (service: Pick<Service, 'url'>, mid = MID) => `${service.url}${pagePaths.checkoutScript.replace(':mid', mid)}.js`

export const configOf = ({ orderId, txnToken }: Order, { redirect, config = {} }: ShopPage = {}) => ({
  data: { orderId, token: txnToken, tokenType: 'TXN_TOKEN', amount: '100.00' },
  ...(redirect !== undefined && { merchant: { redirect } }),
  ...config,
})

/** The shop's document: `config` is there to be used, and a button that opens the page. */
export function documentOf(service: Pick<Service, 'url'>, order: Order, of: ShopPage = {}): string {
  const handlers = Object.entries(of.handlers ?? {}).map(
    ([name, more]) => `${name}: (...given) => { heard('${name}', ...given); ${more} },`,
  )
  return `<!doctype html><title>shop</title><script src="${scriptOf(service)}" crossorigin="anonymous"></script>
<button id="go">Pay</button>${of.html ?? ''}
<script>
const config = ${JSON.stringify(configOf(order, of)).replaceAll('<', '\\u003c')}
${handlers.length > 0 ? `config.handler = { ${handlers.join('\n')} }` : ''}
const { CheckoutJS } = Paytm
const pay = () => CheckoutJS.init(config).then(() => CheckoutJS.invoke()).then(() => heard('opened'), (error) => heard('refused', error.message))
document.querySelector('#go').onclick = () => CheckoutJS.onLoad(pay)
</script>`
}

/** The browser on a document of the shop's, which reports by `heard`. */
export async function onShopPage(context: BrowserContext, address: string): Promise<Opened> {
  context.setDefaultTimeout(PATIENCE_MS)
  const top = await context.newPage()
  const heard: Heard[] = []
  const waiting = new Set<() => void>()
  await top.exposeFunction('heard', (...said: unknown[]) => {
    heard.push(said as unknown as Heard)
    for (const each of waiting) each()
  })
  await top.goto(address)
  return {
    top,
    heard,
    hears: (name, times = 1) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          waiting.delete(look)
          reject(new Error(`the shop's page heard ${JSON.stringify(heard.map(([first]) => first))} and not ${name}`))
        }, PATIENCE_MS)
        timer.unref() // a test that has failed elsewhere is not waited for
        const look = () => {
          const found = heard.filter(([each]) => each === name)
          if (found.length < times) return
          waiting.delete(look)
          clearTimeout(timer)
          resolve(found.at(-1)!)
        }
        waiting.add(look)
        look()
      }),
    view: () => top.frames().find((each) => each !== top.mainFrame() && each.url().includes('/pay/')) ?? top,
  }
}

/** The payment page open, by a press of the shop's own button. */
export async function openedByLoader(
  { service, shop, context }: { service: Service; shop: Shop; context: BrowserContext },
  order: Order,
  of: ShopPage = {},
): Promise<Opened> {
  const opened = await onShopPage(context, shop.shows(order.orderId, documentOf(service, order, of), of.headers))
  await opened.top.locator('#go').click()
  await opened.hears('opened')
  return opened
}

/** After what the loader does by itself 100 ms after a result: its timer was set before this one. */
export const afterLoader = (page: Page) => page.evaluate('new Promise((resolve) => setTimeout(resolve, 150))')
