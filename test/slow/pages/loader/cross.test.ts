// The overlay's size on phones and desktops, and its cross: docs/pages.md, "The browser loader". In every state one cross is in sight, and
// closes the overlay. It is the payment page's, or the loader's while the frame has no such page.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chromiumPath } from '../../../support/pages/browser.ts'
import {
  asOtherSite,
  atDesk,
  checksNow,
  type Desk,
  type DeskOptions,
  inFrame,
  LOADER_CROSS,
  OVERLAY,
  pageCross,
} from '../../../support/pages/loader-desk.ts'
import { documentOf } from '../../../support/pages/loader-shop.ts'
import { sharedWorld } from '../../../support/pages/page-cases.ts'
import { begin, browserWays } from '../../../support/pages/page-ways.ts'

const PHONE = { width: 390, height: 844 }
const CLOSES = { en: 'Close payment', hi: 'भुगतान बंद करें' } as const

describe('the overlay of a shop’s page', { timeout: 600_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so, and fails where a browser is required
  const world = sharedWorld()
  let orders = 0
  async function at(of: DeskOptions, work: (desk: Desk) => Promise<void>) {
    const { service } = await world()
    const policy = `script-src 'unsafe-inline' ${service.url}; style-src 'self'; form-action 'self'; frame-src ${service.url}`
    // The shop's page has a phone's width, and forbids styles in attributes and elements.
    const document: DeskOptions['document'] = (desk) =>
      `<meta name="viewport" content="width=device-width, initial-scale=1">${documentOf(desk.service, desk.order, { handlers: { notifyMerchant: '', transactionStatus: '' }, ...of })}`
    const headers = { 'content-security-policy': policy, ...of.headers }
    return atDesk(await world(), `CROSS_${++orders}`, { document, headers, context: { viewport: PHONE }, ...of }, work)
  }
  const goes = ({ top }: Desk) => top.locator('iframe').waitFor({ state: 'detached' })
  /** Presses the only cross in sight, and expects one event. */
  async function closesBy(desk: Desk, cross: 'loader' | 'page') {
    const [own, other] = [desk.top.locator(LOADER_CROSS), pageCross(desk)]
    const [wanted, unwanted] = cross === 'loader' ? [own, other] : [other, own]
    await wanted.waitFor()
    assert.equal(await unwanted.isVisible(), false, `beside the ${cross}'s cross there is another`)
    await wanted.click()
    await desk.hears('notifyMerchant')
    await goes(desk)
    assert.deepEqual(desk.events(), ['APP_CLOSED'])
    assert.equal(await desk.top.evaluate('document.activeElement.id'), 'go')
  }

  // ------------------------------------------------------------------------------------------------------------- its size

  const shapeOf = ({ top }: Desk) =>
    top.evaluate<{ x: number; y: number; width: number; height: number; radius: string; shadow: boolean }>(`(() => {
      const overlay = document.querySelector('${OVERLAY}')
      const { x, y, width, height } = overlay.getBoundingClientRect()
      const { borderTopLeftRadius: radius, boxShadow } = getComputedStyle(overlay)
      return { x, y, width, height, radius, shadow: boxShadow !== 'none' }
    })()`)
  const WHOLE = { x: 0, y: 0, radius: '0px', shadow: false }

  for (const locale of ['en', 'hi'] as const)
    test(`fills a phone and hides the shop’s buttons, and has corners and a shadow from 600 pixels on: ${locale}`, () =>
      at({ config: { locale } }, async (desk) => {
        const { top } = desk
        await desk.opens()
        assert.deepEqual(await shapeOf(desk), { ...PHONE, ...WHOLE })
        assert.equal(await inFrame(desk).locator('main').evaluate('innerHeight'), PHONE.height, 'a bar stands above the page')
        for (const size of [
          { width: 320, height: 568 },
          { width: 599, height: 900 },
        ]) {
          await top.setViewportSize(size)
          assert.deepEqual(await shapeOf(desk), { ...size, ...WHOLE })
        }
        for (const size of [
          { width: 600, height: 900 },
          { width: 844, height: 390 },
          { width: 1280, height: 900 },
        ]) {
          await top.setViewportSize(size)
          const height = Math.min(736, size.height)
          const place = { x: (size.width - 480) / 2, y: (size.height - height) / 2 }
          assert.deepEqual(await shapeOf(desk), { ...place, width: 480, height, radius: '12px', shadow: true })
        }
      }))

  // ------------------------------------------------------------------------------------------------------------ its cross

  for (const locale of ['en', 'hi'] as const)
    for (const viewport of [PHONE, { width: 1280, height: 800 }])
      test(`the page’s header has the cross, and the loader’s is gone: ${locale}, ${viewport.width} pixels`, () =>
        at({ config: { locale }, context: { viewport } }, async (desk) => {
          await desk.opens()
          const { x, y, width, height } = (await pageCross(desk).boundingBox())!
          const overlay = await shapeOf(desk)
          assert.ok(y >= overlay.y && y + height <= overlay.y + 80 && x + width <= overlay.x + overlay.width, `it stands at ${x}, ${y}`)
          assert.equal(await pageCross(desk).getAttribute('aria-label'), CLOSES[locale])
          await closesBy(desk, 'page')
        }))

  test('the page’s cross asks while a payment is under way', () =>
    at({ redirect: false }, async (desk) => {
      const { service, view, order, top } = desk
      await desk.opens()
      await begin(browserWays['upi']!, { service, page: view(), orderId: order.orderId, hasScript: true, top })
      await inFrame(desk).locator('[data-stage="upi"]').waitFor()
      await pageCross(desk).click()
      await inFrame(desk).locator('dialog[data-closing] button:not([value])').click()
      assert.deepEqual(desk.events(), [])
      await pageCross(desk).click()
      await inFrame(desk).locator('dialog[data-closing] button[value="close"]').click()
      await goes(desk)
      assert.deepEqual(desk.events(), ['APP_CLOSED'])
    }))

  test('a page in an element of the shop’s, or in a window of its own, has no cross', () =>
    at({ config: { root: '#here' }, html: '<div id="here"></div>' }, async (desk) => {
      await desk.opens()
      await inFrame(desk).locator('[data-stage="choices"]').waitFor()
      assert.equal(await pageCross(desk).isVisible(), false)
      const page = await desk.top.context().newPage()
      await page.goto(desk.view().url())
      assert.equal(await page.locator('[data-close]').isVisible(), false)
    }))

  test('a page that only reports a fault has the cross', () =>
    at({ config: { locale: 'en' } }, async (desk) => {
      desk.service.clock.advance(15 * 60_000)
      await desk.top.locator('#go').click()
      await inFrame(desk).locator('main.alone').waitFor()
      await pageCross(desk).click()
      await desk.hears('notifyMerchant', 2)
      await goes(desk)
      assert.deepEqual(desk.events(), ['SESSION_EXPIRED', 'APP_CLOSED'])
    }))

  // ------------------------------------------------------------------------------------------------------- without a page

  const navigations = (desk: Desk, answer: 'lost' | 'no page') =>
    desk.top.route(`${desk.service.url}/pay/**`, (route) => {
      if (!route.request().isNavigationRequest()) return route.continue()
      return answer === 'lost'
        ? route.abort('internetdisconnected')
        : route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>no page of ours</title>' })
    })

  for (const answer of ['lost', 'no page'] as const)
    test(`the loader’s cross closes a frame that never says it is shown: ${answer}`, () =>
      at({}, async (desk) => {
        await navigations(desk, answer)
        await desk.top.locator('#go').click()
        await closesBy(desk, 'loader')
      }))

  test('the loader’s cross closes a page whose script has not come', () =>
    at({}, async (desk) => {
      let asked = 0
      await desk.top.route(`${desk.service.url}/pay/assets/*.js`, (route) => (asked++ === 0 ? route.continue() : route.abort()))
      await desk.top.locator('#go').click()
      await inFrame(desk).locator('[data-stage="choices"]').waitFor()
      await closesBy(desk, 'loader')
    }))

  for (const answer of ['lost', 'no page'] as const)
    test(`the loader’s cross comes back where the page does not: ${answer}`, () =>
      at({}, async (desk) => {
        const { top, service, view, order } = desk
        await desk.opens()
        const page = view().url()
        assert.equal(await top.locator(LOADER_CROSS).isVisible(), false)
        await navigations(desk, answer)
        await begin(browserWays['card']!, { service, page: view(), orderId: order.orderId, hasScript: true, top })
        await top.locator(LOADER_CROSS).waitFor()
        await top.unrouteAll()
        await top.evaluate(`document.querySelector('iframe').contentWindow.location = '${page}'`)
        await top.locator(LOADER_CROSS).waitFor({ state: 'hidden' })
        assert.equal(await pageCross(desk).isVisible(), true, 'the page is there again')
        await navigations(desk, answer)
        await top.evaluate(`document.querySelector('iframe').contentWindow.location = '${page}?again'`)
        await closesBy(desk, 'loader')
      }))

  test('a page that keeps its place shows no second cross', () =>
    at({ redirect: false, hasClock: true }, async (desk) => {
      const { service, view, order, top } = desk
      await desk.opens()
      await top.evaluate(`new ResizeObserver(() => heard('cross')).observe(document.querySelector('${LOADER_CROSS}'))`)
      await begin(browserWays['upi']!, { service, page: view(), orderId: order.orderId, hasScript: true, top })
      await inFrame(desk).locator('[data-stage="upi"]').waitFor()
      for (let checks = 0; checks < 3; checks++) await checksNow(desk)
      await top.clock.runFor(3_000) // past the loader's own two seconds
      assert.deepEqual(
        desk.heard.filter(([name]) => name === 'cross'),
        [['cross']],
        'only the first look, which finds it hidden',
      )
    }))

  test('a shop that hides the overlay by its own style has its page back, also while the loader’s cross is there', () =>
    at({}, async (desk) => {
      const { top, service, shop } = desk
      const hides = `document.querySelector('${OVERLAY}').style.setProperty('display', 'none', 'important')`
      await desk.opens()
      await top.evaluate(hides)
      await goes(desk)
      assert.equal(await top.evaluate('document.activeElement.id'), 'go')
      await navigations(desk, 'lost')
      await top.locator('#go').click()
      await top.locator(LOADER_CROSS).waitFor()
      await top.evaluate(hides)
      await goes(desk)
      assert.deepEqual(desk.events(), [])
      // By the shop's own stylesheet it was never in sight.
      const html = documentOf(service, desk.order, { handlers: { notifyMerchant: '' } })
      await top.goto(asOtherSite(shop.shows('CROSS_HIDDEN', `<style>#paytm-checkoutjs { display: none !important }</style>${html}`)))
      await top.locator('#go').click()
      await goes(desk)
      assert.equal(await top.evaluate('document.activeElement.id'), 'go')
    }))
})
