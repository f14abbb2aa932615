// An order created, and an order created and paid: Mohur on each store beside servers that do less, under one load in alternating rounds.
// Packages that are no dependencies of Mohur go into a temporary folder; a peer whose packages cannot be installed is skipped.

import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Figure, Options } from '../bench.ts'
import type { Load } from '../load.ts'
import { inTurns, type Pair, processorTime, ratioTo } from '../pairs.ts'
import { CHECKOUT, load, newFolder, type Place, payLoad, processorTimes, type Served, serve, serveMohur } from '../processes.ts'
import { STORES, type StoreName, withStore } from '../stores.ts'

const CONNECTIONS = 64
const ORDERS = 20_000
const PAID_PART = 1 / 4 // of the orders of a round
const ROUNDS = 5
const WARM_UP = 2 // rounds that are not counted: the first requests compile the code
const INSTALL_MS = 120_000
const HAND_WRITTEN = 'Fastify + pg by hand'
/** Mohur's rate of paid orders, to that of HAND_WRITTEN. */
const RATE_BAR: Readonly<Record<StoreName, number>> = { sqlite: 1.1, postgres: 0.9 }

interface Contestant {
  name: string
  /** Undefined where nothing is stored. */
  store: StoreName | undefined
  packages?: readonly string[]
  leavesOut: string
  /** What is sent to create; orders are paid only where they can be. */
  creates: Pick<Load, 'kind' | 'expect'>
  pays: boolean
  /** Mohur alone does: its merchant has an endpoint, and the clock stops when the last notification has come. */
  notifies?: true
  start(place: Place & { packages: string }): Promise<Served>
}

const peer = (file: string) => join(CHECKOUT, 'bench/peers', file)
const ORDER = { creates: { kind: 'createOrder', expect: '"0000"' }, pays: true } as const
const BY_HAND = 'bank, ledger, events, notification, idempotency, sealing'

const contestants = ({ checkout }: Options): Contestant[] => [
  ...(['sqlite', 'postgres'] as const).map((store) => ({
    ...({ name: `Mohur, ${STORES[store]}`, store, leavesOut: '–', notifies: true, ...ORDER } as const),
    start: (place: Place) => serveMohur({ ...place, checkout }),
  })),
  {
    ...{ name: 'Fastify + node:sqlite by hand', store: 'sqlite', leavesOut: BY_HAND, ...ORDER },
    start: ({ folder }) => serve(peer('fastify-sqlite.ts'), [folder]),
  },
  {
    ...{ name: HAND_WRITTEN, store: 'postgres', leavesOut: BY_HAND, ...ORDER },
    start: ({ databaseUrl }) => serve(peer('fastify-pg.ts'), [databaseUrl!]),
  },
  {
    ...{ name: 'Express + Sequelize', store: 'postgres', leavesOut: BY_HAND, ...ORDER },
    packages: ['express@5.3.0', 'sequelize@6.37.8', 'pg@8.23.1', 'pg-hstore@2.3.4'],
    start: ({ databaseUrl, packages }) => serve(peer('express-sequelize.ts'), [databaseUrl!, packages]),
  },
  {
    ...{ name: 'stripe-stateful-mock 0.0.16', store: undefined, pays: false },
    packages: ['stripe-stateful-mock@0.0.16'],
    leavesOut: 'store (charges stay in memory), checksum, token, and all those',
    creates: {
      kind: {
        post: ['/v1/charges'],
        form: 'amount=49900&currency=inr&source=tok_visa&metadata[orderId]=ORDER',
        authorization: 'Bearer sk_test_bench',
      },
      expect: '"succeeded"',
    },
    start: ({ packages }) => serve(peer('stripe-mock.ts'), [packages]),
  },
  {
    ...{ name: 'bare node:http', store: undefined, pays: false },
    leavesOut: 'all: it parses the request and echoes it',
    creates: { kind: 'createOrder', expect: '"requestType"' },
    start: () => serve(join(CHECKOUT, 'bench/bare.ts')),
  },
]

