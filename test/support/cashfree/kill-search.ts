// Kills a served process while its calls to Cashfree's simulator are under way. Each process dies at the call that its seed names: before
// the call's work, after it, or just when the answer comes. Or the call arrives after the death. The next process finds out what became of
// the payments.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { customerIdOf } from '../../../src/adapters/acquirer/cashfree/ids.ts'
import { openPostgres, openSqlite } from '../../../src/adapters/store/database.ts'
import { verify } from '../../../src/verify/verify.ts'
import { openPage, Visitor } from '../pages/pages.ts'
import { createOrder, type Order, pay, statusOf } from '../paying/paying.ts'
import { refund } from '../paying/refunds.ts'
import { type ServedProcess, serveProcess } from '../run/process.ts'
import { MID, type Service, type StoreName } from '../run/service.ts'
import { spokenTo } from '../run/spoken-to.ts'
import { sharedPostgres } from '../store/postgres.ts'
import { Random } from '../text/random.ts'
import { accountAt, meansFor, WEBHOOK } from './account.ts'
import { type BookedPayment, type Compared, compareBooks, nothingCompared } from './books.ts'
import { callName, TARGETS } from './calls.ts'
import { CashfreeSimulator, type Fault, type SimulatedOrder } from './simulator.ts'

const [MINUTE, HOUR] = [60_000, 3_600_000]
const PRELOAD = new URL('../run/set-clock.mjs', import.meta.url).href
const LOOKED_MS = 50 // within which a process sees that its clock was set
const AT_ONCE = 28 // payments whose calls one kill meets: two for each target
const POLL_MS = 100
const BEGIN_POLLS_MAX = 600 // until each payment has begun, on a busy machine too
const QUIET_POLLS = 25 // without a call, after which the schedule has nothing more to do
const JUMPS_MS = [3 * MINUTE, 12 * MINUTE, HOUR, 5 * HOUR] // until the schedule has asked about each payment and refund
const DEAD_FOR_MS = 2 * MINUTE // longer than a lease
const GIVEN_BACK_WITHIN_MS = 72 * HOUR // after the payment; Cashfree keeps to it in this search
const SETTLES_MS = [10 * MINUTE, HOUR, 3 * HOUR, 73 * HOUR, 96 * HOUR, 96 * HOUR, 96 * HOUR, 96 * HOUR]
/** A refund of a late payment may fail once. The service then learns it, refunds again a day later, and learns that too: a move each. */
const FAILS_UNTIL = SETTLES_MS.length - 3

/** Where a call is when the process dies. */
export const SIDES = ['before its work', 'after its work', 'as its answer comes', 'and it arrives later'] as const
type Side = (typeof SIDES)[number]
const FAULTS: Record<Side, Fault> = {
  'before its work': { when: 'before', how: 'silence' },
  'after its work': { when: 'after', how: 'silence' },
  'as its answer comes': { when: 'after', how: 'stop' },
  'and it arrives later': { when: 'before', how: 'stop' },
}

export interface KillFigures extends Compared {
  lives: number
  processes: number
  /** Lives whose call was under way at the kill, by call and side. */
  killed: Record<string, number>
  sides: Record<string, number>
  /** What `mohur verify` finds. */
  breaches: string[]
}

interface Life {
  seed: number
  orderId: string
  custId: string
  focus: (typeof TARGETS)[number]['focus']
  call: string
  side: Side
  random: Random
  /** Its order at the simulator, once the first call has named it. */
  id: string
  isLost: boolean
  isParked: boolean
  isBegun: boolean
}

interface World {
  store: StoreName
  folder: string
  databaseUrl: string
  bank: CashfreeSimulator
  clock: { setByMs: number }
  figures: KillFigures
}

