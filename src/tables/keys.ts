// The keys and finds that decisions and flows share. They stand apart from the rows, because each needs the name of a table.

import { ATTEMPTS_MAX, CODES_LEFT_MAX } from './order.ts'
import { find, lock, look, nameOf, type Row, type TableName } from './tables.ts'

/** The row that an event is about, by the first word of the event's type. */
export function aggregateOf({
  type,
  owner,
  id,
}: {
  type: string
  owner: string
  id: string
}): { table: TableName; name: string } | undefined {
  const table = AGGREGATES[type.slice(0, type.indexOf('.'))]
  return table && { table, name: nameOf(table, table === 'tokenFamilies' || table === 'merchants' ? [id] : [owner, id]) }
}
const AGGREGATES: Readonly<Record<string, TableName>> = {
  order: 'orders',
  transaction: 'transactions',
  refund: 'refunds',
  redemption: 'redemptions',
  subscription: 'subscriptions',
  collection: 'collections',
  signin: 'tokenFamilies',
  merchant: 'merchants',
}

export const merchantKey = (mid: string) => look('merchants', mid)
export const MERCHANT_KEYS_MAX = 100 // of all clientIds and generations together: rotating adds no key beyond it
/** All keys of a merchant. Generations are text, so the reader must find the newest. */
export const merchantKeysOf = (mid: string) => find('merchantKeys', { equals: { mid }, orderBy: ['position'], limit: MERCHANT_KEYS_MAX })

export const orderKey = (mid: string, orderId: string) => lock('orders', mid, orderId)
/** Orders whose txnToken was issued in exactly this millisecond: a handful, and at most one has the token's hash. */
export const ordersByTokenTime = (txnTokenIssuedAt: number) => find('orders', { equals: { txnTokenIssuedAt }, limit: 1_000 })
export const ordersToExpire = (now: number) =>
  find('orders', { equals: { status: 'CREATED' }, atMost: { expiresAt: now }, orderBy: ['expiresAt'], limit: 500, unopened: true })
export const usedSignatureKey = (mid: string, signatureHash: string) => lock('usedSignatures', mid, signatureHash)
export const signaturesUsedUntil = (usedAt: number) => find('usedSignatures', { atMost: { usedAt }, orderBy: ['usedAt'], limit: 500 })
export const checkoutOtpKey = (mid: string, orderId: string) => lock('checkoutOtps', mid, orderId)
export const checkoutOtpSendsKey = (mobile: string) => lock('checkoutOtpSends', mobile)

/** A page of a list by time (docs/interface.md sections 4.16 and 4.17). */
export interface ListPage {
  from: number
  to: number
  direction: 'asc' | 'desc'
  limit: number
  offset: number
}

export const transactionKey = (mid: string, txnId: string) => lock('transactions', mid, txnId)
export const transactionsOfOrder = (mid: string, orderId: string) =>
  find('transactions', { equals: { mid, orderId }, orderBy: ['attempt'], limit: ATTEMPTS_MAX + CODES_LEFT_MAX })
/** Each order's last attempt, if that attempt began in the period and fits the filters. */
export const lastTransactionsBetween = (
  { from, to, ...page }: ListPage,
  equals: Partial<Row<'transactions'>>,
  statuses: readonly string[] | undefined,
) =>
  find('transactions', {
    equals,
    atLeast: { initiatedAt: from },
    atMost: { initiatedAt: to },
    ...(statuses && { in: { column: 'status', values: statuses } }),
    lastOf: { of: ['mid', 'orderId'], by: 'attempt' },
    orderBy: ['initiatedAt', 'txnId'],
    ...page,
  })
/**
 * Debits of a cycle that their bank may still make, or has not wholly given back. One of them beside the debit in flight is enough to bar
 * the next debit, so the limit is 2.
 */
export const debitsOpenAtBank = ({ mid, collectionId }: Pick<Row<'collections'>, 'mid' | 'collectionId'>) =>
  find('transactions', { equals: { mid, collectionId, openAtBank: true }, limit: 2 })
/** The next question to the acquirer about a payment. No decision that reads it needs its payload. */
export const statusInquiryOf = ({ mid, txnId }: Pick<Row<'transactions'>, 'mid' | 'txnId'>) =>
  find('tasks', { equals: { task: 'transaction.due', subject: `${mid}:${txnId}` }, limit: 1, unopened: true })
export const savedCardKey = (mid: string, custId: string, savedCardId: string) => lock('savedCards', mid, custId, savedCardId)
const SAVED_CARDS_MAX = 20 // Mohur's choice: of one customer with one merchant
export const savedCardsOf = (mid: string, custId: string) => find('savedCards', { equals: { mid, custId }, limit: SAVED_CARDS_MAX })

