// Measures this checkout and the one that `--against` names, side by side. Rounds alternate, so that a busy machine slows both alike. The
// results are the median and the lower quartile of the rounds' ratios.

import type { Figure, Options } from './bench.ts'
import { median, quantile } from './numbers.ts'

export interface Pair<Measured> {
  now: Measured
  before: Measured | undefined
}

/** `start` gets a checkout. `run` gets the result of `start` and a name that no other run has. `tell` writes a round's figures as text. */
export async function inPairs<Started extends { stop(): Promise<void> }, Measured>(
  { checkout, against, rounds }: Pick<Options, 'checkout' | 'against'> & { rounds: number },
  start: (checkout: string) => Promise<Started>,
  run: (started: Started, name: string) => Promise<Measured>,
  tell: (measured: Measured) => string,
): Promise<Pair<Measured>[]> {
  const now = await start(checkout)
  const before = against ? await start(against) : undefined
  const pairs: Pair<Measured>[] = []
  for (let round = 0; round < rounds; round++) {
    // The order alternates, so that both bear what a round leaves behind on the machine.
    const early = before && round % 2 === 0 ? await run(before, `B${round}`) : undefined
    const own = await run(now, `N${round}`)
    const late = before && round % 2 === 1 ? await run(before, `B${round}`) : undefined
    const pair = { now: own, before: early ?? late }
    pairs.push(pair)
    console.error(`  round ${round + 1}: ${pair.before ? `before ${tell(pair.before)}, now ` : ''}${tell(own)}`)
  }
  await Promise.all([now.stop(), before?.stop()])
  return pairs
}

export const medianNow = <Measured>(pairs: readonly Pair<Measured>[], pick: (of: Measured) => number) =>
  median(pairs.map(({ now }) => pick(now)))

/** Rows of the comparison; the second has the worse quartile. None when nothing was compared. */
export function ratios<Measured>(
  what: string,
  pairs: readonly Pair<Measured>[],
  pick: (of: Measured) => number,
  bar: NonNullable<Figure['bar']>,
): Figure[] {
  const each = pairs.flatMap(({ now, before }) => (before === undefined ? [] : [pick(now) / pick(before)]))
  if (each.length === 0) return []
  return [
    { what: `${what} ÷ before, median`, figure: median(each), unit: 'ratio', bar },
    bar.atMost === undefined
      ? { what: `${what} ÷ before, lower quartile`, figure: quantile(each, 0.25), unit: 'ratio' }
      : { what: `${what} ÷ before, upper quartile`, figure: quantile(each, 0.75), unit: 'ratio' },
  ]
}
