// Everything that must always be true of a store, asked of a running service as an operator would.

import assert from 'node:assert/strict'
import { lineOf, verify } from '../../../src/verify/verify.ts'
import type { Service } from '../run/service.ts'

/** Fails with the line of every invariant that is broken. `except` names those that a test breaks on purpose, and says why there. */
export async function assertHolds({ place }: Pick<Service, 'place'>, { except = [] as readonly string[] } = {}): Promise<void> {
  const broken = (await verify(place)).filter(({ id, breaches }) => breaches > 0 && !except.includes(id))
  assert.equal(broken.map(lineOf).join('\n'), '')
}
