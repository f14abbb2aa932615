// What a pause, its end and the end of a subscription change besides, whichever party causes them.

import { endOrPauseSubscription } from '../../../src/domain/subscription/end-or-pause.ts'
import { modifySubscriptionStatus } from '../../../src/domain/subscription/modify-subscription-status.ts'
import { decides } from '../../support/decided/decides.ts'
import {
  at,
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
  reference,
  SIGNED,
  SUBSCRIPTION,
  subscription,
  UNSIGNED,
} from '../../support/decided/rows.ts'

const around = [merchant(), firstOrder()]
const mandate = { reference: 'UMN', instrument: { vpa: 'payer@upi' } }
const wallet = { paymentMode: 'BALANCE', mandate: { instrument: {} } } as const
const pausedBy = (who: 'MERCHANT' | 'USER', more: Parameters<typeof subscription>[0] = {}) =>
  subscription({ status: 'SUSPENDED', subStatus: `${who}_PAUSED`, version: 4, ...more })
/** The July cycle, within its days. */
const ITS_DAY = at('2026-07-01 05:00')
const next = [
  'insert collections S.20260801',
  { number: 2, status: 'SCHEDULED', windowFrom: '2026-08-01', windowTo: '2026-08-03' },
] as const

const modify = (status: 'ACTIVE' | 'SUSPENDED', now = NOW) => ({
  ...{ request: { mid: MID, status }, caller: SIGNED, subscriptionId: SUBSCRIPTION, reference, now },
})
const byMerchant = { status: 'SUSPENDED', subStatus: 'MERCHANT_PAUSED' }
const activeAgain = { status: 'ACTIVE', subStatus: 'ACTIVE' }

