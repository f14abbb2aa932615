// The open payment page, as a browser without script gets it: views a second beside orders created in the same rounds of the same
// service. Whoever comes to pay looks a few times; a page that costs more than two orders would be what a shop's busiest hour fails by.

import { pagePaths } from '../src/interface/page-paths.ts'
import type { Figure, Options } from './bench.ts'
import { Connection } from './connection.ts'
import type { Measured } from './load.ts'
import { inPairs, medianNow, ratios } from './pairs.ts'
import { cpuSeconds, load, serveMohur } from './processes.ts'
import { getRequest, MID, orderIdOf, requestsOf } from './requests.ts'
import { STORES, type StoreName, withStore } from './stores.ts'

const CONNECTIONS = 64
const PAGES = 640 // each of an order of its own
const REQUESTS = 20_000
const ROUNDS = 5
const WARM_UP = 2 // rounds that are not counted: the first requests compile the code
const BAR = 0.5

export async function pageViews({ stores, checkout, against, rounds = ROUNDS, orders = REQUESTS }: Options): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const store of stores) {
    console.error(`page views, ${STORES[store]}:`)
    const pairs = await withStore(store, ({ newPlace }) =>
      inPairs(
        { checkout, against, rounds: WARM_UP + rounds },
        async (checkout) => {
          const served = await serveMohur({ ...(await newPlace()), checkout })
          return { ...served, addresses: await openPages(served.port) }
        },
        async ({ port, pid, addresses }, run): Promise<Round> => {
          const given = { port, connections: CONNECTIONS, requests: orders, run }
          const created = await load({ ...given, kind: 'createOrder', expect: '"0000"' })
          const startedAt = cpuSeconds(pid)
          const viewed = await load({ ...given, kind: { get: addresses }, expect: 'data-stage="choices"' })
          return { created, ...viewed, cpuMicros: (1e6 * (cpuSeconds(pid) - startedAt)) / orders }
        },
        ({ perSecond, created, cpuMicros }) =>
          `${perSecond.toFixed(0)}/s beside ${created.perSecond.toFixed(0)} orders/s, ${cpuMicros.toFixed(1)} µs`,
      ),
    )
    figures.push(...figuresOf(store, pairs.slice(WARM_UP)))
  }
  return figures
}

/** `cpuMicros` is what the service's process took for one view, user and system. */
type Round = Measured & { created: Measured; cpuMicros: number }

function figuresOf(store: StoreName, pairs: Parameters<typeof medianNow<Round>>[0]): Figure[] {
  const what = `page views, ${STORES[store]}`
  const toCreated = ({ perSecond, created }: Round) => perSecond / created.perSecond
  return [
    { what, figure: medianNow(pairs, (of) => of.perSecond), unit: 'per second' },
    { what: `${what}: the service's processor time for one`, figure: medianNow(pairs, (of) => of.cpuMicros), unit: 'µs' },
    ...ratios(`${what}: processor time`, pairs, (of) => of.cpuMicros, { atMost: 1.02 }),
    { what: `${what} ÷ create order`, figure: medianNow(pairs, toCreated), unit: 'ratio', bar: { atLeast: BAR } },
    ...ratios(`${what} ÷ create order`, pairs, toCreated, { atLeast: 0.97 }),
    { what: `${what}, p99`, figure: medianNow(pairs, (of) => of.p99Ms), unit: 'ms' },
  ]
}

/** The addresses of pages that were opened, each for an order that nobody has paid. */
export async function openPages(port: number): Promise<string[]> {
  const line = new Connection(port)
  const addresses: string[] = []
  for (const [at, request] of requestsOf('createOrder', 'PAGE', PAGES).entries()) {
    const txnToken = /"txnToken":"([^"]+)"/.exec(String(await line.ask(request)))?.[1] ?? ''
    const query = new URLSearchParams({ mid: MID, orderId: orderIdOf('PAGE', at), txnToken })
    const opened = String(await line.ask(getRequest(`${pagePaths.showPaymentPage}?${query}`)))
    const address = /\r\nlocation: (\/pay\/[0-9a-f]{32})\r\n/i.exec(opened)?.[1]
    if (address === undefined) throw new Error(`no page was opened: ${opened}`)
    addresses.push(address)
  }
  line.close()
  return addresses
}
