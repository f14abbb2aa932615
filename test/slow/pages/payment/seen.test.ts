// Every state of the payment page, in each of three windows and in each language. The choice, the amount taken now, the terms of a
// subscription and the next step are in the window without scrolling. `npm run pages -- seen` runs the whole product in both schemes, and
// prints the exceptions.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { chromiumPath } from '../../../support/pages/browser.ts'
import { sharedWorld } from '../../../support/pages/page-cases.ts'
import { OUT_OF_SIGHT, SIZES, unseenAmiss, unseenIn, unseenNow } from '../../../support/pages/page-seen.ts'
import { inState, states } from '../../../support/pages/page-states.ts'
import { pairsOf, unmetPairs } from '../../../support/run/pairs.ts'

const product = Object.keys(states).flatMap((state) =>
  (['en', 'hi'] as const).flatMap((language) => SIZES.map(({ width }) => ({ state, language, width }))),
)
/** A state that may show less is tested in each language and window. */
const mayShowLess = ({ state }: { state: string }) => state in OUT_OF_SIGHT
const views = [...pairsOf(product.filter((view) => !mayShowLess(view))), ...product.filter(mayShowLess)]
const viewportOf = ({ width }: { width: number }) => SIZES.find((size) => size.width === width)!

describe('what stands in the window', { timeout: 900_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  const world = sharedWorld()
  let orders = 0
  const excepted = new Set<string>()

  async function inView<T>(view: (typeof product)[number], work: (page: Page) => Promise<T>): Promise<T> {
    const { state, language } = view
    const { page, context } = await inState(await world(), { state, language, viewport: viewportOf(view) }, `SEEN_${++orders}_ORDER`)
    try {
      return await work(page)
    } finally {
      await context.close()
    }
  }

  for (const state of Object.keys(states))
    test(`${state}: what is chosen, the amount, the terms and what is next are seen`, async () => {
      for (const view of views.filter((each) => each.state === state)) {
        const parts = await inView(view, unseenIn)
        assert.deepEqual(unseenAmiss(state, view.width, parts), [], `${view.language}, ${view.width} pixels`)
        if (parts.length > 0) excepted.add(state)
      }
    })

  test('the views hold every pair of state, language and window', () => assert.deepEqual(unmetPairs(product, views), []))

  test('a state that may show less does so somewhere: an exception without use is gone', () =>
    assert.deepEqual([...excepted].toSorted(), Object.keys(OUT_OF_SIGHT).toSorted()))

  test('a part that is pushed out of the window, or covered, is found', async () => {
    const [{ width }] = SIZES
    const under = async (page: Page, style: string) => {
      // The sandbox's page has its own policy for styles, which does not apply to a constructed sheet.
      await page.evaluate(
        `{ const sheet = new CSSStyleSheet(); sheet.replaceSync(${JSON.stringify(style)}); document.adoptedStyleSheets = [sheet] }`,
      )
      return unseenNow(page)
    }
    await inView({ state: 'bank', language: 'en', width }, async (page) => {
      assert.deepEqual(await unseenIn(page), [])
      assert.deepEqual(await under(page, '.work { padding-top: 600px }'), ['chosen', 'next'])
      assert.deepEqual(await under(page, '.amount { visibility: hidden; position: fixed; top: -90px }'), ['amount'])
      assert.deepEqual(await under(page, '.amount, .total { display: none }'), ['amount'])
      assert.deepEqual(await under(page, 'body::after { content: ""; position: fixed; inset: 0 }'), ['chosen', 'amount', 'next'])
      assert.deepEqual(await under(page, ''), [])
    })
    await inView({ state: 'agreed', language: 'en', width }, async (page) => {
      assert.deepEqual(await unseenIn(page), [])
      assert.deepEqual(await under(page, '[data-terms] { position: fixed; top: 900px }'), ['terms'])
    })
  })
})
