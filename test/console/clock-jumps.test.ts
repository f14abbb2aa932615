// A clock that jumps opens nothing of the console that is over, and locks no person out once it is right again: docs/decisions/0013.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AHEAD_MS, jumped, pass } from '../support/clocks/jumps.ts'
import { HOUR_MS, linkFor, MINUTE_MS, newAdmin, newAdminWithApp, timesOfConsole } from '../support/clocks/times.ts'
import { ask, PASSWORD } from '../support/console/desk.ts'
import { onBothStores, sharedService } from '../support/run/service.ts'

const [IN, WRONG, GONE] = [303, 422, 404]

onBothStores('times of the console', (store) => {
  const shared = sharedService(store, { env: { MOHUR_TRUSTED_PROXIES: '127.0.0.1' } })

  test('open nothing that is over and lock no person out, whichever way a clock jumps', async (t) => {
    const { found, says } = await jumped(await shared(), timesOfConsole)
    t.diagnostic(says)
    assert.deepEqual(found, [])
  })

  test('a code that an app showed a month ahead locks no right code out, and no code is taken twice', async () => {
    const service = await shared()
    const { signIn, code } = await newAdminWithApp(service)
    pass(service, MINUTE_MS)
    const before = code()
    assert.equal((await signIn(before)).status, IN)
    service.clock.set(AHEAD_MS)
    const then = code()
    assert.equal((await signIn(then)).status, IN)
    service.clock.set(-AHEAD_MS)
    assert.equal((await signIn(before)).status, WRONG, 'the code from before the jump')
    pass(service, MINUTE_MS)
    const after = code()
    assert.equal((await signIn(after)).status, IN, 'a right code, a minute after the clock is right')
    assert.equal((await signIn(after)).status, WRONG)
    pass(service, AHEAD_MS - MINUTE_MS)
    assert.equal((await signIn(then)).status, WRONG, 'the code of the month ahead, when its time has come')
    pass(service, MINUTE_MS)
    assert.equal((await signIn(code())).status, IN)
  })

  test('a password that a link sets a month ahead ends the links from before, and those from then', async () => {
    const service = await shared()
    const { email } = await newAdmin(service)
    const before = await linkFor(service, email, 'RESET')
    service.clock.set(AHEAD_MS)
    const [used, then] = [await linkFor(service, email, 'RESET'), await linkFor(service, email, 'RESET')]
    assert.equal((await ask(service, used, { form: { password: `${PASSWORD} 1` } })).status, IN)
    for (const ms of [0, -AHEAD_MS]) {
      service.clock.set(ms)
      for (const link of [before, then]) {
        assert.equal((await ask(service, link)).status, GONE)
        assert.equal((await ask(service, link, { form: { password: `${PASSWORD} 2` } })).status, GONE)
      }
    }
  })

  test('a code that was taken two hours ago is not taken again by a clock that is two hours back', async () => {
    const service = await shared()
    const { signIn, code } = await newAdminWithApp(service)
    pass(service, MINUTE_MS)
    const old = code()
    assert.equal((await signIn(old)).status, IN)
    pass(service, 2 * HOUR_MS)
    assert.equal((await signIn(code())).status, IN)
    service.clock.set(-2 * HOUR_MS)
    assert.equal((await signIn(old)).status, WRONG)
    service.clock.set(2 * HOUR_MS)
  })
})
