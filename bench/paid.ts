// Paid orders from end to end: created, paid by UPI at the sandbox's bank, and the merchant's endpoint has been told. With
// `--against FOLDER` in alternating rounds against the service of another checkout.

import { type Postgres, startPostgres } from '../test/support/postgres.ts'
import type { Figure, Options } from './bench.ts'
import { lowerQuartile, median } from './numbers.ts'
import type { PayMeasured } from './pay-load.ts'
import { CHECKOUT, newFolder, payLoad, type Served, serveMohur } from './processes.ts'

const CONNECTIONS = 64
const ORDERS = 10_000
const ROUNDS = 6
export const STORES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const
export type StoreName = keyof typeof STORES
/** Room for the log, as anybody sets it who expects load; without it the first minutes measure how new log files are made. */
export const ROOM_FOR_LOG = { min_wal_size: '1GB', max_wal_size: '4GB' }

export async function paid(options: Options): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const store of options.stores) {
    const postgres = store === 'postgres' ? await startPostgres({ durable: true, settings: ROOM_FOR_LOG }) : undefined
    figures.push(...(await paidOn(store, postgres, options)))
    await postgres?.stop()
  }
  return figures
}

async function paidOn(store: StoreName, postgres: Postgres | undefined, { against, rounds = ROUNDS, orders = ORDERS }: Options) {
  const start = async (checkout: string) =>
    serveMohur({ folder: newFolder(), checkout, ...(postgres && { databaseUrl: await postgres.createDatabase() }) })
  const now = await start(CHECKOUT)
  const before = against ? await start(against) : undefined
  const run = ({ port, process }: Served, name: string) =>
    payLoad({ port, pid: process.pid!, connections: CONNECTIONS, orders, run: name, order: 'both' })

  const measured: { now: PayMeasured; before: PayMeasured | undefined }[] = []
  for (let round = 0; round < rounds; round++) {
    // Who is measured first changes: what a round leaves behind on the machine falls on both.
    const early = before && round % 2 === 0 ? await run(before, `B${round}`) : undefined
    const own = await run(now, `N${round}`)
    const late = before && round % 2 === 1 ? await run(before, `B${round}`) : undefined
    measured.push({ now: own, before: early ?? late })
    console.error(line(STORES[store], round, own, early ?? late))
  }
  await Promise.all([now.stop(), before?.stop()])
  return figuresOf(STORES[store], measured)
}

function line(store: string, round: number, now: PayMeasured, before: PayMeasured | undefined): string {
  const told = ({ perSecond, cpuMicros }: PayMeasured) => `${perSecond.toFixed(0)}/s ${cpuMicros.toFixed(0)} µs`
  if (!before) return `${store}, round ${round + 1}: ${told(now)}`
  const ratio = (pick: (of: PayMeasured) => number) => (pick(now) / pick(before)).toFixed(3)
  const ratios = `per second × ${ratio((of) => of.perSecond)}, processor time × ${ratio((of) => of.cpuMicros)}`
  return `${store}, round ${round + 1}: before ${told(before)}, now ${told(now)}: ${ratios}`
}

function figuresOf(store: string, rounds: readonly { now: PayMeasured; before: PayMeasured | undefined }[]): Figure[] {
  const what = `paid and told, ${store}`
  const over = (pick: (of: PayMeasured) => number) => median(rounds.map(({ now }) => pick(now)))
  const figures: Figure[] = [
    { what, figure: over((of) => of.perSecond), unit: 'per second' },
    { what: `${what}, processor time of the service for one`, figure: over((of) => of.cpuMicros), unit: 'µs' },
    { what: `${what}, pay p50`, figure: over((of) => of.pay.p50Ms), unit: 'ms' },
    { what: `${what}, pay p99`, figure: over((of) => of.pay.p99Ms), unit: 'ms' },
    { what: `${what}, notification behind the payment, p50`, figure: over((of) => of.behind.p50Ms), unit: 'ms' },
    { what: `${what}, notification behind the payment, p99`, figure: over((of) => of.behind.p99Ms), unit: 'ms' },
  ]
  const pairs = rounds.flatMap(({ now, before }) => (before ? [{ now, before }] : []))
  if (pairs.length === 0) return figures
  const ratios = (pick: (of: PayMeasured) => number) => pairs.map(({ now, before }) => pick(now) / pick(before))
  return [
    ...figures,
    { what: `${what}, before`, figure: median(pairs.map(({ before }) => before.perSecond)), unit: 'per second' },
    { what: `${what} ÷ before, median`, figure: median(ratios((of) => of.perSecond)), unit: 'ratio' },
    { what: `${what} ÷ before, lower quartile`, figure: lowerQuartile(ratios((of) => of.perSecond)), unit: 'ratio' },
    { what: `${what}, processor time ÷ before, median`, figure: median(ratios((of) => of.cpuMicros)), unit: 'ratio' },
  ]
}
