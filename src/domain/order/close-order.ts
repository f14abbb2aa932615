// Close Order: docs/interface.md section 4.13. The merchant wants no payment any more, so the order closes at once, even while a payer is
// paying it. If that payment still captures money, the service refunds the money (domain/transaction/transaction-outcome.ts).

import Type, { type Static } from 'typebox'
import { NOTHING, operation, refuse } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import { type FaultCodes, wrongValue } from '../../interface/request.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { closeOrder as codes } from '../../interface/result-codes.ts'
import type { Signed, Wire } from '../../interface/wire.ts'
import { collectionKey, merchantKey, orderKey, subscriptionKey, transactionKey } from '../../tables/keys.ts'
import { collectionReads } from '../notification/notification.ts'
import { attemptFailed } from '../subscription/collection/attempt.ts'
import { withdrawAttempt } from '../subscription/collection/withdraw-attempt.ts'
import { notifyOfMoves, recipientKeys } from '../subscription/mandate-notifications.ts'
import { timeOut } from '../subscription/time-out.ts'
import { closed } from './order.ts'

const head = Type.Object({
  clientId: Type.Optional(fields.name),
  signature: Type.Unknown(),
})
const body = Type.Object({
  /** A signature covers the body alone. Without this member, any signed question about an order would close it. */
  requestType: Type.Enum(['CLOSE']),
  mid: fields.mid,
  orderId: fields.orderId,
})

const faults: FaultCodes<(typeof codes)['success']> = {
  missing: () => ({ result: codes.missingElement }),
  wrong(fault) {
    if (fault.path === 'mid') return { result: codes.invalidMid }
    if (fault.path === 'orderId') return { result: codes.invalidOrderId }
    return wrongValue(fault, { invalidField: codes.invalidField, illegalParameter: codes.invalidField })
  },
}

export const wire: Wire<typeof head, typeof body, (typeof codes)['success']> = {
  query: [],
  head,
  body,
  faults,
  unreadable: codes.invalidBody,
  missingParam: () => ({ result: codes.missingElement }),
  systemError: codes.systemError,
}

export const reply = Type.Object({ mid: fields.mid, orderId: fields.orderId })

export interface CloseOrder {
  request: Static<typeof body>
  caller: Signed
  /** The order's version that a person saw in the console. If the version differs, nothing changes. */
  version?: number
  now: number
}

/** Only a command with a `version` gets it, so it crosses no wire. */
const { changed } = ownCodes('closeOrder', 'changed')

export const closeOrder = operation({
  name: 'closeOrder',
  codes,
  reads: ({ request: { mid, orderId } }: CloseOrder) => ({ merchant: merchantKey(mid), order: orderKey(mid, orderId) }),
  readsNext: ({ request: { mid } }, { order }) => ({
    subscription: order?.subscriptionId ? subscriptionKey(mid, order.subscriptionId) : undefined,
    transaction: order?.consentOrderId && order.txnId ? transactionKey(mid, order.txnId) : undefined,
    ...(order?.consentOrderId ? collectionReads(mid, order.consentOrderId) : {}),
    ...recipientKeys(order),
  }),
  readsLast: ({ request: { mid } }, { transaction }) => ({
    collection: transaction?.collectionId ? collectionKey(mid, transaction.collectionId) : undefined,
  }),
  decide({ caller, version, now }, state) {
    const { merchant, order, subscription, transaction, collection, merchantStream, peonStream, callbackStream } = state
    if (!merchant) return refuse(codes.invalidMid, undefined, 'mid', 'unknownMid')
    if (caller.signature !== 'valid') return refuse(codes.invalidChecksum)
    if (!order) return refuse(codes.invalidOrderId, undefined, 'orderId', 'unknownOrder')
    if (order.status === 'PAID') return refuse(codes.orderPaid)
    if (order.status === 'CLOSED') return refuse(codes.orderClosed)
    if (order.version !== (version ?? order.version)) return refuse(changed)
    const reply = { result: codes.success, body: { mid: order.mid, orderId: order.orderId } }
    if (order.requestType === 'RENEWAL') {
      // Only the acquirer can end a sent debit. A debit that waits for its hour is withdrawn.
      const isUnsent = transaction && collection?.txnId === transaction.txnId && collection.sentAt === null
      if (!isUnsent || !subscription) return refuse(codes.transactionInProcess)
      const attempt = { order, transaction, merchant, merchantStream, peonStream, callbackStream }
      const withdrawn = withdrawAttempt(collection, subscription, attempt, now)
      const cycle = attemptFailed(collection, subscription, 'cancelled', now)
      return notifyOfMoves(state, now, {
        reply,
        changes: [...withdrawn.changes, ...cycle.changes],
        events: [...withdrawn.events, ...cycle.events],
        tasks: withdrawn.tasks,
      })
    }
    const ended = closed(order, now)
    const over = subscription ? timeOut(subscription, now) : NOTHING
    return { reply, changes: [...ended.changes, ...over.changes], events: [...ended.events, ...over.events], tasks: over.tasks }
  },
})
