// A payment by UPI begins without a new page: the QR code, or the apps on a phone, take the place of the choices (docs/pages.md, "With
// script"). One press begins at most one attempt, whatever the network does to it.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContext, Page, Route } from 'playwright-core'
import { transactionsOfOrder } from '../../../../src/tables/keys.ts'
import { axe, chromiumPath, sentToPay } from '../../../support/pages/browser.ts'
import { noting, type Pressed } from '../../../support/pages/page-amounts.ts'
import { sharedWorld, takenOnceOrNever, type World } from '../../../support/pages/page-cases.ts'
import { ANDROID } from '../../../support/pages/page-middles.ts'
import { browserWays, payerActs } from '../../../support/pages/page-ways.ts'
import type { Order } from '../../../support/paying/paying.ts'
import { MID, type Service } from '../../../support/run/service.ts'
import { sized } from '../../../support/run/sizes.ts'
import { Random } from '../../../support/text/random.ts'

const QR = '#way-upi form[data-upi] button'
const IN_PLACE = '[data-stage="upi"] .qr .code'
const DESK = { viewport: { width: 1280, height: 900 } }
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1'

interface At {
  world: World
  context: BrowserContext
  page: Page
  order: Order
  /** Each request that would begin a payment. */
  posts: string[]
  /** Addresses of documents that the page went to, after the first. */
  documents: string[]
  /** What the page's policy forbade, and what its script threw. */
  wrong: string[]
}

const attemptsOf = ({ ports }: Service, orderId: string) => ports.query.rows(transactionsOfOrder(MID, orderId))

/** The parts of the page that a reload draws too, as a payer reads and presses them. */
const SHOWN = `(() => {
  const copy = document.body.cloneNode(true)
  for (const gone of copy.querySelectorAll('.back, .time, [hidden]')) gone.remove()
  const parts = [...copy.querySelectorAll('*')].map((each) => {
    const own = [...each.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data.trim()).join(' ')
    const named = ['class', 'd', 'viewBox', 'aria-label', 'href', 'action', 'name', 'value', 'hidden', 'role', 'data-app']
    return [each.localName, ...named.flatMap((name) => (each.hasAttribute(name) ? [name + '=' + each.getAttribute(name)] : [])), own].join(' ')
  })
  return [document.title, main(), ...parts.filter((part) => !/^(span|div) *$/.test(part))]
  function main() { const { stage, version } = document.querySelector('main').dataset; return stage + ' ' + version }
})()`

