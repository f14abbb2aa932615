// What every store promises the engine (src/engine/store.ts). Both databases and the store of a simulation must pass.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Change, operation, type TaskChange } from '../../../src/engine/decision.ts'
import { LeaseLost } from '../../../src/engine/engine.ts'
import { type Store, TryAgain } from '../../../src/engine/store.ts'
import { createOrder as codes } from '../../../src/interface/result-codes.ts'
import type { Column, Table } from '../../../src/tables/columns.ts'
import { settingKey } from '../../../src/tables/keys.ts'
import { find, type Key, lock, type Row, type TableName, tables } from '../../../src/tables/tables.ts'
import { newEngine } from './stores.ts'

export const success = { reply: { result: codes.success }, changes: [], events: [], tasks: [] }
export const schedule = operation({
  name: 'schedule',
  codes,
  reads: (_: { tasks: readonly TaskChange[] }) => ({}),
  decide: ({ tasks }) => ({ ...success, tasks }),
})
/** The decision of a task. It counts its permitted runs. */
const runTask = operation({
  name: 'runTask',
  codes,
  reads: ({ counter }: { counter: string; next?: readonly TaskChange[] }) => ({ before: settingKey(counter) }),
  decide: ({ counter, next }, { before }) => ({
    ...success,
    changes: [
      {
        kind: before ? 'update' : 'insert',
        key: settingKey(counter),
        row: { name: counter, value: String(Number(before?.value ?? 0) + 1) },
      },
    ],
    tasks: next ?? [],
  }),
})
export const due = (subject: string, dueAt: number, payload = {}): TaskChange => ({
  kind: 'add',
  task: 'test.due',
  subject,
  dueAt,
  payload,
})
const cancelled = (subject: string): TaskChange => ({ kind: 'cancel', task: 'test.due', subject })
/** An invented row. Rows of different numbers differ in every column that can. */
export function anyRow(table: TableName, number: number): Row<TableName> {
  const columns = Object.entries<Column>(tables[table].columns).map(([column, { kind, optional, oneOf }]) => {
    if (optional && number === 2) return [column, null]
    if (kind === 'text') return [column, oneOf ? oneOf[number % oneOf.length] : `${table} ${column} ${number} ₹'"?\\`]
    if (kind === 'integer') return [column, number === 3 ? Number.MAX_SAFE_INTEGER : number]
    return [column, kind === 'boolean' ? number % 2 === 0 : { text: `"₹" \u0001 ${number}`, list: [number, null, true] }]
  })
  return Object.fromEntries(columns) as Row<TableName>
}
export const keyOf = <T extends TableName>(table: T, row: Row<T>): Key<T> =>
  lock(table, ...(tables[table] as unknown as Table).key.map((column) => (row as Readonly<Record<string, string>>)[column]!))
export const kept = async (store: Store, name: string) => (await store.query.row(settingKey(name)))?.value

/**
 * `opened` is one store for all of them. `another` is a further process on it, where there can be one; its caller closes it. `looksAtMost`
 * is the number of tasks at which a store looks at once, where it blocks this process meanwhile.
 */
