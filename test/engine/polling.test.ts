// Polls of an idle process: when they look for due work.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { Polling } from '../../src/engine/polling.ts'

let [looks, asked, elapsed, now]: number[] = []
let [revision, dueAt, found]: [string | Error | Promise<string>, number | undefined, number] = ['1', undefined, 0]
let tick: () => Promise<number>

beforeEach(() => {
  ;[looks, asked, elapsed, now, revision, dueAt, found] = [0, 0, 0, 1_000, '1', undefined, 0]
  let work = () => {}
  const every = (everyMs: number, each: () => void) => {
    assert.equal(everyMs, 500)
    work = each
    return () => {}
  }
  const query = { revision: () => (revision instanceof Error ? Promise.reject(revision) : Promise.resolve(revision)) }
  const polling = new Polling(query, { now: () => now!, elapsed: () => elapsed!, every } as never, {
    everyMs: 500,
    poll() {
      looks!++
      polling.looked(found === 0)
    },
    async nextDue() {
      asked!++
      return dueAt
    },
  })
  polling.start()
  /** Half a second passes. Returns how many looks there were so far. */
  tick = async () => {
    elapsed! += 500
    now! += 500
    work()
    await new Promise(setImmediate)
    return looks!
  }
})

const ticks = async (count: number) => {
  for (let at = 0; at < count; at++) await tick()
  return looks
}

test('after a look that found nothing, an idle process looks every five seconds', async () => {
  assert.equal(await tick(), 1)
  assert.deepEqual([await ticks(9), asked], [1, 1])
  assert.equal(await tick(), 2)
  assert.deepEqual([await ticks(9), asked], [2, 1], 'what is due first is asked once')
})

test('a commit of any process is looked at with the next poll', async () => {
  await ticks(3)
  revision = '2'
  assert.equal(await tick(), 2)
  assert.equal(await tick(), 2)
})

test('work that becomes due is looked for at its time, and until it is done', async () => {
  dueAt = 3_000
  assert.equal(await ticks(3), 1, 'at 2,500')
  assert.equal(await tick(), 2, 'at 3,000')
  assert.equal(await tick(), 3, 'it is still due')
  ;[dueAt, revision] = [undefined, 'done']
  assert.equal(await ticks(3), 4)
})

test('while a look finds work, every poll looks', async () => {
  found = 1
  assert.equal(await ticks(4), 4)
  found = 0
  assert.equal(await ticks(4), 5)
})

test('a store that answers late is looked at', async () => {
  await ticks(2)
  revision = new Promise(() => {})
  assert.equal(await ticks(3), 3, 'but for the poll that waits')
})

test('a store that cannot be read is looked at, so that the look reports it', async () => {
  await ticks(2)
  revision = new Error('away')
  assert.equal(await ticks(3), 4)
})
