// The React and the Angular wrapper of the browser loader from the npm registry, unmodified, in a shop's page on another origin. Each loads
// the script from its built-in host name, and its payer pays. Nothing is bundled: the browser loads the packages' own files.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { joinedValues, verify } from '../../../src/interface/checksum.ts'
import { chromiumPath, launch, openShop, type Shop } from '../../support/pages/browser.ts'
import { afterLoader, onShopPage, scriptOf } from '../../support/pages/loader-shop.ts'
import { type MappedHosts, mappedHosts } from '../../support/pages/mapped-hosts.ts'
import { takenOnceOrNever } from '../../support/pages/page-cases.ts'
import { begin, browserWays } from '../../support/pages/page-ways.ts'
import type { Order } from '../../support/paying/paying.ts'
import { areClientsRequired, installedClient } from '../../support/run/installed-client.ts'
import { KEY, MID, type Service, startService } from '../../support/run/service.ts'

interface Case {
  name: string
  place: 'overlay' | 'inline'
  redirect?: false
  /** The shop's page passes the wrapper the instance that its own tag has loaded. */
  givesInstance?: true
}
const cases: readonly Case[] = [
  { name: 'in an overlay', place: 'overlay', redirect: false },
  { name: 'in an overlay, and the browser posts the result too', place: 'overlay' },
  { name: 'in its own element', place: 'inline', redirect: false },
]
const withInstance: Case = {
  name: "in an overlay, by the script that the shop's page has loaded",
  place: 'overlay',
  redirect: false,
  givesInstance: true,
}

const configOf = ({ orderId, txnToken }: Order, { redirect }: Case) => `{
  root: '', flow: 'DEFAULT',
  data: { orderId: '${orderId}', token: '${txnToken}', tokenType: 'TXN_TOKEN', amount: '100.00' },
  merchant: { mid: '${MID}', name: 'Shop', ${redirect === false ? 'redirect: false' : ''} },
  payMode: { labels: {}, filter: { exclude: [] }, order: ['NB', 'CARD', 'LOGIN'] },
  handler: {
    notifyMerchant: (event) => heard('notifyMerchant', event),
    transactionStatus: (fields) => { heard('transactionStatus', fields); Paytm.CheckoutJS.close() },
  },
}`

// The wrapper's `Checkout` names no element of its own. In a page of this version the shop draws the place, by the wrapper's id.
const react = (order: Order, one: Case, script: string) => `<!doctype html><title>shop</title><div id="app"></div>
${one.givesInstance ? `<script src="${script}"></script>` : ''}
<script src="/packages/react/umd/react.production.min.js"></script>
<script src="/packages/react-dom/umd/react-dom.production.min.js"></script>
<script>const module = { exports: {} }; const { exports } = module; const require = () => React</script>
<script src="/packages/paytm-blink-checkout-react/build/commonjs/index.js"></script>
<script>
const { CheckoutProvider, Checkout, injectCheckout } = module.exports
const [make, config] = [React.createElement, ${configOf(order, one)}]
const Place = injectCheckout(({ elementId }) => make('div', { id: elementId }), true)
const props = { config, openInPopup: ${one.place === 'overlay'}, env: 'STAGE'${one.givesInstance ? ', checkoutJsInstance: Paytm.CheckoutJS' : ''} }
function Shop() {
  const [isShown, setShown] = React.useState(false)
  const button = make('button', { id: 'go', onClick: () => setShown(true) }, 'Pay')
  return make('div', null, button, make(CheckoutProvider, props, ${one.place === 'inline' ? 'make(Place)' : 'null'}, isShown && make(Checkout)))
}
ReactDOM.createRoot(document.querySelector('#app')).render(make(Shop))
</script>`

