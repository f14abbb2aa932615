// Sign-in's replies when the store fails: Send OTP BE1426003, Validate OTP 434 (docs/interface.md section 7).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { find } from '../../../src/tables/tables.ts'
import { onBothStores, startService } from '../../support/run/service.ts'
import { codeOf, inbox, otherThan, receive, send, signInWorld, validate } from '../../support/signin/signin.ts'
import { commitUnknown, type Faults, withFailingQuery, withFaults } from '../../support/store/faults.ts'

onBothStores('a failing store in sign-in', (store) => {
  for (const at of ['begin', 'read', 'write', 'commit'] as const) {
    test(`at ${at}: Send OTP answers BE1426003 and sends nothing, Validate OTP answers 434 and spends nothing`, async () => {
      let faults: Faults | undefined
      const exits: number[] = []
      const running = await startService(store, {
        world: signInWorld,
        exit: (code) => exits.push(code),
        store(real) {
          faults = withFaults(real)
          return faults.store
        },
      })
      try {
        const error = () => (at === 'commit' ? commitUnknown() : new Error('injected'))
        faults!.fail(at, error())
        assert.equal(await codeOf(send(running, { phone: '9876500301' })), '200 BE1426003')
        assert.deepEqual(await inbox(running, '9876500301'), [])
        const sent = await receive(running, '9876500301')
        for (const otp of [sent.otp, otherThan(sent.otp)]) {
          faults!.fail(at, error())
          assert.equal(await codeOf(validate(running, { ...sent, otp })), '200 434')
        }
        const [challenge] = await running.store.query.rows(find('otpChallenges', { limit: 2 }))
        assert.deepEqual([challenge!.tries, challenge!.consumedAt], [0, null])
        assert.equal(await codeOf(validate(running, sent)), '200 BE1400001')
      } finally {
        await running.close()
      }
      assert.ok(exits.every((code) => code === 70))
    })
  }

  test('when clients cannot be looked up, no client is called unauthorized', async () => {
    const failing = { now: false }
    const running = await startService(store, { world: signInWorld, store: (real) => withFailingQuery(real, failing) })
    try {
      failing.now = true
      assert.equal(await codeOf(send(running, { phone: '9876500302' })), '200 BE1426003')
      assert.equal(await codeOf(validate(running, { state_token: 'x', otp: '123456' })), '200 434')
    } finally {
      failing.now = false
      await running.close()
    }
  })
})
