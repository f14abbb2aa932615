// The rows that sign-in deletes, and when (docs/interface.md section 8), by moving the clock.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { find, lock } from '../../../src/tables/tables.ts'
import { onBothStores, startService } from '../../support/run/service.ts'
import { otherThan, receive, signInWorld, validate } from '../../support/signin/signin.ts'
import { assertFamilies, errorOf, familyOf, orderToPay, receiveAt, refresh, refreshed, signIn } from '../../support/signin/tokens.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

onBothStores('data that sign-in need not keep', (store) => {
  test('goes when its time is over, and not a millisecond earlier', async () => {
    const running = await startService(store, { world: signInWorld })
    const from = running.clock.now()
    const left = async (at: number) => {
      running.clock.advance(from + at - running.clock.now())
      await running.tasks.runDue()
      const count = async (table: Parameters<typeof find>[0]) => (await running.store.query.rows(find(table, { limit: 9 }))).length
      const names = [
        ...(['checkoutOtps', 'otpFailures', 'otpSends', 'checkoutOtpSends'] as const),
        ...(['refreshTokens', 'otpChallenges', 'ssoTokens', 'tokenFamilies'] as const),
      ]
      const counts = await Promise.all(names.map(count))
      return Object.fromEntries(names.map((name, place) => [name, counts[place]]).filter(([, many]) => many !== 0))
    }
    try {
      const first = await signIn(running, '9876560001')
      const second = await refreshed(running, first.refreshToken)
      const sent = await receive(running, '9876560001')
      assert.equal((await validate(running, { ...sent, otp: otherThan(sent.otp) })).body.responseCode, 'BE1425007')
      await receiveAt(running, await orderToPay(running, 'FORGET'), '9876560002')
      const successor = async () => (await familyOf(running, first.ssoToken)).tokens[0]!.successor

      const all = {
        ...{ checkoutOtps: 1, otpFailures: 1, otpSends: 1, checkoutOtpSends: 1 },
        ...{ refreshTokens: 2, otpChallenges: 2, ssoTokens: 2, tokenFamilies: 1 },
      }
      assert.deepEqual(await left(MINUTE - 1), all)
      assert.equal((await successor())?.refreshToken, second.refreshToken)
      assert.deepEqual(await left(2 * MINUTE), all)
      assert.equal(await successor(), null)
      assert.deepEqual(await left(HOUR - 1), all)
      const { otpFailures, ...withoutFailures } = all
      assert.deepEqual(await left(HOUR + MINUTE), withoutFailures)
      assert.deepEqual(await left(DAY - 1), withoutFailures)
      const { otpSends, checkoutOtpSends, ...withoutSends } = withoutFailures
      assert.deepEqual(await left(DAY + MINUTE), withoutSends)
      const { checkoutOtps, ...withoutCheckout } = withoutSends
      assert.deepEqual(await left(DAY + 3 * MINUTE), withoutCheckout)

      // Until the family is over, a used token is needed to detect a copy.
      assert.deepEqual(await left(30 * DAY - 1), withoutCheckout)
      await assertFamilies(running)
      const { refreshTokens, ...withoutRefresh } = withoutCheckout
      assert.deepEqual(await left(30 * DAY + MINUTE), withoutRefresh)
      assert.equal(await errorOf(refresh(running, second.refreshToken)), '400 BE1422001')
      assert.deepEqual(await left(31 * DAY + 6 * MINUTE), { tokenFamilies: 1 })
      assert.equal((await validate(running, sent)).body.responseCode, '434')
      assert.deepEqual(await left(60 * DAY - 1), { tokenFamilies: 1 })
      assert.deepEqual(await left(60 * DAY + MINUTE), {})
      assert.deepEqual([otpFailures, checkoutOtps, otpSends, checkoutOtpSends, refreshTokens], [1, 1, 1, 1, 2])
    } finally {
      await running.close()
    }
  })

  test('goes however much there is, and what was used meanwhile stays', async () => {
    const running = await startService(store, { world: signInWorld })
    try {
      const lastAt = running.clock.now() - DAY
      const mobiles = Array.from({ length: 1_200 }, (_, at) => String(9_000_000_000 + at))
      await running.store.transaction((transaction) =>
        transaction.write({
          changes: mobiles.map((mobile) => ({
            kind: 'insert',
            key: lock('otpSends', mobile),
            row: { mobile, sentAt: [lastAt], lastAt },
          })),
          events: [],
          tasks: [],
        }),
      )
      await receive(running, mobiles[7]!)
      running.clock.advance(2 * MINUTE)
      await running.tasks.runDue()
      const rows = await running.store.query.rows(find('otpSends', { limit: 9 }))
      assert.deepEqual(
        rows.map(({ mobile, sentAt }) => [mobile, sentAt.length]),
        [[mobiles[7], 1]],
      )
    } finally {
      await running.close()
    }
  })
})
