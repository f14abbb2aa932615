// A notification whose receiver has as much under way as it may waits a little, instead of keeping the place of another's.

import { operation, type TaskChange } from '../engine/decision.ts'
import type { Row } from '../tables.ts'

const codes = {
  postponed: { operation: 'postponeDelivery', name: 'postponed', code: '', status: 'S', message: 'it waits for its turn', rank: 0 },
} as const

export const postponeDelivery = operation({
  name: 'postponeDelivery',
  codes,
  reads: (_: { task: Row<'tasks'>; dueAt: number }) => ({}),
  decide({ task: { task, subject, payload }, dueAt }) {
    const again: TaskChange = { kind: 'add', task, subject, dueAt, payload }
    return { reply: { result: codes.postponed }, changes: [], events: [], tasks: [again] }
  },
})
