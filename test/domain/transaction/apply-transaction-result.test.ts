// What an acquirer's answer makes of a payment, its order, everybody's money and the mandate that it came with.

import type { AcquirerAnswer } from '../../../src/domain/transaction/acquirer-answer.ts'
import { applyTransactionResult } from '../../../src/domain/transaction/apply-transaction-result.ts'
import { cancelTransaction } from '../../../src/domain/transaction/cancel-transaction.ts'
import { directBankRequest } from '../../../src/domain/transaction/direct-bank-request.ts'
import { recheckTransaction } from '../../../src/domain/transaction/recheck-transaction.ts'
import { dayEnds } from '../../../src/engine/clock.ts'
import { directBankRequest as codes } from '../../../src/interface/result-codes.ts'
import { decides } from '../../support/decided/decides.ts'
import type { Given } from '../../support/decided/given.ts'
import {
  at,
  attempt,
  attemptOrder,
  counters,
  customer,
  cycle,
  DAY,
  firstOrder,
  HOUR,
  inFlight,
  MID,
  merchant,
  NOW,
  order,
  PAYER,
  paid,
  redemption,
  reference,
  subscription,
  TXN,
  task,
  transaction,
} from '../../support/decided/rows.ts'

const MINUTE = 60_000
const say = (answer: AcquirerAnswer, more: object = {}) => ({ mid: MID, txnId: TXN, answer, reference, now: NOW, ...more })
const success = (more: object = {}): AcquirerAnswer => ({ outcome: 'success', reference: 'B', amountPaise: 100_00, ...more })
const failure = { outcome: 'failure', failure: 'declined' } as const
const UNKNOWN = { outcome: 'unknown' } as const
const ABSENT = { outcome: 'absent' } as const
const PENDING = { outcome: 'pending' } as const

const paying = (more: Parameters<typeof order>[0] = {}) =>
  order({ status: 'IN_PROCESS', version: 2, txnId: TXN, transactionCount: 1, ...more })
const open = [merchant(), paying(), transaction()]
const kept = ['update transactions T', { status: 'SUCCESS', result: 'success', capturedPaise: 100_00, bankTxnId: 'B' }] as const
const failed = (result: string, more: object = {}) => ['update transactions T', { status: 'FAILURE', result, ...more }] as const
const orderPaid = ['update orders O', { status: 'PAID' }] as const
const reopened = ['update orders O', { status: 'CREATED', txnId: null }] as const
const SUCCEEDED = ['transaction.succeeded INITIATED>SUCCESS', 'order.paid IN_PROCESS>PAID']
const FAILED = ['transaction.failed INITIATED>FAILURE', 'order.reopened IN_PROCESS>CREATED']
const done = 'cancel transaction.due M:T'
const [SALE, NO_SALE] = [['SALE TXN_SUCCESS'], ['SALE TXN_FAILURE']]
const capture = ['capture acquirer_receivable 10000', 'capture merchant_payable -10000']
const takenBack = {
  ledger: [
    'capture acquirer_receivable 10000',
    'capture acquirer_suspense -10000',
    'refund acquirer_suspense 10000',
    'refund refund_payable -10000',
  ],
  events: ['transaction.captured-late FAILURE>FAILURE', 'transaction.refund-set-aside FAILURE>FAILURE', 'refund.requested >PENDING'],
}
const returned = { capturedPaise: 100_00, refundedPaise: 100_00, bankRefundedPaise: 100_00, bankTxnId: 'B', result: 'returned' }
const automatic = [
  'insert refunds auto:T',
  { status: 'PENDING', amountPaise: 100_00, bankPaise: 100_00, walletPaise: 0, refundId: 'AT' },
] as const
const shared = (more: Parameters<typeof transaction>[0] = {}) =>
  transaction({ flow: 'HYBRID', walletPaise: 40_00, bankPaise: 60_00, payer: PAYER, ...more })
const failedBefore = (more: Parameters<typeof transaction>[0] = {}) =>
  transaction({ status: 'FAILURE', result: 'timedOut', version: 2, initiatedAt: NOW - HOUR, updatedAt: NOW - HOUR, ...more })
const free = [merchant(), order({ version: 3, transactionCount: 1 })]

