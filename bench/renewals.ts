// A day on which a hundred thousand mandates of ten merchants are due, and a year of a thousand. Measures how many are noticed, debited and
// notified in a second. `--orders` sets the day's mandates.

import { once } from 'node:events'
import { createServer, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import { openPostgres, openSqliteBeside } from '../src/adapters/store/database.ts'
import { firstTryAt, noticeAt } from '../src/domain/subscription/collection/collection-times.ts'
import { collectionDate } from '../src/domain/subscription/collection/schedule.ts'
import { dateInIndia, dayBegins } from '../src/engine/clock.ts'
import type { Figure, Options } from './bench.ts'
import { billers, type Mandates, makeMandates, scheduleOf } from './mandates.ts'
import { cpuSeconds, type Place, peakMb, type Served, serveMohur, sleep } from './processes.ts'
import { STORES, type StoreName, withStore } from './stores.ts'

const DUE = 100_000
const MERCHANTS = 10
const YEARLY = 1_000
const CYCLES = 12
const DAY_MS = 86_400_000
const AHEAD_DAYS = 40
const LOOK_MS = 100
const BEFORE_MS = 1_500 // the clock is set this long before the instant, and goes on by itself

const NOTICES_BAR = 3_000
interface Bars {
  debited: number
  received: number
}
const BARS: Readonly<Record<StoreName, Bars>> = {
  sqlite: { debited: 3_000, received: 1_800 },
  postgres: { debited: 1_200, received: 700 },
}

export async function renewals({ checkout, orders = DUE, stores }: Options): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const store of stores) {
    await withStore(store, async ({ newPlace }) => {
      figures.push(...(await aDay({ ...(await newPlace()), checkout }, store, orders)))
      figures.push(...(await unreported({ ...(await newPlace()), checkout }, store, Math.max(1_000, Math.floor(orders / 10)))))
      for (const isNotified of [false, true])
        figures.push(await aYear({ ...(await newPlace()), checkout }, store, Math.min(YEARLY, orders), isNotified))
    })
  }
  return figures
}

// ------------------------------------------------------------------------------------------------------------- one day

/** In business time, except `cpuMicros` and `peakMb`. */
interface Day {
  noticesAt: number
  noticed: readonly number[]
  debitsAt: number
  booked: readonly number[]
  receivedAt: number
  cpuMicros: number
  peakMb: number
}

export async function aDay(place: Place, store: StoreName, count: number): Promise<Figure[]> {
  const hosts = await receivers()
  const mandates = mandatesOf(count, MERCHANTS, hosts.urlOf)
  await makeMandates(place, mandates)
  const served = await serveMohur(place, billers(mandates))
  const books = beside(place)
  try {
    const debitsAt = firstTryAt({ from: mandates.dueDate, to: mandates.dueDate })
    const noticesAt = noticeAt(debitsAt)
    await passing(served, noticesAt, () => books.isDone(noticesAt + DAY_MS))
    const noticed = await books.times("select answered_at as at from notices where status = 'SUCCESS'")
    await hosts.received(count)
    const cpuBefore = cpuSeconds(served.pid)
    await passing(served, debitsAt, () => books.isDone(debitsAt + DAY_MS))
    const booked = await books.times("select updated_at as at from collections where status = 'COLLECTED'")
    const receivedAt = (await hosts.received(2 * count)) + (await aheadMs(served))
    const cpuMicros = ((cpuSeconds(served.pid) - cpuBefore) / count) * 1e6
    requireAll(noticed, count, 'noticed')
    requireAll(booked, count, 'collected')
    await passed(async () => (await books.times("select created_at as at from notifications where status = 'OPEN' limit 1")).length === 0)
    requireAll(await books.times("select created_at as at from notifications where status = 'DELIVERED'"), 2 * count, 'told')
    return dayInFigures(store, { noticesAt, noticed, debitsAt, booked, receivedAt, cpuMicros, peakMb: peakMb(served.pid) })
  } finally {
    await served.stop()
    await books.close()
    hosts.close()
  }
}

