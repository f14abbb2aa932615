// Bytes on a kept connection, of any kind and at any time, never count as the answer to the next notification. They never reach another
// merchant. docs/decisions/0015. test/load/kept-connections.ts runs all cases, over TLS too.
// Runs alone: it counts connections while nothing else of its process has one.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { resolve as resolvePath } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Egress } from '../../../../src/adapters/delivery/egress.ts'
import { keepAliveMs } from '../../../../src/adapters/delivery/keep-alive.ts'
import { clean, kinds } from '../../../support/notifications/answers.ts'
import { allPositions, type Case, host, runCases, summary } from '../../../support/notifications/kept-connections.ts'

const OF_TLS = 8 // every eighth kind
const DOUBT_MS = 3_000 // longer than four posts take on a busy machine

test('no kind of answer at any position is taken for another, reaches another merchant, or leads where a name leads later', async () => {
  const plain = allPositions.flatMap((position) => kinds.map((kind): Case => ({ kind, position, isTls: false })))
  const some = kinds.filter((_, at) => at % OF_TLS === 0)
  const overTls = allPositions.flatMap((position) => some.map((kind): Case => ({ kind, position, isTls: true })))
  const cases = [...plain, ...overTls]
  assert.ok(kinds.length >= 40)
  const counts = await runCases(cases)
  console.log(summary(cases, counts))
  const { canaries, shared, unasked } = counts
  assert.deepEqual({ canaries, shared, unasked }, { canaries: 0, shared: 0, unasked: 0 })
})

/** A host on this machine, and an egress that posts to it. */
async function poster(limits = {}) {
  const at = await host(false)
  const egress = new Egress('sandbox', async () => ['127.0.0.1'], { totalMs: 5_000, ...limits })
  after(() => {
    egress.close()
    at.close()
  })
  const port = new URL(at.url).port
  const post = (id: number, { mid = 'A', url = at.url } = {}) => egress.post(url, {}, `{"mid":"${mid}","id":${id}}`, mid)
  return { at, egress, port, post }
}
const answered = (httpStatus: number) => ({ outcome: 'answered', httpStatus })
const open = ({ connections }: Awaited<ReturnType<typeof host>>) => connections.filter(({ socket }) => !socket.closed)

test('a request that a kept connection resets is sent once more over a new one, and a second failure is that of the attempt', async () => {
  const { at, post } = await poster()
  assert.deepEqual(await post(201), answered(201))
  at.acts.set(202, (socket) => {
    at.acts.delete(202)
    socket.resetAndDestroy()
  })
  assert.deepEqual(await post(202), answered(202))
  assert.deepEqual(
    at.connections.map(({ requests }) => requests),
    [2, 1],
  )
  at.acts.set(203, (socket) => socket.resetAndDestroy())
  assert.deepEqual(await post(203), { outcome: 'unreachable' })
  assert.deepEqual(
    at.connections.map(({ requests }) => requests),
    [2, 2, 1],
  )
})

test('a request that a kept connection breaks off after a byte, or does not answer in time, is not sent again', async () => {
  const { at, post } = await poster({ totalMs: 5_000 })
  at.acts.set(202, (socket) => socket.write('H', () => socket.resetAndDestroy()))
  at.acts.set(204, () => {})
  assert.deepEqual(await post(201), answered(201))
  assert.deepEqual(await post(202), { outcome: 'unreachable' })
  assert.deepEqual(await post(203), answered(203))
  assert.deepEqual(await post(204), { outcome: 'timeout' })
  assert.deepEqual(
    at.connections.map(({ requests }) => requests),
    [2, 2],
  )
})

test('no connection to a host that sends unasked bytes is kept for a while', async () => {
  const { at, post } = await poster({ doubtMs: DOUBT_MS })
  for (const mid of ['A', 'B']) assert.deepEqual(await post(201, { mid }), answered(201))
  const [kept] = at.connections
  kept!.socket.write(clean(299))
  await once(kept!.socket, 'close')
  const since = at.connections.length
  for (const id of [202, 203, 204]) assert.deepEqual(await post(id), answered(id))
  assert.equal(at.connections.length - since, 3, 'one for each')
  assert.deepEqual(await post(202, { mid: 'B' }), answered(202))
  assert.equal(at.connections.length - since, 3, 'another merchant’s is not doubted')
  await sleep(DOUBT_MS)
  for (const id of [205, 206]) assert.deepEqual(await post(id), answered(id))
  assert.equal(at.connections.length - since, 4)
})

