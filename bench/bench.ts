// `npm run bench`: every figure of docs/benchmarks.md. `--help` prints parts and options.

import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { readArguments } from './arguments.ts'
import { parts } from './parts.ts'
import { plot } from './plot.ts'
import { report } from './report.ts'
import type { StoreName } from './stores.ts'

export interface Bar {
  atLeast?: number
  atMost?: number
}

/** The median of the rounds' ratios. */
export interface Ratio {
  /** `before` is the checkout that `--against` names. */
  to: string
  figure: number
  quartiles: readonly [number, number]
  bar?: Bar | undefined
}

export interface Figure {
  what: string
  /** The median of the rounds. */
  figure: number
  quartiles?: readonly [number, number]
  unit: 'ratio' | 'per second' | 'ms' | 'µs' | 's' | 'MB' | 'kB' | 'bytes' | '%' | ''
  bar?: Bar | undefined
  before?: number
  ratio?: Ratio
  /** PostgreSQL's part of a processor time. */
  postgres?: number | undefined
  /** The rate in the rounds of a processor time. */
  rate?: Figure
  /** What a peer does not do of that which Mohur does. */
  leavesOut?: string
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
  /** The folder where a filled store stays. */
  keep?: string | undefined
}

const EXIT_USAGE = 2

const given = readArguments(process.argv.slice(2))
if (given.does === 'help') console.log(given.text)
else if (given.does === 'refuse') {
  console.error(given.text)
  process.exitCode = EXIT_USAGE
} else {
  const figures: Figure[] = []
  for (const name of given.names) {
    console.error(`measuring ${name} …`)
    figures.push(...(await parts[name]!.measure(given.options)))
  }
  const [machine, at] = [`${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, Node ${process.versions.node}`, new Date()]
  console.log(
    `\nMeasured on ${machine}; the load generator runs on the same machine. A figure in bold misses its bar.\n\n${report(figures)}`,
  )
  writeFileSync(given.json, `${JSON.stringify({ machine, at, figures }, null, 2)}\n`)
  if (given.plot) writeFileSync(given.plot, plot(figures, `${machine}, ${at.toISOString().slice(0, 10)}`))
}
