// The acquirer or the payer reports that something has happened. So the next status inquiry is due now, before its scheduled time. If a
// process is asking now, nothing changes.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { taskKey, transactionKey } from '../../tables/keys.ts'
import { isInFlight, type Transaction, transactionSubject } from './transaction.ts'

const codes = ownCodes('recheckTransaction', 'asking', 'busy', 'applied', 'paidOtherwise')

export interface RecheckTransaction {
  mid: string
  txnId: string
  /** The key of the inquiry, when it differs from the payment's key. */
  key?: string
  /** The acquirer's number of the success that it reports, if it says one. */
  reported?: string
  now: number
  /** Compared with the lease of a process that is asking. */
  realNow: number
  /** The caller asks by itself, and leases the task at once. */
  lease?: { fence: number; until: number }
}

/** For a caller that asks under its own lease. */
export interface AskedNow {
  payload: Readonly<Record<string, unknown>>
}

/** True while a bank may have something to report about the payment. */
export const mayBeAskedAbout = (transaction: Transaction): boolean =>
  isInFlight(transaction) || (transaction.status === 'FAILURE' && transaction.capturedPaise === 0)

/** True when the acquirer reports another success than the one in the books: the payer may have paid twice. */
const isPaidOtherwise = ({ capturedPaise, bankTxnId }: Transaction, reported: string) => capturedPaise > 0 && bankTxnId !== reported

export const recheckTransaction = operation({
  name: 'recheckTransaction',
  codes,
  reads: ({ mid, txnId }: RecheckTransaction) => ({
    transaction: transactionKey(mid, txnId),
    task: taskKey('transaction.due', transactionSubject({ mid, txnId })),
  }),
  decide({ mid, txnId, key, reported, now, realNow, lease }, { transaction, task }) {
    if (transaction && reported !== undefined && isPaidOtherwise(transaction, reported))
      return { ...NOTHING, reply: { result: codes.paidOtherwise } }
    if (!transaction || !mayBeAskedAbout(transaction)) return { ...NOTHING, reply: { result: codes.applied } }
    if (task && task.leaseUntil > realNow) return { ...NOTHING, reply: { result: codes.busy } }
    const subject = transactionSubject(transaction)
    const payload = task?.payload ?? { mid, txnId, orderId: transaction.orderId, ...(key && { key }) }
    return {
      reply: { result: codes.asking, body: { payload } satisfies AskedNow },
      changes: [],
      events: [],
      tasks: [{ kind: 'add', task: 'transaction.due', subject, dueAt: now, payload, ...(lease && { lease }) }],
    }
  },
})