const angularModules = {
  tslib: 'tslib/tslib.es6.js',
  'zone.js': 'zone.js/fesm2015/zone.js',
  rxjs: 'rxjs/dist/esm/index.js',
  'rxjs/operators': 'rxjs/dist/esm/operators/index.js',
  'paytm-blink-checkout-angular': 'paytm-blink-checkout-angular/fesm2020/paytm-blink-checkout-angular.mjs',
  ...Object.fromEntries(
    ['core', 'common', 'compiler', 'platform-browser', 'platform-browser-dynamic'].map((name) => [
      `@angular/${name}`,
      `@angular/${name}/fesm2020/${name}.mjs`,
    ]),
  ),
}
const imports = Object.fromEntries(Object.entries(angularModules).map(([name, path]) => [name, `/packages/${path}`]))
const angular = (order: Order, one: Case) => `<!doctype html><title>shop</title><shop-root></shop-root>
<script type="importmap">${JSON.stringify({ imports })}</script>
<script type="module">
import 'zone.js'
import '@angular/compiler'
import { Component, NgModule } from '@angular/core'
import { BrowserModule } from '@angular/platform-browser'
import { platformBrowserDynamic } from '@angular/platform-browser-dynamic'
import { CheckoutModule, CheckoutService } from 'paytm-blink-checkout-angular'
class Shop {
  static parameters = [CheckoutService]
  constructor(service) { this.service = service }
  pay() {
    this.service.init(${configOf(order, one)}, { env: 'STAGE', openInPopup: ${one.place === 'overlay'} })
    this.isShown = true
  }
}
Component({ selector: 'shop-root', template: '<button id="go" (click)="pay()">Pay</button><paytm-checkout *ngIf="isShown"></paytm-checkout>' })(Shop)
class Page {}
NgModule({ declarations: [Shop], imports: [BrowserModule, CheckoutModule], bootstrap: [Shop] })(Page)
platformBrowserDynamic().bootstrapModule(Page)
</script>`

const wrappers = [
  { name: 'paytm-blink-checkout-react', file: 'build/commonjs/index.js', document: react, all: [...cases, withInstance] },
  { name: 'paytm-blink-checkout-angular', file: 'fesm2020/paytm-blink-checkout-angular.mjs', document: angular, all: cases },
]

for (const { name, file, document, all } of wrappers) {
  const client = await installedClient(name)
  if ('failure' in client) {
    test(`${name} can be installed where that is required`, () => {
      console.log(
        `\n==== ${name} CANNOT BE INSTALLED: its tests are LEFT OUT (${client.failure.split('\n').slice(0, 2).join(', ')}) ====\n`,
      )
      assert.ok(!areClientsRequired, `MOHUR_CLIENTS=required: ${client.failure}`)
    })
    continue
  }
  const packages = resolve(client.require.resolve(`${name}/package.json`), '../..')
  const text = readFileSync(join(packages, name, file), 'utf8')
  describe(`the wrapper ${name}`, { timeout: 600_000 }, () => {
    if (!chromiumPath) return // test/pages/payment/browser.test.ts says so, and fails where a browser is required
    interface Wrapped {
      service: Service
      hosts: MappedHosts
      shop: Shop
      browser: Browser
    }
    let opened: Promise<Wrapped> | undefined
    const open = async () => {
      const service = await startService('sqlite')
      const hosts = await mappedHosts(service)
      return { service, hosts, shop: await openShop({ packages }), browser: await launch(hosts.args) }
    }
    after(async () => {
      const { service, hosts, shop, browser } = (await opened) ?? {}
      await browser?.close()
      for (const each of [hosts, shop, service]) await each?.close()
    })

    for (const [at, one] of all.entries())
      test(`pays ${one.name}`, async () => {
        opened ??= open()
        const { service, hosts, shop, browser } = await opened
        const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-IN' })
        try {
          const way = browserWays['card']!
          const order = await way.order(service, `WRAPPED_${at}`, shop.callbackUrl)
          const { orderId } = order
          const { top, heard, hears, view } = await onShopPage(context, shop.shows(orderId, document(order, one, scriptOf(service))))
          await top.locator('#go').click()
          await top.frameLocator('iframe').locator('#way-card').waitFor()
          assert.equal(await top.locator('dialog#paytm-checkoutjs').count(), one.place === 'overlay' ? 1 : 0)
          await begin(way, { service, page: view(), orderId, hasScript: true, top })

          const { CHECKSUMHASH, ...fields } = (await hears('transactionStatus'))[1] as Record<string, string>
          assert.ok(verify(joinedValues(fields), CHECKSUMHASH, KEY))
          if (one.redirect === false) await afterLoader(top)
          else await top.locator('#told').waitFor()
          assert.equal(await takenOnceOrNever(service, shop, orderId, () => fields), 'once')
          assert.equal(shop.callbacks.has(orderId), one.redirect !== false)
          assert.equal(await top.locator('iframe').count(), 0)
          assert.deepEqual(
            heard.map(([what]) => what),
            ['transactionStatus'],
          )
          const isWritten = (host: string) => text.includes(`https://${host}`)
          assert.ok([...hosts.names].some(isWritten), `${[...hosts.names]} is no name that the wrapper has`)
        } finally {
          await context.close()
        }
      })
  })
}