function dayInFigures(store: StoreName, { noticesAt, noticed, debitsAt, booked, receivedAt, cpuMicros, peakMb }: Day): Figure[] {
  const count = booked.length
  const rate = (since: number, until: number) => ({ figure: count / ((until - since) / 1_000), unit: 'per second' as const })
  const tenth = Math.floor(count / 10)
  const took = (from: number) => booked[from + tenth - 1]! - booked[from]!
  const named = (what: string) => ({ what: `${count.toLocaleString('en')} renewals due, ${STORES[store]}: ${what}` })
  const { debited, received } = BARS[store]
  return [
    { ...named('notices given'), ...rate(noticesAt, noticed.at(-1)!), bar: { atLeast: NOTICES_BAR } },
    { ...named('debited, booked, notification committed'), ...rate(debitsAt, booked.at(-1)!), bar: { atLeast: debited } },
    { ...named('until the last was received'), ...rate(debitsAt, receivedAt), bar: { atLeast: received } },
    { ...named('rate of the last tenth ÷ of the first'), figure: took(0) / took(count - tenth), unit: 'ratio', bar: { atLeast: 0.8 } },
    { ...named('the service’s processor time for one, its delivery included'), figure: cpuMicros, unit: 'µs' },
    { ...named('most memory (resident)'), figure: peakMb, unit: 'MB', bar: { atMost: 350 } },
  ]
}

function mandatesOf(count: number, merchants: number, urlOf?: Mandates['urlOf']): Mandates {
  const now = Date.now()
  return { count, merchants, dueDate: dateInIndia(now + AHEAD_DAYS * DAY_MS), consentedAt: now, ...(urlOf && { urlOf }) }
}

/** Business time goes on from shortly before an instant, as it would on that day. */
async function passing(served: Served, instant: number, isDone: () => Promise<boolean>) {
  await advance(served, instant - BEFORE_MS)
  await passed(isDone)
}
async function passed(isDone: () => Promise<boolean>) {
  await sleep(BEFORE_MS + LOOK_MS)
  while (!(await isDone())) await sleep(LOOK_MS)
}

/** Without `fetch`, which times out after five minutes: on a slow or busy machine a year takes longer. */
async function advance({ port }: Served, to: number) {
  const headers = { 'content-type': 'application/json' }
  const asked = request({ host: '127.0.0.1', port, path: '/sandbox/clock', method: 'POST', headers })
  asked.end(JSON.stringify({ to: new Date(to).toISOString() }))
  const [reply] = (await once(asked, 'response')) as [IncomingMessage]
  const said = await text(reply)
  if (reply.statusCode !== 200) throw new Error(said)
}

/** How far business time is ahead. */
async function aheadMs({ port }: Served): Promise<number> {
  const reply = await fetch(`http://127.0.0.1:${port}/sandbox/clock`)
  return Date.parse(((await reply.json()) as { now: string }).now) - Date.now()
}

function requireAll(times: readonly number[], count: number, what: string) {
  if (times.length !== count) throw new Error(`${times.length} of ${count} were ${what}`)
}

/** Queries beside the service. */
function beside({ folder, databaseUrl }: Place) {
  const database = databaseUrl ? openPostgres(databaseUrl, { readOnly: true }) : openSqliteBeside(join(folder, 'mohur.sqlite'))
  const rows = async <R>(statement: string) => (await sql.raw<R>(statement).execute(database.reader)).rows
  return {
    isDone: async (before: number) => (await rows(`select 1 from collections where next_at <= ${before} limit 1`)).length === 0,
    times: async (statement: string) => (await rows<{ at: number }>(statement)).map(({ at }) => Number(at)).sort((a, b) => a - b),
    close: () => database.close(),
  }
}

