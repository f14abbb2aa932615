// Apply Refund: docs/interface.md section 4.14. It sets the money aside and answers. After the commit flows/refund-due.ts asks the
// acquirer. Then apply-refund-result.ts applies the answer.

import Type, { type Static } from 'typebox'
import { NOTHING, operation, refuse } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import { toPaise, toRupees } from '../../interface/money.ts'
import * as replied from '../../interface/replied.ts'
import type { FaultCodes } from '../../interface/request.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { applyRefund as codes } from '../../interface/result-codes.ts'
import type { Signed, Wire } from '../../interface/wire.ts'
import { merchantKey, refundKey, refundNow, transactionKey } from '../../tables/keys.ts'
import { look, type Row } from '../../tables/tables.ts'
import { notificationReads, notify, streamOf, withNotified } from '../notification/notification.ts'
import { payablePaise, type Transaction, txnDate } from '../transaction/transaction.ts'
import { type Refund, refundablePaise, refundContentOf, refundEventName, requestRefund } from './refund.ts'

const REF_ID_PATTERN = '^[A-Za-z0-9@._-]{1,50}$' // docs/interface.md section 8 (Mohur)
const TXN_ID_PATTERN = '^[A-Za-z0-9]{1,64}$' // docs/interface.md section 8 (Mohur)
const ITEMS_MAX = 50 // as for any other array: docs/interface.md section 8 (Mohur)

const optional = Type.Optional
const text = optional(fields.string())
const head = Type.Object({
  clientId: optional(fields.name),
  channelId: optional(fields.string()),
  requestTimeStamp: optional(fields.requestTimestamp),
  signature: optional(Type.Unknown()),
})
const body = Type.Object({
  mid: fields.mid,
  txnType: Type.Enum(['REFUND']),
  orderId: fields.orderId,
  txnId: Type.String({ pattern: TXN_ID_PATTERN }),
  refId: Type.String({ pattern: REF_ID_PATTERN }),
  refundAmount: fields.payable.properties.value,
  comments: text,
  /** The members from here on count only as content: a repeated refId must come with the same content. */
  preferredDestination: text,
  subwalletAmount: optional(fields.map),
  disableMerchantDebitRetry: optional(Type.Unknown()),
  agentInfo: optional(Type.Object({ employeeId: text, name: text, phoneNo: text, email: text })),
  refundItems: optional(fields.array(Type.Object({ itemId: text, productId: text, itemRefundAmount: text }), ITEMS_MAX)),
  extraParamsMap: optional(fields.map),
})
type Code = (typeof codes)['success']

const faults: FaultCodes<Code> = {
  missing: () => ({ result: codes.invalidRequest }),
  wrong: ({ path }) => ({ result: path === 'refundAmount' ? codes.invalidAmount : codes.invalidRequest }),
}

export const wire: Wire<typeof head, typeof body, Code> = {
  query: [],
  head,
  body,
  faults,
  unreadable: codes.invalidRequest,
  missingParam: () => ({ result: codes.invalidRequest }),
  systemError: codes.systemError,
}

export const reply = Type.Object({
  mid: fields.mid,
  orderId: fields.orderId,
  txnId: replied.id,
  refId: Type.String({ pattern: REF_ID_PATTERN }),
  refundId: replied.id,
  refundAmount: replied.rupees,
  txnAmount: replied.rupees,
  txnTimestamp: replied.txnDate,
})

export interface ApplyRefund {
  request: Static<typeof body>
  /** Keyed hash of all members that a repeated request must have in common. */
  contentHash: string
  caller: Signed
  /** Keyed hash of the flat form's CHECKSUM, which signs values without their names. */
  checksumHash?: string
  /** The payment's version that a page of the console showed. If the version differs, nothing changes. */
  version?: number
  /** The most that the payment may have had back afterwards, for a person who may not give back more alone. */
  mostPaise?: number
  now: number
  fresh: { refundId: string }
}

/** Only a command with a `version` or a `mostPaise` gets these, so they cross no wire. `again`: the refund was made before. */
const { changed, overMost, again } = ownCodes('applyRefund', 'changed', 'overMost', 'again')

