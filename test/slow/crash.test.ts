// A few rounds of the crash harness; `node bin/run.mjs test/crash/kill-loop.ts`, `pay-loop.ts`, `renewal-loop.ts`, `search-loop.ts`,
// `approval-loop.ts` and `stop-loop.ts` run many.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { approvalLoop, isSound as isSoundOfApprovals } from '../crash/approval-loop.ts'
import { clocksLoop, isSound as isSoundByTheClock } from '../crash/clocks.ts'
import { killLoop } from '../crash/kill-loop.ts'
import { isSound, payLoop } from '../crash/pay-loop.ts'
import { isSound as isSoundOfRenewals, renewalLoop } from '../crash/renewal-loop.ts'
import { isSound as isSoundOfSearch, searchLoop } from '../crash/search-loop.ts'
import { stopLoop } from '../crash/stop-loop.ts'
import { storeNames } from '../support/run/service.ts'
import { sized } from '../support/run/sizes.ts'

const SEED = 20_261_120
const ROUNDS = sized(2, 3)

for (const store of storeNames) {
  test(`${store}: no acknowledged order is missing after the service was killed, and none is there twice`, async (t) => {
    const figures = await killLoop(store, ROUNDS, SEED)
    t.diagnostic(JSON.stringify(figures))
    const { missing, duplicates, torn, unexpected } = figures
    assert.deepEqual({ missing, duplicates, torn, unexpected }, { missing: 0, duplicates: 0, torn: 0, unexpected: {} })
    assert.ok(figures.acknowledged > 10 * ROUNDS, 'there must have been a load')
  })
}

for (const store of storeNames) {
  test(`${store}: killed while customers pay, no order is charged twice and the books equal the bank’s journal`, async (t) => {
    const figures = await payLoop(store, ROUNDS, SEED)
    t.diagnostic(JSON.stringify(figures))
    assert.ok(isSound(figures), JSON.stringify(figures))
    assert.ok(figures.charges > ROUNDS, 'there must have been a load')
  })
}

for (const store of storeNames) {
  test(`${store}: killed while mandates are debited at a bank that lies, no cycle is debited twice and both books agree`, async (t) => {
    const figures = await renewalLoop(store, 2, SEED, { mandates: 21 })
    t.diagnostic(JSON.stringify(figures))
    assert.ok(isSoundOfRenewals(figures), JSON.stringify(figures))
    assert.ok(figures.debits > 10, 'there must have been work')
  })
}

for (const store of storeNames) {
  test(`${store}: killed while orders arrive and their search terms are written, no order lacks its terms or has them twice`, async (t) => {
    const figures = await searchLoop(store, sized(3, 200), SEED)
    t.diagnostic(JSON.stringify(figures))
    assert.ok(isSoundOfSearch(figures), JSON.stringify(figures))
    assert.ok(figures.orders > 100 * figures.kills, 'there must have been a load')
  })
}

for (const store of storeNames) {
  test(`${store}: killed while large refunds are asked for and given, each given one is made and sent once, and no other`, async (t) => {
    const figures = await approvalLoop(store, sized(3, 100), SEED)
    t.diagnostic(JSON.stringify(figures))
    assert.ok(isSoundOfApprovals(figures), JSON.stringify(figures))
    assert.ok(figures.given > figures.kills, 'there must have been work')
  })
}

test('a service that calls the bank before its own commit is found by that', async (t) => {
  const figures = await renewalLoop('sqlite', 1, SEED, { mandates: 21, variant: 'call-before-commit' })
  t.diagnostic(JSON.stringify(figures))
  assert.ok(figures.onlyAtTheBank > 0, JSON.stringify(figures))
})

for (const store of storeNames) {
  test(`${store}: stopped under load, what was acknowledged is there and what was begun was answered`, async (t) => {
    const figures = await stopLoop(store, ROUNDS, SEED)
    t.diagnostic(JSON.stringify(figures))
    const { missing, begunAndUnanswered, unexpected } = figures
    assert.deepEqual({ missing, begunAndUnanswered, unexpected }, { missing: 0, begunAndUnanswered: 0, unexpected: {} })
    assert.ok(figures.acknowledged > 10 * ROUNDS, 'there must have been a load')
  })
}

for (const store of storeNames) {
  test(`${store}: with clocks apart or set back, customers who pay get no system error, and everything holds`, async (t) => {
    const figures = await clocksLoop(store, 3, SEED)
    t.diagnostic(JSON.stringify(figures))
    assert.ok(isSoundByTheClock(figures), JSON.stringify(figures))
  })
}
