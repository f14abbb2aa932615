// Every state of the payment page in three windows and both languages: what is chosen, what is taken now, the terms of a subscription and what
// comes next stand in the window without scrolling. `npm run pages -- seen` does the same in both schemes, and prints the exceptions.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chromiumPath } from '../../../support/pages/browser.ts'
import { sharedWorld } from '../../../support/pages/page-cases.ts'
import { OUT_OF_SIGHT, SIZES, unseenAmiss, unseenIn } from '../../../support/pages/page-seen.ts'
import { inState, states } from '../../../support/pages/page-states.ts'

describe('what stands in the window', { timeout: 900_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  const world = sharedWorld()
  let orders = 0
  const excepted = new Set<string>()

  async function unseen(state: string, language: 'en' | 'hi', viewport: (typeof SIZES)[number], style = '') {
    const { page, context } = await inState(await world(), { state, language, viewport }, `SEEN_${++orders}_ORDER`)
    try {
      // The sandbox's page has a policy of its own for styles: a sheet that is constructed is not asked about.
      await page.evaluate(
        `{ const sheet = new CSSStyleSheet(); sheet.replaceSync(${JSON.stringify(style)}); document.adoptedStyleSheets = [sheet] }`,
      )
      return await unseenIn(page)
    } finally {
      await context.close()
    }
  }

  for (const state of Object.keys(states))
    test(`${state}: what is chosen, the amount, the terms and what is next are seen`, async () => {
      for (const language of ['en', 'hi'] as const)
        for (const viewport of SIZES) {
          const parts = await unseen(state, language, viewport)
          assert.deepEqual(unseenAmiss(state, viewport.width, parts), [], `${language}, ${viewport.width} pixels`)
          if (parts.length > 0) excepted.add(state)
        }
    })

  test('a state that may show less does so somewhere: an exception without use is gone', () =>
    assert.deepEqual([...excepted].toSorted(), Object.keys(OUT_OF_SIGHT).toSorted()))

  test('what is pushed out of the window, or covered, is found', async () => {
    const [small] = SIZES
    const under = (style: string) => unseen('bank', 'en', small, style)
    assert.deepEqual(await under(''), [])
    assert.deepEqual(await under('.work { padding-top: 600px }'), ['chosen', 'next'])
    assert.deepEqual(await under('.amount { visibility: hidden; position: fixed; top: -90px }'), ['amount'])
    assert.deepEqual(await under('.amount, .total { display: none }'), ['amount'])
    assert.deepEqual(await under('body::after { content: ""; position: fixed; inset: 0 }'), ['chosen', 'amount', 'next'])
    assert.deepEqual(await unseen('agreed', 'en', small, '[data-terms] { position: fixed; top: 900px }'), ['terms'])
  })
})
