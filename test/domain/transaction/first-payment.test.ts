// Decisions about the first payment of a mandate: its consent, and the mandate that a failed consent leaves.

import { applyTransactionResult } from '../../../src/domain/transaction/apply-transaction-result.ts'
import { dayEnds } from '../../../src/engine/clock.ts'
import { decides } from '../../support/decided/decides.ts'
import {
  automatic,
  capture,
  done,
  FAILED,
  failed,
  failure,
  kept,
  MINUTE,
  NO_SALE,
  orderPaid,
  PENDING,
  paying,
  reopened,
  returned,
  SALE,
  SUCCEEDED,
  say,
  success,
  takenBack,
} from '../../support/decided/payment.ts'
import { at, DAY, merchant, NOW, order, subscription, transaction } from '../../support/decided/rows.ts'

const initiated = (more: Parameters<typeof subscription>[0] = {}) =>
  subscription({
    status: 'INIT',
    subStatus: 'INIT',
    version: 1,
    paymentMode: null,
    mandate: null,
    consentedAt: null,
    wakesAt: null,
    ...more,
  })
const first = paying({ requestType: 'NATIVE_SUBSCRIPTION', subscriptionId: 'S' })
const consenting = [merchant(), first, transaction()]
const byUpi = { paymentMode: 'UPI', mandate: { instrument: { vpa: 'payer@upi' }, reference: 'UMN' } }
const named = { mandateReference: 'UMN' }
const accountTxn = transaction({ paymentMode: 'BANK_MANDATE', amountPaise: 0, bankPaise: 0, channel: 'HDFC', instrument: { bank: 'HDFC' } })
const ofAccount = initiated({ paymentModes: ['BANK_MANDATE'], txnAmountPaise: 0 })
const closedMeanwhile = [
  ...[merchant(), order({ ...first.row, amountPaise: 0, status: 'CLOSED', txnId: null })],
  initiated({ ...ofAccount.row, status: 'REJECT', subStatus: 'MERCHANT_CANCELLED' }),
]
const takenInVain = transaction({
  ...{ ...accountTxn.row, status: 'FAILURE', result: 'returned', version: 2 },
  ...{ initiatedAt: NOW - 4 * DAY, updatedAt: NOW - 4 * DAY },
})
const ofSubscription = 'update subscriptions S'

