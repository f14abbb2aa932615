// What published clients sent when run.ts ran them, sent again: docs/moving.md says which clients these are.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { MID, onBothStores, sharedService } from '../support/run/service.ts'
import type { Recorded } from './outcome.ts'
import { clients } from './published.ts'
import { replay } from './replay.ts'

const folder = join(import.meta.dirname, 'recorded')
const runs: readonly Recorded[] = readdirSync(folder).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))

onBothStores('recorded clients', (store) => {
  const service = sharedService(store)

  for (const { name, kind, repository, script } of runs)
    test(`${kind} ${name} of ${repository} is answered as it was when it was run`, async () => replay(await service(), script))
})

test('every client that can be run by hand is recorded, from the commit that it is run at', () => {
  assert.deepEqual(runs.map(({ name, commit }) => [name, commit]).sort(), clients.map(({ name, commit }) => [name, commit]).sort())
  assert.ok(clients.length >= 8)
  assert.ok(new Set(clients.map(({ kind }) => kind)).size >= 5)
  assert.ok(runs.every(({ script }) => script.some((line) => 'paid' in line) && JSON.stringify(script).includes(MID)))
})