/** One host for each merchant, all of them this process. They accept every post. */
async function receivers() {
  let [count, lastAt] = [0, 0]
  let awaited = { count: Number.POSITIVE_INFINITY, resolve: (_: number) => {} }
  const server = createServer((request, reply) => {
    request.resume().on('end', () => {
      reply.end()
      lastAt = Date.now()
      if (++count >= awaited.count) awaited.resolve(lastAt)
    })
  }).listen(0, '0.0.0.0') // every address of the loopback network is this machine
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    urlOf: (merchant: number) => `http://127.0.1.${1 + merchant}:${port}/notify`,
    received: (wanted: number) =>
      new Promise<number>((resolve) => {
        awaited = { count: wanted, resolve }
        if (count >= wanted) resolve(lastAt)
      }),
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

// ------------------------------------------------------------------------------------- commits, and a year by one call

/** Without endpoints, so without deliveries. */
export async function unreported(place: Place, store: StoreName, count: number): Promise<Figure[]> {
  const mandates = mandatesOf(count, MERCHANTS)
  await makeMandates(place, mandates)
  const served = await serveMohur(place, billers(mandates))
  const books = beside(place)
  try {
    const debitsAt = firstTryAt({ from: mandates.dueDate, to: mandates.dueDate })
    const noticing = await spent(served, () => advance(served, debitsAt - BEFORE_MS))
    const debiting = await spent(served, () => passed(() => books.isDone(debitsAt + DAY_MS)))
    requireAll(await books.times("select updated_at as at from collections where status = 'COLLECTED'"), count, 'collected')
    const what = `${count.toLocaleString('en')} renewals, nobody told, ${STORES[store]}`
    return [
      { what: `${what}: commits for 1,000`, figure: debiting.commits / (count / 1_000), unit: '', bar: { atMost: 20 } },
      { what: `${what}: the service’s processor time for a notice`, figure: noticing.cpuMicros / count, unit: 'µs' },
      { what: `${what}: the service’s processor time for a renewal`, figure: debiting.cpuMicros / count, unit: 'µs' },
    ]
  } finally {
    await served.stop()
    await books.close()
  }
}

/** The service's commits and processor time during `work`. */
async function spent(served: Served, work: () => Promise<void>) {
  const look = async () => ({ commits: await batches(served), cpuMicros: cpuSeconds(served.pid) * 1e6 })
  const before = await look()
  await work()
  const after = await look()
  return { commits: after.commits - before.commits, cpuMicros: after.cpuMicros - before.cpuMicros }
}

async function batches({ port }: Served): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return Number(/^mohur_batch_size_count (\d+)$/m.exec(metrics)![1])
}

export async function aYear(place: Place, store: StoreName, count: number, isNotified: boolean): Promise<Figure> {
  const hosts = isNotified ? await receivers() : undefined
  const mandates = mandatesOf(count, 1, hosts?.urlOf)
  await makeMandates(place, mandates)
  const served = await serveMohur(place, billers(mandates))
  const books = beside(place)
  try {
    const last = collectionDate(scheduleOf(mandates), CYCLES - 1)!
    const began = performance.now()
    await advance(served, dayBegins(last) + DAY_MS)
    const seconds = (performance.now() - began) / 1_000
    const collected = await books.times("select updated_at as at from collections where status = 'COLLECTED'")
    requireAll(collected, CYCLES * count, 'collected')
    const reported = await books.times("select created_at as at from notifications where status = 'DELIVERED'")
    if (isNotified && reported.length < 2 * CYCLES * count) throw new Error(`${reported.length} notifications were delivered`)
    const what = `${count.toLocaleString('en')} mandates × ${CYCLES} months by one clock call, ${STORES[store]}, ${isNotified ? 'one endpoint' : 'nobody told'}`
    return { what, figure: seconds, unit: 's', bar: { atMost: isNotified ? 20 : 8 } }
  } finally {
    await served.stop()
    await books.close()
    hosts?.close()
  }
}
