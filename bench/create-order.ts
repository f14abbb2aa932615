// Signed, durable create-order over HTTP on both stores, beside bare node:http that parses and echoes the same bytes. With `--against
// FOLDER` also beside another checkout. Rounds alternate; the result is the median of the rounds' ratios. Processor time for one order
// comes first, because a busy machine changes it less than rates.

import { join } from 'node:path'
import type { Figure, Options } from './bench.ts'
import type { Measured } from './load.ts'
import { median } from './numbers.ts'
import { inPairs, medianNow, ratios } from './pairs.ts'
import { CHECKOUT, cpuSeconds, load, type Served, serve, serveMohur } from './processes.ts'
import { STORES, type StoreName, withStore } from './stores.ts'

const CONNECTIONS = 64
const ORDERS = 60_000
const ROUNDS = 6
const WARM_UP = 2 // uncounted rounds: the first requests compile the code
const BAR = { sqlite: 0.3, postgres: 0.2 }

export async function createOrder({ stores, checkout, against, rounds = ROUNDS, orders = ORDERS }: Options): Promise<Figure[]> {
  const bare = await serve(join(CHECKOUT, 'bench/bare.ts'))
  const run = ({ port }: Served, name: string, expect: string) =>
    load({ port, connections: CONNECTIONS, requests: orders, kind: 'createOrder', run: name, expect })
  const figures: Figure[] = []
  const bareRates: number[] = []
  for (const store of stores) {
    console.error(`create order, ${STORES[store]}:`)
    const pairs = await withStore(store, ({ newPlace }) =>
      inPairs(
        { checkout, against, rounds: WARM_UP + rounds },
        async (checkout) => serveMohur({ ...(await newPlace()), checkout }),
        async (served, name): Promise<Round> => {
          const ofBare = await run(bare, name, '"requestType"')
          const startedAt = cpuSeconds(served.pid)
          const measured = await run(served, name, '"0000"')
          return { bare: ofBare, ...measured, cpuMicros: (1e6 * (cpuSeconds(served.pid) - startedAt)) / orders }
        },
        ({ perSecond, cpuMicros }) => `${perSecond.toFixed(0)}/s ${cpuMicros.toFixed(1)} µs`,
      ),
    )
    const counted = pairs.slice(WARM_UP)
    bareRates.push(...counted.map(({ now }) => now.bare.perSecond))
    figures.push(...figuresOf(store, counted))
  }
  await bare.stop()
  return [{ what: 'bare node:http, 64 connections', figure: median(bareRates), unit: 'per second' }, ...figures]
}

/** `cpuMicros` is the service's processor time for one order, user and system. */
type Round = Measured & { bare: Measured; cpuMicros: number }

function figuresOf(store: StoreName, pairs: Parameters<typeof medianNow<Round>>[0]): Figure[] {
  const what = `create order, ${STORES[store]}`
  const toBare = (of: Round) => of.perSecond / of.bare.perSecond
  return [
    { what: `${what}: the service's processor time for one`, figure: medianNow(pairs, (of) => of.cpuMicros), unit: 'µs' },
    ...ratios(`${what}: processor time`, pairs, (of) => of.cpuMicros, { atMost: 1 }),
    { what, figure: medianNow(pairs, (of) => of.perSecond), unit: 'per second' },
    { what: `${what} ÷ bare`, figure: medianNow(pairs, toBare), unit: 'ratio', bar: { atLeast: BAR[store] } },
    ...ratios(`${what} ÷ bare`, pairs, toBare, { atLeast: 0.97 }),
    { what: `${what}, p50`, figure: medianNow(pairs, (of) => of.p50Ms), unit: 'ms' },
    { what: `${what}, p99`, figure: medianNow(pairs, (of) => of.p99Ms), unit: 'ms', bar: { atMost: 25 } },
  ]
}
