// The page of one order with four thousand refunds of a paisa. Measures its size, the length of its read transactions, and what six of its
// pages cost the orders beside them.

import { openAside } from '../src/adapters/store/aside/aside.ts'
import { Vault } from '../src/adapters/store/vault.ts'
import { SystemClock } from '../src/engine/clock.ts'
import type { Change } from '../src/engine/decision.ts'
import { Engine } from '../src/engine/engine.ts'
import { SystemRandom } from '../src/engine/random.ts'
import { type OrderPlace, orderHistory } from '../src/flows/order-history.ts'
import { merchantKey } from '../src/tables/keys.ts'
import type { Row } from '../src/tables/tables.ts'
import { type Person, personOf } from '../test/support/console/desk.ts'
import { plant, refundsOf } from '../test/support/console/grown.ts'
import { anOrder, aTransaction } from '../test/support/store/listed-rows.ts'
import type { Figure, Options } from './bench.ts'
import { openStore } from './fill.ts'
import { latency, median } from './numbers.ts'
import { CREATES_PER_SECOND, creates } from './open-loop.ts'
import { cpuSeconds, MASTER_KEY, type Place, type Served, serveMohur, sleep } from './processes.ts'
import { MID } from './requests.ts'
import { STORES, withStore } from './stores.ts'

const REFUNDS = 4_000
const [SHOP, ORDER] = ['GROWNSHOP', 'GROWN']
const PAGE_BYTES_MAX = 200 * 1024 // docs/console.md
const [PAGES, EVERY_MS] = [6, 1_000] // six people open the page at the same moment, once a second
const ROUNDS = 5
const OPENED = 20 // one after the other
const LONGEST_MS = { sqlite: 10, postgres: 45 } as const // docs/decisions/0029

export async function history({ checkout, stores, orders = REFUNDS, rounds = ROUNDS }: Options): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const store of stores)
    await withStore(store, async ({ newPlace }) => {
      const place = { ...(await newPlace()), checkout }
      const person = await planted(place, orders)
      const served = await serveMohur(place)
      const name = `an order with ${orders} refunds, ${STORES[store]}`
      figures.push(...(await measured(served, person, { name, rounds })))
      await served.stop()
      await momentsOf(place) // a new thread is slower
      const moments = await momentsOf(place)
      const what = `read transactions of its ${moments.length} portions, ${STORES[store]}`
      figures.push(
        { what: `${what}: p50`, figure: median(moments), unit: 'ms' },
        { what: `${what}: the longest`, figure: Math.max(...moments), unit: 'ms', bar: { atMost: LONGEST_MS[store] } },
      )
    })
  return figures
}

async function planted(place: Place, count: number): Promise<Person> {
  const first = await serveMohur(place) // the demo world, whose merchant is the model of the other
  await first.stop()
  const vault = new Vault(Buffer.from(MASTER_KEY, 'base64'))
  const store = await openStore(place)
  const notification = { url: 'http://127.0.0.1:9/', form: 'json', secret: '' } as const
  const merchant = { ...(await store.query.row(merchantKey(MID)))!, mid: SHOP, notification }
  const at = Date.now() - count * EVERY_MS
  const of = { mid: SHOP, orderId: ORDER, amountPaise: 2 * count }
  const order = anOrder({ ...of, txnTokenIssuedAt: at, status: 'PAID', transactionCount: 1, txnId: 'GROWNTXN' }) as Change<'orders'>
  const payment = aTransaction({ ...of, txnId: 'GROWNTXN', initiatedAt: at }) as Change<'transactions'>
  const [orderRow, transaction] = [order, payment].map((change) => (change as { row: object }).row) as [Row<'orders'>, Row<'transactions'>]
  await plant(store, { changes: [{ kind: 'insert', key: merchantKey(SHOP), row: merchant } as Change, order, payment], events: [] })
  await plant(store, refundsOf({ merchant, order: orderRow, transaction, merchantStream: undefined }, { count, from: at }))
  const [clock, fresh] = [new SystemClock(), new SystemRandom()]
  const ports = { engine: new Engine(store, clock, fresh), query: store.query, clock, fresh, vault }
  const person = await personOf({ ports } as never, ['admin', 'operations'])
  await store.close()
  return person
}

