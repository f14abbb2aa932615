// A small round of test/load/restores.ts: a store is put back to an earlier day while its bank goes on.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restoredLife } from '../../support/bank/restore-search.ts'
import { onBothStores, sharedService } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'

const FROM = { sqlite: 11, postgres: 1_001 } as const
const RESTORES = sized(4, 60)

onBothStores('a restored store', (store) => {
  const running = sharedService(store)
  test('agrees with the bank’s journal about every payment, debit and refund of which it can learn', async (t) => {
    const service = await running()
    let behind = 0
    for (let seed = FROM[store]; seed < FROM[store] + RESTORES; seed++) {
      const { differ, movedSince } = await restoredLife(service, seed)
      assert.deepEqual(differ, [], `seed ${seed}`)
      behind += movedSince
    }
    assert.ok(behind > 0, 'the bank had moved no money since any backup')
    t.diagnostic(`seeds ${FROM[store]} to ${FROM[store] + RESTORES - 1}, money moved behind the backups: ${behind} times`)
  })
})
