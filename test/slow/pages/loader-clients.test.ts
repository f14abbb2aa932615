// How published shop plugins and sample pages load and call the browser loader (docs/moving.md). Each row is a page of Mohur's with the
// same tags, the same calls in the same order, and a config of the same shape. Its payer pays, once, and the shop gets the result that the
// loader promises.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { joinedValues, verify } from '../../../src/interface/checksum.ts'
import { chromiumPath } from '../../support/pages/browser.ts'
import { afterLoader, type Opened, onShopPage, scriptOf } from '../../support/pages/loader-shop.ts'
import { sharedWorld, takenOnceOrNever, type World } from '../../support/pages/page-cases.ts'
import { begin, browserWays } from '../../support/pages/page-ways.ts'
import type { Order } from '../../support/paying/paying.ts'
import { KEY } from '../../support/run/service.ts'

interface Client {
  name: string
  /** Everything after the line that sets `config`. */
  html(script: string): string
  /** Members of `config` beside `data` and `handler`. */
  config: object
  amount?: number | string
  /** What each handler does after it has noted its call. Absent handlers are not passed. */
  handlers: Readonly<Partial<Record<'transactionStatus' | 'notifyMerchant', string>>>
  /** The page opens by itself, without a press of `#go`. */
  opensItself?: true
  /** The payer closes the page first, and opens it again: by `#again`, or because the shop's page is reloaded. */
  closesFirst?: 'presses again' | 'page is loaded anew'
  posts: boolean
  way?: string
}

const INIT_INVOKE = `Paytm.CheckoutJS.init(config).then(() => { Paytm.CheckoutJS.invoke() }).catch((error) => heard('refused', error.message))`
const tag = (script: string, more = '') => `<script type="application/javascript" crossorigin="anonymous" src="${script}"${more}></script>`
const button = '<input type="button" id="go" value="Pay" onclick="pay()">'
const named = (platform: string) => ({ root: '', flow: 'DEFAULT', integration: { platform, version: '1.0|2.0' } })
const RELOADS = `if (event === 'SESSION_EXPIRED' || event === 'APP_CLOSED') location.reload()`
const CLOSES = 'Paytm.CheckoutJS.close()'

