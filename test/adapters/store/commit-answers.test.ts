// Whatever PostgreSQL answers to COMMIT, no caller gets a false reply and nothing is decided twice (docs/decisions/0020).

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import { commitAnswerTo } from '../../../src/adapters/store/commit-answers.ts'
import { operations } from '../../../src/api/operations.ts'
import { type Operation, operation, refuse } from '../../../src/engine/decision.ts'
import { CommitUnknown } from '../../../src/engine/store.ts'
import { LEASE_MS } from '../../../src/engine/tasks.ts'
import { onCommitUnknown } from '../../../src/http/commit-unknown.ts'
import { sign } from '../../../src/interface/checksum.ts'
import { createOrder as codes } from '../../../src/interface/result-codes.ts'
import { settingKey } from '../../../src/tables/keys.ts'
import { orderBody } from '../../support/paying/order-body.ts'
import { CARD, createOrder, pay } from '../../support/paying/paying.ts'
import { KEY, MID, type Service, startService } from '../../support/run/service.ts'
import { startPostgres } from '../../support/store/postgres.ts'
import { proxyStatements, type StatementProxy } from '../../support/store/statement-proxy.ts'
import { emptyPlace, newEngine, openStore, type TestStore } from '../../support/store/stores.ts'

/** Writes its own row and event, and counts in a row that it shares with its neighbours. A second run would count twice. */
const count = (decided: string[]): Operation<string> =>
  operation({
    name: 'count',
    codes,
    reads: (name: string) => ({ own: settingKey(name), counter: settingKey('counter') }),
    decide(name, { own, counter }) {
      decided.push(name)
      if (own) return refuse(codes.duplicateOrderId)
      const counted = String(Number(counter?.value ?? 0) + 1)
      return {
        reply: { result: codes.success },
        changes: [
          { kind: 'insert', key: settingKey(name), row: { name, value: '' } },
          { kind: counter ? 'update' : 'insert', key: settingKey('counter'), row: { name: 'counter', value: counted } },
        ],
        events: [{ type: 'test.counted', owner: 'M', id: name, version: 1, from: '', to: 'A', at: 1, data: {} }],
        tasks: [],
      }
    },
  })

type Reported = 'success' | 'refused' | 'failed' | 'unknown'
const reportedOf = (outcomes: readonly PromiseSettledResult<{ result: unknown }>[]) =>
  outcomes.map((outcome): Reported => {
    if (outcome.status === 'fulfilled') return outcome.value.result === codes.success ? 'success' : 'refused'
    return outcome.reason instanceof CommitUnknown ? 'unknown' : 'failed'
  })

const NAMES = ['before', 'between', 'behind']

/** An engine on a store, and the results of three commands in one batch with a given answer to COMMIT. */
function counting({ store, rows }: TestStore) {
  const [decided, processes]: [string[], string[]] = [[], []]
  const engine = newEngine(store, { commitUnknown: (error) => processes.push(error.process) })
  const of = count(decided)
  const ask = async (names: readonly string[]) => reportedOf(await Promise.allSettled(names.map((name) => engine.submit(of, name))))
  return {
    ask,
    decided,
    /** What the process had to do each time that it did not know what was committed. */
    processes,
    async kept() {
      const [found] = await rows<Record<string, number>>(`select
        (select count(*) from settings where name in ('before', 'between', 'behind')) as rows,
        (select count(*) from events where type = 'test.counted' and id in ('before', 'between', 'behind')) as events,
        coalesce((select value::int from settings where name = 'counter'), 0) as counted`)
      return found
    },
  }
}

const raising = (sqlState: string) => `do $$ begin raise exception 'injected' using errcode = '${sqlState}'; end $$`

interface Case {
  answer: string
  /** The fate of the first COMMIT. `begin` replaces the first BEGIN. */
  commit?: Awaited<ReturnType<StatementProxy['judge']>>
  begin?: string
  /** PostgreSQL's answer to COMMIT has a warning beside its tag. */
  warns?: boolean
  reported: Reported
  processes: readonly string[]
  kept: 0 | 3
  decisions: 3 | 6
}
const ends = { reported: 'unknown', processes: ['ends'], decisions: 3 } as const

