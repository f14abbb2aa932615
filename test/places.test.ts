// Who may be told at once, and when whoever was sent away is called.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Places, type Taken } from '../src/delivery/places.ts'

const ALL = 256
const PER_HOST = 16 // docs/interface.md section 8
const HOST = 'shop.example'

function atWork() {
  const time = { ms: 0 }
  const clock = { now: () => time.ms, elapsed: () => time.ms, sleep: () => new Promise<void>(() => {}) }
  const called: string[] = []
  const places = new Places(clock, ALL, async ({ subject }) => void called.push(subject))
  const take = (subject: string, hostname = HOST, mid = 'M1') => places.take(hostname, mid, { task: 'notification.due', subject })
  const begin = async (subject: string): Promise<Taken> => {
    const taken = await take(subject)
    assert.ok('release' in taken, `${subject} has a place`)
    return taken
  }
  return { time, take, begin, called }
}

/** As many as may be under way at one host, for so long that whoever comes then is sent away. */
async function slow({ time, take, begin }: ReturnType<typeof atWork>, away: number) {
  const first = await Promise.all(Array.from({ length: PER_HOST }, (_, at) => begin(`first-${at}`)))
  time.ms += 20_000
  const times: number[] = []
  for (let at = 0; at < away; at++) {
    const sent = await take(`away-${at}`)
    assert.ok('dueAt' in sent)
    times.push(sent.dueAt - time.ms)
  }
  for (const { release } of first) release()
  return times
}

test('a slow host’s queue comes back one after another, and no slow answer calls it', async () => {
  const work = atWork()
  assert.deepEqual(await slow(work, 4), [1_250, 2_500, 3_750, 5_000])
  assert.deepEqual(work.called, [])
})

test('once a host has answered quickly, its queue comes as fast as it answers, the first first', async () => {
  const work = atWork()
  const { time, begin, called } = work
  const away = 400
  await slow(work, away)
  const began = time.ms
  let next = [await begin('again')]
  while (next.length > 0) {
    time.ms += 5
    const before = called.length
    for (const { release } of next) release()
    await new Promise(setImmediate)
    next = await Promise.all(called.slice(before).map(begin))
    assert.ok(next.length <= PER_HOST, 'never more than may be under way')
  }
  assert.deepEqual(
    called,
    Array.from({ length: away }, (_, at) => `away-${at}`),
  )
  assert.ok(time.ms - began < 5 * (away / PER_HOST + 10), `${time.ms - began} ms`)
})

test('a host that answers one and then none is called no further', async () => {
  const work = atWork()
  const { time, begin, called } = work
  await slow(work, 40)
  const again = await begin('again')
  time.ms += 5
  again.release()
  await new Promise(setImmediate)
  const hanging = await Promise.all(called.map(begin))
  time.ms += 15_000
  for (const { release } of hanging) release()
  assert.deepEqual(called, ['away-0', 'away-1'])
})

test('whose time has come is not called', async () => {
  const work = atWork()
  const { time, begin, called } = work
  await slow(work, 4)
  const again = await begin('again')
  time.ms += 2_500 // of business time too
  again.release()
  const quick = await begin('and again')
  quick.release()
  assert.deepEqual(called, ['away-2', 'away-3'])
})
