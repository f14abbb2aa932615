// An attempt to collect one cycle: an order of its own with one transaction. The collection sweep or Renew begins it. This file also
// decides what the attempt's end means for the cycle. domain/transaction/transaction-outcome.ts moves the money, as for any payment.

import { dayEnds } from '../../../engine/clock.ts'
import type { Change, Event } from '../../../engine/decision.ts'
import { orderKey, transactionKey } from '../../../tables/keys.ts'
import { find, type Row } from '../../../tables/tables.ts'
import { orderEvent } from '../../order/order.ts'
import { COLLECT_LEASE_MS, newTransaction, OF_NO_PAYER, transactionEvent } from '../../transaction/transaction.ts'
import type { Subscription } from '../subscription.ts'
import { become, type Collection, isAwaited, isUnsent, presentAmounts, withTerms } from './collection.ts'
import { nextTryAt } from './collection-times.ts'

/** True when the service collects by itself. Only the merchant can request a variable amount, or a debit on demand. */
export const isCollectedByUs = ({ autoRenewal, amountType, frequencyUnit }: Subscription) =>
  autoRenewal && amountType === 'FIX' && frequencyUnit !== 'ONDEMAND'

/** True when the service makes the next attempt by itself: the first, and with `autoRetry` the later ones. */
export const isTriedByUs = (subscription: Subscription, { attempts }: Pick<Collection, 'attempts'>) =>
  isCollectedByUs(subscription) && (attempts === 0 || subscription.autoRetry)

const APPROVAL_ASKED_EVERY_MS = 60 * 60_000 // Mohur's choice: how often to ask the bank about an unapproved debit that the service does not try by itself

/** When the service next checks a cycle that it does not try by itself. */
export const nextCheckAt = (collection: Collection, now: number) => {
  const windowEnd = dayEnds(collection.windowTo)
  return isAwaited(collection) ? Math.min(now + APPROVAL_ASKED_EVERY_MS, windowEnd) : windowEnd
}

/**
 * When the service retries a cycle whose last attempt was sent at `sentAt`. If no try is left, returns the window's end, when the cycle is
 * over.
 */
export const collectionRetryAt = ({ windowFrom: from, windowTo: to }: Collection, sentAt: number) =>
  nextTryAt({ from, to }, sentAt) ?? dayEnds(to)

/** The attempt before the next one, or before the one that waits for its hour. Undefined when the cycle was not tried before. */
export function lastTryOf(collection: Collection) {
  const { mid, collectionId, attempts } = collection
  const number = isUnsent(collection) ? attempts - 1 : attempts
  return number > 0 ? find('transactions', { equals: { mid, collectionId, collectionAttempt: number }, limit: 1 }) : undefined
}

/** The order id of the next attempt, when Mohur names the order and no other order has that id. */
export const automaticOrderId = ({ collectionId, attempts }: Collection) => `A${collectionId}.${attempts + 1}`

export interface Beginning {
  subscription: Subscription
  collection: Collection
  /** The order by which the customer consented. */
  first: Row<'orders'>
  orderId: string
  txnId: string
  amountPaise: number
  extendInfo?: unknown
  /** When the attempt is sent: `now`, or the next permitted instant. */
  sendAt: number
  /** The rule that postpones the attempt, if any. */
  rule?: string
  /** No call follows the decision that begins the attempt. The collection sweep sends the attempt, even one that may be sent at once. */
  isLeftToCollector?: true
  now: number
}

export interface Begun {
  order: Row<'orders'>
  transaction: Row<'transactions'>
  collection: Collection
  changes: Change[]
  events: Event[]
}

/** The caller has checked the rules, the terms and the mandate's state. The call follows after the commit. */
export function beginAttempt(beginning: Beginning): Begun {
  const { collection: before, orderId, txnId, amountPaise, sendAt, rule, isLeftToCollector, now } = beginning
  const isSent = sendAt <= now && !isLeftToCollector
  const [order, transaction] = [orderOf(beginning), transactionOf(beginning, isSent)]
  const sent = isSent ? { sentAt: now, nextAt: now + COLLECT_LEASE_MS } : { sentAt: null, nextAt: sendAt }
  const attempts = before.attempts + 1
  const row = { ...before, ...sent, status: 'IN_FLIGHT' as const, amountPaise, attempts, orderId, txnId }
  const began = become(before, row, 'attempted', now, { orderId, txnId, sendAt, ...(rule && { rule }) })
  const { paymentMode, collectionId, channel, orderVersion } = transaction
  return {
    order,
    transaction,
    collection: began.collection,
    changes: [
      { kind: 'insert', key: orderKey(order.mid, orderId), row: order },
      { kind: 'insert', key: transactionKey(order.mid, txnId), row: transaction },
      ...began.changes,
    ],
    events: [
      orderEvent('order.created', undefined, order, now),
      transactionEvent('transaction.initiated', undefined, transaction, now, { paymentMode, collectionId, channel, orderVersion }),
      ...began.events,
    ],
  }
}

