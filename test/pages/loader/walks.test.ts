// The rows of the table of docs/pages.md, "What the shop's page learns", each once by a card in an overlay.
// test/slow/pages/loader/ways.test.ts has every way to pay, end and place.

import { describe, test } from 'node:test'
import { chromiumPath } from '../../support/pages/browser.ts'
import { loaderCases, nameOfLoaderCase, runLoaderCase } from '../../support/pages/loader-cases.ts'
import { sharedWorld } from '../../support/pages/page-cases.ts'

describe("what a shop's page learns by the loader", { timeout: 600_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so, and fails where a browser is required
  const world = sharedWorld()
  const rows = loaderCases.filter(({ way, end, place }) => way === 'card' && end === 'pays' && place === 'overlay')
  for (const [at, row] of rows.entries())
    test(nameOfLoaderCase(row), async () => {
      await runLoaderCase(await world(), row, `WALK_${at}`)
    })
})
