// A shop's page for tests of one member of the loader each. As with real shops, its site is not the gateway's.

import type { BrowserContextOptions } from 'playwright-core'
import { createOrder, type Order } from '../paying/paying.ts'
import { documentOf, type Opened, onShopPage, type ShopPage } from './loader-shop.ts'
import type { World } from './page-cases.ts'

export interface Desk extends World, Opened {
  order: Order
  /** Presses the shop's button, and waits until the page is shown. */
  opens(times?: number): Promise<void>
  /** The result of a loader's call: `done`, or the message of its refusal. */
  outcomeOf(call: string): Promise<string>
  events(): unknown[]
}

export interface DeskOptions extends ShopPage {
  /** Members of the order beside its amount. */
  order?: object
  /** Replaces the usual document. */
  document?: (desk: World & { order: Order }) => string
  /** Gives the browser a clock that the test moves. */
  hasClock?: boolean
  /** Puts the shop on the gateway's own site. */
  isSameSite?: boolean
  context?: BrowserContextOptions
}

/** `localhost` makes the shop another site than the gateway, whose address has numbers. So the frame gets a process of its own. */
export const asOtherSite = (address: string) => address.replace('//127.0.0.1:', '//localhost:')

/** For one step of an open page: a fault shows within half a minute, also on a busy machine. */
const STEP_MS = 30_000

/** Handlers that only note what they receive. */
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

/** The payment page in an element of the shop's page. */
export const inFrame = ({ top }: Pick<Opened, 'top'>, selector = 'iframe') => top.frameLocator(selector)
export const OVERLAY = 'dialog#paytm-checkoutjs'
/** The loader's own cross, shown while the frame has no page with a cross. */
export const LOADER_CROSS = `${OVERLAY} > button`
/** The cross in the header of the payment page. */
export const pageCross = (desk: Pick<Opened, 'top'>) => inFrame(desk).locator('[data-close]')

const PRESSED_WITHIN_MS = 5_000

/** Presses "Check now". A page that finds out by itself meanwhile has no such button; callers await the next page in either case. */
export const checksNow = (desk: Desk) =>
  inFrame(desk)
    .locator('form[action$="/check"] button')
    .click({ timeout: PRESSED_WITHIN_MS })
    .catch(() => undefined)
