// The collection sweep with much due work at once: how it shares its looks, its calls and its commits. Also two sweeps on one database.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agree, billers, type Mandates, makeMandates, makeRows } from '../../../bench/mandates.ts'
import { MASTER_KEY } from '../../../bench/processes.ts'
import type { ClaimedCycle } from '../../../src/domain/subscription/collection/due-cycle.ts'
import { SystemClock } from '../../../src/engine/clock.ts'
import { MemoryStore } from '../../../src/engine/memory-store.ts'
import { type CollectingParts, callsOf } from '../../../src/flows/collection-calls.ts'
import { collectionSweep, subscriptionSweep } from '../../../src/flows/collection-due.ts'
import { FairQueue } from '../../../src/flows/fair-queue.ts'
import { SimulatedBank } from '../../../src/sandbox/simulated-bank.ts'
import { collectionKey } from '../../../src/tables/keys.ts'
import { find, type Row } from '../../../src/tables/tables.ts'
import { ADAPTER_SECRET, startAdapter } from '../../support/bank/adapter.ts'
import { cycle } from '../../support/mandates/mandates.ts'
import { at, moveTo } from '../../support/mandates/timeline.ts'
import { bankJournal } from '../../support/paying/paying.ts'
import {
  onBothStores,
  type Service,
  type ServiceOptions,
  type StoreName,
  startService,
  storesWhereSqlDiffers,
} from '../../support/run/service.ts'
import { assertHolds } from '../../support/store/verify.ts'

const DUE_DATE = '2026-07-01'
const SIX = `${DUE_DATE} 06:00:00`
const COUNT = 300 // more than fit into one call, and one batch
const mandates: Mandates = { count: COUNT, merchants: 3, dueDate: DUE_DATE, consentedAt: at('2026-06-15 09:00:00'), isWhole: true }

const serving = (store: StoreName, options: ServiceOptions = {}) =>
  startService(store, {
    before: (place) => makeMandates(place, mandates),
    world: billers(mandates),
    env: { MOHUR_MASTER_KEY: MASTER_KEY },
    ...options,
  })

const cyclesOf = ({ ports }: Service, status: Row<'collections'>['status']) =>
  ports.query.rows(find('collections', { equals: { status }, limit: 10_000 }))

async function metric({ url }: Service, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const line = text.split('\n').find((each) => each.startsWith(`${name} `))
  return Number(line?.slice(name.length) ?? 0)
}

async function assertDebitedOnce(service: Service) {
  const journal = (await bankJournal(service)).filter(({ key }) => !key.includes(':notify:') && !key.endsWith(':mandate'))
  assert.equal(new Set(journal.map(({ key }) => key)).size, COUNT)
  assert.equal(journal.length, COUNT)
  assert.ok(journal.every(({ outcome }) => outcome === 'success'))
  assert.equal((await cyclesOf(service, 'COLLECTED')).length, COUNT)
}

onBothStores('cycles that are due at one instant', (store) => {
  test('are decided, debited and settled many at a time, so that a thousand renewals are at most twenty commits', async () => {
    const service = await serving(store)
    try {
      await moveTo(service, '2026-06-30 12:00:00')
      assert.equal((await cyclesOf(service, 'NOTIFIED')).length, COUNT)
      const before = await metric(service, 'mohur_batch_size_count')
      await moveTo(service, SIX)
      const commits = (await metric(service, 'mohur_batch_size_count')) - before
      assert.ok(commits <= 20 * (COUNT / 1_000), `${commits} commits`)
      assert.equal(await metric(service, 'mohur_acquirer_seconds_count{call="collectMany"}'), 2)
      await assertDebitedOnce(service)
      await assertHolds(service)
    } finally {
      await service.close()
    }
  })

  test('go to an adapter in calls of up to 256, or one by one where it does not take many', async () => {
    for (const [collectMany, count, calls] of [
      [true, COUNT, [256, 44]],
      [false, 20, Array(20).fill(1)],
    ] as const) {
      let clock = { now: () => 0 }
      const adapter = await startAdapter({ now: () => clock.now() }, [], { modes: ['UPI'], collectMany })
      await agree(adapter.bank, { ...mandates, count })
      const env = { MOHUR_MASTER_KEY: MASTER_KEY, MOHUR_ACQUIRER_URL: adapter.url, MOHUR_ACQUIRER_SECRET: ADAPTER_SECRET }
      const service = await serving(store, { env, before: (place) => makeRows(place, { ...mandates, count }) })
      clock = service.clock
      try {
        await moveTo(service, SIX)
        const debits = adapter.calls.filter(({ call }) => call === 'collect' || call === 'collectMany')
        const sizes = debits.map(({ body }) => (body['calls'] as unknown[] | undefined)?.length ?? 1).sort((a, b) => b - a)
        assert.deepEqual(sizes, calls)
        assert.equal((await cyclesOf(service, 'COLLECTED')).length, count)
      } finally {
        await service.close()
        await adapter.close()
      }
    }
  })
})