export async function killSearch(store: StoreName, from: number, lives: number): Promise<KillFigures> {
  const clock = { setByMs: 0 }
  const bank = await CashfreeSimulator.start({ now: () => Date.now() + clock.setByMs })
  const folder = mkdtempSync(join(tmpdir(), 'mohur-cashfree-kills-'))
  const databaseUrl = store === 'postgres' ? await (await sharedPostgres()).createDatabase() : ''
  const figures: KillFigures = { lives, processes: 0, killed: {}, sides: {}, breaches: [], ...nothingCompared() }
  const world = { store, folder, databaseUrl, bank, clock, figures }
  try {
    let before: Life[] = []
    for (let seed = from; seed < from + lives; seed += AT_ONCE) {
      const batch = Array.from({ length: Math.min(AT_ONCE, from + lives - seed) }, (_, at) => lifeOf(seed + at))
      before = await round(world, before, batch)
    }
    await round(world, before, [])
    for (const payment of await payments(world)) compareBooks(bank, payment, figures)
    return figures
  } finally {
    await bank.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

function lifeOf(seed: number): Life {
  const random = new Random(seed)
  const { focus, call } = TARGETS[seed % TARGETS.length]!
  const side = SIDES[Math.floor(seed / TARGETS.length) % SIDES.length]!
  const none = { id: '', isLost: false, isParked: false, isBegun: false }
  return { seed, orderId: `KILL${seed}`, custId: `CUST_${seed}`, focus, call, side, random, ...none }
}

/** One process finds out about the payments before it, begins its own, and is killed while their calls are under way. */
async function round(world: World, before: readonly Life[], batch: Life[]): Promise<Life[]> {
  const { figures, bank } = world
  move(world, DEAD_FOR_MS)
  const served = await serve(world)
  figures.processes++
  try {
    await settle(world, served, before)
    const answers = Promise.withResolvers<void>()
    const arrivals = Promise.withResolvers<void>()
    plant(bank, batch, { answers: answers.promise, arrivals: arrivals.promise })
    const underWay = batch.map((life) => begin(world, spokenTo(served.url), life))
    await untilParked(world, batch)
    answers.resolve()
    await sleep(batch[0]?.random.below(4) ?? 0)
    await served.kill('SIGKILL')
    arrivals.resolve()
    await Promise.all(underWay)
  } finally {
    await served.kill('SIGKILL')
    bank.plants = () => undefined
  }
  for (const { focus, call, side } of batch.filter(({ isParked }) => isParked)) {
    const name = `${focus}: ${call}`
    figures.killed[name] = (figures.killed[name] ?? 0) + 1
    figures.sides[side] = (figures.sides[side] ?? 0) + 1
  }
  const verdicts = await verify({ dataFolder: world.folder, databaseUrl: world.databaseUrl || undefined })
  figures.breaches.push(...verdicts.filter(({ breaches }) => breaches > 0).map(({ id }) => id))
  return batch
}

const serve = ({ folder, databaseUrl, bank }: World) =>
  serveProcess({
    MOHUR_DATA: folder,
    DATABASE_URL: databaseUrl,
    MOHUR_LOG: 'silent',
    MOHUR_MASTER_KEY: Buffer.alloc(32, 3).toString('base64'),
    MOHUR_TEST_CLOCK: join(folder, 'clock'),
    NODE_OPTIONS: `--import=${PRELOAD}`,
    ...accountAt(bank.url),
  })

function move({ folder, clock }: World, ms: number) {
  clock.setByMs += ms
  writeFileSync(join(folder, 'clock'), String(clock.setByMs))
}

/** Plants the fault of its side at each life's own call. For a closed key, the first call that makes its order is lost. */
function plant(bank: CashfreeSimulator, batch: readonly Life[], until: { answers: Promise<void>; arrivals: Promise<void> }) {
  let stopsFor = until.arrivals
  bank.refundBegins = 'PENDING'
  bank.onStop = () => stopsFor
  bank.plants = (method, path, body) => {
    const life = whose(bank, batch, path, body)
    if (!life || life.isParked) return undefined
    const call = callName(method, path)
    if (life.focus === 'closedKey' && !life.isLost) {
      life.isLost = call === 'POST /orders'
      return life.isLost ? { when: 'before', how: 'break' } : undefined
    }
    if (call !== life.call) return undefined
    life.isParked = true
    stopsFor = life.side === 'as its answer comes' ? until.answers : until.arrivals
    return FAULTS[life.side]
  }
}

function whose(bank: CashfreeSimulator, batch: readonly Life[], path: string, body: Record<string, unknown> | undefined) {
  const session = body?.['payment_session_id']
  const id = /m[\w-]{43}/.exec(path)?.[0] ?? body?.['order_id'] ?? [...bank.orders.values()].find((order) => order.session === session)?.id
  const { customer_id: customer } = (body?.['customer_details'] ?? {}) as { customer_id?: string }
  const life = batch.find((each) => each.id === id || (each.id === '' && customerIdOf(MID, each.custId) === customer))
  if (life && typeof id === 'string') life.id = id
  return life
}

/** The schedule of status inquiries follows the clock. So the clock jumps until each call is reached, once every payment has begun. */
async function untilParked(world: World, batch: readonly Life[]) {
  const { recorded } = world.bank
  for (let polls = 0; polls < BEGIN_POLLS_MAX && batch.some(({ isParked, isBegun }) => !isParked && !isBegun); polls++) await sleep(POLL_MS)
  for (const ms of JUMPS_MS) {
    if (batch.every(({ isParked }) => isParked)) return
    move(world, ms)
    for (let quiet = 0, calls = recorded.length; quiet < QUIET_POLLS && batch.some(({ isParked }) => !isParked); quiet++) {
      await sleep(POLL_MS)
      if (recorded.length > calls) [quiet, calls] = [0, recorded.length]
    }
  }
}

/** The process may die during these calls. */
async function begin(world: World, service: Service, life: Life): Promise<void> {
  await live(world, service, life).catch(() => {})
  life.isBegun = true
}

/** From Create Order to the call at which the process dies. */
async function live({ bank }: World, service: Service, life: Life): Promise<void> {
  const { orderId, random, focus, call } = life
  const amountPaise = random.pick([100, 10_000 + random.below(100_000), 100_000_000])
  const userInfo = { custId: life.custId, mobile: '9876543210' }
  const order = await createOrder(service, orderId, { userInfo, txnAmount: { value: rupees(amountPaise), currency: 'INR' } })
  const page = await openPage(service, order)
  await pay(service, order, random.pick(meansFor(amountPaise)))
  if (life.id === '' || life.isParked || focus === 'closedKey') return
  if (focus === 'cancel') return void (await cancel(service, page, bank, life))
  if (focus === 'refund') return giveBack(service, order, bank, life, amountPaise)
  if (call === 'GET /orders/{order}/refunds') {
    await cancel(service, page, bank, life)
    bank.settle(life.id, 'SUCCESS')
  } else bank.settle(life.id, call.startsWith('PATCH') ? 'FAILED' : random.pick(['SUCCESS', 'FAILED']))
  await webhook(service, bank, life)
}

/** The payer presses "Pay another way", and may approve all the same. */
async function cancel(service: Service, page: string, bank: CashfreeSimulator, { id, random }: Life) {
  const status = random.pick(['PENDING', 'NOT_ATTEMPTED', 'SUCCESS', 'USER_DROPPED'] as const)
  if (status !== 'PENDING') bank.settle(id, status)
  const visitor = new Visitor(service, page)
  await visitor.look()
  await visitor.send('/cancel')
}

async function giveBack(service: Service, order: Order, bank: CashfreeSimulator, { id, random }: Life, amountPaise: number) {
  bank.settle(id, 'SUCCESS')
  await webhook(service, bank, { id })
  for (let polls = 0; polls < BEGIN_POLLS_MAX; polls++) {
    const { body } = await statusOf(service, order)
    if (body.resultInfo.resultStatus === 'TXN_SUCCESS') {
      const paise = random.pick([amountPaise, Math.ceil(amountPaise / 3)])
      return void (await refund(service, { ...order, txnId: body.txnId }, `R-${order.orderId}`, rupees(paise)))
    }
    await sleep(POLL_MS)
  }
}

const rupees = (paise: number) => (paise / 100).toFixed(2)

async function webhook({ url }: Service, bank: CashfreeSimulator, { id }: Pick<Life, 'id'>) {
  const { headers, body } = bank.webhook(id)
  await fetch(url + WEBHOOK, { method: 'POST', headers, body })
}

/** Payers decide, Cashfree gives late payments back, refunds end, and nineteen days pass. */
async function settle(world: World, { url }: ServedProcess, lives: readonly Life[]) {
  const { bank } = world
  if (lives.length === 0) return
  for (const [at, ms] of SETTLES_MS.entries()) {
    for (const { id, random } of lives) {
      const order = bank.orders.get(id)
      for (const payment of order?.payments ?? [])
        if (payment.status === 'PENDING' || payment.status === 'NOT_ATTEMPTED') bank.settle(id, random.pick(['SUCCESS', 'FAILED']), payment)
      if (order && isReturned(world, order) && random.below(2) === 0) bank.giveBack(id)
    }
    move(world, ms)
    await sleep(LOOKED_MS)
    const moved = await fetch(`${url}/sandbox/clock`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ advance: 'PT1S' }),
    })
    if (moved.status !== 200) throw new Error(`the clock did not move: ${await moved.text()}`)
    for (const { id, random } of lives)
      for (const each of bank.orders.get(id)?.refunds ?? [])
        if (each.status === 'PENDING') each.status = random.below(6) === 0 && at < FAILS_UNTIL ? 'FAILED' : 'SUCCESS'
  }
}

/** Cashfree gives a payment after an order's end back within 72 hours, or never. */
const isReturned = ({ clock }: World, { status, payments, refunds }: SimulatedOrder) =>
  status !== 'PAID' &&
  refunds.length === 0 &&
  payments.some((each) => each.status === 'SUCCESS' && Date.now() + clock.setByMs - each.completedAt! < GIVEN_BACK_WITHIN_MS)

async function payments({ store, folder, databaseUrl }: World): Promise<BookedPayment[]> {
  const database = store === 'postgres' ? openPostgres(databaseUrl) : openSqlite(join(folder, 'mohur.sqlite'))
  try {
    const { rows } = await sql<BookedPayment>`select txn_id as "txnId", status, captured_paise as "capturedPaise",
      refunded_paise as "refundedPaise", returned_paise as "returnedPaise" from transactions`.execute(database.writer)
    return rows
  } finally {
    await database.close()
  }
}