decides(applyTransactionResult, {
  'a success pays the order, and the merchant has earned it': {
    given: open,
    when: say(success()),
    comes: { reply: 'applied', changes: [kept, orderPaid], events: SUCCEEDED, tasks: [done], ledger: capture, notified: SALE },
  },
  'where the order is known it is read at once, with the same result': {
    given: open,
    when: say(success(), { orderId: 'O' }),
    comes: { reply: 'applied', changes: [kept, orderPaid], events: SUCCEEDED, tasks: [done], ledger: capture, notified: SALE },
  },
  'the service keeps its fee of it': {
    given: [merchant({ feeHundredths: 199 }), ...open.slice(1)],
    when: say(success()),
    comes: {
      ...{ reply: 'applied', changes: [kept, orderPaid], events: SUCCEEDED, tasks: [done], notified: SALE },
      ledger: [...capture, 'capture merchant_payable 199', 'capture fees_income -199'],
    },
  },
  'the wallet’s part is the merchant’s too': {
    given: [merchant(), paying({ payer: PAYER }), shared(), customer()],
    when: say(success({ amountPaise: 60_00 })),
    comes: {
      ...{ reply: 'applied', changes: [kept, orderPaid], events: SUCCEEDED, tasks: [done], notified: SALE },
      ledger: ['capture acquirer_receivable 6000', 'capture wallet_hold 4000', 'capture merchant_payable -10000'],
    },
  },
  'what is added to a wallet goes through it': {
    given: [merchant(), paying({ payer: PAYER }), shared({ flow: 'ADDANDPAY' }), customer()],
    when: say(success({ amountPaise: 60_00 })),
    comes: {
      ...{ reply: 'applied', changes: [kept, orderPaid], events: SUCCEEDED, tasks: [done], notified: SALE },
      ledger: [
        'capture acquirer_receivable 6000',
        'capture customer_wallet -6000',
        'capture customer_wallet 6000',
        'capture wallet_hold 4000',
        'capture merchant_payable -10000',
      ],
    },
  },
  'a discount is paid by its funder, and used': {
    given: [merchant(), paying(), transaction({ discountPaise: 10_00, bankPaise: 90_00, promocode: 'TEN' }), redemption()],
    when: say(success({ amountPaise: 90_00 })),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T', { status: 'SUCCESS', result: 'success', capturedPaise: 90_00, bankTxnId: 'B' }],
        orderPaid,
        ['update redemptions T', { status: 'COMMITTED' }],
      ],
      events: [...SUCCEEDED, 'redemption.committed RESERVED>COMMITTED'],
      tasks: [done],
      ledger: ['capture acquirer_receivable 9000', 'capture offer_funding:shop 1000', 'capture merchant_payable -10000'],
      notified: SALE,
    },
  },
  'cashback goes into the wallet': {
    given: [
      merchant(),
      paying({ payer: PAYER }),
      transaction({ promocode: 'TEN', payer: PAYER }),
      redemption({ kind: 'CASHBACK' }),
      customer(),
    ],
    when: say(success()),
    comes: {
      reply: 'applied',
      changes: [
        kept,
        orderPaid,
        ['update redemptions T', { status: 'COMMITTED' }],
        ['update customers 9999900001', { walletBalancePaise: 510_00 }],
      ],
      events: [...SUCCEEDED, 'redemption.committed RESERVED>COMMITTED'],
      tasks: [done],
      ledger: [...capture, 'cashback offer_funding:shop 1000', 'cashback customer_wallet -1000'],
      notified: SALE,
    },
  },
  'without a wallet cashback is owed': {
    given: [merchant(), paying(), transaction({ promocode: 'TEN' }), redemption({ kind: 'CASHBACK' })],
    when: say(success()),
    comes: {
      reply: 'applied',
      changes: [kept, orderPaid, ['update redemptions T', { status: 'COMMITTED' }]],
      events: [...SUCCEEDED, 'redemption.committed RESERVED>COMMITTED'],
      tasks: [done],
      ledger: [...capture, 'cashback offer_funding:shop 1000', 'cashback cashback_payable -1000'],
      notified: SALE,
    },
  },
  'a card that its payer wanted kept is kept under the acquirer’s token': {
    given: [
      ...[merchant(), paying({ payer: PAYER }), customer()],
      transaction({ paymentMode: 'CREDIT_CARD', payer: PAYER, instrument: { bin: '41111111', cardLast4: '1111', expiry: '122030' } }),
    ],
    when: say(success({ cardToken: 'token' })),
    comes: {
      reply: 'applied',
      changes: [kept, orderPaid, ['insert savedCards 411111111111122030C', { custId: 'C', paymentMode: 'CREDIT_CARD' }]],
      ...{ events: SUCCEEDED, tasks: [done], ledger: capture, notified: SALE },
    },
  },
  'a success that comes twice is one': { given: [merchant(), paying({ status: 'PAID' }), paid()], when: say(success()), comes: 'applied' },
  'a success for nothing contradicts itself, and is asked after': {
    given: open,
    when: say(success({ amountPaise: 0 })),
    comes: {
      reply: 'applied',
      changes: [['update transactions T', { status: 'UNKNOWN', result: 'unconfirmed' }]],
      events: ['transaction.lost INITIATED>UNKNOWN'],
      tasks: ['transaction.due M:T +30s'],
    },
  },
  'another amount than was asked for is given back': {
    given: open,
    when: say(success({ amountPaise: 99_00 })),
    comes: {
      reply: 'applied',
      changes: [
        reopened,
        [
          'update transactions T',
          {
            ...{ status: 'FAILURE', result: 'returned', bankTxnId: 'B' },
            ...{ capturedPaise: 99_00, refundedPaise: 99_00, bankRefundedPaise: 99_00 },
          },
        ],
        ['insert refunds auto:T', { amountPaise: 99_00 }],
      ],
      events: [...FAILED, ...takenBack.events],
      tasks: [done, 'refund.due M:auto:T +0'],
      ledger: takenBack.ledger.map((line) => line.replace('10000', '9900')),
      notified: NO_SALE,
    },
  },
  'what its bank has given back already is asked after, and not given back twice': {
    given: open,
    when: say(success({ refundedPaise: 100_00 })),
    comes: {
      reply: 'applied',
      changes: [reopened, ['update transactions T', { status: 'FAILURE', ...returned }], [automatic[0], { details: { isHeardOf: true } }]],
      events: [...FAILED, ...takenBack.events],
      tasks: [done, 'refund.due M:auto:T +0'],
      ledger: takenBack.ledger,
      notified: NO_SALE,
    },
  },
  'a success behind a failure is given back, and the merchant hears nothing new': {
    given: [...free, failedBefore()],
    when: say(success()),
    comes: {
      reply: 'applied',
      changes: [['update transactions T', returned], automatic],
      events: takenBack.events,
      tasks: ['refund.due M:auto:T +0'],
      ledger: takenBack.ledger,
    },
  },
  'it is given back once': {
    given: [...free, failedBefore({ ...returned, version: 4 })],
    when: say(success()),
    comes: 'applied',
  },
  'a success of an order that has closed is given back': {
    given: [merchant(), paying({ status: 'CLOSED', txnId: null }), transaction()],
    when: say(success()),
    comes: {
      reply: 'applied',
      changes: [['update transactions T', { status: 'FAILURE', ...returned }], automatic],
      events: ['transaction.failed INITIATED>FAILURE', ...takenBack.events],
      tasks: [done, 'refund.due M:auto:T +0'],
      ledger: takenBack.ledger,
      notified: NO_SALE,
    },
  },

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
  'what was pending is paid by a success': {
    given: [merchant(), paying(), transaction({ status: 'PENDING' })],
    when: say(success()),
    comes: {
      ...{ reply: 'applied', changes: [kept, orderPaid], tasks: [done], ledger: capture, notified: SALE },
      events: ['transaction.succeeded PENDING>SUCCESS', 'order.paid IN_PROCESS>PAID'],
    },
  },
  'so is what was lost': {
    given: [merchant(), paying(), transaction({ status: 'UNKNOWN', result: 'unconfirmed' })],
    when: say(success()),
    comes: {
      ...{ reply: 'applied', changes: [kept, orderPaid], tasks: [done], ledger: capture, notified: SALE },
      events: ['transaction.succeeded UNKNOWN>SUCCESS', 'order.paid IN_PROCESS>PAID'],
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

// ------------------------------------------------------------------------------------------------------------ mandates

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
const anotherWay = 'update subscriptions S'
const debits = [merchant(), firstOrder(), subscription(), attemptOrder()]
const ofDebit = (answer: AcquirerAnswer, more: object = {}) => say(answer, { txnId: 'T1', now: at('2026-07-01 06:01'), ...more })
const its = ['update collections S.20260701'] as const
const LAST_ASK = 'transaction.due M:T1 +22h29m'

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
        [anotherWay, { status: 'REJECT', subStatus: 'TIMED_OUT' }],
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
          anotherWay,
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
          anotherWay,
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
        [anotherWay, { status: 'REJECT', subStatus: 'USER_CANCELLED', wakesAt: null }],
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
        [anotherWay, { status: 'SUSPENDED', subStatus: 'USER_PAUSED', wakesAt: at('2026-07-02 06:01') }],
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
  'one of which nobody knows is open too': {
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

// --------------------------------------------------------------------------------------------- another way, a password

decides(cancelTransaction, {
  'a payment that its bank has called back frees the order': {
    given: open,
    when: say({ outcome: 'failure', failure: 'cancelled' }),
    comes: {
      reply: 'ended',
      changes: [failed('cancelled'), reopened],
      events: FAILED,
      tasks: ['transaction.due M:T +24h30m'],
      notified: NO_SALE,
    },
  },
  'one that was paid meanwhile pays the order': {
    given: open,
    when: say(success()),
    comes: { reply: 'paid', changes: [kept, orderPaid], events: SUCCEEDED, tasks: [done], ledger: capture, notified: SALE },
  },
  'a bank that will not call it back is not asked twice': {
    given: open,
    when: say(PENDING),
    comes: {
      reply: 'stands',
      changes: [['update transactions T', { isCancelRefused: true }]],
      events: ['transaction.cancel-refused INITIATED>INITIATED'],
    },
  },
  'and stays at it': { given: [merchant(), paying(), transaction({ isCancelRefused: true })], when: say(PENDING), comes: 'stands' },
  'where nobody answers it stands': { given: open, when: say(UNKNOWN), comes: 'stands' },
  'what has failed is over': { given: [...free, failedBefore()], when: say(PENDING), comes: 'ended' },
  'what is paid is paid': { given: [merchant(), paying({ status: 'PAID' }), paid()], when: say(PENDING), comes: 'paid' },
  'a debit is no payer’s to cancel': { given: [...debits, attempt(), inFlight()], when: ofDebit(failure), comes: 'gone' },
  'nor is what is not there': { given: open.slice(0, 2), when: say(failure), comes: 'gone' },
  'nor a payment without its order': { given: [merchant(), transaction()], when: say(failure), comes: 'gone' },
})

const said = (answer: AcquirerAnswer | { outcome: 'wrongOtp' }) => ({
  mid: MID,
  orderId: 'O',
  reference,
  now: NOW,
  said: { txnId: TXN, answer },
})

decides(directBankRequest, {
  'the right password pays': {
    given: open,
    when: said(success()),
    comes: { reply: 'success', changes: [kept, orderPaid], events: SUCCEEDED, tasks: [done], ledger: capture, notified: SALE },
  },
  'a wrong one changes nothing': { given: open, when: said({ outcome: 'wrongOtp' }), comes: 'wrongOtp' },
  'a refusal that was found before is the reply': {
    given: open,
    when: { mid: MID, orderId: 'O', reference, now: NOW, said: { refusal: { result: codes.noTransaction } } },
    comes: 'noTransaction',
  },
  'what is not there is not paid': { given: open.slice(0, 2), when: said(success()), comes: 'noTransaction' },
})

const recheck = (more: object = {}) => ({ mid: MID, txnId: TXN, now: NOW, realNow: NOW, ...more })
const waits = task({ task: 'transaction.due', subject: 'M:T', payload: { mid: MID, txnId: TXN } })
const asked = { reply: 'asking', tasks: ['transaction.due M:T +0'] }

decides(recheckTransaction, {
  'a payment under way is asked after now': { given: [transaction(), waits], when: recheck(), comes: asked },
  'also where no question waits': { given: [transaction()], when: recheck({ key: 'K' }), comes: asked },
  'and one that was given up': { given: [failedBefore(), waits], when: recheck(), comes: asked },
  'while somebody asks nobody else does': {
    given: [transaction(), task({ ...waits.row, leaseUntil: NOW + 1 })],
    when: recheck(),
    comes: 'busy',
  },
  'what is paid is not asked after': { given: [paid()], when: recheck(), comes: 'applied' },
  'nor what was given back': { given: [failedBefore(returned)], when: recheck(), comes: 'applied' },
  'nor what is not there': { given: [], when: recheck(), comes: 'applied' },
} satisfies Record<string, { given: readonly Given[]; when: ReturnType<typeof recheck>; comes: unknown }>)
