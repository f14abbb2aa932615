// What `refund.due` calls, and the answer that it applies, when the acquirer takes no more calls for a while.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AcquirerAnswer } from '../../src/domain/transaction/acquirer-answer.ts'
import { refundDue } from '../../src/flows/refund-due.ts'
import { MID, NOW, paid, refund, task } from '../support/decided/rows.ts'

const LIMITED: AcquirerAnswer = { outcome: 'unknown', retryAfterMs: 30_000 }
const COUNTED: AcquirerAnswer = { outcome: 'unknown' }

const rows: readonly [
  what: string,
  given: { checks: number; attempts: number },
  status: AcquirerAnswer,
  calls: string[],
  applied: AcquirerAnswer,
][] = [
  ['a refund that met a limit is sent again, and not asked about', { checks: 0, attempts: 1 }, LIMITED, ['refund'], LIMITED],
  ['after a start that died, a question that meets a limit counts', { checks: 0, attempts: 2 }, LIMITED, ['status'], COUNTED],
  ['a later question that meets a limit comes again', { checks: 1, attempts: 1 }, LIMITED, ['status'], LIMITED],
  ['so does a refund that the acquirer does not know', { checks: 2, attempts: 1 }, { outcome: 'absent' }, ['status', 'refund'], LIMITED],
]

for (const [what, { checks, attempts }, status, calls, applied] of rows)
  test(what, async () => {
    const found = { refunds: refund({ checks }).row, transactions: paid().row }
    const called: string[] = []
    const answering = (name: string, answer: AcquirerAnswer) => async () => {
      called.push(name)
      return answer
    }
    const said: AcquirerAnswer[] = []
    const parts = {
      engine: { submit: async (_: unknown, { answer }: { answer: AcquirerAnswer }) => void said.push(answer) },
      query: { row: async ({ table }: { table: keyof typeof found }) => found[table] },
      clock: { now: () => NOW, realNow: () => 0 },
      acquirer: () => ({ status: answering('status', status), refund: answering('refund', LIMITED) }),
    }
    const due = task({ leaseUntil: 1, task: 'refund.due', subject: `${MID}:R`, attempts, payload: { mid: MID, refId: 'R' } }).row
    await refundDue(parts as never, () => assert.fail('no person is needed'))(due, due)
    assert.deepEqual([called, said], [calls, [applied]])
  })

test('a refund whose lease ends while the acquirer is asked is not sent in this run: another process may be at it', async () => {
  const found = { refunds: refund({ checks: 2 }).row, transactions: paid().row }
  const said: AcquirerAnswer[] = []
  let realNow = 0
  const parts = {
    engine: { submit: async (_: unknown, { answer }: { answer: AcquirerAnswer }) => void said.push(answer) },
    query: { row: async ({ table }: { table: keyof typeof found }) => found[table] },
    clock: { now: () => NOW, realNow: () => realNow },
    acquirer: () => ({
      async status() {
        realNow = 30_000
        return { outcome: 'absent' }
      },
      refund: () => assert.fail('the refund is sent'),
    }),
  }
  const due = task({ leaseUntil: 30_000, task: 'refund.due', subject: `${MID}:R`, attempts: 2, payload: { mid: MID, refId: 'R' } }).row
  await refundDue(parts as never, () => assert.fail('no person is needed'))(due, due)
  assert.deepEqual(said, [{ outcome: 'unknown' }])
})
