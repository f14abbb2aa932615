// What a store promises (src/engine/store.ts), on both engines: locks, real errors of the databases, tasks, sealing, files.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { createQueryId, sql } from 'kysely'
import pg from 'pg'
import { isBusy, openAside } from '../../../src/adapters/store/aside/aside.ts'
import { type Backlog, COUNTED_MAX, readBacklog } from '../../../src/adapters/store/backlog.ts'
import { codecs } from '../../../src/adapters/store/codec.ts'
import { openSqlite } from '../../../src/adapters/store/database.ts'
import { findStatement, findValues } from '../../../src/adapters/store/find-statement.ts'
import { openPool } from '../../../src/adapters/store/postgres-pool.ts'
import { createStatements, forPostgres } from '../../../src/adapters/store/schema.ts'
import { SqlStore } from '../../../src/adapters/store/sql-store.ts'
import { MASTER_KEY_BYTES, Vault } from '../../../src/adapters/store/vault.ts'
import { misdatedKeys } from '../../../src/domain/merchant/redate-key.ts'
import { forgettables, forgettableUntil, misdatables, misdatedIn, successorsUntil } from '../../../src/domain/signin/retention.ts'
import { SystemClock } from '../../../src/engine/clock.ts'
import type { Change } from '../../../src/engine/decision.ts'
import { MemoryStore } from '../../../src/engine/memory-store.ts'
import { CommitUnknown, type Store, TryAgain, Unreachable } from '../../../src/engine/store.ts'
import { createOrder as codes } from '../../../src/interface/result-codes.ts'
import type { Table } from '../../../src/tables/columns.ts'
import { idempotencyKeysUntil, ordersToExpire, settingKey, subscriptionsToWake } from '../../../src/tables/keys.ts'
import { find, type Row, type TableName, tables } from '../../../src/tables/tables.ts'
import { type StoreName, whereSqlDiffers } from '../../support/run/service.ts'
import { anOrder, aTransaction } from '../../support/store/listed-rows.ts'
import { claim, lockBoth } from '../../support/store/lock-rows.ts'
import { anyRow, due, kept, keyOf, storeContract } from '../../support/store/store-contract.ts'
import { asideOf, emptyPlace, newEngine, openDatabase, openStore, sharedStore, type TestStore } from '../../support/store/stores.ts'

/** The plan of a statement with unknown parameters, on a table of known size. */
async function queryPlan(name: StoreName, place: string, statement: string): Promise<string> {
  if (name === 'sqlite') {
    const beside = new DatabaseSync(place, { readOnly: true })
    const steps = beside.prepare(`explain query plan ${statement}`).all()
    beside.close()
    return steps.map(({ detail }) => detail).join('\n')
  }
  const client = new pg.Client(place)
  await client.connect()
  await client.query('analyze tasks')
  const { rows } = await client.query(`explain (generic_plan) ${statement}`)
  await client.end()
  return rows.map((row) => row['QUERY PLAN']).join('\n')
}

describe('store (of a simulation)', () => {
  const store = new MemoryStore()
  storeContract(async () => store)
})