export function storeContract(opened: () => Promise<Store>, another?: () => Promise<Store>, looksAtMost?: number) {
  test('sets are found by equality, lists, bounds, order and place, and never more than the limit', async () => {
    const store = await opened()
    const row = (mobile: string, walletBalancePaise: number) => ({
      ...(anyRow('customers', 1) as Row<'customers'>),
      mobile,
      userId: `user of ${mobile}`,
      walletBalancePaise,
    })
    const rows = ['a', 'b', 'c', 'd', 'e'].map((letter, at) => row(`sets ${letter}`, at * 100))
    const changes = rows.map((row) => ({ kind: 'insert', key: keyOf('customers', row), row }) as Change)
    await store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
    const letters = async (options: Parameters<typeof find<'customers'>>[1]) =>
      (await store.query.rows(find('customers', options))).map((row) => row.mobile.slice(-1)).join('')
    const mine = { column: 'mobile' as const, values: rows.map((row) => row.mobile) }
    assert.equal(await letters({ in: mine, orderBy: ['mobile'], limit: 10 }), 'abcde')
    assert.equal(await letters({ in: mine, orderBy: ['mobile'], direction: 'desc', limit: 2 }), 'ed')
    assert.equal(await letters({ in: mine, orderBy: ['walletBalancePaise', 'mobile'], beyond: [200, 'sets c'], limit: 10 }), 'de')
    assert.equal(await letters({ in: mine, orderBy: ['mobile'], direction: 'desc', beyond: ['sets c'], limit: 10 }), 'ba')
    assert.equal(await letters({ in: mine, atMost: { walletBalancePaise: 200 }, orderBy: ['mobile'], limit: 10 }), 'abc')
    assert.equal(
      await letters({ equals: { mobile: 'sets d', pendingVerificationSince: rows[3]!.pendingVerificationSince }, limit: 10 }),
      'd',
    )
  })

  test('texts have the order of their characters, as JavaScript compares them, in lists, bounds and places', async () => {
    const store = await opened()
    const printable = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at))
    const names = [
      ...printable.map((sign) => `order ${sign}`),
      ...['AB', 'Ab', 'aB', 'ab', 'a-b', 'a.b', 'a_b'].map((end) => `order ${end}`),
    ]
    const changes = names.map((name): Change => ({ kind: 'insert', key: settingKey(name), row: { name, value: 'ordered' } }))
    await store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
    const sorted = names.toSorted() // by UTF-16 units, which for these texts is the order of bytes too
    const listed = async (options: Partial<Parameters<typeof find<'settings'>>[1]>) =>
      (await store.query.rows(find('settings', { equals: { value: 'ordered' }, orderBy: ['name'], limit: 200, ...options }))).map(
        (row) => row.name,
      )
    assert.deepEqual(await listed({}), sorted)
    assert.deepEqual(await listed({ direction: 'desc' }), sorted.toReversed())
    for (const [at, name] of sorted.entries()) {
      assert.deepEqual(await listed({ beyond: [name], limit: 1 }), sorted.slice(at + 1, at + 2))
      assert.deepEqual(await listed({ atMost: { name }, direction: 'desc', limit: 1 }), [name])
    }
  })

  test('a row that is ensured is written where its key is free, and one that is there stays', async () => {
    const store = await opened()
    const ensured = (value: string): Change => ({ kind: 'ensure', key: settingKey('ensured'), row: { name: 'ensured', value } })
    const write = (...changes: Change[]) => store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
    await write(ensured('first'))
    await write(ensured('second'), { kind: 'insert', key: settingKey('beside'), row: { name: 'beside', value: 'there' } })
    assert.deepEqual([await kept(store, 'ensured'), await kept(store, 'beside')], ['first', 'there'])
    const ensure = operation({
      ...{ name: 'ensure', codes, reads: (_: { value: string }) => ({}) },
      decide: ({ value }) => ({ ...success, changes: [ensured(value)] }),
    })
    const engine = newEngine(store)
    await Promise.all(['third', 'fourth'].map((value) => engine.submit(ensure, { value })))
    assert.equal(await kept(store, 'ensured'), 'first')
    const replace = operation({
      ...{ name: 'replace', codes, reads: (_: object) => ({ row: settingKey('ensured') }) },
      decide: () => ({ ...success, changes: [{ kind: 'delete', key: settingKey('ensured') }] }),
    })
    await Promise.all([engine.submit(replace, {}), engine.submit(ensure, { value: 'fifth' })])
    assert.equal(await kept(store, 'ensured'), 'fifth', 'deleted and ensured in one batch')
  })

  test('of a set only the columns that are asked for are read, and a sealed one is opened', async () => {
    const store = await opened()
    const row = { ...(anyRow('merchantKeys', 1) as Row<'merchantKeys'>), mid: 'ONLY' }
    const change = { kind: 'insert', key: keyOf('merchantKeys', row), row } as Change
    await store.transaction(({ write }) => write({ changes: [change], events: [], tasks: [] }))
    const only = ['mid', 'clientId', 'generation', 'key'] as const
    const [found] = await store.query.rows(find('merchantKeys', { equals: { mid: 'ONLY' }, only, limit: 1 }))
    assert.deepEqual({ ...found }, Object.fromEntries(only.map((column) => [column, row[column]])))
  })

  test('a set is found once for each value that is named, in order and up to its limit each time', async () => {
    const store = await opened()
    const engine = newEngine(store)
    const kinds = ['each.due', 'other.due', 'late.due']
    const of = (task: string, ...dues: number[]) => dues.map((dueAt) => ({ ...due(`${task} ${dueAt}`, dueAt), task }))
    const tasks = [...of(kinds[0]!, 3, 1, 2), ...of(kinds[1]!, 9, 8), ...of(kinds[2]!, 11)]
    await engine.submit(schedule, { tasks })
    const first = async (values: readonly string[]) => {
      const set = { each: { column: 'task', values }, atMost: { dueAt: 10 }, orderBy: ['dueAt'], only: ['task', 'dueAt'] } as const
      return (await store.query.rows(find('tasks', { ...set, limit: 2 }))).map(({ task, dueAt }) => `${task} ${dueAt}`)
    }
    assert.deepEqual(await first([...kinds, 'none.due']), ['each.due 1', 'each.due 2', 'other.due 8', 'other.due 9'])
    assert.deepEqual(await first([]), [])
    await engine.submit(schedule, { tasks: tasks.map(({ task, subject }) => ({ kind: 'cancel' as const, task, subject })) })
  })

  test('a set is counted up to its limit', async () => {
    const store = await opened()
    const changes = [1, 2, 3].map((segment): Change => {
      const row = { segment, term: 48, number: 5 }
      return { kind: 'insert', key: keyOf('searchTerms', row), row }
    })
    await store.transaction((transaction) => transaction.write({ changes, events: [], tasks: [] }))
    const among = (...values: number[]) => ({ column: 'segment' as const, values })
    assert.equal(await store.query.count(find('searchTerms', { in: among(1, 2, 3, 4), limit: 10 })), 3)
    assert.equal(await store.query.count(find('searchTerms', { in: among(1, 2, 3), limit: 2 })), 2)
    assert.equal(await store.query.count(find('searchTerms', { in: among(1), atLeast: { number: 6 }, limit: 10 })), 0)
  })

  test('a transaction that throws leaves nothing, and its connection is used again', async () => {
    const store = await opened()
    for (let times = 0; times < 20; times++) {
      const thrown = store.transaction(async (transaction) => {
        await transaction.write({
          changes: [{ kind: 'insert', key: settingKey('rolled back'), row: { name: 'rolled back', value: '' } }],
          events: [],
          tasks: [],
        })
        throw new Error('after the write')
      })
      await assert.rejects(thrown, /after the write/)
    }
    assert.equal(await kept(store, 'rolled back'), undefined)
  })

  test('a read shows the state before a commit or after it, and not half of each', async () => {
    const store = await opened()
    const names = ['moment a', 'moment b']
    const write = (kind: 'insert' | 'update', value: string) =>
      store.transaction((transaction) =>
        transaction.write({ changes: names.map((name) => ({ kind, key: settingKey(name), row: { name, value } })), events: [], tasks: [] }),
      )
    await write('insert', 'old')
    let written: Promise<void> | undefined
    const read = () =>
      store.query.atOneMoment(async ({ row, rows }) => {
        const first = await row(settingKey(names[0]!))
        written ??= write('update', 'new')
        await Promise.race([written, sleep(200)]) // a store of one thread writes only when the reads are over
        const all = await rows(find('settings', { in: { column: 'name', values: names }, limit: 3 }))
        return [first, await row(settingKey(names[1]!)), ...all].map((each) => each?.value)
      })
    assert.deepEqual(await read(), ['old', 'old', 'old', 'old'])
    await written
    assert.deepEqual(await read(), ['new', 'new', 'new', 'new'])
    await assert.rejects(
      store.query.atOneMoment(async () => {
        throw new Error('within it')
      }),
      /within it/,
    )
    assert.deepEqual(await read(), ['new', 'new', 'new', 'new'])
  })

  test('an event cannot be written twice under one version', async () => {
    const store = await opened()
    const event = { type: 'test.happened', owner: 'M', id: 'once', version: 1, from: '', to: 'A', at: 1, data: {} }
    const write = () => store.transaction((transaction) => transaction.write({ changes: [], events: [event], tasks: [] }))
    await write()
    await assert.rejects(write(), TryAgain)
  })

  test('two claimers never get the same task, and every due task is claimed', async () => {
    const store = await opened()
    const other = await another?.()
    const engine = newEngine(store)
    const subjects = Array.from({ length: 200 }, (_, number) => `claimed ${number}`)
    await engine.submit(schedule, { tasks: [...subjects.map((subject) => due(subject, 1_000)), due('not yet due', 1_001)] })
    const claims = await Promise.all(
      Array.from({ length: 12 }, (_, at) => (at % 2 ? (other ?? store) : store).claimTasks('test.due', 1_000, 5_000, 6_000, 25)),
    )
    const claimed = claims.flat().map((task) => task.subject)
    assert.equal(new Set(claimed).size, claimed.length)
    assert.ok(claims.every((tasks) => tasks.length <= 25))
    for (let more = [{}]; more.length > 0; ) {
      more = [...(await store.claimTasks('test.due', 1_000, 5_000, 6_000, 100))]
      claimed.push(...(more as Row<'tasks'>[]).map((task) => task.subject))
    }
    assert.deepEqual(claimed.sort(), subjects.sort())
    await engine.submit(schedule, { tasks: [...subjects, 'not yet due'].map(cancelled) })
    await other?.close()
  })

  test('tasks added or leased beyond a time are found in portions, each once, among many others', async () => {
    const store = await opened()
    const engine = newEngine(store)
    const [many, times] = [12_500, { added: 4e15, leased: 5e15 }]
    const tasks = Array.from({ length: many }, (_, at) => due(`beyond ${at}`, 1_000_000 + at) as Extract<TaskChange, { kind: 'add' }>)
    const put = (...put: TaskChange[]) => store.transaction((transaction) => transaction.write({ changes: [], events: [], tasks: put }))
    const dated = tasks.map((task, at) => (at === 3 || at === many - 1 ? { ...task, addedAt: 4e15 + 1 } : { ...task, addedAt: 4e15 }))
    for (let at = 0; at < many; at += 2_500) await put(...dated.slice(at, at + 2_500)) // a busy machine commits all at once too late
    await put({ ...tasks[9_000]!, lease: { fence: 7, until: 5e15 + 1 } }, { ...tasks[9_001]!, lease: { fence: 7, until: 5e15 } })
    const found: string[] = []
    let portions = 0
    for (let after: number | undefined; portions === 0 || after !== undefined; portions++) {
      const { tasks, next } = await store.query.tasksBeyond(times, after)
      found.push(...tasks.map(({ task, subject }) => `${task} ${subject}`))
      after = next
    }
    assert.deepEqual(found.toSorted(), [3, 9_000, many - 1].map((at) => `test.due beyond ${at}`).toSorted())
    if (looksAtMost) assert.ok(portions > many / looksAtMost, `${portions} portions`)
    for (let at = 0; at < many; at += 5_000)
      await engine.submit(schedule, { tasks: tasks.slice(at, at + 5_000).map(({ subject }) => cancelled(subject)) })
  })

  test('tasks are claimed in the order they are due', async () => {
    const store = await opened()
    const engine = newEngine(store)
    await engine.submit(schedule, { tasks: [due('third', 30), due('first', 10), due('second', 20)] })
    const claimed = await store.claimTasks('test.due', 100, 0, 1, 2)
    assert.deepEqual(
      claimed.map((task) => task.subject),
      ['first', 'second'],
    )
    await engine.submit(schedule, { tasks: ['first', 'second', 'third'].map(cancelled) })
  })

  test('a lease that ran out is claimed again under a higher fence, and only the new holder may decide', async () => {
    const store = await opened()
    const engine = newEngine(store)
    await engine.submit(schedule, { tasks: [due('leased', 1, { secret: 'kept' })] })
    const [first] = await store.claimTasks('test.due', 1, 1_000, 2_000, 10)
    assert.deepEqual(first!.payload, { secret: 'kept' })
    assert.deepEqual(await store.claimTasks('test.due', 1, 1_999, 3_000, 10), [])
    const [second] = await store.claimTasks('test.due', 1, 2_000, 3_000, 10)
    assert.ok(second!.fence > first!.fence)
    assert.equal(second!.attempts, 2)
    await assert.rejects(engine.submit(runTask, { counter: 'leased' }, first), LeaseLost)
    await engine.submit(runTask, { counter: 'leased' }, second)
    await assert.rejects(engine.submit(runTask, { counter: 'leased' }, second), LeaseLost)
    assert.equal(await kept(store, 'leased'), '1')
    assert.deepEqual(await store.claimTasks('test.due', 1, 9_000, 9_001, 10), [])
  })

  test('a task submitted twice under one lease, also in one batch, is carried out once', async () => {
    const store = await opened()
    const engine = newEngine(store)
    await engine.submit(schedule, { tasks: [due('twice', 1)] })
    const [lease] = await store.claimTasks('test.due', 1, 1_000, 2_000, 10)
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => engine.submit(runTask, { counter: 'twice' }, lease)))
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.name : 'done')),
      ['done', 'LeaseLost', 'LeaseLost'],
    )
    assert.equal(await kept(store, 'twice'), '1')
  })

  for (const together of [false, true]) {
    test(`a task that was moved ${together ? 'in the same batch ' : ''}is lost to its old lease, and stays`, async () => {
      const store = await opened()
      const engine = newEngine(store)
      const subject = `moved ${together}`
      await engine.submit(schedule, { tasks: [due(subject, 1)] })
      const [lease] = await store.claimTasks('test.due', 1, 1_000, 2_000, 10)
      const moved = engine.submit(schedule, { tasks: [due(subject, 5)] })
      if (!together) await moved
      await assert.rejects(engine.submit(runTask, { counter: subject }, lease), LeaseLost)
      await moved
      assert.deepEqual(await store.claimTasks('test.due', 4, 1_000, 2_000, 10), [])
      const [again] = await store.claimTasks('test.due', 5, 1_000, 2_000, 10)
      assert.ok(again!.fence > lease!.fence)
      await engine.submit(runTask, { counter: subject }, again)
    })
  }

  test('a task that schedules itself again keeps its place and loses its lease', async () => {
    const store = await opened()
    const engine = newEngine(store)
    await engine.submit(schedule, { tasks: [due('renewed', 1)] })
    const [lease] = await store.claimTasks('test.due', 1, 1_000, 2_000, 10)
    await engine.submit(runTask, { counter: 'renewed', next: [due('renewed', 7)] }, lease)
    await assert.rejects(engine.submit(runTask, { counter: 'renewed' }, lease), LeaseLost)
    const [next] = await store.claimTasks('test.due', 7, 1_000, 2_000, 10)
    await engine.submit(runTask, { counter: 'renewed' }, next)
    assert.equal(await kept(store, 'renewed'), '2')
  })

  test('a lease of a task that ended does not fit a later task of the same name', async () => {
    const store = await opened()
    const engine = newEngine(store)
    await engine.submit(schedule, { tasks: [due('reborn', 1)] })
    const [old] = await store.claimTasks('test.due', 1, 1_000, 2_000, 10)
    const [holder] = await store.claimTasks('test.due', 1, 2_000, 3_000, 10)
    await engine.submit(runTask, { counter: 'reborn' }, holder)
    await engine.submit(schedule, { tasks: [due('reborn', 2)] })
    const [later] = await store.claimTasks('test.due', 2, 4_000, 5_000, 10)
    for (const stale of [old, holder]) await assert.rejects(engine.submit(runTask, { counter: 'reborn' }, stale), LeaseLost)
    await engine.submit(runTask, { counter: 'reborn' }, later)
    assert.equal(await kept(store, 'reborn'), '2')
  })

  test('the reader sees what is committed and nothing else, and its revision changes with each commit', async () => {
    const store = await opened()
    const before = await store.query.revision()
    await store.transaction(async (transaction) => {
      const change: Change = { kind: 'insert', key: settingKey('open'), row: { name: 'open', value: 'yes' } }
      await transaction.write({ changes: [change], events: [], tasks: [] })
      assert.equal(await kept(store, 'open'), undefined)
    })
    assert.equal(await kept(store, 'open'), 'yes')
    assert.notEqual(await store.query.revision(), before)
  })
}
