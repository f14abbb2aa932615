// The console over a million payments of two hundred merchants. It answers twenty requests a second and a file of all payments, while three
// hundred orders a second arrive.

import { openAside } from '../src/adapters/store/aside/aside.ts'
import { SystemClock } from '../src/engine/clock.ts'
import { Engine } from '../src/engine/engine.ts'
import { SystemRandom } from '../src/engine/random.ts'
import { portionOf } from '../src/flows/list-portions.ts'
import { termsOf } from '../src/flows/search-keys.ts'
import { merchantKey } from '../src/tables/keys.ts'
import type { Row } from '../src/tables/tables.ts'
import { type Person, personOf } from '../test/support/console/desk.ts'
import { anOrder, aTransaction } from '../test/support/store/listed-rows.ts'
import { placeBehind, termsOfNumbered } from '../test/support/store/terms-kept.ts'
import type { Figure, Options } from './bench.ts'
import { benchVault, fill, openStore } from './fill.ts'
import { latency } from './numbers.ts'
import { CREATES_PER_SECOND, creates, createTimes, openLoop } from './open-loop.ts'
import { type Place, residentMb, type Served, serveMohur, sleep } from './processes.ts'
import { MID } from './requests.ts'
import { STORES, type StoreName, withStore } from './stores.ts'

const PAYMENTS = 1_000_000
const MERCHANTS = 200
export const EVERY_MS = 500 // between payments: a week of them is 1.2 million
export const PER_SECOND = 20
export const ASKED = 200 // of each kind
const LISTS_PER_SECOND = 10
const ENTRIES_MAX = 50_000 // docs/console.md: examined for one portion
const PORTION = 250 // of a file: src/console/screens/list.ts

export const midOf = (at: number) => `SHOP${String(at % MERCHANTS).padStart(4, '0')}`
export const idOf = (at: number) => `P${String(at).padStart(9, '0')}`

export async function consoleFigures({ checkout, stores, orders = PAYMENTS }: Options): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const store of stores)
    await withStore(store, async ({ newPlace }) => {
      const place = { ...(await newPlace()), checkout }
      const began = Date.now() - orders * EVERY_MS
      const person = await filled(place, orders, began)
      const served = await serveMohur(place)
      figures.push(...(await measured(served, person, { store, orders, began })))
      await served.stop()
      figures.push({
        ...{ what: `the longest read transaction of a file, of ${ASKED} portions, ${STORES[store]}`, unit: 'ms', bar: { atMost: 100 } },
        figure: await longestPortion(place, { store, orders, began }),
      })
    })
  return figures
}

/** Writes the merchants, and a person who sees all of them. */
export async function staffed(place: Place): Promise<Person> {
  const first = await serveMohur(place) // the demo world, whose merchant the others are like
  await first.stop()
  const store = await openStore(place)
  const like = (await store.query.row(merchantKey(MID)))!
  const changes = Array.from({ length: MERCHANTS }, (_, at) => ({
    kind: 'ensure' as const,
    key: merchantKey(midOf(at)),
    row: { ...like, mid: midOf(at), notification: null },
  }))
  await store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
  const [clock, fresh] = [new SystemClock(), new SystemRandom()]
  const ports = { engine: new Engine(store, clock, fresh), query: store.query, clock, fresh, vault: benchVault() }
  const person = await personOf({ ports } as never, ['admin', 'operations', 'finance'], null, `bench${Date.now()}@staff.test`)
  await store.close()
  return person
}

