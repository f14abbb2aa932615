// The loader's result when the browser leaves the shop's page, by the shop's own handler or to a bank and back. Also when the page stays
// untouched for two minutes.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { type Browser, chromium, errors, type Request } from 'playwright-core'
import { CHROMIUM_ARGS, launchWhole, wholeChromiumPath } from '../../../support/pages/browser.ts'
import { asOtherSite, atDesk, type Desk, inFrame, OVERLAY } from '../../../support/pages/loader-desk.ts'
import { afterLoader, documentOf } from '../../../support/pages/loader-shop.ts'
import { sharedWorld, takenOnceOrNever, type World } from '../../../support/pages/page-cases.ts'
import { begin, browserWays, payerActs } from '../../../support/pages/page-ways.ts'
import { CARD, createOrder, pay } from '../../../support/paying/paying.ts'
import { sized } from '../../../support/run/sizes.ts'

const LANES = 4
const RUNS = sized(20, 100) // twice each kind, or ten times

/** How shops' handlers show a page of their own. `there` is its address. */
const LEAVES: Readonly<Record<string, string>> = {
  location: 'location.assign(there)',
  form: `document.body.append(Object.assign(document.createElement('form'), { method: 'post', action: there })); document.querySelector('form').submit()`,
  link: `Object.assign(document.createElement('a'), { href: there }).click()`,
  'route and location': `location.hash = '#/thanks'; location.href = there`,
  'close, later location': 'return Promise.resolve().then(() => { CheckoutJS.close(); location.replace(there) })',
}

/** The browser has all of the frame's document and never ends it, so no handler runs: docs/decisions/0030. Another desk begins again. */
class Stalled extends Error {
  override readonly message = 'the frame stalled'
}
const STALLED_MAX = Math.ceil(RUNS / 20)

