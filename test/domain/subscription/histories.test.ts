// Ten years of random mandates, banks, payers, merchants and outages through the service's own decisions, compared with a calendar that is
// written apart from them. test/slow/domain/subscription/histories.test.ts has more of them, and plants faults that they find.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Simulation } from '../../../src/sandbox/simulation.ts'
import { wrongsOf } from '../../support/mandates/histories.ts'

for (let seed = 1; seed <= 10; seed++)
  test(`history ${seed} goes by the book`, async () => assert.deepEqual(await wrongsOf(seed, (parts) => new Simulation(parts)), []))
