// What policies of a shop's page allow, and what strangers can do: docs/pages.md, "The browser loader" and "Safety".

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { BrowserContext } from 'playwright-core'
import { chromiumPath, openShop, type Shop } from '../../../support/pages/browser.ts'
import { afterLoader, configOf, documentOf, onShopPage, openedByLoader, scriptOf } from '../../../support/pages/loader-shop.ts'
import { sharedWorld, takenOnceOrNever, type World } from '../../../support/pages/page-cases.ts'
import { begin, browserWays } from '../../../support/pages/page-ways.ts'
import { createOrder, type Order } from '../../../support/paying/paying.ts'
import { MID } from '../../../support/run/service.ts'
import { changeWorld } from '../../../support/signin/signin.ts'

describe("a shop's page and the loader", { timeout: 600_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so, and fails where a browser is required
  const shared = sharedWorld()
  let world: World
  let strangers: Shop
  let context: BrowserContext
  let orders = 0
  before(async () => {
    world = await shared()
    strangers = await openShop()
    context = await world.browser.newContext({ locale: 'en-IN' })
  })
  after(async () => {
    await context.close()
    await strangers.close()
  })
  const newOrder = (more: object = {}) => createOrder(world.service, `SAFE_${++orders}`, { callbackUrl: world.shop.callbackUrl, ...more })
  const payByCard = (view: Parameters<typeof begin>[1]['page'], orderId: string) =>
    begin(browserWays['card']!, { service: world.service, page: view, orderId, hasScript: true })

  test('the script adds one name to the shop’s page, and changes none', async () => {
    const { service, shop } = world
    const page = await context.newPage()
    await page.goto(
      shop.shows(
        'names',
        `<!doctype html><script>
        const before = new Map(Object.getOwnPropertyNames(window).map((name) => [name, window[name]]))
        </script><script src="${scriptOf(service)}"></script>`,
      ),
    )
    const changed = `Object.getOwnPropertyNames(window).filter((name) => !before.has(name) || (typeof before.get(name) === 'function' && before.get(name) !== window[name]))`
    assert.deepEqual(await page.evaluate(changed), ['Paytm'])
    await page.close()
  })

  // ---------------------------------------------------------------------------------------------------------- policies

  /** The shop's own script is a file, as a strict policy wants it. */
  const strict = (gateway: string) =>
    `default-src 'none'; script-src 'self' ${gateway}; style-src 'self'; form-action 'self'; frame-src ${gateway}; connect-src 'self'`
  const policies = {
    'scripts and frames from us, styles and forms of its own': (gateway: string) => ({ 'content-security-policy': strict(gateway) }),
    'trusted types': (gateway: string) => ({
      'content-security-policy': `${strict(gateway)}; require-trusted-types-for 'script'; trusted-types 'none'`,
    }),
    'nothing embedded that has not agreed': () => ({ 'cross-origin-embedder-policy': 'require-corp' }),
    'nothing embedded, and windows of its own': () => ({
      'cross-origin-embedder-policy': 'require-corp',
      'cross-origin-opener-policy': 'same-origin',
    }),
  } as const

  for (const [name, headersFor] of Object.entries(policies))
    test(`a page that allows ${name} is paid from, and nothing breaks its policy`, async () => {
      const { service, shop } = world
      const order = await newOrder()
      const script = `window.broken = []
        addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => broken.push(violatedDirective + ' ' + blockedURI))
        const config = ${JSON.stringify(configOf(order, { redirect: false }))}
        config.handler = { transactionStatus: (fields) => heard('transactionStatus', fields) }
        document.querySelector('#go').onclick = () =>
          Paytm.CheckoutJS.init(config).then(() => Paytm.CheckoutJS.invoke()).then(() => heard('opened'), (error) => heard('refused', error.message))`
      shop.shows(`${order.orderId}.js`, script, { 'content-type': 'text/javascript' })
      const html = `<!doctype html><title>shop</title><script src="${scriptOf(service)}" crossorigin="anonymous"></script>
        <button id="go">Pay</button><script src="/start/${order.orderId}.js"></script>`
      const opened = await onShopPage(context, shop.shows(order.orderId, html, headersFor(service.url)))
      await opened.top.locator('#go').click()
      await opened.hears('opened')
      assert.equal(await opened.top.locator('dialog iframe').count(), 1, 'in a frame, not in a window')
      await payByCard(opened.view(), order.orderId)
      const [, fields] = await opened.hears('transactionStatus')
      assert.deepEqual(await opened.top.evaluate('broken'), [])
      assert.equal(await takenOnceOrNever(service, shop, order.orderId, () => fields as Record<string, string>), 'once')
      await opened.top.close()
    })

  test('a page that lets no frame in gets a window, and learns the result', async () => {
    const { service, shop } = world
    const order = await newOrder()
    const headers = { 'content-security-policy': `frame-src 'self'` }
    const html = documentOf(service, order, { redirect: false, handlers: { transactionStatus: '', notifyMerchant: '' } })
    const opened = await onShopPage(context, shop.shows(order.orderId, html, headers))
    await opened.top.clock.install()
    await opened.top.locator('#go').click()
    await opened.top.locator('dialog').waitFor()
    await opened.top.clock.runFor(8_000)
    const [popup] = await Promise.all([
      context.waitForEvent('page'),
      opened.top.getByRole('button', { name: 'Open the payment page' }).click(),
    ])
    await payByCard(popup, order.orderId)
    const [, fields] = await opened.hears('transactionStatus')
    assert.equal(await takenOnceOrNever(service, shop, order.orderId, () => fields as Record<string, string>), 'once')
    if (!popup.isClosed()) await popup.waitForEvent('close')
    assert.equal(await opened.top.locator('dialog').count(), 0)
    await opened.top.close()
  })

  // --------------------------------------------------------------------------------------------------------- strangers

  const TYPES = ['ready', 'shown', 'height', 'busy', 'stays', 'closed', 'expired', 'leave', 'result', 'open', 'close', '__proto__', '']
  const floods = `async (times, target, types) => {
    const values = [null, 7, [], 'x'.repeat(10_000), { mohur: {} }, { mohur: ['closed'] }]
    for (let at = 0; at < times; at++) {
      const mohur = types[at % types.length]
      const id = ['0'.repeat(32), '../../../x', 'javascript:alert(1)', '//evil.example', 7, undefined][at % 6]
      const message = at % 10 === 9 ? values[at % values.length] : { mohur, id, toShop: at % 2 === 0, height: at, fields: { STATUS: 'TXN_SUCCESS' }, txnToken: 'x', mid: 'x', orderId: 'x', view: '{' }
      target.postMessage(message, '*')
    }
    await new Promise((resolve) => setTimeout(resolve, 0))
  }`

  test('10,000 messages of strangers, from beside, from within and from the shop itself, do nothing', async () => {
    const { service, shop } = world
    const order = await newOrder()
    const evil = strangers.shows(
      'evil',
      `<!doctype html><title>evil</title><iframe src="${strangers.shows('nested', '<!doctype html><title>nested</title>')}"></iframe>`,
    )
    const other = await newOrder()
    const opened = await openedByLoader({ service, shop, context }, order, {
      redirect: false,
      handlers: { transactionStatus: '', notifyMerchant: '' },
      html: `<iframe id="evil" src="${evil}"></iframe><iframe id="ours" src="${service.url}/pay/frame"></iframe>`,
    })
    const { top } = opened
    const requests: string[] = []
    top.on('request', (request) => requests.push(request.url()))
    const frame = opened.view()
    const address = frame.url()
    let sent = 0
    const flood = async (from: { evaluate(script: string): Promise<unknown> }, target: string, times: number) => {
      await from.evaluate(`(${floods})(${times}, ${target}, ${JSON.stringify(TYPES)})`)
      sent += times
    }
    for (const each of top.frames()) if (each.url().startsWith(strangers.url)) await flood(each, 'top', 2_500)
    const evilFrame = top.frames().find((each) => each.url() === evil)!
    await flood(evilFrame, 'top.frames[2]', 1_500) // the payment page
    await flood(evilFrame, 'top.frames[1]', 500) // a frame of Mohur's that waits for its shop
    await flood(top, "document.querySelector('dialog iframe').contentWindow", 1_500) // the shop itself, with wrong messages except close
    await flood(top, 'window', 1_500)
    assert.equal(sent, 10_000)
    await afterLoader(top)
    // Only the shop itself may ask to close.
    assert.deepEqual(
      opened.heard.filter(([name]) => name !== 'opened' && name !== 'notifyMerchant'),
      [],
    )
    assert.deepEqual(
      requests.filter((url) => !url.startsWith('data:')),
      [],
      'nothing was asked for',
    )
    assert.equal(address, frame.url())
    assert.equal(await takenOnceOrNever(service, shop, order.orderId), 'never')
    assert.equal(await takenOnceOrNever(service, shop, other.orderId), 'never')
    await top.close()
  })

  /** A document of the shop's inside another document, which gives it an opaque origin. */
  const withoutOrigin = async (frame: (html: string) => string) => {
    const order = await newOrder()
    const inner = documentOf(world.service, order).replaceAll('heard(', 'console.log(')
    const page = await context.newPage()
    await page.clock.install()
    await page.goto(world.shop.shows(order.orderId, `<!doctype html><title>shop</title>${frame(inner)}`))
    await page.frameLocator('iframe').locator('#go').click()
    return { page, inner: page.frameLocator('iframe') }
  }

  test('a page without an origin of its own gets that reason, and no page', async () => {
    const { page, inner } = await withoutOrigin((html) => `<iframe src="data:text/html,${encodeURIComponent(html)}"></iframe>`)
    await inner.frameLocator('iframe').getByText('The shop has to name its site first').waitFor()
    assert.ok(!page.frames().some((each) => /\/pay\/[0-9a-f]{32}/.test(each.url())))
    await page.close()
  })

  test('a page in a sandbox, whose frames run nothing of Mohur’s, says that it cannot show the page', async () => {
    const { page, inner } = await withoutOrigin(
      (html) => `<iframe sandbox="allow-scripts" srcdoc="${html.replaceAll('"', '&quot;')}"></iframe>`,
    )
    await inner.locator('dialog').waitFor()
    await page.clock.runFor(8_000)
    await inner.getByText('The payment page cannot be shown here.').waitFor()
    await page.close()
  })

  test('a site that is not the shop’s gets one link to the full page, which pays', async () => {
    const { service, shop } = world
    // The last test of this file, because a merchant's sites cannot be removed again.
    await changeWorld(service, { merchants: [{ mid: MID, pageOrigins: [shop.url] }] })
    const order: Order = await newOrder()
    const opened = await onShopPage(
      context,
      strangers.shows(order.orderId, documentOf(service, order, { redirect: false, handlers: { transactionStatus: '' } })),
    )
    await opened.top.locator('#go').click()
    const frame = opened.top.frameLocator('dialog iframe')
    const link = frame.getByRole('link')
    await link.waitFor()
    assert.equal(await frame.locator('form, input, button:not([data-close])').count(), 0)
    assert.equal(await link.count(), 1)
    await link.click()
    await opened.top.locator('#way-card').waitFor()
    await payByCard(opened.top, order.orderId)
    await opened.top.locator('#told').waitFor()
    assert.equal(await takenOnceOrNever(service, shop, order.orderId), 'once')
    assert.deepEqual(
      opened.heard.filter(([name]) => name === 'transactionStatus'),
      [],
    )
    await opened.top.close()
  })
})
