/**
 * Puts a store back to an earlier day while its bank goes on, and compares the bank's journal with the books:
 *
 *     node bin/run.mjs test/load/restores.ts [--restores 500] [--store sqlite|postgres] [--from 1]
 *
 * Prints the figures, and ends with 1 where they differ.
 */

import { parseArgs } from 'node:util'
import { restoredLife } from '../support/bank/restore-search.ts'
import { type StoreName, startService } from '../support/run/service.ts'

const { values } = parseArgs({
  options: {
    restores: { type: 'string', default: '500' },
    store: { type: 'string', default: 'sqlite' },
    from: { type: 'string', default: '1' },
  },
})
const LIVES_OF_A_STORE = 10 // each restore copies every row
const [restores, from] = [Number(values.restores), Number(values.from)]
const sums = { restores: 0, withMovesBehind: 0, oldestHours: 0, unseen: 0, differ: 0 }
for (let seed = from; seed < from + restores; seed += LIVES_OF_A_STORE) {
  const service = await startService(values.store as StoreName)
  for (let life = seed; life < Math.min(seed + LIVES_OF_A_STORE, from + restores); life++) {
    const { ageMs, movedSince, unseen, differ } = await restoredLife(service, life)
    sums.restores++
    sums.withMovesBehind += Number(movedSince > 0)
    sums.oldestHours = Math.max(sums.oldestHours, Math.round(ageMs / 3_600_000))
    sums.unseen += unseen
    sums.differ += Number(differ.length > 0)
    if (differ.length > 0) console.log(`seed ${life}, ${Math.round(ageMs / 3_600_000)} hours: ${differ.join('; ')}`)
  }
  await service.close()
  console.error(`${sums.restores} of ${restores}, ${sums.differ} of them differ`)
}
console.table([{ store: values.store, ...sums }])
process.exit(sums.differ === 0 ? 0 : 1)
