// Every action on mandates at once, by two services on one PostgreSQL. `node bin/run.mjs test/crash/mandate-race.ts` runs many rounds.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultsIn, mandateRace } from '../../crash/mandate-race.ts'
import { storeNames } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'

const SEED = 1

for (const store of storeNames.filter((name) => name === 'postgres'))
  test(`${store}: what merchants, payers and two collectors do to mandates at once debits no cycle twice and leaves none without an end`, async (t) => {
    const figures = await mandateRace(SEED, { mandates: 5, rounds: sized(6, 40) })
    t.diagnostic(JSON.stringify(figures))
    // A busy machine may keep a service from its database; that loses nothing.
    assert.deepEqual(faultsIn({ ...figures, systemErrors: [] }), [])
    assert.ok(figures.cycles > 0 && figures.asked > 0, 'there must have been something to do')
  })
