// Lives of one order at Cashfree's simulator. Each life has a call that meets a fault, and other calls may meet one. Between the calls the
// payer decides, cancels and pays again, the merchant refunds, and time passes. Each answer is held against the simulator, and at the end
// both books are compared.

import { applyTransactionResult } from '../../../src/domain/transaction/apply-transaction-result.ts'
import { isInFlight } from '../../../src/domain/transaction/transaction.ts'
import { cancelAttempt } from '../../../src/flows/cancel-payment.ts'
import { orderKey, transactionsOfOrder } from '../../../src/tables/keys.ts'
import { createOrder, type Order, pay, statusOf } from '../paying/paying.ts'
import { refund } from '../paying/refunds.ts'
import { MID, type Service } from '../run/service.ts'
import { Random } from '../text/random.ts'
import { idOf, meansFor, PAYER, WEBHOOK } from './account.ts'
import { type Compared, compareBooks, nothingCompared } from './books.ts'
import { callName, type Focus, TARGETS } from './calls.ts'
import type { HeldAnswers } from './held-answers.ts'
import type { CashfreeSimulator, Fault, PaymentStatus, SimulatedOrder } from './simulator.ts'

const [MINUTE, HOUR] = [60_000, 3_600_000]
const DEADLINE_MS = 15_000
const STEPS = 9
const FAULTS_MAX = 5
const AHEAD_RATE = 0.05 // of faults before the target call of a life
const STEP_MS = [0, 0, 30_000, 90_000, 3 * MINUTE, 12 * MINUTE, 35 * MINUTE, 70 * MINUTE, 5 * HOUR]
const GIVEN_BACK_WITHIN_MS = 72 * HOUR // after the payment; Cashfree keeps to it in this search
const SETTLES_MS = [10 * MINUTE, 3 * HOUR, 73 * HOUR, 96 * HOUR, 96 * HOUR]

const either = <T>(random: Random, one: T, other: T) => random.pick([one, other])
const sides = ['before', 'after'] as const
const faults = {
  'answer lost': () => ({ when: 'after', how: 'break' }),
  'status 400': () => ({ when: 'before', status: 400 }),
  'not reached': () => ({ when: 'before', how: 'break' }),
  'arrives late': (random) => ({ when: 'late', how: either(random, 'break', 'silence') }),
  silence: (random) => ({ when: random.pick(sides), how: 'silence' }),
  'status 500': (random) => ({ when: random.pick(sides), status: random.pick([500, 502]) }),
  'status 429': () => ({ when: 'before', status: 429, headers: { 'x-ratelimit-retry': '20' } }),
  'status 401': () => ({ when: 'before', status: 401 }),
  'a page': (random) => ({ when: random.pick(sides), status: 200, body: '<h1>OK</h1>', type: 'text/html' }),
  'half a body': () => ({ when: 'after', how: 'half' }),
  'stopped for five minutes': (random) => ({ when: random.pick(sides), how: 'stop' }),
} as const satisfies Record<string, (random: Random) => Fault>
export type FaultKind = keyof typeof faults
export const KINDS = Object.keys(faults) as FaultKind[]
const OF_A_CLOSED_KEY = ['not reached', 'arrives late', 'arrives late', 'silence', 'stopped for five minutes'] as const

export interface Life extends Compared {
  faults: Record<string, number>
  /** The faulted calls, by the focus of their life. */
  calls: Record<string, number>
  cancelled: number
  /** Repeated calls, and amounts that the simulator showed wrong for a time. */
  repeated: number
  misread: number
}
export const emptyLife = (): Life => ({ faults: {}, calls: {}, cancelled: 0, repeated: 0, misread: 0, ...nothingCompared() })

interface World {
  service: Service
  bank: CashfreeSimulator
  random: Random
  order: Order
  life: Life
  held: HeldAnswers
  deadlines: Set<() => void>
  isDraining: boolean
  truths: Map<string, string>
  refunds: number
  amountPaise: number
  /** After how many more calls the payer approves. */
  approvesAfter: number | undefined
}

