// The notifications that one host may get at once, and when postponed ones are called again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HostSlots, type TakenSlot } from '../../../src/adapters/delivery/host-slots.ts'

const ALL = 256
const PER_HOST = 16 // docs/interface.md section 8, like the next
const PER_QUICK_HOST = 64
const HOST = 'shop.example'
const AWAY_MAX = 10_000 // of all hosts together
const TIMEOUT_MS = 15_000
const LONGEST_MS = 5 * 60_000 // until a postponed notification comes by itself

function atWork() {
  const time = { ms: 0 }
  const looks = { count: 0, max: Number.POSITIVE_INFINITY }
  const elapsed = () => {
    if (++looks.count > looks.max) throw new Error('the clock was looked at too often')
    return time.ms
  }
  const clock = { now: () => time.ms, elapsed, sleep: () => new Promise<void>(() => {}) }
  const called: string[] = []
  const places = new HostSlots(clock, ALL, async ({ subject }) => void called.push(subject))
  const take = (subject: string, hostname = HOST, mid = 'M1') => places.take(hostname, mid, { task: 'notification.due', subject })
  const begin = async (subject: string, hostname = HOST): Promise<TakenSlot> => {
    const taken = await take(subject, hostname)
    assert.ok('release' in taken, `${subject} has a place`)
    return taken
  }
  return { time, looks, take, begin, called }
}

/** Puts as many as allowed under way at one host, for so long that the next ones are postponed. */
async function slow({ time, take, begin }: ReturnType<typeof atWork>, away: number, hostname = HOST) {
  const first = await Promise.all(Array.from({ length: PER_HOST }, (_, at) => begin(`first-${at}`, hostname)))
  time.ms += 20_000
  const times: number[] = []
  for (let at = 0; at < away; at++) {
    const sent = await take(`away-${at}`, hostname)
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
    next = await Promise.all(called.slice(before).map((subject) => begin(subject)))
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
  const hanging = await Promise.all(called.map((subject) => begin(subject)))
  time.ms += 15_000
  for (const { release } of hanging) release()
  assert.deepEqual(called, ['away-0', 'away-1'])
})