export const refundKey = (mid: string, refId: string) => lock('refunds', mid, refId)
/** The row of `refundKey`, read anew in a later round. */
export const refundNow = (mid: string, refId: string) => find('refunds', { equals: { mid, refId }, limit: 1 })
export const refundsBetween = ({ from, to, ...page }: ListPage, mid: string) =>
  find('refunds', {
    equals: { mid },
    atLeast: { requestedAt: from },
    atMost: { requestedAt: to },
    orderBy: ['requestedAt', 'refId'],
    ...page,
  })

export const ledgerKey = (owner: string, movement: string, line: string) => lock('ledgerEntries', owner, movement, line)

export const redemptionKey = (mid: string, txnId: string) => lock('redemptions', mid, txnId)
export const promotionKey = (mid: string, promocode: string) => look('promotions', mid, promocode)
/** Promotions that end on `day` or later and have begun by then. The row-wise comparison stands for `validUpto >= day`. */
export const promotionsLiveOn = (mid: string, day: string, limit: number) =>
  find('promotions', { equals: { mid }, atMost: { validFrom: day }, orderBy: ['validUpto', 'promocode'], beyond: [day, ''], limit })
/** The custId '' stands for all customers. */
export const counterKey = (mid: string, promocode: string, custId: string) => lock('promotionCounters', mid, promocode, custId)
export const accessTokenKey = (mid: string, referenceId: string) => lock('accessTokens', mid, referenceId)

export const subscriptionKey = (mid: string, subscriptionId: string) => lock('subscriptions', mid, subscriptionId)
/** A customer's subscriptions, newest first, from the place after `beyond` (createdAt, subscriptionId). */
export const subscriptionsOf = (
  equals: Partial<Row<'subscriptions'>>,
  statuses: readonly string[] | undefined,
  beyond: readonly [number, string] | undefined,
  limit: number,
) =>
  find('subscriptions', {
    equals,
    ...(statuses && { in: { column: 'status', values: statuses } }),
    orderBy: ['createdAt', 'subscriptionId'],
    direction: 'desc',
    ...(beyond && { beyond }),
    limit,
  })
export const subscriptionsToWake = (now: number, limit: number) =>
  find('subscriptions', { atMost: { wakesAt: now }, orderBy: ['wakesAt'], limit, unopened: true })

export const collectionKey = (mid: string, collectionId: string) => lock('collections', mid, collectionId)
export const collectionsDue = (now: number, limit: number) =>
  find('collections', { atMost: { nextAt: now }, orderBy: ['nextAt', 'mid'], limit })
/** Due cycles that follow all cycles of the merchant and the instant in `beyond`. */
export const collectionsDueBeyond = (now: number, beyond: readonly [nextAt: number, mid: string], limit: number) =>
  find('collections', { atMost: { nextAt: now }, orderBy: ['nextAt', 'mid'], beyond, limit })
/** The open cycles of a subscription: one or two by the calendar, and on demand one for each day that a notice named. */
export const openCollectionsOf = (mid: string, subscriptionId: string) =>
  find('collections', {
    equals: { mid, subscriptionId },
    in: { column: 'status', values: ['SCHEDULED', 'NOTIFIED', 'IN_FLIGHT'] },
    orderBy: ['dueDate'],
    limit: OPEN_COLLECTIONS_MAX,
  })
const OPEN_COLLECTIONS_MAX = 32 // Mohur's choice: seven days ahead, and attempts without an answer
export const collectionsOf = (mid: string, subscriptionId: string, limit: number) =>
  find('collections', { equals: { mid, subscriptionId }, orderBy: ['dueDate'], direction: 'desc', limit })

export const noticeKey = (mid: string, noticeId: string) => lock('notices', mid, noticeId)
/** The cycle's notice that has succeeded, or may still succeed. */
export const standingNoticeOf = (mid: string, collectionId: string) =>
  find('notices', { equals: { mid, collectionId }, in: { column: 'status', values: ['PENDING', 'SUCCESS'] }, limit: 1 })
export const newestNotice = (equals: Partial<Row<'notices'>>) =>
  find('notices', { equals, orderBy: ['requestedAt', 'noticeId'], direction: 'desc', limit: 1 })

export const mandateLinkKey = (linkHash: string) => lock('mandateLinks', linkHash)
export const mandatePageKey = (pageHash: string) => lock('mandatePages', pageHash)
export const mandateCodeSendsKey = (mobile: string) => lock('mandateCodeSends', mobile)

