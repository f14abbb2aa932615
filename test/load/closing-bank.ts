/**
 * Makes 10,000 payments at a bank that closes each connection after its answer without a sign, in each way of doing that. As many go to a
 * bank that announces the end and gets a new connection each:
 *
 *     node bin/run.mjs test/load/closing-bank.ts --store sqlite|postgres [--payments 10000] [--seed 1] [--closing 'by a reset']
 *
 * Fails when a payment is not sent exactly once, or when more payments are in doubt than with a new connection each.
 */

import { parseArgs } from 'node:util'
import { CLOSINGS, type Closing, payAtClosingBank } from '../support/bank/closing-bank.ts'

const { values } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite' },
    payments: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    closing: { type: 'string' },
  },
})
if (values.store !== 'sqlite' && values.store !== 'postgres') throw new Error('--store is sqlite or postgres')
const payments = Number(values.payments)
let fresh = 0
for (const closing of Object.keys(CLOSINGS) as Closing[]) {
  if (values.closing !== undefined && closing !== values.closing) continue
  const figures = await payAtClosingBank(values.store, payments, closing, Number(values.seed))
  if (closing === 'says so') fresh = figures.unknown
  const isMissed = figures.payments !== payments || figures.sentMost !== 1 || figures.unknown > fresh
  console.log(`${values.store} closes ${closing}: ${JSON.stringify(figures)}${isMissed ? ' MISSED' : ''}`)
  if (isMissed) process.exitCode = 1
}