/** The test fires the deadlines of calls to Cashfree, and no other timer. The caller ends what this returns. */
export function watchDeadlines(): { deadlines: Set<() => void>; end(): void } {
  const real = globalThis.setTimeout
  const deadlines = new Set<() => void>()
  const watched = (work: () => void, ms?: number, ...rest: []) => {
    if (!String(work).includes('there was no answer in time')) return real(work, ms, ...rest)
    deadlines.add(work)
    if (deadlines.size > 100) deadlines.delete(deadlines.values().next().value!)
    return real(() => {
      deadlines.delete(work)
      work()
    }, ms)
  }
  globalThis.setTimeout = Object.assign(watched, real) as typeof setTimeout
  return {
    deadlines,
    end() {
      globalThis.setTimeout = real
    },
  }
}

const shift = ({ service: { clock } }: World, ms: number) => {
  clock.set(ms)
  clock.pass(ms)
}

/** Time passes, and all due work runs. */
async function pass(world: World, ms: number) {
  const { service } = world
  world.isDraining = true
  await service.tasks.advance(service.clock.now() + ms, async (at) => shift(world, Math.max(0, at - service.clock.now())))
  world.isDraining = false
}

function overdue({ deadlines }: World) {
  for (const deadline of [...deadlines]) {
    deadlines.delete(deadline)
    deadline()
  }
}

/** From now on each call to the simulator may meet a fault. */
function plant(world: World, { focus, call: target }: (typeof TARGETS)[number], kindOfTarget: FaultKind) {
  const { bank, random, life } = world
  let isFirst = focus === 'closedKey'
  let isAhead = true
  const rate = random.pick([0.15, 0.3, 0.6])
  let left = 1 + random.below(FAULTS_MAX)
  bank.onSilence = () => {
    shift(world, DEADLINE_MS)
    overdue(world)
  }
  bank.onStop = async () => {
    shift(world, 5 * MINUTE)
    if (!world.isDraining) await inquireBeside(world)
    if (random.below(2) === 0) overdue(world)
  }
  bank.plants = (method, path) => {
    if (world.approvesAfter !== undefined && world.approvesAfter-- === 0) {
      world.approvesAfter = undefined
      decide(world, 'SUCCESS')
    }
    const call = callName(method, path)
    if (world.held.isRepeating) return undefined
    const isTarget = !isFirst && isAhead && call === target
    if (!isFirst && !isTarget && (left === 0 || random.fraction() >= (isAhead ? AHEAD_RATE : rate))) return undefined
    const kind = isTarget ? kindOfTarget : random.pick(isFirst ? OF_A_CLOSED_KEY : KINDS)
    if (isTarget) isAhead = false
    else left--
    isFirst = false
    count(life.faults, kind)
    count(life.calls, `${focus}: ${call}`)
    return faults[kind](random)
  }
}

const count = (sums: Record<string, number>, name: string) => {
  sums[name] = (sums[name] ?? 0) + 1
}

/** Another process takes over from the one that stands still. */
async function inquireBeside(world: World) {
  const { engine, clock, reference, acquirer } = world.service.ports
  for (const { txnId } of (await attemptsOf(world)).filter(isInFlight)) {
    const answer = await acquirer().status(`${MID}:${txnId}`)
    await engine.submit(applyTransactionResult, { mid: MID, txnId, answer, reference, now: clock.now() })
  }
}

const attemptsOf = ({ service, order }: World) => service.ports.query.rows(transactionsOfOrder(MID, order.orderId))
const ordersOf = async (world: World): Promise<SimulatedOrder[]> =>
  (await attemptsOf(world)).flatMap(({ txnId }) => world.bank.orders.get(idOf(txnId)) ?? [])

/** The payer decides each payment of the order that is under way. */
function decide({ bank, truths }: World, status: PaymentStatus) {
  for (const { id, tags, payments } of bank.orders.values())
    for (const payment of payments)
      if (tags['key'] && truths.has(id) && ['PENDING', 'NOT_ATTEMPTED'].includes(payment.status)) bank.settle(id, status, payment)
}

const BEGINS = ['PENDING', 'PENDING', 'PENDING', 'NOT_ATTEMPTED', 'SUCCESS', 'FAILED'] as const

