// Pays in a browser, from the shop's button to the shop's callback. Cases are every way to pay, each end of it, with script and without, in
// its own window and in a shop's frame.

import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Browser, BrowserContext, Frame, Page } from 'playwright-core'
import { isInFlight, payablePaise } from '../../../src/domain/transaction/transaction.ts'
import { pagePaths } from '../../../src/interface/page-paths.ts'
import { orderKey, transactionsOfOrder } from '../../../src/tables/keys.ts'
import { find } from '../../../src/tables/tables.ts'
import { bankJournal, type Order, script, statusOf } from '../paying/paying.ts'
import { MID, type Service, startService } from '../run/service.ts'
import { addressOf, launch, openShop, PATIENCE_MS, type Shop } from './browser.ts'
import { assertTaken, noting, type Pressed } from './page-amounts.ts'
import { byPointer, type Hands, unfold, type View } from './page-hands.ts'
import { type BrowserWay, begin, browserWays, type Paying } from './page-ways.ts'

export const ENDS = ['pays', 'fails then pays', 'leaves', 'time over'] as const
export interface Case {
  way: string
  end: (typeof ENDS)[number]
  hasScript: boolean
  isFramed: boolean
}
const both = [true, false]
export const cases: readonly Case[] = Object.keys(browserWays).flatMap((way) =>
  ENDS.flatMap((end) => both.flatMap((hasScript) => both.map((isFramed) => ({ way, end, hasScript, isFramed })))),
)
export const nameOf = ({ way, end, hasScript, isFramed }: Case) =>
  `${way}, ${end}, ${hasScript ? 'script' : 'no script'}, ${isFramed ? 'framed' : 'full'}`

export interface World {
  service: Service
  shop: Shop
  browser: Browser
}

/** One service, shop and browser for all the tests of a `describe`. */
export function sharedWorld(launched = launch): () => Promise<World> {
  let opened: Promise<World> | undefined
  after(async () => {
    const { service, shop, browser } = (await opened) ?? {}
    await browser?.close()
    await shop?.close()
    await service?.close()
  })
  return () => {
    opened ??= (async () => {
      const [service, shop, browser] = await Promise.all([startService('sqlite'), openShop(), launched()])
      return { service, shop, browser }
    })()
    return opened
  }
}

// ----------------------------------------------------------------------------------------------------- what was taken

export type Taken = 'once' | 'never'

/** What an order has cost its payer: at the bank, out of the wallet before any cashback, and as mandates. */
export async function takenFor(service: Service, orderId: string) {
  const { query } = service.ports
  const [attempts, order, journal] = await Promise.all([
    query.rows(transactionsOfOrder(MID, orderId)),
    query.row(orderKey(MID, orderId)),
    bankJournal(service) as Promise<{ kind: string; key: string; outcome: string; amountPaise: number }[]>,
  ])
  const keys = new Set(attempts.map(({ txnId }) => `${MID}:${txnId}`))
  const captured = journal.filter(({ kind, key, outcome }) => kind === 'authorize' && outcome === 'success' && keys.has(key))
  const mandateKey = `${MID}:${order?.subscriptionId}:mandate`
  const moved = await Promise.all(
    attempts.map(({ txnId }) => query.rows(find('ledgerEntries', { equals: { subject: txnId, account: 'customer_wallet' }, limit: 100 }))),
  )
  return {
    captures: captured.length,
    bankPaise: captured.reduce((sum, { amountPaise }) => sum + amountPaise, 0),
    walletPaise: moved
      .flat()
      .filter(({ movement }) => !movement.startsWith('cashback:'))
      .reduce((sum, { debitPaise, creditPaise }) => sum + debitPaise - creditPaise, 0),
    mandates: journal.filter(({ kind, key, outcome }) => kind === 'mandate' && outcome === 'success' && key.startsWith(mandateKey)).length,
    order: order!,
    attempts,
  }
}

/**
 * Either the order was paid once, and the shop's server knows, or nothing was taken, and the order says why. The last pressed button named
 * the amount taken.
 */
