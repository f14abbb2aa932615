// Signed, durable create-order over HTTP on both stores, beside bare node:http that parses and echoes the same bytes, and with
// `--against FOLDER` beside another checkout. Processor time for one order comes first: a busy machine moves it less than rates.

import { join } from 'node:path'
import type { Figure, Options } from './bench.ts'
import type { Measured } from './load.ts'
import { median } from './numbers.ts'
import { figureOf, inPairs, type Pair, processorTime } from './pairs.ts'
import { CHECKOUT, load, processorTimes, type Served, serve, serveMohur } from './processes.ts'
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
    const pairs = await withStore(store, ({ newPlace, postgres }) =>
      inPairs(
        { checkout, against, rounds: WARM_UP + rounds },
        async (checkout) => serveMohur({ ...(await newPlace()), checkout }),
        async (served, name): Promise<Round> => {
          const ofBare = await run(bare, name, '"requestType"')
          const times = processorTimes(served.pid, postgres?.dataFolder)
          const measured = await run(served, name, '"0000"')
          return { bare: ofBare, ...measured, ...times.forOneOf(orders) }
        },
        ({ perSecond, cpuMicros, postgresMicros }) => `${perSecond.toFixed(0)}/s ${(cpuMicros + postgresMicros).toFixed(1)} µs`,
      ),
    )
    const counted = pairs.slice(WARM_UP)
    bareRates.push(...counted.map(({ now }) => now.bare.perSecond))
    figures.push(...figuresOf(store, counted))
  }
  await bare.stop()
  return [{ what: 'bare node:http, 64 connections', figure: median(bareRates), unit: 'per second' }, ...figures]
}

type Round = Measured & { bare: Measured; cpuMicros: number; postgresMicros: number }

function figuresOf(store: StoreName, pairs: readonly Pair<Round>[]): Figure[] {
  const what = `create order, ${STORES[store]}`
  return [
    processorTime(what, pairs, { time: { atMost: 1 } }),
    figureOf(`${what} ÷ bare`, 'ratio', pairs, (of) => of.perSecond / of.bare.perSecond, {
      bar: { atLeast: BAR[store] },
      ratioBar: { atLeast: 0.97 },
    }),
    figureOf(`${what}, p50`, 'ms', pairs, (of) => of.p50Ms),
    figureOf(`${what}, p99`, 'ms', pairs, (of) => of.p99Ms, { bar: { atMost: 25 } }),
  ]
}
