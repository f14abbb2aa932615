// Sweeps while the store refuses commands. A rejection that nobody waits for would end the process.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Unreachable } from '../../src/engine/store.ts'
import type { Sweep } from '../../src/engine/tasks.ts'
import { keyForgetting, misdatedForgetting, misdating, signatureForgetting, signInForgetting } from '../../src/flows/sweeps.ts'

const refused = { submit: () => Promise.reject(new Unreachable('the store is away')) }
/** Every read finds one row, and takes as long as a journey to a server. */
const query = {
  async rows() {
    await setImmediate()
    return [{}]
  },
  tasksBeyond: async () => ({ tasks: [{}], next: undefined }),
}
let elapsed = 0
const clock = { now: () => 0, realNow: () => 0, elapsed: () => elapsed }
const parts = { engine: refused, query, clock } as never

for (const [name, sweep] of Object.entries<Sweep>({
  signatures: signatureForgetting(parts),
  keys: keyForgetting(parts),
  'sign-ins': signInForgetting(parts),
  'misdated tasks': misdating(parts),
  'misdated rows': misdatedForgetting(parts),
}))
  test(`a refused command fails the sweep of ${name}, and leaves no rejection behind`, async () => {
    const unhandled: unknown[] = []
    const hear = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', hear)
    try {
      await assert.rejects(sweep.run(0), Unreachable)
      await setImmediate()
      assert.deepEqual(unhandled, [])
    } finally {
      process.off('unhandledRejection', hear)
    }
    elapsed += 86_400_000
  })