interface Timed {
  perSecond: number
  cpuMicros: number
  postgresMicros: number
}
interface Round {
  created: Timed
  paid: Timed | undefined
}
interface Started extends Contestant {
  served: Served
}

export async function peers(options: Options): Promise<Figure[]> {
  const { stores, rounds = ROUNDS, orders = ORDERS } = options
  const chosen = contestants(options).filter(({ store }) => store === undefined || stores.includes(store))
  return withStore(stores.includes('postgres') ? 'postgres' : 'sqlite', async ({ postgres, newPlace }) => {
    const started: Started[] = []
    for (const one of chosen) {
      const packages = await installed(one)
      if (packages === undefined) continue
      const place = one.store === 'postgres' ? await newPlace() : { folder: newFolder() }
      started.push({ ...one, served: await one.start({ ...place, packages }) })
    }
    const measured = await inTurns(
      started,
      WARM_UP + rounds,
      (one, run) => roundOf(one, run, orders, one.store === 'postgres' ? postgres!.dataFolder : undefined),
      (round) => started.map(({ name }, at) => `${name} ${whole(round[at]!.created).toFixed(0)} µs`).join(', '),
    )
    for (const { served } of started) await served.stop()
    return (['created', 'paid'] as const).flatMap((kind) => figuresOf(kind, started, measured.slice(WARM_UP)))
  })
}

async function roundOf(
  { served, creates, pays, notifies }: Started,
  run: string,
  orders: number,
  postgres: string | undefined,
): Promise<Round> {
  const { port, pid } = served
  const times = processorTimes(pid, postgres)
  const { perSecond } = await load({ port, connections: CONNECTIONS, requests: orders, run, ...creates })
  const created = { perSecond, ...times.forOneOf(orders) }
  const paid = Math.ceil(orders * PAID_PART)
  const asked = { port, pid, postgres, connections: CONNECTIONS, orders: paid, run: `P${run}`, order: 'both' } as const
  return { created, paid: pays ? await payLoad({ ...asked, ...(!notifies && { unreported: true }) }) : undefined }
}

const whole = ({ cpuMicros, postgresMicros }: Timed) => cpuMicros + postgresMicros
const rateOf = ({ perSecond }: Timed) => perSecond

function figuresOf(kind: keyof Round, started: readonly Started[], rounds: readonly (readonly Round[])[]): Figure[] {
  const took = rounds.map((round) => round.map((one) => one[kind]))
  const ratios = (at: number, to: number, pick: (of: Timed) => number) => took.map((round) => pick(round[at]!) / pick(round[to]!))
  const byHand = started.findIndex(({ name }) => name === HAND_WRITTEN)
  return started.flatMap(({ name, store, notifies, leavesOut }, at) => {
    if (took.some((round) => round[at] === undefined)) return []
    const pairs = took.map((round): Pair<Timed> => ({ now: round[at]!, before: undefined }))
    const { rate, ...time } = processorTime(`${kind}: ${name}`, pairs)
    const home = started.findIndex((one) => one.notifies && (store === undefined || one.store === store))
    const bar = kind === 'paid' && notifies && byHand >= 0 ? { atLeast: RATE_BAR[store!] } : undefined
    return {
      ...{ ...time, leavesOut },
      ...(!notifies && { ratio: ratioTo(started[home]!.name, ratios(at, home, whole)) }),
      rate: { ...rate!, ...(bar && { ratio: ratioTo(HAND_WRITTEN, ratios(at, byHand, rateOf), bar) }) },
    }
  })
}

/** The folder that has a peer's packages; undefined where they cannot be installed. */
async function installed({ name, packages }: Contestant): Promise<string | undefined> {
  const folder = newFolder()
  if (!packages) return folder
  writeFileSync(join(folder, 'package.json'), '{}')
  try {
    const quietly = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error', '--fetch-retries=0']
    await promisify(execFile)('npm', ['install', ...quietly, ...packages], { cwd: folder, timeout: INSTALL_MS })
    return folder
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string }
    console.error(`  skipped: ${name}: ${stderr?.trim().split('\n')[0] || message}`)
    return undefined
  }
}
