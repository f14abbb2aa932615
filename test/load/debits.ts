/**
 * Looks for a second debit of a cycle, at banks that delay, lie and change their answer:
 *
 *     node bin/run.mjs test/load/debits.ts [--cycles 10000] [--store sqlite|postgres] [--from 1]
 *
 * Half of the banks keep the contract's promise that a result is final (docs/acquirer.md). There no cycle may be debited twice. At the
 * others one debit may be kept, and all others must be given back whole. MOHUR_TEST_CHECKOUT names another checkout. Prints the figures,
 * and ends with 1 when something is wrong.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { verify } from '../../src/verify/verify.ts'
import { openPlace, searched } from '../support/bank/debit-search.ts'
import { checkout } from '../support/run/checkout.ts'
import { startPostgres } from '../support/store/postgres.ts'

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '10000' },
    store: { type: 'string', default: 'sqlite' },
    from: { type: 'string', default: '1' },
  },
})
const VERIFIED_EVERY = 20 // mandates
const SHOWN = 5
const isOurs = checkout === join(import.meta.dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'mohur-debits-'))
const server = values.store === 'postgres' ? await startPostgres({ durable: false }) : undefined
const databaseUrl = await server?.createDatabase()
const place = await openPlace(server ? 'postgres' : 'sqlite', databaseUrl ?? join(folder, 'mohur.sqlite'))
const sums = [false, true].map((isHonest) => ({ isHonest, mandates: 0, cycles: 0, debits: 0, breaches: 0, twice: 0, wrong: 0 }))
let broken = 0
try {
  const [from, wanted] = [Number(values.from), Number(values.cycles)]
  for (let seed = from; sums.reduce((sum, { cycles }) => sum + cycles, 0) < wanted; seed++) {
    const sum = sums[seed % 2]!
    const found = await searched(seed, sum.isHonest, place)
    sum.mandates++
    sum.cycles += found.cycles
    sum.debits += found.debits
    for (const kind of ['breaches', 'twice', 'wrong'] as const) {
      if (found[kind].length > 0 && sum[kind] < SHOWN) console.log(`seed ${seed}, ${kind}: ${found[kind][0]}`)
      sum[kind] += found[kind].length
    }
    if (!isOurs || seed % VERIFIED_EVERY > 0) continue
    for (const { id, breaches, says } of await verify({ dataFolder: folder, databaseUrl })) {
      // The simulation writes neither the mode of its store nor the check of its master key.
      if (breaches === 0 || id === 'I55') continue
      broken++
      console.log(`seed ${seed}: verify names ${id}: not true that ${says}`)
    }
  }
} finally {
  await place.store.close()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
}
console.table(sums)
console.log(`${values.store}, from seed ${values.from}; verify broken: ${isOurs ? broken : 'not asked'}`)
const isRight = sums.every(({ isHonest, breaches, twice, wrong }) => breaches === 0 && wrong === 0 && (!isHonest || twice === 0))
process.exitCode = isRight && broken === 0 ? 0 : 1