/** Payments, paid and failed, with their orders and the terms by which those are found. */
async function filled(place: Place, count: number, began: number): Promise<Person> {
  const person = await staffed(place)
  const vault = benchVault()
  await fill(place, count, (at) => {
    const [mid, when] = [midOf(at), began + at * EVERY_MS]
    const order = anOrder({
      mid,
      orderId: `O${idOf(at)}`,
      txnTokenIssuedAt: when,
      status: at % 10 === 0 ? 'CLOSED' : 'PAID',
      custId: `CUST_${at % 100_000}`,
      searchTerms: termsOf(vault, { custId: `CUST_${at % 100_000}` }),
      amountPaise: 49_900,
    })
    const status = at % 10 === 0 ? 'FAILURE' : 'SUCCESS'
    const amountPaise = 10_000 + (at % 1_000) * 100
    const payment = aTransaction({
      mid,
      txnId: idOf(at),
      orderId: `O${idOf(at)}`,
      initiatedAt: when,
      status,
      amountPaise,
      bankTxnId: `B${idOf(at)}`,
    })
    return {
      changes: [
        order,
        payment,
        ...termsOfNumbered((order as { row: Row<'orders'> }).row, at),
        ...(at === count - 1 ? [placeBehind((order as { row: Row<'orders'> }).row)] : []),
      ],
    }
  })
  return person
}

interface Filled {
  store: StoreName
  orders: number
  began: number
}

/** One kind of question. Each is asked twenty times a second, beside three hundred orders a second. */
interface Kind {
  path(nth: number): string
  /** A text of the page, or the address to which the reply leads. */
  expect(nth: number): string
  /** Milliseconds: the bar of the p99. */
  most: number
  /** A single hit leads to its page. */
  leads?: true
}

export const seeing = (port: number, cookie: string) => async (path: string) => {
  const answer = await fetch(`http://127.0.0.1:${port}/console${path}`, {
    redirect: 'manual',
    headers: { cookie: `console=${cookie}`, 'sec-fetch-site': 'same-origin' },
  })
  const text = await answer.text()
  return { status: answer.status, text, location: answer.headers.get('location') ?? '' }
}