/**
 * The order is in process from its first moment. Without a txnToken no payer can pay the order, and no look-up by a token's digits finds
 * it.
 */
function orderOf({
  subscription,
  first,
  orderId,
  txnId,
  amountPaise,
  extendInfo = first.details.extendInfo,
  now,
}: Beginning): Row<'orders'> {
  return {
    ...first,
    orderId,
    version: 1,
    status: 'IN_PROCESS',
    requestType: 'RENEWAL',
    subscriptionId: subscription.subscriptionId,
    amountPaise,
    modifyCount: 0,
    unsignedModifyCount: 0,
    txnTokenHash: '',
    txnTokenIssuedAt: 0,
    searchTerms: '',
    expiresAt: 0, // past for every clock, so a failed order closes and never opens again
    details: { userInfo: first.details.userInfo, ...(extendInfo !== undefined && { extendInfo }) },
    transactionCount: 1,
    leftCount: 0,
    txnId,
    payer: subscription.mandate?.payer ?? null,
    updatedAt: now,
    consentOrderId: first.orderId,
  }
}

/**
 * The payment mode and the instrument are those of the consent. `initiatedAt` is set even for an attempt that waits, because it may never
 * be sent. Sending the attempt sets `initiatedAt` again.
 */
function transactionOf({ subscription, collection, orderId, txnId, amountPaise, now }: Beginning, isSent: boolean): Row<'transactions'> {
  const isOfWallet = collection.rail === 'WALLET'
  return newTransaction({
    ...OF_NO_PAYER,
    mid: subscription.mid,
    txnId,
    orderId,
    attempt: 1,
    paymentMode: subscription.paymentMode!,
    amountPaise,
    orderVersion: 1,
    walletPaise: isOfWallet ? amountPaise : 0,
    bankPaise: isOfWallet ? 0 : amountPaise,
    instrument: subscription.mandate?.instrument ?? {},
    payer: subscription.mandate?.payer ?? null,
    initiatedAt: now,
    collectionId: collection.collectionId,
    collectionAttempt: collection.attempts + 1,
    sentAt: isSent && !isOfWallet ? now : null,
  })
}

// ---------------------------------------------------------------------------------------------------------- an attempt's end

/**
 * Results of an unsent attempt: nothing went to the acquirer, and the payer was asked nothing. `timedOut`: the rules would not permit the
 * attempt any more.
 */
const WITHDRAWN: readonly string[] = ['cancelled', 'timedOut']

export const collected = (collection: Collection, now: number) =>
  become(collection, { ...collection, status: 'COLLECTED', nextAt: null }, 'collected', now, { txnId: collection.txnId })

/**
 * After these results the bank may still make the debit, or has made and returned it. So no other debit of the cycle is sent:
 * docs/decisions/0010 and 0011.
 */
const LAST: readonly string[] = ['undecided', 'givenBack']

/**
 * While the cycle's terms, rail and window allow, the service or the merchant tries the cycle again. Otherwise the cycle ends with this
 * attempt. Without a notice the cycle takes the terms that the payer has agreed to meanwhile. `isNoticed`: a caller that has read no notice
 * counts each.
 */
export function attemptFailed(
  before: Collection,
  subscription: Subscription,
  result: string,
  now: number,
  isNoticed: boolean = before.notices > 0,
) {
  const failed: Collection = { ...before, orderId: null, txnId: null, sentAt: null }
  const isWanted = before.unwanted === 'NO' && subscription.status === 'ACTIVE'
  const mayRetry = !LAST.includes(result) && before.attempts < before.attemptsMax && isWanted && now < dayEnds(before.windowTo)
  // The payer had paused the mandate, so the cycle is missed and has not failed.
  if (result === 'mandatePaused') return become(before, { ...failed, status: 'MISSED', nextAt: null }, 'missed', now, { result })
  // A withdrawn attempt counts towards the limit. But a cycle whose only attempt was never sent is missed, and has not failed.
  const isUntried = before.attempts === 1 && before.sentAt === null && WITHDRAWN.includes(result)
  if (!mayRetry && isUntried) return become(before, { ...failed, status: 'MISSED', nextAt: null }, 'missed', now, { result })
  if (!mayRetry) return become(before, { ...failed, status: 'FAILED', nextAt: null }, 'failed', now, { result })
  const status = before.noticedAt === null ? 'SCHEDULED' : 'NOTIFIED'
  const isOurs = isTriedByUs(subscription, before)
  // The retry time counts from the sending. So after an answer that comes days late, the next attempt is due at once.
  const retryAt = isOurs ? collectionRetryAt(before, before.sentAt ?? now) : nextCheckAt(failed, now)
  // The next run reads the notices. If all have failed, the cycle takes the present terms before the merchant tries it again.
  const isStale = before.noticedAt === null && before.maxPaise !== subscription.maxAmountPaise
  const nextAt = isStale && !isOurs ? now : Math.max(retryAt, now)
  const again = become(before, { ...failed, status, nextAt }, 'attempt-failed', now, { result })
  return isNoticed ? again : withTerms(again, presentAmounts(subscription), now)
}