const cases: readonly Case[] = [
  { answer: '40003, and it was carried out', commit: { instead: `commit; ${raising('40003')}` }, ...ends, kept: 3 },
  { answer: '40003, and it was not carried out', commit: { instead: raising('40003') }, ...ends, kept: 0 },
  { answer: '40001', commit: { instead: raising('40001') }, reported: 'success', processes: [], kept: 3, decisions: 6 },
  { answer: 'COMMIT with the warning 01000', warns: true, reported: 'unknown', processes: ['goes on'], kept: 3, decisions: 3 },
  { answer: 'COMMIT with 25P01, of a transaction that never was', begin: 'select 1', ...ends, kept: 3 },
  { answer: '57P01 and a cut', commit: { instead: 'select pg_terminate_backend(pg_backend_pid())' }, ...ends, kept: 0 },
  {
    answer: '57P01 and a cut, and it was carried out',
    commit: { instead: 'commit; select pg_terminate_backend(pg_backend_pid())' },
    ...ends,
    kept: 3,
  },
  { answer: 'a cut alone, and it was carried out', commit: 'cut behind', ...ends, kept: 3 },
  { answer: 'a cut alone, and it was not carried out', commit: 'cut before', ...ends, kept: 0 },
]

for (const { answer, commit, begin, warns, reported, processes, kept, decisions } of cases)
  test(`postgres: COMMIT answered by ${answer}: ${reported} to a whole batch, ${processes[0] ?? 'no word'} to the process, and nothing is decided twice`, async () => {
    const place = await emptyPlace('postgres')
    const beside = await openStore('postgres', place)
    const proxy = await proxyStatements(place)
    const through = await openStore('postgres', proxy.url)
    const batch = counting({ ...through, rows: beside.rows })
    assert.deepEqual(await batch.ask(['warm']), ['success'])
    await beside.run("delete from settings where name = 'counter'")
    batch.decided.length = 0

    if (warns) await beside.run(...warnsAtCommit('settings', "new.name = 'between'"))
    let [begun, committed] = [0, 0]
    proxy.judge = ({ text }) => {
      if (begin && text === 'begin' && begun++ === 0) return { instead: begin }
      return commit && text === 'commit' && committed++ === 0 ? commit : 'passes'
    }
    assert.deepEqual(new Set(await batch.ask(NAMES)), new Set([reported]))
    proxy.judge = () => 'passes'
    assert.deepEqual(batch.processes, processes)
    assert.equal(batch.decided.length, decisions)
    assert.deepEqual(await batch.kept(), { rows: kept, events: kept, counted: kept })

    // A caller without a certain reply asks again. Committed work is found, and other work is done.
    if (warns) await beside.run('drop trigger warns on settings')
    assert.deepEqual(new Set(await batch.ask(NAMES)), new Set<Reported>([kept ? 'refused' : 'success']))
    assert.deepEqual(await batch.kept(), { rows: 3, events: 3, counted: 3 })
    assert.deepEqual(await batch.ask(['later']), ['success'])
    assert.deepEqual(batch.processes, processes)
    for (const { close } of [through, beside, proxy]) await close()
  })

for (const [answer, commit] of [
  ['40003', { instead: raising('40003') }],
  ['57P01 and a cut', { instead: 'select pg_terminate_backend(pg_backend_pid())' }],
  ['a cut behind it', 'cut behind'],
  ['a cut before it', 'cut before'],
] as const)
  test(`postgres: a batch that only refused, and whose COMMIT is answered by ${answer}, is decided again`, async () => {
    const place = await emptyPlace('postgres')
    const beside = await openStore('postgres', place)
    const proxy = await proxyStatements(place)
    const through = await openStore('postgres', proxy.url)
    const batch = counting({ ...through, rows: beside.rows })
    await batch.ask(NAMES)
    batch.decided.length = 0
    let committed = 0
    proxy.judge = ({ text }) => (text === 'commit' && committed++ === 0 ? commit : 'passes')
    assert.deepEqual(await batch.ask(NAMES), ['refused', 'refused', 'refused'])
    assert.deepEqual([committed, batch.decided.length, batch.processes], [2, 6, []])
    assert.deepEqual(await batch.kept(), { rows: 3, events: 3, counted: 3 })
    for (const { close } of [through, beside, proxy]) await close()
  })

