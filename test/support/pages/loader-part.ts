// One part of the product: way to pay x end x place x `redirect` x handler. Each part is a file of its own, so that they run side by side.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chromiumPath, isBrowserRequired } from './browser.ts'
import { LOADER_ENDS, LOADER_PARTS, loaderCases, nameOfLoaderCase, runLoaderCase } from './loader-cases.ts'
import { sharedWorld } from './page-cases.ts'
import { browserWays } from './page-ways.ts'

const PLACES = 2 // in an overlay, in an element
const ROWS = 4 // of the table of results

export function testLoaderPart(part: keyof typeof LOADER_PARTS) {
  const ways: readonly string[] = LOADER_PARTS[part]
  describe(`paying by the loader: ${part}`, { timeout: 1_800_000 }, () => {
    if (!chromiumPath) {
      test('a browser is there where one is required', () =>
        assert.ok(!isBrowserRequired, 'MOHUR_BROWSER=required, and there is no Chromium'))
      return
    }
    const world = sharedWorld()
    let run = 0
    const cases = loaderCases.filter(({ way }) => ways.includes(way))
    for (const [at, one] of cases.entries())
      test(nameOfLoaderCase(one), async () => {
        await runLoaderCase(await world(), one, `LOADER_${at}`)
        run++
      })
    test('the cases that were run are those of the product, and every way has its part', () => {
      assert.equal(run, ways.length * LOADER_ENDS.length * PLACES * ROWS)
      assert.deepEqual(Object.values(LOADER_PARTS).flat().toSorted(), Object.keys(browserWays).toSorted())
    })
  })
}
