// Statements that travel together to PostgreSQL (src/adapters/store/postgres-pipeline.ts). Whatever happens to one of them, no caller gets
// a false reply. test/crash/flights.ts is the long form, with other batches and cold connections.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { openPostgres } from '../../../../src/adapters/store/database.ts'
import { FINGERPRINT } from '../../../../src/adapters/store/migrate.ts'
import { SqlStore } from '../../../../src/adapters/store/sql-store.ts'
import { MASTER_KEY_BYTES, Vault } from '../../../../src/adapters/store/vault.ts'
import { operation } from '../../../../src/engine/decision.ts'
import { CommitUnknown, TryAgain, Unreachable } from '../../../../src/engine/store.ts'
import { createOrder as codes } from '../../../../src/interface/result-codes.ts'
import { settingKey } from '../../../../src/tables/keys.ts'
import { find, look, tables } from '../../../../src/tables/tables.ts'
import { CARD, createOrder, pay } from '../../../support/paying/paying.ts'
import { startService } from '../../../support/run/service.ts'
import { withFaults } from '../../../support/store/faults.ts'
import { expected, KINDS, type Outcome, openFlights, tableOf } from '../../../support/store/flights.ts'
import { type Fate, proxyStatements } from '../../../support/store/statement-proxy.ts'
import { emptyPlace, newEngine, openStore } from '../../../support/store/stores.ts'

const touchOnce = operation({
  name: 'touchOnce',
  codes,
  reads: ({ name }: { name: string }) => ({ before: settingKey(name) }),
  decide: ({ name }) => ({ reply: { result: codes.success }, ...insertion(name) }),
})
const insertion = (name: string, value = '') => ({
  changes: [{ kind: 'insert' as const, key: settingKey(name), row: { name, value } }],
  events: [],
  tasks: [],
})

test('postgres: a cut, an error, a deadlock, a lost race at any statement of a batch: each caller gets a true reply', async (t) => {
  const flights = await openFlights({ size: 3, cold: false })
  const outcomes: Outcome[] = []
  for (const kind of KINDS) for (const at of flights.places.keys()) outcomes.push(await flights.run(at, kind))
  await flights.close()
  t.diagnostic(`\n${tableOf(outcomes)}`)
  assert.equal(outcomes.length, KINDS.length * flights.places.length)
  for (const outcome of outcomes) {
    const { place, kind, reported, faults } = outcome
    assert.deepEqual(faults, [], `${kind} at ${place}`)
    assert.match(reported.join(' '), expected(outcome), `${kind} at ${place}`)
  }
})

test('postgres: a batch that reads in two rounds is three journeys, however much it reads and writes', async () => {
  const flights = await openFlights({ size: 5, cold: false })
  assert.equal(flights.journeys, 2 + 1)
  await flights.close()
})