/** PostgreSQL sends 01000 beside the tag of a COMMIT. To the client that looks like a wait that was cancelled. */
const warnsAtCommit = (table: string, when = 'true') => [
  "create function warn() returns trigger language plpgsql as $$ begin raise warning 'not replicated'; return new; end $$",
  `create constraint trigger warns after insert on ${table} deferrable initially deferred for each row when (${when}) execute function warn()`,
]

test('postgres: a database whose settings suppress its warnings still sends this one', async () => {
  const place = await emptyPlace('postgres')
  const beside = await openStore('postgres', place)
  await beside.run(...warnsAtCommit('settings', "new.name = 'between'"))
  await beside.run(`alter database "${new URL(place).pathname.slice(1)}" set client_min_messages = error`)
  const opened = await openStore('postgres', place)
  const batch = counting(opened)
  assert.deepEqual(await batch.ask(NAMES), ['unknown', 'unknown', 'unknown'])
  assert.deepEqual(batch.processes, ['goes on'])
  for (const { close } of [opened, beside]) await close()
})

test('postgres: a warning of a write that leaves with COMMIT is not COMMIT’s', async () => {
  const opened = await openStore('postgres')
  const [make] = warnsAtCommit('settings')
  await opened.run(make!, 'create trigger warns after insert on settings for each row execute function warn()')
  const batch = counting(opened)
  assert.deepEqual(await batch.ask(NAMES), ['success', 'success', 'success'])
  assert.deepEqual(batch.processes, [])
  await opened.close()
})

test('when PostgreSQL says several things about a COMMIT, the first row of the table that fits is the answer', () => {
  const failing = (code?: string) => (code ? Object.assign(new pg.DatabaseError('injected', 0, 'error'), { code }) : new Error('cut'))
  const outcomeOf = (tag: string | undefined, error: string | undefined, remarked: readonly string[] = [], before?: Error, wrote = true) =>
    commitAnswerTo({ tag, error: error === undefined ? undefined : failing(error), remarked, before, wrote }).outcome
  assert.equal(outcomeOf('ROLLBACK', undefined, ['01000'], failing('40003')), 'undone')
  assert.equal(outcomeOf('COMMIT', undefined, ['01000'], failing('23514')), 'undone')
  assert.equal(outcomeOf(undefined, '', [], failing('57P01')), 'undone')
  for (const before of ['08006', '40003', '']) assert.equal(outcomeOf('COMMIT', undefined, [], failing(before)), 'unknown')
  assert.equal(outcomeOf('COMMIT', undefined, ['01000', '25P01']), 'unknown')
  assert.equal(outcomeOf('COMMIT', undefined, ['01000']), 'unconfirmed')
  assert.equal(outcomeOf('COMMIT', undefined, ['00000']), 'committed')
  assert.equal(outcomeOf('SELECT', undefined), 'unknown')
  for (const state of ['40003', '08006', '57P01', '53100', '58030', 'XX000', ''])
    assert.equal(outcomeOf(undefined, state, ['01000']), 'unknown')
  for (const state of ['40001', '40P01', '57014', '23505', '25006']) assert.equal(outcomeOf(undefined, state), 'undone')
  for (const state of ['40003', '08006', '57P01', '53100', '']) assert.equal(outcomeOf(undefined, state, [], undefined, false), 'undone')
  for (const remark of ['01000', '25P01']) assert.equal(outcomeOf('COMMIT', undefined, [remark], undefined, false), 'committed')
})

