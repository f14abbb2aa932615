// Paid orders from end to end: created, paid by UPI, and notified to the merchant's endpoint. The bank is the sandbox's own, or one behind
// the contract of docs/acquirer.md that answers at once. `--against FOLDER` measures another checkout beside this one.

import type { Figure, Options } from './bench.ts'
import { inPairs, medianNow, ratios } from './pairs.ts'
import type { PayMeasured } from './pay-load.ts'
import { payLoad, serveMohur, serveRemoteBank } from './processes.ts'
import { STORES, type StoreName, withStore } from './stores.ts'

const CONNECTIONS = 64
const ORDERS = 10_000
const ROUNDS = 6
const ROUNDS_ALONE = 2 // without a comparison
const BARS: Readonly<Record<'sandbox' | 'remote', Record<StoreName, number>>> = {
  sandbox: { sqlite: 1.7, postgres: 2 },
  remote: { sqlite: 1.8, postgres: 1.8 },
}

export const paid = (options: Options) => ofStores(options, 'sandbox')
export const remote = (options: Options) => ofStores(options, 'remote')

async function ofStores(options: Options, bank: 'sandbox' | 'remote'): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const store of options.stores) figures.push(...(await paidOn(store, bank, options)))
  return figures
}

async function paidOn(
  store: StoreName,
  bank: 'sandbox' | 'remote',
  { checkout, against, rounds, orders = ORDERS }: Options,
): Promise<Figure[]> {
  const what = `paid and told, ${STORES[store]}${bank === 'remote' ? ', remote bank' : ''}`
  console.error(`${what}:`)
  const remoteBank = bank === 'remote' ? await serveRemoteBank() : undefined
  const pairs = await withStore(store, ({ newPlace }) =>
    inPairs(
      { checkout, against, rounds: rounds ?? (against ? ROUNDS : ROUNDS_ALONE) },
      async (checkout) => serveMohur({ ...(await newPlace()), checkout, environment: remoteBank?.environment ?? {} }),
      ({ port, pid }, run) => payLoad({ port, pid, connections: CONNECTIONS, orders, run, order: 'both' }),
      ({ perSecond, cpuMicros }) => `${perSecond.toFixed(0)}/s ${cpuMicros.toFixed(0)} µs`,
    ),
  )
  await remoteBank?.stop()
  const now = (pick: (of: PayMeasured) => number) => medianNow(pairs, pick)
  return [
    { what, figure: now((of) => of.perSecond), unit: 'per second' },
    ...ratios(what, pairs, (of) => of.perSecond, { atLeast: BARS[bank][store] }),
    { what: `${what}: the service's processor time for one`, figure: now((of) => of.cpuMicros), unit: 'µs' },
    ...ratios(`${what}: processor time`, pairs, (of) => of.cpuMicros, { atMost: 1 }),
    ...(bank === 'sandbox' ? waiting(what, now) : []),
  ]
}

const waiting = (what: string, now: (pick: (of: PayMeasured) => number) => number): Figure[] => [
  { what: `${what}: pay p50`, figure: now((of) => of.pay.p50Ms), unit: 'ms' },
  { what: `${what}: pay p99`, figure: now((of) => of.pay.p99Ms), unit: 'ms' },
  { what: `${what}: notification behind the payment, p50`, figure: now((of) => of.behind.p50Ms), unit: 'ms', bar: { atMost: 100 } },
  { what: `${what}: notification behind the payment, p99`, figure: now((of) => of.behind.p99Ms), unit: 'ms', bar: { atMost: 1_000 } },
]
