// Postpones a notification a little while its receiver has the maximum of attempts under way. So the notification occupies no place of
// another receiver.

import { operation, type TaskChange } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { taskKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'

const postponeCodes = ownCodes('postponeDelivery', 'postponed')
const recallCodes = ownCodes('recallDelivery', 'recalled')

/** The task of a postponed delivery, and the time until which it waits. */
export type Postponed = Pick<Row<'tasks'>, 'task' | 'subject' | 'dueAt'>

export const postponeDelivery = operation({
  name: 'postponeDelivery',
  codes: postponeCodes,
  reads: (_: { task: Row<'tasks'>; dueAt: number }) => ({}),
  decide({ task: { task, subject, payload }, dueAt }) {
    const again: TaskChange = { kind: 'add', task, subject, dueAt, payload }
    return { reply: { result: postponeCodes.postponed }, changes: [], events: [], tasks: [again] }
  },
})

/** Makes the delivery due now, unless a process has begun or moved it since. */
export const recallDelivery = operation({
  name: 'recallDelivery',
  codes: recallCodes,
  reads: ({ task, subject }: Postponed & { now: number; realNow: number }) => ({ row: taskKey(task, subject) }),
  decide({ task, subject, dueAt, now, realNow }, { row }) {
    const isWaiting = row?.dueAt === dueAt && dueAt > now && row.leaseUntil <= realNow
    const again: TaskChange[] = isWaiting ? [{ kind: 'add', task, subject, dueAt: now, payload: row.payload }] : []
    return { reply: { result: recallCodes.recalled }, changes: [], events: [], tasks: again }
  },
})
