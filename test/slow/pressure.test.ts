// A small round of `node bin/run.mjs test/load/pressure.ts`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pressure } from '../load/pressure.ts'

const GREW_MAX_MB = 200

test('customers are served beside floods of wrong orders and unread figures, memory stays, and the log has one line a second and a count', async (t) => {
  const figures = await pressure({ sockets: 6, requests: 500, readers: 3, unreadMs: 1_000, slow: 0 })
  t.diagnostic(JSON.stringify(figures))
  for (const { orders, unexpected, grewMb, heard } of [figures.quiet, figures.wrongCreates, figures.unreadMetrics]) {
    assert.ok(orders > 0)
    assert.deepEqual(unexpected, {})
    assert.ok(grewMb <= GREW_MAX_MB, `${grewMb} MB`)
    assert.ok(!heard['overloaded'] && !heard['unavailable'], JSON.stringify(heard))
  }
  assert.equal(figures.refusalsAnswered, 3_000)
  assert.equal(figures.refusalsLogged, 3_000)
  assert.equal(figures.linesPerSecond, 1)
})
