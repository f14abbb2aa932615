// Orders at Cashfree's simulator that meets each call with a drawn fault: no rupee is lost or doubled, and both books agree.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { accountAt } from '../../../../support/cashfree/account.ts'
import { cashfreeLife, KINDS, type Life, watchDeadlines } from '../../../../support/cashfree/fault-search.ts'
import { CashfreeSimulator } from '../../../../support/cashfree/simulator.ts'
import { onBothStores, type Service, startService } from '../../../../support/run/service.ts'
import { sized } from '../../../../support/run/sizes.ts'
import { assertHolds } from '../../../../support/store/verify.ts'

const LIVES = sized(30, 500)
const FROM = { sqlite: 1, postgres: 10_001 } as const

onBothStores('a payment through Cashfree', (store) => {
  test('is taken once or not at all, whatever becomes of its calls', { timeout: 3_600_000 }, async (t) => {
    let service: Service | undefined
    const bank = await CashfreeSimulator.start({ now: () => service?.clock.realNow() ?? Date.now() })
    after(() => bank.stop())
    service = await startService(store, { env: accountAt(bank.url) })
    after(() => service!.close())
    const watch = watchDeadlines()
    after(watch.end)

    const sum: Life = { faults: {}, calls: {}, payments: 0, late: 0, automatic: 0, cancelled: 0, refunds: 0, differ: [] }
    for (let seed = FROM[store]; seed < FROM[store] + LIVES; seed++) {
      const life = await cashfreeLife(service, bank, watch.deadlines, seed)
      sum.differ.push(...life.differ.map((what) => `seed ${seed}: ${what}`))
      for (const name of ['payments', 'late', 'automatic', 'cancelled', 'refunds'] as const) sum[name] += life[name]
      for (const part of ['faults', 'calls'] as const)
        for (const [name, count] of Object.entries(life[part]))
          Object.assign(sum[part], { [name]: ((sum[part] as Record<string, number>)[name] ?? 0) + count })
    }
    t.diagnostic(`seeds ${FROM[store]} to ${FROM[store] + LIVES - 1}: ${JSON.stringify(sum)}`)
    assert.deepEqual(sum.differ, [])
    await assertHolds(service)
    assert.ok(sum.payments > LIVES / 4 && sum.late > 0 && sum.refunds > 0, 'there must have been work')
    assert.deepEqual(Object.keys(sum.faults).sort(), [...KINDS].sort())
  })
})
