// Create order on a new PostgreSQL without statistics of any table, as in a user's first hour. Prints the server's processor time for one
// order in each tenth of the run. It grows where a plan reads more with each row.

import type { Figure, Options } from './bench.ts'
import { load, postgresSeconds, serveMohur } from './processes.ts'
import { withStore } from './stores.ts'

const ORDERS = 200_000
const TENTHS = 10
const CONNECTIONS = 64
const WARM_UP = 2_000

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
      const micros: number[] = []
      for (let tenth = 0; tenth < TENTHS; tenth++) {
        const began = postgresSeconds(postgres!.dataFolder)
        await run(orders / TENTHS, tenth)
        micros.push((1e6 * (postgresSeconds(postgres!.dataFolder) - began)) / (orders / TENTHS))
      }
      console.error(micros.map((each) => each.toFixed(1)).join(' '))
      await stop()
      return micros
    },
    { autovacuum: 'off' },
  )
