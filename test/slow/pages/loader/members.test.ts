// Each member and method of `Paytm.CheckoutJS`, as a shop's own page calls them: docs/pages.md, "The browser loader".

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chromiumPath } from '../../../support/pages/browser.ts'
import { atDesk, type Desk, type DeskOptions, inFrame, LOADER_CROSS, NOTES, OVERLAY } from '../../../support/pages/loader-desk.ts'
import { configOf, documentOf, scriptOf } from '../../../support/pages/loader-shop.ts'
import { sharedWorld } from '../../../support/pages/page-cases.ts'
import { begin, browserWays } from '../../../support/pages/page-ways.ts'

const ELEMENTS: Readonly<Record<string, string>> = {
  CARD: 'way-card',
  UPI: 'way-upi',
  NB: 'way-bank',
  EMI: 'way-emi',
  PAY_WITH_PAYTM: 'way-wallet',
  SCAN_AND_PAY: 'way-upi',
}
const MIB = 1024 * 1024

describe('the members of the loader that a shop calls', { timeout: 600_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so, and fails where a browser is required
  const world = sharedWorld()
  let orders = 0
  const at = async (of: DeskOptions, work: (desk: Desk) => Promise<void>) => atDesk(await world(), `MEMBER_${++orders}`, of, work)

  /** The ids of the ways to pay, in their order. */
  const waysIn = async (desk: Desk, selector?: string): Promise<string[]> => {
    await inFrame(desk, selector).locator('main').waitFor()
    return inFrame(desk, selector)
      .locator('details[name="way"]')
      .evaluateAll((all) => all.map((each) => each.id))
  }
  const pays = ({ service, view, order, top }: Desk) =>
    begin(browserWays['card']!, { service, page: view(), orderId: order.orderId, hasScript: true, top })

  // -------------------------------------------------------------------------------------------------------- the object

  test('window.Paytm keeps what it had, and what is added are functions that need no `this`', () =>
    at(
      {
        document: ({ service, order }) =>
          `<!doctype html><script>Paytm = { Other: 7 }</script>${documentOf(service, order, { handlers: NOTES })}`,
      },
      async ({ top }) => {
        assert.equal(await top.evaluate('Paytm.Other'), 7)
        assert.deepEqual(await top.evaluate('Object.entries(Paytm.CheckoutJS).map(([name, value]) => [name, typeof value])'), [
          ['onLoad', 'function'],
          ['init', 'function'],
          ['invoke', 'function'],
          ['close', 'function'],
          ['elements', 'function'],
          ['ELEMENT_PAYMODE', 'object'],
        ])
        assert.deepEqual(
          await top.evaluate('Paytm.CheckoutJS.ELEMENT_PAYMODE'),
          Object.fromEntries(Object.keys(ELEMENTS).map((name) => [name, name])),
        )
      },
    ))

  test('a copy of the object, and its functions alone, open and close the page', () =>
    at({}, async (desk) => {
      assert.equal(
        await desk.outcomeOf('(() => { const copy = { ...CheckoutJS }; return copy.init(config).then(() => copy.invoke()) })()'),
        'done',
      )
      assert.equal(await desk.top.locator(OVERLAY).count(), 1)
      await desk.top.evaluate('(() => { const { close } = CheckoutJS; close() })()')
      assert.equal(await desk.top.locator(OVERLAY).count(), 0)
    }))

  test('the script loaded a second time leaves what is open, and the result is handed over once', () =>
    at({ redirect: false }, async (desk) => {
      const { top, service, heard } = desk
      await desk.opens()
      const again = `new Promise((resolve) => document.head.append(Object.assign(document.createElement('script'), { src: '${scriptOf(service)}', onload: resolve })))`
      const before = 'window.before = Paytm.CheckoutJS'
      assert.equal(await top.evaluate(`${before}; ${again}.then(() => Paytm.CheckoutJS === window.before)`), true)
      assert.equal(await top.locator(OVERLAY).count(), 1)
      await pays(desk)
      await desk.hears('transactionStatus')
      await top.locator('iframe').waitFor({ state: 'detached' })
      assert.equal(heard.filter(([name]) => name === 'transactionStatus').length, 1)
    }))

  // ------------------------------------------------------------------------------------------------------------ onLoad

  test('onLoad calls when the document is read, and afterwards soon; never in the middle of its own call', () =>
    at(
      {
        document: ({ service }) => `<!doctype html><script src="${scriptOf(service)}"></script><script>
const calls = []
const note = (name) => () => calls.push([name, document.readyState, !!document.querySelector('#end')])
Paytm.CheckoutJS.onLoad(note('early'))
Paytm.CheckoutJS.onLoad(note('also'))
calls.push('read on')
</script><p id="end"></p>`,
      },
      async ({ top }) => {
        assert.deepEqual(await top.evaluate('calls'), ['read on', ['early', 'interactive', true], ['also', 'interactive', true]])
        assert.deepEqual(
          await top.evaluate(
            `calls.length = 0, Paytm.CheckoutJS.onLoad(note('late')), calls.push('read on'), Promise.resolve().then(() => calls)`,
          ),
          ['read on', ['late', 'complete', true]],
        )
        for (const wrong of ['undefined', 'null', '7', '{}', '"f"'])
          assert.equal(await top.evaluate(`Paytm.CheckoutJS.onLoad(${wrong})`), undefined)
      },
    ))

  // -------------------------------------------------------------------------------------------------------------- init

  test('init refuses what it cannot use, and says which member', () =>
    at({}, async ({ outcomeOf, top }) => {
      const refused: readonly (readonly [config: string, because: string])[] = [
        ['undefined', 'data.orderId is missing or not a text'],
        ['null', 'data.orderId is missing or not a text'],
        ['[]', 'data.orderId is missing or not a text'],
        ['"text"', 'config is not an object'],
        ['7', 'config is not an object'],
        ['() => {}', 'config is not an object'],
        ['{ ...config, data: "text" }', 'data is not an object'],
        ['{ ...config, order: true }', 'order is not an object'],
        ['{ ...config, merchant: "M" }', 'merchant is not an object'],
        ['{ ...config, merchant: { mid: {} } }', 'merchant.mid is missing or not a text'],
        ['{ ...config, handler: () => {} }', 'handler is not an object'],
        ['{ ...config, handler: { transactionStatus: "f" } }', 'a member of handler is not a function'],
        ['{ ...config, handler: { notifyMerchant: {} } }', 'a member of handler is not a function'],
        ['{ ...config, flow: "DEFERRED" }', 'there is no flow DEFERRED'],
        ...['"SSO"', '"GUEST"', '7', '{}', '""'].map(
          (type) => [`with({ tokenType: ${type} })`, 'data.tokenType is not TXN_TOKEN'] as const,
        ),
        ...['undefined', 'null', '""', '{}', '[]', 'true', 'Symbol("x")', '"x".repeat(1001)', `"x".repeat(${MIB})`].flatMap(
          (value) =>
            [
              [`with({ orderId: ${value} })`, 'data.orderId is missing or not a text'],
              [`with({ token: ${value} })`, 'data.token is missing or not a text'],
            ] as const,
        ),
      ]
      for (const [config, because] of refused) {
        const made = config.replace(/^with\((.*)\)$/s, '{ ...config, data: { ...config.data, ...$1 } }')
        assert.equal(await outcomeOf(`CheckoutJS.init(${made.startsWith('{') ? `(${made})` : made})`), `CheckoutJS: ${because}`, config)
      }
      assert.equal(await outcomeOf('CheckoutJS.invoke()'), 'CheckoutJS: invoke was called before init')
      assert.equal(await top.evaluate('CheckoutJS.init().catch((error) => error instanceof Error)'), true)
      assert.equal(await top.locator('iframe').count(), 0)
    }))

  test('init takes what shops write beside it: older names, numbers, objects, and unknown members', () =>
    at({}, async (desk) => {
      const { outcomeOf, top } = desk
      for (const config of [
        '{ order: { id: config.data.orderId, token: config.data.token, amount: 100 }, root: "" }',
        '{ ...config, data: { ...config.data, tokenType: undefined, amount: 100, userDetail: { mobileNumber: 7 } } }',
        '{ ...config, handler: { transactionStatus: null, notifyMerchant: undefined, other: "f" } }',
        '{ ...config, data: { orderId: 7, token: 7 } }',
        `{ ...config, flow: 'DEFAULT', env: {}, style: { themeColor: 7 }, mapClientMessage: {}, integration: { platform: 'x' }, merchant: { name: 7, logo: { src: 'x' } }, more: window }`,
      ])
        assert.equal(await outcomeOf(`CheckoutJS.init(${config})`), 'done', config)
      assert.equal(
        await outcomeOf(
          'CheckoutJS.init({ order: { id: config.data.orderId, token: config.data.token } }).then(() => CheckoutJS.invoke())',
        ),
        'done',
      )
      await inFrame(desk).getByText('₹100.00').first().waitFor()
      assert.equal(await top.locator(OVERLAY).count(), 1)
    }))

  test('init asks no server; a token that opens nothing is reported in the frame', () =>
    at({ config: { data: { orderId: 'MEMBER_1', token: 'made-up' } } }, async (desk) => {
      const asked: string[] = []
      desk.top.on('request', (request) => asked.push(request.url()))
      assert.equal(await desk.outcomeOf('CheckoutJS.init(config)'), 'done')
      assert.deepEqual(asked, [])
      await desk.opens()
      await inFrame(desk).getByRole('heading').first().waitFor()
      assert.equal(await inFrame(desk).locator('[data-stage="choices"]').count(), 0)
      await inFrame(desk).getByRole('heading').first().press('Escape')
      await desk.hears('notifyMerchant')
      assert.deepEqual(desk.events(), ['APP_CLOSED'])
    }))

  test('the script of an unknown merchant refuses by init and by elements', () =>
    at(
      { document: ({ service, order }) => documentOf(service, order).replaceAll(scriptOf(service), scriptOf(service, 'NOBODY')) },
      async ({ outcomeOf }) => {
        const because = 'CheckoutJS: the merchant of this script is not known'
        assert.equal(await outcomeOf('CheckoutJS.init(config)'), because)
        assert.equal(await outcomeOf('CheckoutJS.elements(config).createElement("UPI", { root: document.body }).invoke()'), because)
      },
    ))

  // ------------------------------------------------------------------------------------------------------ invoke, close

  test('invoke with the same config focuses the page that is open; with another it takes its place', () =>
    at({}, async (desk) => {
      const { top, outcomeOf, service, shop } = desk
      await desk.opens()
      await top.evaluate('document.activeElement.blur()')
      const first = await top.evaluate('(window.frame = document.querySelector("iframe")).title')
      assert.equal(first, 'Payment')
      assert.equal(await outcomeOf('CheckoutJS.invoke()'), 'done')
      assert.equal(await top.evaluate('document.activeElement === frame && document.querySelectorAll("iframe").length === 1'), true)
      await atDesk({ ...desk, service, shop }, `MEMBER_${++orders}`, {}, async ({ order }) => {
        const other = JSON.stringify(configOf(order))
        assert.equal(await outcomeOf(`CheckoutJS.init(${other}).then(() => CheckoutJS.invoke())`), 'done')
        await inFrame(desk).getByText(order.orderId).first().waitFor()
      })
      assert.equal(await top.evaluate('frame.isConnected || document.querySelectorAll("iframe, dialog").length'), 2)
      assert.deepEqual(desk.events(), [])
    }))

  test('close closes whatever is open, as often as it is called, without a notification, and invoke opens again', () =>
    at({ html: '<div id="here"></div>' }, async (desk) => {
      const { top, outcomeOf } = desk
      await top.evaluate('CheckoutJS.close(), CheckoutJS.close()')
      await desk.opens()
      assert.equal(await outcomeOf('CheckoutJS.elements().createElement("CARD", { root: "#here" }).invoke()'), 'done')
      assert.equal(await top.locator('iframe').count(), 2)
      await top.evaluate('CheckoutJS.close(), CheckoutJS.close()')
      assert.equal(await top.locator('iframe, dialog').count(), 0)
      assert.equal(await outcomeOf('CheckoutJS.invoke()'), 'done')
      assert.equal(await top.locator(OVERLAY).count(), 1)
      assert.deepEqual(desk.events(), [])
    }))

  // ----------------------------------------------------------------------------------------------------- roots, elements

  test('elements show one way each, side by side, in the shop’s own elements', () =>
    at(
      {
        order: { txnAmount: { value: '5000.00', currency: 'INR' } },
        html: Object.keys(ELEMENTS)
          .map((type) => `<div id="${type}"></div>`)
          .join(''),
      },
      async (desk) => {
        const { top, outcomeOf } = desk
        const all = Object.keys(ELEMENTS).map((type) => `elements.createElement('${type}', { root: '#${type}', style: {} }).invoke()`)
        assert.equal(await outcomeOf(`(() => { const elements = CheckoutJS.elements(config); return Promise.all([${all}]) })()`), 'done')
        for (const [type, id] of Object.entries(ELEMENTS)) assert.deepEqual(await waysIn(desk, `#${type} iframe`), [id], type)
        assert.deepEqual(
          await Promise.all(['UPI', 'SCAN_AND_PAY'].map((type) => inFrame(desk, `#${type} iframe`).locator('#upi-upiId').count())),
          [1, 0],
          'a QR code asks for no UPI id',
        )
        assert.equal(await top.locator('dialog').count(), 0)
        assert.equal(await outcomeOf('CheckoutJS.elements(config).createElement("WALLET")'), 'CheckoutJS: there is no such element')
        assert.equal(
          await outcomeOf('CheckoutJS.elements().createElement("UPI", { root: "#UPI" }).invoke()'),
          'CheckoutJS: data.orderId is missing or not a text',
        )
      },
    ))

  test('an element of the shop’s is as high as the page in it', () =>
    at({ config: { root: '#here' }, html: '<div id="here"></div>' }, async (desk) => {
      await desk.opens()
      const frame = desk.top.locator('#here iframe')
      const height = () =>
        frame.evaluate((element) => Number.parseInt((element as unknown as { style: { height: string } }).style.height, 10))
      const main = inFrame(desk).locator('main')
      const inside = () =>
        main.evaluate((element) =>
          Math.ceil((element as unknown as { getBoundingClientRect(): { height: number } }).getBoundingClientRect().height),
        )
      const grown = async () => {
        while ((await height()) !== (await inside())) await desk.top.evaluate('new Promise(requestAnimationFrame)')
        return height()
      }
      const before = await grown()
      await inFrame(desk).locator('#way-card > summary').click()
      await inFrame(desk).locator('#card-cardNumber').waitFor()
      assert.notEqual(await grown(), before)
    }))

  test('a root that comes later is found, also by its attribute; one that is an element is taken', () =>
    at({ config: { root: '#later' }, html: '<div id="now"></div>' }, async (desk) => {
      const { top, outcomeOf } = desk
      await top.locator('#go').click()
      await top.evaluate(`document.querySelector('#now').append(document.createElement('i'))`)
      assert.equal(await top.locator('iframe').count(), 0)
      await top.evaluate(`document.querySelector('#now').id = 'later'`)
      await desk.hears('opened')
      assert.equal(await top.locator('#later > iframe').count(), 1)
      assert.equal(await outcomeOf('CheckoutJS.init({ ...config, root: document.body }).then(() => CheckoutJS.invoke())'), 'done')
      assert.deepEqual([await top.locator('body > iframe').count(), await top.locator('iframe').count()], [1, 1])
    }))

  test('a root that never comes is refused after eight seconds; close gives it up, and no selector is refused at once', () =>
    at({ config: { root: '#never' }, hasClock: true }, async (desk) => {
      const { top, outcomeOf } = desk
      await top.evaluate(
        'CheckoutJS.init(config).then(() => { window.asked = CheckoutJS.invoke().then(() => "done", ({ message }) => message) })',
      )
      await top.clock.runFor(5_000) // the browser's clock goes on meanwhile, on a busy machine by more than a moment
      assert.equal(await top.evaluate('Promise.race([asked, "waits"])'), 'waits')
      await top.clock.runFor(3_000)
      assert.equal(await top.evaluate('asked'), 'CheckoutJS: config.root is not in the page')
      await top.evaluate('window.asked = CheckoutJS.invoke(), CheckoutJS.close(), 0')
      await top.evaluate(`document.body.append(Object.assign(document.createElement('div'), { id: 'never' }))`)
      assert.equal(await outcomeOf('asked'), 'done')
      assert.equal(await top.locator('iframe').count(), 0)
      assert.match(await outcomeOf('CheckoutJS.init({ ...config, root: "###" }).then(() => CheckoutJS.invoke())'), /not a valid selector/)
    }))

  // ------------------------------------------------------------------------------------------------- payMode, labels, locale

  const large = { order: { txnAmount: { value: '5000.00', currency: 'INR' } } }
  test('payMode says which ways are shown and in which order, and labels what they are called', async () => {
    await at({ ...large, config: { payMode: { filter: { include: ['NB', 'CARD', 'UPI'] }, order: ['NB', 'UPI'] } } }, async (desk) => {
      await desk.opens()
      assert.deepEqual(await waysIn(desk), ['way-bank', 'way-upi', 'way-card'])
    })
    const hostile = '<img src=x onerror="heard(1)">'
    const config = { payMode: { filter: { exclude: ['CARD', 'EMI', 'LOGIN'] }, labels: { NB: 'Your bank' } }, labels: { UPI: hostile } }
    await at({ ...large, config }, async (desk) => {
      await desk.opens()
      assert.deepEqual(await waysIn(desk), ['way-upi', 'way-bank', 'way-ppbl', 'way-postpaid'])
      const named = (id: string) => inFrame(desk).locator(`#${id} > summary b`).innerText()
      assert.deepEqual([await named('way-upi'), await named('way-bank')], [hostile, 'Your bank'])
      assert.deepEqual(
        desk.heard.map(([name]) => name),
        ['opened'],
      )
    })
  })

  test('labels of a megabyte are passed over with a warning, and the page is shown', () =>
    at({ config: { labels: { UPI: 'x'.repeat(MIB) }, payMode: { filter: { include: ['NB'] } } } }, async (desk) => {
      const warned = desk.top.waitForEvent('console', (message) => message.type() === 'warning')
      await desk.opens()
      assert.match((await warned).text(), /^CheckoutJS: payMode and labels are passed over/)
      assert.ok((await waysIn(desk)).length > 1)
    }))

  test('labels that point at themselves are passed over too', () =>
    at({}, async (desk) => {
      assert.equal(
        await desk.outcomeOf('(config.labels = { UPI: "x" }, config.labels.self = config.labels, CheckoutJS.init(config))'),
        'done',
      )
      await desk.opens()
      assert.ok((await waysIn(desk)).length > 1)
    }))

  test('locale is the language of the page and of what stands around it', () =>
    at({ config: { locale: 'hi' } }, async (desk) => {
      await desk.opens()
      await inFrame(desk).locator('html[lang="hi-IN"] main').waitFor()
      assert.equal(await desk.top.locator(OVERLAY).getAttribute('aria-label'), 'भुगतान')
      assert.equal(await desk.top.locator('iframe').getAttribute('title'), 'भुगतान')
      assert.equal(await desk.top.locator(LOADER_CROSS).getAttribute('aria-label'), 'भुगतान बंद करें')
    }))
})
