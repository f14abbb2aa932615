// Paid orders from end to end: created, paid by UPI, and the merchant's endpoint notified. The bank is the sandbox's own, or
// one behind the contract of docs/acquirer.md that answers at once. With `--against FOLDER` beside another checkout.

import type { Figure, Options } from './bench.ts'
import { figureOf, inPairs, processorTime } from './pairs.ts'
import { payLoad, serveMohur, serveRemoteBank } from './processes.ts'
import { STORES, type StoreName, withStore } from './stores.ts'

const CONNECTIONS = 64
const ORDERS = 10_000
const ROUNDS = 6
const ROUNDS_ALONE = 2 // when nothing is compared

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
  const what = `paid and notified, ${STORES[store]}${bank === 'remote' ? ', remote bank' : ''}`
  console.error(`${what}:`)
  const remoteBank = bank === 'remote' ? await serveRemoteBank() : undefined
  const pairs = await withStore(store, ({ newPlace, postgres }) =>
    inPairs(
      { checkout, against, rounds: rounds ?? (against ? ROUNDS : ROUNDS_ALONE) },
      async (checkout) => serveMohur({ ...(await newPlace()), checkout, environment: remoteBank?.environment ?? {} }),
      ({ port, pid }, run) => payLoad({ port, pid, postgres: postgres?.dataFolder, connections: CONNECTIONS, orders, run, order: 'both' }),
      ({ perSecond, cpuMicros, postgresMicros }) => `${perSecond.toFixed(0)}/s ${(cpuMicros + postgresMicros).toFixed(0)} µs`,
    ),
  )
  await remoteBank?.stop()
  return [
    processorTime(what, pairs, { time: { atMost: 1 }, rate: { atLeast: 0.97 } }),
    ...(bank === 'remote'
      ? []
      : [
          figureOf(`${what}: pay p50`, 'ms', pairs, (of) => of.pay.p50Ms),
          figureOf(`${what}: pay p99`, 'ms', pairs, (of) => of.pay.p99Ms),
          figureOf(`${what}: notification behind the payment, p50`, 'ms', pairs, (of) => of.behind.p50Ms, { bar: { atMost: 100 } }),
          figureOf(`${what}: notification behind the payment, p99`, 'ms', pairs, (of) => of.behind.p99Ms, { bar: { atMost: 1_000 } }),
        ]),
  ]
}
