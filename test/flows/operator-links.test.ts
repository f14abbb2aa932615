// How the id of an audit row is made: from its time, so that the log is in order, and from chance.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditIdAt } from '../../src/flows/auditing.ts'

test('a row of the audit log is named by 13 digits of time and 8 of chance', () => {
  const at = (now: number) => auditIdAt({ clock: { realNow: () => now }, fresh: { hex: (bytes) => 'f'.repeat(2 * bytes) } })
  assert.equal(at(1_800_000_000_000), '1800000000000ffffffff')
  assert.equal(at(7), '0000000000007ffffffff')
})
