// The payment page in a real browser: one order paid in each way. test/slow/pages/payment/browser.test.ts tests everything else.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chromiumPath, isBrowserRequired, wholeChromiumPath } from '../../support/pages/browser.ts'
import { runCase, sharedWorld } from '../../support/pages/page-cases.ts'
import { browserWays } from '../../support/pages/page-ways.ts'

if (!chromiumPath || !wholeChromiumPath) {
  test('a browser is there where one is required', () => {
    console.log(
      `\n==== NO CHROMIUM HERE: ${chromiumPath ? 'some' : 'the'} tests of the payment page in a browser are LEFT OUT (apt-get install chromium, or MOHUR_CHROMIUM) ====\n`,
    )
    assert.ok(!isBrowserRequired, 'MOHUR_BROWSER=required, and there is no Chromium')
  })
}

describe('one walk through the payment page in a browser', { timeout: 900_000 }, () => {
  if (!chromiumPath) return
  const world = sharedWorld()
  for (const [at, way] of Object.keys(browserWays).entries())
    test(`${way}: an order is paid`, async () => {
      await runCase(await world(), { way, end: 'pays', hasScript: true, isFramed: false }, `ORDER_${at}_HERE`)
    })
})