describe('the browser leaves a page of the loader’s', { timeout: 900_000 }, () => {
  if (!wholeChromiumPath) return // test/pages/payment/browser.test.ts says so, and fails where a browser is required
  const world = sharedWorld(launchWhole)
  let orders = 0
  const newId = () => `LEAVING_${++orders}`
  /** Every form that this browser posts to the shop's callbackUrl. */
  function postsOf({ top, shop }: Desk): string[] {
    const posts: string[] = []
    top.context().on('request', (request) => {
      if (request.method() === 'POST' && request.url() === shop.callbackUrl) posts.push(request.postData() ?? '')
    })
    return posts
  }

  // --------------------------------------------------------------------------------------------- handlers that navigate

  /** The shop's own page for a payer who has paid. By path, the callbacks that wait until it answers. */
  const asked = new Map<string, () => void>()
  const thanks = createServer((request, response) => {
    const answer = () => response.end('<!doctype html><title>thanks</title>')
    const waiting = asked.get(request.url ?? '')
    if (!waiting) answer()
    else released.set(request.url ?? '', answer)
    waiting?.()
  })
  const released = new Map<string, () => void>()
  after(() => {
    thanks.closeAllConnections()
    thanks.close()
  })

  /** One paid order, and a handler that leaves. A slow shop answers after the loader's own timer. */
  async function leavesBy({ top, service, shop, heard, hears }: Desk, posts: string[], { how, isSlow }: { how: string; isSlow: boolean }) {
    const orderId = newId()
    const path = `/${orderId}/thanks`
    const address = `http://localhost:${(thanks.address() as AddressInfo).port}${path}`
    const act = `setTimeout(() => heard('later'), 150); const there = '${address}'; ${LEAVES[how]}`
    const order = await createOrder(service, orderId, { callbackUrl: shop.callbackUrl })
    const html = documentOf(service, order, { redirect: true, handlers: { transactionStatus: act } })
    await top.goto(asOtherSite(shop.shows(orderId, html)))
    await pay(service, order, CARD)
    heard.length = 0
    posts.length = 0
    if (isSlow) asked.set(path, () => {})
    const isAsked = top.waitForRequest(address)
    isAsked.catch(() => {}) // `first` may end before it
    const ended = new AbortController()
    const isOvertaken = new Promise<never>((_resolve, reject) => {
      const look = (request: Request) => {
        if (request.frame() === top.mainFrame() && request.url() !== address) reject(new Error(`${request.url()} comes after the handler`))
      }
      top.on('request', look)
      ended.signal.addEventListener('abort', () => top.off('request', look))
    })
    const first = <Value>(wanted: Promise<Value>) => Promise.race([wanted, isOvertaken])
    try {
      await top.locator('#go').click()
      await first(isAsked).catch((error) => {
        throw heard.length === 0 && error instanceof errors.TimeoutError ? new Stalled() : error
      })
      if (isSlow) {
        await first(hears('later'))
        released.get(path)!()
      }
      await first(top.waitForURL(address))
      assert.equal(await top.title(), 'thanks')
      assert.deepEqual([posts.length, heard.filter(([name]) => name === 'transactionStatus').length], [0, 1])
    } finally {
      ended.abort()
    }
  }

  test(`${RUNS} handlers that navigate at once: the shop’s page comes, and no post of Mohur’s after it`, async (t) => {
    thanks.listen(0)
    await once(thanks, 'listening')
    const kinds = Object.keys(LEAVES).flatMap((how) => [true, false].map((isSlow) => ({ how, isSlow })))
    const runs = Array.from({ length: RUNS }, (_, run) => kinds[run % kinds.length]!)
    const wrong: string[] = []
    let [arrived, stalled] = [0, 0]
    const lane = async () =>
      atDesk(await world(), newId(), {}, async (desk) => {
        const posts = postsOf(desk)
        for (let run = runs.pop(); run; run = runs.pop())
          try {
            await leavesBy(desk, posts, run)
            arrived++
          } catch (error) {
            if (error instanceof Stalled && ++stalled <= STALLED_MAX) return void runs.push(run)
            wrong.push(`${run.how}, ${run.isSlow ? 'slow' : 'quick'}: ${String(error).split('\n')[0]}`)
          }
      })
    const lanes = async () => {
      while (runs.length > 0) await lane()
    }
    await Promise.all(Array.from({ length: LANES }, lanes))
    t.diagnostic(`${stalled} frames stalled and were begun again`)
    assert.deepEqual([wrong, arrived], [[], RUNS])
  })

  test('a handler that only shows another route of its page does not stop the post', async () =>
    atDesk(await world(), newId(), { redirect: true, handlers: { transactionStatus: `location.hash = '#/thanks'` } }, async (desk) => {
      const posts = postsOf(desk)
      await pay(desk.service, desk.order, CARD)
      await desk.top.locator('#go').click()
      await desk.top.locator('#told').waitFor()
      assert.equal(posts.length, 1)
    }))

  // -------------------------------------------------------------------------------------------------- to the bank and back

  let kept: Promise<Browser> | undefined
  after(async () => (await kept)?.close())
  /** A browser that keeps the pages that it has left, as payers' browsers do. */
  async function remembering(): Promise<World> {
    kept ??= chromium.launch({
      executablePath: wholeChromiumPath!,
      args: CHROMIUM_ARGS,
      ignoreDefaultArgs: ['--disable-back-forward-cache'],
    })
    return { ...(await world()), browser: await kept }
  }
  const paying = ({ service, view, order, top }: Desk) => ({ service, page: view(), orderId: order.orderId, hasScript: true, top })
  const AT_BANK = 'form:has(input[value="approve"]) button'
  /** Runs in the frame of a kept page. The frame has the page's process where it has the page's site. */
  async function inKeptFrame({ top }: Desk, script: string) {
    const tools = await top.context().newCDPSession(top)
    const contexts: { id: number; origin: string }[] = []
    tools.on('Runtime.executionContextCreated', ({ context }) => {
      if (context.auxData?.['isDefault']) contexts.push(context)
    })
    await tools.send('Runtime.enable')
    const frame = contexts.find(({ origin }) => !top.url().startsWith(origin))!
    const { exceptionDetails } = await tools.send('Runtime.evaluate', { expression: script, contextId: frame.id })
    assert.equal(exceptionDetails?.exception?.description, undefined)
    await tools.detach()
  }

  /** Goes back in one step, as by the list of the Back button. */
  async function backToShop({ top }: Desk) {
    const browser = await top.context().newCDPSession(top)
    const { entries } = await browser.send('Page.getNavigationHistory')
    const back = top.waitForURL(/\/start\//, { waitUntil: 'commit' })
    await browser.send('Page.navigateToHistoryEntry', { entryId: entries.findLast(({ url }) => url.includes('/start/'))!.id })
    await back
  }

  // In a kept page the test's tools see the shop's document alone, so the test listens to the frame's messages.
  const LISTENS = `addEventListener('message', ({ data }) => heard('frame', data.mohur))`
  const saidIn = ({ heard }: Desk) => heard.flatMap(([name, said]) => (name === 'frame' ? [said] : []))
  const frameSays = async (desk: Desk, what: string, since: number) => {
    for (let times = since + 1; !saidIn(desk).slice(since).includes(what); times++) await desk.hears('frame', times)
  }

  test('Back from the bank and from the shop brings no second result', async () =>
    atDesk(await remembering(), newId(), { redirect: false }, async (desk) => {
      const { top, service, shop, order } = desk
      const posts = postsOf(desk)
      await top.evaluate(LISTENS)
      await desk.opens()
      await begin(browserWays['netBanking']!, paying(desk))
      await top.locator(AT_BANK).click()
      await top.locator('#told').waitFor()
      assert.equal(await takenOnceOrNever(service, shop, order.orderId), 'once')
      const said = saidIn(desk).length
      await backToShop(desk)
      assert.equal(await top.locator(OVERLAY).count(), 1, 'the browser has kept the page')
      await frameSays(desk, 'result', said)
      await afterLoader(top)
      assert.match(top.url(), /\/start\//)
      assert.deepEqual([posts.length, desk.heard.filter(([name]) => name === 'transactionStatus')], [1, []])
      // The page's cross, by its place: the tools do not see into a frame of another process here.
      const { x, y, width } = (await top.locator(OVERLAY).boundingBox())!
      await top.mouse.click(x + width - 26, y + 36)
      await desk.hears('notifyMerchant')
      assert.deepEqual(desk.events(), ['APP_CLOSED'])
    }))

  test('a payer who comes back from the bank undecided pays another way, and that result is handed over once', async () =>
    atDesk(await remembering(), newId(), { redirect: false, isSameSite: true }, async (desk) => {
      const { top, service, shop, order } = desk
      const posts = postsOf(desk)
      await top.evaluate(LISTENS)
      await desk.opens()
      await begin(browserWays['netBanking']!, paying(desk))
      await top.locator(AT_BANK).waitFor()
      const said = saidIn(desk).length
      await backToShop(desk)
      assert.equal(await top.locator(OVERLAY).count(), 1, 'the browser has kept the page')
      const fields = { '#card-cardNumber': '4111111111111111', '#card-expiry': '12/32', '#card-cvv': '739' }
      const typed = Object.entries(fields).map(([field, text]) => `document.querySelector('${field}').value = '${text}'`)
      await inKeptFrame(desk, `document.querySelector('form[action$="/cancel"]').requestSubmit()`)
      await frameSays(desk, 'shown', said)
      await inKeptFrame(desk, `${typed.join('; ')}; document.querySelector('#way-card form[data-pays]').requestSubmit()`)
      const handed = (await desk.hears('transactionStatus'))[1] as Record<string, string>
      assert.equal(await takenOnceOrNever(service, shop, order.orderId, () => handed), 'once')
      await afterLoader(top)
      assert.equal(await top.locator('iframe').count(), 0)
      assert.deepEqual([posts.length, desk.heard.filter(([name]) => name === 'transactionStatus').length], [0, 1])
    }))

  test('a payer who comes back from the shop’s callback page meets no second post', async () =>
    atDesk(await remembering(), newId(), { handlers: { notifyMerchant: '' } }, async (desk) => {
      const { top, service, order } = desk
      const posts = postsOf(desk)
      await pay(service, order, CARD)
      await top.locator('#go').click()
      await top.locator('#told').waitFor()
      await backToShop(desk)
      await afterLoader(top)
      assert.deepEqual([posts.length, /\/start\//.test(top.url())], [1, true])
    }))

  // ------------------------------------------------------------------------------------------------------------- untouched

  test('UPI that stays untouched for two minutes and is approved then: the result arrives by itself', async () => {
    for (const config of [{}, { root: '#here' }])
      await atDesk(await world(), newId(), { redirect: false, config, html: '<div id="here"></div>', hasClock: true }, async (desk) => {
        const { top, service, shop, order } = desk
        await desk.opens()
        await begin(browserWays['upi']!, paying(desk))
        await inFrame(desk).locator('[data-stage="upi"]').waitFor()
        let asked = 0
        top.on('response', (response) => {
          if (response.url().endsWith('/state')) asked++
        })
        const second = async () => {
          service.clock.advance(1_000)
          await top.clock.runFor(1_000)
        }
        for (let seconds = 0; seconds < 120; seconds++) await second()
        assert.ok(asked >= 12, `the page has asked ${asked} times`)
        assert.deepEqual(desk.heard, [['opened']])
        await payerActs(service, order.orderId, 'approve')
        for (let seconds = 0; seconds < 60 && desk.heard.length === 1; seconds++) await second()
        const fields = (await desk.hears('transactionStatus'))[1] as Record<string, string>
        assert.equal(await takenOnceOrNever(service, shop, order.orderId, () => fields), 'once')
        assert.equal(await top.locator('iframe').count(), 0)
      })
  })
})
