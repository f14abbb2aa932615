// Tests the loader's page against WCAG 2.2 AA, in an overlay and in an element of the shop's. It does so in each state, on a wide screen
// and on one of 320 pixels. The page is also paid by the keyboard alone.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Frame } from 'playwright-core'
import { axe, chromiumPath } from '../../../support/pages/browser.ts'
import { atDesk, checksNow, type Desk, type DeskOptions, inFrame, NOTES, OVERLAY, pageCross } from '../../../support/pages/loader-desk.ts'
import { documentOf } from '../../../support/pages/loader-shop.ts'
import { sharedWorld, takenOnceOrNever } from '../../../support/pages/page-cases.ts'
import { cutIn } from '../../../support/pages/page-cut.ts'
import { byKeyboard, tabTo } from '../../../support/pages/page-hands.ts'
import { begin, browserWays, payerActs, typeCard } from '../../../support/pages/page-ways.ts'
import { MID } from '../../../support/run/service.ts'
import { changeWorld } from '../../../support/signin/signin.ts'

const PLACES = { overlay: {}, inline: { root: '#here' } } as const
type Place = keyof typeof PLACES
/** The shop's own buttons are large enough in every font that a machine may have. */
const LARGE = '<style>button { min-height: 24px }</style>'

describe('reaching the page that the loader opens', { timeout: 900_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so, and fails where a browser is required
  const world = sharedWorld()
  let orders = 0
  async function at(place: Place, of: DeskOptions, work: (desk: Desk) => Promise<void>) {
    const config = { ...PLACES[place], ...of.config }
    // The shop's own parts have no fault, so every finding is the loader's.
    const document: DeskOptions['document'] = ({ service, order }) =>
      documentOf(service, order, { handlers: NOTES, html: '<div id="here"></div><button id="last">More</button>', ...of, config }).replace(
        '<title>',
        `<html lang="en"><meta name="viewport" content="width=device-width, initial-scale=1">${LARGE}<title>`,
      )
    return atDesk(await world(), `REACH_${++orders}`, { ...of, document }, work)
  }
  const paying = ({ service, view, order, top }: Desk) => ({ service, page: view(), orderId: order.orderId, hasScript: true, top })

  // ---------------------------------------------------------------------------------------------------------------- axe

  /** Barriers in the shop's document with the loader's parts, and in the payment page. */
  async function barriers({ top, view }: Desk): Promise<string[]> {
    const framed = await Promise.all([axe(view()), cutIn(view())])
    return [...(await axe(top)).map((each) => `around: ${each}`), ...framed.flat(), ...(await cutIn(top)).map((each) => `around: ${each}`)]
  }

  const states: Readonly<Record<string, (desk: Desk, place: Place) => Promise<void>>> = {
    choices: async (desk) => inFrame(desk).locator('[data-stage="choices"]').waitFor(),
    'a card’s fields': async (desk) => {
      await inFrame(desk).locator('#way-card > summary').click()
      await inFrame(desk).locator('#card-cardNumber').waitFor()
    },
    'a field at fault': async (desk) => {
      await typeCard(desk.view(), 'card', { number: '4111111111111112' })
      await inFrame(desk).locator('#way-card form[data-pays] button').click()
      await inFrame(desk).locator('#card-cardNumber[aria-invalid]').waitFor()
    },
    'a QR code that waits': async (desk) => {
      await begin(browserWays['upi']!, paying(desk))
      await inFrame(desk).locator('[data-stage="upi"]').waitFor()
    },
    'the question before closing': async (desk, place) => {
      if (place === 'inline') return
      await pageCross(desk).click()
      await inFrame(desk).locator('dialog[data-closing]').waitFor()
    },
    'over, with a bank that may still take it': async (desk, place) => {
      if (place === 'overlay') await inFrame(desk).locator('dialog[data-closing] button').first().click()
      desk.service.clock.advance(15 * 60_000)
      await checksNow(desk)
      await inFrame(desk).locator('[data-stage="over"]').waitFor()
    },
  }
  const looks = [
    { locale: 'en', colorScheme: 'light', width: 1280 },
    { locale: 'hi', colorScheme: 'dark', width: 320 },
    { locale: 'en', colorScheme: 'dark', width: 320 },
  ] as const
  for (const place of ['overlay', 'inline'] as const)
    for (const { locale, colorScheme, width } of looks)
      test(`no barrier in any state: ${place}, ${locale}, ${colorScheme}, ${width} pixels`, () =>
        at(place, { redirect: false, config: { locale }, context: { colorScheme, viewport: { width, height: 800 } } }, async (desk) => {
          await desk.opens()
          const found: string[] = []
          for (const [state, reach] of Object.entries(states)) {
            await reach(desk, place)
            found.push(...(await barriers(desk)).map((each) => `${state}: ${each}`))
          }
          assert.deepEqual(found, [])
        }))

  test('a shop’s long name stands beside the cross and not below it', async () => {
    const { service } = await world()
    const name = 'A shop with a name that takes more than one line of a phone'
    await changeWorld(service, { merchants: [{ mid: MID, name }] })
    await at('overlay', { context: { viewport: { width: 320, height: 800 } } }, async (desk) => {
      await desk.opens()
      await inFrame(desk).getByText(name).first().waitFor()
      assert.deepEqual(await cutIn(desk.view()), [])
      const cross = (await pageCross(desk).boundingBox())!
      const lines = await inFrame(desk).locator('.shop bdi').all()
      for (const line of lines) {
        const { x, y, width } = (await line.boundingBox())!
        assert.ok(
          x + width <= cross.x || y >= cross.y + cross.height,
          `${await line.innerText()} ends at ${x + width}, the cross begins at ${cross.x}`,
        )
      }
      assert.equal(lines.length, 2)
    })
  })

  test('planted faults around the payment page and in it are found', () =>
    at('overlay', {}, async (desk) => {
      await desk.opens()
      const planted = `Object.assign(document.querySelector('dialog > button'), { ariaLabel: '', textContent: '' }).style.display = '', document.querySelector('iframe').title = ''`
      await desk.top.evaluate(planted)
      await (desk.view() as Frame).evaluate(`document.querySelector('summary').replaceChildren()`)
      const rules = new Set((await barriers(desk)).map((each) => each.replace(/^(around: )?([a-z-]+):.*/, '$1$2')))
      for (const rule of ['around: button-name', 'around: frame-title', 'summary-name'])
        assert.ok(rules.has(rule), `${rule} is not among ${[...rules]}`)
    }))

  // ------------------------------------------------------------------------------------------------------------ keyboard

  const opensByKeys = async ({ top, hears }: Desk) => {
    await top.locator('#go').focus()
    await top.keyboard.press('Enter')
    await hears('opened')
  }
  for (const place of ['overlay', 'inline'] as const)
    for (const width of [1280, 320])
      test(`an order is paid by the keyboard alone, and the focus returns: ${place}, ${width} pixels`, () =>
        at(place, { redirect: false, context: { viewport: { width, height: 800 } } }, async (desk) => {
          const { top, service, shop, order, hears } = desk
          await opensByKeys(desk)
          await inFrame(desk).locator('main').waitFor()
          await begin(browserWays['card']!, { ...paying(desk), hands: byKeyboard })
          const fields = (await hears('transactionStatus'))[1] as Record<string, string>
          assert.equal(await takenOnceOrNever(service, shop, order.orderId, () => fields), 'once')
          await top.locator('iframe').waitFor({ state: 'detached' })
          if (place === 'overlay') assert.equal(await top.evaluate('document.activeElement.id'), 'go')
        }))

  test('the shop’s own controls are out of reach behind the overlay; the cross is within it, and is to be seen', () =>
    at('overlay', {}, async (desk) => {
      const { top } = desk
      await opensByKeys(desk)
      await inFrame(desk).locator('main').waitFor()
      await top.getByRole('dialog', { name: 'Payment' }).waitFor()
      await inFrame(desk).getByRole('button', { name: 'Close payment' }).waitFor()
      // After its last control a page passes the focus to the browser's own controls. Tab leads on from there in a way of the browser's, so
      // the test walks each way.
      const cross = inFrame(desk).locator('[data-close]:focus')
      const reached = new Set<string>()
      const press = async (key: string) => {
        await top.keyboard.press(key)
        reached.add(await top.evaluate<string>('document.activeElement.id || document.activeElement.tagName'))
      }
      for (let stops = 0; stops < 30; stops++) await press('Tab')
      await top.locator(`${OVERLAY} > iframe`).focus()
      for (let stops = 0; stops < 60 && (await cross.count()) === 0; stops++) await press('Shift+Tab')
      assert.deepEqual([...reached].filter((each) => each !== 'BODY').toSorted(), ['IFRAME'])
      const { outline, width, height } = await desk
        .view()
        .evaluate<{ outline: string; width: number; height: number }>(
          `(({ offsetWidth: width, offsetHeight: height }, { outlineStyle: outline }) => ({ outline, width, height }))(document.activeElement, getComputedStyle(document.activeElement))`,
        )
      assert.notEqual(outline, 'none')
      assert.ok(width >= 24 && height >= 24, `${width} by ${height}`)
      await top.keyboard.press('Enter')
      await desk.hears('notifyMerchant')
      assert.equal(await top.evaluate('document.activeElement.id'), 'go')
    }))

  test('a page in an element of the shop’s traps no focus: Tab leads on to what follows it', () =>
    at('inline', {}, async (desk) => {
      await opensByKeys(desk)
      await inFrame(desk).locator('main').waitFor()
      await tabTo(desk.view() as Frame, '#way-card > summary')
      let stops = 0
      while ((await desk.top.locator('#last:focus').count()) === 0 && stops++ < 60) await desk.top.keyboard.press('Tab')
      assert.ok(stops < 60, 'Tab does not lead out of the frame')
    }))

  test('the question before closing is answered by the keyboard, and the focus is where it was', () =>
    at('overlay', { redirect: false }, async (desk) => {
      const { top, hears } = desk
      await opensByKeys(desk)
      await begin(browserWays['upi']!, { ...paying(desk), hands: byKeyboard })
      const frame = inFrame(desk)
      await frame.locator('[data-stage="upi"]').waitFor()
      await tabTo(desk.view() as Frame, 'form[action$="/check"] button')
      await top.keyboard.press('Escape')
      await frame.locator('dialog[data-closing]').waitFor()
      assert.equal(
        await frame.locator('dialog[data-closing] button:focus').innerText(),
        await frame.locator('dialog[data-closing] button').first().innerText(),
      )
      await top.keyboard.press('Enter') // stays
      await frame.locator('form[action$="/check"] button:focus').waitFor()
      await top.keyboard.press('Escape')
      await top.keyboard.press('Tab')
      await top.keyboard.press('Enter')
      await hears('notifyMerchant')
      assert.equal(await top.evaluate('document.activeElement.id'), 'go')
      await payerActs(desk.service, desk.order.orderId, 'decline')
    }))
})