async function measured({ port, pid }: Served, { cookie }: Person, { store, orders, began }: Filled): Promise<Figure[]> {
  const see = seeing(port, cookie)
  const day = (at: number) => new Date(at + 330 * 60_000).toISOString().slice(0, 16)
  const period = `from=${day(began)}&to=${day(began + orders * EVERY_MS)}`
  const drawn = (salt: number) => (salt * 7_919) % orders
  const orderOf = (at: number) => `/console/orders/${midOf(at)}/O${idOf(at)}`
  const hasFailed = (nth: number) => nth % 10 === 0 // as `filled` has it
  const kinds: Readonly<Record<string, Kind>> = {
    'search by an order’s id': {
      path: (nth) => `/find?q=O${idOf(drawn(nth))}`,
      expect: (nth) => orderOf(drawn(nth)),
      most: 50,
      leads: true,
    },
    'search by a customer': {
      path: (nth) => `/find?q=CUST_${drawn(nth) % 100_000}`,
      expect: (nth) => orderOf(drawn(nth)),
      most: 100,
      leads: true, // where the customer has one order
    },
    'a list of all merchants': { path: () => `/payments?${period}`, expect: () => 'Older', most: 100 },
    'its next portion': {
      path: (nth) => `/payments?${period}&after=${began + drawn(nth) * EVERY_MS}~SHOP0100~P`,
      expect: () => '/console/payments/SHOP',
      most: 100,
    },
    'a list of one merchant': {
      path: (nth) => `/payments?${period}&merchant=${midOf(nth)}&state=failed`,
      expect: (nth) => (hasFailed(nth) ? `/console/payments/${midOf(nth)}/` : 'No payments match'),
      most: 100,
    },
    '50,000 entries for nothing': {
      path: (nth) => `/payments?${period}&amount=${900_000 + nth}.00`,
      expect: () => (orders > ENTRIES_MAX ? 'Continue from' : 'No payments match'),
      most: 300,
    },
    'one payment': {
      path: (nth) => `/payments/${midOf(drawn(nth))}/${idOf(drawn(nth))}`,
      expect: (nth) => idOf(drawn(nth)),
      most: 80,
    },
  }
  const figures: Figure[] = []
  for (const [at, [what, { path, expect, most, leads = false }]] of Object.entries(kinds).entries()) {
    for (let warm = 0; warm < 5; warm++) await see(path(ASKED + warm))
    const asked = openLoop(ASKED, PER_SECOND, async (nth) => {
      const { status, text, location } = await see(path(nth))
      return status === 200 ? text.includes(expect(nth)) : leads && status === 303 && location === expect(nth)
    })
    const [{ ms, missed }] = await Promise.all([asked, createTimes(port, `KIND${at}`)])
    const { p50Ms, p99Ms } = latency(ms)
    const name = `console, ${what}, ${STORES[store]}`
    figures.push(
      { what: `${name}: p50`, figure: p50Ms, unit: 'ms' },
      { what: `${name}: p99 of ${ASKED}`, figure: p99Ms, unit: 'ms', bar: { atMost: most } },
    )
    figures.push({ what: `${name}: missed`, figure: missed, unit: '', bar: { atMost: 0 } })
  }
  const alone = await creates(port, 'ALONE')
  const beforeMb = residentMb(pid)
  const began_ = performance.now()
  let mostMb = 0
  const file = see(`/payments.csv?${period}&state=any`).then(({ text }) => ({
    lines: text.split('\r\n').length - 2,
    seconds: (performance.now() - began_) / 1_000,
  }))
  let isOver = false
  void file.finally(() => {
    isOver = true
  })
  const watching = (async () => {
    const lists: Promise<boolean>[] = []
    for (let nth = 0; !isOver; nth++) {
      mostMb = Math.max(mostMb, residentMb(pid))
      lists.push(see(`/payments?${period}`).then(({ status, text }) => status === 200 && text.includes('Older')))
      await sleep(Math.max(0, began_ + ((nth + 1) * 1_000) / LISTS_PER_SECOND - performance.now()))
    }
    return (await Promise.all(lists)).filter((isRight) => !isRight).length
  })()
  const beside = await creates(port, 'BESIDE')
  const { lines, seconds } = await file
  const missedLists = await watching
  const name = STORES[store]
  figures.push(
    { what: `create at ${CREATES_PER_SECOND} a second, ${name}: p99 alone`, figure: alone, unit: 'ms' },
    {
      what: `the same beside a file and ${LISTS_PER_SECOND} lists a second, ${name}: p99 ÷ alone`,
      figure: beside / alone,
      unit: 'ratio',
      bar: { atMost: 1.3 },
    },
    { what: `lists beside a file, ${name}: missed`, figure: missedLists, unit: '', bar: { atMost: 0 } },
    { what: `a file of ${lines} payments, ${name}`, figure: seconds, unit: 's', bar: { atMost: 120 } },
    { what: `memory while it is made, ${name}`, figure: mostMb - beforeMb, unit: 'MB', bar: { atMost: 64 } },
    { what: `payments missing in the file, ${name}`, figure: orders - lines, unit: '', bar: { atMost: 0 } },
  )
  return figures
}

/** Milliseconds. Portions begin at drawn places; each waits until the thread has rested from the one before. */
async function longestPortion({ folder, databaseUrl = '' }: Place, { orders, began }: Filled): Promise<number> {
  const aside = openAside({ dataFolder: folder, databaseUrl }, benchVault())
  let longest = 0
  for (let nth = 0; nth < ASKED; nth++) {
    const after = { at: began + ((nth * 7_919 * 601) % orders) * EVERY_MS, mid: midOf(nth), id: '' }
    const started = performance.now()
    await portionOf(aside.query, 'transactions', { mids: null, from: began, to: after.at, after, limit: PORTION })
    const ms = performance.now() - started
    if (nth > 0) longest = Math.max(longest, ms) // the first opens the store
    await sleep(2 * ms)
  }
  await aside.close()
  return longest
}
