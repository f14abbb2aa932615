// An acquirer's answers to a payment, the rows that they find, and their usual changes.

import type { AcquirerAnswer } from '../../../src/domain/transaction/acquirer-answer.ts'
import { at, attemptOrder, firstOrder, HOUR, MID, merchant, NOW, order, PAYER, reference, subscription, TXN, transaction } from './rows.ts'

export const MINUTE = 60_000
export const say = (answer: AcquirerAnswer, more: object = {}) => ({ mid: MID, txnId: TXN, answer, reference, now: NOW, ...more })
export const success = (more: object = {}): AcquirerAnswer => ({ outcome: 'success', reference: 'B', amountPaise: 100_00, ...more })
export const failure = { outcome: 'failure', failure: 'declined' } as const
export const UNKNOWN = { outcome: 'unknown' } as const
export const ABSENT = { outcome: 'absent' } as const
export const PENDING = { outcome: 'pending' } as const

export const paying = (more: Parameters<typeof order>[0] = {}) =>
  order({ status: 'IN_PROCESS', version: 2, txnId: TXN, transactionCount: 1, ...more })
export const open = [merchant(), paying(), transaction()]
export const kept = ['update transactions T', { status: 'SUCCESS', result: 'success', capturedPaise: 100_00, bankTxnId: 'B' }] as const
export const failed = (result: string, more: object = {}) => ['update transactions T', { status: 'FAILURE', result, ...more }] as const
export const orderPaid = ['update orders O', { status: 'PAID' }] as const
export const reopened = ['update orders O', { status: 'CREATED', txnId: null }] as const
export const SUCCEEDED = ['transaction.succeeded INITIATED>SUCCESS', 'order.paid IN_PROCESS>PAID']
export const FAILED = ['transaction.failed INITIATED>FAILURE', 'order.reopened IN_PROCESS>CREATED']
export const done = 'cancel transaction.due M:T'
export const [SALE, NO_SALE] = [['SALE TXN_SUCCESS'], ['SALE TXN_FAILURE']]
export const capture = ['capture acquirer_receivable 10000', 'capture merchant_payable -10000']
export const takenBack = {
  ledger: [
    'capture acquirer_receivable 10000',
    'capture acquirer_suspense -10000',
    'refund acquirer_suspense 10000',
    'refund refund_payable -10000',
  ],
  events: ['transaction.captured-late FAILURE>FAILURE', 'transaction.refund-set-aside FAILURE>FAILURE', 'refund.requested >PENDING'],
}
export const returned = { capturedPaise: 100_00, refundedPaise: 100_00, bankRefundedPaise: 100_00, bankTxnId: 'B', result: 'returned' }
export const automatic = [
  'insert refunds auto:T',
  { status: 'PENDING', amountPaise: 100_00, bankPaise: 100_00, walletPaise: 0, refundId: 'AT' },
] as const
export const shared = (more: Parameters<typeof transaction>[0] = {}) =>
  transaction({ flow: 'HYBRID', walletPaise: 40_00, bankPaise: 60_00, payer: PAYER, ...more })
export const failedBefore = (more: Parameters<typeof transaction>[0] = {}) =>
  transaction({ status: 'FAILURE', result: 'timedOut', version: 2, initiatedAt: NOW - HOUR, updatedAt: NOW - HOUR, ...more })
export const free = [merchant(), order({ version: 3, transactionCount: 1 })]

/** A debit of a mandate, and its bank's answer a minute after the debit was sent. */
export const debits = [merchant(), firstOrder(), subscription(), attemptOrder()]
export const ofDebit = (answer: AcquirerAnswer, more: object = {}) => say(answer, { txnId: 'T1', now: at('2026-07-01 06:01'), ...more })
