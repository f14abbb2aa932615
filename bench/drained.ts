// What an order costs with the search terms that follow it a minute later (docs/console.md). After each load the sandbox's clock moves on.
// The window ends when the service is idle again, and an idle service's own time is subtracted. `--against FOLDER`: beside another checkout.

import type { Figure, Options } from './bench.ts'
import { figureOf, inPairs } from './pairs.ts'
import { cpuSeconds, load, payLoad, postgresSeconds, type Served, serveMohur, sleep } from './processes.ts'
import { STORES, type StoreName, withStore } from './stores.ts'

const CONNECTIONS = 64
const [CREATED, PAID] = [20_000, 5_000]
const ROUNDS = 6
const WARM_UP_ORDERS = 10 // of each connection, which the load of paid orders makes besides
const LATER = 'PT2M' // longer than terms stay behind, shorter than anything expires
const IDLE_MS = 8_000 // longer than a sweep rests that has found nothing
const QUIET_SECONDS = 0.05 // of processor time in such a while: no service is more idle than the clock of its processor can tell
const CREATE_BAR = { atMost: 0.75 } // docs/decisions/0029: beside b3aa4a46, which had no segments
const IDLE_TIMES = 2 // a service is idle again that takes less than so many times what it took before the load

export async function drained({ stores, checkout, against, rounds = ROUNDS, orders }: Options): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const store of stores)
    for (const kind of ['create', 'paid'] as const) {
      const count = orders ?? (kind === 'create' ? CREATED : PAID)
      console.error(`${kind} and what follows, ${STORES[store]}:`)
      const pairs = await withStore(store, ({ newPlace, postgres }) =>
        inPairs(
          { checkout, against, rounds },
          async (checkout) => ({ ...(await serveMohur({ ...(await newPlace()), checkout })), dataFolder: postgres?.dataFolder }),
          (served, run) => (kind === 'create' ? created(served, run, count) : paid(served, run, count)),
          (micros) => `${micros.toFixed(1)} µs`,
        ),
      )
      const what = `${kind} with what follows a minute later, ${STORES[store as StoreName]}`
      figures.push(figureOf(what, 'µs', pairs, (micros) => micros, kind === 'create' ? { ratioBar: CREATE_BAR } : {}))
    }
  return figures
}

interface Busy extends Pick<Served, 'port' | 'pid'> {
  dataFolder: string | undefined
}

/** Seconds of processor time so far, of the service and its PostgreSQL. */
const secondsOf = ({ pid, dataFolder }: Busy) => cpuSeconds(pid) + (dataFolder === undefined ? 0 : postgresSeconds(dataFolder))

/** Microseconds of processor time for one order. */
async function created(served: Busy, run: string, orders: number): Promise<number> {
  const idle = await idleOf(served)
  const began = secondsOf(served)
  await load({ port: served.port, connections: CONNECTIONS, requests: orders, kind: 'createOrder', run, expect: '"0000"' })
  const loaded = secondsOf(served) - began
  return (1e6 * (loaded + (await followed(served, idle)))) / orders
}

async function paid(served: Busy, run: string, orders: number): Promise<number> {
  const { port, pid, dataFolder } = served
  const idle = await idleOf(served)
  const { cpuMicros, postgresMicros } = await payLoad({
    port,
    pid,
    postgres: dataFolder,
    connections: CONNECTIONS,
    orders,
    run,
    order: 'both',
  })
  return cpuMicros + postgresMicros + (1e6 * (await followed(served, idle))) / (orders + CONNECTIONS * WARM_UP_ORDERS)
}

/** Processor time of a service that nobody asks, by the second: it looks for what is due. */
async function idleOf(served: Busy): Promise<number> {
  const began = secondsOf(served)
  await sleep(IDLE_MS)
  return (1_000 * (secondsOf(served) - began)) / IDLE_MS
}

/** Seconds of processor time beyond what an idle service takes, until it is idle again. */
async function followed(served: Busy, idle: number): Promise<number> {
  const [began, at] = [secondsOf(served), performance.now()]
  const moved = await fetch(`http://127.0.0.1:${served.port}/sandbox/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advance: LATER }),
  })
  if (!moved.ok) throw new Error(`the clock was not moved: ${moved.status}`)
  for (let before = Number.NEGATIVE_INFINITY; ; ) {
    const now = secondsOf(served)
    if (now - before < Math.max(QUIET_SECONDS, (IDLE_TIMES * idle * IDLE_MS) / 1_000))
      return now - began - (idle * (performance.now() - at)) / 1_000
    before = now
    await sleep(IDLE_MS)
  }
}
