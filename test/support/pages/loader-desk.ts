// A shop's page for tests of one member of the loader each: another site than the gateway's, as shops are.

import type { BrowserContextOptions } from 'playwright-core'
import { createOrder, type Order } from '../paying/paying.ts'
import { documentOf, type Opened, onShopPage, type ShopPage } from './loader-shop.ts'
import type { World } from './page-cases.ts'

export interface Desk extends World, Opened {
  order: Order
  /** Presses the shop's button, and waits until the page is shown. */
  opens(times?: number): Promise<void>
  /** What a call of the loader came to: `done`, or the message that it was refused with. */
  outcomeOf(call: string): Promise<string>
  /** The events that the shop was notified of. */
  events(): unknown[]
}

export interface DeskOptions extends ShopPage {
  /** Members of the order beside its amount. */
  order?: object
  /** Another document than the usual one. */
  document?: (desk: World & { order: Order }) => string
  /** A clock of the browser's that the test moves. */
  hasClock?: boolean
  /** On the gateway's own site. */
  isSameSite?: boolean
  context?: BrowserContextOptions
}

/** By `localhost` the shop is another site than the gateway, which is at an address of numbers: the frame gets a process of its own. */
export const asOtherSite = (address: string) => address.replace('//127.0.0.1:', '//localhost:')

/** For one step of a page that is open: a fault is said within half a minute, also on a busy machine. */
const STEP_MS = 30_000

/** The handlers that note what they are given, and do nothing else. */
export const NOTES = { transactionStatus: '', notifyMerchant: '' } as const

export async function atDesk(world: World, orderId: string, of: DeskOptions, work: (desk: Desk) => Promise<void>): Promise<void> {
  const { service, shop, browser } = world
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-IN', ...of.context })
  try {
    const order = await createOrder(service, orderId, { callbackUrl: shop.callbackUrl, ...of.order })
    const html = of.document?.({ ...world, order }) ?? documentOf(service, order, { handlers: NOTES, ...of })
    if (of.hasClock) await context.clock.install()
    const address = shop.shows(orderId, html, of.headers)
    const opened = await onShopPage(context, of.isSameSite ? address : asOtherSite(address))
    const { top, heard, hears } = opened
    context.setDefaultTimeout(STEP_MS)
    let opens = 0
    await work({
      ...world,
      ...opened,
      order,
      async opens() {
        await top.locator('#go').click()
        await hears('opened', ++opens)
      },
      outcomeOf: (call) => top.evaluate(`Promise.resolve().then(() => ${call}).then(() => 'done', ({ message }) => message)`),
      events: () => heard.flatMap(([name, event]) => (name === 'notifyMerchant' ? [event] : [])),
    })
  } finally {
    await context.close()
  }
}

/** The payment page in an element of the shop's. */
export const inFrame = ({ top }: Pick<Opened, 'top'>, selector = 'iframe') => top.frameLocator(selector)
export const OVERLAY = 'dialog#paytm-checkoutjs'

const PRESSED_WITHIN_MS = 5_000

/** "Check now": a page that finds out by itself meanwhile has the button no more, and what follows is awaited in either case. */
export const checksNow = (desk: Desk) =>
  inFrame(desk)
    .locator('form[action$="/check"] button')
    .click({ timeout: PRESSED_WITHIN_MS })
    .catch(() => undefined)
