// An adapter's events about mandates and notices: answered at once, followed by a query, and bounded.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import fastify from 'fastify'
import { type AcquirerEventParts, addAcquirerEvents } from '../../src/api/acquirer-events.ts'
import { addCashfreeEvents } from '../../src/api/cashfree-events.ts'
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
