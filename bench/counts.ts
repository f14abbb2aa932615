// The cost of a paid order to PostgreSQL, by its own counts, and how often the payer waits for PostgreSQL, counted on the way. Counts
// depend less on the machine than times.

import pg from 'pg'
import type { Figure, Options } from './bench.ts'
import { median } from './numbers.ts'
import { oneByOne, type Span } from './one-by-one.ts'
import type { PayLoad } from './pay-load.ts'
import { payLoad, serveMohur, serveProxy } from './processes.ts'
import { withStore } from './stores.ts'

const CONNECTIONS = 64
const ORDERS = 10_000
const DELAY_MS = 5 // each way: long beside the work between two journeys
const ORDERS_WATCHED = 30

export async function counts({ checkout, orders = ORDERS }: Options): Promise<Figure[]> {
  const silent = await postgresCounts(checkout, orders, { unreported: true })
  const reported = await postgresCounts(checkout, orders)
  const { create, pay } = await journeys(checkout)
  const what = 'PostgreSQL, for one paid order at 64 connections'
  return [
    { what: `${what}, without an endpoint: commits`, figure: silent.commits, unit: '', bar: { atMost: 2.5 } },
    { what: `${what}, without an endpoint: rows changed`, figure: silent.rows, unit: '', bar: { atMost: 14 } },
    { what: `${what}, without an endpoint: log`, figure: silent.logKb, unit: 'kB', bar: { atMost: 7 } },
    { what: `${what}, and notified: commits`, figure: reported.commits, unit: '' },
    { what: `${what}, and notified: rows changed`, figure: reported.rows, unit: '' },
    { what: `${what}, and notified: log`, figure: reported.logKb, unit: 'kB' },
    { what: 'journeys to PostgreSQL that a payer waits for: create', figure: create, unit: '', bar: { atMost: 3 } },
    { what: 'journeys to PostgreSQL that a payer waits for: pay', figure: pay, unit: '', bar: { atMost: 10 } },
  ]
}

/** PostgreSQL's sessions report their counts when they end, so the service is stopped before each look. */
export const postgresCounts = (checkout: string, orders: number, reported: Pick<PayLoad, 'unreported'> = {}) =>
  withStore('postgres', async ({ newPlace }) => {
    const place = { ...(await newPlace()), checkout }
    const look = async () => {
      const client = new pg.Client({ connectionString: place.databaseUrl })
      await client.connect()
      const { rows } = await client.query<Record<'commits' | 'rows' | 'log', string>>(
        `select xact_commit as commits, tup_inserted + tup_updated + tup_deleted as rows, pg_current_wal_insert_lsn() - '0/0' as log
         from pg_stat_database where datname = current_database()`,
      )
      await client.end()
      return rows[0]!
    }
    const serve = async (run: string, count: number, warmUp: number) => {
      const { port, pid, stop } = await serveMohur(place)
      await payLoad({ port, pid, connections: CONNECTIONS, orders: count, run, order: 'both', warmUp, ...reported })
      await stop()
    }
    await serve('W', CONNECTIONS, 1)
    const before = await look()
    await serve('A', orders, 0)
    const after = await look()
    const each = (name: 'commits' | 'rows' | 'log') => (Number(after[name]) - Number(before[name])) / orders
    return { commits: each('commits'), rows: each('rows'), logKb: each('log') / 1_000 }
  })

/** Journeys on one payer's path: each begins when the one before is over. The others run beside it, or belong to other work. */
export const journeys = (checkout: string) =>
  withStore('postgres', async ({ newPlace }) => {
    const place = await newPlace()
    const proxy = await serveProxy(place.databaseUrl!, DELAY_MS, { tells: true })
    const served = await serveMohur({ ...place, databaseUrl: proxy.databaseUrl, checkout })
    const shop = await oneByOne(served.port)
    await shop.run(ORDERS_WATCHED) // opens connections and prepares statements
    const paths = await shop.run(ORDERS_WATCHED)
    shop.close()
    await served.stop()
    await proxy.stop()
    const along = (spans: readonly Span[]) => median(spans.map((span) => onPath(proxy.journeys, span)))
    return { create: along(paths.map(({ create }) => create)), pay: along(paths.map(({ pay }) => pay)) }
  })

function onPath(journeys: readonly number[], { from, to }: Span): number {
  let [count, over] = [0, from]
  for (const at of journeys) {
    const end = at + 2 * DELAY_MS
    if (at < over || end > to) continue
    count++
    over = end
  }
  return count
}
