// Compares buttons with the amounts that the bank's journal and the wallet then took, where the script updates the amount. Covers every way
// to pay with the best offer, and with a part from the wallet. taken.test.ts tests the rest without script and without a browser. `npm run
// pages -- amounts` runs the whole product.

import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { amountCases, amountWorld, nameOfAmountCase, runAmountCase } from '../../../support/pages/amount-cases.ts'
import { chromiumPath, launch, openShop } from '../../../support/pages/browser.ts'
import type { World } from '../../../support/pages/page-cases.ts'
import { browserWays } from '../../../support/pages/page-ways.ts'
import { startService } from '../../../support/run/service.ts'

const SAID_ANEW = ['the best offer', 'a part and an offer']
const SUBSCRIPTIONS = ['consent', 'mandate']
/** A card has every offer and part once, a subscription those that it can have. */
const cases = amountCases.filter(
  ({ way, extra, hasScript }) => hasScript && (SAID_ANEW.includes(extra) || way === 'card' || SUBSCRIPTIONS.includes(way)),
)

describe('what a button says and what is taken', { timeout: 900_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  let opened: Promise<World> | undefined
  const open = async () => {
    const [service, shop, browser] = await Promise.all([startService('sqlite', { world: amountWorld }), openShop(), launch()])
    return { service, shop, browser }
  }
  after(async () => {
    const { service, shop, browser } = (await opened) ?? {}
    for (const part of [browser, shop, service]) await part?.close()
  })

  const exact = new Set<string>()
  for (const [at, each] of cases.entries())
    test(`${nameOfAmountCase(each)}: no more than the button says, and what it says`, async () => {
      opened ??= open()
      if ((await runAmountCase(await opened, each, `AMOUNT_${at}`)) === 'exact') exact.add(each.way)
    })

  test('each way has a button that names the very amount', () => {
    const taking = Object.keys(browserWays).filter((way) => way !== 'mandate') // with a mandate on an account nothing is taken
    assert.deepEqual([...exact].toSorted(), taking.toSorted())
  })
})