test('one merchant’s spellings of a host share a connection, and two merchants never do', async () => {
  const { at, port, post } = await poster()
  const spellings = ['hooks.example', 'HOOKS.example', 'hooks.example.', 'hooks%2eexample', 'ｈooks.example'].map(
    (name) => `http://${name}:${port}/`,
  )
  for (const mid of ['A', 'B']) {
    for (const url of [...spellings, `http://hooks.example:0${port}/other?a=b#c`])
      assert.deepEqual(await post(201, { mid, url }), answered(201), url)
  }
  assert.deepEqual(
    at.connections.map(({ mids, requests }) => [...mids, requests]),
    [
      ['A', 6],
      ['B', 6],
    ],
  )
  assert.deepEqual(await post(201, { url: `http://A@hooks.example:${port}/` }), { outcome: 'refused' })
  await post(202, { url: `http://127.0.0.1:${port}/` })
  assert.equal(at.connections.length, 3, 'another name is another host')
})

test('sixty-four connections are kept for one merchant and host, 512 in all, and none longer than its age', async () => {
  const { at, post } = await poster()
  const many = (mids: number, each: number) =>
    Promise.all(Array.from({ length: mids * each }, (_, of) => post(200 + (of % 90), { mid: `M${of % mids}` })))
  const settled = async (expected: number) => {
    for (let tries = 0; tries < 50 && open(at).length > expected; tries++) await sleep(100)
    assert.equal(open(at).length, expected)
  }
  await many(1, 80)
  await settled(64)
  await many(40, 14)
  await settled(512)
  const brief = await poster({ ageMs: 150 })
  await brief.post(201)
  await once(brief.at.connections[0]!.socket, 'close')
  await brief.post(202)
  assert.equal(brief.at.connections.length, 2)
})

test('a kept connection does not keep the process alive', async () => {
  const { port } = await poster()
  const program = `
    const { Egress } = await import(process.argv[1])
    const posted = await new Egress('sandbox').post(process.argv[2], {}, '{"mid":"A","id":201}', 'A')
    const began = performance.now()
    process.on('exit', () => console.log(JSON.stringify({ ...posted, isQuick: performance.now() - began < 2_000 })))`
  const egress = resolvePath(import.meta.dirname, '../../../../src/adapters/delivery/egress.ts')
  const url = `http://localhost:${port}/`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, egress, url])
  assert.deepEqual(JSON.parse(stdout), { ...answered(201), isQuick: true })
})

test('an answer says for how long its connection may be kept', () => {
  const head = (...lines: string[]) => Buffer.from(['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n'), 'latin1')
  const nothing = 'content-length: 0'
  const expected: readonly [Buffer, number][] = [
    [Buffer.from(clean(200)), Number.POSITIVE_INFINITY],
    [head(nothing, 'Keep-Alive: timeout=5, max=100'), 4_000],
    [head(nothing, 'keep-alive:timeout = "3"'), 2_000],
    [head(nothing, 'keep-alive: timeout=5', 'keep-alive: timeout=2'), 1_000],
    [head(nothing, 'keep-alive: timeout=1'), 0],
    [head(nothing, 'keep-alive: timeout=0'), 0],
    [head(nothing, 'keep-alive: max=3'), Number.POSITIVE_INFINITY],
    [head(nothing, 'connection: close'), 0],
    [head(nothing, 'connection: keep-alive', 'connection: CLOSE'), 0],
    [head(), 0],
    [Buffer.alloc(0), 0],
    [Buffer.concat([head(nothing), head(nothing)]), 0],
  ]
  for (const [answer, ms] of expected) assert.equal(keepAliveMs(answer), ms, String(answer))
  for (let length = 0; length < clean(200).length; length++) assert.equal(keepAliveMs(Buffer.from(clean(200).slice(0, length))), 0)
})
