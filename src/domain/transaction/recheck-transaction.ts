// The acquirer or the payer says that something has happened: the next question is put now, instead of when the schedule has
// it. A process that is asking at this moment is not disturbed.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { taskKey, transactionKey } from '../../tables/keys.ts'
import { isInFlight, transactionSubject } from './transaction.ts'

const codes = ownCodes('askNow', 'asking', 'settled')

export interface RecheckTransaction {
  mid: string
  txnId: string
  /** Under which it is asked after, where that is another than a payment's. */
  key?: string
  now: number
  /** For the lease of a process that is asking. */
  realNow: number
}

export const recheckTransaction = operation({
  name: 'askNow',
  codes,
  reads: ({ mid, txnId }: RecheckTransaction) => ({
    transaction: transactionKey(mid, txnId),
    task: taskKey('transaction.due', transactionSubject({ mid, txnId })),
  }),
  decide({ mid, txnId, key, now, realNow }, { transaction, task }) {
    const isOpen = transaction && (isInFlight(transaction) || (transaction.status === 'FAILURE' && transaction.capturedPaise === 0))
    if (!isOpen || (task && task.leaseUntil > realNow)) return { ...NOTHING, reply: { result: codes.settled } }
    const subject = transactionSubject(transaction)
    return {
      reply: { result: codes.asking },
      changes: [],
      events: [],
      tasks: [{ kind: 'add', task: 'transaction.due', subject, dueAt: now, payload: task?.payload ?? { mid, txnId, ...(key && { key }) } }],
    }
  },
})