test('a postponed notification whose time has come is not called', async () => {
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

/** Those that have ended by now. */
async function settledOf(all: readonly Promise<TakenSlot | { dueAt: number }>[]) {
  const settled: (TakenSlot | { dueAt: number })[] = []
  for (const each of all) void each.then((taken) => settled.push(taken))
  await new Promise(setImmediate)
  return settled
}

test('where as many are postponed as can be remembered, those that have come by themselves make room, while quick hosts rest', async () => {
  const work = atWork()
  const { time, begin, called, looks } = work
  for (const hostname of ['quick.example', 'quicker.example']) {
    const taken = await begin('one', hostname)
    time.ms += 5
    taken.release()
  }
  await slow(work, AWAY_MAX)
  time.ms += LONGEST_MS
  looks.max = looks.count + 10_000 // a walk through all hosts reads the clock at each: it must end within these reads
  await slow(work, 1, 'other.example')
  const next = await begin('again', 'other.example')
  time.ms += 5
  next.release()
  assert.deepEqual(called, ['away-0'])
})

test('a notification that comes while this process has not read a quick host’s answers waits here, and is not postponed', async () => {
  const { time, take, begin } = atWork()
  const quick = await begin('quick')
  time.ms += 2
  quick.release()
  const underWay = await Promise.all(Array.from({ length: PER_QUICK_HOST }, (_, at) => begin(`under-way-${at}`)))
  time.ms += 400
  const waiting = Array.from({ length: ALL - PER_QUICK_HOST }, (_, at) => take(`waiting-${at}`))
  assert.deepEqual(await settledOf(waiting), [])
  for (const { release } of underWay) release()
  const begun = await settledOf(waiting)
  assert.equal(begun.length, PER_HOST, 'whose answers took 400 ms')
  assert.ok(begun.every((taken) => 'release' in taken))
})

test('a host that has answered fast is known at its next notification, until a thousand other hosts got one since', async () => {
  const { time, take, begin } = atWork()
  /** Asks for one slot more than an unknown host may have at once. True when it waits here with the others. */
  async function isKnown() {
    const all = Array.from({ length: ALL / 2 + 1 }, () => take('many', HOST))
    const isHere = (await settledOf(all.slice(-1))).every((taken) => 'release' in taken)
    const over = new Set<unknown>()
    while (over.size < all.length) {
      time.ms += 1
      for (const taken of await settledOf(all)) {
        if ('release' in taken && !over.has(taken)) taken.release()
        over.add(taken)
      }
    }
    return isHere
  }
  assert.deepEqual([await isKnown(), await isKnown()], [false, true])
  for (let at = 0; at < 1_000; at++) {
    const { release } = await begin('one', `shop-${at}.example`)
    time.ms += 1
    release()
  }
  assert.equal(await isKnown(), false)
})

test('a host that answers within a quarter of a second has sixty-four at once, and as soon as it takes longer sixteen', async () => {
  const { time, take, begin } = atWork()
  const quick = await begin('quick')
  time.ms += 250
  quick.release()
  const underWay = await Promise.all(Array.from({ length: PER_QUICK_HOST }, (_, at) => begin(`under-way-${at}`)))
  const waiting = Array.from({ length: PER_QUICK_HOST }, (_, at) => take(`waiting-${at}`))
  time.ms += 250
  underWay[0]!.release()
  assert.equal((await settledOf(waiting)).length, 1, 'one goes, one comes')
  time.ms += 501 // half a second may be the service's own: 751 ms are 251 of the host's
  for (const { release } of underWay.slice(1, 1 + PER_QUICK_HOST - PER_HOST)) release()
  assert.equal((await settledOf(waiting)).length, 1, 'those that are under way go first')
  for (const { release } of underWay.slice(1 + PER_QUICK_HOST - PER_HOST)) release()
  assert.equal((await settledOf(waiting)).length, PER_HOST)
})

test('quick hosts that fall silent together leave half of all places to others, sixteen for each', async () => {
  const { time, take } = atWork()
  const hosts = Array.from({ length: 5 }, (_, at) => `shop-${at}.example`)
  for (const host of hosts) {
    const quick = await take('quick', host, host)
    time.ms += 2
    if ('release' in quick) quick.release()
  }
  const begun = []
  for (const host of hosts) begun.push((await settledOf(Array.from({ length: PER_QUICK_HOST }, () => take('one', host, host)))).length)
  assert.deepEqual(begun, [PER_QUICK_HOST, PER_QUICK_HOST, PER_HOST, PER_HOST, PER_HOST])
})

test('a quick host that falls silent keeps no notification waiting', async () => {
  const { time, take, begin } = atWork()
  const quick = await begin('quick')
  time.ms += 2
  quick.release()
  for (let at = 0; at < PER_HOST; at++) await begin(`silent-${at}`)
  time.ms += 20_000
  assert.ok('dueAt' in (await take('late')))
})

test('a notification in line goes on waiting while its host is quick, and is postponed when it is not', async () => {
  const time = { ms: 0 }
  const wake: (() => void)[] = []
  const sleep = () => new Promise<void>((resolve) => void wake.push(resolve))
  const places = new HostSlots({ now: () => time.ms, elapsed: () => time.ms, sleep }, ALL, async () => {})
  const take = () => places.take(HOST, 'M1', { task: 'notification.due', subject: 'one' })
  const aSecondLater = async () => {
    time.ms += 1_000
    for (const each of wake.splice(0)) each()
    await new Promise(setImmediate)
  }
  for (let at = 0; at < PER_HOST; at++) assert.ok('release' in (await take()))
  const waiting = take()
  await aSecondLater()
  assert.deepEqual(await settledOf([waiting]), [], 'sixteen a second are quick enough for one')
  time.ms += 20_000
  await aSecondLater()
  assert.ok('dueAt' in (await waiting))
})

test('a merchant whose hosts were all silent before keeps half of all places free, and asks for places less and less often', async () => {
  const { time, take } = atWork()
  const hosts = 20
  const queue: { subject: string; dueAt: number }[] = Array.from({ length: 2 * ALL }, (_, at) => ({ subject: `n${at}`, dueAt: 0 }))
  const asked: number[] = []
  for (let round = 0; round < 4; round++) {
    const until = time.ms + TIMEOUT_MS
    const held = new Set<TakenSlot>()
    let count = 0
    while (time.ms < until) {
      for (const waiting of queue.filter(({ dueAt }) => dueAt <= time.ms)) {
        count++
        const taken = take(waiting.subject, `shop-${Number(waiting.subject.slice(1)) % hosts}.example`)
        waiting.dueAt = Number.POSITIVE_INFINITY // waits in line until it gets a slot or a later time
        void taken.then((known) => {
          if ('release' in known) held.add(known)
          else waiting.dueAt = known.dueAt
        })
      }
      await new Promise(setImmediate)
      time.ms += 100
    }
    assert.ok(held.size <= ALL / 2, `round ${round}: ${held.size} held`)
    for (const { release } of held) release()
    await new Promise(setImmediate)
    for (const waiting of queue) if (waiting.dueAt === Number.POSITIVE_INFINITY) waiting.dueAt = until + TIMEOUT_MS
    asked.push(count)
    time.ms += TIMEOUT_MS
  }
  const each = queue.length * (TIMEOUT_MS / 100)
  assert.ok(Math.max(...asked) < each / 10, `asked ${asked.join(', ')} times in a round; every 100 ms would be ${each}`)
})
