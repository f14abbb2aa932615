// Two minutes after the clocks are right, each order has each of its search terms once (docs/decisions/0013). The clocks were wrong while
// orders came. Draws histories of two processes on one store. The seed is fixed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Vault } from '../../src/adapters/store/vault.ts'
import { placeText, SEARCH_PLACE } from '../../src/domain/order/keep-search-terms.ts'
import type { Clock } from '../../src/engine/clock.ts'
import { type Change, type Looks, operation } from '../../src/engine/decision.ts'
import { Engine } from '../../src/engine/engine.ts'
import { MemoryStore } from '../../src/engine/memory-store.ts'
import { SystemRandom } from '../../src/engine/random.ts'
import type { Store } from '../../src/engine/store.ts'
import { termsIn } from '../../src/flows/search-keys.ts'
import { searchTerms } from '../../src/flows/search-terms-due.ts'
import { createOrder as codes } from '../../src/interface/result-codes.ts'
import { merchantKey, settingKey } from '../../src/tables/keys.ts'
import { type Find, find, type Row, type TableName } from '../../src/tables/tables.ts'
import { onBothStores } from '../support/run/service.ts'
import { sized } from '../support/run/sizes.ts'
import { anOrder } from '../support/store/listed-rows.ts'
import { anyRow } from '../support/store/store-contract.ts'
import { openStore } from '../support/store/stores.ts'
import { plainHash, termsOfNumbered } from '../support/store/terms-kept.ts'
import { Random } from '../support/text/random.ts'

const [HISTORIES, SEED] = [sized(40, 1_000), 20_261_126]
const [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS] = [1_000, 60_000, 3_600_000, 86_400_000]
const BEGAN = Date.parse('2026-06-15T10:00:00+05:30')
const APART_MS = 40 * DAY_MS // of two histories: a day behind what the one before may have dated ahead
const MIDS = ['SHOP1', 'SHOP2', 'SHOP3']
const JUMPS_MS = [-90 * SECOND_MS, -2 * HOUR_MS, DAY_MS, 30 * DAY_MS]

const plant = operation({
  name: 'plant',
  codes,
  reads: (_: { changes: readonly Change[] }) => ({}),
  decide: ({ changes }) => ({ reply: { result: codes.success }, changes, events: [], tasks: [] }),
})

/** Time as it is, which no clock need show. */
interface World {
  at: number
}

class WrongClock implements Clock {
  readonly #world: World
  offsetMs = 0
  constructor(world: World) {
    this.#world = world
  }
  now = () => this.#world.at + this.offsetMs
  realNow = () => this.now()
  elapsed = () => this.#world.at
  sleep = async () => {}
  every = () => () => {}
}

class Process {
  readonly clock: WrongClock
  readonly #store: Store
  readonly #engine: Engine
  readonly #isBusy: () => boolean
  readonly #failed: (error: Error) => void
  #sweep: ReturnType<typeof searchTerms> | undefined

  /** `isBusy`: whether a decision waits, drawn anew each time. */
  constructor(store: Store, world: World, isBusy = () => false, failed = (error: Error): void => assert.fail(error)) {
    this.#isBusy = isBusy
    this.#failed = failed
    this.#store = store
    this.clock = new WrongClock(world)
    this.#engine = new Engine(store, this.clock, new SystemRandom())
    this.start()
  }

