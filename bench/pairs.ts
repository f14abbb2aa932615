// Several services under the same load in alternating rounds, so that a busy machine slows them alike. A figure is the median of the
// rounds, and a ratio the median of the rounds' ratios.

import type { Bar, Figure, Options, Ratio } from './bench.ts'
import { median, quantile } from './numbers.ts'

/** Each round measures every one of `started`; another one begins each time. `run` gets a name that no other run has. */
export async function inTurns<Started, Measured>(
  started: readonly Started[],
  rounds: number,
  run: (one: Started, name: string) => Promise<Measured>,
  tell: (round: readonly Measured[]) => string,
): Promise<Measured[][]> {
  const all: Measured[][] = []
  for (let round = 0; round < rounds; round++) {
    const measured: Measured[] = []
    for (let turn = 1; turn <= started.length; turn++) {
      const at = (round + turn) % started.length
      measured[at] = await run(started[at]!, `${String.fromCharCode(65 + at)}${round}`)
    }
    all.push(measured)
    console.error(`  round ${round + 1}: ${tell(measured)}`)
  }
  return all
}

export interface Pair<Measured> {
  now: Measured
  before: Measured | undefined
}

/** This checkout's, and that of another which `--against` names. `start` is given a checkout. */
export async function inPairs<Started extends { stop(): Promise<void> }, Measured>(
  { checkout, against, rounds }: Pick<Options, 'checkout' | 'against'> & { rounds: number },
  start: (checkout: string) => Promise<Started>,
  run: (started: Started, name: string) => Promise<Measured>,
  tell: (measured: Measured) => string,
): Promise<Pair<Measured>[]> {
  const started = [await start(checkout), ...(against ? [await start(against)] : [])]
  const measured = await inTurns(started, rounds, run, ([now, before]) => `${before ? `before ${tell(before)}, now ` : ''}${tell(now!)}`)
  for (const { stop } of started) await stop()
  return measured.map(([now, before]) => ({ now: now!, before }))
}

const spread = (values: readonly number[]) => ({
  figure: median(values),
  quartiles: [quantile(values, 0.25), quantile(values, 0.75)] as const,
})

export const ratioTo = (to: string, values: readonly number[], bar?: Bar): Ratio => ({ to, ...spread(values), bar })

/** One figure of all rounds. `bar` is its own, `ratioBar` that of its ratio to the checkout before. */
export function figureOf<Measured>(
  what: string,
  unit: Figure['unit'],
  pairs: readonly Pair<Measured>[],
  pick: (of: Measured) => number,
  { bar, ratioBar }: { bar?: Bar; ratioBar?: Bar } = {},
): Figure {
  const compared = pairs.flatMap(({ now, before }) => (before === undefined ? [] : [{ now: pick(now), before: pick(before) }]))
  return {
    ...{ what, unit, bar, ...spread(pairs.map(({ now }) => pick(now))) },
    ...(compared.length > 0 && {
      before: median(compared.map(({ before }) => before)),
      ratio: ratioTo(
        'before',
        compared.map(({ now, before }) => now / before),
        ratioBar,
      ),
    }),
  }
}

interface Timed {
  /** Processor time, user and system, for one: the service's process, and PostgreSQL. */
  cpuMicros: number
  postgresMicros?: number
  perSecond: number
}

const barOf = (ratioBar: Bar | undefined) => (ratioBar ? { ratioBar } : {})

/** Processor time for one, service and PostgreSQL together, with the rate beside it. */
export function processorTime<Measured extends Timed>(
  what: string,
  pairs: readonly Pair<Measured>[],
  ratioBars: { time?: Bar; rate?: Bar } = {},
): Figure {
  const postgres = median(pairs.map(({ now }) => now.postgresMicros ?? 0))
  return {
    ...figureOf(what, 'µs', pairs, ({ cpuMicros, postgresMicros = 0 }) => cpuMicros + postgresMicros, barOf(ratioBars.time)),
    ...(postgres > 0 && { postgres }),
    rate: figureOf(what, 'per second', pairs, ({ perSecond }) => perSecond, barOf(ratioBars.rate)),
  }
}