const clients: readonly Client[] = [
  {
    name: 'WooCommerce: a tag behind the code calls it by onload; a link invokes again after closing',
    html: (script) => `<style>.cover { position: fixed; inset: 0; z-index: 9999 }</style>
      <script>function opens() { Paytm.CheckoutJS.onLoad(() => { ${INIT_INVOKE} }) }</script>
      ${tag(script, ' onload="opens()"')}<div class="cover"></div>
      <a href="" id="again" style="position: fixed; z-index: 10000" onclick="Paytm.CheckoutJS.invoke(); return false">Pay now</a>`,
    config: named('Woocommerce'),
    handlers: { notifyMerchant: `document.querySelector('.cover').remove()` },
    opensItself: true,
    closesFirst: 'presses again',
    posts: true,
  },
  {
    name: 'CS-Cart: a host that ends in a slash, a rule for the overlay, the page anew after closing',
    html: (script) => `<style>#paytm-checkoutjs { display: block !important }</style>
      <script>function opens() { Paytm.CheckoutJS.onLoad(() => { ${INIT_INVOKE} }) }</script>
      ${tag(script.replace('/merchantpgpui', '//merchantpgpui'), ' onload="opens()"')}`,
    config: named('CsCart'),
    handlers: { notifyMerchant: `if (event === 'APP_CLOSED') location = location.href` },
    opensItself: true,
    closesFirst: 'page is loaded anew',
    posts: true,
  },
  {
    name: 'OpenCart: a tag with stray attributes before the code, no onLoad, a press',
    html: (script) => `${tag(script, ' loaded=true;"')}${button}<script>function pay() { ${INIT_INVOKE} }</script>`,
    config: named('Opencart'),
    handlers: { notifyMerchant: `if (event === 'SESSION_EXPIRED') location.reload()` },
    posts: true,
  },
  {
    name: 'Moodle: redirect asked for, a cover that stays, a reload after closing',
    html: (script) => `${tag(script)}${button}<script>
      function pay() {
        document.body.insertAdjacentHTML('beforeend', '<div style="position: fixed; inset: 0; z-index: 9999999999"></div>')
        ${INIT_INVOKE}
      }</script>`,
    config: { ...named('Moodle'), merchant: { redirect: true } },
    amount: '100',
    handlers: { notifyMerchant: RELOADS },
    closesFirst: 'page is loaded anew',
    posts: true,
  },
  {
    name: 'PrestaShop: the press asks the shop for the token first',
    html: (script) => `${tag(script)}${button}<script>
      function pay() { fetch(location.href).then(() => { if (Paytm && Paytm.CheckoutJS) { ${INIT_INVOKE} } }) }</script>`,
    config: named('Prestashop'),
    amount: '100',
    handlers: { notifyMerchant: `if (event === 'SESSION_EXPIRED') location.reload()` },
    posts: true,
  },
  {
    name: 'Drupal Commerce: a tag in an element of the page, a timer and no press',
    html: (script) => `<div>${tag(script)}<script>setTimeout(() => { ${INIT_INVOKE} }, 0)</script></div>`,
    config: { ...named('Paytm_Drupal_Commerce'), merchant: { redirect: true } },
    amount: '100',
    handlers: { notifyMerchant: RELOADS },
    opensItself: true,
    posts: true,
  },
  {
    name: 'nopCommerce: a script without .js by code, a timer and no press, another page at every event',
    html: (script) => `<script>
      const element = document.createElement('script')
      element.setAttribute('src', '${script.replace(/\.js$/, '')}')
      element.setAttribute('crossorigin', 'anonymous')
      element.onload = () => setTimeout(() => { ${INIT_INVOKE} }, 0)
      document.head.appendChild(element)</script>`,
    config: named('Nop Commerce'),
    handlers: { notifyMerchant: 'location = location.href' },
    opensItself: true,
    closesFirst: 'page is loaded anew',
    posts: true,
  },
  {
    name: 'Gravity Forms: onLoad while the document is being read',
    html: (script) => `${tag(script, ' "')}<button id="go" type="button">Pay</button>
      <script>Paytm.CheckoutJS.onLoad(() => { ${INIT_INVOKE} })</script>`,
    config: named('Wordpress GF'),
    handlers: { notifyMerchant: '' },
    opensItself: true,
    posts: true,
  },
  {
    name: 'WordPress donations: no root, a number as amount, a handler of the result that does nothing',
    html: (script) => `<form method="post"><input type="submit" id="go" value="Donate"></form>${tag(script)}
      <script>document.querySelector('#go').onclick = () => { ${INIT_INVOKE}; return false }</script>`,
    config: { flow: 'DEFAULT', integration: { platform: 'Wordpress Donation', version: '6.5|2.3.3' } },
    amount: 100,
    handlers: { notifyMerchant: RELOADS, transactionStatus: '' },
    posts: true,
  },
  {
    name: 'Magento: a script with a query that is taken away once it has run, a number as amount',
    html: (script) => `${button}<script>
      const element = document.createElement('script')
      const isLoaded = new Promise((loaded) => { element.onload = loaded })
      element.src = '${script}?_=1'
      document.head.appendChild(element)
      isLoaded.then(() => element.remove())
      function pay() { isLoaded.then(() => { ${INIT_INVOKE} }) }</script>`,
    config: named('Magento'),
    amount: 100,
    handlers: { notifyMerchant: '' },
    posts: true,
  },
  {
    name: 'the sample page of a payment: both handlers beside a redirect, close in the handler',
    html: (script) => `<button type="button" id="go" disabled>Pay</button><script>
      const go = document.querySelector('#go')
      const element = Object.assign(document.createElement('script'), { src: '${script}', onload: () => { go.disabled = false } })
      document.head.appendChild(element)
      go.onclick = () => { ${INIT_INVOKE} }</script>`,
    config: { root: '', flow: 'DEFAULT', merchant: { redirect: true } },
    handlers: { notifyMerchant: '', transactionStatus: CLOSES },
    posts: true,
  },
  {
    name: 'the sample page of a subscription: no redirect, close in the handler',
    html: (script) => `${tag(script)}${button}<script>function pay() { ${INIT_INVOKE} }</script>`,
    config: { root: '', flow: 'DEFAULT', merchant: { redirect: false } },
    amount: '10.00',
    handlers: { notifyMerchant: '', transactionStatus: CLOSES },
    way: 'consent',
    posts: false,
  },
  {
    name: 'an address with backslashes, as in the Laravel kit, and empty members as PHP writes them',
    html: (script) => `${tag(script.replace('http://', 'HTTP:\\\\'))}${button}<script>function pay() { ${INIT_INVOKE} }</script>`,
    config: {
      root: '',
      flow: 'DEFAULT',
      merchant: [],
      payMode: { labels: [], filter: { exclude: [], include: [] }, order: [] },
      style: [],
    },
    handlers: { notifyMerchant: '', transactionStatus: '' },
    posts: true,
  },
  {
    name: 'shops that look for the overlay by its id, and wait until it is gone',
    html: (script) => `${tag(script, ' id="Paytm"')}${button}<script>
      function pay() {
        ${INIT_INVOKE}
        let isSeen = false
        const timer = setInterval(() => {
          const { length } = document.querySelectorAll('#paytm-checkoutjs')
          if (length > 0) isSeen = true
          else if (isSeen) { clearInterval(timer); heard('gone') }
        }, 20)
      }</script>`,
    config: { root: '', merchant: { redirect: false }, payMode: { filter: { exclude: [] }, order: ['NB', 'CARD', 'LOGIN'] } },
    handlers: { transactionStatus: '' },
    posts: false,
  },
]