test('postgres: an order is created in three journeys, and paid in ten with those of the sandbox’s bank', async (t) => {
  const proxy = await proxyStatements(await emptyPlace('postgres'))
  const service = await startService('postgres', { env: { DATABASE_URL: proxy.url } })
  // Sweeps and looks for due work go on beside it.
  const isOnThePath = (text: string) => /^(begin|commit|insert|update|delete)|from merchant|from orders where \(mid|from "bank_/.test(text)
  const count = async <T>(work: () => Promise<T>) => {
    const before = proxy.journeys.length
    const result = await work()
    return { result, journeys: proxy.journeys.slice(before).filter(isOnThePath) }
  }
  await pay(service, await createOrder(service, 'WARM'), CARD)
  const created = await count(() => createOrder(service, 'COUNTED'))
  const paid = await count(() => pay(service, created.result, CARD))
  await service.close()
  await proxy.close()
  t.diagnostic([...created.journeys, '', ...paid.journeys].map((text) => text.replace(/select .* from/, 'select … from')).join('\n'))
  assert.equal(paid.result.body.resultInfo.resultStatus, 'S')
  assert.ok(created.journeys.length >= 2 && created.journeys.length <= 3)
  assert.ok(paid.journeys.length >= 5 && paid.journeys.length <= 10)
})

test('postgres: a connection that is lost while nothing is under way fails before COMMIT is sent, for certain', async () => {
  const { store, run, rows, close } = await openStore('postgres')
  const lost = store.transaction(async (transaction) => {
    await transaction.write(insertion('lost'))
    await transaction.read([settingKey('lost')])
    await run(`select pg_terminate_backend(pid, 5000) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state = 'idle in transaction'`)
    await rows('select 1') // by now its end has arrived
  })
  await assert.rejects(lost, /lost before COMMIT was sent/)
  assert.equal(await store.query.row(settingKey('lost')), undefined)
  await close()
})

test('postgres: a transaction that goes on after a failed statement commits nothing, and gets the error of that statement', async () => {
  const { store, close } = await openStore('postgres')
  await store.transaction((transaction) => transaction.write(insertion('taken')))
  const work = store.transaction(async (transaction) => {
    await transaction.write(insertion('beside'))
    await transaction.write(insertion('taken'))
    await transaction.read([settingKey('beside')]).catch(() => {})
    await transaction.write(insertion('behind')).catch(() => {})
  })
  await assert.rejects(work, TryAgain)
  assert.equal(await store.query.row(settingKey('beside')), undefined)
  assert.equal(await store.query.row(settingKey('behind')), undefined)
  await close()
})

test('postgres: where BEGIN fails nothing is written, though nothing was read', async () => {
  const place = await emptyPlace('postgres')
  const proxy = await proxyStatements(place)
  const { store, close } = await openStore('postgres', proxy.url)
  proxy.judge = ({ text }) => (text === 'begin' ? { instead: 'select 1/0' } : 'passes')
  await assert.rejects(
    store.transaction((transaction) => transaction.write(insertion('by itself'))),
    /cannot be reached/,
  )
  proxy.judge = () => 'passes'
  assert.equal(await store.query.row(settingKey('by itself')), undefined)
  await close()
  await proxy.close()
})

test('postgres: where BEGIN fails nothing is changed, also not by a statement through Kysely', async () => {
  const place = await emptyPlace('postgres')
  const proxy = await proxyStatements(place)
  const { store, database, close } = await openStore('postgres', proxy.url)
  await store.transaction((transaction) => transaction.write(insertion('kept', 'as it was')))
  proxy.judge = ({ text }) => (text === 'begin' ? { instead: 'select 1/0' } : 'passes')
  const work = (text: string) =>
    database.writer.transaction().execute(async (transaction) => {
      await sql
        .raw("select value from settings where name = 'kept' for update")
        .execute(transaction)
        .catch(() => {})
      await sql.raw(text).execute(transaction)
    })
  await assert.rejects(work("update settings set value = 'changed' where name = 'kept'"), /cannot be reached/)
  await assert.rejects(work("delete from settings where name = 'kept'"), /cannot be reached/)
  proxy.judge = () => 'passes'
  assert.equal((await store.query.row(settingKey('kept')))?.value, 'as it was')
  await close()
  await proxy.close()
})

test('postgres: writes never wait behind reads, however many reads there are and however long they take', async () => {
  const proxy = await proxyStatements(await emptyPlace('postgres'))
  const { store, close } = await openStore('postgres', proxy.url)
  const held = Promise.withResolvers<Fate>()
  proxy.judge = ({ text }) => (text.startsWith("select name from settings where name = ''") ? held.promise : 'passes')
  const asking = Array.from({ length: 64 }, () =>
    store.ping().then(
      () => 'answered',
      () => 'refused',
    ),
  )
  const reply = await newEngine(store).submit(touchOnce, { name: 'beside' })
  const claimed = await store.claimTasks('none.due', 1, 1, 2, 1)
  held.resolve('passes')
  assert.equal((await Promise.all(asking)).includes('answered'), true)
  assert.deepEqual([reply.result, claimed], [codes.success, []])
  await close()
  await proxy.close()
})

/** A store behind a proxy whose server can vanish without a sign. Statements wait for their answer as long as `limits` says. */
async function vanishing() {
  const place = await emptyPlace('postgres')
  const migrated = await openStore('postgres', place)
  const proxy = await proxyStatements(place)
  const limits = { answersWithinMs: 600_000 }
  const store = new SqlStore(openPostgres(proxy.url, { limits }), new Vault(Buffer.alloc(MASTER_KEY_BYTES, 7)))
  const silent = new Set<number>()
  const answering = new Set<number>()
  return {
    store,
    limits,
    /** After the first statement that fits, nothing comes back over its connection. */
    vanishAt(like: RegExp) {
      proxy.judge = ({ text, backend }) => {
        if (like.test(text)) silent.add(backend)
        if (silent.has(backend)) return new Promise<never>(() => {})
        answering.add(backend)
        return 'passes'
      }
    },
    /** Server processes that a statement has reached, silent ones excepted. A test clears the set to learn of later ones. */
    answering,
    silent,
    async close() {
      await store.close()
      await migrated.close()
      await proxy.close()
    },
  }
}
const SOON_MS = 50 // for calls that get no answer

test('postgres: a server that vanishes without a word under COMMIT leaves an unknown outcome, and its connection is not used again', async () => {
  const { store, limits, vanishAt, silent, answering, close } = await vanishing()
  vanishAt(/^(insert|commit)/)
  const unknown = store.transaction(async (transaction) => {
    await transaction.read([settingKey('unknown')])
    limits.answersWithinMs = SOON_MS
    await transaction.write(insertion('unknown'))
  })
  await assert.rejects(unknown, CommitUnknown)
  limits.answersWithinMs = 600_000
  vanishAt(/^never/)
  answering.clear()
  await store.transaction((transaction) => transaction.write(insertion('behind')))
  assert.equal((await store.query.row(settingKey('behind')))?.name, 'behind')
  assert.equal(answering.isDisjointFrom(silent), true)
  await close()
})

for (const [what, like] of [
  ['BEGIN', /^begin/],
  ['a read', /^select/],
] as const)
  test(`postgres: a server that vanishes without a word under ${what} is Unreachable to the whole batch, for certain, and the next is served`, async () => {
    const { store, limits, vanishAt, close } = await vanishing()
    vanishAt(like)
    limits.answersWithinMs = SOON_MS
    const engine = newEngine(store, { commitUnknown: () => assert.fail('no COMMIT was sent') })
    const outcomes = await Promise.allSettled(['one', 'two'].map((name) => engine.submit(touchOnce, { name })))
    assert.ok(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof Unreachable))
    limits.answersWithinMs = 600_000
    vanishAt(/^never/)
    assert.equal((await engine.submit(touchOnce, { name: 'three' })).result, codes.success)
    await close()
  })

