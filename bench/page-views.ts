// Views of the open payment page, as a browser without script gets it, beside orders created in the same rounds of the same service. A
// payer looks a few times. If a page cost more than two orders, a shop's busiest hour would fail by its pages. Then the pages of a
// signed-in payer: a price that the script requests, and a form that is refused.

import { pagePaths } from '../src/interface/page-paths.ts'
import type { Figure, Options } from './bench.ts'
import { Connection } from './connection.ts'
import type { Load, Measured } from './load.ts'
import { figureOf, inPairs, type Pair, processorTime } from './pairs.ts'
import { type PayerPages, payerPages } from './payer-pages.ts'
import { cpuSeconds, load, type Served, serveMohur } from './processes.ts'
import { getRequest, MID, orderIdOf, requestsOf } from './requests.ts'
import { STORES, type StoreName, withStore } from './stores.ts'

const CONNECTIONS = 64
const PAGES = 640 // each for its own order
const REQUESTS = 20_000
const ROUNDS = 5
const WARM_UP = 2 // uncounted rounds: the first requests compile the code
const BAR = 0.5
const FORMS_PART = 1 / 3 // of the requests of a round: one page gives sixty prices a minute

export async function pageViews({ stores, checkout, against, rounds = ROUNDS, orders = REQUESTS }: Options): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const store of stores) {
    console.error(`page views, ${STORES[store]}:`)
    const pairs = await withStore(store, ({ newPlace }) =>
      inPairs(
        { checkout, against, rounds: WARM_UP + rounds },
        async (checkout) => {
          const served = await serveMohur({ ...(await newPlace()), checkout })
          return { ...served, addresses: await openPages(served.port), payer: await payerPages(served.port, PAGES) }
        },
        (started, run) => roundOf(started, run, orders),
        ({ perSecond, created, ...of }) => {
          const micros = [of, of.price, of.refused].map(({ cpuMicros }) => cpuMicros.toFixed(1))
          return `${perSecond.toFixed(0)}/s beside ${created.perSecond.toFixed(0)} orders/s, ${micros.join(', ')} µs`
        },
      ),
    )
    figures.push(...figuresOf(store, pairs.slice(WARM_UP)))
  }
  return figures
}

/** `cpuMicros` is the service's processor time for one request, user and system. */
type Timed = Measured & { cpuMicros: number }
type Round = Timed & { created: Measured; price: Timed; refused: Timed }

interface Started extends Served {
  addresses: readonly string[]
  payer: PayerPages
}
async function roundOf({ port, pid, addresses, payer }: Started, run: string, orders: number): Promise<Round> {
  const loaded = (kind: Load['kind'], expect: string, requests = orders) =>
    load({ port, connections: CONNECTIONS, requests, run, kind, expect })
  const timed = async (...[kind, expect, requests = orders]: Parameters<typeof loaded>): Promise<Timed> => {
    const startedAt = cpuSeconds(pid)
    const measured = await loaded(kind, expect, requests)
    return { ...measured, cpuMicros: (1e6 * (cpuSeconds(pid) - startedAt)) / requests }
  }
  const posted = (kind: keyof PayerPages['forms'], path: string) =>
    ({ post: payer.addresses.map((address) => address + path), form: payer.forms[kind] }) as const
  const created = await loaded('createOrder', '"0000"')
  const viewed = await timed({ get: addresses }, 'data-stage="choices"')
  const some = Math.ceil(orders * FORMS_PART)
  const price = await timed(posted('price', '/price'), '"paise":', some)
  return { ...viewed, created, price, refused: await timed(posted('refused', '/pay'), 'HTTP/1.1 422 ', some) }
}

function figuresOf(store: StoreName, pairs: readonly Pair<Round>[]): Figure[] {
  const what = `page views, ${STORES[store]}`
  return [
    processorTime(what, pairs, { time: { atMost: 1.02 } }),
    ...(['price', 'refused'] as const).map((kind) => {
      const micros = (of: Round) => of[kind].cpuMicros
      return figureOf(`${FORMS[kind]}, ${STORES[store]}`, 'µs', pairs, micros, { ratioBar: { atMost: 1.02 } })
    }),
    figureOf(`${what} ÷ create order`, 'ratio', pairs, ({ perSecond, created }) => perSecond / created.perSecond, {
      bar: { atLeast: BAR },
      ratioBar: { atLeast: 0.97 },
    }),
    figureOf(`${what}, p99`, 'ms', pairs, (of) => of.p99Ms),
  ]
}
const FORMS = { price: 'price of a kept card and a part from the wallet', refused: 'refused form of a plan' } as const

/** The addresses of opened pages, each for an unpaid order. */
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
