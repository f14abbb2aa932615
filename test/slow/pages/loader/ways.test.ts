// Paying by the loader: way to pay, end, place, `redirect` and handler, each value with each value of the others. `npm run pages -- loader`
// runs the whole product.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chromiumPath, isBrowserRequired } from '../../../support/pages/browser.ts'
import { loaderCases, nameOfLoaderCase, runLoaderCase } from '../../../support/pages/loader-cases.ts'
import { sharedWorld } from '../../../support/pages/page-cases.ts'
import { pairsOf, unmetPairs } from '../../../support/run/pairs.ts'

describe('paying by the loader', { timeout: 900_000 }, () => {
  if (!chromiumPath) {
    test('a browser is there where one is required', () =>
      assert.ok(!isBrowserRequired, 'MOHUR_BROWSER=required, and there is no Chromium'))
    return
  }
  const world = sharedWorld()
  const run: object[] = []
  for (const [at, one] of pairsOf(loaderCases).entries())
    test(nameOfLoaderCase(one), async () => {
      await runLoaderCase(await world(), one, `LOADER_${at}`)
      run.push(one)
    })

  test('the cases that were run hold every pair of the product', () => assert.deepEqual(unmetPairs(loaderCases, run), []))
})