test('a COMMIT that no standby has confirmed is a line at error, one in a second, and any other that is unknown ends the process', async () => {
  const [lines, ended, exits]: [string[], string[], string[]] = [[], [], []]
  const logger = pino({ base: null, timestamp: false }, { write: (line) => void lines.push(line) })
  let elapsed = 0
  const clock = { elapsed: () => elapsed, sleep: async () => {} }
  const handle = onCommitUnknown({ logger, clock, readiness: { end: () => ended.push('ended') }, exit: () => exits.push('70') })
  const unconfirmed = () => handle(new CommitUnknown('no synchronous standby confirmed a COMMIT', { process: 'goes on' }))
  for (let times = 0; times < 3; times++) unconfirmed()
  elapsed = 1_000
  unconfirmed()
  const reported = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.deepEqual(
    reported.map(({ level, alike }) => [level, alike]),
    [
      [50, undefined],
      [50, 2],
    ],
  )
  assert.match(String(reported[0]!['msg']), /no synchronous standby has confirmed/)
  await sleep(0)
  assert.deepEqual([ended, exits], [[], []])
  handle(new CommitUnknown('COMMIT failed'))
  await sleep(0)
  assert.deepEqual([ended, exits], [['ended'], ['70']])
  assert.match(lines.at(-1)!, /"level":60,.*unknown outcome; stopping/)
})

// ------------------------------------------------------------------------------------ a standby that never answers

const server = startPostgres({ durable: false, settings: { synchronous_commit: 'on' } })
after(async () => (await server).stop())

/** When the setting is in force for `admin`, it may not be for other sessions yet. So commits follow each other until one has to wait. */
async function untilCommitsWait(place: string, admin: pg.Client) {
  const probe = new pg.Client(place)
  await probe.connect()
  const cancel = "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep' and datname = current_database()"
  for (let waited = false; !waited; ) {
    let isOver = false
    const commit = probe.query("select pg_logical_emit_message(true, 'probe', '')").then(() => {
      isOver = true
    })
    while (!isOver && !waited) waited = (await admin.query(cancel)).rowCount === 1
    await commit
  }
  await probe.end()
}

for (const [what, ending, processes] of [
  ['pg_cancel_backend', 'the tag COMMIT and 01000', ['goes on']],
  ['pg_terminate_backend', '57P01 as a warning, and a cut', ['ends']],
] as const)
  test(`postgres: a wait for a synchronous standby that ${what} ends (${ending}) is unknown to the caller, and its rows are there`, async () => {
    const place = await (await server).createDatabase()
    const opened = await openStore('postgres', place)
    const batch = counting(opened)
    const admin = new pg.Client(place)
    await admin.connect()
    await admin.query('set synchronous_commit = local')
    await admin.query("alter system set synchronous_standby_names = 'nobody'")
    await admin.query('select pg_reload_conf()')
    await untilCommitsWait(place, admin)
    const asked = batch.ask(NAMES)
    const waiting = `select ${what}(pid) from pg_stat_activity where wait_event = 'SyncRep' and datname = current_database()`
    while ((await admin.query(waiting)).rowCount === 0) await sleep(5)
    const reported = await asked
    await admin.query('alter system reset synchronous_standby_names')
    await admin.query('select pg_reload_conf()')
    assert.deepEqual(reported, ['unknown', 'unknown', 'unknown'])
    assert.deepEqual(batch.processes, processes)
    assert.equal(batch.decided.length, 3)
    assert.deepEqual(await batch.kept(), { rows: 3, events: 3, counted: 3 })
    assert.deepEqual(await batch.ask([...NAMES, 'later']), ['refused', 'refused', 'refused', 'success'])
    await admin.end()
    await opened.close()
  })

// ---------------------------------------------------------------------------------------------------- over HTTP

/** The same bytes each time. */
function create(service: Service, orderId: string, headers?: Record<string, string>) {
  const body = JSON.stringify(orderBody(orderId))
  const head = JSON.stringify({ signature: sign(body, KEY, 'salt') })
  return service.post(`${operations.createOrder.paths[0]}?mid=${MID}&orderId=${orderId}`, `{"head":${head},"body":${body}}`, headers)
}

