// Staff send a thousand dead notifications of ten merchants again, in one action of the console. Measures the action and the orders beside
// it, until the last notification has come.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Vault } from '../src/adapters/store/vault.ts'
import { SystemClock } from '../src/engine/clock.ts'
import type { Change } from '../src/engine/decision.ts'
import { Engine } from '../src/engine/engine.ts'
import { SystemRandom } from '../src/engine/random.ts'
import { merchantKey } from '../src/tables/keys.ts'
import { find } from '../src/tables/tables.ts'
import { type Person, personOf } from '../test/support/console/desk.ts'
import { deadRows } from '../test/support/notifications/dead.ts'
import type { Figure, Options } from './bench.ts'
import { openStore } from './fill.ts'
import { latency, median } from './numbers.ts'
import { CREATES_PER_SECOND, createTimes } from './open-loop.ts'
import { MASTER_KEY, type Place, type Served, serveMohur, sleep } from './processes.ts'
import { MID } from './requests.ts'
import { STORES, withStore } from './stores.ts'

const [MERCHANTS, SEEN] = [10, 8]
const PER_MERCHANT = 125
const IN_SCOPE = SEEN * PER_MERCHANT // the most of one action: docs/console.md
const ROUNDS = 5
const BEGINS_AFTER_MS = 2_000 // of the orders
const DAY_MS = 24 * 60 * 60_000
const mids = Array.from({ length: MERCHANTS }, (_, at) => `RESENT${at}`)

export async function resent({ checkout, stores, rounds = ROUNDS }: Options): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const store of stores)
    await withStore(store, async ({ newPlace }) => {
      const receiver = await startReceiver()
      const place = { ...(await newPlace()), checkout }
      const planted = await plant(place, receiver.url, rounds)
      const served = await serveMohur(place)
      const measured = await roundsOf(served, planted, { receiver, rounds })
      await served.stop()
      receiver.close()
      const audited = await auditedIn(place, planted.person)
      // The middle round, because the machine itself has slow moments.
      const middle = measured.toSorted((a, b) => a.beside / a.alone - b.beside / b.alone)[Math.floor(rounds / 2)]!
      const name = STORES[store]
      figures.push(
        {
          ...{ what: `dead notifications sent again in one action, ${name}`, figure: measured[0]!.revived, unit: '' },
          bar: { atLeast: IN_SCOPE, atMost: IN_SCOPE },
        },
        { what: `audit rows − revived, ${name}`, figure: audited - IN_SCOPE * rounds, unit: '', bar: { atLeast: 0, atMost: 0 } },
        { what: `until the action is answered, ${name}`, figure: median(measured.map(({ actionMs }) => actionMs)), unit: 'ms' },
        { what: `until all have come, ${name}`, figure: median(measured.map(({ comeMs }) => comeMs)), unit: 'ms' },
        { what: `create at ${CREATES_PER_SECOND} a second, ${name}: p99 alone`, figure: middle.alone, unit: 'ms' },
        {
          ...{ what: `the same beside the action, ${name}: p99 ÷ alone`, figure: middle.beside / middle.alone, unit: 'ratio' },
          bar: { atMost: 1.3 },
        },
      )
    })
  return figures
}

async function startReceiver() {
  let came = 0
  const server = createServer((request, reply) => {
    request.resume().on('end', () => {
      came++
      reply.end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    came: () => came,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

interface Planted {
  person: Person
  /** When the streams of the first round died. Each other round's died a day later. */
  from: number
}

async function plant(place: Place, url: string, rounds: number): Promise<Planted> {
  const first = await serveMohur(place) // the demo world, whose merchant is the model of the others
  await first.stop()
  const vault = new Vault(Buffer.from(MASTER_KEY, 'base64'))
  const store = await openStore(place)
  const like = (await store.query.row(merchantKey(MID)))!
  const from = Date.now() - rounds * DAY_MS
  const merchants = mids.map(
    (mid) => ({ kind: 'insert', key: merchantKey(mid), row: { ...like, mid, notification: { url, form: 'json', secret: '' } } }) as Change,
  )
  const streams = mids.flatMap((mid) =>
    Array.from({ length: PER_MERCHANT * rounds }, (_, at) =>
      deadRows({ mid, orderId: `DEAD${at}`, url, now: from + Math.floor(at / PER_MERCHANT) * DAY_MS }),
    ).flat(),
  )
  await store.transaction((transaction) => transaction.write({ changes: [...merchants, ...streams], events: [], tasks: [] }))
  const [clock, fresh] = [new SystemClock(), new SystemRandom()]
  const ports = { engine: new Engine(store, clock, fresh), query: store.query, clock, fresh, vault }
  const person = await personOf({ ports } as never, ['operations'], mids.slice(0, SEEN))
  await store.close()
  return { person, from }
}

interface Round {
  revived: number
  actionMs: number
  comeMs: number
  alone: number
  beside: number
}

async function roundsOf(
  { port }: Served,
  { person, from }: Planted,
  { receiver, rounds }: { receiver: Awaited<ReturnType<typeof startReceiver>>; rounds: number },
): Promise<Round[]> {
  const measured: Round[] = []
  for (let round = 0; round < rounds; round++) {
    const alone = await createTimes(port, `ALONE${round}`)
    const before = receiver.came()
    const orders = createTimes(port, `BESIDE${round}`)
    await sleep(BEGINS_AFTER_MS)
    const began = performance.now()
    const revived = await resendAll(port, person, from + round * DAY_MS)
    const actionMs = performance.now() - began
    while (receiver.came() - before < revived) await sleep(10)
    const comeMs = performance.now() - began
    const beside = await orders
    const within = (ms: readonly number[]) => {
      const first = (BEGINS_AFTER_MS * CREATES_PER_SECOND) / 1_000
      return latency(ms.slice(first, first + Math.ceil((comeMs * CREATES_PER_SECOND) / 1_000))).p99Ms
    }
    measured.push({ revived, actionMs, comeMs, alone: within(alone), beside: within(beside) })
  }
  return measured
}

/** The action of a page that shows the streams that died at this time. */
async function resendAll(port: number, { cookie, token }: Person, diedAt: number): Promise<number> {
  const minute = new Date(diedAt + 330 * 60_000).toISOString().slice(0, 16)
  const form = { token, reason: 'their servers are back', from: minute, to: minute, shown: String(Date.now()) }
  const answer = await fetch(`http://127.0.0.1:${port}/console/notifications/resend`, {
    method: 'POST',
    headers: {
      ...{ cookie: `console=${cookie}`, 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' },
    },
    body: new URLSearchParams(form).toString(),
  })
  const text = await answer.text()
  const revived = /sent again: (\d+)\./.exec(text)?.[1]
  if (revived === undefined) throw new Error(`the action was answered with ${answer.status}: ${text}`)
  return Number(revived)
}

async function auditedIn(place: Place, { operatorId }: Person): Promise<number> {
  const store = await openStore(place)
  const rows = await store.query.rows(find('auditLog', { equals: { operatorId }, orderBy: ['auditId'], limit: 100_000 }))
  await store.close()
  return rows.filter(({ action, outcome }) => action === 'notification.resend' && outcome === 'revived').length
}
