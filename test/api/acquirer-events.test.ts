// An adapter's events about mandates and notices: answered at once, followed by a query, and bounded.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate, setImmediate as turn } from 'node:timers/promises'
import fastify from 'fastify'
import { type AcquirerEventParts, addAcquirerEvents } from '../../src/api/acquirer-events.ts'
import { addCashfreeEvents } from '../../src/api/cashfree-events.ts'
import { recheckTransaction } from '../../src/domain/transaction/recheck-transaction.ts'
import { MemoryStore } from '../../src/engine/memory-store.ts'
import { TaskRunner } from '../../src/engine/tasks.ts'
import { acquirerEventHandler } from '../../src/flows/acquirer-event.ts'
import { TestClock } from '../support/run/service.ts'

const QUESTIONS_MAX = 256

function withNotified() {
  const clock = new TestClock()
  const tasks = new TaskRunner(new MemoryStore(), clock, [], [], (_, error) => assert.fail(error))
  const questions: PromiseWithResolvers<{ outcome: string }>[] = []
  const status = () => {
    const question = Promise.withResolvers<{ outcome: string }>()
    questions.push(question)
    return question.promise
  }
  const settled: string[] = []
  const submit = async (_: unknown, { outcome }: { outcome: string }) => ({ result: {}, is: settled.push(outcome) })
  const rows = async () => [{ mid: 'M', collectionId: 'S.20270105', status: 'PENDING' }]
  const query = { row: async () => ({ status: 'ACTIVE', mandate: null, mcc: '5999' }), rows }
  const bank = { engine: { submit }, acquirer: () => ({ mandates: { status, noticeStatus: status } }), reference: { category() {} } }
  const failed: string[] = []
  const reported = acquirerEventHandler(
    { ...bank, query, clock } as never,
    () => tasks,
    ({ message }) => failed.push(message),
  )
  return { tasks, questions, settled, failed, reported }
}

test('a notification about a mandate or a notice is answered before the service queries it', async () => {
  const { tasks, questions, settled, failed, reported } = withNotified()
  await reported('M:S:mandate')
  await reported('M:S:20270105:notify:1')
  await turn()
  assert.deepEqual([questions.length, settled], [2, []])
  questions[0]!.resolve({ outcome: 'paused' })
  questions[1]!.reject(new Error('the bank is a mess'))
  await tasks.stop()
  assert.deepEqual([settled, failed], [['paused'], ['the bank is a mess']])
})

test('notifications beyond the limit of queries under way cause no query, and a stop waits for the others', async () => {
  const { tasks, questions, settled, reported } = withNotified()
  await Promise.all(Array.from({ length: QUESTIONS_MAX + 50 }, () => reported('M:S:mandate')))
  await turn()
  assert.equal(questions.length, QUESTIONS_MAX)
  questions[0]!.resolve({ outcome: 'active' })
  await turn()
  await reported('M:S:mandate')
  await turn()
  assert.equal(questions.length, QUESTIONS_MAX + 1, 'there is room again')
  let isStopped = false
  const stopped = tasks.stop().then(() => {
    isStopped = true
  })
  for (const { resolve } of questions.slice(0, -1)) resolve({ outcome: 'active' })
  await turn()
  assert.ok(!isStopped)
  questions.at(-1)!.resolve({ outcome: 'active' })
  await stopped
  assert.equal(settled.length, QUESTIONS_MAX + 1)
})

test('reports that wait for a query take no place of a question about a notice', async () => {
  const clock = new TestClock()
  const held = Promise.withResolvers<void>()
  clock.sleep = (ms) => (ms === 2_000 ? held.promise : Promise.resolve())
  const tasks = new TaskRunner(new MemoryStore(), clock, [], [], (_, error) => assert.fail(error))
  let questions = 0
  const query = {
    row: async () => undefined,
    async rows() {
      questions++
      return []
    },
  }
  const engine = { submit: async () => ({ result: recheckTransaction.codes.busy }) }
  const reported = acquirerEventHandler({ engine, clock, query, acquirer: () => ({}) } as never, () => tasks, assert.fail)
  for (let nth = 0; nth < 300; nth++) await reported(`M:${nth}`)
  await reported('M:S:20270705:notify:1')
  assert.equal(questions, 1)
  held.resolve()
  await tasks.stop()
})