whereSqlDiffers('store', 'the contract is what the two engines must both keep', (name) => {
  const opened = sharedStore(name)

  const another = async () => (await openStore(name, (await opened()).place)).store
  storeContract(async () => (await opened()).store, name === 'postgres' ? another : undefined, name === 'sqlite' ? 5_000 : undefined)

  test('a question aside that gets no turn is told apart from a store that does not answer', async () => {
    const aside = asideOf(await opened(), 50)
    const question = find('orders', { equals: { mid: 'nobody' }, limit: 1, unopened: true })
    const places = name === 'postgres' ? 2 : 1
    const [all, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let taken = 0
    const hold = () =>
      aside.query.atOneMoment(async (looks) => {
        await looks.rows(question)
        if (++taken === places) all.resolve()
        await over.promise
      })
    const holders = Array.from({ length: places }, hold)
    await all.promise
    await assert.rejects(aside.query.rows(question), isBusy)
    over.resolve()
    await Promise.all(holders)
    assert.deepEqual(await aside.query.rows(question), [])
    await aside.close()
  })

  test('every table keeps what it is given, in every kind of column, and finds it by key and by column', async () => {
    const database = openDatabase(name, await emptyPlace(name))
    // Without the CHECKs, which an invented row cannot satisfy. migrations.test.ts tests that they exist.
    for (const statement of createStatements()) {
      const unchecked = statement.replaceAll(/,\n {2}check \(.*\)(?=,?\n)/g, '')
      await sql.raw(name === 'postgres' ? forPostgres(unchecked) : unchecked).execute(database.writer)
    }
    const store = new SqlStore(database, new Vault(Buffer.alloc(32, 1)))
    for (const table of Object.keys(tables) as TableName[]) {
      const rows = [1, 2, 3].map((number) => anyRow(table, number))
      const keys = rows.map((row) => keyOf(table, row))
      const changes = rows.map((row, at) => ({ kind: 'insert', key: keys[at]!, row }) as Change)
      await store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
      const { key, columns } = tables[table] as unknown as Table
      if (key.some((column) => columns[column]!.kind === 'integer')) continue // with a number in its key: written once, never read by key
      const read = await store.transaction((transaction) => transaction.read(keys))
      assert.deepEqual(
        keys.map((key) => read.get(key.name)),
        rows,
      )
      const [column] = key
      const value = (rows[1] as Readonly<Record<string, unknown>>)[column!]
      assert.deepEqual(await store.query.rows({ find: table, equals: { [column!]: value }, limit: 10 }), [rows[1]])
    }
    await store.close()
  })

  test('the first rows of a long queue are found in order by an index: nothing is sorted, and the table is not read whole', async () => {
    const { store, database, place } = await openStore(name)
    const asked: string[] = []
    for (const driver of new Set([database.writing, database.reading])) {
      const acquire = driver.acquireConnection.bind(driver)
      driver.acquireConnection = async () => {
        const connection = await acquire()
        const executeQuery: typeof connection.executeQuery = (query) => {
          asked.push(query.sql)
          return connection.executeQuery(query)
        }
        const method = (value: unknown) => (typeof value === 'function' ? value.bind(connection) : value)
        return new Proxy(connection, { get: (of, key) => (key === 'executeQuery' ? executeQuery : method(Reflect.get(of, key))) })
      }
    }
    const tasks = Array.from({ length: 2_000 }, (_, at) => due(`queued ${at}`, at))
    await store.transaction((transaction) => transaction.write({ changes: [], events: [], tasks }))
    asked.length = 0
    await store.claimTasks('test.due', 2_000, 1, 2, 64)
    const each = { column: 'task', values: ['test.due', 'none.due'] } as const
    await store.query.rows(find('tasks', { each, atMost: { leaseUntil: 1 }, orderBy: ['dueAt'], limit: 1, only: ['task', 'dueAt'] }))
    assert.equal(asked.length, 2)
    for (const statement of asked) {
      const plan = await queryPlan(name, place, statement)
      assert.match(plan, /tasks_by_kind/)
      assert.doesNotMatch(plan, /sort|temp b-tree|seq scan|scan tasks/i)
    }
    await store.close()
  })

  test('a sealed value is not in the clear, and does not open in another row or column', async () => {
    const { store, run, rows, place } = await opened()
    const secret = 'the plain text of a sealed column'
    const row = (subject: string) => ({ ...(anyRow('tasks', 1) as Row<'tasks'>), task: 'sealed.due', subject, payload: { secret } })
    const changes = ['one', 'two'].map((subject) => ({ kind: 'insert', key: keyOf('tasks', row(subject)), row: row(subject) }) as Change)
    await store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
    const stored = await rows<{ payload: string; subject: string }>("select payload, subject from tasks where task = 'sealed.due'")
    assert.equal(new Set(stored.map((row) => row.payload)).size, 2)
    assert.ok(stored.every(({ payload }) => !payload.includes('plain') && payload.startsWith('v1.')))
    if (name === 'sqlite') {
      const files = Buffer.concat([readFileSync(place), readFileSync(`${place}-wal`)])
      assert.equal(files.includes(secret), false)
      assert.equal(files.includes('sealed.due'), true) // the search itself finds what is there
    }
    const read = (subject: string) => store.query.row(keyOf('tasks', row(subject)))
    assert.deepEqual((await read('one'))?.payload, { secret })
    await run(
      "update tasks set payload = (select payload from tasks where task = 'sealed.due' and subject = 'two') where task = 'sealed.due' and subject = 'one'",
    )
    await assert.rejects(read('one'), { message: 'a sealed value of tasks.payload does not open' })
    assert.deepEqual((await read('two'))?.payload, { secret })
    await run("update tasks set payload = 'plain' where task = 'sealed.due' and subject = 'one'")
    await assert.rejects(read('one'), { message: 'a value of tasks.payload is sealed in an unknown form' })
    await run("delete from tasks where task = 'sealed.due'")
  })

  test('waiting work is counted by statements that do not grow in number with time, because drivers keep each that they have prepared', async () => {
    const { store, database } = await opened()
    const texts = new Set<string>()
    const reader = database.reader.withPlugin({
      transformQuery({ node }) {
        texts.add(database.reader.getExecutor().compileQuery(node, createQueryId()).sql)
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const at = 5_000
    const before = await readBacklog({ reader }, at)
    await store.transaction((transaction) => transaction.write({ changes: [], events: [], tasks: [due('counted', at + 1)] }))
    const after = await readBacklog({ reader }, at + 1)
    const counted = ({ tasks }: Backlog) => tasks.find(({ task }) => task === 'test.due')?.waiting ?? 0
    assert.equal(counted(after), counted(before) + 1)
    assert.equal(texts.size, 3)
    for (const text of texts) assert.match(text, new RegExp(`limit ${COUNTED_MAX}\\) as counted`))
  })

  test('a long queue is counted up to a limit, and its oldest task is known', async () => {
    const { store, database, run } = await opened()
    const tasks = Array.from({ length: COUNTED_MAX + 1 }, (_, at) => ({ ...due(`long ${at}`, 1 + at), task: 'long.due' }))
    await store.transaction((transaction) => transaction.write({ changes: [], events: [], tasks }))
    const long = async (now: number) => (await readBacklog(database, now)).tasks.find(({ task }) => task === 'long.due')
    assert.deepEqual(await long(COUNTED_MAX - 1), { task: 'long.due', waiting: COUNTED_MAX - 1, oldestDueAt: 1 })
    assert.deepEqual(await long(COUNTED_MAX + 1), { task: 'long.due', waiting: COUNTED_MAX, oldestDueAt: 1 })
    await run("delete from tasks where task = 'long.due'")
  })

  test('a task that cannot be opened is leased and reported, and does not keep others from being found or claimed', async () => {
    const { store, run } = await opened()
    const tasks = ['bad', 'good'].map((subject, at) => ({ ...due(subject, at, { secret: subject }), task: 'unopened.due' }))
    await store.transaction((transaction) => transaction.write({ changes: [], events: [], tasks }))
    await run("update tasks set payload = 'v1.AAAA' where task = 'unopened.due' and subject = 'bad'")
    const first = find('tasks', { equals: { task: 'unopened.due' }, orderBy: ['dueAt'], limit: 1 })
    await assert.rejects(store.query.rows(first))
    const [{ subject, dueAt, payload }] = (await store.query.rows({ ...first, unopened: true })) as [Row<'tasks'>]
    assert.deepEqual([subject, dueAt, payload], ['bad', 0, null])
    for (const [realNow, claimed, reported] of [
      [1_000, ['good'], ['the task of bad cannot be opened']],
      [1_999, [], []],
      [2_000, ['good'], ['the task of bad cannot be opened']],
    ] as const) {
      const unreadable: string[] = []
      const got = await store.claimTasks('unopened.due', 1, realNow, realNow + 1_000, 10, ({ message }) => unreadable.push(message))
      assert.deepEqual([got.map((task) => task.subject), unreadable], [claimed, reported])
    }
    await run("delete from tasks where task = 'unopened.due'")
  })

  test('close gives everything back: the place can be opened again at once', async () => {
    const first = await openStore(name)
    await newEngine(first.store).submit(claim, { name: 'stays', value: '1' })
    await first.close()
    await assert.rejects(
      first.store.transaction(async () => {}),
      Unreachable,
    )
    const second = await openStore(name, first.place)
    assert.equal(await kept(second.store, 'stays'), '1')
    await second.close()
  })
})

test('sqlite: WAL and synchronous=FULL are in force, and the reader cannot write', async () => {
  const { rows, run, database, close } = await openStore('sqlite')
  const pragma = async (name: string) => (await rows<Record<string, unknown>>(`pragma ${name}`))[0]![name]
  assert.equal(await pragma('journal_mode'), 'wal')
  assert.equal(await pragma('synchronous'), 2) // FULL
  await run("insert into settings values ('a', 'b')")
  await assert.rejects(sql.raw('delete from settings').execute(database.reader), /readonly/)
  await close()
})

test('sqlite: a second process is refused in a sentence, and let in when the first is killed', async (t) => {
  const place = await emptyPlace('sqlite')
  // Garbage collection closes a database without references, and its lock ends with it.
  const script = `import { openSqlite } from ${JSON.stringify(new URL('../../../src/adapters/store/database.ts', import.meta.url).href)}
    const held = openSqlite(${JSON.stringify(place)}); console.log('open'); setInterval(() => held.warnings, 1000)`
  const holder = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.after(() => holder.kill('SIGKILL'))
  await once(holder.stdout, 'data')
  const refusal =
    /another process is using .*mohur\.sqlite; stop it first: the embedded store serves one process \(set DATABASE_URL for more\)/
  assert.throws(() => openSqlite(place), refusal)
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  const mine = openSqlite(place)
  assert.throws(() => openSqlite(place), refusal)
  await mine.close()
})

test('sqlite: queries that come while the thread beside ends are answered by the next thread, each with its own rows', async () => {
  const opened = await openStore('sqlite')
  const mids = ['A', 'B', 'C', 'D']
  const changes = mids.map((mid) => anOrder({ mid, orderId: `OF_${mid}`, txnTokenHash: mid, txnTokenIssuedAt: 1 }))
  await opened.store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
  const aside = asideOf(opened)
  const ask = async (mid: string) =>
    (await aside.query.rows(find('orders', { equals: { mid }, limit: 5, unopened: true }))).map(({ orderId }) => orderId)
  assert.deepEqual(await ask('A'), ['OF_A'])
  const ended = aside.close()
  assert.deepEqual(
    await Promise.all(mids.map(ask)),
    mids.map((mid) => [`OF_${mid}`]),
  )
  await ended
  for (const mid of mids) assert.deepEqual(await ask(mid), [`OF_${mid}`])
  await aside.close()
  await opened.close()
})

test('postgres: a question aside to a server that is away is not busy, and takes no place from the next one', async () => {
  const aside = openAside({ databaseUrl: 'postgres://127.0.0.1:1/none', dataFolder: '' }, new Vault(Buffer.alloc(MASTER_KEY_BYTES, 1)), 50)
  for (let time = 0; time < 3; time++) {
    const isAway = (error: unknown) => error instanceof Unreachable && !isBusy(error)
    await assert.rejects(aside.query.rows(find('orders', { equals: { mid: 'nobody' }, limit: 1, unopened: true })), isAway)
  }
  await aside.close()
})

test('sqlite: a COMMIT that the database refuses is an unknown outcome, and the store goes on', async () => {
  const { store, run, close } = await openStore('sqlite')
  await run(
    'create table parent (id text primary key)',
    'create table child (id text references parent (id) deferrable initially deferred)',
    "create trigger orphan after insert on settings when new.value = 'orphan' begin insert into child values (new.name); end",
  )
  const reported: Error[] = []
  const engine = newEngine(store, { commitUnknown: (error) => reported.push(error) })
  const outcomes = await Promise.allSettled([
    engine.submit(claim, { name: 'beside', value: '' }),
    engine.submit(claim, { name: 'refused', value: 'orphan' }),
  ])
  assert.ok(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof CommitUnknown))
  assert.equal(reported.length, 1)
  await engine.submit(claim, { name: 'later', value: '' })
  assert.equal(await kept(store, 'beside'), undefined)
  assert.equal(await kept(store, 'later'), '')
  await close()
})

test('postgres: of two processes that insert one row, the slower decides again and refuses', async () => {
  const mine = await openStore('postgres')
  const theirs = await openStore('postgres', mine.place)
  let tries = 0
  const slow: Store = {
    ...passing(mine.store),
    transaction: (work) =>
      mine.store.transaction((transaction) =>
        work({
          ...transaction,
          async read(keys) {
            const rows = await transaction.read(keys)
            if (++tries === 1) await newEngine(theirs.store).submit(claim, { name: 'raced', value: 'theirs' })
            return rows
          },
        }),
      ),
  }
  const engine = newEngine(slow)
  const [reply, beside] = await Promise.all([
    engine.submit(claim, { name: 'raced', value: 'mine' }),
    engine.submit(claim, { name: 'not raced', value: 'mine' }),
  ])
  assert.equal(reply.result, codes.duplicateOrderId)
  assert.equal(beside.result, codes.success)
  assert.equal(tries, 2)
  assert.equal(await kept(mine.store, 'raced'), 'theirs')
  await Promise.all([mine.close(), theirs.close()])
})

test('postgres: two processes that lock two rows in opposite order both succeed (a real 40P01)', async (t) => {
  const mine = await openStore('postgres')
  const theirs = await openStore('postgres', mine.place)
  await mine.run("insert into settings values ('left', 'l'), ('right', 'r')")
  const lost: string[] = []
  let arrived = 0
  let release = () => {}
  const bothHoldOne = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow = (store: Store): Store => {
    let first = true
    return {
      ...passing(store),
      async transaction(work) {
        try {
          return await store.transaction((transaction) =>
            work({
              ...transaction,
              async read(keys) {
                const rows = await transaction.read(keys)
                if (first) {
                  first = false
                  if (++arrived === 2) release()
                  await bothHoldOne
                }
                return rows
              },
            }),
          )
        } catch (error) {
          if (error instanceof TryAgain) lost.push((error.cause as { code: string }).code)
          throw error
        }
      },
    }
  }
  const replies = await Promise.all([
    newEngine(slow(mine.store)).submit(lockBoth, { first: 'left', second: 'right' }),
    newEngine(slow(theirs.store)).submit(lockBoth, { first: 'right', second: 'left' }),
  ])
  assert.ok(replies.every((reply) => reply.result === codes.success))
  t.diagnostic(`real deadlocks: ${lost.join(', ')}`)
  assert.deepEqual([...new Set(lost)], ['40P01']) // the other try may meet the same neighbour
  assert.deepEqual([await kept(mine.store, 'left'), await kept(mine.store, 'right')], ['l+', 'r+'])
  await Promise.all([mine.close(), theirs.close()])
})

test('postgres: a deadlock between two that wait for each other is still another try', async () => {
  const { store, run, place, close } = await openStore('postgres')
  await run("insert into settings values ('one', ''), ('two', '')")
  const theirs = new pg.Client(place)
  await theirs.connect()
  await theirs.query("set deadlock_timeout = '60s'; begin; select 1 from settings where name = 'two' for update") // so ours finds it
  const mine = store.transaction(async (transaction) => {
    await transaction.read([settingKey('one')])
    void theirs.query("select 1 from settings where name = 'one' for update")
    await transaction.read([settingKey('two')])
  })
  await assert.rejects(mine, TryAgain)
  await theirs.query('rollback')
  await theirs.end()
  await close()
})

/** PostgreSQL acts on the transaction when a value is inserted, at the statement or at COMMIT. */
async function withTrigger(when: 'after' | 'constraint', action: string): Promise<TestStore> {
  const opened = await openStore('postgres')
  await opened.run(
    'create sequence tries',
    `create function misbehave() returns trigger language plpgsql as $$ begin if new.value = 'misbehave' then ${action} end if; return new; end $$`,
    when === 'after'
      ? 'create trigger misbehaves after insert on settings for each row execute function misbehave()'
      : 'create constraint trigger misbehaves after insert on settings deferrable initially deferred for each row execute function misbehave()',
  )
  return opened
}
const everySecondTime = (sqlState: string) =>
  `if nextval('tries') % 2 = 1 then raise exception 'not now' using errcode = '${sqlState}'; end if;`

for (const [sqlState, when] of [
  ['40001', 'after'],
  ['40001', 'constraint'],
  ['40P01', 'constraint'],
] as const) {
  test(`postgres: ${sqlState} ${when === 'after' ? 'at a statement' : 'at COMMIT'} is decided again, and no connection is lost by it`, async () => {
    const { store, close } = await withTrigger(when, everySecondTime(sqlState))
    const engine = newEngine(store)
    for (let times = 0; times < 40; times++) {
      const reply = await engine.submit(claim, { name: `try ${times}`, value: 'misbehave' })
      assert.equal(reply.result, codes.success)
    }
    await close()
  })
}

test('postgres: a COMMIT that the server refuses is certain: its own command fails, and its neighbours stand', async () => {
  const { store, close } = await withTrigger('constraint', "raise exception 'no such thing' using errcode = '23514';")
  const reported: Error[] = []
  const engine = newEngine(store, { commitUnknown: (error) => reported.push(error) })
  for (let times = 0; times < 20; times++) {
    const outcomes = await Promise.allSettled([
      engine.submit(claim, { name: `before ${times}`, value: '' }),
      engine.submit(claim, { name: `refused ${times}`, value: 'misbehave' }),
      engine.submit(claim, { name: `after ${times}`, value: '' }),
    ])
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
  }
  assert.deepEqual(reported, [])
  await close()
})

test('postgres: a connection that is lost at COMMIT is an unknown outcome', async () => {
  const { store, close } = await withTrigger('constraint', 'perform pg_terminate_backend(pg_backend_pid());')
  const reported: Error[] = []
  const engine = newEngine(store, { commitUnknown: (error) => reported.push(error) })
  await assert.rejects(engine.submit(claim, { name: 'lost', value: 'misbehave' }), CommitUnknown)
  assert.equal(reported.length, 1)
  await engine.submit(claim, { name: 'found', value: '' })
  await close()
})

test('postgres: a connection that is lost before COMMIT fails its command with a certain error', async () => {
  const { store, close } = await withTrigger('after', 'perform pg_terminate_backend(pg_backend_pid());')
  const engine = newEngine(store, { commitUnknown: () => assert.fail('the outcome is known') })
  const outcomes = await Promise.allSettled([
    engine.submit(claim, { name: 'lost', value: 'misbehave' }),
    engine.submit(claim, { name: 'beside', value: '' }),
  ])
  assert.deepEqual(
    outcomes.map((outcome) => outcome.status),
    ['rejected', 'fulfilled'],
  )
  assert.equal(await kept(store, 'lost'), undefined)
  await close()
})

test('postgres: a server that does not answer is Unreachable, asked once for a whole batch', async () => {
  const nobody = openDatabase('postgres', 'postgres://postgres@127.0.0.1:1/postgres')
  const store = new SqlStore(nobody, new Vault(Buffer.alloc(32, 1)))
  const engine = newEngine(store)
  const outcomes = await Promise.allSettled([1, 2, 3].map((number) => engine.submit(claim, { name: `nobody ${number}`, value: '' })))
  assert.ok(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof Unreachable))
  await assert.rejects(store.ping())
  await store.close()
})

/** The parts of a store that a test does not change. */
const passing = (store: Store): Omit<Store, 'transaction'> => ({
  query: store.query,
  concurrency: store.concurrency,
  claimTasks: (...given) => store.claimTasks(...given),
  ping: () => store.ping(),
  close: () => store.close(),
})

test('an operator is warned of what the database is set to lose', async () => {
  const [sqlite, postgres] = [await openStore('sqlite'), await openStore('postgres')]
  const clock = new SystemClock()
  assert.deepEqual(await sqlite.database.warnings(clock), [])
  const warnings = await postgres.database.warnings(clock) // the tests' server is fast, not durable, and has no standby
  assert.ok(warnings.some((warning) => warning.includes('no synchronous standby')))
  await Promise.all([sqlite.close(), postgres.close()])
})

test('sweeps find rows by columns in the clear, so that no row that cannot be opened hides the others', () => {
  const swept = [ordersToExpire(1), subscriptionsToWake(1, 1), idempotencyKeysUntil(1), successorsUntil(1)]
  const forgotten = [...forgettables.map((table) => forgettableUntil(table, 1)), ...misdatables.map(({ table }) => misdatedIn(table, 1))]
  for (const each of [...swept, misdatedKeys(1), ...forgotten]) assert.equal(each.unopened, true, each.find)
})

test('postgres: an operator is warned of a machine whose clock is further from the server’s than leases bear', async () => {
  const { database, close } = await openStore('postgres')
  const reported = async (aheadMs: number) => {
    const warnings = await database.warnings({ realNow: () => Date.now() + aheadMs })
    return warnings.filter((warning) => /clock and PostgreSQL's are \d+ seconds apart/.test(warning)).length
  }
  assert.deepEqual([await reported(0), await reported(40_000), await reported(-40_000)], [0, 1, 1])
  await close()
})

test('a short hash has 48 bits, the same each time, and others under another key, for another purpose or of another text', () => {
  const [one, two] = [1, 2].map((byte) => new Vault(Buffer.alloc(MASTER_KEY_BYTES, byte))) as [Vault, Vault]
  const texts = Array.from({ length: 1_000 }, (_, at) => `text ${at}`)
  const all = [...texts.map((text) => one.shortHash('search', text)), two.shortHash('search', 'text 0'), one.shortHash('other', 'text 0')]
  assert.equal(new Set(all).size, all.length)
  assert.ok(all.every((hash) => Number.isInteger(hash) && hash >= 0 && hash < 2 ** 48) && Math.max(...all) > 2 ** 47)
  assert.equal(one.shortHash('search', 'text 7'), all[7])
})

test('a word of a closed list is written into the statement, and anything else is bound', async () => {
  const { orders } = codecs(new Vault(Buffer.alloc(MASTER_KEY_BYTES)))
  assert.equal(orders.literal('status', 'CREATED'), "'CREATED'") // a plan for any value could not use a partial index
  for (const value of ["' or 1=1 --", 'created', undefined, 5]) assert.equal(orders.literal('status', value), undefined)
  assert.equal(orders.literal('mid', 'CREATED'), undefined)
  const opened = await openStore('postgres')
  const due =
    "prepare due (bigint, bigint) as select * from orders where status = 'CREATED' and expires_at <= $1 order by expires_at limit $2"
  const plan = await opened.database.writer.connection().execute(async (one) => {
    for (const statement of ['set enable_seqscan = off', 'set plan_cache_mode = force_generic_plan', due])
      await sql.raw(statement).execute(one)
    return JSON.stringify((await sql.raw('explain execute due (5, 10)').execute(one)).rows)
  })
  assert.match(plan, /orders_to_expire/)
  await opened.close()
})

test('postgres: a claim that was planned beside a few tasks takes a long queue in order, and sorts nothing', async () => {
  const opened = await openStore('postgres')
  const columns = 'task, subject, due_at, attempts, fence, lease_until, payload, added_at'
  for (let few = 1; few <= 5; few++) {
    // Few enough that every plan looks equally cheap.
    const kinds = `select 'kind ' || kind, 'subject ' || kind || ' ' || number, number, 0, 7, 0, repeat('x', 300), 0 from generate_series(1, 12) kind, generate_series(1, ${few}) number`
    await opened.run('truncate tasks', `insert into tasks (${columns}) ${kinds}`, 'vacuum analyze tasks')
    assert.deepEqual(await opened.store.claimTasks('none', 1, 1, 2, 1), [])
    const plan = await opened.database.writer.connection().execute(async (one) => {
      const found = "select name from pg_prepared_statements where statement like 'with due%'"
      const [prepared] = (await sql.raw<{ name: string }>(found).execute(one)).rows
      await sql.raw('set plan_cache_mode = force_generic_plan').execute(one)
      return JSON.stringify((await sql.raw(`explain execute ${prepared!.name} ('kind 1', 1, 1, 1, 1)`).execute(one)).rows)
    })
    assert.match(plan, /Index Scan using tasks_by_kind on tasks .*Tid Scan on tasks/, plan)
    assert.doesNotMatch(plan, /Sort/, plan)
  }
  await opened.close()
})

test('postgres: a list over a period that grew quickly is read in the order of its index, and sorts only what it shows', async () => {
  const opened = await openStore('postgres')
  const changes = Array.from({ length: 4_000 }, (_, at) => aTransaction({ mid: `SHOP${at % 20}`, txnId: `T${at}`, initiatedAt: 1 + at }))
  await opened.store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
  const codec = codecs(new Vault(Buffer.alloc(MASTER_KEY_BYTES))).transactions
  const list = find('transactions', {
    ...{
      atLeast: { initiatedAt: 1 },
      atMost: { initiatedAt: 4_000 },
      orderBy: ['initiatedAt', 'mid', 'txnId'],
      direction: 'desc',
      limit: 51,
    },
    ...{ filter: { firstOf: 1_000, sum: { columns: ['walletPaise', 'bankPaise'], is: 5 } }, unopened: true },
  })
  const pool = openPool(opened.place, 1, 'asks aside')
  let place = 0
  const statement = findStatement(codec, list).replaceAll('?', () => `$${++place}`)
  const { rows } = await pool.query(`explain (analyze) ${statement}`, findValues(codec, list))
  await pool.end()
  await opened.close()
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  assert.match(plan, /Index Only Scan Backward using transactions_lately on transactions .*rows=1000/, plan)
  assert.doesNotMatch(plan, /Sort Key: transactions|Seq Scan/, plan)
})
