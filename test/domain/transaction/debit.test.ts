// Decisions about a debit of a mandate: what its answer changes in the cycle and the mandate.

import { applyTransactionResult } from '../../../src/domain/transaction/apply-transaction-result.ts'
import { decides } from '../../support/decided/decides.ts'
import {
  capture,
  debits,
  failure,
  ofDebit,
  PENDING,
  returned,
  SUCCEEDED,
  success,
  takenBack,
  UNKNOWN,
} from '../../support/decided/payment.ts'
import { at, attempt, attemptOrder, cycle, firstOrder, inFlight, merchant, subscription } from '../../support/decided/rows.ts'

const ofSubscription = 'update subscriptions S'
const its = ['update collections S.20260701'] as const
const LAST_ASK = 'transaction.due M:T1 +22h29m'

decides(applyTransactionResult, {
  'a debit that its bank has made collects the cycle': {
    given: [...debits, attempt(), inFlight()],
    when: ofDebit(success()),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T1', { status: 'SUCCESS', result: 'success', capturedPaise: 100_00, bankTxnId: 'B' }],
        ['update orders A1', { status: 'PAID' }],
        [...its, { status: 'COLLECTED', nextAt: null }],
      ],
      events: [...SUCCEEDED, 'collection.collected IN_FLIGHT>COLLECTED'],
      ledger: capture,
      notified: ['SUBSCRIPTION_DEBIT TXN_SUCCESS'],
    },
  },
  'one that failed is tried again the next morning': {
    given: [...debits, attempt(), inFlight()],
    when: ofDebit(failure),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T1', { status: 'FAILURE', result: 'declined' }],
        ['update orders A1', { status: 'CLOSED', txnId: null }],
        [...its, { status: 'NOTIFIED', orderId: null, txnId: null, sentAt: null, nextAt: at('2026-07-02 06:00') }],
      ],
      events: ['transaction.failed INITIATED>FAILURE', 'order.closed IN_PROCESS>CLOSED', 'collection.attempt-failed IN_FLIGHT>NOTIFIED'],
      tasks: [LAST_ASK],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE'],
    },
  },
  'terms that the payer agreed to meanwhile hold from then on in a cycle without a notice': {
    given: [
      ...[merchant(), firstOrder(), attemptOrder(), attempt(), subscription({ renewalAmountPaise: 50_00, maxAmountPaise: 50_00 })],
      inFlight({ noticeNeeded: false, notices: 0, noticedAt: null, noticedPaise: null }),
    ],
    when: ofDebit(failure),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T1', { status: 'FAILURE', result: 'declined' }],
        ['update orders A1', { status: 'CLOSED', txnId: null }],
        [
          ...its,
          {
            ...{ status: 'SCHEDULED', amountPaise: 50_00, maxPaise: 50_00, orderId: null, txnId: null, sentAt: null },
            nextAt: at('2026-07-02 06:00'),
          },
        ],
      ],
      events: [
        ...['transaction.failed INITIATED>FAILURE', 'order.closed IN_PROCESS>CLOSED'],
        ...['collection.attempt-failed IN_FLIGHT>SCHEDULED', 'collection.terms-changed SCHEDULED>SCHEDULED'],
      ],
      tasks: [LAST_ASK],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE'],
    },
  },
  'the last one that failed ends the cycle': {
    given: [...debits, attempt({ collectionAttempt: 4 }), inFlight({ attempts: 4 })],
    when: ofDebit(failure),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T1', { status: 'FAILURE', result: 'declined' }],
        ['update orders A1', { status: 'CLOSED', txnId: null }],
        [...its, { status: 'FAILED', orderId: null, txnId: null, sentAt: null, nextAt: null }],
      ],
      events: ['transaction.failed INITIATED>FAILURE', 'order.closed IN_PROCESS>CLOSED', 'collection.failed IN_FLIGHT>FAILED'],
      tasks: [LAST_ASK],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE'],
    },
  },
  'what its payer did not want is tried no more': {
    given: [...debits, attempt(), inFlight({ unwanted: 'SKIPPED' })],
    when: ofDebit(failure),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T1', { status: 'FAILURE', result: 'declined' }],
        ['update orders A1', { status: 'CLOSED', txnId: null }],
        [...its, { status: 'FAILED', orderId: null, txnId: null, sentAt: null, nextAt: null }],
      ],
      events: ['transaction.failed INITIATED>FAILURE', 'order.closed IN_PROCESS>CLOSED', 'collection.failed IN_FLIGHT>FAILED'],
      tasks: [LAST_ASK],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE'],
    },
  },
  'a debit may be how we hear that the mandate was withdrawn': {
    given: [...debits, attempt(), inFlight()],
    when: ofDebit({ outcome: 'failure', failure: 'mandateRevoked' }),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T1', { status: 'FAILURE', result: 'mandateRevoked' }],
        ['update orders A1', { status: 'CLOSED', txnId: null }],
        [ofSubscription, { status: 'REJECT', subStatus: 'USER_CANCELLED', wakesAt: null }],
        [...its, { status: 'FAILED', orderId: null, txnId: null, sentAt: null, nextAt: null }],
      ],
      events: [
        ...['transaction.failed INITIATED>FAILURE', 'order.closed IN_PROCESS>CLOSED', 'subscription.revoked ACTIVE>REJECT'],
        'collection.failed IN_FLIGHT>FAILED',
      ],
      tasks: [LAST_ASK],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE', 'SUBSCRIPTION_CANCEL TXN_SUCCESS'],
    },
  },
  'or paused: then the cycle was missed': {
    given: [...debits, attempt(), inFlight()],
    when: ofDebit({ outcome: 'failure', failure: 'mandatePaused' }),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T1', { status: 'FAILURE', result: 'mandatePaused' }],
        ['update orders A1', { status: 'CLOSED', txnId: null }],
        [ofSubscription, { status: 'SUSPENDED', subStatus: 'USER_PAUSED', wakesAt: at('2026-07-02 06:01') }],
        [...its, { status: 'MISSED', orderId: null, txnId: null, sentAt: null, nextAt: null }],
      ],
      events: [
        ...['transaction.failed INITIATED>FAILURE', 'order.closed IN_PROCESS>CLOSED', 'subscription.paused ACTIVE>SUSPENDED'],
        'collection.missed IN_FLIGHT>MISSED',
      ],
      tasks: [LAST_ASK],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE', 'SUBSCRIPTION_PAUSE TXN_SUCCESS', 'SUBSCRIPTION_MISS TXN_SUCCESS'],
    },
  },
  'a debit without an answer is asked after by its cycle': {
    given: [...debits, attempt(), inFlight()],
    when: ofDebit(UNKNOWN),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T1', { status: 'UNKNOWN', result: 'unconfirmed' }],
        [...its, { nextAt: at('2026-07-01 06:01') + 30_000 }],
      ],
      events: ['transaction.lost INITIATED>UNKNOWN'],
    },
  },
  'after three days it is open at its bank': {
    given: [...debits, attempt({ status: 'PENDING' }), inFlight({ windowTo: '2026-07-10' })],
    when: ofDebit(PENDING, { now: at('2026-07-04 06:00') }),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T1', { openAtBank: true }],
        [...its, { nextAt: at('2026-07-05 06:00') }],
      ],
      events: ['transaction.undecided PENDING>PENDING'],
    },
  },
  'one with an unknown result is open too': {
    given: [...debits, attempt({ status: 'UNKNOWN', result: 'unconfirmed' }), inFlight({ windowTo: '2026-07-10' })],
    when: ofDebit(UNKNOWN, { now: at('2026-07-04 06:00') }),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T1', { openAtBank: true }],
        [...its, { nextAt: at('2026-07-05 06:00') }],
      ],
      events: ['transaction.undecided UNKNOWN>UNKNOWN'],
    },
  },
  'with the days of its cycle it is given up, the last of its cycle, and open at its bank': {
    given: [...debits, attempt({ status: 'UNKNOWN', result: 'unconfirmed', openAtBank: true }), inFlight()],
    when: ofDebit(UNKNOWN, { now: at('2026-07-04 06:00') }),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T1', { status: 'FAILURE', result: 'undecided' }],
        ['update orders A1', { status: 'CLOSED', txnId: null }],
        [...its, { status: 'FAILED', orderId: null, txnId: null, sentAt: null, nextAt: null }],
      ],
      events: ['transaction.failed UNKNOWN>FAILURE', 'order.closed IN_PROCESS>CLOSED', 'collection.failed IN_FLIGHT>FAILED'],
      tasks: ['transaction.due M:T1 +24h'],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE'],
    },
  },
  'a bank that says what became of it closes it, and is asked once more': {
    given: [
      ...[merchant(), firstOrder(), subscription(), attemptOrder({ status: 'CLOSED', txnId: null, version: 2 })],
      ...[
        attempt({ status: 'FAILURE', result: 'undecided', openAtBank: true, version: 4 }),
        cycle({ status: 'FAILED', attempts: 1, nextAt: null }),
      ],
    ],
    when: ofDebit(failure, { now: at('2026-07-04 07:00') }),
    comes: {
      reply: 'applied',
      changes: [['update transactions T1', { openAtBank: false }]],
      events: ['transaction.decided FAILURE>FAILURE'],
      tasks: ['transaction.due M:T1 +22h30m'],
    },
  },
  'a cycle that has gone on is not moved by a debit before': {
    given: [
      ...[merchant(), firstOrder(), subscription(), attemptOrder({ status: 'CLOSED', txnId: null, version: 2 })],
      ...[attempt({ status: 'FAILURE', result: 'declined', version: 2 }), inFlight({ txnId: 'T2', orderId: 'A2', attempts: 2 })],
    ],
    when: ofDebit(success(), { now: at('2026-07-02 07:00') }),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T1', { ...returned, openAtBank: true }],
        ['insert refunds auto:T1', { amountPaise: 100_00 }],
      ],
      events: takenBack.events,
      tasks: ['refund.due M:auto:T1 +0'],
      ledger: takenBack.ledger,
    },
  },
})
