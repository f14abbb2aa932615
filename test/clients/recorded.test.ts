// Sends again what published clients sent when run.ts ran them. docs/moving.md names the clients.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { MID, onBothStores, sharedService, startService } from '../support/run/service.ts'
import type { Recorded } from './outcome.ts'
import { clients } from './published.ts'
import { replay } from './replay.ts'

const folder = join(import.meta.dirname, 'recorded')
const runs: readonly Recorded[] = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))

onBothStores('recorded clients', (store) => {
  const service = sharedService(store)

  for (const run of runs)
    test(`${run.kind} ${run.name} of ${run.repository} is answered as it was when it was run`, async () => {
      if (!run.merchant) return replay(await service(), run)
      const own = await startService(store)
      try {
        await replay(own, run)
      } finally {
        await own.close()
      }
    })
})

test('every client that can be run by hand is recorded, from the commit that it is run at', () => {
  assert.deepEqual(runs.map(({ name, commit }) => [name, commit]).sort(), clients.map(({ name, commit }) => [name, commit]).sort())
  assert.ok(clients.length >= 8)
  assert.ok(new Set(clients.map(({ kind }) => kind)).size >= 5)
  assert.ok(runs.every(({ script }) => script.some((line) => 'paid' in line) && JSON.stringify(script).includes(MID)))
})
