// `npm run bench`: every figure of docs/benchmarks.md, as ratios within one run where two things are compared.
// `npm run bench -- create list` runs only those parts; `--json FILE` writes what was measured.

import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { applyPromo } from './apply-promo.ts'
import { createOrder } from './create-order.ts'
import { decay } from './decay.ts'
import { listSubscriptions } from './list-subscriptions.ts'
import { pay } from './pay.ts'
import { startAndMemory } from './start.ts'

export interface Figure {
  what: string
  figure: number
  unit: 'ratio' | 'per second' | 'ms' | 's' | 'MB'
  /** What must be reached, and from which side. */
  bar?: { atLeast?: number; atMost?: number }
}

const parts: Readonly<Record<string, () => Promise<Figure[]>>> = {
  create: createOrder,
  decay,
  list: listSubscriptions,
  pay,
  promo: applyPromo,
  start: startAndMemory,
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'string', default: 'bench/last.json' } } })
const chosen = positionals.length > 0 ? positionals : Object.keys(parts)
const figures: Figure[] = []
for (const name of chosen) {
  const part = parts[name]
  if (!part) throw new Error(`no part called ${name}; there are ${Object.keys(parts).join(', ')}`)
  console.error(`measuring ${name} …`)
  figures.push(...(await part()))
}

const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, Node ${process.versions.node}`
console.log(`\nMeasured on ${machine}; the load generator runs on the same machine.\n`)
console.log('| What | Measured | Bar | Reached |\n|---|---|---|---|')
for (const { what, figure, unit, bar } of figures) {
  const shown = unit === 'ratio' ? figure.toFixed(3) : figure >= 100 ? figure.toFixed(0) : figure.toFixed(2)
  const wanted = bar?.atLeast !== undefined ? `≥ ${bar.atLeast}` : bar?.atMost !== undefined ? `≤ ${bar.atMost}` : ''
  console.log(
    `| ${what} | ${shown}${unit === 'ratio' ? '' : ` ${unit}`} | ${wanted} | ${wanted ? (isReached(figure, bar) ? 'yes' : 'no') : ''} |`,
  )
}
writeFileSync(values.json, `${JSON.stringify({ machine, at: new Date().toISOString(), figures }, null, 2)}\n`)

function isReached(figure: number, bar: Figure['bar']): boolean {
  return figure >= (bar?.atLeast ?? Number.NEGATIVE_INFINITY) && figure <= (bar?.atMost ?? Number.POSITIVE_INFINITY)
}
