// Decisions about a payment that failed, or has no answer: what it frees, and when the bank is queried.

import { applyTransactionResult } from '../../../src/domain/transaction/apply-transaction-result.ts'
import { decides } from '../../support/decided/decides.ts'
import {
  ABSENT,
  FAILED,
  failed,
  failedBefore,
  failure,
  free,
  MINUTE,
  NO_SALE,
  open,
  PENDING,
  paying,
  reopened,
  say,
  shared,
  success,
  UNKNOWN,
} from '../../support/decided/payment.ts'
import { counters, customer, DAY, merchant, NOW, PAYER, redemption, transaction } from '../../support/decided/rows.ts'

decides(applyTransactionResult, {
  'a failure frees the order, and the bank is asked once more a day after': {
    given: open,
    when: say({ ...failure, reference: 'B' }),
    comes: {
      reply: 'applied',
      changes: [failed('declined', { bankTxnId: 'B' }), reopened],
      events: FAILED,
      tasks: ['transaction.due M:T +24h30m'],
      notified: NO_SALE,
    },
  },
  'what the wallet held is free again, and the offer too': {
    given: [merchant(), paying({ payer: PAYER }), shared({ promocode: 'TEN' }), customer(), redemption(), ...counters(3)],
    when: say(failure),
    comes: {
      reply: 'applied',
      changes: [
        failed('declined'),
        reopened,
        ['update customers 9999900001', { walletBalancePaise: 540_00 }],
        ['update redemptions T', { status: 'RELEASED' }],
        ['update promotionCounters ', { uses: 2, amountPaise: 20_00 }],
        ['update promotionCounters C', { uses: 2, amountPaise: 20_00 }],
      ],
      events: [...FAILED, 'redemption.released RESERVED>RELEASED'],
      tasks: ['transaction.due M:T +24h30m'],
      ledger: ['release wallet_hold 4000', 'release customer_wallet -4000'],
      notified: NO_SALE,
    },
  },
  'after the order’s time it closes': {
    given: [merchant(), paying({ expiresAt: NOW }), transaction()],
    when: say(failure),
    comes: {
      reply: 'applied',
      changes: [failed('declined'), ['update orders O', { status: 'CLOSED', txnId: null }]],
      events: ['transaction.failed INITIATED>FAILURE', 'order.closed IN_PROCESS>CLOSED'],
      tasks: ['transaction.due M:T +24h30m'],
      notified: NO_SALE,
    },
  },
  'with its fifth attempt too': {
    given: [merchant(), paying({ transactionCount: 5 }), transaction({ attempt: 5 })],
    when: say(failure),
    comes: {
      reply: 'applied',
      changes: [failed('declined'), ['update orders O', { status: 'CLOSED', txnId: null }]],
      events: ['transaction.failed INITIATED>FAILURE', 'order.closed IN_PROCESS>CLOSED'],
      tasks: ['transaction.due M:T +24h30m'],
      notified: NO_SALE,
    },
  },
  'a code that timed out counts as an attempt': {
    given: [merchant(), paying({ transactionCount: 5 }), transaction({ attempt: 5, channel: 'UPIPUSH', instrument: {} })],
    when: say({ outcome: 'failure', failure: 'timedOut' }),
    comes: {
      reply: 'applied',
      changes: [failed('timedOut'), ['update orders O', { status: 'CLOSED', txnId: null }]],
      events: ['transaction.failed INITIATED>FAILURE', 'order.closed IN_PROCESS>CLOSED'],
      tasks: ['transaction.due M:T +24h30m'],
      notified: NO_SALE,
    },
  },
  'a code beyond the tenth counts as an attempt': {
    given: [merchant(), paying({ transactionCount: 15, leftCount: 10 }), transaction({ attempt: 15, channel: 'UPIPUSH', instrument: {} })],
    when: say({ outcome: 'failure', failure: 'cancelled' }),
    comes: {
      reply: 'applied',
      changes: [failed('cancelled'), ['update orders O', { status: 'CLOSED', txnId: null }]],
      events: ['transaction.failed INITIATED>FAILURE', 'order.closed IN_PROCESS>CLOSED'],
      tasks: ['transaction.due M:T +24h30m'],
      notified: NO_SALE,
    },
  },
  'a code that was called back counts as none of them': {
    given: [merchant(), paying({ transactionCount: 5 }), transaction({ attempt: 5, channel: 'UPIPUSH', instrument: {} })],
    when: say({ outcome: 'failure', failure: 'cancelled' }),
    comes: {
      reply: 'applied',
      changes: [failed('cancelled', { isLeft: true }), ['update orders O', { status: 'CREATED', txnId: null, leftCount: 1 }]],
      events: FAILED,
      tasks: ['transaction.due M:T +24h30m'],
      notified: NO_SALE,
    },
  },
  'a failure that is said again does not put the last question off': {
    given: [...free, failedBefore({ result: 'declined' })],
    when: say(failure),
    comes: { reply: 'applied', tasks: ['transaction.due M:T +23h30m'] },
  },

  'a bank that has not decided is asked on the schedule': {
    given: open,
    when: say({ ...PENDING, next: { kind: 'otp' } }),
    comes: {
      reply: 'applied',
      changes: [['update transactions T', { status: 'PENDING', next: { kind: 'otp' } }]],
      events: ['transaction.pending INITIATED>PENDING'],
      tasks: ['transaction.due M:T +30s'],
    },
  },
  'a password that was typed is the bank’s now': {
    given: [merchant(), paying(), transaction({ status: 'PENDING', next: { kind: 'otp' } })],
    when: say({ ...PENDING, next: null }),
    comes: { reply: 'applied', changes: [['update transactions T', { next: null }]], tasks: ['transaction.due M:T +30s'] },
  },
  'what is pending may be lost, and found again': {
    given: [merchant(), paying(), transaction({ status: 'PENDING' })],
    when: say(UNKNOWN),
    comes: {
      reply: 'applied',
      changes: [['update transactions T', { status: 'UNKNOWN', result: 'unconfirmed' }]],
      events: ['transaction.lost PENDING>UNKNOWN'],
      tasks: ['transaction.due M:T +30s'],
    },
  },
  'a bank that had too many calls is asked again once it takes calls': {
    given: [merchant(), paying(), transaction({ status: 'UNKNOWN', result: 'unconfirmed', initiatedAt: NOW - 60 * MINUTE })],
    when: say({ ...UNKNOWN, retryAfterMs: MINUTE }),
    comes: { reply: 'applied', changes: [['update transactions T', {}]], tasks: ['transaction.due M:T +1m'] },
  },
  'and a payment that was pending stays so': {
    given: [merchant(), paying(), transaction({ status: 'PENDING', result: 'pending', initiatedAt: NOW - 60 * MINUTE })],
    when: say({ ...UNKNOWN, retryAfterMs: MINUTE }),
    comes: { reply: 'applied', changes: [['update transactions T', {}]], tasks: ['transaction.due M:T +1m'] },
  },
  'also about a payment that failed': {
    given: [...free, failedBefore({ initiatedAt: NOW - 60 * MINUTE })],
    when: say({ ...UNKNOWN, retryAfterMs: MINUTE }),
    comes: { reply: 'applied', tasks: ['transaction.due M:T +1m'] },
  },
  'what was lost is pending when its bank says so': {
    given: [merchant(), paying(), transaction({ status: 'UNKNOWN', result: 'unconfirmed' })],
    when: say(PENDING),
    comes: {
      reply: 'applied',
      changes: [['update transactions T', { status: 'PENDING', result: 'pending' }]],
      events: ['transaction.pending UNKNOWN>PENDING'],
      tasks: ['transaction.due M:T +30s'],
    },
  },
  'what was pending fails with a failure': {
    given: [merchant(), paying(), transaction({ status: 'PENDING', next: { kind: 'collect' } })],
    when: say(failure),
    comes: {
      reply: 'applied',
      changes: [failed('declined', { next: null }), reopened],
      events: ['transaction.failed PENDING>FAILURE', FAILED[1]!],
      tasks: ['transaction.due M:T +24h30m'],
      notified: NO_SALE,
    },
  },
  'that a bank has never heard of it is not believed within two minutes': {
    given: open,
    when: say(ABSENT),
    comes: {
      reply: 'applied',
      changes: [['update transactions T', { status: 'UNKNOWN', result: 'unconfirmed' }]],
      events: ['transaction.lost INITIATED>UNKNOWN'],
      tasks: ['transaction.due M:T +30s'],
    },
  },
  'after them it is, and the call may arrive all the same': {
    given: [merchant(), paying(), transaction({ status: 'UNKNOWN', result: 'unconfirmed', initiatedAt: NOW - 2 * MINUTE })],
    when: say(ABSENT),
    comes: {
      reply: 'applied',
      changes: [failed('timedOut'), reopened],
      events: ['transaction.failed UNKNOWN>FAILURE', FAILED[1]!],
      tasks: ['transaction.due M:T +30s'],
      notified: NO_SALE,
    },
  },
  'after three days a payment is given up, and asked after on': {
    given: [merchant(), paying({ expiresAt: NOW }), transaction({ status: 'UNKNOWN', initiatedAt: NOW - 3 * DAY, updatedAt: NOW - DAY })],
    when: say(UNKNOWN),
    comes: {
      reply: 'applied',
      changes: [failed('timedOut'), ['update orders O', { status: 'CLOSED', txnId: null }]],
      events: ['transaction.failed UNKNOWN>FAILURE', 'order.closed IN_PROCESS>CLOSED'],
      tasks: ['transaction.due M:T +24h'],
      notified: NO_SALE,
    },
  },
  'what is not there is gone': { given: open.slice(0, 2), when: say(success()), comes: 'gone' },
  'so is a payment without its order': { given: [merchant(), transaction()], when: say(success()), comes: 'gone' },
})
