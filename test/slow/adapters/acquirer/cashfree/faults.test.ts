// Orders at Cashfree's simulator whose calls meet drawn faults: no rupee is lost or doubled, no answer is false, and both books agree.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { accountAt } from '../../../../support/cashfree/account.ts'
import { TARGETS } from '../../../../support/cashfree/calls.ts'
import { cashfreeLife, emptyLife, KINDS, type Life, watchDeadlines } from '../../../../support/cashfree/fault-search.ts'
import { holdAnswers } from '../../../../support/cashfree/held-answers.ts'
import { CashfreeSimulator } from '../../../../support/cashfree/simulator.ts'
import { onBothStores, type Service, startService } from '../../../../support/run/service.ts'
import { sized } from '../../../../support/run/sizes.ts'
import { assertHolds } from '../../../../support/store/verify.ts'

const LIVES = sized(28, 500)
const VERIFIED_EVERY = 14 // lives, because each time reads the whole store
const FROM = { sqlite: 0, postgres: 10_010 } as const // each begins with the first call and its first fault
const SUMS = ['payments', 'late', 'automatic', 'cancelled', 'refunds', 'repeated', 'misread'] as const

function add(sum: Life, life: Life, seed: number) {
  sum.differ.push(...life.differ.map((what) => `seed ${seed}: ${what}`))
  for (const name of SUMS) sum[name] += life[name]
  for (const part of ['faults', 'calls'] as const)
    for (const [name, count] of Object.entries(life[part])) sum[part][name] = (sum[part][name] ?? 0) + count
}

onBothStores('a payment through Cashfree', (store) => {
  test('is taken once or not at all, whatever becomes of its calls', { timeout: 3_600_000 }, async (t) => {
    let service: Service | undefined
    const now = () => service?.clock.realNow() ?? Date.now()
    const bank = await CashfreeSimulator.start({ now })
    after(() => bank.stop())
    service = await startService(store, { env: accountAt(bank.url) })
    after(() => service!.close())
    const watch = watchDeadlines()
    after(watch.end)
    const held = holdAnswers(service.ports.acquirer(), bank, now)

    const sum = emptyLife()
    for (let lives = 1; lives <= LIVES; lives++) {
      const seed = FROM[store] + lives - 1
      add(sum, await cashfreeLife({ service, bank, held, deadlines: watch.deadlines }, seed), seed)
      if (lives % VERIFIED_EVERY === 0) await assertHolds(service)
    }
    t.diagnostic(`seeds ${FROM[store]} to ${FROM[store] + LIVES - 1}: ${JSON.stringify(sum)}`)
    assert.deepEqual(sum.differ, [])
    await assertHolds(service)
    assert.ok(
      sum.payments > LIVES / 4 && sum.late > 0 && sum.refunds > 0 && sum.repeated > 0 && sum.misread > 0,
      'there must have been work',
    )
    assert.deepEqual(Object.keys(sum.faults).sort(), [...KINDS].sort())
    const targets = TARGETS.map(({ focus, call }) => `${focus}: ${call}`)
    // A few lives may end before the call at which they aim.
    const missed = targets.filter((target) => !sum.calls[target])
    assert.ok(missed.length <= sized(2, 0), `no fault met ${missed.join(', ')}`)
  })
})
