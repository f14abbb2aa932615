// Kills a service at every call to Cashfree. Each payment and refund is made once or not at all, and both books agree.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TARGETS } from '../../../../support/cashfree/calls.ts'
import { killSearch, SIDES } from '../../../../support/cashfree/kill-search.ts'
import { storeNames } from '../../../../support/run/service.ts'
import { sized } from '../../../../support/run/sizes.ts'

const LIVES = sized(56, 500)
const FROM = { sqlite: 0, postgres: 10_010 } as const // multiples of the calls: each seed has its own

for (const store of storeNames)
  test(`${store}: killed at each call to Cashfree, no rupee is lost or doubled and both books agree`, { timeout: 3_600_000 }, async (t) => {
    const { differ, breaches, ...figures } = await killSearch(store, FROM[store], LIVES)
    t.diagnostic(`${store}, seeds from ${FROM[store]}: ${JSON.stringify({ ...figures, differ: differ.length, breaches: breaches.length })}`)
    assert.deepEqual({ differ, breaches }, { differ: [], breaches: [] })
    const killed = Object.values(figures.killed).reduce((sum, count) => sum + count, 0)
    assert.ok(killed > LIVES * 0.9 && figures.payments > LIVES / 4 && figures.refunds > 0, 'there must have been work')
    assert.deepEqual(Object.keys(figures.killed).sort(), TARGETS.map(({ focus, call }) => `${focus}: ${call}`).sort())
    assert.deepEqual(Object.keys(figures.sides).sort(), [...SIDES].sort())
  })
