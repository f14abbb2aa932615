// A shop's own web page that opens the payment page by the browser loader, and notes every event: docs/pages.md, "The browser loader".

import type { BrowserContext, Frame, Page } from 'playwright-core'
import { pagePaths } from '../../../src/interface/page-paths.ts'
import type { Order } from '../paying/paying.ts'
import { MID, type Service } from '../run/service.ts'
import { PATIENCE_MS, type Shop } from './browser.ts'

export interface ShopPage {
  html?: string
  /** Members of `config` beside the order's. The page makes `handler` itself. */
  config?: object
  redirect?: boolean | undefined
  /** The handlers that the page passes, each with script to run after it has noted the call. */
  handlers?: Readonly<Partial<Record<'transactionStatus' | 'notifyMerchant', string>>>
  headers?: Record<string, string>
}

/** An event at the shop's page: the handler's name, and its arguments. */
export type Heard = readonly [name: string, ...given: unknown[]]

export interface Opened {
  top: Page
  heard: Heard[]
  /** Waits until a handler was called `times` times. */
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

/** The shop's document. Scripts of a test may use its `config`, and its button opens the page. */
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

/** Opens a document of the shop's, which reports by `heard`. */
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
        timer.unref() // a test that has failed elsewhere must not wait for it
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

/** Waits past the loader's own work 100 ms after a result, whose timer was set before this one. */
export const afterLoader = (page: Page) => page.evaluate('new Promise((resolve) => setTimeout(resolve, 150))')