for (const store of storesWhereSqlDiffers.filter((name) => name === 'postgres'))
  test(`${store}: two collectors on one database debit each cycle once, whichever finds it`, async () => {
    const first = await serving(store)
    const { databaseUrl = '' } = first.place
    const second = await serving(store, { before: async () => {}, env: { MOHUR_MASTER_KEY: MASTER_KEY, DATABASE_URL: databaseUrl } })
    const both = [first, second]
    try {
      for (const instant of ['2026-06-29 18:00:00', SIX]) {
        for (const { clock } of both) clock.advance(at(instant) - clock.now())
        await Promise.all(both.map(({ tasks }) => tasks.runDue()))
      }
      // Work that one process began and for which the other waited.
      await Promise.all(both.map(({ tasks }) => tasks.runDue()))
      await assertDebitedOnce(first)
      await assertHolds(first)
    } finally {
      for (const each of both) await each.close()
    }
  })

// -------------------------------------------------------------------------------------------------------- whose turn it is

/** `merchants` names how many cycles each has due, and when. */
function line(merchants: Readonly<Record<string, { count: number; nextAt: (at: number) => number }>>) {
  const store = new MemoryStore()
  for (const [mid, { count, nextAt }] of Object.entries(merchants)) {
    const rows = Array.from({ length: count }, (_, at) => ({ ...cycle(`${at}`), mid, nextAt: nextAt(at) }))
    store.write({
      changes: rows.map((row) => ({ kind: 'insert', key: collectionKey(mid, row.collectionId), row })),
      events: [],
      tasks: [],
    })
  }
  return store
}
const take = (store: MemoryStore, mid: string, collectionId: string) =>
  store.write({ changes: [{ kind: 'delete', key: collectionKey(mid, collectionId) }], events: [], tasks: [] })

test('a merchant with ten cycles due has them in the first portion, whatever another has due before', async () => {
  const store = line({ A: { count: 5_000, nextAt: () => 1 }, B: { count: 10, nextAt: () => 1 }, C: { count: 10, nextAt: () => 2 } })
  const portion = await new FairQueue().next(store.query, 5, 256)
  const of = (mid: string) => portion.filter((each) => each.mid === mid).length
  assert.deepEqual([of('A'), of('B'), of('C')], [236, 10, 10])
  assert.equal(new Set(portion.map(({ mid, collectionId }) => mid + collectionId)).size, 256, 'none of them twice')
})

test('each of sixty merchants with a hundred cycles has had a turn after a few portions, and nothing is left at the end', async () => {
  const names = Array.from({ length: 60 }, (_, at) => `M${String(at).padStart(2, '0')}`)
  const store = line(Object.fromEntries(names.map((name) => [name, { count: 100, nextAt: () => 1 }])))
  const turns = new FairQueue()
  const seen = new Set<string>()
  let taken = 0
  for (let portions = 1; ; portions++) {
    const portion = await turns.next(store.query, 5, 256)
    if (portion.length === 0) break
    for (const { mid, collectionId } of portion) {
      seen.add(mid)
      take(store, mid, collectionId)
      taken++
    }
    if (portions === 16) assert.equal(seen.size, names.length)
  }
  assert.equal(taken, 6_000)
})

test('a cycle that cannot be decided holds up no other, and the log names it for the operator', async () => {
  const store = line({ A: { count: 3, nextAt: () => 1 } })
  const [asked, failed] = [[] as string[], [] as string[]]
  const engine = {
    async submit(_: unknown, { collectionId }: { collectionId: string }) {
      asked.push(collectionId)
      if (asked.length === 2) throw new Error('a row that nobody understands')
      return { result: {} }
    },
  }
  const { run } = collectionSweep({
    engine,
    query: store.query,
    number: () => '1',
    failed: ({ message }: Error) => failed.push(message),
    again() {},
  } as never)
  assert.equal(await run(5), 2, 'what was done, so that a look which gets nowhere ends')
  assert.deepEqual([asked.length, failed], [3, ['a row that nobody understands']])
})

test('a bank that never answers some queries keeps the places of those and of no others', async () => {
  const silent = /:0$/
  const due = Array.from({ length: 256 }, (_, at) => ({ mid: 'A', collectionId: `${at}` }))
  const taken = (collectionId: string) => ({
    work: { kind: 'collect', key: `A:${collectionId}`, collectionId, txnId: collectionId, isFirst: false },
    subscription: { mid: 'A', subscriptionId: collectionId },
  })
  const engine = {
    submit: async ({ name }: { name: string }, { collectionId }: { collectionId: string }) =>
      name === 'advanceCollection' ? { result: {}, body: taken(collectionId) } : { result: {} },
  }
  const status = (key: string) => (silent.test(key) ? new Promise(() => {}) : Promise.resolve({ outcome: 'pending' }))
  const parts = { engine, query: { rows: async () => due }, acquirer: () => ({ mandates: {}, status }), clock: { now: () => 5 } }
  const more = { number: () => '1', follow: (work: Promise<void>) => work, failed: assert.fail, again() {} }
  const { run } = collectionSweep({ ...parts, ...more } as never)
  for (let look = 1; look <= 100; look++) {
    assert.equal(await run(5), 256, `look ${look}`)
    await new Promise(setImmediate)
  }
})