test('postgres: a query beside the writer whose server vanishes is Unreachable, and the next goes over another connection', async () => {
  const { store, limits, vanishAt, silent, answering, close } = await vanishing()
  vanishAt(/^select/)
  limits.answersWithinMs = SOON_MS
  await assert.rejects(store.ping(), Unreachable)
  await assert.rejects(store.query.row(settingKey('none')), Unreachable)
  limits.answersWithinMs = 600_000
  vanishAt(/^never/)
  await store.ping()
  assert.equal(answering.isDisjointFrom(silent), true)
  await close()
})

/** A database whose address leads every connection to a read-only server, until it leads to the new primary. */
async function failedOver() {
  const place = await emptyPlace('postgres')
  const admin = new pg.Client(place)
  await admin.connect()
  const database = `alter database "${new URL(place).pathname.slice(1)}"`
  return {
    place,
    async begin() {
      await admin.query(`${database} set default_transaction_read_only = on`)
      await admin.query(
        'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
    },
    end: () => admin.query(`${database} reset default_transaction_read_only`),
    close: () => admin.end(),
  }
}

/** The names that were written since the schema was made. */
const namesIn = async ({ query }: Pick<SqlStore, 'query'>) =>
  (await query.rows(find('settings', { limit: 10 })))
    .map(({ name }) => name)
    .filter((name) => name !== FINGERPRINT)
    .toSorted()

test('postgres: after a fail-over to a server that may only be read a whole batch gets that error at once, and the next is written over a new connection, however many old ones idle', async () => {
  const server = await failedOver()
  const { store: real, close } = await openStore('postgres', server.place)
  const { store, counts } = withFaults(real)
  const engine = newEngine(store, { commitUnknown: () => assert.fail('nothing was committed, for certain') })
  await engine.submit(touchOnce, { name: 'before' })
  await server.begin()
  const looks = () => Array.from({ length: 4 }, () => store.transaction(({ read }) => read([look('settings', 'before')])))
  await Promise.allSettled(looks()) // over connections that were ended
  assert.deepEqual(new Set((await Promise.all(looks())).map(({ size }) => size)), new Set([1]))
  counts.begun = 0
  const outcomes = await Promise.allSettled(Array.from({ length: 64 }, (_, at) => engine.submit(touchOnce, { name: `no ${at}` })))
  assert.ok(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof Unreachable))
  assert.equal(counts.begun, 1)
  await assert.rejects(store.claimTasks('none.due', 1, 1, 2, 1), Unreachable)
  await assert.rejects(store.ping(), /read-only/)
  await Promise.all(looks())
  await server.end()
  await assert.rejects(engine.submit(touchOnce, { name: 'over the last of the old' }), Unreachable)
  assert.equal((await engine.submit(touchOnce, { name: 'after' })).result, codes.success)
  await store.ping()
  assert.deepEqual(await namesIn(store), ['after', 'before'])
  await close()
  await server.close()
})

