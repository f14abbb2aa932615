// Decisions of Cancel Subscription: what ends with the subscription, and what stays.

import { cancelSubscription } from '../../../src/domain/subscription/cancel-subscription.ts'
import { decides } from '../../support/decided/decides.ts'
import {
  attempt,
  attemptOrder,
  cycle,
  firstOrder,
  inFlight,
  MID,
  merchant,
  NOW,
  noticed,
  order,
  SIGNED,
  SUBSCRIPTION,
  subscription,
  UNSIGNED,
} from '../../support/decided/rows.ts'

const cancel = { request: { mid: MID }, caller: SIGNED, subscriptionId: SUBSCRIPTION, now: NOW }
const active = [merchant(), firstOrder(), subscription()]
const over = { status: 'REJECT', subStatus: 'MERCHANT_CANCELLED', wakesAt: null } as const

decides(cancelSubscription, {
  'an active subscription ends, and its mandate is withdrawn at the bank': {
    given: active,
    when: cancel,
    comes: {
      reply: 'success',
      changes: [['update subscriptions S', over]],
      events: ['subscription.cancelled ACTIVE>REJECT'],
      tasks: ['mandate-revoke.due M:S +0'],
      notified: ['SUBSCRIPTION_CANCEL TXN_SUCCESS'],
    },
  },
  'a wallet’s mandate is known to no bank': {
    given: [merchant(), firstOrder(), subscription({ paymentMode: 'BALANCE', mandate: { instrument: {} } })],
    when: cancel,
    comes: {
      reply: 'success',
      changes: [['update subscriptions S', over]],
      events: ['subscription.cancelled ACTIVE>REJECT'],
      notified: ['SUBSCRIPTION_CANCEL TXN_SUCCESS'],
    },
  },
  'before the consent the order of the first payment closes with it': {
    given: [merchant(), order({ subscriptionId: SUBSCRIPTION }), subscription({ status: 'INIT', subStatus: 'INIT', mandate: null })],
    when: cancel,
    comes: {
      reply: 'success',
      changes: [
        ['update subscriptions S', over],
        ['update orders O', { status: 'CLOSED' }],
      ],
      events: ['subscription.cancelled INIT>REJECT', 'order.closed CREATED>CLOSED'],
      notified: ['SUBSCRIPTION_CANCEL TXN_SUCCESS'],
    },
  },
  'a first payment under way loses its order, so that a late success is given back': {
    given: [
      merchant(),
      order({ subscriptionId: SUBSCRIPTION, status: 'IN_PROCESS', txnId: 'T' }),
      subscription({ status: 'INIT', subStatus: 'INIT', mandate: null }),
    ],
    when: cancel,
    comes: {
      reply: 'success',
      changes: [
        ['update subscriptions S', over],
        ['update orders O', { status: 'CLOSED', txnId: null }],
      ],
      events: ['subscription.cancelled INIT>REJECT', 'order.closed IN_PROCESS>CLOSED'],
      notified: ['SUBSCRIPTION_CANCEL TXN_SUCCESS'],
    },
  },
  'a cycle that was not tried is missed, without a notification': {
    given: [...active, cycle()],
    when: cancel,
    comes: {
      reply: 'success',
      changes: [
        ['update subscriptions S', over],
        ['update collections S.20260701', { status: 'MISSED', nextAt: null }],
      ],
      events: ['subscription.cancelled ACTIVE>REJECT', 'collection.missed SCHEDULED>MISSED'],
      tasks: ['mandate-revoke.due M:S +0'],
      notified: ['SUBSCRIPTION_CANCEL TXN_SUCCESS'],
    },
  },
  'a cycle that was tried before has failed': {
    given: [...active, noticed({ attempts: 1 })],
    when: cancel,
    comes: {
      reply: 'success',
      changes: [
        ['update subscriptions S', over],
        ['update collections S.20260701', { status: 'FAILED', nextAt: null }],
      ],
      events: ['subscription.cancelled ACTIVE>REJECT', 'collection.failed NOTIFIED>FAILED'],
      tasks: ['mandate-revoke.due M:S +0'],
      notified: ['SUBSCRIPTION_CANCEL TXN_SUCCESS'],
    },
  },
  'an attempt that waits for its hour is withdrawn, its bank asked once more, and it was no try': {
    given: [...active, inFlight({ sentAt: null }), attemptOrder(), attempt({ sentAt: null, initiatedAt: NOW, updatedAt: NOW })],
    when: cancel,
    comes: {
      reply: 'success',
      changes: [
        ['update subscriptions S', over],
        ['update transactions T1', { status: 'FAILURE', result: 'cancelled' }],
        ['update orders A1', { status: 'CLOSED', txnId: null }],
        ['update collections S.20260701', { status: 'MISSED', orderId: null, txnId: null, nextAt: null }],
      ],
      events: [
        'subscription.cancelled ACTIVE>REJECT',
        'transaction.failed INITIATED>FAILURE',
        'order.closed IN_PROCESS>CLOSED',
        'collection.missed IN_FLIGHT>MISSED',
      ],
      tasks: ['transaction.due M:T1 +22h30m', 'mandate-revoke.due M:S +0'],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE', 'SUBSCRIPTION_CANCEL TXN_SUCCESS'],
    },
  },
  'an attempt that its bank knows ends as it ends': {
    given: [...active, inFlight(), attemptOrder(), attempt()],
    when: cancel,
    comes: {
      reply: 'success',
      changes: [['update subscriptions S', over]],
      events: ['subscription.cancelled ACTIVE>REJECT'],
      tasks: ['mandate-revoke.due M:S +0'],
      notified: ['SUBSCRIPTION_CANCEL TXN_SUCCESS'],
    },
  },
  'one that was cancelled is cancelled': {
    given: [merchant(), firstOrder(), subscription({ ...over, status: 'REJECT' }), cycle()],
    when: cancel,
    comes: 'success',
  },
  'only the merchant cancels it': { given: active, when: { ...cancel, caller: UNSIGNED }, comes: 'badRequest signature' },
  'another merchant’s is not found': { given: active, when: { ...cancel, request: { mid: 'X' } }, comes: 'notFound' },
  'one that its payer has withdrawn is not active': {
    given: [merchant(), firstOrder(), subscription({ status: 'REJECT', subStatus: 'USER_CANCELLED' }), cycle()],
    when: cancel,
    comes: 'notActive Subscription is not active: REJECT, USER_CANCELLED',
  },
  'after its last day it has expired, written or not': {
    given: [merchant(), firstOrder(), subscription({ expiryDate: '2026-06-14' }), cycle()],
    when: cancel,
    comes: 'expired',
  },
})