test('postgres: over HTTP, after a COMMIT that no standby has confirmed the service goes on, and the same request with its Idempotency-Key gets the one answer', async () => {
  const exits: number[] = []
  const service = await startService('postgres', { exit: (code) => exits.push(code) })
  const beside = new pg.Client(service.place.databaseUrl)
  await beside.connect()
  const ids = Array.from({ length: 8 }, (_, at) => `W${at}`)
  const askAll = () => Promise.all(ids.map((orderId) => create(service, orderId, { 'idempotency-key': orderId })))
  for (const statement of warnsAtCommit('orders')) await beside.query(statement)
  const unsure = await askAll()
  assert.deepEqual(new Set(unsure.map(({ status, body }) => `${status} ${body.resultInfo.resultCode}`)), new Set(['200 501']))
  await beside.query('drop trigger warns on orders')
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200)

  const first = await askAll()
  assert.deepEqual(new Set(first.map(({ body }) => body.resultInfo.resultStatus)), new Set(['S']))
  const again = await askAll()
  assert.deepEqual(
    again.map(({ body }) => body.txnToken),
    first.map(({ body }) => body.txnToken),
  )
  assert.equal((await create(service, 'BESIDE')).body.resultInfo.resultStatus, 'S')
  const { rows } = await beside.query(
    "select (select count(*) from orders)::int as orders, (select count(*) from events where type = 'order.created')::int as events",
  )
  assert.deepEqual(rows, [{ orders: 9, events: 9 }])
  assert.deepEqual(exits, [])
  await beside.end()
  await service.close()
})

for (const [table, what, becomes] of [
  ['transactions', 'began', 'FAILURE'], // the bank was not called, and says so when it is queried
  ['ledger_entries', 'succeeded', 'SUCCESS'],
] as const)
  test(`postgres: a payment that ${what} in a COMMIT that no standby has confirmed is unknown to its payer, and ends as ${becomes}, once`, async () => {
    const service = await startService('postgres')
    const order = await createOrder(service, 'PAID')
    const beside = new pg.Client(service.place.databaseUrl)
    await beside.connect()
    for (const statement of warnsAtCommit(table)) await beside.query(statement)
    const { resultStatus, resultCode } = (await pay(service, order, CARD)).body.resultInfo
    assert.deepEqual([resultStatus, resultCode], ['U', '501'])
    await beside.query(`drop trigger warns on ${table}`)
    const codeOf = async () => (await pay(service, order, CARD)).body.resultInfo.resultCode
    assert.equal(await codeOf(), becomes === 'SUCCESS' ? '201' : '1005')
    for (let times = 0; times < 10; times++) {
      service.clock.set(2 * LEASE_MS)
      await service.tasks.runDue()
    }
    const { rows } = await beside.query('select status from transactions')
    assert.deepEqual(rows, [{ status: becomes }])
    assert.equal(await codeOf(), becomes === 'SUCCESS' ? '201' : '0000')
    const paid = await beside.query("select status, (select count(*) from transactions where status = 'SUCCESS')::int as paid from orders")
    assert.deepEqual(paid.rows, [{ status: 'PAID', paid: 1 }])
    await beside.end()
    await service.close()
  })

for (const [sqlState, codesHeard, exitsHeard] of [
  ['40003', ['501'], [70]],
  ['40001', ['0000'], []],
] as const)
  test(`postgres: over HTTP, COMMIT answered ${sqlState} is ${codesHeard} to its caller, and the process ${exitsHeard.length ? 'ends with 70' : 'goes on'}`, async () => {
    const exits: number[] = []
    const proxy = await proxyStatements(await emptyPlace('postgres'))
    const service = await startService('postgres', { env: { DATABASE_URL: proxy.url }, exit: (code) => exits.push(code) })
    let committed = 0
    proxy.judge = ({ text }) => (text === 'commit' && committed++ === 0 ? { instead: raising(sqlState) } : 'passes')
    const reply = await create(service, 'ONE')
    assert.deepEqual([reply.body.resultInfo.resultCode], codesHeard)
    await sleep(200) // gives the last replies time before the process ends
    assert.deepEqual(exits, exitsHeard)
    await service.close()
    await proxy.close()
  })
