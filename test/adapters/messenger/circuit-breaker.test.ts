// When the service stops calling a message provider, and when it tries again (docs/interface.md section 8).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CircuitBreaker, type MessageOutcome } from '../../../src/adapters/messenger/circuit-breaker.ts'
import type { Message, MessageDelivery } from '../../../src/adapters/messenger/messenger.ts'

const MESSAGE: Message = { key: 'k', mobile: '9876543210', kind: 'otp', text: 'text', otp: '123456' }

function breaker() {
  const state = {
    ...{ answer: 'unknown' as MessageDelivery, asked: 0, now: 1_000_000, reported: [] as (MessageOutcome | boolean)[] },
    answers: undefined as (() => Promise<MessageDelivery>) | undefined,
  }
  const provider = {
    async deliver() {
      state.asked++
      return state.answers?.() ?? state.answer
    },
  }
  const reported = {
    delivered: (outcome: MessageOutcome) => void state.reported.push(outcome),
    leftAlone: (is: boolean) => void state.reported.push(is),
  }
  const of = new CircuitBreaker(provider, { realNow: () => state.now }, reported)
  const deliver = async (times: number) => {
    for (let at = 0; at < times; at++) await of.deliver(MESSAGE)
  }
  return { state, of, deliver }
}

test('nineteen failures in a row and an answer stop no calls; a refusal is an answer', async () => {
  const { state, deliver } = breaker()
  for (const answer of ['delivered', 'refused'] as const) {
    state.answer = 'unknown'
    await deliver(19)
    state.answer = answer
    await deliver(1)
  }
  assert.equal(state.asked, 40)
  assert.ok(!state.reported.includes('held'))
})

test('after twenty it is called once every five seconds, until it answers', async () => {
  const { state, of, deliver } = breaker()
  await deliver(20)
  assert.deepEqual(state.reported.slice(-2), ['unknown', true])
  assert.equal(await of.deliver(MESSAGE), 'unknown')
  state.now += 4_999
  await deliver(3)
  assert.equal(state.asked, 20)
  state.now += 1
  await deliver(3)
  assert.equal(state.asked, 21, 'one try, which failed')
  state.now -= 60_000
  await deliver(2)
  assert.equal(state.asked, 22, 'a clock that was set back waits for nothing')
  state.now += 5_000
  state.answer = 'delivered'
  assert.equal(await of.deliver(MESSAGE), 'delivered')
  assert.deepEqual(state.reported.slice(-2), ['delivered', false])
  await deliver(30)
  assert.equal(state.asked, 53)
})

test('an unanswered call from before the last answer does not count against a provider that answers others', async () => {
  const { state, of, deliver } = breaker()
  const unanswered: (() => void)[] = []
  state.answers = () => new Promise((resolve) => unanswered.push(() => resolve('unknown')))
  const waiting = Array.from({ length: 300 }, () => of.deliver(MESSAGE))
  state.answers = undefined
  state.answer = 'delivered'
  await deliver(1)
  for (const gone of unanswered) gone()
  await Promise.all(waiting)
  assert.deepEqual([await of.deliver(MESSAGE), state.reported.includes(true)], ['delivered', false])
  state.answer = 'unknown'
  await deliver(20)
  assert.deepEqual(state.reported.slice(-1), [true], 'twenty that were asked after it')
})

test('many at once are one try', async () => {
  const { state, of, deliver } = breaker()
  await deliver(20)
  state.now += 5_000
  await Promise.all(Array.from({ length: 50 }, () => of.deliver(MESSAGE)))
  assert.equal(state.asked, 21)
})