decides(modifySubscriptionStatus, {
  'one that has changed since a person saw it is not paused': {
    given: [...around, subscription(wallet)],
    when: { ...modify('SUSPENDED'), version: 2 },
    comes: 'changed',
  },
  'nor is one that they have paused already: the second form does nothing': {
    given: [...around, pausedBy('MERCHANT')],
    when: { ...modify('SUSPENDED'), version: 3 },
    comes: 'changed',
  },
  'a pause is sent to the bank, which keeps it until its end arrives; a cycle to come is left alone': {
    given: [...around, subscription(), cycle()],
    when: modify('SUSPENDED'),
    comes: {
      reply: 'success',
      changes: [['update subscriptions S', { ...byMerchant, mandate: { ...mandate, isPauseAtBank: true } }]],
      events: ['subscription.paused ACTIVE>SUSPENDED'],
      tasks: ['mandate-pause.due M:S +0'],
      notified: ['SUBSCRIPTION_PAUSE TXN_SUCCESS'],
    },
  },
  'a wallet is paused with us alone': {
    given: [...around, subscription(wallet)],
    when: modify('SUSPENDED'),
    comes: {
      reply: 'success',
      changes: [['update subscriptions S', byMerchant]],
      events: ['subscription.paused ACTIVE>SUSPENDED'],
      notified: ['SUBSCRIPTION_PAUSE TXN_SUCCESS'],
    },
  },
  'a cycle whose day has begun is missed, and the one behind it is there': {
    given: [...around, subscription(wallet), noticed()],
    when: modify('SUSPENDED', ITS_DAY),
    comes: {
      reply: 'success',
      changes: [['update subscriptions S', byMerchant], ['update collections S.20260701', { status: 'MISSED', nextAt: null }], next],
      events: ['subscription.paused ACTIVE>SUSPENDED', 'collection.missed NOTIFIED>MISSED', 'collection.scheduled >SCHEDULED'],
      notified: ['SUBSCRIPTION_PAUSE TXN_SUCCESS', 'SUBSCRIPTION_MISS TXN_SUCCESS'],
    },
  },
  'an attempt in flight on its day ends as it ends, and is the last': {
    given: [...around, subscription(wallet), inFlight({ rail: 'WALLET' }), attemptOrder(), attempt()],
    when: modify('SUSPENDED', ITS_DAY),
    comes: {
      reply: 'success',
      changes: [['update subscriptions S', byMerchant], ['update collections S.20260701', { unwanted: 'PAUSED' }], next],
      events: ['subscription.paused ACTIVE>SUSPENDED', 'collection.unwanted IN_FLIGHT>IN_FLIGHT', 'collection.scheduled >SCHEDULED'],
      notified: ['SUBSCRIPTION_PAUSE TXN_SUCCESS'],
    },
  },
  'an attempt that waits for its hour is withdrawn': {
    given: [...around, subscription(wallet), inFlight({ sentAt: null, rail: 'WALLET' }), attemptOrder(), attempt({ sentAt: null })],
    when: modify('SUSPENDED', ITS_DAY),
    comes: {
      reply: 'success',
      changes: [
        ['update subscriptions S', byMerchant],
        ['update transactions T1', { status: 'FAILURE', result: 'cancelled' }],
        ['update orders A1', { status: 'CLOSED', txnId: null }],
        ['update collections S.20260701', { status: 'MISSED', orderId: null, txnId: null, nextAt: null }],
        next,
      ],
      events: [
        'subscription.paused ACTIVE>SUSPENDED',
        'transaction.failed INITIATED>FAILURE',
        'order.closed IN_PROCESS>CLOSED',
        'collection.missed IN_FLIGHT>MISSED',
        'collection.scheduled >SCHEDULED',
      ],
      tasks: ['transaction.due M:T1 +22h30m'],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE', 'SUBSCRIPTION_PAUSE TXN_SUCCESS', 'SUBSCRIPTION_MISS TXN_SUCCESS'],
    },
  },
  'the end of a pause is sent to the bank too, and a notice that may still be given is': {
    given: [...around, pausedBy('MERCHANT', { mandate: { ...mandate, isPauseAtBank: true } }), cycle({ nextAt: at('2026-07-01 00:00') })],
    when: modify('ACTIVE'),
    comes: {
      reply: 'success',
      changes: [
        ['update subscriptions S', activeAgain],
        ['update collections S.20260701', { nextAt: at('2026-06-29 18:00') }],
      ],
      events: ['subscription.resumed SUSPENDED>ACTIVE'],
      tasks: ['mandate-pause.due M:S +0'],
      notified: ['SUBSCRIPTION_RESUME TXN_SUCCESS'],
    },
  },
  'where the pause ends on its day, the cycle is missed all the same': {
    given: [...around, pausedBy('MERCHANT', wallet), cycle()],
    when: modify('ACTIVE', at('2026-07-03 23:59')),
    comes: {
      reply: 'success',
      changes: [['update subscriptions S', activeAgain], ['update collections S.20260701', { status: 'MISSED', nextAt: null }], next],
      events: ['subscription.resumed SUSPENDED>ACTIVE', 'collection.missed SCHEDULED>MISSED', 'collection.scheduled >SCHEDULED'],
      notified: ['SUBSCRIPTION_RESUME TXN_SUCCESS', 'SUBSCRIPTION_MISS TXN_SUCCESS'],
    },
  },
  'what is so already changes nothing': { given: [...around, subscription()], when: modify('ACTIVE'), comes: 'success' },
  'a pause that is a pause already changes nothing': {
    given: [...around, pausedBy('USER')],
    when: modify('SUSPENDED'),
    comes: 'success',
  },
  'a payer’s pause the merchant cannot lift': {
    given: [...around, pausedBy('USER')],
    when: modify('ACTIVE'),
    comes: 'notActive Subscription is not active: SUSPENDED, USER_PAUSED',
  },
  'nothing is paused before the consent': {
    given: [...around, subscription({ status: 'INIT', subStatus: 'INIT' })],
    when: modify('SUSPENDED'),
    comes: 'notActive Subscription is not active: INIT, INIT',
  },
  'what has ended stays ended': {
    given: [...around, subscription({ status: 'REJECT', subStatus: 'MERCHANT_CANCELLED' })],
    when: modify('SUSPENDED'),
    comes: 'notActive Subscription is not active: REJECT, MERCHANT_CANCELLED',
  },
  'after its last day it has expired': {
    given: [...around, subscription({ expiryDate: '2026-06-14' })],
    when: modify('SUSPENDED'),
    comes: 'expired',
  },
  'only the merchant pauses it': {
    given: [...around, subscription()],
    when: { ...modify('SUSPENDED'), caller: UNSIGNED },
    comes: 'badRequest signature',
  },
  'another is not found': { given: around, when: modify('SUSPENDED'), comes: 'notFound' },
})

const turn = (
  move: 'close' | 'revoke' | 'pauseByPayer' | 'resumeByPayer',
  more: { isOnPage?: boolean; version?: number; now?: number } = {},
) => ({
  ...{ mid: MID, subscriptionId: SUBSCRIPTION, move, reference, now: NOW, ...more },
})

