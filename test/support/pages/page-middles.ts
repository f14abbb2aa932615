// Interrupts payers in the middle of a payment, in every way to pay. They open another tab, go back, reload, close the tab, lose the
// network, switch to an app, or change their mind. In each case the payer goes on from what the page shows, and has paid once or not at
// all.

import assert from 'node:assert/strict'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { transactionsOfOrder } from '../../../src/tables/keys.ts'
import { type Order, script } from '../paying/paying.ts'
import { MID } from '../run/service.ts'
import { addressOf, PATIENCE_MS } from './browser.ts'
import { noting, type Pressed } from './page-amounts.ts'
import { type Taken, takenOnceOrNever, type World } from './page-cases.ts'
import { unfold } from './page-hands.ts'
import { type BrowserWay, begin, browserWays, cardSteps, handsOf, type Paying, payerActs } from './page-ways.ts'

export interface Middle {
  way: string
  what: keyof typeof interruptions
  hasScript: boolean
}

const SLOW_MS = 3 * 60_000 // a slow bank has answered by then: docs/sandbox.md
export const ANDROID =
  'Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36'
const PRESS_MS = 3_000 // for a button of a page that may leave by itself

interface InTheMiddle extends Paying {
  page: Page
  order: Order
  way: BrowserWay
  context: BrowserContext
  /** The payment page's address. */
  address: string
}

/** Where the payer is: the stage of Mohur's page, the bank's page, or the shop. */
async function whereIs(page: Page): Promise<string> {
  const place = page.locator('[data-stage], #told, form[action="/sandbox/bank/page"]').first()
  const [stage, id] = [await place.getAttribute('data-stage'), await place.getAttribute('id')]
  return stage ?? (id === 'told' ? 'shop' : 'at the bank')
}
/** Brings the payer back from the bank's page to Mohur's. */
async function onOurs(middle: InTheMiddle): Promise<string> {
  if ((await whereIs(middle.page)) === 'at the bank') await middle.page.goto(middle.address)
  return whereIs(middle.page)
}

/** Also waits until the pressed page has gone, because a second press would undo the first. */
async function press(page: Page, selector: string) {
  const before = await page.$('main')
  try {
    await page.locator(selector).first().click({ timeout: PRESS_MS })
    await before?.waitForElementState('hidden', { timeout: PRESS_MS })
  } catch {
    // The page has left by itself, or stays. The next look shows which.
  }
}

/** Another party approves: the payer on their phone, or a slow bank after its time. */
async function approveElsewhere({ service, orderId }: InTheMiddle) {
  await payerActs(service, orderId, 'approve')
  service.clock.advance(SLOW_MS)
  await service.tasks.runDue()
}

const STEPS_MAX = 12
/** Goes from any page to the shop, by what the pages offer. */
async function carryOn(middle: InTheMiddle) {
  const { page } = middle
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    const where = await whereIs(page)
    if (where === 'shop') return
    if (where === 'at the bank') await press(page, 'form:has(input[value="approve"]) button')
    else if (where === 'bank') await press(page, 'form[data-goes] button')
    else if (where === 'otp' || where === 'choices') await goOnHere(middle, where)
    else if (where === 'paid' || where === 'closed') await press(page, 'form[action*="/callback"] button')
    else {
      await approveElsewhere(middle)
      await press(page, 'form[action$="/check"] button')
    }
  }
  assert.fail(`still ${await whereIs(page)} after ${STEPS_MAX} steps`)
}
async function goOnHere(middle: InTheMiddle, where: 'otp' | 'choices') {
  const { page, way } = middle
  if (where === 'otp') return way.decide!(middle, 'approve')
  await begin(way, middle)
  await page.locator('[data-stage="choices"]').waitFor({ state: 'detached' })
}

// ---------------------------------------------------------------------------------------------------- what happens

type Happens = (middle: InTheMiddle, world: World) => Promise<void>

/** The other tab shows the state before the payment, and its button begins nothing. */
const twoTabs: Happens = async (middle) => {
  const { context, page, way } = middle
  const other = await context.newPage()
  await other.goto(page.url())
  await reachMiddle(middle)
  const before = await attemptsOf(middle)
  await other.bringToFront()
  await handsOf(middle)(other, way.steps)
  await other.locator('[data-stage="choices"]').waitFor({ state: 'detached' }) // in place, once the answer to the press has come
  // Where nothing had begun yet, the other tab makes the first attempt.
  assert.equal(await attemptsOf(middle), Math.max(before, 1), 'the other tab has begun another attempt')
  await other.close()
  await page.bringToFront()
}
const attemptsOf = async ({ service, orderId }: InTheMiddle) => (await service.ports.query.rows(transactionsOfOrder(MID, orderId))).length