export const pageKey = (pageHash: string) => lock('pages', pageHash)

export type Endpoint = Row<'notifications'>['endpoint']
export const streamKey = (mid: string, orderId: string, endpoint: Endpoint) => lock('notificationStreams', mid, orderId, endpoint)
export const notificationKey = (mid: string, orderId: string, endpoint: Endpoint, sequence: string) =>
  lock('notifications', mid, orderId, endpoint, sequence)
export const deliveryAttemptKey = (mid: string, notificationId: string, attempt: string) =>
  lock('deliveryAttempts', mid, notificationId, attempt)
export const stoppedEndpointKey = (mid: string, url: string) => lock('stoppedEndpoints', mid, url)

export const signInClientKey = (clientId: string) => look('signInClients', clientId)
export const otpChallengeKey = (stateTokenHash: string) => lock('otpChallenges', stateTokenHash)
export const otpSendsKey = (mobile: string) => lock('otpSends', mobile)
export const otpFailuresKey = (mobile: string, deviceHash: string) => lock('otpFailures', mobile, deviceHash)
export const tokenFamilyKey = (familyId: string) => lock('tokenFamilies', familyId)
/** For a caller that only asks whether a sign-in still stands. */
export const signInKey = (familyId: string) => look('tokenFamilies', familyId)
export const refreshTokenKey = (tokenHash: string) => lock('refreshTokens', tokenHash)
export const ssoTokenKey = (tokenHash: string) => look('ssoTokens', tokenHash)
/** For the decision that issues the token. All others only look. */
export const newSsoTokenKey = (tokenHash: string) => lock('ssoTokens', tokenHash)
export const customerLinkKey = (mid: string, custId: string) => lock('customerLinks', mid, custId)
export const customerKey = (mobile: string) => look('customers', mobile)
/** For a decision that may make the customer, at a number's first sign-in. */
export const newCustomerKey = (mobile: string) => lock('customers', mobile)

export const operatorKey = (emailHash: string) => lock('operators', emailHash)
export const operatorById = (operatorId: string) => find('operators', { equals: { operatorId }, limit: 1 })
export const operatorTokenKey = (tokenHash: string) => lock('operatorTokens', tokenHash)
export const operatorSessionKey = (sessionHash: string) => lock('operatorSessions', sessionHash)
const LINKS_MAX = 1_000 // Mohur's choice: made within fifteen minutes
/** Links of all people. Expired links are included, because this process's clock may be wrong. A link is deleted soon after its end. */
export const operatorLinks = find('operatorTokens', { orderBy: ['until'], direction: 'desc', limit: LINKS_MAX })
const SESSIONS_MAX = 100 // Mohur's choice: of one person, to be ended together
export const sessionsOfOperator = (operatorId: string) => find('operatorSessions', { equals: { operatorId }, limit: SESSIONS_MAX })
/** An empty `emailHash` stands for the whole network. */
export const signInFailuresKey = (emailHash: string, caller: string) => lock('signInFailures', emailHash, caller)
export const approvalKey = (approvalId: string) => lock('approvals', approvalId)
/** The row of `approvalKey`, read anew in a later round. */
export const approvalNow = (approvalId: string) => find('approvals', { equals: { approvalId }, limit: 1 })
export const approvalCommandKey = (approvalId: string) => lock('approvalCommands', approvalId)
export const auditKey = (auditId: string) => lock('auditLog', auditId)
export const searchOrderKey = (number: number) => lock('searchOrders', String(number))
export const searchTermKey = ({ segment, term, number }: Row<'searchTerms'>) =>
  lock('searchTerms', String(segment), String(term), String(number))
export const lateTermKey = ({ term, at, mid, orderId }: Row<'lateTerms'>) => lock('lateTerms', String(term), String(at), mid, orderId)
export const merchantOrderKey = ({ mid, at, orderId }: Row<'merchantOrders'>) => lock('merchantOrders', mid, String(at), orderId)

export const taskKey = (task: string, subject: string) => lock('tasks', task, subject)
export const idempotencyKey = (owner: string, operation: string, keyHash: string) => lock('idempotencyKeys', owner, operation, keyHash)
export const idempotencyKeysUntil = (at: number) => find('idempotencyKeys', { atMost: { at }, orderBy: ['at'], limit: 500, unopened: true })
export const settingKey = (name: string) => lock('settings', name)

export const messageKey = (mobile: string, id: string) => lock('messages', mobile, id)
export const messagesOf = (mobile: string) => find('messages', { equals: { mobile }, orderBy: ['at', 'id'], direction: 'desc', limit: 100 })