decides(applyTransactionResult, {
  'the first payment is the consent: the mandate is active, and the cycle that was due is paid': {
    given: [...consenting, initiated()],
    when: say(success(named)),
    comes: {
      reply: 'applied',
      changes: [
        kept,
        orderPaid,
        ['update subscriptions S', { status: 'ACTIVE', subStatus: 'ACTIVE', ...byUpi, consentedAt: NOW, wakesAt: dayEnds('2027-05-31') }],
        ['insert collections S.20260601', { status: 'COLLECTED', orderId: 'O', txnId: 'T', number: 0 }],
        ['insert collections S.20260701', { status: 'SCHEDULED', number: 1, nextAt: at('2026-06-29 18:00') }],
      ],
      events: [...SUCCEEDED, 'subscription.activated INIT>ACTIVE', 'collection.collected >COLLECTED', 'collection.scheduled >SCHEDULED'],
      tasks: [done],
      ledger: capture,
      notified: ['SALE TXN_SUCCESS', 'SUBSCRIPTION_INIT TXN_SUCCESS'],
    },
  },
  'a name that came while it was pending is the mandate’s': {
    given: [...consenting, initiated({ startDate: '2026-07-01', mandate: byUpi.mandate })],
    when: say(success()),
    comes: {
      reply: 'applied',
      changes: [
        kept,
        orderPaid,
        [
          'update subscriptions S',
          { status: 'ACTIVE', subStatus: 'ACTIVE', paymentMode: 'UPI', consentedAt: NOW, wakesAt: dayEnds('2027-05-31') },
        ],
        ['insert collections S.20260701', { status: 'SCHEDULED', number: 0 }],
      ],
      events: [...SUCCEEDED, 'subscription.activated INIT>ACTIVE', 'collection.scheduled >SCHEDULED'],
      tasks: [done],
      ledger: capture,
      notified: ['SALE TXN_SUCCESS', 'SUBSCRIPTION_INIT TXN_SUCCESS'],
    },
  },
  'a consent that names no mandate is asked after': {
    given: [...consenting, initiated()],
    when: say(success()),
    comes: {
      reply: 'applied',
      changes: [['update transactions T', { status: 'UNKNOWN', result: 'unconfirmed' }]],
      events: ['transaction.lost INITIATED>UNKNOWN'],
      tasks: ['transaction.due M:T +30s'],
    },
  },
  'a name that comes while it is pending is kept': {
    given: [...consenting, initiated()],
    when: say({ ...PENDING, ...named }),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T', { status: 'PENDING' }],
        ['update subscriptions S', { mandate: byUpi.mandate }],
      ],
      events: ['transaction.pending INITIATED>PENDING'],
      tasks: ['transaction.due M:T +30s'],
    },
  },
  'and withdrawn where the subscription has ended': {
    given: [...consenting, initiated({ status: 'REJECT', subStatus: 'MERCHANT_CANCELLED' })],
    when: say({ ...PENDING, ...named }),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T', { status: 'PENDING' }],
        ['update subscriptions S', { mandate: byUpi.mandate }],
      ],
      events: ['transaction.pending INITIATED>PENDING'],
      tasks: ['transaction.due M:T +30s', 'mandate-revoke.due M:S +0'],
    },
  },
  'a consent behind the last day is given back, and its mandate kept to be withdrawn': {
    given: [...consenting, initiated({ expiryDate: '2026-06-14' })],
    when: say(success(named)),
    comes: {
      reply: 'applied',
      changes: [
        reopened,
        ['update transactions T', { status: 'FAILURE', ...returned }],
        automatic,
        ['update subscriptions S', { mandate: byUpi.mandate }],
      ],
      events: [...FAILED, ...takenBack.events],
      tasks: [done, 'refund.due M:auto:T +0'],
      ledger: takenBack.ledger,
      notified: NO_SALE,
    },
  },
  'a consent of an order that has closed is given back, and its mandate withdrawn': {
    given: [
      ...[merchant(), order({ ...first.row, status: 'CLOSED', txnId: null }), transaction()],
      initiated({ status: 'REJECT', subStatus: 'TIMED_OUT' }),
    ],
    when: say(success(named)),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T', { status: 'FAILURE', ...returned }],
        automatic,
        ['update subscriptions S', { mandate: byUpi.mandate }],
      ],
      events: ['transaction.failed INITIATED>FAILURE', ...takenBack.events],
      tasks: [done, 'refund.due M:auto:T +0', 'mandate-revoke.due M:S +0'],
      ledger: takenBack.ledger,
      notified: NO_SALE,
    },
  },
  'a first payment that failed leaves the subscription while its order is open': {
    given: [...consenting, initiated()],
    when: say(failure),
    comes: {
      reply: 'applied',
      changes: [failed('declined'), reopened],
      events: FAILED,
      tasks: ['transaction.due M:T +24h30m'],
      notified: NO_SALE,
    },
  },
  'with its order the subscription is over, and the mandate that a bank named is withdrawn': {
    given: [merchant(), order({ ...first.row, expiresAt: NOW }), transaction(), initiated({ mandate: byUpi.mandate })],
    when: say(failure),
    comes: {
      reply: 'applied',
      changes: [
        failed('declined'),
        ['update orders O', { status: 'CLOSED', txnId: null }],
        [ofSubscription, { status: 'REJECT', subStatus: 'TIMED_OUT' }],
      ],
      events: ['transaction.failed INITIATED>FAILURE', 'order.closed IN_PROCESS>CLOSED', 'subscription.rejected INIT>REJECT'],
      tasks: ['mandate-revoke.due M:S +0', 'transaction.due M:T +24h30m'],
      notified: NO_SALE,
    },
  },
  'a mandate on an account is submitted, and its bank asked each day': {
    given: [merchant(), order({ ...first.row, amountPaise: 0 }), accountTxn, ofAccount],
    when: say(success({ amountPaise: 0 })),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T', { status: 'SUCCESS', result: 'success', bankTxnId: 'B' }],
        orderPaid,
        [
          ofSubscription,
          {
            ...{ status: 'IN_AUTHORIZATION', subStatus: 'SUBMITTED', paymentMode: 'BANK_MANDATE' },
            ...{ mandate: { instrument: { bank: 'HDFC' } }, wakesAt: NOW + DAY },
          },
        ],
      ],
      events: [...SUCCEEDED, 'subscription.submitted INIT>IN_AUTHORIZATION'],
      tasks: [done],
      notified: SALE,
    },
  },
  'one whose answer was lost is submitted after two minutes': {
    given: [
      ...[merchant(), order({ ...first.row, amountPaise: 0 }), ofAccount],
      transaction({ ...accountTxn.row, initiatedAt: NOW - 2 * MINUTE }),
    ],
    when: say(PENDING),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T', { status: 'SUCCESS', result: 'success', bankTxnId: 'T' }],
        orderPaid,
        [
          ofSubscription,
          {
            ...{ status: 'IN_AUTHORIZATION', subStatus: 'SUBMITTED', paymentMode: 'BANK_MANDATE' },
            ...{ mandate: { instrument: { bank: 'HDFC' } }, wakesAt: NOW + DAY },
          },
        ],
      ],
      events: [...SUCCEEDED, 'subscription.submitted INIT>IN_AUTHORIZATION'],
      tasks: [done],
      notified: SALE,
    },
  },
  'one that the bank takes while its order closes has no name to be withdrawn by, so that its bank is asked on': {
    given: [...closedMeanwhile, accountTxn],
    when: say(success({ amountPaise: 0 })),
    comes: {
      reply: 'applied',
      changes: [['update transactions T', { status: 'FAILURE', result: 'returned', bankTxnId: 'B' }]],
      events: ['transaction.failed INITIATED>FAILURE'],
      tasks: ['transaction.due M:T +30s'],
      notified: NO_SALE,
    },
  },
  'each day, while the bank has not decided': {
    given: [...closedMeanwhile, takenInVain],
    when: say(PENDING),
    comes: { reply: 'applied', tasks: ['transaction.due M:T +24h'] },
  },
  'and withdrawn once the bank has accepted and named it': {
    given: [...closedMeanwhile, takenInVain],
    when: say(success({ amountPaise: 0, ...named })),
    comes: { reply: 'applied', tasks: ['mandate-revoke.due M:S:1 +0'] },
  },
  'one that the bank takes after its payment was given up is asked after too': {
    given: [...closedMeanwhile, transaction({ ...takenInVain.row, result: 'timedOut' })],
    when: say(success({ amountPaise: 0 })),
    comes: { reply: 'applied', tasks: ['transaction.due M:T +24h'] },
  },
})
