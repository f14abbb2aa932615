// Create order on a new PostgreSQL without statistics of any table, as in a user's first hour. Prints the server's processor time for one
// order in each tenth of the run. It grows where a plan reads more with each row.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Figure, Options } from './bench.ts'
import { load, serveMohur, TICKS_PER_SECOND } from './processes.ts'
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
        const began = serverSeconds(postgres!.dataFolder)
        await run(orders / TENTHS, tenth)
        micros.push((1e6 * (serverSeconds(postgres!.dataFolder) - began)) / (orders / TENTHS))
      }
      console.error(micros.map((each) => each.toFixed(1)).join(' '))
      await stop()
      return micros
    },
    { autovacuum: 'off' },
  )

/** User and system time of the server, its living sessions and its ended ones. */
function serverSeconds(dataFolder: string): number {
  const postmaster = Number(readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0])
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)))
    try {
      const [, parent, ...rest] = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
        .map(Number)
      const [user, system, endedUser, endedSystem] = rest.slice(9, 13)
      if (Number(pid) === postmaster) ticks += user! + system! + endedUser! + endedSystem!
      else if (parent === postmaster) ticks += user! + system!
    } catch {
      // It has ended meanwhile, and the server's own count includes it.
    }
  return ticks / TICKS_PER_SECOND
}
