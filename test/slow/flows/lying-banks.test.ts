// A small round of test/load/debits.ts: mandates at banks that delay, lie and change their answer.

import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { after, test } from 'node:test'
import { verify } from '../../../src/verify/verify.ts'
import { openPlace, type Place, searched } from '../../support/bank/debit-search.ts'
import { onBothStores } from '../../support/run/service.ts'
import { sized } from '../../support/run/sizes.ts'
import { emptyPlace } from '../../support/store/stores.ts'

const MANDATES = sized(3, 30)
const FROM = { sqlite: 1, postgres: 1_001 } as const

onBothStores('a cycle', (store) => {
  let where: string | undefined
  let place: Place | undefined
  after(() => place?.store.close())
  for (const isHonest of [true, false])
    test(`is debited once at ${isHonest ? 'a bank that keeps its word' : 'a bank that does not, and whatever it took besides is given back'}`, async (t) => {
      where ??= await emptyPlace(store)
      place ??= await openPlace(store, where)
      let [cycles, debits] = [0, 0]
      for (let seed = FROM[store]; seed < FROM[store] + MANDATES; seed++) {
        const found = await searched(seed, isHonest, place)
        assert.deepEqual({ breaches: found.breaches, wrong: found.wrong }, { breaches: [], wrong: [] }, `seed ${seed}`)
        if (isHonest) assert.deepEqual(found.twice, [], `seed ${seed}`)
        cycles += found.cycles
        debits += found.debits
      }
      const invariants = await verify({ dataFolder: dirname(where), databaseUrl: store === 'postgres' ? where : undefined })
      // The simulation writes neither the mode of its store nor the check of its master key.
      assert.deepEqual(
        invariants.filter(({ id, breaches }) => breaches > 0 && id !== 'I55'),
        [],
      )
      assert.ok(cycles > MANDATES && debits >= cycles)
      t.diagnostic(`seeds ${FROM[store]} to ${FROM[store] + MANDATES - 1}: ${cycles} cycles, ${debits} debits`)
    })
})
