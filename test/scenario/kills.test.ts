// One kill on each store. test/slow/crash.test.ts kills in more ways, stops the service, and sets its clock.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSound, payLoop } from '../crash/pay-loop.ts'
import { storesWhereSqlDiffers } from '../support/run/service.ts'

const SEED = 20_261_120

for (const store of storesWhereSqlDiffers) {
  test(`${store}: killed once while customers pay, no order is charged twice and the books equal the bank’s journal`, async (t) => {
    const figures = await payLoop(store, 1, SEED)
    t.diagnostic(JSON.stringify(figures))
    assert.ok(isSound(figures), JSON.stringify(figures))
    assert.ok(figures.charges > 1, 'there must have been a load')
  })
}