test('a second success of one payment is looked at again after a limit of the bank, three times at most', async () => {
  const clock = new TestClock()
  clock.sleep = () => Promise.resolve()
  const waits: number[] = []
  let after = () => {}
  clock.every = (ms, work) => {
    waits.push(ms)
    after = work
    return () => {}
  }
  const engine = { submit: async () => ({ result: recheckTransaction.codes.paidOtherwise }) }
  for (const [limits, looks] of [
    [0, 1],
    [1, 2],
    [9, 4],
  ] as const) {
    const tasks = new TaskRunner(new MemoryStore(), clock, [], [], (_, error) => assert.fail(error))
    let looked = 0
    const status = async () => (looked++ < limits ? { outcome: 'unknown', retryAfterMs: 7_000 } : { outcome: 'unknown' })
    const reported = acquirerEventHandler({ engine, clock, acquirer: () => ({ status }) } as never, () => tasks, assert.fail)
    waits.length = 0
    await reported('M:1', '512345678901')
    for (let round = 0; round < 5; round++) {
      await setImmediate()
      const next = after
      after = () => {}
      next()
    }
    await tasks.stop()
    assert.deepEqual([looked, waits], [looks, Array(looks - 1).fill(7_000)])
  }
})

test('a report that meets a query under way is tried once more', async () => {
  const clock = new TestClock()
  const waits: number[] = []
  clock.sleep = async (ms) => void waits.push(ms)
  const { busy, asking } = recheckTransaction.codes
  for (const [results, tries] of [
    [[busy, asking], 2],
    [[busy, busy], 2],
    [[asking], 1],
  ] as const) {
    const tasks = new TaskRunner(new MemoryStore(), clock, [], [], (_, error) => assert.fail(error))
    const asked: object[] = []
    const submit = async (_: unknown, { mid, txnId, reported }: Record<string, unknown>) => ({
      result: results[asked.push({ mid, txnId, reported }) - 1],
    })
    const parts = { engine: { submit }, clock } as never
    const reported = acquirerEventHandler(parts, () => tasks, assert.fail)
    waits.length = 0
    await reported('M:1', '512345678901')
    await tasks.stop()
    const each = { mid: 'M', txnId: '1', reported: '512345678901' }
    assert.deepEqual(
      asked,
      Array.from({ length: tries }, () => each),
    )
    assert.equal(waits.filter((ms) => ms === 2_000).length, tries - 1)
  }
})

for (const [url, add, whys] of [
  ['/acquirer/webhook', addAcquirerEvents, ['this is not signed', 'this has a wrong signature']],
  ['/acquirer/cashfree/webhook', addCashfreeEvents, ['its signature is of another secret', 'its time is more than five minutes from now']],
] as const)
  test(`reports to ${url} that are not signed get one line a minute, which quotes nothing of them`, async () => {
    const clock = new TestClock()
    const lines: unknown[] = []
    const logger = { warn: (...line: unknown[]) => lines.push(line) } as unknown as AcquirerEventParts['logger']
    const server = fastify()
    add(server, { secret: 'whsec_c2VjcmV0', clock, logger, onEvent: () => assert.fail('it is not signed') })
    const send = async (now: number, signature?: string) => {
      const at = { 'webhook-id': 'evil', 'webhook-timestamp': String(Math.floor(now / 1_000)), 'x-webhook-timestamp': String(now) }
      const headers = { ...at, ...(signature && { 'webhook-signature': signature, 'x-webhook-signature': signature }) }
      assert.equal((await server.inject({ method: 'POST', url, headers })).statusCode, 401)
    }
    await send(clock.realNow())
    await send(clock.realNow(), 'evil')
    clock.pass(60_000)
    await send(clock.realNow() - 3_600_000, 'evil')
    const said = 'a report of the acquirer was refused; Mohur asks for the result on schedule'
    assert.deepEqual(
      lines,
      whys.map((why) => [{ path: url, why }, said]),
    )
    await server.close()
  })