function documentOf({ html, config, amount = '100.00', handlers }: Client, { orderId, txnToken }: Order, script: string) {
  const data = { orderId, token: txnToken, tokenType: 'TXN_TOKEN', amount }
  const given = Object.entries(handlers).map(([name, more]) => `${name}: (event) => { heard('${name}', event); ${more} }`)
  return `<!doctype html><html><head><title>shop</title></head><body>
    <script>const config = ${JSON.stringify({ ...config, data })}; config.handler = { ${given.join(', ')} }</script>${html(script)}</body></html>`
}

const shown = (top: Page) => top.frameLocator('iframe').locator('#way-card, #way-upi').first().waitFor()

async function closeAndOpen({ closesFirst, opensItself }: Client, { top, view, hears }: Opened) {
  const anew = closesFirst === 'page is loaded anew' ? top.waitForEvent('load') : undefined
  await view().locator('h1').first().press('Escape')
  await Promise.all([hears('notifyMerchant'), anew])
  if (!anew) await top.locator('#again').click()
  else if (!opensItself) await top.locator('#go').click()
  await shown(top)
}

async function run({ service, shop, browser }: World, client: Client, orderId: string) {
  const way = browserWays[client.way ?? 'card']!
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-IN' })
  try {
    const order = await way.order(service, orderId, shop.callbackUrl)
    const opened = await onShopPage(context, shop.shows(orderId, documentOf(client, order, scriptOf(service))))
    const { top, heard, hears, view } = opened
    if (!client.opensItself) await top.locator('#go').click()
    await shown(top)
    if (client.closesFirst) await closeAndOpen(client, opened)
    const paying = { service, page: view(), orderId, hasScript: true, top }
    await begin(way, paying)
    await way.decide?.(paying, 'approve')

    const result =
      client.handlers.transactionStatus === undefined ? undefined : ((await hears('transactionStatus'))[1] as Record<string, string>)
    if (client.posts) await top.locator('#told').waitFor()
    else {
      await top.locator('#paytm-checkoutjs').waitFor({ state: 'detached' })
      await afterLoader(top)
    }
    const { CHECKSUMHASH, ...fields } = result ?? {}
    if (result) assert.ok(verify(joinedValues(fields), CHECKSUMHASH, KEY))
    assert.equal(await takenOnceOrNever(service, shop, orderId, () => (client.posts ? shop.callbacks.get(orderId) : fields)), 'once')
    assert.equal(shop.callbacks.has(orderId), client.posts)
    const expected = [...(client.closesFirst ? ['notifyMerchant'] : []), ...(result ? ['transactionStatus'] : [])]
    assert.deepEqual(
      heard.flatMap(([name]) => (name === 'gone' ? [] : [name])),
      expected,
    )
    if (client.html('').includes("heard('gone')")) await hears('gone')
  } finally {
    await context.close()
  }
}

describe('published pages that call the loader', { timeout: 900_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so, and fails where a browser is required
  const world = sharedWorld()
  for (const [at, client] of clients.entries()) test(client.name, async () => run(await world(), client, `CLIENT_${at}`))
})
