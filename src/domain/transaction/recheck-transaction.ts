// The acquirer or the payer says that something has happened: the next question is put now, instead of when the schedule has
// it. A process that is asking at this moment is not disturbed.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { taskKey, transactionKey } from '../../tables/keys.ts'
import { isInFlight, transactionSubject } from './transaction.ts'

const codes = ownCodes('recheckTransaction', 'asking', 'busy', 'applied')

export interface RecheckTransaction {
  mid: string
  txnId: string
  /** Under which it is asked after, where that is another than a payment's. */
  key?: string
  now: number
  /** For the lease of a process that is asking. */
  realNow: number
  /** The caller puts the question itself, and takes its task at once. */
  lease?: { fence: number; until: number }
}

/** What the question is about, for a caller that puts it under a lease of its own. */
export interface AskedNow {
  payload: Readonly<Record<string, unknown>>
}

export const recheckTransaction = operation({
  name: 'recheckTransaction',
  codes,
  reads: ({ mid, txnId }: RecheckTransaction) => ({
    transaction: transactionKey(mid, txnId),
    task: taskKey('transaction.due', transactionSubject({ mid, txnId })),
  }),
  decide({ mid, txnId, key, now, realNow, lease }, { transaction, task }) {
    const isOpen = transaction && (isInFlight(transaction) || (transaction.status === 'FAILURE' && transaction.capturedPaise === 0))
    if (!isOpen) return { ...NOTHING, reply: { result: codes.applied } }
    if (task && task.leaseUntil > realNow) return { ...NOTHING, reply: { result: codes.busy } }
    const subject = transactionSubject(transaction)
    const payload = task?.payload ?? { mid, txnId, ...(key && { key }) }
    return {
      reply: { result: codes.asking, body: { payload } satisfies AskedNow },
      changes: [],
      events: [],
      tasks: [{ kind: 'add', task: 'transaction.due', subject, dueAt: now, payload, ...(lease && { lease }) }],
    }
  },
})
