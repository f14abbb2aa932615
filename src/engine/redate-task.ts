// `misdated-task.due`: brings back work that a clock far ahead has postponed, or leased to a process that is gone. Otherwise the work would
// wait until that time. A bad jump of a clock must not keep money waiting: docs/decisions/0013.

import { ownCodes } from '../interface/result-code.ts'
import { taskKey } from '../tables/keys.ts'
import type { Row } from '../tables/tables.ts'
import { AHEAD_MAX_MS } from './clock.ts'
import { NOTHING, operation } from './decision.ts'
import { LEASE_MS } from './tasks.ts'

/** Limits in real time. The clock that added or leased a task beyond these was further ahead than clocks may differ. */
const [addedMax, leaseMax] = [(realNow: number) => realNow + AHEAD_MAX_MS, (realNow: number) => realNow + LEASE_MS + AHEAD_MAX_MS]
/** Beyond these times of `Query.tasksBeyond` a task is misdated. */
export const misdatedBeyond = (realNow: number) => ({ added: addedMax(realNow), leased: leaseMax(realNow) })

const codes = ownCodes('redateTask', 'redated', 'kept')

export interface RedateTask extends Pick<Row<'tasks'>, 'task' | 'subject'> {
  now: number
  realNow: number
}

/** Makes a postponed task due now, and frees a leased task. Both keep their count of starts. */
export const redateTask = operation({
  name: 'redateTask',
  codes,
  reads: ({ task, subject }: RedateTask) => ({ row: taskKey(task, subject) }),
  decide({ task, subject, now, realNow }, { row }) {
    const isPutOff = row !== undefined && row.addedAt > addedMax(realNow)
    if (!row || (!isPutOff && row.leaseUntil <= leaseMax(realNow))) return { ...NOTHING, reply: { result: codes.kept } }
    const dueAt = isPutOff ? Math.min(row.dueAt, now) : row.dueAt
    return {
      reply: { result: codes.redated },
      changes: [],
      events: [],
      tasks: [{ kind: 'add', task, subject, dueAt, payload: row.payload, attempts: row.attempts }],
    }
  },
})
