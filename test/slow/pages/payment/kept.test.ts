// Each way to pay × each fault, redirect, change of language and loss of the network: what a payer typed and may be kept is there afterwards.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chromiumPath } from '../../../support/pages/browser.ts'
import { sharedWorld } from '../../../support/pages/page-cases.ts'
import { eventNames, lostBy } from '../../../support/pages/page-kept.ts'

describe('what was typed', { timeout: 900_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  const world = sharedWorld()
  for (const [at, name] of eventNames.entries())
    test(`is kept: ${name}`, async () => assert.deepEqual(await lostBy(await world(), name, `KEPT_${at}_ORDER`), []))
})