async function begin(world: World, begins: readonly PaymentStatus[] = BEGINS) {
  const { service, bank, random, order, amountPaise } = world
  bank.begins = random.pick(begins)
  await pay(service, order, random.pick(meansFor(amountPaise)))
  bank.begins = 'PENDING'
  for (const order of await ordersOf(world)) {
    if (world.truths.has(order.id)) continue
    world.truths.set(order.id, '')
    if (random.below(8) === 0) misread(world, order)
  }
}

/** For a time the list of payments shows another amount than the order. */
function misread({ random, life }: World, { amount, payments }: SimulatedOrder) {
  if (payments.length > 0) life.misread++
  const other = random.pick([Math.round(amount * 100 + 1) / 100, amount + 1, amount / 2 >= 1 ? Math.floor(amount / 2) : 2])
  for (const payment of payments) payment.more = { order_amount: other, payment_amount: other }
}

async function cancel(world: World) {
  const { service, order, life } = world
  const attempt = (await attemptsOf(world)).at(-1)
  if (!attempt) return
  const became = await cancelAttempt(service.ports, { mid: MID, orderId: order.orderId, attempt: attempt.attempt })
  if (became === 'ended') life.cancelled++
}

async function giveBack(world: World) {
  const { service, order, random, amountPaise } = world
  const paid = (await attemptsOf(world)).find(({ status }) => status === 'SUCCESS')
  if (!paid) return
  const paise = random.pick([amountPaise, Math.ceil(amountPaise / 3), Math.ceil(amountPaise / 7)])
  world.bank.refundBegins = random.pick(['SUCCESS', 'SUCCESS', 'PENDING', 'ONHOLD'] as const)
  await refund(service, { orderId: order.orderId, txnId: paid.txnId }, `R${world.refunds++}-${order.orderId}`, rupees(paise))
  world.bank.refundBegins = 'SUCCESS'
}

const rupees = (paise: number) => (paise / 100).toFixed(2)

async function webhook(world: World) {
  const { bank, service, random } = world
  const ids = [...world.truths.keys()].filter((id) => bank.orders.has(id))
  if (ids.length === 0) return
  const { headers, body } = bank.webhook(random.pick(ids))
  await service.call('POST', WEBHOOK, headers, body)
  await pass(world, 0)
}

/** The payer approves while the service cancels the payment. */
async function race(world: World) {
  world.approvesAfter = world.random.below(5)
  await cancel(world)
}

/** The payer leaves the page, the order expires, and Mohur asks while the bank may still report a success. */
async function expire(world: World) {
  for (const { id, payments } of await ordersOf(world)) if (payments.at(-1)?.status === 'PENDING') world.bank.settle(id, 'NOT_ATTEMPTED')
  await pass(world, 32 * MINUTE)
  await webhook(world)
}

type Step = (world: World) => Promise<void>
const approve: Step = async (world) => decide(world, 'SUCCESS')
const steps: readonly Step[] = [
  approve,
  approve,
  async (world) => decide(world, world.random.pick(['FAILED', 'USER_DROPPED', 'CANCELLED'] as const)),
  async (world) => {
    for (const { id, payments } of await ordersOf(world)) if (payments.at(-1)?.status === 'FAILED') world.bank.settle(id, 'SUCCESS') // transitional
  },
  webhook,
  webhook,
  cancel,
  race,
  giveBack,
  giveBack,
  async (world) => begin(world),
  async ({ bank }) => bank.arrive(),
  expire,
]
/** Steps that a life with this focus takes more often. */
const FOCUS: Record<Focus, readonly Step[]> = {
  payment: [expire, expire],
  cancel: [cancel, race, race, race, approve],
  closedKey: [async (world) => begin(world), webhook],
  refund: [...Array.from({ length: 12 }, () => giveBack)],
}

/** Cashfree returns a payment that came after its order's end: at once, in two steps, or never. It returns none after 72 hours. */
async function returnByThemselves(world: World, chance: number) {
  const { bank, random } = world
  const now = world.service.clock.realNow()
  for (const { id, status, payments, refunds } of await ordersOf(world)) {
    const isRecent = payments.some((each) => each.status === 'SUCCESS' && now - each.completedAt! < GIVEN_BACK_WITHIN_MS)
    if (status === 'PAID' || !isRecent || refunds.length > 0) continue
    if (random.fraction() < chance) bank.giveBack(id, random.pick(['SUCCESS', 'PENDING']))
  }
}