decides(endOrPauseSubscription, {
  'an operator closes it with all that was not sent': {
    given: [...around, subscription(), cycle()],
    when: turn('close'),
    comes: {
      reply: 'moved',
      changes: [
        ['update subscriptions S', { status: 'CLOSED', subStatus: 'OPERATOR_CLOSED', wakesAt: null }],
        ['update collections S.20260701', { status: 'MISSED', nextAt: null }],
      ],
      events: ['subscription.closed ACTIVE>CLOSED', 'collection.missed SCHEDULED>MISSED'],
      tasks: ['mandate-revoke.due M:S +0'],
      notified: ['SUBSCRIPTION_CANCEL TXN_SUCCESS'],
    },
  },
  'a bank that has not named the mandate is asked for a day after the end': {
    given: [
      merchant(),
      firstOrder(),
      subscription({ ...{ status: 'IN_AUTHORIZATION', subStatus: 'SUBMITTED', paymentMode: 'BANK_MANDATE', mandate: { instrument: {} } } }),
    ],
    when: turn('close'),
    comes: {
      reply: 'moved',
      changes: [['update subscriptions S', { status: 'CLOSED', subStatus: 'OPERATOR_CLOSED', wakesAt: at('2026-06-16 10:00') }]],
      events: ['subscription.closed IN_AUTHORIZATION>CLOSED'],
      notified: ['SUBSCRIPTION_CANCEL TXN_SUCCESS'],
    },
  },
  'a payer withdraws it before they have paid': {
    given: [merchant(), order({ subscriptionId: SUBSCRIPTION }), subscription({ status: 'INIT', subStatus: 'INIT', mandate: null })],
    when: turn('revoke'),
    comes: {
      reply: 'moved',
      changes: [
        ['update subscriptions S', { status: 'REJECT', subStatus: 'USER_CANCELLED', wakesAt: null }],
        ['update orders O', { status: 'CLOSED' }],
      ],
      events: ['subscription.revoked INIT>REJECT', 'order.closed CREATED>CLOSED'],
      notified: ['SUBSCRIPTION_CANCEL TXN_SUCCESS'],
    },
  },
  'a payer pauses on their page: the bank is notified, and the pause is kept as one of Mohur’s': {
    given: [...around, subscription()],
    when: turn('pauseByPayer', { isOnPage: true }),
    comes: {
      reply: 'moved',
      changes: [
        [
          'update subscriptions S',
          { status: 'SUSPENDED', subStatus: 'USER_PAUSED', mandate: { ...mandate, isPausedHere: true, isPauseAtBank: true } },
        ],
      ],
      events: ['subscription.paused ACTIVE>SUSPENDED'],
      tasks: ['mandate-pause.due M:S +0'],
      notified: ['SUBSCRIPTION_PAUSE TXN_SUCCESS'],
    },
  },
  'a payer’s pause at their bank is the bank’s, which is asked each day whether it holds': {
    given: [...around, subscription()],
    when: turn('pauseByPayer'),
    comes: {
      reply: 'moved',
      changes: [['update subscriptions S', { status: 'SUSPENDED', subStatus: 'USER_PAUSED', wakesAt: at('2026-06-16 10:00') }]],
      events: ['subscription.paused ACTIVE>SUSPENDED'],
      notified: ['SUBSCRIPTION_PAUSE TXN_SUCCESS'],
    },
  },
  'a payer’s pause stands over the merchant’s': {
    given: [...around, pausedBy('MERCHANT', wallet)],
    when: turn('pauseByPayer', { isOnPage: true }),
    comes: {
      reply: 'moved',
      changes: [['update subscriptions S', { subStatus: 'USER_PAUSED', mandate: { instrument: {}, isPausedHere: true } }]],
      events: ['subscription.paused SUSPENDED>SUSPENDED'],
      notified: ['SUBSCRIPTION_PAUSE TXN_SUCCESS'],
    },
  },
  'what they paused on their page they resume there': {
    given: [...around, pausedBy('USER', { mandate: { ...mandate, isPausedHere: true, isPauseAtBank: true } })],
    when: turn('resumeByPayer', { isOnPage: true }),
    comes: {
      reply: 'moved',
      changes: [['update subscriptions S', { ...activeAgain, mandate: { ...mandate, isPauseAtBank: true } }]],
      events: ['subscription.resumed SUSPENDED>ACTIVE'],
      tasks: ['mandate-pause.due M:S +0'],
      notified: ['SUBSCRIPTION_RESUME TXN_SUCCESS'],
    },
  },
  'what they paused at their bank they do not resume on their page': {
    given: [...around, pausedBy('USER')],
    when: turn('resumeByPayer', { isOnPage: true }),
    comes: 'cannot',
  },
  'a merchant’s pause no payer lifts': {
    given: [...around, pausedBy('MERCHANT')],
    when: turn('resumeByPayer'),
    comes: 'cannot',
  },
  'nothing is done to another version than the payer saw': {
    given: [...around, subscription()],
    when: turn('pauseByPayer', { isOnPage: true, version: 2 }),
    comes: 'cannot',
  },
  'after its last day no party pauses it': {
    given: [...around, subscription({ expiryDate: '2026-06-14' })],
    when: turn('pauseByPayer'),
    comes: 'cannot',
  },
  'what is not there is absent': { given: around, when: turn('close'), comes: 'absent' },
})
