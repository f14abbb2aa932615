// Pays an order from a shop's own page by the browser loader. Cases are every way to pay, each end of it, in an overlay and in an element
// of the shop's. Covers each row of the table of results (docs/pages.md, "What the shop's page learns").

import assert from 'node:assert/strict'
import { joinedValues, verify } from '../../../src/interface/checksum.ts'
import type { Order } from '../paying/paying.ts'
import { KEY } from '../run/service.ts'
import { afterLoader, type Opened, openedByLoader } from './loader-shop.ts'
import { noting, type Pressed } from './page-amounts.ts'
import { failOnce, type Taken, takenOnceOrNever, type World } from './page-cases.ts'
import { type BrowserWay, begin, browserWays, type Paying } from './page-ways.ts'

export const LOADER_ENDS = ['pays', 'fails then pays', 'closes', 'expires'] as const
export interface LoaderCase {
  way: string
  end: (typeof LOADER_ENDS)[number]
  place: 'overlay' | 'inline'
  /** `merchant.redirect`. True stands for its absence too. */
  redirect: boolean
  hasHandler: boolean
}
const both = [true, false]
export const loaderCases: readonly LoaderCase[] = Object.keys(browserWays).flatMap((way) =>
  LOADER_ENDS.flatMap((end) =>
    (['overlay', 'inline'] as const).flatMap((place) =>
      both.flatMap((redirect) => both.map((hasHandler) => ({ way, end, place, redirect, hasHandler }))),
    ),
  ),
)
export const nameOfLoaderCase = ({ way, end, place, redirect, hasHandler }: LoaderCase) =>
  `${way}, ${end}, ${place}, ${redirect ? 'redirect' : 'stays'}, ${hasHandler ? 'handler' : 'no handler'}`

/** The bank's page takes the whole window, and leads back to the full page. */
const GOES_TO_BANK: ReadonlySet<string> = new Set(['netBanking', 'mandate'])

const ROOT = '#here'

export async function runLoaderCase(world: World, one: LoaderCase, orderId: string): Promise<Taken> {
  const { service, shop, browser } = world
  const way: BrowserWay = browserWays[one.way]!
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-IN' })
  try {
    const order = await way.order(service, orderId, shop.callbackUrl)
    const opened = await openedByLoader({ service, shop, context }, order, {
      html: '<div id="here"></div>',
      ...(!one.redirect && { redirect: false }),
      ...(one.place === 'inline' && { config: { root: ROOT } }),
      ...(one.hasHandler && { handlers: { transactionStatus: '', notifyMerchant: '' } }),
    })
    assert.equal(await opened.top.locator('dialog#paytm-checkoutjs').count(), one.place === 'overlay' ? 1 : 0)
    return await act(world, one, { way, order, opened })
  } finally {
    await context.close()
  }
}

interface Acting {
  way: BrowserWay
  order: Order
  opened: Opened
}

async function act(world: World, one: LoaderCase, { way, order, opened }: Acting): Promise<Taken> {
  const { service, shop } = world
  const { orderId } = order
  const pressed: Pressed[] = []
  const hands = noting(pressed)
  const paying = (): Paying => ({ service, page: opened.view(), orderId, hasScript: true, hands, top: opened.top })
  switch (one.end) {
    case 'closes':
      await way.ready?.(paying())
      await close(opened, one)
      assert.equal(await takenOnceOrNever(service, shop, orderId), 'never')
      assert.equal(shop.callbacks.get(orderId), undefined)
      return 'never'
    case 'expires':
      await way.ready?.(paying())
      service.clock.advance(15 * 60_000)
      await begin({ ...way, ready: async () => undefined }, paying())
      await opened.view().locator('[data-stage="over"]').waitFor()
      if (one.hasHandler) await opened.hears('notifyMerchant')
      await opened.view().locator('form[data-to-shop] button').click()
      assert.equal((await resultOf(world, one, opened, orderId))['STATUS'], 'PENDING')
      assert.deepEqual(notified(opened), one.hasHandler ? ['SESSION_EXPIRED'] : [])
      assert.equal(await takenOnceOrNever(service, shop, orderId), 'never')
      return 'never'
    case 'fails then pays':
      await failOnce(way, paying, order)
      break
    case 'pays':
      break
    default:
      one.end satisfies never
  }
  const isBack = GOES_TO_BANK.has(one.way)
  // After the bank's page the payer is on the full page.
  await begin(way, paying(), one.end === 'pays' ? way.steps : (way.paysThen ?? way.steps))
  await way.decide?.(paying(), 'approve')
  const reported = await resultOf(world, isBack ? { ...one, hasHandler: false } : one, opened, orderId)
  assert.ok(pressed.length > 0, 'no button that pays was noted')
  assert.equal(await takenOnceOrNever(service, shop, orderId, () => reported, pressed), 'once')
  assert.deepEqual(notified(opened), [])
  return 'once'
}

const notified = ({ heard }: Opened) => heard.flatMap(([name, event]) => (name === 'notifyMerchant' ? [event] : []))

/** Closes by Escape in the page. In an element of the shop's, closes by the shop's own call. */
async function close(opened: Opened, { place, hasHandler }: LoaderCase) {
  const { top } = opened
  if (place === 'inline') await top.evaluate('CheckoutJS.close()')
  else {
    await opened.view().locator('h1').first().press('Escape')
    if (hasHandler) await opened.hears('notifyMerchant')
  }
  await top.locator('iframe').waitFor({ state: 'detached' })
  await afterLoader(top)
  assert.deepEqual(notified(opened), place === 'overlay' && hasHandler ? ['APP_CLOSED'] : [])
  assert.equal(await top.locator('#paytm-checkoutjs').count(), 0)
}

/** What the shop has learned, by the way that the table names and by no other. */
export async function resultOf(
  { shop }: Pick<World, 'shop'>,
  { redirect, hasHandler }: Pick<LoaderCase, 'redirect' | 'hasHandler'>,
  opened: Opened,
  orderId: string,
) {
  const { top, heard } = opened
  const isPosted = redirect || !hasHandler
  let handed: Record<string, string> | undefined
  if (hasHandler) {
    handed = (await opened.hears('transactionStatus'))[1] as Record<string, string>
    const { CHECKSUMHASH, ...fields } = handed
    assert.ok(verify(joinedValues(fields), CHECKSUMHASH, KEY), 'what the handler was given is not signed')
  }
  if (isPosted) {
    // A full page shows the end for some seconds, unless the payer presses.
    top
      .locator(':is([data-stage="paid"], [data-stage="closed"]) form[data-to-shop] button')
      .first()
      .click()
      .catch(() => undefined)
    await top.locator('#told').waitFor()
  } else {
    await top.locator('iframe').waitFor({ state: 'detached' })
    await afterLoader(top)
    assert.equal(await top.title(), 'shop')
    assert.equal(shop.callbacks.get(orderId), undefined, 'posted beside the handler')
  }
  assert.equal(heard.filter(([name]) => name === 'transactionStatus').length, hasHandler ? 1 : 0)
  const posted = shop.callbacks.get(orderId)
  if (isPosted) assert.ok(posted, 'nothing was posted')
  const { CHECKSUMHASH, ...fields } = handed ?? posted!
  if (handed && posted) assert.deepEqual(posted, fields, 'handler and post differ')
  return fields
}
