// Banks and shops name the fields of their forms, and a field hides the form's own property or method of its name. With any name the script
// throws nothing, and one press is one request.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContext, Page, Request } from 'playwright-core'
import { becomes, chromiumPath, PATIENCE_MS, sentToPay } from '../../../support/pages/browser.ts'
import { sharedWorld, type World } from '../../../support/pages/page-cases.ts'
import { TYPED_CARD } from '../../../support/pages/page-ways.ts'
import { pay } from '../../../support/paying/paying.ts'

/** The names of a form's own members and of all that it inherits. */
const NAMES = `(() => {
  const names = new Set()
  for (let each = HTMLFormElement.prototype; each; each = Object.getPrototypeOf(each)) for (const name of Object.getOwnPropertyNames(each)) names.add(name)
  return [...names]
})()`

/** Notes the result of each submission, by the name of the form's field. `isHeld` keeps the browser on the page. */
const LOG = `
  window.submits = []
  window.isHeld = false
  addEventListener('submit', (event) => {
    submits.push([Element.prototype.getAttribute.call(event.target, 'data-named'), event.defaultPrevented])
    if (isHeld) event.preventDefault()
  })`

const FORMS = {
  bank: /<form method="post" action="[^"]*\/sandbox\/bank\/page"[^>]*>.*?<\/form>/s,
  shop: /<form method="post" action="[^"]*\/callback"[^>]*>.*?<\/form>/s,
} as const
type Kind = keyof typeof FORMS
const field = (name: string) => `<input type="hidden" name="${name}" value="1">`
/** A form of this kind for each name, or one with all of them. */
const eachNamed = (kind: Kind, names: readonly string[]) => (html: string) =>
  html.replace(FORMS[kind], (form) =>
    names
      .map((name) =>
        form
          .replace('<form', `<form data-named="${name}"`)
          .replace(' data-goes', '')
          .replace('<button', `${field(name)}<button`),
      )
      .join(''),
  )
const allNamed = (kind: Kind, names: readonly string[]) => (html: string) =>
  html.replace(FORMS[kind], (form) =>
    form.replace('<form', '<form data-named="all"').replace('<button', `${names.map(field).join('')}<button`),
  )

/** Each name is in two groups, and no two names are together in both. So a name hides in at most one group what another breaks. */
function groupsOf(names: readonly string[]): string[][] {
  const size = Math.ceil(Math.sqrt(names.length))
  const by = (groupOf: (at: number) => number) =>
    Array.from({ length: size }, (_, group) => names.filter((_name, at) => groupOf(at) === group)).filter(({ length }) => length > 0)
  return [...by((at) => Math.floor(at / size)), ...by((at) => at % size)]
}

const press = (named: string) => `document.querySelector('form[data-named="${named}"] > button').click()`
const pressAll = (names: readonly string[]) => `{ ${names.map(press).join('; ')} }`

