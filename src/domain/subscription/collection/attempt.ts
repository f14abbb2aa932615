// An attempt at collecting one cycle: an order of its own with one transaction, begun by the collection sweep or by Renew, and what its
// end makes of the cycle. What the money does stands in domain/transaction/transaction-outcome.ts, as of any payment.

import { dayEnds } from '../../../engine/clock.ts'
import type { Change, Event } from '../../../engine/decision.ts'
import { orderKey, transactionKey } from '../../../tables/keys.ts'
import { find, type Row } from '../../../tables/tables.ts'
import { orderEvent } from '../../order/order.ts'
import { COLLECT_LEASE_MS, newTransaction, OF_NO_PAYER, transactionEvent } from '../../transaction/transaction.ts'
import type { Subscription } from '../subscription.ts'
import { become, type Collection, isAwaited } from './collection.ts'
import { nextTryAt } from './collection-times.ts'

/** True when we collect by ourselves: what varies, or is wanted on demand, only the merchant can ask for. */
export const isCollectedByUs = ({ autoRenewal, amountType, frequencyUnit }: Subscription) =>
  autoRenewal && amountType === 'FIX' && frequencyUnit !== 'ONDEMAND'

/** Whether the next attempt is ours, too. */
export const isTriedByUs = (subscription: Subscription, { attempts }: Pick<Collection, 'attempts'>) =>
  isCollectedByUs(subscription) && (attempts === 0 || subscription.autoRetry)

const APPROVAL_ASKED_EVERY_MS = 60 * 60_000 // ours: a payer who has not approved a debit that his merchant may ask for

/** When a cycle that is not ours to try is looked at again. */
export const nextLookAt = (collection: Collection, now: number) => {
  const windowEnd = dayEnds(collection.windowTo)
  return isAwaited(collection) ? Math.min(now + APPROVAL_ASKED_EVERY_MS, windowEnd) : windowEnd
}

/** When a cycle whose last attempt was sent then is tried again by us: with its window it is over. */
export const collectionRetryAt = ({ windowFrom: from, windowTo: to }: Collection, sentAt: number) =>
  nextTryAt({ from, to }, sentAt) ?? dayEnds(to)

/** The last attempt at a cycle that is looked at between two of them: for a notice that it need not have. */
export const lastTryOf = ({ mid, collectionId, status, attempts, notices, noticeNeeded }: Collection) =>
  status !== 'IN_FLIGHT' && attempts > 0 && notices > 0 && !noticeNeeded
    ? find('transactions', { equals: { mid, collectionId, collectionAttempt: attempts }, limit: 1 })
    : undefined

/** The name of the how-manieth attempt's order, when it is ours and nobody else has taken it. */
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
  /** When it is sent: `now`, or the instant that the rules permit. */
  sendAt: number
  /** Why not now. */
  rule?: string
  /** The decision that begins it leads to no call: the collection sweep finds it and sends it, also when it may be sent at once. */
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

/** The rows of an attempt. The rules, the terms and the mandate's state have been asked; the call is made after the commit. */
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

/** In process from its first moment: nobody pays it by a token, and no token's time leads to it. */
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
    expiresAt: 0, // past for every clock: one that fails is closed and never opens again
    details: { userInfo: first.details.userInfo, ...(extendInfo !== undefined && { extendInfo }) },
    transactionCount: 1,
    leftCount: 0,
    txnId,
    payer: subscription.mandate?.payer ?? null,
    updatedAt: now,
    consentOrderId: first.orderId,
  }
}

/** By the mode and the instrument of the consent. One that waits begins anew when it is sent: an instant that has not come may never come for it. */
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

// ----------------------------------------------------------------------------------------------- what an attempt's end makes

/** Nothing went to the acquirer, and nothing was asked of the payer: `timedOut` when the rules would not let it go any more. */
const WITHDRAWN: readonly string[] = ['cancelled', 'timedOut']

/** The cycle is collected; nothing more is tried. */
export const collected = (collection: Collection, now: number) =>
  become(collection, { ...collection, status: 'COLLECTED', nextAt: null }, 'collected', now, { txnId: collection.txnId })

/** Beside a debit that its bank may still make, or has made and given back, none is sent: docs/decisions/0010 and 0011. */
const LAST: readonly string[] = ['undecided', 'givenBack']

/**
 * The attempt has failed. The cycle is tried again while its terms, its rail and its window allow, by us or by the merchant;
 * else it ends with its last attempt.
 */
export function attemptFailed(before: Collection, subscription: Subscription, result: string, now: number) {
  const failed: Collection = { ...before, orderId: null, txnId: null, sentAt: null }
  const isWanted = before.unwanted === 'NO' && subscription.status === 'ACTIVE'
  const mayRetry = !LAST.includes(result) && before.attempts < before.attemptsMax && isWanted && now < dayEnds(before.windowTo)
  // Paused by its payer it was not to be tried.
  if (result === 'mandatePaused') return become(before, { ...failed, status: 'MISSED', nextAt: null }, 'missed', now, { result })
  // One that was withdrawn before it was sent counts, but it was no try.
  const isUntried = before.attempts === 1 && before.sentAt === null && WITHDRAWN.includes(result)
  if (!mayRetry && isUntried) return become(before, { ...failed, status: 'MISSED', nextAt: null }, 'missed', now, { result })
  if (!mayRetry) return become(before, { ...failed, status: 'FAILED', nextAt: null }, 'failed', now, { result })
  const status = before.noticedAt === null ? 'SCHEDULED' : 'NOTIFIED'
  const isOurs = isTriedByUs(subscription, before)
  // An answer may come days later, and costs none of them an attempt.
  const again = isOurs ? collectionRetryAt(before, before.sentAt ?? now) : nextLookAt(failed, now)
  const nextAt = Math.max(again, now)
  return become(before, { ...failed, status, nextAt }, 'attempt-failed', now, { result })
}