async function measured({ port, pid }: Served, { cookie }: Person, { name, rounds }: { name: string; rounds: number }): Promise<Figure[]> {
  const see = async () => {
    const began = performance.now()
    const answer = await fetch(`http://127.0.0.1:${port}/console/orders/${SHOP}/${ORDER}`, {
      headers: { cookie: `console=${cookie}`, 'sec-fetch-site': 'same-origin' },
    })
    const bytes = Buffer.byteLength(await answer.text())
    if (answer.status !== 200) throw new Error(`the page was answered with ${answer.status}`)
    return { bytes, ms: performance.now() - began }
  }
  const { bytes } = await see()
  for (let warm = 0; warm < 3; warm++) await see()
  const before = cpuSeconds(pid)
  for (let nth = 0; nth < OPENED; nth++) await see()
  const pageMs = ((cpuSeconds(pid) - before) * 1_000) / OPENED
  const ratios: { alone: number; beside: number; pages: number[] }[] = []
  for (let round = 0; round < rounds; round++) {
    const alone = await creates(port, `ALONE${round}`)
    let isOver = false
    const pages: number[] = []
    const opened = (async () => {
      while (!isOver) {
        const begun = performance.now()
        const seen = await Promise.all(Array.from({ length: PAGES }, see))
        pages.push(...seen.map(({ ms }) => ms))
        await sleep(Math.max(0, begun + EVERY_MS - performance.now()))
      }
    })()
    const beside = await creates(port, `BESIDE${round}`)
    isOver = true
    await opened
    ratios.push({ alone, beside, pages })
  }
  // The middle round, because the machine itself has slow moments.
  const { alone, beside, pages } = ratios.toSorted((a, b) => a.beside / a.alone - b.beside / b.alone)[Math.floor(rounds / 2)]!
  return [
    { what: `${name}: its page`, figure: bytes / 1_024, unit: 'kB', bar: { atMost: PAGE_BYTES_MAX / 1_024 } },
    { what: `${name}: processor time of its page, of ${OPENED}`, figure: pageMs, unit: 'ms' },
    { what: `${name}: six of its pages at once, p99`, figure: latency(pages).p99Ms, unit: 'ms' },
    { what: `create at ${CREATES_PER_SECOND} a second, ${name}: p99 alone`, figure: alone, unit: 'ms' },
    { what: `the same beside six of its pages a second, ${name}: p99`, figure: beside, unit: 'ms' },
    {
      what: `the same beside six of its pages a second, ${name}: p99 ÷ alone`,
      figure: beside / alone,
      unit: 'ratio',
      bar: { atMost: 1.3 },
    },
  ]
}

/** Milliseconds for each portion from the newest to the oldest. Each portion waits until the thread has rested from the one before. */
async function momentsOf({ folder, databaseUrl = '' }: Place): Promise<number[]> {
  const aside = openAside({ dataFolder: folder, databaseUrl }, new Vault(Buffer.from(MASTER_KEY, 'base64')))
  await orderHistory(aside.query, SHOP, ORDER) // the first one opens the store
  const moments: number[] = []
  for (let after: OrderPlace | undefined = {}; after !== undefined; ) {
    const began = performance.now()
    const portion: Awaited<ReturnType<typeof orderHistory>> = await orderHistory(aside.query, SHOP, ORDER, after)
    moments.push(performance.now() - began)
    const { olderLines, olderRefunds } = portion!
    after = olderLines && { lines: olderLines, refunds: olderRefunds ?? after.refunds }
    await sleep(2 * moments.at(-1)!)
  }
  await aside.close()
  return moments
}
