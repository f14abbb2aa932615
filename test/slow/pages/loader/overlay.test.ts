// How a page that the loader has opened is closed, which events the shop's page gets, and what its handlers may do: docs/pages.md, "The
// browser loader".

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { joinedValues, verify } from '../../../../src/interface/checksum.ts'
import { chromiumPath } from '../../../support/pages/browser.ts'
import {
  atDesk,
  checksNow,
  type Desk,
  type DeskOptions,
  inFrame,
  LOADER_CROSS,
  OVERLAY,
  pageCross,
} from '../../../support/pages/loader-desk.ts'
import { afterLoader, configOf } from '../../../support/pages/loader-shop.ts'
import { sharedWorld } from '../../../support/pages/page-cases.ts'
import { byPointer } from '../../../support/pages/page-hands.ts'
import { begin, browserWays, payerActs } from '../../../support/pages/page-ways.ts'
import { CARD, createOrder, pay } from '../../../support/paying/paying.ts'
import { KEY, MID } from '../../../support/run/service.ts'
import { changeWorld } from '../../../support/signin/signin.ts'

describe('a page that the loader has opened', { timeout: 600_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so, and fails where a browser is required
  const world = sharedWorld()
  let orders = 0
  const at = async (of: DeskOptions, work: (desk: Desk) => Promise<void>) => atDesk(await world(), `OVERLAY_${++orders}`, of, work)

  const begins = ({ service, view, order, top }: Desk, way: string) =>
    begin(browserWays[way]!, { service, page: view(), orderId: order.orderId, hasScript: true, top })
  const pays = (desk: Desk) => begins(desk, 'card')
  const gone = ({ top }: Desk) => top.locator('iframe').waitFor({ state: 'detached' })
  const handed = async ({ heard, hears }: Desk) => {
    const { CHECKSUMHASH, ...fields } = (await hears('transactionStatus'))[1] as Record<string, string>
    assert.ok(verify(joinedValues(fields), CHECKSUMHASH, KEY), 'what the handler was given is not signed')
    assert.equal(heard.filter(([name]) => name === 'transactionStatus').length, 1)
    return fields
  }
  /** The shop's page has not moved, and its server got nothing. */
  async function staysThere({ top, shop, order }: Desk) {
    await afterLoader(top)
    assert.match(top.url(), new RegExp(`/start/${order.orderId}$`))
    assert.equal(shop.callbacks.get(order.orderId), undefined)
  }

  // ------------------------------------------------------------------------------------------------------------ closing

  /** The focus is in the overlay and not in its frame, as where the payer came to the loader's cross. */
  const focusesAround = (top: Desk['top']) =>
    top.evaluate(`{ const overlay = document.querySelector('${OVERLAY}'); overlay.tabIndex = -1; overlay.focus() }`)
  async function escapesAround({ top }: Desk) {
    await focusesAround(top)
    await top.keyboard.press('Escape')
  }
  const closings: Readonly<Record<string, (desk: Desk) => Promise<void>>> = {
    'the cross': (desk) => pageCross(desk).click(),
    'Escape in the shop’s page': escapesAround,
    'Escape in the payment page': (desk) => inFrame(desk).locator('#way-card > summary').press('Escape'),
    'Escape again and again': async ({ top }) => {
      await focusesAround(top)
      await Promise.all([1, 2, 3, 4].map(() => top.keyboard.press('Escape')))
    },
  }
  test('closing notifies of APP_CLOSED once, takes the overlay away, and gives the focus back', () =>
    at({}, async (desk) => {
      const { top } = desk
      const heard: unknown[] = []
      for (const [before, [by, close]] of Object.entries(closings).entries()) {
        await desk.opens(before + 1)
        assert.equal(await top.locator('#paytm-checkoutjs iframe').count(), 1)
        assert.equal(await top.evaluate('document.activeElement.tagName'), 'IFRAME', 'the payment page has the focus')
        await close(desk)
        await desk.hears('notifyMerchant', before + 1)
        assert.equal(await top.locator('#paytm-checkoutjs, iframe').count(), 0, by)
        assert.equal(await top.evaluate('document.activeElement.id'), 'go', by)
        await staysThere(desk)
        heard.push(['opened'], ['notifyMerchant', 'APP_CLOSED', {}])
        assert.deepEqual(desk.heard, heard, by)
      }
    }))

  test('Escape closes no page that stands in an element of the shop’s', () =>
    at({ config: { root: '#here' }, html: '<div id="here"></div>' }, async (desk) => {
      await desk.opens()
      await inFrame(desk).locator('#way-card > summary').press('Escape')
      await staysThere(desk)
      assert.equal(await desk.top.locator('iframe').count(), 1)
      assert.deepEqual(desk.events(), [])
    }))

  test('an attempt that is under way is asked about before closing: no stays, yes closes once', () =>
    at({ redirect: false }, async (desk) => {
      const { top } = desk
      await desk.opens()
      await begins(desk, 'upi')
      const frame = inFrame(desk)
      await frame.locator('[data-stage="upi"]').waitFor()
      const question = frame.locator('dialog[data-closing]')
      assert.equal(await question.isVisible(), false, 'it is asked before anybody closes')
      const asks: readonly (() => Promise<void>)[] = [
        () => pageCross(desk).click(),
        () => escapesAround(desk),
        () => frame.locator('body').press('Escape'),
      ]
      for (const ask of asks) {
        await ask()
        await question.waitFor()
        await question.locator('button:not([value])').click()
        await question.waitFor({ state: 'hidden' })
      }
      await pageCross(desk).click()
      await question.waitFor()
      await frame.locator('body').press('Escape') // answers the question with no
      await question.waitFor({ state: 'hidden' })
      assert.deepEqual([desk.events(), await top.locator('iframe').count()], [[], 1])
      await pageCross(desk).click()
      await question.locator('button[value="close"]').click()
      await gone(desk)
      await staysThere(desk)
      assert.deepEqual(desk.events(), ['APP_CLOSED'])
      // The attempt is still the payer's, and shows when the page is opened again.
      await desk.opens(2)
      await inFrame(desk).locator('[data-stage="upi"]').waitFor()
      await payerActs(desk.service, desk.order.orderId, 'approve')
      await checksNow(desk)
      assert.equal((await handed(desk))['STATUS'], 'TXN_SUCCESS')
    }))

  test('the session is over: the shop is notified once; not while an attempt is under way', async () => {
    await at({}, async (desk) => {
      await desk.opens()
      desk.service.clock.advance(15 * 60_000)
      await begins(desk, 'card')
      await desk.hears('notifyMerchant')
      assert.deepEqual(desk.events(), ['SESSION_EXPIRED'])
      await pageCross(desk).click()
      await desk.hears('notifyMerchant', 2)
      assert.deepEqual(desk.events(), ['SESSION_EXPIRED', 'APP_CLOSED'])
    })
    await at({ redirect: false }, async (desk) => {
      await desk.opens()
      await begins(desk, 'upi')
      await inFrame(desk).locator('[data-stage="upi"]').waitFor()
      desk.service.clock.advance(15 * 60_000)
      await checksNow(desk)
      await inFrame(desk).locator('[data-stage="over"]').waitFor()
      await inFrame(desk).locator('form[data-to-shop] button').click()
      assert.equal((await handed(desk))['STATUS'], 'PENDING')
      assert.deepEqual(desk.events(), [])
    })
    await at({ config: { locale: 'en' } }, async (desk) => {
      desk.service.clock.advance(15 * 60_000)
      await desk.opens()
      await desk.hears('notifyMerchant')
      assert.deepEqual(desk.events(), ['SESSION_EXPIRED'], 'the token is over before the page is opened')
    })
  })

  // ------------------------------------------------------------------------------------------------- what the shop's page does

  const taken: Readonly<Record<string, string>> = {
    removes: 'overlay.remove()',
    hides: `overlay.style.display = 'none'`,
    'draws anew': `document.body.innerHTML = document.body.innerHTML`,
  }
  test('a shop that removes, hides or draws anew the overlay has its page back, and opens it again', () =>
    at({}, async (desk) => {
      const { top } = desk
      for (const [before, [what, act]] of Object.entries(taken).entries()) {
        await desk.opens(2 * before + 1)
        await top.evaluate(`{ const overlay = document.querySelector('#paytm-checkoutjs'); ${act} }`)
        if (what === 'draws anew')
          await top.evaluate(`document.querySelector('dialog').remove(), document.querySelector('#go').onclick = pay`)
        else await top.waitForFunction(`document.activeElement.id === 'go'`)
        await desk.opens(2 * before + 2) // by a press, which nothing obstructs
        assert.equal(await top.locator(OVERLAY).isVisible(), true, what)
        assert.equal(await top.locator('iframe').count(), 1, what)
        await pageCross(desk).click()
        await desk.hears('notifyMerchant', before + 1)
        assert.equal(desk.events().length, before + 1, what)
      }
    }))

  test('a shop that gives the overlay’s id to a hidden element of its own keeps it, and sees the overlay', () =>
    at({ html: '<style>#paytm-checkoutjs { display: none }</style><p id="paytm-checkoutjs">here it comes</p>' }, async (desk) => {
      await desk.opens()
      assert.equal(await desk.top.locator(OVERLAY).isVisible(), true)
      await pageCross(desk).click()
      await desk.hears('notifyMerchant')
      assert.deepEqual(await desk.top.locator('#paytm-checkoutjs').allTextContents(), ['here it comes'], 'the shop’s own stays')
    }))

  test('a handler that invokes again gets a page that hands over its own result', () =>
    at(
      { redirect: false, handlers: { transactionStatus: 'window.again ??= CheckoutJS.invoke().then(() => heard("again"))' } },
      async (desk) => {
        await desk.opens()
        await pays(desk)
        await desk.hears('again')
        await desk.hears('transactionStatus', 2) // from the page that it opened
        await gone(desk)
        await staysThere(desk)
      },
    ))

  test('the browser’s own page in the place of a lost answer can be closed', () =>
    at({}, async (desk) => {
      await desk.opens()
      const { top, service } = desk
      await top.route(`${service.url}/pay/**`, (route) =>
        route.request().isNavigationRequest() ? route.abort('internetdisconnected') : route.continue(),
      )
      const shown = top.waitForEvent('framenavigated', (frame) => frame.url().startsWith('chrome-error:'))
      await pays(desk)
      await shown
      await top.locator(LOADER_CROSS).click()
      await desk.hears('notifyMerchant')
      await gone(desk)
      assert.deepEqual(desk.events(), ['APP_CLOSED'])
    }))

  test('the result of one element is the order’s: its other elements close with it', () =>
    at({ redirect: false, html: '<div id="card"></div><div id="upi"></div><div id="other"></div>' }, async (desk) => {
      const { top, service } = desk
      const other = await createOrder(service, `${desk.order.orderId}_OTHER`)
      const element = (type: string, root: string, config = 'config') =>
        `CheckoutJS.elements(${config}).createElement('${type}', { root: '${root}' }).invoke()`
      const ofOther = JSON.stringify(configOf(other))
      assert.equal(
        await desk.outcomeOf(`Promise.all([${element('CARD', '#card')}, ${element('UPI', '#upi')}, ${element('UPI', '#other', ofOther)}])`),
        'done',
      )
      await byPointer((await (await top.locator('#card iframe').elementHandle())!.contentFrame())!, [...browserWays['card']!.steps])
      await handed(desk)
      await afterLoader(top)
      assert.equal(await top.locator('#card iframe, #upi iframe').count(), 0)
      assert.equal(await top.locator('#other iframe').count(), 1, 'another order’s')
    }))

  const paid = ({ service, order }: Desk) => pay(service, order, CARD)
  test('a shop that closes within its handlers, at once or later, is notified no second time', async () => {
    for (const more of ['CheckoutJS.close()', 'return Promise.resolve().then(() => CheckoutJS.close())'])
      await at({ redirect: false, handlers: { transactionStatus: more, notifyMerchant: more } }, async (desk) => {
        await desk.opens()
        await pageCross(desk).click()
        await desk.hears('notifyMerchant')
        await paid(desk)
        await desk.top.locator('#go').click()
        assert.equal((await handed(desk))['STATUS'], 'TXN_SUCCESS')
        await gone(desk)
        await staysThere(desk)
        assert.deepEqual(desk.events(), ['APP_CLOSED'])
        await desk.top.locator('#go').click() // the result is passed again
        await desk.hears('transactionStatus', 2)
      })
  })

  const strange: Readonly<Record<string, string>> = {
    throws: 'throw new Error("by the shop")',
    'is async and throws': 'return Promise.reject(new Error("by the shop"))',
    'never ends': 'return new Promise(() => {})',
  }
  for (const [what, more] of Object.entries(strange))
    test(`a handler that ${what} stops nothing: the overlay closes, and the post follows where it is wanted`, () =>
      at({ handlers: { transactionStatus: more, notifyMerchant: '' } }, async (desk) => {
        const { top, shop, order } = desk
        const thrown: string[] = []
        top.on('pageerror', ({ message }) => thrown.push(message))
        await paid(desk)
        await top.evaluate('config.merchant = { redirect: false }')
        await top.locator('#go').click()
        const fields = await handed(desk)
        await gone(desk)
        await staysThere(desk)
        await top.evaluate('config.merchant.redirect = true')
        await top.locator('#go').click()
        await desk.hears('transactionStatus', 2)
        await top.locator('#told').waitFor()
        assert.deepEqual(shop.callbacks.get(order.orderId), fields)
        assert.deepEqual(thrown, what === 'never ends' ? [] : ['by the shop', 'by the shop'])
      }))

  // -------------------------------------------------------------------------------------------------- results of other kinds

  test('an order without a callbackUrl: its fields go to the handler and nowhere else; without one the receipt stays', async () => {
    await changeWorld((await world()).service, { merchants: [{ mid: MID, websites: { DEFAULT: {}, BARE: {} } }] })
    const order = { callbackUrl: undefined, websiteName: 'BARE' }
    await at({ order, redirect: true }, async (desk) => {
      await desk.opens()
      await pays(desk)
      assert.equal((await handed(desk))['STATUS'], 'TXN_SUCCESS')
      await gone(desk)
      await staysThere(desk)
    })
    await at({ order, handlers: { notifyMerchant: '' } }, async (desk) => {
      await paid(desk)
      await desk.opens()
      await inFrame(desk).locator('[data-stage="paid"] .receipt').waitFor()
      await staysThere(desk)
      await pageCross(desk).click()
      await desk.hears('notifyMerchant')
      assert.deepEqual(desk.events(), ['APP_CLOSED'])
    })
  })

  test('a payer who goes back without waiting brings PENDING, and one who cancels the refusal', async () => {
    await at({ redirect: false }, async (desk) => {
      await desk.opens()
      await begins(desk, 'upi')
      await inFrame(desk).locator('[data-stage="upi"]').waitFor()
      await inFrame(desk).locator('.back a').click()
      assert.equal((await handed(desk))['STATUS'], 'PENDING')
      await gone(desk)
      await staysThere(desk)
    })
    await at({ redirect: false }, async (desk) => {
      await desk.opens()
      await inFrame(desk).locator('.foot a').click()
      await inFrame(desk).locator('form[action$="/leave"] button').click()
      const { STATUS, RESPCODE } = await handed(desk)
      assert.deepEqual([STATUS, RESPCODE], ['TXN_FAILURE', '141'])
      await gone(desk)
      await staysThere(desk)
      assert.deepEqual(desk.events(), [])
    })
  })
})
