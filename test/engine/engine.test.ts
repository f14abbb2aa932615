// What the engine promises: one commit for many commands, decided one after another, each with its own reply.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { operations } from '../../src/api/operations.ts'
import { SystemClock } from '../../src/engine/clock.ts'
import { type Change, operation, refuse } from '../../src/engine/decision.ts'
import { Engine, Overloaded } from '../../src/engine/engine.ts'
import { SystemRandom } from '../../src/engine/random.ts'
import { CommitUnknown, RowLocked, type Store, TryAgain, Unreachable } from '../../src/engine/store.ts'
import { LEASE_MS, type Sweep, type TaskHandler, TaskRunner } from '../../src/engine/tasks.ts'
import { createOrder as codes } from '../../src/interface/result-codes.ts'
import { orderKey, settingKey, taskKey } from '../../src/tables/keys.ts'
import { find, lock, type Row } from '../../src/tables/tables.ts'
import { orderBody } from '../support/paying/order-body.ts'
import { MID, type Service, startService, whereSqlDiffers } from '../support/run/service.ts'
import { commitUnknown, lostRace, watched, withFaults } from '../support/store/faults.ts'
import { newEngine, sharedStore } from '../support/store/stores.ts'

// Toy operations on single values, because this tests the engine and no room.
const put = (before: Row<'settings'> | undefined, name: string, value: string): Change => ({
  kind: before ? 'update' : 'insert',
  key: settingKey(name),
  row: { name, value },
})
const done = (value: string, changes: readonly Change[] = []) => ({
  reply: { result: codes.success, body: { value } },
  changes,
  events: [],
  tasks: [],
})
const add = operation({
  name: 'add',
  codes,
  reads: ({ name }: { name: string }) => ({ before: settingKey(name) }),
  decide({ name }, { before }) {
    const value = String(Number(before?.value ?? 0) + 1)
    return done(value, [put(before, name, value)])
  },
})
const set = operation({
  name: 'set',
  codes,
  reads: ({ name }: { name: string; value: string }) => ({ before: settingKey(name) }),
  decide: ({ name, value }, { before }) => done(value, [put(before, name, value)]),
})
const setOnce = operation({
  name: 'setOnce',
  codes,
  reads: ({ name }: { name: string; value: string }) => ({ before: settingKey(name) }),
  decide: ({ name, value }, { before }) => (before ? refuse(codes.duplicateOrderId) : done(value, [put(before, name, value)])),
})
/** Reads the row that a value names, and the row that this one names. Replies with what it finds there. */
const follow = operation({
  name: 'follow',
  codes,
  reads: ({ name }: { name: string }) => ({ first: settingKey(name) }),
  readsNext: (_, { first }) => ({ second: first && settingKey(first.value) }),
  readsLast: (_, { second }) => ({ third: second && settingKey(second.value) }),
  decide: (_, { first, second, third }) => done([first, second, third].map((row) => row?.value ?? '-').join(' ')),
})
/** Reads every value that a row names, and the row that the first of them names. Replies with what it finds, in the order of the names. */
const gather = operation({
  name: 'gather',
  codes,
  reads: ({ name }: { name: string }) => ({ names: settingKey(name) }),
  readsNext: (_, { names }) => ({ listed: (names?.value.split(' ') ?? []).map(settingKey) }),
  readsLast: (_, { listed }) => ({ last: listed[0] && settingKey(listed[0].value) }),
  decide: (_, { listed, last }) => done([...listed, last].map((row) => row?.value ?? '-').join(' ')),
})
const scheduled = operation({
  name: 'scheduled',
  codes,
  reads: (_: { subject: string }) => ({}),
  decide: ({ subject }) => ({ ...done(''), tasks: [{ kind: 'add' as const, task: 'kept.due', subject, dueAt: 1, payload: {} }] }),
})
const broken = (where: 'prefetch' | 'reads' | 'readsNext' | 'decide') => {
  const fail = (here: string) => {
    if (here === where) throw new Error(`broken in ${where}`)
  }
  return operation({
    name: 'broken',
    codes,
    prefetch() {
      fail('prefetch')
      return []
    },
    reads(_: object) {
      fail('reads')
      return { first: settingKey('shared') }
    },
    readsNext() {
      fail('readsNext')
      return {}
    },
    decide() {
      fail('decide')
      return done('')
    },
  })
}

const customer = (mobile: string, walletBalancePaise: number): Row<'customers'> => ({
  mobile,
  userId: `user ${mobile}`,
  walletBalancePaise,
  pendingVerificationSince: null,
  signedInAt: null,
})
/** A wallet below zero passes this decision and is refused by the database. */
const fill = operation({
  name: 'fill',
  codes,
  reads: ({ mobile }: { mobile: string; paise: number }) => ({
    before: lock('customers', mobile),
  }),
  decide: ({ mobile, paise }, { before }) =>
    done('', [{ kind: before ? 'update' : 'insert', key: lock('customers', mobile), row: customer(mobile, paise) }]),
})

const createOrder = (service: Service, orderId: string) =>
  service.signed(`${operations.createOrder.paths[0]}?mid=${MID}&orderId=${orderId}`, orderBody(orderId))
const kept = async (store: Store, name: string) => (await store.query.row(settingKey(name)))?.value
const codesOf = (replies: readonly { result: { code: string } }[]) => replies.map((reply) => reply.result.code)
const bodies = (replies: readonly { body?: object }[]) => replies.map((reply) => (reply.body as { value?: string } | undefined)?.value)

