// One customer's order among ten million, each of another customer, and a text that no order has. Each order was created and expired, and
// has three terms: customer, mobile number and e-mail address. Events are left out, because no search reads them.

import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { sqlName } from '../src/adapters/store/codec.ts'
import { ORDER_VALIDITY_MS } from '../src/domain/order/order.ts'
import { merchantKey } from '../src/tables/keys.ts'
import type { Row } from '../src/tables/tables.ts'
import { placeBehind } from '../test/support/store/terms-kept.ts'
import type { Figure, Options } from './bench.ts'
import { ASKED, EVERY_MS, idOf, midOf, PER_SECOND, seeing, staffed } from './console.ts'
import { benchVault, fill, openStore } from './fill.ts'
import { latency } from './numbers.ts'
import { openLoop } from './open-loop.ts'
import { type Place, serveMohur } from './processes.ts'
import { createOrderBody } from './requests.ts'
import { storedOrder } from './stored-order.ts'
import { STORES, type StoreName, withKeptStore, withStore } from './stores.ts'

const ORDERS = 10_000_000
const WITHOUT_LOG = { wal_level: 'minimal', max_wal_senders: '0' } // while the tables are filled
const OF_TERMS = ['searchOrders', 'searchTerms', 'merchantOrders'] as const

export async function search({ checkout, stores, orders = ORDERS, keep }: Options): Promise<Figure[]> {
  const figures: Figure[] = []
  const measure = async (store: StoreName, place: Place) => {
    figures.push(...(await measured({ ...place, checkout }, store, orders)))
  }
  for (const store of stores) {
    if (keep === undefined) await withStore(store, async ({ newPlace }) => measure(store, await newPlace()), WITHOUT_LOG)
    else await withKeptStore(store, keptAt(join(keep, `${store}-${orders}`)), (place) => measure(store, place), WITHOUT_LOG)
  }
  return figures
}

/** A fill that did not come to its end begins again. */
function keptAt(folder: string): string {
  if (!existsSync(join(folder, FILLED))) rmSync(folder, { recursive: true, force: true })
  return folder
}
const FILLED = 'filled'

async function measured(place: Place, store: StoreName, orders: number): Promise<Figure[]> {
  const name = `search among ${orders} orders, ${STORES[store]}`
  const figures: Figure[] = []
  const began = performance.now()
  if (!existsSync(join(place.folder, FILLED))) {
    await staffed(place)
    await filled(place, orders)
    writeFileSync(join(place.folder, FILLED), '')
    console.error(`  filled ${orders} orders in ${((performance.now() - began) / 1_000).toFixed(0)} s`)
  }
  const person = await staffed(place) // the session of an earlier one may be over
  const bytes = await bytesOf(place)
  figures.push(
    { what: `${name}: an order's row with its indexes`, figure: bytes.row / orders, unit: 'bytes' },
    { what: `${name}: an order's search terms`, figure: bytes.terms / orders, unit: 'bytes' },
  )
  const { port, stop } = await serveMohur(place)
  const see = seeing(port, person.cookie)
  const searched = (nth: number) => Math.floor(((2 * ((nth * 77) % ASKED) + 1) * orders) / (2 * ASKED))
  const asked = {
    "a customer's one order": { text: (nth: number) => custIdOf(searched(nth)), expect: (nth: number) => `/O${idOf(searched(nth))}` },
    'a text that no order has': { text: (nth: number) => `NOBODY_${nth}`, expect: () => 'Nothing matches' },
  }
  for (const [what, { text, expect }] of Object.entries(asked)) {
    const firstBegan = performance.now()
    await see(`/find?q=${text(ASKED)}`)
    const firstMs = performance.now() - firstBegan
    const { ms, missed } = await openLoop(ASKED, PER_SECOND, async (nth) => {
      const { status, location, text: page } = await see(`/find?q=${text(nth)}`)
      return status === 303 ? location.endsWith(expect(nth)) : status === 200 && page.includes(expect(nth))
    })
    const { p50Ms, p99Ms } = latency(ms)
    figures.push(
      { what: `${name}, ${what}: the first`, figure: firstMs, unit: 'ms' },
      { what: `${name}, ${what}: p50`, figure: p50Ms, unit: 'ms' },
      { what: `${name}, ${what}: p99 of ${ASKED}`, figure: p99Ms, unit: 'ms', bar: { atMost: 100 } },
      { what: `${name}, ${what}: missed`, figure: missed, unit: '', bar: { atMost: 0 } },
    )
  }
  await stop()
  return figures
}

const custIdOf = (at: number) => `CUST_${at}`
const payerOf = (at: number) => ({ custId: custIdOf(at), mobile: `9${String(at).padStart(9, '0')}`, email: `payer${at}@example.com` })

/** The last order expired a moment ago, so that the service closes none while it is measured. */
async function filled(place: Place, orders: number) {
  const until = Date.now()
  const began = until - ORDER_VALIDITY_MS - orders * EVERY_MS
  const vault = benchVault()
  const store = await openStore(place)
  const merchant = (await store.query.row(merchantKey(midOf(0))))!
  await store.close()
  await fill(place, orders, (at) => {
    const mid = midOf(at)
    const request = createOrderBody(mid, `O${idOf(at)}`, payerOf(at), at)
    const changes = storedOrder(vault, { ...merchant, mid }, { request, now: began + at * EVERY_MS, number: at, until })
    return { changes: at === orders - 1 ? [...changes, placeBehind((changes[0] as { row: Row<'orders'> }).row)] : changes }
  })
}

/** Tables with their indexes. */
async function bytesOf({ folder, databaseUrl }: Place): Promise<{ row: number; terms: number }> {
  const names = OF_TERMS.map((table) => `'${sqlName(table)}'`).join(', ')
  if (databaseUrl) {
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    const sizes = await client.query(`select relname as name, pg_total_relation_size(oid) as bytes from pg_class
      where relname in ('orders', ${names}) and relkind = 'r'`)
    await client.end()
    return summed(sizes.rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes) })))
  }
  const file = join(folder, 'mohur.sqlite')
  const database = new DatabaseSync(file, { readOnly: true })
  const sizes = database.prepare(`select name, pgsize as bytes from dbstat where aggregate = true and name in (${names})`)
  const rows = sizes.all() as { name: string; bytes: number }[]
  database.close()
  // The orders are nearly all of the rest, and to count their pages would read the whole file.
  return summed([...rows, { name: 'orders', bytes: statSync(file).size - rows.reduce((sum, { bytes }) => sum + bytes, 0) }])
}

const summed = (sizes: readonly { name: string; bytes: number }[]) => {
  const sum = (of: typeof sizes) => of.reduce((total, { bytes }) => total + bytes, 0)
  return { row: sum(sizes.filter(({ name }) => name === 'orders')), terms: sum(sizes.filter(({ name }) => name !== 'orders')) }
}