export async function takenOnceOrNever(
  service: Service,
  shop: Shop,
  orderId: string,
  reported = () => shop.callbacks.get(orderId),
  pressed: readonly Pressed[] = [],
): Promise<Taken> {
  const { captures, bankPaise, walletPaise, mandates, order, attempts } = await takenFor(service, orderId)
  const paid = attempts.filter(({ status }) => status === 'SUCCESS')
  const { resultStatus, resultCode, resultMsg } = (await statusOf(service, { orderId })).body.resultInfo
  if (order.status !== 'PAID') {
    assert.deepEqual([captures, walletPaise, mandates, paid.length], [0, 0, 0, 0], `${order.status}: something was taken`)
    assert.ok(!attempts.some(isInFlight), 'an attempt is still under way')
    assert.notEqual(resultStatus, 'TXN_SUCCESS')
    assert.ok(resultCode && resultMsg, 'the order does not say why')
    return 'never'
  }
  assert.deepEqual([order.txnId, paid.length], [paid[0]?.txnId, 1])
  assert.deepEqual([bankPaise + walletPaise, resultStatus], [payablePaise(paid[0]!), 'TXN_SUCCESS'])
  assert.equal(captures, bankPaise > 0 ? 1 : 0)
  assert.equal(mandates, order.subscriptionId === null ? 0 : 1)
  const last = pressed.at(-1)
  if (last) assertTaken(last, { bankPaise, walletPaise })
  const { STATUS, TXNID } = reported() ?? {}
  assert.deepEqual([STATUS, TXNID], ['TXN_SUCCESS', paid[0]!.txnId], 'what the shop was told')
  return 'once'
}

// ------------------------------------------------------------------------------------------------------------ opening

export interface Opened {
  top: Page
  view(): View
}

/** Opens in the window itself, or in a frame of the shop's page that a form of the shop's fills. */
export async function opened({ service, shop }: World, context: BrowserContext, order: Order, isFramed: boolean): Promise<Opened> {
  context.setDefaultTimeout(PATIENCE_MS)
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

/** Gets to the shop: by itself where the page does that, else by the button. The page may leave during the press. */
export async function toShop({ top, view }: Opened, goes: boolean) {
  const reported = top.locator('#told').waitFor()
  const pressed = view().locator('form[action*="/callback"] button').first().click()
  // The button may have gone, so its press is not awaited.
  if (goes) pressed.catch(() => undefined)
  else await pressed
  await reported
}

/** A page that goes on by itself is passed quickly, or never seen. */
export function stays({ top, view }: Opened, stage: string) {
  const reported = top.locator('#told').waitFor()
  const seen = view().locator(`[data-stage="${stage}"]`).waitFor()
  return Promise.race([seen.catch(() => reported), reported])
}

// --------------------------------------------------------------------------------------------------------- the cases

export async function runCase(
  world: World,
  { way: name, end, hasScript, isFramed }: Case,
  orderId: string,
  hands: Hands = byPointer,
): Promise<Taken> {
  const { service, shop, browser } = world
  const way: BrowserWay = browserWays[name]!
  const context = await browser.newContext({ javaScriptEnabled: hasScript, viewport: { width: 1280, height: 900 }, locale: 'en-IN' })
  try {
    const order = await way.order(service, orderId, shop.callbackUrl)
    const page = await opened(world, context, order, isFramed)
    const pressed: Pressed[] = []
    const noted = noting(pressed, hands)
    const paying = (): Paying => ({ service, page: page.view(), orderId, hasScript, hands: noted, ...(isFramed && { top: page.top }) })
    const taken = () => takenOnceOrNever(service, shop, orderId, undefined, pressed)
    switch (end) {
      case 'leaves':
        await way.ready?.(paying())
        await unfold(page.view(), way.panel)
        await page.view().locator('.foot a').click()
        await page.view().locator('form[action$="/leave"] button:visible').click()
        await stays(page, 'closed')
        await toShop(page, hasScript)
        assert.equal(shop.callbacks.get(orderId)?.['RESPCODE'], '141')
        assert.equal(await taken(), 'never')
        return 'never'
      case 'time over':
        await way.ready?.(paying())
        service.clock.advance(15 * 60_000)
        await begin({ ...way, ready: async () => undefined }, paying())
        await page.view().locator('[data-stage="over"]').waitFor()
        await toShop(page, false)
        assert.equal(shop.callbacks.get(orderId)?.['STATUS'], 'PENDING')
        assert.equal(await taken(), 'never')
        return 'never'
      case 'fails then pays':
        await failOnce(way, paying, order)
        await begin(way, paying(), way.paysThen)
        break
      case 'pays':
        await begin(way, paying())
        break
      default:
        end satisfies never
    }
    await way.decide?.(paying(), 'approve')
    await stays(page, 'paid')
    await toShop(page, hasScript)
    assert.ok(pressed.length > 0, 'no button that pays was noted')
    assert.equal(await taken(), 'once')
    return 'once'
  } finally {
    await context.close()
  }
}

export async function failOnce(way: BrowserWay, paying: () => Paying, order: Order) {
  const { service } = paying()
  if (way.fails) {
    await way.ready?.(paying())
    await way.fails(paying())
  } else if (!way.decide) await script(service, order, 'declined')
  await begin(way, paying())
  await way.decide?.(paying(), 'decline')
  await paying().page.locator('.above .notice').getByText('Nothing was taken').waitFor()
}