const SLEEPERS = Array.from({ length: 5 }, (_, at) => ({ mid: 'A', subscriptionId: `S${at}` }))

test('a subscription that cannot be woken loses no other its query, and the log names it for the operator', async () => {
  const [asked, failed] = [[] as string[], [] as string[]]
  const engine = {
    async submit({ name }: { name: string }, command: { subscriptionId: string }) {
      if (name !== 'advanceSubscription') return { result: {} }
      if (command.subscriptionId === 'S2') throw new Error('a row that nobody understands')
      return { result: {}, body: { asks: command } }
    },
  }
  const status = async (key: string) => {
    asked.push(key)
    return { outcome: 'pending' }
  }
  const { run } = subscriptionSweep({
    ...{ engine, query: { rows: async () => SLEEPERS, row: async () => undefined }, clock: { now: () => 5 } },
    ...{ acquirer: () => ({ mandates: { status } }), follow: (work: Promise<void>) => work },
    ...{ failed: ({ message }: Error) => failed.push(message), again() {} },
  } as never)
  assert.equal(await run(5), 4, 'what was done, so that a look which gets nowhere ends')
  await new Promise(setImmediate)
  assert.deepEqual([asked, failed], [['A:S0:mandate', 'A:S1:mandate', 'A:S3:mandate', 'A:S4:mandate'], ['a row that nobody understands']])
})

test('a silent bank is asked about so many mandates at once and no more, and about others when it has answered', async () => {
  const answers: (() => void)[] = []
  const engine = {
    submit: async ({ name }: { name: string }, asks: unknown) =>
      name === 'advanceSubscription' ? { result: {}, body: { asks } } : { result: {} },
  }
  const status = () => new Promise((resolve) => answers.push(() => resolve({ outcome: 'pending' })))
  const rows = async ({ limit }: { limit: number }) => Array.from({ length: limit }, (_, at) => ({ mid: 'A', subscriptionId: `S${at}` }))
  let again = 0
  const { run } = subscriptionSweep({
    ...{ engine, query: { rows, row: async () => undefined }, clock: { now: () => 5 } },
    ...{
      acquirer: () => ({ mandates: { status } }),
      follow: (work: Promise<void>) => work,
      failed: assert.fail,
      again: () => void again++,
    },
  } as never)
  const looks = async (times: number) => {
    let woken = 0
    for (let look = 0; look < times; look++) {
      woken += await run(5)
      await new Promise(setImmediate)
    }
    return woken
  }
  assert.deepEqual([await looks(10), answers.length, again], [512, 512, 0])
  for (const answer of answers.splice(0, 255)) answer()
  await new Promise(setImmediate)
  assert.deepEqual([await looks(1), again], [0, 0], 'there is no room for a portion yet')
  for (const answer of answers.splice(0, 45)) answer()
  await new Promise(setImmediate)
  assert.equal(again, 1, 'it looks anew at once, and not for each answer')
  assert.deepEqual([await looks(10), answers.length], [256, 468])
})

test('a process that stood still after its decision sends no debit: another has asked about it by then', async () => {
  for (const [lateMs, sent] of [
    [89_999, ['collect', 'collect', 'collect']],
    [90_000, []],
  ] as const) {
    const [decidedAt, settled] = [at(SIX), [] as string[]]
    const clock = Object.assign(new SystemClock(), { now: () => decidedAt + lateMs })
    const bank = new SimulatedBank(clock, () => 'success')
    const engine = { submit: async (operation: { name: string }) => void settled.push(operation.name) }
    const parts = { engine, clock, reference: { category: () => undefined }, acquirer: () => bank } as unknown as CollectingParts
    const taken = (number: number) =>
      ({
        ...{ subscription: { mid: 'M' }, order: { orderId: 'R' }, merchant: {}, first: {} },
        work: { kind: 'collect', key: `M:S:20260701:${number}`, amountPaise: 1, isFirst: true, until: decidedAt + 90_000 },
      }) as unknown as ClaimedCycle
    for (const { make } of await callsOf(parts, [taken(1)])) await make()
    bank.mandates.takesMany = async () => true
    Object.assign(bank.mandates, {
      collectMany: (calls: Parameters<typeof bank.mandates.collect>) => Promise.all(calls.map(bank.mandates.collect)),
    })
    for (const { make } of await callsOf(parts, [taken(2), taken(3)])) await make()
    assert.deepEqual(
      bank.received.map(({ kind }) => kind),
      sent,
    )
    assert.equal(settled.length, sent.length)
  }
})
