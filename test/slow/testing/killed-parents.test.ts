// A small round of `node bin/run.mjs test/crash/killed-parents.ts`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killedParents } from '../../crash/killed-parents.ts'
import { sized } from '../../support/run/sizes.ts'

test('no process of a sandbox outlives its tests, whatever kills them', async (t) => {
  const { kills, early, processes, folders } = await killedParents({ times: sized(12, 50), seed: 1, withinMs: 15_000 })
  t.diagnostic(`${kills} killed, ${early} early; folders left: ${folders.join(', ') || 'none'}`)
  assert.deepEqual(processes, [])
})
