// The sandbox's clock: where it may be moved, and what it reads from its store.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { SystemClock } from '../../src/engine/clock.ts'
import { SandboxClock, targetOf } from '../../src/sandbox/clock.ts'
import { settingKey } from '../../src/tables/keys.ts'
import { find } from '../../src/tables/tables.ts'
import { onBothStores, sharedService } from '../support/run/service.ts'

const NOW = Date.parse('2026-06-15T10:00:00+05:30')
const LATE = Date.parse('9970-01-01T00:00:00+05:30')
const NEITHER = 'send either {"advance": "P1D"} or {"to": "2027-01-01T09:00:00+05:30"}'

const cases: readonly [asked: unknown, now: number, target: string][] = [
  [{ advance: 'PT1S' }, NOW, '2026-06-15T04:30:01.000Z'],
  [{ advance: 'P8M16D' }, NOW, '2027-03-03T04:30:00.000Z'],
  [{ to: '2026-06-15T10:00:00+05:30' }, NOW, '2026-06-15T04:30:00.000Z'],
  [{ to: '2026-06-15T10:00:00' }, NOW, '`to` is not an ISO 8601 instant with an offset'],
  [{ advance: 'a day' }, NOW, '`advance` is not an ISO 8601 duration'],
  [{ to: '2026-06-15T04:29:59Z' }, NOW, 'the clock never goes back'],
  [{ advance: '-P1D' }, NOW, 'the clock never goes back'],
  [{ to: '2046-07-01T00:00:00Z' }, NOW, 'the clock moves by at most 20 years'],
  [{ advance: 'P20Y1M' }, NOW, 'the clock moves by at most 20 years'],
  [{ to: '9979-01-01T00:00:00+05:30' }, LATE, '9978-12-31T18:30:00.000Z'],
  [{ advance: 'P9Y' }, LATE, '9978-12-31T18:30:00.000Z'],
  [{ to: '9979-01-01T00:00:00.001+05:30' }, LATE, 'the clock ends with the year 9978'],
  [{ advance: 'P9YT1S' }, LATE, 'the clock ends with the year 9978'],
  [{ advance: 'P1D', to: '2027-01-01T09:00:00+05:30' }, NOW, NEITHER],
  [{}, NOW, NEITHER],
  [null, NOW, NEITHER],
]

test('the clock moves forward, by twenty years at most, and never out of the years of four digits', () => {
  for (const [asked, now, expected] of cases) {
    const target = targetOf(asked, now)
    assert.equal(typeof target === 'number' ? new Date(target).toISOString() : target, expected, JSON.stringify(asked))
  }
})

onBothStores('a clock that is near its end', (store) => {
  const service = sharedService(store)
  test('refuses to go beyond it, and stays where it is', async () => {
    const { clock, call } = await service()
    clock.advance(LATE - clock.now())
    const answer = await call('POST', '/sandbox/clock', {}, '{"advance": "P15Y"}')
    assert.deepEqual([answer.status, answer.body], [400, { error: 'the clock ends with the year 9978' }])
    assert.equal(clock.now(), LATE)
  })
})

test('a store that stands still is asked once, and again when it has answered', async () => {
  let everySecond = () => {}
  const clock = new SystemClock()
  clock.every = (_, work) => {
    everySecond = work
    return () => {}
  }
  const questions: PromiseWithResolvers<unknown>[] = []
  const row = () => {
    const question = Promise.withResolvers<unknown>()
    questions.push(question)
    return question.promise
  }
  const following = new SandboxClock({ query: { rows: row } } as never, clock, undefined as never).follow()
  questions[0]!.resolve([])
  await following
  const seconds = async (count: number) => {
    for (let second = 0; second < count; second++) {
      everySecond()
      await turn()
    }
    return questions.length
  }
  assert.equal(await seconds(5), 2)
  questions[1]!.reject(new Error('there is no answer'))
  await turn()
  assert.equal(await seconds(5), 3)
  questions[2]!.resolve([{ name: 'clockOffsetMs', value: '3600000' }])
  await turn()
  assert.equal(clock.offsetMs, 3_600_000)
})

onBothStores('a clock whose store was emptied by another process', (store) => {
  const started = sharedService(store)
  test('is moved by nothing that began before, and then shows what the store says and says so once', async () => {
    const service = await started()
    const clock = new SystemClock()
    const sandboxClock = new SandboxClock(service.store, clock, service.tasks)
    let emptied = 0
    const stop = await sandboxClock.follow(() => emptied++)
    const ahead = () => Date.now() + 86_400_000
    await sandboxClock.advanceTo(ahead())
    assert.ok(clock.offsetMs > 86_000_000)
    const settings = await service.ports.query.rows(find('settings', { equals: { name: 'clockOffsetMs' }, limit: 1 }))
    await service.store.transaction((transaction) =>
      transaction.write({
        changes: [
          ...settings.map(({ name }) => ({ kind: 'delete', key: settingKey(name) }) as const),
          { kind: 'insert', key: settingKey('sandboxResets'), row: { name: 'sandboxResets', value: '1' } },
        ],
        events: [],
        tasks: [],
      }),
    )
    await sandboxClock.advanceTo(ahead() + 86_400_000)
    assert.equal(await service.ports.query.row(settingKey('clockOffsetMs')), undefined)
    const [before, shown, after] = [clock.realNow(), await sandboxClock.startOver(), clock.realNow()]
    assert.ok(before <= shown && shown <= after)
    assert.deepEqual([clock.offsetMs, emptied], [0, 1])
    await sandboxClock.startOver()
    assert.equal(emptied, 1)
    await sandboxClock.advanceTo(ahead())
    assert.ok(clock.offsetMs > 86_000_000)
    stop()
  })
})
