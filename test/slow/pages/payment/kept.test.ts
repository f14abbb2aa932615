// Each way to pay × each fault, redirect, change of language and loss of the network, with script. Afterwards every typed value that may be
// kept is still there. `npm run pages -- typed` runs the events without script too; here test/pages/payment/view.test.ts and mend.test.ts
// test those.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chromiumPath } from '../../../support/pages/browser.ts'
import { sharedWorld } from '../../../support/pages/page-cases.ts'
import { eventNamesWithScript, lostBy } from '../../../support/pages/page-kept.ts'

describe('what was typed', { timeout: 900_000 }, () => {
  if (!chromiumPath) return // test/pages/payment/browser.test.ts says so loudly
  const world = sharedWorld()
  for (const [at, name] of eventNamesWithScript.entries())
    test(`is kept: ${name}`, async () => assert.deepEqual(await lostBy(await world(), name, `KEPT_${at}_ORDER`), []))
})
