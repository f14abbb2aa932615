// What an order costs with what follows it a minute later: the terms by which the console finds it (docs/console.md). Behind each load the sandbox's
// clock moves on, and the window ends when the service has been at rest for a while. With `--against FOLDER` beside another checkout.

import type { Figure, Options } from './bench.ts'
import { inPairs, medianNow, ratios } from './pairs.ts'
import { cpuSeconds, load, payLoad, type Served, serveMohur, sleep } from './processes.ts'
import { STORES, type StoreName, withStore } from './stores.ts'

const CONNECTIONS = 64
const [CREATED, PAID] = [30_000, 6_000]
const ROUNDS = 6
const WARM_UP_ORDERS = 10 // of each connection, which the load of paid orders makes besides
const LATER = 'PT2M' // longer than terms stay behind, shorter than anything expires
const REST_MS = 8_000 // longer than a sweep rests that has found nothing
const QUIET_SECONDS = 0.05 // of processor time: what a service takes in such a while when nobody asks

export async function drained({ stores, checkout, against, rounds = ROUNDS, orders }: Options): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const store of stores)
    for (const kind of ['create', 'paid'] as const) {
      const count = orders ?? (kind === 'create' ? CREATED : PAID)
      console.error(`${kind} and what follows, ${STORES[store]}:`)
      const pairs = await withStore(store, ({ newPlace }) =>
        inPairs(
          { checkout, against, rounds },
          async (checkout) => serveMohur({ ...(await newPlace()), checkout }),
          (served, run) => (kind === 'create' ? created(served, run, count) : paid(served, run, count)),
          (micros) => `${micros.toFixed(1)} µs`,
        ),
      )
      const what = `${kind} with what follows a minute later, ${STORES[store as StoreName]}: processor time`
      figures.push({ what, figure: medianNow(pairs, (micros) => micros), unit: 'µs' })
      figures.push(...ratios(what, pairs, (micros) => micros, { atMost: kind === 'create' ? 1.03 : 1.06 }))
    }
  return figures
}

/** Microseconds of processor time for one order. */
async function created(served: Served, run: string, orders: number): Promise<number> {
  const began = cpuSeconds(served.pid)
  await load({ port: served.port, connections: CONNECTIONS, requests: orders, kind: 'createOrder', run, expect: '"0000"' })
  await rest(served)
  return (1e6 * (cpuSeconds(served.pid) - began)) / orders
}

async function paid(served: Served, run: string, orders: number): Promise<number> {
  const { port, pid } = served
  const { cpuMicros } = await payLoad({ port, pid, connections: CONNECTIONS, orders, run, order: 'both' })
  const began = cpuSeconds(pid)
  await rest(served)
  return cpuMicros + (1e6 * (cpuSeconds(pid) - began)) / (orders + CONNECTIONS * WARM_UP_ORDERS)
}

async function rest({ port, pid }: Served) {
  const moved = await fetch(`http://127.0.0.1:${port}/sandbox/clock`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ advance: LATER }),
  })
  if (!moved.ok) throw new Error(`the clock was not moved: ${moved.status}`)
  for (let before = Number.NEGATIVE_INFINITY; ; ) {
    const now = cpuSeconds(pid)
    if (now - before < QUIET_SECONDS) return
    before = now
    await sleep(REST_MS)
  }
}
