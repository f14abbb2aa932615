/**
 * Makes 2,000 payments and their refunds over a line to the bank that breaks at any byte:
 *
 *     node bin/run.mjs test/load/breaking-bank.ts --store sqlite|postgres [--payments 2000] [--seed 1]
 *
 * Fails when the bank receives a payment twice, a payment has no result a week later, or Mohur's books differ from the bank's.
 */

import { parseArgs } from 'node:util'
import { payOverBreakingLine } from '../support/bank/breaking-bank.ts'

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite' },
    payments: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
  },
})
if (values.store !== 'sqlite' && values.store !== 'postgres') throw new Error('--store is sqlite or postgres')
const figures = await payOverBreakingLine(values.store, Number(values.payments), Number(values.seed))
const open = Object.keys(figures.last).filter((status) => status !== 'SUCCESS' && status !== 'FAILURE')
console.log(`${values.store} seed ${values.seed}: ${JSON.stringify(figures)}${open.length > 0 ? ' MISSED' : ''}`)
if (open.length > 0) process.exitCode = 1