describe('forms whose fields have any name', { timeout: 900_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  const world = sharedWorld()
  let orders = 0

  interface Here extends World {
    page: Page
    context: BrowserContext
    /** The page of an attempt that goes on at the bank's page. */
    address: string
    thrown: string[]
    /** Requests that would have left for the bank or the shop. */
    requests: Request[]
    names: readonly string[]
    /** Changes the page before the browser sees it. */
    changes: { by: (html: string) => string }
  }
  async function atBank(work: (here: Here) => Promise<void>) {
    const parts = await world()
    const context = await parts.browser.newContext({ locale: 'en-IN' })
    try {
      const changes = { by: (html: string) => html }
      const requests: Request[] = []
      await context.addInitScript(LOG)
      await context.route(/\/(sandbox\/bank\/page|callback)$/, (route) => {
        requests.push(route.request())
        return route.fulfill({ status: 204 })
      })
      const { order, page } = await sentToPay({ ...parts, context }, `NAMED_${++orders}_FIELDS`)
      const address = page.url()
      const names = await page.evaluate<string[]>(NAMES)
      await pay(parts.service, order, { paymentMode: 'NET_BANKING', channelCode: 'HDFC' })
      await context.route(/\/pay\/[0-9a-f]{32}(\?.*)?$/, async (route) => {
        const response = await route.fetch({ timeout: PATIENCE_MS })
        return route.fulfill({ response, body: changes.by(await response.text()) })
      })
      const thrown: string[] = []
      page.on('pageerror', ({ message }) => thrown.push(message))
      await work({ ...parts, page, context, address, thrown, requests, names, changes })
    } finally {
      await context.close()
    }
  }
  /** How often each form was let through. */
  const sentOf = async (page: Page, names: readonly string[]) => {
    const submits = await page.evaluate<[string, boolean][]>('submits')
    return names.map((name) => submits.filter(([named, isPrevented]) => named === name && !isPrevented).length)
  }
  const loaded = `document.querySelector('[data-until] [data-left]:not([hidden])')`

  test('are sent once by a press, a second one and one without a network, and throw nothing', (t) =>
    atBank(async ({ page, context, address, thrown, names, changes }) => {
      let [offline, twice, never] = [0, 0, 0]
      for (const kind of ['bank', 'shop'] as const) {
        changes.by = eachNamed(kind, names)
        await page.goto(`${address}?message=checked`)
        assert.ok(await becomes(page, loaded))
        await page.evaluate('isHeld = true')
        await context.setOffline(true)
        await page.evaluate(pressAll(names))
        // The sandbox's bank has the service's own host; the shop has another.
        if (kind === 'bank') offline += (await sentOf(page, names)).filter((times) => times > 0).length
        assert.ok(await page.evaluate<boolean>(`!document.querySelector('[data-offline]').hidden`))
        await context.setOffline(false)
        await page.evaluate(pressAll(names))
        await page.evaluate(pressAll(names))
        const sent = await sentOf(page, names)
        twice += sent.filter((times) => times > 1).length
        never += sent.filter((times) => times < 1).length
      }
      const product = `names ${names.length} x {press, second press, offline} x {bank, shop}`
      const figures = `${product}: thrown ${thrown.length}, sent twice ${twice}, sent offline ${offline}, not sent ${never}`
      assert.deepEqual([thrown.length, twice, offline, never], [0, 0, 0, 0], figures)
      assert.ok(names.length > 200)
      t.diagnostic(figures)
    }))

  test('go on by themselves once, and a press beside that sends nothing more', (t) =>
    atBank(async ({ page, address, thrown, requests, names, changes }) => {
      let sentTwice = 0
      const groups = groupsOf(names)
      for (const group of groups) {
        changes.by = allNamed('bank', group)
        requests.length = 0
        const goes = page.waitForRequest(/\/sandbox\/bank\/page$/)
        await page.goto(address, { waitUntil: 'commit' })
        await goes
        assert.ok(await becomes(page, loaded))
        await page.evaluate(`isHeld = true; submits.length = 0; ${press('all')}`)
        const [pressed = 0] = await sentOf(page, ['all'])
        assert.equal(requests.length, 1, group.join())
        sentTwice += pressed
      }
      const product = `names ${names.length} in ${groups.length} groups x {data-goes, then a press}`
      t.diagnostic(`${product}: thrown ${thrown.length}, sent twice ${sentTwice}`)
      assert.deepEqual([thrown.slice(0, 3), sentTwice], [[], 0])
    }))

  test('and with every name at once, reach the bank and the shop once, with all their fields', () =>
    atBank(async ({ page, address, thrown, requests, names, changes, service }) => {
      const fieldsOf = (request: Request) => new Set(new URLSearchParams(request.postData() ?? '').keys())
      changes.by = allNamed('bank', names)
      const goes = page.waitForRequest(/\/sandbox\/bank\/page$/)
      await page.goto(`${address}?message=checked`)
      assert.ok(await becomes(page, loaded))
      await page.evaluate(`{ ${press('all')}; ${press('all')} }`)
      await goes
      await page.evaluate(press('all'))
      assert.equal(requests.length, 1)
      assert.deepEqual(
        names.filter((name) => !fieldsOf(requests[0]!).has(name)),
        [],
      )

      const [, orderId] = /NAMED_(\d+)_FIELDS/.exec(`NAMED_${orders}_FIELDS`)!
      await service.post(
        '/sandbox/payer',
        JSON.stringify({ mid: 'DEMO0000000000000001', orderId: `NAMED_${orderId}_FIELDS`, action: 'approve' }),
      )
      await service.tasks.runDue()
      requests.length = 0
      changes.by = allNamed('shop', names)
      const back = page.waitForRequest(/\/callback$/)
      await page.goto(address, { waitUntil: 'commit' })
      await back
      assert.ok(await becomes(page, `document.querySelector('[data-stage="paid"] form[data-named="all"]')`))
      await page.evaluate(`isHeld = true; submits.length = 0; ${press('all')}`)
      assert.deepEqual([requests.length, await sentOf(page, ['all']), thrown], [1, [0], []])
      assert.deepEqual(
        names.filter((name) => !fieldsOf(requests[0]!).has(name)),
        [],
      )
    }))

  test('a card is checked, priced and paid by a form that has fields of a form’s own names', async () => {
    const parts = await world()
    const context = await parts.browser.newContext({ locale: 'en-IN' })
    try {
      const own = [
        'action',
        'submit',
        'requestSubmit',
        'matches',
        'closest',
        'dataset',
        'noValidate',
        'reportValidity',
        'target',
        'elements',
      ]
      const more = ['querySelector', 'querySelectorAll', 'getAttribute', 'hasAttribute', 'setAttribute', 'append', 'addEventListener']
      const thrown: string[] = []
      await context.route(/\/pay\/[0-9a-f]{32}(\?.*)?$/, async (route) => {
        const response = await route.fetch({ timeout: PATIENCE_MS })
        const body = (await response.text()).replaceAll(/(<form[^>]* data-pays="[^"]*">)/g, `$1${[...own, ...more].map(field).join('')}`)
        return route.fulfill({ response, body })
      })
      const offers = { txnAmount: { value: '499.00', currency: 'INR' }, simplifiedPaymentOffers: { applyAvailablePromo: true } }
      const { page } = await sentToPay({ ...parts, context }, 'NAMED_CARD', offers)
      page.on('pageerror', ({ message }) => thrown.push(message))
      const says = (text: string) => becomes(page, `document.querySelector('#way-card button').textContent === '${text}'`)
      await page.evaluate(`document.querySelector('#way-card').open = true`)
      const type = async (name: string, text: string) => {
        await page.evaluate(`{ const field = document.getElementById('card-${name}'); field.focus(); field.select() }`)
        await page.keyboard.type(text)
      }
      assert.ok(await says('Pay ₹499.00'))
      for (const [name, text] of [
        ['cardNumber', '4012888888881882'], // with a wrong check digit
        ['expiry', TYPED_CARD.expiry],
        ['cvv', TYPED_CARD.cvv],
      ] as const)
        await type(name, text)
      await page.evaluate(`document.querySelector('#way-card button').click()`)
      assert.ok(await becomes(page, `document.activeElement.id === 'card-cardNumber' && document.activeElement.ariaInvalid === 'true'`))
      await type('cardNumber', '4012888888881881')
      assert.ok(await says('Pay ₹499.00'))
      await page.evaluate(`document.querySelector('#way-card button').click()`)
      await page.locator('#told').waitFor()
      assert.deepEqual([parts.shop.callbacks.get('NAMED_CARD')?.['STATUS'], thrown], ['TXN_SUCCESS', []])
    } finally {
      await context.close()
    }
  })
})
