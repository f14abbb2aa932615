// `npm run bench` measures every figure of docs/benchmarks.md, as ratios within one run where it compares two things. `npm run bench --
// create list` runs only those parts; docs/benchmarks.md names the options.

import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { applyPromo } from './apply-promo.ts'
import { consoleFigures } from './console.ts'
import { counts } from './counts.ts'
import { createOrder } from './create-order.ts'
import { decay } from './decay.ts'
import { distance } from './distance.ts'
import { drained } from './drained.ts'
import { due } from './due.ts'
import { fresh } from './fresh.ts'
import { history } from './history.ts'
import { listSubscriptions } from './list-subscriptions.ts'
import { loader } from './loader.ts'
import { pageViews } from './page-views.ts'
import { paid, remote } from './paid.ts'
import { CHECKOUT, checkoutAt } from './processes.ts'
import { renewals } from './renewals.ts'
import { startAndMemory } from './start.ts'
import { stored } from './stored.ts'
import { type StoreName, storesOf } from './stores.ts'
import { alone, open } from './waiting.ts'

export interface Figure {
  what: string
  figure: number
  unit: 'ratio' | 'per second' | 'ms' | 'µs' | 's' | 'MB' | 'kB' | ''
  /** The figure to reach, and from which side. */
  bar?: { atLeast?: number; atMost?: number }
}

/** Options of the command line. Each part has its own default. */
export interface Options {
  /** The checkout whose service is measured. By default this one. */
  checkout: string
  /** The folder of another checkout, which is measured beside it. */
  against: string | undefined
  rounds: number | undefined
  orders: number | undefined
  stores: readonly StoreName[]
}

const parts: Readonly<Record<string, (options: Options) => Promise<Figure[]>>> = {
  alone,
  console: consoleFigures,
  counts,
  create: createOrder,
  decay,
  distance,
  drained,
  due,
  fresh,
  history,
  list: listSubscriptions,
  loader,
  open,
  pages: pageViews,
  paid,
  promo: applyPromo,
  remote,
  renewals,
  start: startAndMemory,
  stored,
}

/** Each takes minutes and gigabytes, so it runs only when it is named. */
const HEAVY = new Set(['console', 'drained', 'due', 'fresh', 'history', 'renewals', 'stored'])

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'string', default: 'bench/last.json' },
    checkout: { type: 'string', default: CHECKOUT },
    against: { type: 'string' },
    rounds: { type: 'string' },
    orders: { type: 'string' },
    store: { type: 'string', default: 'both' },
  },
})
const options: Options = {
  checkout: checkoutAt(values.checkout),
  against: values.against && checkoutAt(values.against),
  rounds: values.rounds ? whole('rounds', values.rounds) : undefined,
  orders: values.orders ? whole('orders', values.orders) : undefined,
  stores: storesOf(values.store),
}
const chosen = positionals.length > 0 ? positionals : Object.keys(parts).filter((name) => !HEAVY.has(name))
for (const name of chosen) if (!parts[name]) throw new Error(`no part called ${name}; there are ${Object.keys(parts).join(', ')}`)
const figures: Figure[] = []
for (const name of chosen) {
  console.error(`measuring ${name} …`)
  figures.push(...(await parts[name]!(options)))
}

const machine = `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, Node ${process.versions.node}`
console.log(`\nMeasured on ${machine}; the load generator runs on the same machine.\n`)
console.log('| What | Measured | Bar | Reached |\n|---|---|---|---|')
for (const { what, figure, unit, bar } of figures) {
  const shown = unit === 'ratio' ? figure.toFixed(3) : figure >= 100 ? figure.toFixed(0) : figure.toFixed(2)
  const wanted = bar?.atLeast !== undefined ? `≥ ${bar.atLeast}` : bar?.atMost !== undefined ? `≤ ${bar.atMost}` : ''
  console.log(
    `| ${what} | ${shown}${unit === 'ratio' || unit === '' ? '' : ` ${unit}`} | ${wanted} | ${wanted ? (isReached(figure, bar) ? 'yes' : 'no') : ''} |`,
  )
}
writeFileSync(values.json, `${JSON.stringify({ machine, at: new Date().toISOString(), figures }, null, 2)}\n`)

function isReached(figure: number, bar: Figure['bar']): boolean {
  return figure >= (bar?.atLeast ?? Number.NEGATIVE_INFINITY) && figure <= (bar?.atMost ?? Number.POSITIVE_INFINITY)
}

function whole(name: string, given: string): number {
  const number = Number(given)
  if (!Number.isInteger(number) || number < 1) throw new Error(`--${name} must be a whole number from 1`)
  return number
}