whereSqlDiffers('engine', 'rows are locked, and a lost race is seen, in each engine’s own way', (name) => {
  const opened = sharedStore(name)

  test('commands that wait together share one commit, and each sees what those before it changed', async () => {
    const { store, counts } = withFaults((await opened()).store)
    const engine = newEngine(store)
    const replies = await Promise.all(Array.from({ length: 100 }, () => engine.submit(add, { name: 'counter' })))
    assert.equal(counts.committed, 1)
    assert.deepEqual(
      bodies(replies),
      Array.from({ length: 100 }, (_, at) => String(at + 1)),
    )
    assert.equal(await kept(store, 'counter'), '100')
  })

  test('more commands than a batch holds, new rows and old, are all written', async () => {
    const { store } = await opened()
    const engine = newEngine(store)
    const names = Array.from({ length: 700 }, (_, at) => `many ${at % 350}`)
    const replies = await Promise.all(names.map((name) => engine.submit(add, { name })))
    assert.equal(bodies(replies).filter((value) => value === '2').length, 350)
    const rows = await store.query.rows({ find: 'settings', in: { column: 'name', values: names.slice(0, 350) }, limit: 1_000 })
    assert.deepEqual(new Set(rows.map((row) => row.value)), new Set(['2']))
    assert.equal(rows.length, 350)
  })

  for (const where of ['prefetch', 'reads', 'readsNext', 'decide'] as const) {
    test(`a command that throws in ${where} is rejected and harms no neighbour`, async () => {
      const { store, counts } = withFaults((await opened()).store)
      const engine = newEngine(store)
      const outcomes = await Promise.allSettled([
        engine.submit(add, { name: `beside ${where}` }),
        engine.submit(broken(where), {}),
        engine.submit(add, { name: `beside ${where}` }),
      ])
      assert.deepEqual(
        outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.message : outcome.status)),
        ['fulfilled', `broken in ${where}`, 'fulfilled'],
      )
      assert.equal(counts.committed, 1)
      assert.equal(await kept(store, `beside ${where}`), '2')
    })
  }

  test('rows named by rows are read in further rounds, three at most', async () => {
    const { store } = await opened()
    const engine = newEngine(store)
    for (const [name, value] of [
      ['p1', 'p2'],
      ['p2', 'p3'],
      ['p3', 'end'],
    ] as const)
      await engine.submit(set, { name, value })
    const replies = await Promise.all(['p1', 'p2', 'p3', 'p4'].map((name) => engine.submit(follow, { name })))
    assert.deepEqual(bodies(replies), ['p2 p3 end', 'p3 end -', 'end - -', '- - -'])
  })

  test('the first round reads what is prefetched, and only a row that a later round names reaches the decision', async () => {
    const { store } = await opened()
    for (const [name, value] of Object.entries({ to1: 'ahead1', ahead1: '1', to2: 'ahead2', ahead2: '2' }))
      await newEngine(store).submit(set, { name, value })
    const rounds: string[][] = []
    const counting = watched(store, {
      read(rows, keys) {
        rounds.push(keys.map(({ id }) => id.join()))
        return rows
      },
    })
    const ahead = operation({
      name: 'ahead',
      codes,
      prefetch: ({ guess }: { name: string; guess: string }) => [settingKey(guess)],
      reads: ({ name }) => ({ first: settingKey(name) }),
      readsNext: (_, { first }) => ({ second: first && settingKey(first.value) }),
      decide: (_, state) => done(`${Object.keys(state)} ${state.second?.value}`),
    })
    const reply = async (name: string, guess: string) => bodies([await newEngine(counting).submit(ahead, { name, guess })])
    assert.deepEqual(await reply('to1', 'ahead1'), ['first,second 1'])
    assert.deepEqual(rounds.splice(0), [['to1', 'ahead1']])
    assert.deepEqual(await reply('to2', 'ahead1'), ['first,second 2'])
    assert.deepEqual(rounds, [['to2', 'ahead1'], ['ahead2']])
  })

  test('a last round works without a middle one', async () => {
    const engine = newEngine((await opened()).store)
    await engine.submit(set, { name: 'l1', value: 'l2' })
    await engine.submit(set, { name: 'l2', value: 'here' })
    const skip = operation({
      name: 'skip',
      codes,
      reads: (_: object) => ({ first: settingKey('l1') }),
      readsLast: (_, { first }) => ({ last: first && settingKey(first.value) }),
      decide: (_, { last }) => done(last?.value ?? '-'),
    })
    assert.deepEqual(bodies([await engine.submit(skip, {})]), ['here'])
  })

  test('a command led elsewhere by a neighbour is decided in the next batch, on rows that were read', async () => {
    const { store, counts } = withFaults((await opened()).store)
    const engine = newEngine(store)
    for (const [name, value] of [
      ['d1', 'd2'],
      ['d2', 'd3'],
      ['d3', 'old'],
      ['d4', 'd5'],
      ['d5', 'new'],
    ] as const)
      await engine.submit(set, { name, value })
    const before = counts.committed
    const replies = await Promise.all([
      engine.submit(set, { name: 'd1', value: 'd4' }),
      engine.submit(follow, { name: 'd1' }),
      engine.submit(add, { name: 'd9' }),
    ])
    assert.deepEqual(bodies(replies), ['d4', 'd4 d5 new', '1'])
    assert.equal(counts.committed - before, 2)
  })

  test('each round of reading is asked for once, and again only where a neighbour has changed what it is made of', async () => {
    const { store } = await opened()
    const engine = newEngine(store)
    const asked: string[] = []
    const counted: typeof follow = {
      ...follow,
      readsNext: (command, state) => {
        asked.push(command.name)
        return follow.readsNext!(command, state)
      },
    }
    for (const name of ['round 1', 'round 2']) await engine.submit(set, { name, value: 'nowhere' })
    const replies = await Promise.all([
      engine.submit(set, { name: 'round 2', value: 'nowhere' }),
      ...['round 1', 'round 2'].map((name) => engine.submit(counted, { name })),
    ])
    assert.deepEqual(bodies(replies.slice(1)), ['nowhere - -', 'nowhere - -'])
    assert.deepEqual(asked, ['round 1', 'round 2', 'round 2'])
  })

  test('a list of keys brings a row or nothing for each, in their order and read at once, as the neighbours have left them', async () => {
    const { store } = await opened()
    const rounds: (readonly string[])[] = []
    const noted = watched(store, {
      read(rows, keys) {
        rounds.push(keys.map(({ id }) => id.join()))
        return rows
      },
    })
    const engine = newEngine(noted)
    for (const [name, value] of Object.entries({
      'some names': 'item-3 item-1 item-2 item-1',
      'item-1': 'one',
      'item-3': 'three',
    }))
      await engine.submit(set, { name, value })
    rounds.length = 0
    const replies = await Promise.all([
      engine.submit(gather, { name: 'some names' }),
      engine.submit(set, { name: 'item-2', value: 'two' }),
      engine.submit(gather, { name: 'some names' }),
      engine.submit(gather, { name: 'nowhere' }),
    ])
    assert.deepEqual(bodies(replies), ['three one - one -', 'two', 'three one two one -', '-'])
    assert.deepEqual(rounds, [['some names', 'item-2', 'nowhere'], ['item-3', 'item-1'], ['three']])
  })

  test('a list that a neighbour has made longer, or that leads elsewhere since, is read in the next batch', async () => {
    const { store, counts } = withFaults((await opened()).store)
    const engine = newEngine(store)
    for (const [name, value] of Object.entries({
      'list of entries': 'entry-1',
      'entry-1': 'entry-3',
      'entry-2': 'entry-4',
      'entry-3': 'three',
      'entry-4': 'four',
    }))
      await engine.submit(set, { name, value })
    const before = counts.committed
    const first = [
      engine.submit(set, { name: 'list of entries', value: 'entry-2 entry-1' }),
      engine.submit(gather, { name: 'list of entries' }),
    ]
    assert.deepEqual(bodies(await Promise.all(first)), ['entry-2 entry-1', 'entry-4 entry-3 four'])
    const second = [engine.submit(set, { name: 'entry-2', value: 'entry-3' }), engine.submit(gather, { name: 'list of entries' })]
    assert.deepEqual(bodies(await Promise.all(second)), ['entry-3', 'entry-3 entry-3 three'])
    assert.equal(counts.committed - before, 4)
  })

  test('rows to which a row led are read anew when that row had changed until a neighbour locked it', async () => {
    const { store } = await opened()
    for (const [name, value] of Object.entries({ pointer: 'here', here: 'old', there: 'new', 'to pointer': 'pointer' }))
      await newEngine(store).submit(set, { name, value })
    const pointer = settingKey('pointer')
    let isChanged = false
    const meanwhile = watched(store, {
      read(rows, keys) {
        const key = keys.find(({ name }) => name === pointer.name)
        isChanged ||= key?.mode === 'lock'
        return key && isChanged ? new Map(rows).set(key.name, { name: 'pointer', value: 'there' }) : rows
      },
    })
    const looking = operation({
      name: 'looking',
      codes,
      reads: (_: object) => ({ first: { ...pointer, mode: 'look' as const } }),
      readsNext: (_, { first }) => ({ second: first && settingKey(first.value) }),
      decide: (_, { first, second }) => done(`${first?.value} ${second?.value}`),
    })
    const engine = newEngine(meanwhile)
    const replies = await Promise.all([
      engine.submit(set, { name: 'beside', value: '' }), // so that the other two share the batch after it
      engine.submit(looking, {}),
      engine.submit(follow, { name: 'to pointer' }),
    ])
    assert.deepEqual([isChanged, bodies(replies.slice(1, 2))], [true, ['there new']])
  })

  test('a decision that contradicts what was read is rejected whole, and its neighbours stand', async () => {
    const { store } = await opened()
    const engine = newEngine(store)
    await engine.submit(set, { name: 'exists', value: 'kept' })
    const contradicting = (change: Change, looked = false) =>
      operation({
        name: 'contradicting',
        codes,
        reads: (_: object) => ({
          exists: looked ? { ...settingKey('exists'), mode: 'look' as const } : settingKey('exists'),
          free: settingKey('free'),
        }),
        decide: () => done('', [{ kind: 'insert', key: settingKey('free'), row: { name: 'free', value: 'must not be' } }, change]),
      })
    const row = { name: 'exists', value: 'spoilt' }
    const wrong: [Change, RegExp, boolean?][] = [
      [{ kind: 'insert', key: settingKey('exists'), row }, /insert does not fit what was read/],
      [{ kind: 'update', key: settingKey('never read'), row: { name: 'never read', value: '' } }, /changed without having been read/],
      [{ kind: 'delete', key: settingKey('never read') }, /changed without having been read/],
      [{ kind: 'update', key: settingKey('exists'), row }, /changed without a lock/, true],
    ]
    for (const [change, message, looked] of wrong) {
      const beside = engine.submit(add, { name: 'beside a contradiction' })
      await assert.rejects(engine.submit(contradicting(change, looked), {}), message)
      await beside
    }
    assert.equal(await kept(store, 'exists'), 'kept')
    assert.equal(await kept(store, 'free'), undefined)
    assert.equal(await kept(store, 'beside a contradiction'), String(wrong.length))
  })

  test('an update or delete of a row that is not there is rejected', async () => {
    const engine = newEngine((await opened()).store)
    for (const change of [
      { kind: 'update', key: settingKey('absent'), row: { name: 'absent', value: '' } },
      { kind: 'delete', key: settingKey('absent') },
    ] satisfies Change[]) {
      const wrong = operation({
        name: 'wrong',
        codes,
        reads: (_: object) => ({ absent: settingKey('absent') }),
        decide: () => done('', [change]),
      })
      await assert.rejects(engine.submit(wrong, {}), /does not fit what was read/)
    }
  })

  test('insert, update, delete and insert of one row within a batch leave what the last one said', async () => {
    const { store } = await opened()
    const engine = newEngine(store)
    const remove = operation({
      name: 'remove',
      codes,
      reads: ({ name }: { name: string }) => ({ before: settingKey(name) }),
      decide: ({ name }, { before }) => done(before?.value ?? '-', before ? [{ kind: 'delete', key: settingKey(name) }] : []),
    })
    for (const wasThere of [false, true]) {
      const here = `merged ${wasThere}`
      if (wasThere) await engine.submit(set, { name: here, value: 'zero' })
      const gone = await Promise.all([engine.submit(set, { name: here, value: 'one' }), engine.submit(remove, { name: here })])
      assert.deepEqual(bodies(gone), ['one', 'one'])
      assert.equal(await kept(store, here), undefined)
      await engine.submit(set, { name: here, value: 'two' })
      await Promise.all([engine.submit(remove, { name: here }), engine.submit(setOnce, { name: here, value: 'three' })])
      assert.equal(await kept(store, here), 'three')
    }
  })

  test('a row that the database refuses is the system error of its own command only', async () => {
    const { store } = await opened()
    const engine = newEngine(store)
    const outcomes = await Promise.allSettled(
      [100, 200, -1, 300, 400].map((paise, at) => engine.submit(fill, { mobile: `900000000${at}`, paise })),
    )
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    )
    assert.match(String((outcomes[2] as PromiseRejectedResult).reason), /check/i)
    const rows = await store.query.rows({ find: 'customers', orderBy: ['mobile'], limit: 10 })
    assert.deepEqual(
      rows.map((row) => row.walletBalancePaise),
      [100, 200, 300, 400],
    )
  })

  test('a row that the database refuses costs a full batch of 256 no more than 17 transactions, and its neighbours keep their order', async () => {
    const { store, counts } = withFaults((await opened()).store)
    const engine = newEngine(store)
    const counted = () => engine.submit(add, { name: 'beside a refused row' })
    const before = Array.from({ length: 100 }, counted)
    const refused = engine.submit(fill, { mobile: '9000000009', paise: -1 })
    const behind = Array.from({ length: 155 }, counted)
    await assert.rejects(refused, /check/i)
    assert.deepEqual(
      bodies(await Promise.all([...before, ...behind])),
      Array.from({ length: 255 }, (_, at) => String(at + 1)),
    )
    assert.deepEqual(counts, { begun: 17, committed: 8 })
  })

  test('a locked row is waited for in full once: a command that meets it then is soon alone, its neighbours are done, and it is answered', async () => {
    const { store } = await opened()
    let now = 0
    class HeldClock extends SystemClock {
      override elapsed = () => now
    }
    const waits: (number | undefined)[] = []
    const holding: Store = {
      ...withFaults(store).store,
      transaction: (work, lockWaitMs) => {
        waits.push(lockWaitMs)
        return store.transaction((transaction) => {
          const read: typeof transaction.read = async (keys) => {
            if (keys.some(({ id }) => id[0] === 'held')) throw new RowLocked('injected')
            return transaction.read(keys)
          }
          return work({ ...transaction, read })
        })
      },
    }
    const engine = new Engine(holding, new HeldClock(), new SystemRandom())
    const beside = (count: number) => Array.from({ length: count }, () => engine.submit(add, { name: 'beside a held row' }))
    const all = [...beside(100), engine.submit(add, { name: 'held' }), ...beside(155)]
    const outcomes = await Promise.allSettled(all)
    assert.deepEqual(
      outcomes.flatMap((outcome, at) => (outcome.status === 'rejected' ? [[at, outcome.reason.name]] : [])),
      [[100, 'RowLocked']],
    )
    assert.deepEqual(waits, [undefined, ...Array<number>(16).fill(500)], 'no more often than a row that is refused')
    const waitOf = async (name: string) => {
      waits.length = 0
      await engine.submit(add, { name }).catch(() => {})
      return waits
    }
    now += 59_999
    assert.deepEqual(await waitOf('held'), [500], 'alone it is asked for once')
    now += 59_999
    assert.deepEqual(await waitOf('free again'), [500])
    now += 1
    assert.deepEqual(await waitOf('free again'), [undefined])
  })

  test('a database that is away when a batch that failed is decided again is asked no more than once', async () => {
    const { store } = withFaults((await opened()).store)
    let asked = 0
    const transaction = () => Promise.reject(++asked === 1 ? new Error('the connection was lost') : new Unreachable('injected'))
    const engine = newEngine({ ...store, transaction })
    const outcomes = await Promise.allSettled(Array.from({ length: 256 }, () => engine.submit(add, { name: 'away' })))
    assert.ok(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof Unreachable))
    assert.equal(asked, 2)
  })

  for (const [sqlState, at] of [
    ['40001', 'read'],
    ['40001', 'write'],
    ['40001', 'commit'],
    ['40P01', 'read'],
    ['40P01', 'write'],
  ] as const) {
    test(`${sqlState} at ${at} is decided again and no caller notices`, async () => {
      const { store, counts, fail } = withFaults((await opened()).store)
      const engine = newEngine(store)
      fail(at, lostRace(sqlState))
      fail(at, lostRace(sqlState))
      const here = `retried ${sqlState} ${at}`
      const replies = await Promise.all([1, 2, 3].map(() => engine.submit(add, { name: here })))
      assert.deepEqual(bodies(replies), ['1', '2', '3'])
      assert.deepEqual(counts, { begun: 3, committed: 1 })
      assert.equal(await kept(store, here), '3')
    })
  }

  test('a race that is lost again and again ends in an error and not in a loop', async () => {
    const { store, fail } = withFaults((await opened()).store)
    const engine = newEngine(store)
    for (let times = 0; times < 5; times++) fail('read', lostRace('40001'))
    await assert.rejects(engine.submit(add, { name: 'always lost' }), TryAgain)
    assert.deepEqual(bodies([await engine.submit(add, { name: 'always lost' })]), ['1'])
  })

  test('a database that cannot be reached is asked once for a batch, and the engine goes on', async () => {
    const { store, counts, fail } = withFaults((await opened()).store)
    const engine = newEngine(store)
    fail('begin', new Unreachable('injected'))
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => engine.submit(add, { name: 'unreachable' })))
    assert.ok(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof Unreachable))
    assert.equal(counts.begun, 0)
    assert.deepEqual(bodies([await engine.submit(add, { name: 'unreachable' })]), ['1'])
  })

  for (const [at, after] of [
    ['commit', undefined],
    ['after commit', '3'],
  ] as const) {
    test(`a COMMIT that fails (${at}) is an unknown outcome to every caller of its batch, and the process is notified once`, async () => {
      const { store, fail } = withFaults((await opened()).store)
      const reported: Error[] = []
      const engine = newEngine(store, { commitUnknown: (error) => reported.push(error) })
      fail(at, commitUnknown())
      const outcomes = await Promise.allSettled([1, 2, 3].map(() => engine.submit(add, { name: `unknown ${at}` })))
      assert.ok(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof CommitUnknown))
      assert.equal(reported.length, 1)
      assert.equal(await kept(store, `unknown ${at}`), after)
    })
  }

  test('over HTTP, a COMMIT that fails answers its callers with the system error and stops the process with 70', async () => {
    for (const [at, written] of [
      ['commit', false],
      ['after commit', true],
    ] as const) {
      const exits: number[] = []
      let faults: ReturnType<typeof withFaults> | undefined
      const service = await startService(name, {
        exit: (code) => exits.push(code),
        store(store) {
          faults = withFaults(store)
          return faults.store
        },
      })
      try {
        faults!.fail(at, commitUnknown())
        const orderIds = Array.from({ length: 8 }, (_, number) => `U${number}`)
        const replies = await Promise.all(orderIds.map((orderId) => createOrder(service, orderId)))
        assert.deepEqual(new Set(replies.map((reply) => reply.status)), new Set([200]))
        const failed = orderIds.filter((_, number) => replies[number]!.body.resultInfo.resultCode === '501')
        assert.ok(failed.length > 0)
        for (const [number, orderId] of orderIds.entries()) {
          const { resultCode } = replies[number]!.body.resultInfo
          assert.ok(resultCode === '501' || resultCode === '0000')
          const there = (await service.store.query.row(orderKey(MID, orderId))) !== undefined
          assert.equal(there, resultCode === '0000' || written)
        }
        assert.equal((await fetch(`${service.url}/readyz`)).status, 503)
        while (exits.length === 0) await service.clock.sleep(5) // the reply leaves before the process does
        assert.deepEqual(exits, [70])
      } finally {
        await service.close()
      }
    }
  })

  test('a task that a decision puts back is there for the next decision of its batch', async () => {
    const { store } = await opened()
    const putBack = operation({
      name: 'putBack',
      codes,
      reads: (_: { dueAt: number }) => ({}),
      decide: ({ dueAt }) => ({ ...done(''), tasks: [{ kind: 'add' as const, task: 'again.due', subject: 'one', dueAt, payload: {} }] }),
    })
    const look = operation({
      name: 'look',
      codes,
      reads: (_: object) => ({ task: taskKey('again.due', 'one') }),
      decide: (_, { task }) => done(`${task?.dueAt} ${task?.leaseUntil}`),
    })
    const engine = newEngine(store)
    await engine.submit(putBack, { dueAt: 0 })
    const later = Date.now() + 60_000
    const seen: unknown[] = []
    const handlers: Record<string, TaskHandler> = {
      async 'again.due'(_, lease) {
        const [, found] = await Promise.all([engine.submit(putBack, { dueAt: later }, lease), engine.submit(look, {})])
        seen.push(found.body)
      },
    }
    const tasks = new TaskRunner(store, new SystemClock(), [{ places: 1, handlers }], [], (task) => assert.fail(task))
    assert.deepEqual(await tasks.runDue(), { 'again.due': 1 })
    await tasks.stop()
    assert.deepEqual(seen, [{ value: `${later} 0` }])
    assert.deepEqual((await engine.submit(look, {})).body, seen[0])
  })

  test('due work that fails at every look holds up no other', async () => {
    const { store } = await opened()
    const later = operation({
      name: 'later',
      codes,
      reads: (_: object) => ({}),
      decide: () => ({ ...done(''), tasks: [{ kind: 'add' as const, task: 'other.due', subject: 'one', dueAt: 0, payload: {} }] }),
    })
    const engine = newEngine(store)
    await engine.submit(later, {})
    const failed: string[] = []
    const swept: number[] = []
    const run: string[] = []
    const handlers: Record<string, TaskHandler> = {
      'other.due': async ({ subject }, lease) => {
        run.push(subject)
        await engine.submit(set, { name: 'due work', value: 'done' }, lease)
      },
    }
    const sweep = (name: string, work: () => number): Sweep => ({ name, nextDue: async () => undefined, run: async () => work() })
    const sweeps = [
      sweep('broken.due', () => {
        throw new Error('a row that cannot be read')
      }),
      sweep('whole.due', () => swept.push(1) * 0),
    ]
    const tasks = new TaskRunner(store, new SystemClock(), [{ places: 1, handlers }], sweeps, (task) => failed.push(task))
    assert.deepEqual(await tasks.runDue(), { 'other.due': 1 })
    assert.deepEqual([run, new Set(failed)], [['one'], new Set(['broken.due'])])
    assert.ok(swept.length > 0)
    await tasks.stop()
    // One sweep alone may meet this, for instance where its answer needs more room than the disk has.
    const noRoom = sweep('broken.due', () => {
      throw new Unreachable('no room')
    })
    await engine.submit(later, {})
    const others = new TaskRunner(store, new SystemClock(), [{ places: 1, handlers }], [noRoom], (task) => failed.push(task))
    await assert.rejects(others.runDue(), Unreachable)
    await others.stop()
    assert.deepEqual(run, ['one', 'one'])
  })

  test('when the database is away, a look has one error, and not one of each sweep', async () => {
    const { store } = await opened()
    const clock = new (class extends SystemClock {
      override every(_: number, work: () => void) {
        polls.push(work)
        return () => {}
      }
    })()
    const polls: (() => void)[] = []
    const failed: string[] = []
    let [away, swept] = [true, 0]
    const ended = Promise.withResolvers<void>()
    const run = async () => {
      if (away) throw new Unreachable('away')
      if (++swept === 3) ended.resolve()
      return 0
    }
    const sweeps = ['one.due', 'two.due', 'three.due'].map((name): Sweep => ({ name, nextDue: async () => undefined, run }))
    const first = Promise.withResolvers<void>()
    const tasks = new TaskRunner(store, clock, [], sweeps, (task) => {
      failed.push(task)
      first.resolve()
    })
    tasks.start()
    polls[0]!()
    await first.promise
    away = false
    polls[0]!()
    await ended.promise
    await tasks.stop()
    assert.deepEqual(failed, ['look'])
  })

  test('a sweep with more portions is looked at with every poll, though none had work so far', async () => {
    const { store } = await opened()
    const polls: (() => void)[] = []
    const clock = new (class extends SystemClock {
      override every(_: number, work: () => void) {
        polls.push(work)
        return () => {}
      }
      override sleep = async () => {}
    })()
    let [portions, swept] = [3, Promise.withResolvers<void>()]
    const sweep: Sweep = {
      name: 'walk.due',
      nextDue: async () => undefined,
      hasMore: () => portions > 0,
      run: async () => {
        portions--
        swept.resolve()
        swept = Promise.withResolvers()
        return 0
      },
    }
    const tasks = new TaskRunner(store, clock, [], [sweep], () => {})
    tasks.start()
    for (const left of [2, 1, 0]) {
      const { promise } = swept
      polls[0]!()
      await promise
      await tasks.runDue(0) // the look has ended
      assert.equal(portions, left)
    }
    await tasks.stop()
  })

  test('a task that cannot be opened, or a kind that cannot be claimed, holds up no other of its lane', async () => {
    const { store, run } = await opened()
    const kinds = ['spoilt.due', 'refused.due', 'sound.due']
    const tasks = kinds.flatMap((task) =>
      [1, 2, 3].map((dueAt) => ({ kind: 'add' as const, task, subject: `${task} ${dueAt}`, dueAt, payload: {} })),
    )
    await store.transaction((transaction) => transaction.write({ changes: [], events: [], tasks }))
    await run("update tasks set payload = 'v1.AAAA' where subject = 'spoilt.due 1'")
    const claiming: Store['claimTasks'] = (kind, ...given) =>
      kind === 'refused.due' ? Promise.reject(new Error('injected')) : store.claimTasks(kind, ...given)
    const engine = newEngine(store)
    const begun: string[] = []
    const handler: TaskHandler = async ({ subject }, lease) => {
      begun.push(subject)
      await engine.submit(set, { name: 'of its lane', value: subject }, lease)
    }
    const failed = new Set<string>()
    const lane = { places: 8, handlers: Object.fromEntries(kinds.map((kind) => [kind, handler])) }
    const runner = new TaskRunner(
      { ...withFaults(store).store, claimTasks: claiming },
      new SystemClock(),
      [lane],
      [],
      (task, { message }) => failed.add(`${task}: ${message}`),
    )
    assert.deepEqual(await runner.runDue(), { 'spoilt.due': 2, 'sound.due': 3 })
    assert.deepEqual(begun.toSorted(), ['sound.due 1', 'sound.due 2', 'sound.due 3', 'spoilt.due 2', 'spoilt.due 3'])
    assert.deepEqual(failed, new Set(['spoilt.due: the task of spoilt.due 1 cannot be opened', 'refused.due: injected']))
    await runner.stop()
    await run("delete from tasks where task in ('spoilt.due', 'refused.due')")
  })

  test('time moves through every instant with due work, also where another process does it, and past work that no process can do; a stop leaves it where it is', async () => {
    const { store } = await opened()
    let now = 0
    class MovedClock extends SystemClock {
      override now = () => now
    }
    const moved = async (due: number[], atIt: (instant: number, stop: () => Promise<void>) => void) => {
      now = 0
      const instants: number[] = []
      const sweep = { name: 'others.due', nextDue: async () => due[0], run: async () => 0 }
      const tasks = new TaskRunner(store, new MovedClock(), [], [sweep], () => {})
      await tasks.advance(40, async (instant) => {
        now = instant
        instants.push(instant)
        atIt(instant, async () => void (await tasks.stop()))
      })
      await tasks.stop()
      return instants
    }
    const due = [10, 20, 30]
    assert.deepEqual(await moved(due, () => due.shift()), [10, 20, 30, 40])
    assert.deepEqual(await moved([10], () => {}), [10, 40])
    const stoppedAt = (end: number, left = [10, 20, 30]) =>
      moved(left, (_, stop) => {
        if (left.shift() === end) void stop()
      })
    assert.deepEqual([await stoppedAt(10), await stoppedAt(20)], [[10], [10, 20]])
  })

  test('due work is looked for at once after a rest, then every ten milliseconds however often it is woken, and settling waits for none', async () => {
    const { store } = await opened()
    const rests: { ms: number; end: () => void }[] = []
    let [now, looks] = [0, 0]
    class HeldClock extends SystemClock {
      override elapsed = () => now
      override sleep = (ms: number) => new Promise<void>((end) => void rests.push({ ms, end }))
    }
    let [due, sweeps] = [0, 0]
    const work = (): Promise<number> => Promise.resolve(++sweeps && due-- > 0 ? 1 : 0)
    const nothing = async () => {
      looks++
      return []
    }
    const looked: Store = { ...store, query: { ...store.query, rows: nothing } }
    // One statement looks at all kinds of all lanes.
    const lanes = ['a', 'b'].map((name) => ({
      places: 1,
      handlers: { [`${name}1.due`]: async () => {}, [`${name}2.due`]: async () => {} },
    }))
    const sweep = { name: 'counted.due', nextDue: async () => undefined, run: work }
    const tasks = new TaskRunner(looked, new HeldClock(), lanes, [sweep], () => {})
    const woken = async () => {
      for (let times = 0; times < 5; times++) tasks.wake()
      await new Promise(setImmediate)
      return looks
    }
    assert.deepEqual([await woken(), rests.length], [1, 0], 'nobody had looked')
    now += 4
    assert.deepEqual([await woken(), rests.map(({ ms }) => ms)], [1, [6]])
    due = 100
    assert.deepEqual([await tasks.runDue(), rests.length], [{ 'counted.due': 100 }, 1])
    looks = 0
    rests[0]!.end()
    await new Promise(setImmediate)
    assert.equal(looks, 1, 'the look that was put off')
    now += 10
    assert.deepEqual([await woken(), rests.length], [2, 1])
    tasks.wake()
    await tasks.stop()
    rests[1]!.end()
    await new Promise(setImmediate)
    assert.equal(looks, 2, 'nothing is begun after a stop')
  })

  test('deadlines of rows are swept at a poll and until nothing more is due, not whenever a place is free', async () => {
    const { store } = await opened()
    let now = 0
    class RestedClock extends SystemClock {
      override elapsed = () => now
      override sleep = async (ms: number) => {
        now += ms
      }
    }
    const due = { 'one.due': 3, 'other.due': 1 }
    const swept: string[] = []
    const sweeps = (['one.due', 'other.due'] as const).map((name): Sweep => {
      const run = async () => {
        swept.push(name)
        await new Promise(setImmediate)
        return due[name]-- > 0 ? 1 : 0
      }
      return { name, nextDue: async () => undefined, run }
    })
    const tasks = new TaskRunner(store, new RestedClock(), [], sweeps, () => {})
    tasks.poll()
    while (swept.length < 8) await new Promise(setImmediate)
    assert.deepEqual(swept, Array.from({ length: 4 }, () => ['one.due', 'other.due']).flat(), 'side by side, a portion each')
    for (let looks = 0; looks < 10; looks++) {
      tasks.wake()
      await new Promise(setImmediate)
      await new Promise(setImmediate)
    }
    assert.equal(swept.length, 8)
    assert.deepEqual([await tasks.runDue(), swept.length], [{}, 10], 'settling looks at everything')
    await tasks.stop()
  })

  describe('due work that is committed', () => {
    /** An engine and a runner that knows its batches. Handlers wait until the test releases them. */
    async function atWork(places = 2, heldUpMs = 0) {
      const { store, fail } = withFaults((await opened()).store)
      let claims = 0
      const counting: Store = { ...store, claimTasks: (...given) => store.claimTasks(...given).finally(() => claims++) }
      const begun: Row<'tasks'>[] = []
      const go = Promise.withResolvers<void>()
      const failed: string[] = []
      let lateMs = 0
      const clock = new (class extends SystemClock {
        override realNow = () => super.realNow() + lateMs
      })()
      const engine = newEngine(counting, {
        lease(tasks, fresh) {
          const leased = runner.lease(tasks, fresh)
          lateMs = heldUpMs
          return leased
        },
      })
      const handlers: Record<string, TaskHandler> = {
        async 'kept.due'(task, lease) {
          begun.push(task)
          await go.promise
          await engine.submit(add, { name: task.subject }, lease)
        },
      }
      const runner = new TaskRunner(counting, clock, [{ places, handlers }], [], (_, error) => failed.push(error.name))
      const plan = (...subjects: string[]) => Promise.all(subjects.map((subject) => engine.submit(scheduled, { subject })))
      return { store, fail, engine, runner, plan, begun, failed, go: go.resolve, claims: () => claims }
    }
    const rowsOf = (store: Store) => store.query.rows(find('tasks', { equals: { task: 'kept.due' }, orderBy: ['subject'], limit: 10 }))

    test('is leased with its own row and begun without a claim, as far as there are places; the rest stands behind', async () => {
      const { store, runner, plan, begun, go, claims, failed } = await atWork()
      await plan('a', 'b', 'c', 'd')
      assert.deepEqual(
        begun.map(({ subject, attempts }) => [subject, attempts]),
        [
          ['a', 1],
          ['b', 1],
        ],
      )
      const rows = await rowsOf(store)
      assert.deepEqual(rows.slice(0, 2), begun)
      assert.deepEqual(
        rows.map(({ leaseUntil }) => leaseUntil > Date.now()),
        [true, true, false, false],
      )
      assert.equal(claims(), 0)
      const settled = runner.runDue()
      go()
      assert.deepEqual(await settled, { 'kept.due': 2 })
      assert.deepEqual([await rowsOf(store), failed], [[], []])
      for (const subject of ['a', 'b', 'c', 'd']) assert.equal(await kept(store, subject), '1')
      await runner.stop()
    })

    test('has a quarter of the places beside a long queue, which has the others', async () => {
      const { store, runner, plan, begun, go, failed } = await atWork(4)
      const elsewhere = newEngine(store)
      await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((subject) => elsewhere.submit(scheduled, { subject })))
      const looks = async () => {
        for (let times = 0; times < 4; times++) {
          runner.wake()
          await sleep(20)
        }
      }
      const begins = async (expected: number) => {
        for (let times = 0; begun.length < expected && times < 500; times++) {
          runner.wake()
          await sleep(20)
        }
        await looks() // at which no more begin
      }
      await begins(3)
      assert.equal(begun.length, 3)
      await plan('new', 'newer')
      await begins(4)
      assert.deepEqual(
        begun.slice(3).map(({ subject }) => subject),
        ['new'],
      )
      go()
      assert.deepEqual(await runner.runDue(), { 'kept.due': 4 })
      assert.deepEqual([await rowsOf(store), failed], [[], []])
      await runner.stop()
    })

    test('keeps no place when it was not committed after all, and is begun once when it was at the second try', async () => {
      const { store, fail, runner, plan, begun, go, claims } = await atWork()
      fail('commit', new Error('refused'))
      await assert.rejects(plan('none'), /refused/)
      fail('write', lostRace('40001'))
      await plan('e', 'f')
      assert.deepEqual(
        begun.map(({ subject }) => subject),
        ['e', 'f'],
      )
      go()
      await runner.stop()
      assert.deepEqual([await rowsOf(store), claims()], [[], 0])
    })

    test('is another than the one that was begun under its name before, whose lease is lost', async () => {
      const { store, runner, plan, begun, go, failed } = await atWork()
      await plan('moved')
      await plan('moved')
      const [first, second] = begun
      assert.notEqual(first!.fence, second!.fence)
      assert.deepEqual(await rowsOf(store), [second])
      go()
      await runner.stop()
      assert.deepEqual([await rowsOf(store), failed, await kept(store, 'moved')], [[], ['LeaseLost'], '1'])
    })

    test('is not begun by a process that was held up until its lease ended', async () => {
      const { store, runner, plan, begun, go, claims } = await atWork(1, LEASE_MS)
      await plan('held')
      assert.deepEqual([begun, (await rowsOf(store)).length, claims()], [[], 1, 0])
      go()
      assert.deepEqual(await runner.runDue(), { 'kept.due': 1 }, 'its place is free, and a claim takes it')
      assert.deepEqual([begun.map(({ attempts }) => attempts), await rowsOf(store)], [[2], []])
      await runner.stop()
    })

    test('is left to the next process by one that stops', async () => {
      const { store, runner, plan, begun } = await atWork()
      await runner.stop()
      await plan('left')
      assert.deepEqual([begun, (await rowsOf(store)).map(({ leaseUntil, attempts }) => [leaseUntil, attempts])], [[], [[0, 0]]])
    })
  })

  test('a queue that is full refuses at once, and every command in it is still answered', async () => {
    const engine = newEngine((await opened()).store)
    const nothing = operation({ name: 'nothing', codes, reads: (_: object) => ({}), decide: () => done('') })
    const waiting = Array.from({ length: 20_000 }, () => engine.submit(nothing, {}))
    await assert.rejects(engine.submit(nothing, {}), Overloaded)
    assert.equal(new Set(codesOf(await Promise.all(waiting))).size, 1)
    await engine.submit(nothing, {})
  })
})