test('postgres: /readyz says 503 while there are only servers that may be read', async () => {
  const server = await failedOver()
  const service = await startService('postgres', { env: { DATABASE_URL: server.place } })
  const ready = async () => (await fetch(`${service.url}/readyz`)).status
  assert.equal(await ready(), 200)
  await server.begin()
  await ready() // may use a connection whose end has not arrived
  assert.deepEqual([await ready(), await ready()], [503, 503])
  await server.end()
  await ready()
  assert.equal(await ready(), 200)
  await service.close()
  await server.close()
})

test('a store that is only read needs no server to write to', async () => {
  const { place, close } = await openStore('postgres')
  const store = new SqlStore(openPostgres(place, { readOnly: true }), new Vault(Buffer.alloc(MASTER_KEY_BYTES, 7)))
  await store.ping()
  await Promise.all([store.close(), close()])
})

for (const [sqlState, when] of [
  ['25006', 'after'],
  ['25006', 'constraint'],
  ['53100', 'after'],
  ['53200', 'after'],
] as const)
  test(`postgres: ${sqlState} at ${when === 'after' ? 'a statement' : 'COMMIT'} is Unreachable to the whole batch, which is not decided again in halves`, async () => {
    const { store: real, run, close } = await openStore('postgres')
    await run(
      `create function fails() returns trigger language plpgsql as $$ begin raise exception 'injected' using errcode = '${sqlState}'; end $$`,
      when === 'after'
        ? 'create trigger failing after insert on settings for each row execute function fails()'
        : 'create constraint trigger failing after insert on settings deferrable initially deferred for each row execute function fails()',
    )
    const { store, counts } = withFaults(real)
    const engine = newEngine(store, { commitUnknown: () => assert.fail('nothing was committed, for certain') })
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map((at) => engine.submit(touchOnce, { name: `refused ${at}` })))
    assert.ok(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof Unreachable))
    assert.equal(counts.begun, 1)
    assert.deepEqual(await namesIn(store), [])
    await close()
  })

for (const [sqlState, why] of [
  ['53100', 'a disk that is full'],
  ['58030', 'a disk that fails'],
  ['XX000', 'the server’s own mistake'],
] as const)
  test(`postgres: ${why} under COMMIT says nothing of what was committed`, async () => {
    const place = await emptyPlace('postgres')
    const proxy = await proxyStatements(place)
    const { store, close } = await openStore('postgres', proxy.url)
    const instead = `do $$ begin raise exception 'injected' using errcode = '${sqlState}'; end $$`
    proxy.judge = ({ text }) => (text === 'commit' ? { instead } : 'passes')
    await assert.rejects(
      store.transaction((transaction) => transaction.write(insertion('unknown'))),
      CommitUnknown,
    )
    await close()
    await proxy.close()
  })

test('postgres: a key that is taken is another try, and any other UNIQUE the mistake of its command', async () => {
  const { store, run, rows, close } = await openStore('postgres')
  const named = await rows<{ name: string; table: string }>(
    "select conname as name, relname as table from pg_constraint join pg_class on pg_class.oid = conrelid where contype = 'p'",
  )
  for (const name of Object.keys(tables)) {
    const table = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    assert.ok(
      named.some((one) => one.table === table && one.name === `${table}_pkey`),
      `the key of ${table} has another name`,
    )
  }
  await run('create unique index values_once on settings (value)')
  await store.transaction((transaction) => transaction.write(insertion('first', 'one')))
  const again = (name: string, value: string) => store.transaction((transaction) => transaction.write(insertion(name, value)))
  await assert.rejects(again('first', 'two'), TryAgain)
  await assert.rejects(again('second', 'one'), (error: Error & { code?: string }) => error.code === '23505')
  await close()
})
