// The states and keys of a refund: docs/interface.md section 3. A refund's amount is set aside in the transaction's own row before the bank
// is asked. So two simultaneous refunds cannot exceed the captured amount.

import { type Change, type Event, eventOf, type TaskChange } from '../../engine/decision.ts'
import { definedMembers } from '../../interface/defined-members.ts'
import { toRupees } from '../../interface/money.ts'
import { refundStatus } from '../../interface/result-codes.ts'
import { refundKey, transactionKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { movement } from '../ledger/ledger.ts'
import { ASKED_AFTER_MS, authorizeKey, contentOf, type Transaction, transactionEvent, txnDate } from '../transaction/transaction.ts'

export type Refund = Row<'refunds'>

/** The complete list of a refund's moves. */
export const transitions = {
  PENDING: { succeed: 'SUCCESS', fail: 'FAILURE' },
  SUCCESS: {},
  FAILURE: {},
} as const satisfies Record<Refund['status'], Record<string, Refund['status']>>

/** No merchant can send this refId, because a merchant's refId has no colon. */
export const automaticRefId = (txnId: string) => `auto:${txnId}`

export const isAutomatic = ({ refId }: Pick<Refund, 'refId'>) => refId.includes(':')

/** The first refund of money that came too late. */
export const automaticRefund = (txnId: string) => ({ refId: automaticRefId(txnId), refundId: `A${txnId}` })

/** The next refund of money that came too late, after the acquirer refused the last one. This refund has ids of its own. */
export function nextAutomatic(refund: Refund): { refId: string; refundId: string } {
  const { txnId } = refund
  const number = automaticNumber(refund) + 1
  return { refId: `${automaticRefId(txnId)}:${number}`, refundId: `A${txnId}N${number}` }
}
/** True for a refund of money that came too late, when the acquirer has refused one on each day of a week. */
export const isRefusedForAWeek = (refund: Pick<Refund, 'refId' | 'txnId'>) => isAutomatic(refund) && automaticNumber(refund) > OTHERS_DAYS
const automaticNumber = ({ refId, txnId }: Pick<Refund, 'refId' | 'txnId'>) => Number(refId.slice(automaticRefId(txnId).length + 1) || '1')

export const refundablePaise = ({ capturedPaise, refundedPaise }: Transaction) => capturedPaise - refundedPaise

/**
 * The instrument gets money back first, up to the amount charged to it. The wallet gets the rest. Money that was added to the wallet to pay
 * goes back to the wallet.
 */
function split(transaction: Transaction, amountPaise: number): { bankPaise: number; walletPaise: number } {
  const fromBank =
    transaction.flow === 'ADDANDPAY' && transaction.status === 'SUCCESS' ? 0 : transaction.capturedPaise - walletShare(transaction)
  const bankPaise = Math.min(amountPaise, Math.max(fromBank - transaction.bankRefundedPaise, 0))
  return { bankPaise, walletPaise: amountPaise - bankPaise }
}
/** Only the bank has a part in a late capture. The wallet got its part back when the transaction failed. */
const walletShare = ({ status, walletPaise }: Transaction) => (status === 'SUCCESS' ? walletPaise : 0)

export interface RefundRequest {
  refId: string
  refundId: string
  amountPaise: number
  contentHash: string
  comments?: string
  checksumHash?: string
  /** The bank has reported that the money went back already. So the service queries this refund and never sends it. */
  isReportedByBank?: boolean
}

/** Sets the money aside, and writes the refund and the task that asks the acquirer. The caller must have checked that the amount fits. */
export function requestRefund(
  transaction: Transaction,
  request: RefundRequest,
  now: number,
  dueAt = now,
): { refund: Refund; transaction: Transaction; changes: Change[]; events: Event[]; tasks: TaskChange[] } {
  const { mid, txnId, orderId } = transaction
  const { refId, refundId, amountPaise, contentHash, comments, checksumHash, isReportedByBank } = request
  const parts = split(transaction, amountPaise)
  const requestedAt = Math.max(now, dueAt) // the schedule of status inquiries begins when the refund is first sent
  const after: Transaction = {
    ...transaction,
    version: transaction.version + 1,
    refundedPaise: transaction.refundedPaise + amountPaise,
    bankRefundedPaise: transaction.bankRefundedPaise + parts.bankPaise,
    updatedAt: now,
  }
  const refund: Refund = {
    mid,
    refId,
    version: 1,
    refundId,
    orderId,
    txnId,
    status: 'PENDING',
    result: 'pending',
    amountPaise,
    ...parts,
    contentHash,
    bankTxnId: null,
    details: {
      ...(comments !== undefined && { comments }),
      ...(checksumHash !== undefined && { checksumHash }),
      ...keyedBy(request, transaction),
      ...(isReportedByBank && { isReportedByBank }),
    },
    requestedAt,
    updatedAt: requestedAt,
    checks: 0,
  }
  return {
    refund,
    transaction: after,
    changes: [
      { kind: 'update', key: transactionKey(mid, txnId), row: after },
      { kind: 'insert', key: refundKey(mid, refId), row: refund },
      ...movement(mid, `refund:${refundId}`, txnId, now, [
        [sourceOf(transaction), amountPaise],
        ['refund_payable', -amountPaise],
      ]),
    ],
    events: [
      transactionEvent('transaction.refund-set-aside', transaction, after, now, refundOf(refund)),
      refundEvent('refund.requested', undefined, refund, now),
    ],
    tasks: [refundTask(refund, dueAt)],
  }
}

/** The members by which a payment's event names the refund's event. So a history finds each refund by its payment's numbered events. */
export const refundOf = ({ refId, refundId, version }: Refund) => ({ refId, refundId, refundVersion: version })

/** The account that pays a refund. Money that came too late was never the merchant's. */
export const sourceOf = ({ status }: Pick<Transaction, 'status'>): 'merchant_payable' | 'acquirer_suspense' =>
  status === 'SUCCESS' ? 'merchant_payable' : 'acquirer_suspense'

// ----------------------------------------------------------------------------------------------- asking the acquirer

/**
 * The kind of key by which the acquirer knows a refund. A merchant's refund has its refId: when a store has lost a sent refund, the
 * merchant requests it again. Mohur's own refund of a debit has the debit's key: a restored store creates that debit again, under another
 * txnId.
 */
const keyedBy = (request: Pick<Refund, 'refId'>, { collectionId }: Transaction): Pick<Refund['details'], 'keyedBy'> =>
  isAutomatic(request) ? (collectionId === null ? {} : { keyedBy: 'collectKey' }) : { keyedBy: 'refId' }

/** The refund's key at the acquirer. No payment can have this key. Mohur's own refund of a payer's payment is known by Mohur's number. */
export function refundKeyOf(refund: Refund, payment: Transaction): string {
  const { mid, refId, details } = refund
  switch (details.keyedBy) {
    case 'refId':
      return `${mid}:refund:ref:${refId}`
    case 'collectKey':
      return `${authorizeKey(payment)}:refund:${automaticNumber(refund)}`
    case undefined:
      return loggedRefund(refund)
    default:
      return details.keyedBy satisfies never
  }
}

/**
 * Mohur's own number for the refund, for logs. A merchant chooses the refId, which may be a mobile number, an e-mail address or the digits
 * of a card.
 */
export const loggedRefund = ({ mid, refundId }: Pick<Refund, 'mid' | 'refundId'>) => `${mid}:refund:${refundId}`

/** `scheduledAt`: a person asked for this query. The schedule has the next one then, or at once if that time has passed. */
export const refundTask = ({ mid, refId }: Pick<Refund, 'mid' | 'refId'>, dueAt: number, scheduledAt?: number): TaskChange => ({
  kind: 'add',
  task: 'refund.due',
  subject: `${mid}:${refId}`,
  dueAt,
  payload: { mid, refId, ...(scheduledAt !== undefined && { scheduledAt }) },
})

export const ASKED_DAILY_MS = 24 * 60 * 60_000 // docs/interface.md section 8 (Mohur): after the schedule's last status inquiry, without end
const OTHERS_DAYS = 7 // Mohur's choice: by then the bank has made another's refund, or that refund has failed
export const OTHERS_REFUND_MS = OTHERS_DAYS * ASKED_DAILY_MS

/** A refund is never given up, because the money is the customer's. */
export function nextRefundAsk({ requestedAt, checks }: Pick<Refund, 'requestedAt' | 'checks'>, now: number): number {
  const after = ASKED_AFTER_MS[checks]
  if (after === undefined) return now + ASKED_DAILY_MS
  // A request time ahead of this clock came from a wrong clock. Status inquiries must not wait until that time.
  const at = Math.min(requestedAt, now) + after
  // A limit of the acquirer, or a stop, may have held up earlier calls. The inquiries after them keep their distance.
  return at > now ? at : now + after - (ASKED_AFTER_MS[checks - 1] ?? 0)
}

export function refundEvent(type: `refund.${string}`, before: Refund | undefined, after: Refund, at: number): Event {
  const { orderId, txnId, amountPaise, bankPaise, result, bankTxnId } = after
  return eventOf({
    type,
    owner: after.mid,
    id: after.refId,
    before,
    after,
    at,
    data: { orderId, txnId, amountPaise, bankPaise, result, bankTxnId: bankTxnId ?? '' },
  })
}

export const refundEventName = ({ refId, version }: Refund) => `refund|${refId}|${version}`

// ----------------------------------------------------------------------------------- what replies and notifications say

export const refundResultOf = ({ result }: Pick<Refund, 'result'>) => refundStatus[result as keyof typeof refundStatus]

/** Strings only, named as in the JSON notification. `transaction` is the row after the change that the strings report. */
export function refundContentOf(order: Row<'orders'>, transaction: Transaction, refund: Refund): Record<string, string> {
  const { code, status, message } = refundResultOf(refund)
  const {
    mid,
    orderId,
    custId,
    txnId,
    bankTxnId,
    txnAmount,
    currency,
    paymentMode,
    gatewayName,
    txnDate: txnTimestamp,
    consentOrderId,
    subscriptionId,
    ...more
  } = contentOf(order, transaction)
  const { mercUnqRef, udf1, udf2, udf3 } = more
  const known: Record<string, string | undefined> = {
    ...{ mid, orderId, custId, txnId, bankTxnId, txnAmount, currency },
    refId: refund.refId,
    refundId: refund.refundId,
    refundAmount: toRupees(refund.amountPaise),
    totalRefundAmount: toRupees(transaction.refundedPaise),
    status,
    respCode: code,
    respMsg: message,
    txnType: 'REFUND',
    ...{ paymentMode, gatewayName, txnDate: txnTimestamp, txnTimestamp },
    merchantRefundRequestTimestamp: txnDate(refund.requestedAt),
    acceptRefundTimestamp: txnDate(refund.requestedAt),
    userCreditInitiateTimestamp: refund.status === 'SUCCESS' ? txnDate(refund.updatedAt) : undefined,
    rrn: refund.bankTxnId ?? undefined,
    ...{ consentOrderId, subscriptionId },
    ...{ mercUnqRef, udf1, udf2, udf3 },
  }
  return definedMembers(known)
}