export const applyRefund = operation({
  name: 'applyRefund',
  codes,
  reads: ({ request: { mid, orderId, txnId, refId } }: ApplyRefund) => ({
    merchant: merchantKey(mid),
    order: look('orders', mid, orderId),
    transaction: transactionKey(mid, txnId),
    before: refundKey(mid, refId),
    ...notificationReads(mid, orderId),
  }),
  // Read after the payment is locked. So this decision sees a refund that another process has just requested.
  readsNext: (command, { order, before }) => ({
    ...(order?.consentOrderId ? notificationReads(order.mid, order.consentOrderId) : {}),
    ...(before ? {} : { justMade: refundNow(command.request.mid, command.request.refId) }),
    ...sameChecksumReads(command),
  }),
  decide({ request: r, contentHash, caller, checksumHash, version, mostPaise, now, fresh }, state) {
    const { merchant, order, transaction, merchantStream, peonStream } = state
    const before = state.before ?? state.justMade?.[0]
    const { byComments, byAmount, byOrderId, byTxnId } = state
    if (!merchant || caller.signature !== 'valid') return refuse(codes.invalidChecksum)
    if (checksumHash && [byComments, byAmount, byOrderId, byTxnId].some((other) => other?.details.checksumHash === checksumHash))
      return refuse(codes.invalidChecksum)
    if (!order || transaction?.orderId !== r.orderId) return refuse(codes.orderNotFound)
    if (before?.contentHash === contentHash) {
      const reply = accepted(before, transaction)
      return { ...NOTHING, reply: version === undefined ? reply : { ...reply, result: again } }
    }
    if (version !== undefined && version !== transaction.version) return refuse(changed)
    if (transaction.status !== 'SUCCESS') return refuse(codes.notCaptured)
    const amountPaise = toPaise(r.refundAmount)
    const leftPaise = refundablePaise(transaction)
    if (leftPaise === 0) return refuse(transaction.returnedPaise === transaction.capturedPaise ? codes.fullyRefunded : codes.alreadyRaised)
    if (amountPaise > leftPaise) return refuse(codes.invalidAmount, undefined, 'refundAmount', 'overLeft')
    if (before) return refuse(codes.refIdUsed, undefined, 'refId')
    if (mostPaise !== undefined && transaction.refundedPaise + amountPaise > mostPaise) return refuse(overMost)

    const { refId, comments } = r
    const { refundId } = fresh
    const request = {
      ...{ refId, refundId, amountPaise, contentHash },
      ...(comments !== undefined && { comments }),
      ...(checksumHash !== undefined && { checksumHash }),
    }
    const { refund, changes, events, tasks, ...after } = requestRefund(transaction, request, now)
    const content = refundContentOf(order, after.transaction, refund)
    const notified = notify(
      { order: withoutPeon(order), event: refundEventName(refund), content },
      { merchant: ifJson(merchant), merchantStream, peonStream },
      now,
    )
    return {
      reply: accepted(refund, transaction),
      changes: [...changes, ...notified.changes],
      events: events.map((event) => (event.type === 'refund.requested' ? withNotified(event, notified) : event)),
      tasks: [...tasks, ...notified.tasks],
    }
  },
})

const REF_ID = new RegExp(REF_ID_PATTERN)

/**
 * A CHECKSUM signs values without their names, so the same values under other names would ask for another refund. If a refund came with
 * this CHECKSUM before, its refId is one of these values: docs/interface.md section 4.14.
 */
function sameChecksumReads({ request: r, checksumHash }: ApplyRefund) {
  const named = (refId = '') =>
    checksumHash !== undefined && refId !== r.refId && REF_ID.test(refId) ? look('refunds', r.mid, refId) : undefined
  return { byComments: named(r.comments), byAmount: named(r.refundAmount), byOrderId: named(r.orderId), byTxnId: named(r.txnId) }
}

/** The classic form reports only final results: docs/interface.md section 6. */
const withoutPeon = (order: Row<'orders'>) => ({ ...streamOf(order), peonUrl: null })
const ifJson = (merchant: Row<'merchants'>) => (merchant.notification?.form === 'json' ? merchant : undefined)

/** The reply to an accepted request. A repeated request gets an equal reply. */
const accepted = ({ refundId, refId, amountPaise }: Refund, transaction: Transaction) => ({
  result: codes.success,
  body: {
    mid: transaction.mid,
    orderId: transaction.orderId,
    txnId: transaction.txnId,
    refId,
    refundId,
    refundAmount: toRupees(amountPaise),
    txnAmount: toRupees(payablePaise(transaction)),
    txnTimestamp: txnDate(transaction.initiatedAt),
  },
})