  start() {
    const parts = { engine: this.#engine, query: this.#store.query, clock: this.clock, vault: plainHash as Vault }
    this.#sweep = searchTerms({ ...parts, isBusy: this.#isBusy, failed: this.#failed })
  }
  async end() {
    await this.#sweep?.stop?.()
    this.#sweep = undefined
  }
  async look() {
    await this.#sweep?.run(this.clock.now())
    await this.#sweep?.idle()
  }
  async order(mid: string, orderId: string, at: number) {
    const details = { userInfo: { custId: `C${orderId}`, mobile: `98${orderId.slice(-8).padStart(8, '0')}` } }
    const change = anOrder({ mid, orderId, txnTokenIssuedAt: at, custId: `C${orderId}`, details })
    await this.#engine.submit(plant, { changes: [change] })
    return (change as { row: Row<'orders'> }).row
  }
}

type Step = 'order' | 'late' | 'pass' | 'look' | 'jump' | 'right' | 'end' | 'start'
/** As a person would plant them: the clock is wrong for a moment while orders come, and right again. */
const PLANTED: Readonly<Record<string, readonly (Step | { jump: number })[]>> = {
  'back 90 s': ['order', 'pass', 'pass', 'look', { jump: -90 * SECOND_MS }, 'order', 'order', 'look', 'right'],
  'back 90 s while the sweep rests': ['order', 'pass', 'look', { jump: -90 * SECOND_MS }, 'order', 'order', 'right'],
  'back 2 h while the process is down': ['order', 'pass', 'look', 'end', { jump: -2 * HOUR_MS }, 'start', 'order', 'end', 'right', 'start'],
  'ahead a day': ['order', 'look', { jump: DAY_MS }, 'order', 'pass', 'look', 'right', 'order', 'pass', 'order'],
  'ahead 30 days while the sweep rests': ['look', { jump: 30 * DAY_MS }, 'order', 'right', 'order', 'pass', 'order'],
  'a commit that comes late': ['order', 'pass', 'pass', 'look', 'late', 'late'],
}

interface Lived {
  orders: Row<'orders'>[]
  missing: number
  twice: number
}

/** Takes the steps in one process or the other, rights all clocks, lets two minutes pass, and counts what is missing. */
async function lived(
  store: Store,
  world: World,
  random: Random,
  { name, steps }: { name: string; steps: readonly (Step | { jump: number })[] },
) {
  const isBusy = () => random.below(5) === 0
  const processes = [new Process(store, world, isBusy), new Process(store, world, isBusy)]
  const orders: Row<'orders'>[] = []
  const isPlanted = name in PLANTED
  for (const step of steps) {
    const process = isPlanted ? processes[0]! : random.pick(processes)
    const { clock } = process
    world.at += random.below(3 * SECOND_MS)
    if (typeof step === 'object') clock.offsetMs = step.jump
    else if (step === 'jump') clock.offsetMs = random.pick(JUMPS_MS)
    else if (step === 'right') clock.offsetMs = 0
    else if (step === 'pass') world.at += random.below(90 * SECOND_MS)
    else if (step === 'look') await process.look()
    else if (step === 'end') await process.end()
    else if (step === 'start') process.start()
    else {
      const at = clock.now() - (step === 'late' ? random.below(5 * MINUTE_MS) : 0)
      orders.push(await process.order(random.pick(MIDS), `${name.replace(/[^0-9A-Za-z]/g, '')}_${orders.length}`, at))
    }
  }
  for (const { clock } of processes) clock.offsetMs = 0
  processes[0]!.start()
  for (let seconds = 0; seconds <= 120; seconds += 10) {
    for (const process of processes) await process.look()
    world.at += 10 * SECOND_MS
  }
  for (const process of processes) await process.end()
  return { orders, ...(await compared(store.query, orders)) } satisfies Lived
}

/** Each order has to stand once in its merchant's list, and each of its terms once: in a segment or among the late ones. */
async function compared(looks: Looks, orders: readonly Row<'orders'>[]): Promise<{ missing: number; twice: number }> {
  let [missing, twice] = [0, 0]
  for (const { mid, orderId, txnTokenIssuedAt: at, ...order } of orders) {
    const numbers = await looks.rows(find('searchOrders', { equals: { at, mid, orderId }, limit: 10 }))
    const listed = await looks.rows(find('merchantOrders', { equals: { mid, orderId }, limit: 10 }))
    const late = await looks.rows(find('lateTerms', { equals: { mid, orderId }, limit: 100 }))
    const values = numbers.map(({ number }) => number)
    const numbered = values.length === 0 ? [] : await looks.rows(find('searchTerms', { in: { column: 'number', values }, limit: 100 }))
    const terms = [...numbered, ...late].map(({ term }) => term).toSorted((a, b) => a - b)
    const wanted = termsIn(order, plainHash).toSorted((a, b) => a - b)
    if (wanted.some((term) => !terms.includes(term)) || !listed.some((each) => each.at === at)) missing++
    if (terms.length > wanted.length || listed.length > 1) twice++
  }
  return { missing, twice }
}

function aMerchant(mid: string): Change {
  const row = { ...(anyRow('merchants', 1) as Row<'merchants'>), mid }
  return { kind: 'insert', key: merchantKey(mid), row }
}

const STEPS: readonly Step[] = ['order', 'order', 'order', 'late', 'pass', 'pass', 'look', 'look', 'look', 'jump', 'right', 'end', 'start']

onBothStores('search terms and clocks', (name) => {
  test(`${HISTORIES} drawn histories of two clocks, and planted ones: no order is without terms, and none has them twice`, async (t) => {
    const { store, close } = await openStore(name)
    const random = new Random(SEED)
    const world = { at: BEGAN }
    await store.transaction(({ write }) => write({ changes: MIDS.map(aMerchant), events: [], tasks: [] }))
    let [orders, missing, twice] = [0, 0, 0]
    const drawn = Array.from({ length: HISTORIES }, (_, at) => ({
      name: `H${at}`,
      steps: Array.from({ length: 12 + random.below(24) }, () => random.pick(STEPS)),
    }))
    for (const history of [...Object.entries(PLANTED).map(([name, steps]) => ({ name, steps })), ...drawn]) {
      const found = await lived(store, world, random, history)
      orders += found.orders.length
      missing += found.missing
      twice += found.twice
      world.at += APART_MS
    }
    await close()
    t.diagnostic(
      `${name}, seed ${SEED}: ${drawn.length + Object.keys(PLANTED).length} histories, ${orders} orders; without terms ${missing}, twice ${twice}`,
    )
    assert.ok(orders > HISTORIES)
    assert.deepEqual({ missing, twice }, { missing: 0, twice: 0 })
  })
})

test('an audit of a day reads orders where terms are missing, and nowhere else', async () => {
  const [ORDERS, AT_ONE_INSTANT, MISSING] = [12_000, 250, 30]
  const random = new Random(SEED)
  const store = new MemoryStore()
  const world = { at: BEGAN }
  const spread = Array.from({ length: ORDERS - AT_ONE_INSTANT }, () => BEGAN - MINUTE_MS - random.below(20 * HOUR_MS))
  const times = [...spread, ...Array.from({ length: AT_ONE_INSTANT }, () => BEGAN - 10 * HOUR_MS)]
  const planted = times.map((txnTokenIssuedAt, at) => {
    const change = anOrder({ mid: random.pick(MIDS), orderId: `DAY_${at}`, txnTokenIssuedAt })
    return { change, row: { ...(change as { row: Row<'orders'> }).row } }
  })
  const lacks = new Set([ORDERS - 1, ...Array.from({ length: MISSING }, () => random.below(ORDERS))])
  const place = placeText({ place: [BEGAN - MINUTE_MS, 'SHOP9', ''], aheadUntil: 0, decisions: 1 })
  const changes = [
    ...MIDS.map(aMerchant),
    ...planted.map(({ change }) => change),
    ...planted.flatMap(({ row }, at) => (lacks.has(at) ? [] : termsOfNumbered(row, at))),
    { kind: 'insert', key: settingKey(SEARCH_PLACE), row: { name: SEARCH_PLACE, value: place } } as const,
  ]
  store.write({ changes, events: [], tasks: [] })
  let read = 0
  const rows = async <T extends TableName>(asked: Find<T>) => {
    const found = await store.query.rows(asked)
    if (asked.find === 'orders') read += found.length
    return found
  }
  const process = new Process({ ...store, transaction: store.transaction.bind(store), query: { ...store.query, rows } } as Store, world)
  await process.look()
  assert.equal((await store.query.rows(find('merchantOrders', { limit: 100_000 }))).length, ORDERS)
  assert.ok(read >= lacks.size && read <= lacks.size * 100 + AT_ONE_INSTANT, `${read} orders were read for ${lacks.size}`)
})

onBothStores('an idle service', (name) => {
  test('audits once, and again after a commit or a failure', async () => {
    const { store, close } = await openStore(name)
    const world = { at: BEGAN }
    let counts = 0
    let failures = 0
    const revisions = new Set<string>()
    const revision = async () => {
      const text = await store.query.revision()
      revisions.add(text)
      return text
    }
    const count: Store['query']['count'] = async (asked) => {
      counts++
      if (failures-- > 0) throw new Error('the database cannot be reached')
      return store.query.count(asked)
    }
    const reads = { row: store.query.row, rows: store.query.rows, revision, count }
    const process = new Process(
      { ...store, transaction: store.transaction.bind(store), query: { ...store.query, ...reads } } as Store,
      world,
      undefined,
      () => {},
    )
    const countsOf = async (minutes: number) => {
      const before = counts
      for (let passed = 0; passed < minutes * MINUTE_MS; passed += 10 * SECOND_MS) {
        await process.look()
        world.at += 10 * SECOND_MS
      }
      return counts - before
    }
    /** On PostgreSQL another database of the server may commit meanwhile, and then an audit is right. */
    const idleCounts = async () => {
      const known = revisions.size
      const counted = await countsOf(30)
      assert.ok(name === 'postgres' || revisions.size === known)
      return revisions.size === known ? counted : 0
    }
    await store.transaction(({ write }) => write({ changes: MIDS.map(aMerchant), events: [], tasks: [] }))
    const orders = [await process.order('SHOP1', 'IDLE_1', world.at)]
    assert.ok((await countsOf(4)) > 0)
    assert.equal(await idleCounts(), 0)
    orders.push(await process.order('SHOP2', 'IDLE_2', world.at - 2 * HOUR_MS))
    assert.ok((await countsOf(2)) > 0)
    assert.deepEqual(await compared(store.query, orders), { missing: 0, twice: 0 })
    failures = 1 // the range ahead of the clock, which is the first
    orders.push(await process.order('SHOP3', 'IDLE_3', world.at + 30 * DAY_MS))
    await countsOf(4)
    assert.deepEqual(await compared(store.query, orders), { missing: 0, twice: 0 })
    assert.equal(await idleCounts(), 0)
    await close()
  })
})

onBothStores('two sweeps at once', (name) => {
  if (name !== 'postgres') return
  test('on one PostgreSQL keep the terms of all orders once, whatever their clocks show, and neither fails', async () => {
    const [one, ORDERS] = [await openStore(name), 2_000]
    const two = await openStore(name, one.place)
    const world = { at: BEGAN }
    const orders = Array.from({ length: ORDERS }, (_, at) => {
      const details = { userInfo: { custId: `C${at % 50}`, mobile: '9876543210' } }
      return anOrder({
        mid: 'SHOP1',
        orderId: `O${at}`,
        txnTokenIssuedAt: BEGAN - 22 * HOUR_MS + at * 7 * SECOND_MS,
        custId: `C${at % 50}`,
        details,
      })
    })
    await one.store.transaction(({ write }) => write({ changes: [aMerchant('SHOP1'), ...orders], events: [], tasks: [] }))
    const processes = [new Process(one.store, world), new Process(two.store, world)]
    for (const offsetMs of [0, 0, -20 * HOUR_MS, -20 * HOUR_MS, DAY_MS, DAY_MS, ...Array<number>(14).fill(0)]) {
      processes[1]!.clock.offsetMs = offsetMs
      await Promise.all(processes.map((process) => process.look()))
      world.at += 10 * SECOND_MS
    }
    const rows = orders.map((change) => (change as { row: Row<'orders'> }).row)
    const all = await one.store.query.count(find('merchantOrders', { limit: 10 * ORDERS }))
    assert.deepEqual([all, await compared(one.store.query, rows.slice(0, 100))], [ORDERS, { missing: 0, twice: 0 }])
    await two.close()
    await one.close()
  })
})