describe('a payment by UPI without a new page', { timeout: sized(1_800_000, 3_600_000) }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  const world = sharedWorld()

  async function at(orderId: string, work: (at: At) => Promise<void>, more: { agent?: string; order?: object; sees?: object } = {}) {
    const here = await world()
    const context = await here.browser.newContext({ locale: 'en-IN', ...DESK, ...more.sees, ...(more.agent && { userAgent: more.agent }) })
    try {
      const { order, page } = await sentToPay({ ...here, context }, orderId, more.order)
      const [posts, documents, wrong]: [string[], string[], string[]] = [[], [], []]
      await context.addInitScript(
        `addEventListener('securitypolicyviolation', ({ violatedDirective }) => console.error(violatedDirective))`,
      )
      context.on('request', (request) => {
        if (request.method() === 'POST' && request.url().endsWith('/pay')) posts.push(request.postData() ?? '')
        if (request.url().endsWith('/pay/report')) wrong.push('a report')
        if (request.isNavigationRequest()) documents.push(request.url())
      })
      page.on(
        'console',
        (message) => message.type() === 'error' && !message.text().startsWith('Failed to load resource') && wrong.push(message.text()),
      )
      page.on('pageerror', ({ message }) => wrong.push(message))
      await work({ world: here, context, page, order, posts, documents, wrong })
      assert.deepEqual(wrong, [])
    } finally {
      await context.close()
    }
  }

  test('one press shows the code in the button’s place, and the payment goes on to its result', () =>
    at('QR_WHOLE', async ({ world: { service, shop }, page, posts, documents }) => {
      const address = page.url()
      assert.equal((await attemptsOf(service, 'QR_WHOLE')).length, 0)
      const pressed: Pressed[] = []
      await noting(pressed)(page, browserWays['upi']!.steps)
      await page.locator(IN_PLACE).waitFor()
      assert.deepEqual([posts.length, documents, page.url()], [1, [], address])
      assert.equal(await page.evaluate('document.activeElement.id'), 'heading')
      assert.deepEqual(await axe(page), [])
      const inPlace = await page.evaluate<string[]>(SHOWN)
      await page.reload()
      assert.deepEqual(inPlace, await page.evaluate<string[]>(SHOWN))
      assert.equal((await attemptsOf(service, 'QR_WHOLE')).length, 1)
      await payerActs(service, 'QR_WHOLE', 'approve')
      await page.locator('#told').waitFor()
      assert.equal(await takenOnceOrNever(service, shop, 'QR_WHOLE', undefined, pressed), 'once')
    }))

  // ---------------------------------------------------------------------------------------------------------- lost answers

  type Fate = 'arrives' | 'never sent' | 'answer lost'
  const meets = (fate: Fate) => async (route: Route) => {
    if (fate === 'arrives') return route.continue()
    // The answer reaches this test and not the page.
    if (fate === 'answer lost') await route.fetch({ maxRedirects: 0 })
    return route.abort('connectionreset')
  }

  const losses: readonly [name: string, address: RegExp, fate: Fate, begun: number][] = [
    ['the form is never sent', /\/pay$/, 'never sent', 0],
    ['the answer to the form is lost', /\/pay$/, 'answer lost', 1],
    ['what has begun cannot be read', /\/state\?draw=upi$/, 'never sent', 1],
  ]
  for (const [index, [name, address, fate, begun]] of losses.entries())
    test(`${name}: the page is loaded anew, and nothing is sent again`, () =>
      at(`QR_LOST_${index}`, async ({ world: { service }, page, posts, documents, order: { orderId } }) => {
        await page.route(address, meets(fate))
        await Promise.all([page.waitForEvent('load'), page.locator(QR).click()])
        assert.deepEqual([posts.length, documents.length], [1, 1])
        assert.equal((await attemptsOf(service, orderId)).length, begun)
        await page.locator(begun === 1 ? IN_PLACE : QR).waitFor()
        await page.unroute(address)
        if (begun === 0) await page.locator(QR).click()
        await page.locator(IN_PLACE).waitFor()
        assert.equal((await attemptsOf(service, orderId)).length, 1)
      }))

  test('a payer who goes offline during the press reads so, and sees the code once the network is back', () =>
    at('QR_OFFLINE', async ({ world: { service }, context, page, posts }) => {
      await page.route(/\/pay$/, async (route) => {
        await route.fetch({ maxRedirects: 0 })
        await context.setOffline(true)
        await route.abort('internetdisconnected')
      })
      await page.locator(QR).click()
      await page.getByText('You are offline. This page checks again by itself once you are online.').waitFor()
      assert.equal(await page.locator('[aria-busy]').count(), 1)
      await context.setOffline(false)
      await page.locator(IN_PLACE).waitFor()
      assert.deepEqual([posts.length, (await attemptsOf(service, 'QR_OFFLINE')).length], [1, 1])
    }))

  test('a page that cannot load the script of fields goes on as without script', () =>
    at('QR_FORM', async ({ world: { service }, page, posts, documents }) => {
      await page.route(/\/pay\/assets\/.*\.js/, (route) => route.abort('connectionreset'))
      await page.locator(QR).click()
      await page.locator(IN_PLACE).waitFor()
      assert.deepEqual([posts.length, documents.length > 0, (await attemptsOf(service, 'QR_FORM')).length], [1, true, 1])
    }))

  test('a browser that cannot end a request in time goes on as without script', () =>
    at('QR_OLD', async ({ world: { service }, page, posts, documents }) => {
      await page.evaluate('delete AbortSignal.timeout')
      await page.locator(QR).click()
      await page.locator(IN_PLACE).waitFor()
      assert.deepEqual([posts.length, documents.length > 0, (await attemptsOf(service, 'QR_OLD')).length], [1, true, 1])
    }))

  test('a second press, another tab, a reload and the browser’s buttons show the same attempt', () =>
    at('QR_TABS', async ({ world: { service }, context, page, posts }) => {
      const other = await context.newPage()
      await other.goto(page.url())
      await page.locator(QR).dblclick()
      await page.locator(IN_PLACE).waitFor()
      assert.equal(posts.length, 1)
      const code = () => page.locator(`${IN_PLACE} path`).last().getAttribute('d')
      const [first] = [await code()]
      await other.locator(QR).click()
      await other.locator(IN_PLACE).waitFor()
      assert.equal(await other.locator(`${IN_PLACE} path`).last().getAttribute('d'), first)
      await page.reload()
      await page.locator(IN_PLACE).waitFor()
      assert.equal(await code(), first)
      await page.goBack()
      await page.goForward()
      await page.locator(IN_PLACE).waitFor()
      assert.deepEqual([await code(), (await attemptsOf(service, 'QR_TABS')).length], [first, 1])
    }))

  test('the ways out are those of the attempt: check now, another way, and back to the shop', () =>
    at('QR_OUT', async ({ world: { service, shop }, page }) => {
      await page.locator(QR).click()
      await page.locator(IN_PLACE).waitFor()
      await page.locator('form[action$="/check"] button').click()
      await page.getByText('nothing new yet').waitFor()
      await page.locator('form[action$="/cancel"] button').click()
      await page.locator(QR).click()
      await page.locator(IN_PLACE).waitFor()
      assert.deepEqual((await attemptsOf(service, 'QR_OUT')).map(({ attempt, status }) => [attempt, status]).toSorted(), [
        [1, 'FAILURE'],
        [2, 'PENDING'],
      ])
      assert.equal(await page.locator('form[action$="/cancel"] [name="attempt"]').inputValue(), '2')
      await page.locator('.back a').click()
      await page.locator('#told').waitFor()
      assert.equal(shop.callbacks.get('QR_OUT')?.['STATUS'], 'PENDING')
    }))

  test('a form that the service refuses leads to the page with the reason, and begins nothing', () =>
    at('QR_REFUSED', async ({ world: { service }, page }) => {
      await page
        .locator('#way-upi form[data-upi] input[name="amount"]')
        .evaluate((field) => Object.assign(field, { value: '9999' }) && undefined)
      await page.locator(QR).click()
      await page.getByRole('alert').getByText('Nothing was taken').waitFor()
      assert.equal((await attemptsOf(service, 'QR_REFUSED')).length, 0)
    }))

  // ------------------------------------------------------------------------------------------------------------- phones

  const phones: readonly [name: string, agent: string, links: readonly RegExp[]][] = [
    [
      'Android',
      ANDROID,
      [
        /^intent:\/\/pay\?[^#;]+#Intent;scheme=upi;package=com\.google\.android\.apps\.nbu\.paisa\.user;end$/,
        /^intent:\/\/pay\?[^#;]+#Intent;scheme=upi;package=com\.phonepe\.app;end$/,
        /^intent:\/\/pay\?[^#;]+#Intent;scheme=upi;package=net\.one97\.paytm;end$/,
        /^intent:\/\/pay\?[^#;]+#Intent;scheme=upi;package=in\.org\.npci\.upiapp;end$/,
        /^upi:\/\/pay\?[^#;]+$/,
      ],
    ],
    [
      'an iPhone',
      IPHONE,
      ['gpay://upi/', 'phonepe://', 'paytmmp://', 'bhim://upi/', 'credpay://upi/', 'navipay://', 'super://'].map(
        (start) => new RegExp(`^${start}pay\\?`),
      ),
    ],
  ]
  /** The last of an odd number of apps has its row alone. */
  async function assertTwoInARow(page: Page) {
    const boxes = await page.locator('.apps a').evaluateAll((all) =>
      all.map((link) => {
        const { x, y, width } = link.getBoundingClientRect()
        return [x, y, width].map(Math.round)
      }),
    )
    const rows = Map.groupBy(boxes, ([, y]) => y!)
    assert.deepEqual(
      [...rows.values()].map((row) => row.length),
      boxes.map((_, at) => (at === boxes.length - 1 ? 1 : 2)).filter((_, at) => at % 2 === 0),
    )
    const [[left, , width], [right]] = [boxes[0]!, boxes[1]!]
    assert.equal(boxes.at(-1)![2], right! + width! - left!)
  }
  for (const [index, [name, agent, links]] of phones.entries())
    test(`on ${name} the apps come first, and the code stands behind them`, () =>
      at(
        `QR_PHONE_${index}`,
        async ({ page, documents }) => {
          await page.locator(QR).click()
          await page.locator('.apps a').first().waitFor()
          const hrefs = await page.locator('.apps a').evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
          assert.equal(hrefs.length, links.length)
          for (const [at, link] of links.entries()) assert.match(hrefs[at]!, link)
          await assertTwoInARow(page)
          assert.deepEqual([documents, await page.locator('.code').isVisible()], [[], false])
          assert.deepEqual(await axe(page), [])
          const inPlace = await page.evaluate<string[]>(SHOWN)
          await page.locator('summary').getByText('On another device').click()
          await page.locator('.code').waitFor()
          await page.reload()
          assert.deepEqual(inPlace, await page.evaluate<string[]>(SHOWN))
        },
        { agent, sees: { viewport: { width: 390, height: 800 } } },
      ))

  test('a page at a desk speaks of no phone', () =>
    at('QR_DESK', async ({ page }) => {
      const words = async () => (await page.locator('main').innerText()).replace(/^Sandbox: .*$/m, '')
      assert.doesNotMatch(await words(), /phone/i)
      await page.locator(QR).click()
      await page.locator(IN_PLACE).waitFor()
      assert.doesNotMatch(await words(), /phone/i)
    }))

  // -------------------------------------------------------------------------------------------------------------- walks

  const WALKS = sized(100, 1_000)
  const STEPS = 6
  const PRESS_MS = 2_000
  const FOLLOWS = 'main [aria-busy], [data-stage="upi"], [data-offline]:not([hidden])'
  const SEED = 20_261_128

  /** What payers and networks do, drawn. Returns the numbers of the attempts that a button was pressed for. */
  async function walk(random: Random, { world: { service }, context, page, order: { orderId } }: At): Promise<number[]> {
    const pressed: number[] = []
    const address = page.url()
    const tabs = [page]
    let fate: Fate = 'arrives'
    await context.route(/\/pay$/, (route) => meets(fate)(route))
    await context.route(/\/state\?draw=upi$/, (route) => meets(random.pick<Fate>(['arrives', 'arrives', 'never sent']))(route))
    const here = () => tabs.at(-1)!
    /** Its script has loaded too: without script a press while offline leads to the browser's own page. */
    async function settles() {
      await here().locator('main:not(:has([aria-busy]))').waitFor()
      await here().waitForLoadState()
    }
    /** A press that comes too late, because the page has just gone on by itself, is none. */
    async function presses(how: 'click' | 'dblclick', then = async () => {}) {
      await settles()
      const button = here().locator(QR)
      const number = (await button.count()) > 0 && (await here().locator('#way-upi form[data-upi] input[name="attempt"]').inputValue())
      if (number)
        await button[how]({ timeout: PRESS_MS }).then(
          () => pressed.push(Number(number)),
          () => undefined,
        )
      // The first press of a page loads a script, before its button says that it works.
      if (number)
        await here()
          .locator(FOLLOWS)
          .first()
          .waitFor({ timeout: PRESS_MS })
          .catch(() => undefined)
      await then()
      await settles()
    }
    const acts: Record<string, () => Promise<unknown>> = {
      async press() {
        fate = random.pick<Fate>(['arrives', 'arrives', 'never sent', 'answer lost'])
        await presses(random.below(3) === 0 ? 'dblclick' : 'click')
      },
      reload: () => here().reload(),
      async back() {
        await settles()
        await here().goto('about:blank')
        await here().goBack()
        await settles()
      },
      async tab() {
        if (tabs.length > 1) await tabs.pop()!.close()
        else {
          tabs.push(await context.newPage())
          await here().goto(address)
        }
      },
      async cancel() {
        const button = here().locator('form[action$="/cancel"] button')
        if ((await button.count()) > 0) await Promise.all([here().waitForEvent('load'), button.click()])
      },
      async offline() {
        await settles()
        await context.setOffline(true)
        await presses('click', () => context.setOffline(false))
      },
    }
    for (let step = 0; step < STEPS; step++) {
      await acts[random.pick(['press', 'press', 'press', ...Object.keys(acts)])]!()
      const numbers = (await attemptsOf(service, orderId)).map(({ attempt }) => attempt)
      assert.ok(new Set(numbers).size === numbers.length, `begun twice: ${numbers}`)
      assert.deepEqual(
        numbers.filter((number) => !pressed.includes(number)),
        [],
        'begun without a press',
      )
    }
    return pressed
  }

  test(`${WALKS} walks with lost answers: no attempt begins without a press, and none twice (seed ${SEED})`, async () => {
    const begun = { attempts: 0, presses: 0 }
    for (let each = 0; each < WALKS; each++)
      await at(`QR_WALK_${each}`, async (here) => {
        const pressed = await walk(new Random(SEED + each), here)
        const attempts = await attemptsOf(here.world.service, here.order.orderId)
        assert.ok(attempts.length <= pressed.length, `walk ${each}: ${attempts.length} attempts, ${pressed.length} presses`)
        assert.ok(here.posts.length <= pressed.length, `walk ${each}: ${here.posts.length} forms, ${pressed.length} presses`)
        begun.attempts += attempts.length
        begun.presses += pressed.length
      })
    console.log(`${WALKS} walks: ${begun.presses} presses, ${begun.attempts} attempts; begun without a press 0, begun twice 0`)
    assert.ok(begun.attempts > WALKS / 2 && begun.presses > begun.attempts, 'the walks begin too little')
  })
})
