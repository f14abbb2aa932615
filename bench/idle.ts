// How often an idle service wakes up, and its processor time and memory: without orders, and with 500,000. The service itself wrote them. Then
// it was started again, and wrote their search terms. `--against FOLDER`: another checkout beside it.

import { readdirSync, readFileSync } from 'node:fs'
import type { Figure, Options } from './bench.ts'
import { figureOf, type Pair } from './pairs.ts'
import { cpuSeconds, load, type Place, residentMb, type Served, serveMohur, sleep } from './processes.ts'
import { STORES, type StoreName, withStore } from './stores.ts'

const ORDERS = 500_000
const PER_LOAD = 50_000
const CONNECTIONS = 64
const SETTLES_MS = 180_000 // terms stay a minute behind, and the sweep of so many orders takes half of one
const MEASURED_MS = 120_000 // what the service does once a minute counts twice

export async function idle({ checkout, against, stores, orders = ORDERS }: Options): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const store of stores)
    for (const count of [0, orders]) {
      const pair = await withStore(store, async ({ newPlace }): Promise<Pair<Idle>> => {
        const places: Place[] = []
        for (const of of [checkout, ...(against ? [against] : [])]) places.push({ ...(await newPlace()), checkout: of })
        for (const place of places) await fillWith(place, count)
        // None starts before all are filled, because both share one PostgreSQL. A load would wake up a service that is idle.
        const served: Served[] = []
        for (const place of places) served.push(await serveMohur(place))
        const [now, before] = await rested(served)
        return { now: now!, before }
      })
      figures.push(...figuresOf(store, count, pair))
    }
  return figures
}

interface Idle {
  wakeUps: number
  processor: number
  memoryMb: number
}

function figuresOf(store: StoreName, count: number, pair: Pair<Idle>): Figure[] {
  const what = `idle with ${count} orders, ${STORES[store]}`
  return [
    figureOf(`${what}: wake-ups`, 'per second', [pair], ({ wakeUps }) => wakeUps),
    figureOf(`${what}: share of a processor`, '%', [pair], ({ processor }) => processor, { bar: { atMost: 0.3 } }),
    figureOf(`${what}: memory (resident)`, 'MB', [pair], ({ memoryMb }) => memoryMb, { bar: { atMost: 110 } }),
  ]
}

async function fillWith(place: Place, count: number) {
  const first = await serveMohur(place)
  for (let from = 0; from < count; from += PER_LOAD) {
    const requests = Math.min(PER_LOAD, count - from)
    await load({ port: first.port, connections: CONNECTIONS, requests, kind: 'createOrder', run: `I${from}`, expect: '"0000"' })
  }
  await first.stop()
}

/** All services side by side, because an idle one hardly disturbs another. */
async function rested(served: readonly Served[]): Promise<Idle[]> {
  await sleep(SETTLES_MS)
  const readings = () => served.map(({ pid }) => ({ at: performance.now(), cpu: cpuSeconds(pid), wakeUps: wakeUpsOf(pid) }))
  const before = readings()
  await sleep(MEASURED_MS)
  const idle = readings().map(({ at, cpu, wakeUps }, nth) => {
    const seconds = (at - before[nth]!.at) / 1_000
    return {
      wakeUps: (wakeUps - before[nth]!.wakeUps) / seconds,
      processor: (100 * (cpu - before[nth]!.cpu)) / seconds,
      memoryMb: residentMb(served[nth]!.pid),
    }
  })
  for (const { stop } of served) await stop()
  return idle
}

/** How often the threads of a process have begun to wait so far. */
const wakeUpsOf = (pid: number): number =>
  readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')
    return sum + Number(/^voluntary_ctxt_switches:\s+(\d+)/m.exec(status)![1])
  }, 0)
