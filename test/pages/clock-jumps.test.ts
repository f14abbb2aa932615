// A clock that jumps opens no page and no code that is over, and locks no payer out once it is right again: docs/decisions/0013.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jumped } from '../support/clocks/jumps.ts'
import { timesOfPages, timesOfSignIn } from '../support/clocks/times.ts'
import { onBothStores, sharedService } from '../support/run/service.ts'
import { signInWorld } from '../support/signin/signin.ts'

onBothStores('times of sign-in and of payers’ pages', (store) => {
  const shared = sharedService(store, { world: signInWorld })

  test('open nothing that is over and lock no person out, whichever way a clock jumps', async (t) => {
    const { found, says } = await jumped(await shared(), [...timesOfSignIn, ...timesOfPages])
    t.diagnostic(says)
    assert.deepEqual(found, [])
  })
})
