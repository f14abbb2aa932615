// Checks every invariant of a running service's store, as an operator does.

import assert from 'node:assert/strict'
import { lineOf, verify } from '../../../src/verify/verify.ts'
import type { Service } from '../run/service.ts'

/** Fails with the line of every broken invariant. `except` names those that a test breaks on purpose; the test says why. */
export async function assertHolds({ place }: Pick<Service, 'place'>, { except = [] as readonly string[] } = {}): Promise<void> {
  const broken = (await verify(place)).filter(({ id, breaches }) => breaches > 0 && !except.includes(id))
  assert.equal(broken.map(lineOf).join('\n'), '')
}