const back: Happens = async (middle) => {
  await reachMiddle(middle)
  const { page } = middle
  await page.goBack()
  if (!/\/pay\/|\/bank\//.test(page.url())) await page.goForward()
  await whereIs(page)
}
const reload: Happens = async (middle) => {
  await reachMiddle(middle)
  await middle.page.reload()
}
/** Opens the address that the browser remembers, and then the shop's own link. */
const closedTab: Happens = async (middle) => {
  await reachMiddle(middle)
  const { context, service, order, address } = middle
  const where = await onOurs(middle)
  await middle.page.close()
  middle.page = await context.newPage()
  await middle.page.goto(address)
  if (where !== 'bank' || !middle.hasScript) assert.equal(await whereIs(middle.page), where)
  await middle.page.close()
  middle.page = await context.newPage()
  await middle.page.goto(addressOf(service, order))
}
const offline: Happens = async (middle) => {
  await reachMiddle(middle)
  const { context, page, hasScript, address } = middle
  const where = await whereIs(page)
  await context.setOffline(true)
  if (hasScript && where !== 'at the bank') await page.locator('[data-offline]:visible').waitFor()
  else await page.reload().catch(() => undefined)
  if (where === 'upi' || where === 'collect' || where === 'waiting') await approveElsewhere(middle)
  await context.setOffline(false)
  if (!hasScript || where === 'at the bank') await page.goto(address)
  else if (where === 'upi' || where === 'collect' || where === 'waiting') await page.locator('#told').waitFor() // by itself
}
/** The payer goes to an app, approves there, and comes back. */
const appSwitch: Happens = async (middle) => {
  await reachMiddle(middle)
  const { context, page, hasScript } = middle
  const where = await whereIs(page)
  const link = page.locator('a[href^="upi://"]')
  // The browser asks which app to open and stays on the page. Behind that question only script goes on.
  if (where === 'upi') await (hasScript ? link.click() : link.waitFor())
  const session = await context.newCDPSession(page)
  // Only script can be frozen.
  if (hasScript) await session.send('Page.setWebLifecycleState', { state: 'frozen' })
  const app = await context.newPage()
  if (where === 'upi' || where === 'collect' || where === 'waiting') await approveElsewhere(middle)
  if (hasScript) await session.send('Page.setWebLifecycleState', { state: 'active' })
  await app.close()
  await page.bringToFront()
  if (hasScript && (where === 'upi' || where === 'collect' || where === 'waiting')) await page.locator('#told').waitFor() // by itself
}
/** Where the bank can cancel, the payer pays by card. Where it cannot, the page says why, and the payer waits. */
const anotherWay: Happens = async (middle) => {
  await reachMiddle(middle)
  const { page, way } = middle
  const where = await whereIs(page)
  // With script Mohur's page sends its payer to the bank at once. After the browser's Back it stays.
  if (where === 'at the bank') await page.goBack()
  if (where !== 'choices') await page.locator('form[action$="/cancel"] button').click()
  if (where === 'waiting') return page.getByText('A second payment now could take your money twice').waitFor()
  if (where !== 'choices') await page.locator('.above .notice').getByText('Nothing was taken').waitFor()
  // A mandate on an account allows no other way.
  if ((await page.locator('#way-card').count()) === 0) middle.way = { ...way, decide: undefined! }
  else {
    await unfold(page, 'card')
    middle.way = { ...browserWays['card']!, ready: async () => undefined }
    await handsOf(middle)(page, [...cardSteps('card'), { press: '#way-card form[data-pays] button' }])
  }
}
const interruptions = {
  'two tabs': twoTabs,
  back,
  reload,
  'closed tab': closedTab,
  offline,
  'app switch': appSwitch,
  'another way': anotherWay,
}

/** Goes on until another party decides; a bank that decides alone is slow. A way without a bank stops at its form. */
async function reachMiddle(middle: InTheMiddle) {
  const { page, way, service, order, hasScript } = middle
  if (way.isOurs) return void (await unfold(page, way.panel))
  if (!way.decide) await script(service, order, 'slow')
  await handsOf(middle)(page, way.steps)
  await page.locator('[data-stage="choices"]').waitFor({ state: 'detached' })
  if (hasScript && (await whereIs(page)) === 'bank')
    await page.locator('form[action="/sandbox/bank/page"] input[value="approve"]').first().waitFor({ state: 'attached' })
}

// -------------------------------------------------------------------------------------------------------- the cases

export const middles: readonly Middle[] = Object.keys(browserWays).flatMap((way) =>
  (Object.keys(interruptions) as (keyof typeof interruptions)[]).flatMap((what) =>
    [true, false].map((hasScript) => ({ way, what, hasScript })),
  ),
)
export const nameOfMiddle = ({ way, what, hasScript }: Middle) => `${way}, ${what}, ${hasScript ? 'script' : 'no script'}`

export async function runMiddle(world: World, { way: name, what, hasScript }: Middle, orderId: string): Promise<Taken> {
  const { service, shop, browser } = world
  const way = browserWays[name]!
  const size: BrowserContextOptions =
    what === 'app switch' ? { userAgent: ANDROID, viewport: { width: 390, height: 800 } } : { viewport: { width: 1280, height: 900 } }
  const context = await browser.newContext({ javaScriptEnabled: hasScript, locale: 'en-IN', ...size })
  context.setDefaultTimeout(PATIENCE_MS)
  try {
    const order = await way.order(service, orderId, shop.callbackUrl)
    const page = await context.newPage()
    await page.goto(addressOf(service, order))
    const address = page.url()
    const pressed: Pressed[] = []
    const middle: InTheMiddle = { service, page, orderId, hasScript, hands: noting(pressed), order, way, context, address }
    await way.ready?.(middle)
    await interruptions[what](middle, world)
    await carryOn(middle)
    return await takenOnceOrNever(service, shop, orderId, undefined, pressed)
  } finally {
    await context.close()
  }
}
