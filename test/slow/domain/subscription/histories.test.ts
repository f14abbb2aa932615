// Ten years of random mandates, banks, payers, merchants and outages through the service's own decisions, compared with a calendar that is
// written apart from them. Such histories also find each fault that is planted into a copy of the source.
//     MOHUR_HISTORIES=2000 MOHUR_HISTORIES_FROM=1 npm run prove -- test/slow/domain/subscription/histories.test.ts     a larger run

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { Simulation } from '../../../../src/sandbox/simulation.ts'
import { type NewSimulation, wrongsOf } from '../../../support/mandates/histories.ts'
import { PLANTED } from '../../../support/mandates/planted-faults.ts'
import { type PlantedFault, withPlantedSource } from '../../../support/run/planted-source.ts'

const [HISTORIES, FROM] = [Number(process.env['MOHUR_HISTORIES'] || 16), Number(process.env['MOHUR_HISTORIES_FROM'] || 1)]
const FOUND_WITHIN = 500

/** A copy that ends with an error of its own does not count as found. */
const ANY_BREACH = /^(?!failed: )/
const seedsFrom = (likely: number) => [likely, ...Array.from({ length: FOUND_WITHIN }, (_, at) => at + 1).filter((seed) => seed !== likely)]

const withFault = (planted: readonly PlantedFault[], work: (newSimulation: NewSimulation) => Promise<void>) =>
  withPlantedSource(planted, async (copy) => {
    const { Simulation } = (await import(join(copy, 'src/sandbox/simulation.ts'))) as typeof import('../../../../src/sandbox/simulation.ts')
    await work((parts) => new Simulation(parts))
  })

test(`${HISTORIES} histories of ten years from seed ${FROM} go by the book`, async (t) => {
  const wrong: string[] = []
  for (let seed = FROM; seed < FROM + HISTORIES; seed++) {
    const found = await wrongsOf(seed, (parts) => new Simulation(parts))
    wrong.push(...found.slice(0, 3).map((what) => `seed ${seed}: ${what}`))
  }
  t.diagnostic(`seeds ${FROM} to ${FROM + HISTORIES - 1}`)
  assert.deepEqual(wrong, [])
})

for (const { fault, source, shown = ANY_BREACH, shownIn } of PLANTED) {
  test(`${fault}: found within ${FOUND_WITHIN} histories`, async (t) => {
    await withFault(source, async (newSimulation) => {
      for (const seed of seedsFrom(shownIn)) {
        const first = (await wrongsOf(seed, newSimulation)).find((wrong) => shown.test(wrong))
        if (first === undefined) continue
        t.diagnostic(`seed ${seed}: ${first}`)
        return
      }
      assert.fail(`not found in ${FOUND_WITHIN} histories`)
    })
  })
}
