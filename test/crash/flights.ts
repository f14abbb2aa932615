/**
 * Disturbs each statement of a batch on its way to PostgreSQL, in every way there is. Batches have several sizes, on connections that have
 * prepared their statements and on new ones:
 *
 *     node bin/run.mjs test/crash/flights.ts [--sizes 1,2,70] [--rounds 1]
 *
 * Exits with 1 when a caller got a false reply, or a command was stored in part or twice.
 */

import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'
import { expected, KINDS, type Outcome, openFlights, tableOf } from '../support/store/flights.ts'

const { values } = parseArgs({ options: { sizes: { type: 'string', default: '1,2,70' }, rounds: { type: 'string', default: '1' } } })
const counts = { cases: 0, 'told success and not committed': 0, 'committed and not told success': 0, others: 0, 'not as expected': 0 }

for (const size of values.sizes.split(',').map(Number))
  for (const cold of [false, true]) {
    const flights = await openFlights({ size, cold })
    for (let round = 0; round < Number(values.rounds); round++) {
      const outcomes: Outcome[] = []
      for (const kind of KINDS) for (const at of flights.places.keys()) outcomes.push(await flights.run(at, kind))
      for (const outcome of outcomes) {
        counts.cases++
        for (const fault of outcome.faults) {
          counts[fault in counts ? (fault as keyof typeof counts) : 'others']++
          console.log(`${outcome.kind} at ${outcome.place}: ${fault}`)
        }
        if (!expected(outcome).test(outcome.reported.join(' '))) {
          counts['not as expected']++
          console.log(`${outcome.kind} at ${outcome.place}: ${outcome.reported.join(' ')}`)
        }
      }
      if (round === 0) console.log(`\n${size} in a batch, ${cold ? 'new connections' : 'known statements'}\n${tableOf(outcomes)}`)
    }
    await flights.close()
  }

console.log(`\n${JSON.stringify(counts)}`)
assert.ok(counts.cases > 0)
const { cases: _, ...faults } = counts
process.exitCode = Object.values(faults).some((count) => count > 0) ? 1 : 0
