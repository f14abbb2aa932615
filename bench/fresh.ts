// Create order on a new PostgreSQL without statistics of any table, as in a user's first hour. Prints the server's processor time for one
// order in each tenth of the run. It grows where a plan reads more with each row. Search terms follow an order a minute later. A
// tenth begins only when none will be written in it.

import type { Figure, Options } from './bench.ts'
import { load, postgresSeconds, serveMohur, sleep } from './processes.ts'
import { withStore } from './stores.ts'

const ORDERS = 200_000
const TENTHS = 10
const CONNECTIONS = 64
const WARM_UP = 2_000
const TERMS_BEHIND_MS = 60_000
const WITHOUT_TERMS_MS = 40_000 // a tenth that begins by then ends before the terms of the first order are due
const [LOOK_MS, SWEEP_SECONDS] = [8_000, 0.4] // in such a while a sweep takes more of the server's processor time than this

export async function fresh({ checkout, against, orders = ORDERS }: Options): Promise<Figure[]> {
  const now = await tenths(checkout, orders)
  const before = against ? await tenths(against, orders) : undefined
  const what = `create order on a PostgreSQL without statistics, ${orders} orders`
  return [
    { what: `${what}: the server's processor time for one, first tenth`, figure: now[0]!, unit: 'µs' },
    { what: `${what}: last tenth ÷ first`, figure: now.at(-1)! / now[0]!, unit: 'ratio', bar: { atMost: 1.1 } },
    ...(before
      ? ([
          { what: `${what}: before, last tenth ÷ first`, figure: before.at(-1)! / before[0]!, unit: 'ratio' },
          { what: `${what}: last tenth ÷ before's`, figure: now.at(-1)! / before.at(-1)!, unit: 'ratio', bar: { atMost: 1 } },
        ] as const)
      : []),
  ]
}

/** Microseconds of the server's processor time for one order, in each tenth. */
const tenths = (checkout: string, orders: number) =>
  withStore(
    'postgres',
    async ({ postgres, newPlace }) => {
      const { port, stop } = await serveMohur({ ...(await newPlace()), checkout })
      const run = (requests: number, tenth: number) =>
        load({ port, connections: CONNECTIONS, requests, kind: 'createOrder', run: `F${tenth}`, expect: '"0000"' })
      await run(WARM_UP, -1)
      const seconds = () => postgresSeconds(postgres!.dataFolder)
      const micros: number[] = []
      for (let [tenth, firstAt] = [0, performance.now()]; tenth < TENTHS; tenth++) {
        if (performance.now() - firstAt > WITHOUT_TERMS_MS) {
          await sleep(TERMS_BEHIND_MS)
          for (let before = 0; seconds() - before > SWEEP_SECONDS; await sleep(LOOK_MS)) before = seconds()
          firstAt = performance.now()
        }
        const began = seconds()
        await run(orders / TENTHS, tenth)
        micros.push((1e6 * (seconds() - began)) / (orders / TENTHS))
      }
      console.error(micros.map((each) => each.toFixed(1)).join(' '))
      await stop()
      return micros
    },
    { autovacuum: 'off' },
  )