const endRefunds = async (world: World) => {
  for (const { refunds } of await ordersOf(world))
    for (const each of refunds)
      if (each.status === 'PENDING' || each.status === 'ONHOLD')
        each.status = each.type === 'MERCHANT_INITIATED' && world.random.below(4) === 0 ? 'FAILED' : 'SUCCESS'
}

/** An order that was reported paid stays paid. A payment that was reported failed never succeeds. */
async function listen(world: World, told: Map<string, string>) {
  const { body } = await statusOf(world.service, world.order)
  const [id, now] = [String(body.txnId), String(body.resultInfo.resultStatus)]
  const before = told.get(id)
  if ((before === 'TXN_SUCCESS' && now !== before) || (before === 'TXN_FAILURE' && now === 'TXN_SUCCESS'))
    world.life.differ.push(`${id} was ${before}, and is ${now}`)
  if (now !== 'PENDING') told.set(id, now)
  for (const { id: order } of await ordersOf(world)) if (!world.truths.has(order)) world.truths.set(order, '')
}

export interface Lives {
  service: Service
  bank: CashfreeSimulator
  held: HeldAnswers
  deadlines: Set<() => void>
}

export async function cashfreeLife({ service, bank, held, deadlines }: Lives, seed: number): Promise<Life> {
  const random = new Random(seed)
  const target = TARGETS[seed % TARGETS.length]!
  const kind = KINDS[Math.floor(seed / TARGETS.length) % KINDS.length]!
  const amountPaise = random.pick([100, 101 + random.below(1_000), 10_000 + random.below(1_000_000), 100_000_000 + random.below(100)])
  const order = await createOrder(service, `CF${seed}`, { ...PAYER, txnAmount: { value: rupees(amountPaise), currency: 'INR' } })
  const life = emptyLife()
  const world: World = {
    ...{ service, bank, random, order, life, held, deadlines, amountPaise },
    ...{ isDraining: false, truths: new Map(), refunds: 0, approvesAfter: undefined },
  }
  held.isRepeated = () => {
    const isRepeated = random.below(5) === 0
    if (isRepeated) life.repeated++
    return isRepeated
  }
  const told = new Map<string, string>()
  if (target.focus !== 'refund') plant(world, target, kind)
  await begin(world, target.call === 'POST /orders/sessions' ? ['PENDING', 'NOT_ATTEMPTED'] : BEGINS)
  if (target.focus === 'refund') {
    decide(world, 'SUCCESS')
    await webhook(world)
    plant(world, target, kind)
    await giveBack(world)
  }
  if (target.focus === 'payment' && target.call === 'GET /orders/{order}') await expire(world)
  for (let step = 0; step < STEPS; step++) {
    await random.pick([...steps, ...FOCUS[target.focus]])(world)
    await pass(world, random.pick(STEP_MS))
    await returnByThemselves(world, 0.3)
    await listen(world, told)
  }
  bank.plants = () => undefined
  held.isRepeated = () => false
  world.approvesAfter = undefined
  bank.arrive()
  for (const { payments } of await ordersOf(world)) for (const payment of payments) payment.more = {}
  for (const ms of SETTLES_MS) {
    decide(world, random.pick(['SUCCESS', 'FAILED']))
    await returnByThemselves(world, 0.5)
    await pass(world, ms)
    await endRefunds(world)
    await listen(world, told)
  }
  await compare(world)
  life.differ.push(...held.wrong.splice(0))
  return life
}

async function compare(world: World) {
  const { service, order, life, bank } = world
  const attempts = await attemptsOf(world)
  for (const attempt of attempts) compareBooks(bank, attempt, life)
  if (attempts.filter(({ status }) => status === 'SUCCESS').length > 1) life.differ.push('the order was paid twice')
  const row = await service.ports.query.row(orderKey(MID, order.orderId))
  if ((row?.status === 'PAID') !== attempts.some(({ status }) => status === 'SUCCESS')) life.differ.push(`the order is ${row?.status}`)
}
