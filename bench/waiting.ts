// How long callers wait. First orders are only created and then only paid, as fast as 64 connections go. Then payments begin at fixed times
// in an open loop, whether or not those before have ended, and count from their planned beginning.

import type { Figure, Options } from './bench.ts'
import type { PayLoad, PayMeasured } from './pay-load.ts'
import { payLoad, serveMohur } from './processes.ts'
import { STORES, type StoreName, withStore } from './stores.ts'

const CONNECTIONS = 64
const ORDERS = 10_000
const OPEN_SECONDS = 20
const OPEN = { sqlite: { perSecond: 300, p50: 8, p99: 25 }, postgres: { perSecond: 150, p50: 15, p99: 50 } }
const PAY_P99 = { sqlite: 45, postgres: 100 }

export async function alone({ checkout, stores, orders = ORDERS }: Options): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const store of stores) {
    const { create, pay } = await measured(checkout, store, { orders, order: 'create, then pay' })
    const name = STORES[store]
    figures.push(
      { what: `create alone, ${name}`, figure: create.perSecond, unit: 'per second' },
      { what: `create alone, ${name}: p99`, figure: create.p99Ms, unit: 'ms' },
      { what: `pay alone, ${name}`, figure: pay.perSecond, unit: 'per second' },
      { what: `pay alone, ${name}: p50`, figure: pay.p50Ms, unit: 'ms' },
      { what: `pay alone, ${name}: p99`, figure: pay.p99Ms, unit: 'ms', bar: { atMost: PAY_P99[store] } },
    )
  }
  return figures
}

export async function open({ checkout, stores, orders }: Options): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const store of stores) {
    const { perSecond, p50, p99 } = OPEN[store]
    const count = orders ?? perSecond * OPEN_SECONDS
    const { pay, behind } = await measured(checkout, store, { orders: count, order: 'open loop', beginPerSecond: perSecond })
    const what = `open loop, ${perSecond} a second, ${STORES[store]}`
    figures.push(
      { what: `${what}: pay p50`, figure: pay.p50Ms, unit: 'ms', bar: { atMost: p50 } },
      { what: `${what}: pay p99`, figure: pay.p99Ms, unit: 'ms', bar: { atMost: p99 } },
      { what: `${what}: notification behind, p50`, figure: behind.p50Ms, unit: 'ms', ...(store === 'sqlite' && { bar: { atMost: 10 } }) },
      { what: `${what}: notification behind, p99`, figure: behind.p99Ms, unit: 'ms', ...(store === 'sqlite' && { bar: { atMost: 50 } }) },
    )
  }
  return figures
}

const measured = (checkout: string, store: StoreName, load: Pick<PayLoad, 'orders' | 'order' | 'beginPerSecond'>): Promise<PayMeasured> =>
  withStore(store, async ({ newPlace }) => {
    const { port, pid, stop } = await serveMohur({ ...(await newPlace()), checkout })
    const measured = await payLoad({ port, pid, connections: CONNECTIONS, run: 'A', ...load })
    await stop()
    return measured
  })
