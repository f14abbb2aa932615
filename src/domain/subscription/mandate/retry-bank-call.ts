// A bank reports a change of a mandate, but has not answered the service's call about the mandate's end or pause. So the service calls the
// bank again now, before the scheduled time. If a process is calling the bank now, nothing changes.

import { NOTHING, operation } from '../../../engine/decision.ts'
import { ownCodes } from '../../../interface/result-code.ts'
import { taskKey } from '../../../tables/keys.ts'
import { otherSubject, REVOKE_TASK, subjectOf } from './bank-tasks.ts'
import { PAUSE_TASK } from './pause-at-bank.ts'

const codes = ownCodes('retryBankCall', 'telling', 'applied')

export interface RetryBankCall {
  mid: string
  subscriptionId: string
  word: 'revoke' | 'pause'
  /** The attempt of a mandate that is not the subscription's. */
  attempt?: number
  now: number
  /** Compared with the lease of a process that is calling. */
  realNow: number
}

const TASKS = { revoke: REVOKE_TASK, pause: PAUSE_TASK } as const

export const retryBankCall = operation({
  name: 'retryBankCall',
  codes,
  reads: (command: RetryBankCall) => ({ waiting: taskKey(TASKS[command.word], subjectWaiting(command)) }),
  decide(command, { waiting }) {
    const { word, now, realNow } = command
    if (!waiting || waiting.leaseUntil > realNow) return { ...NOTHING, reply: { result: codes.applied } }
    const { payload, attempts } = waiting
    return {
      ...NOTHING,
      reply: { result: codes.telling },
      tasks: [{ kind: 'add', task: TASKS[word], subject: subjectWaiting(command), dueAt: now, payload, attempts }],
    }
  },
})

const subjectWaiting = ({ attempt, ...of }: RetryBankCall) => (attempt === undefined ? subjectOf(of) : otherSubject(of, { attempt }))
