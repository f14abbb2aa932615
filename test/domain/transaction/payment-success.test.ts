// Decisions about a payment that its acquirer calls paid: the order, the money of all parties, and what is given back.

import { applyTransactionResult } from '../../../src/domain/transaction/apply-transaction-result.ts'
import { decides } from '../../support/decided/decides.ts'
import {
  automatic,
  capture,
  done,
  FAILED,
  failedBefore,
  free,
  kept,
  NO_SALE,
  open,
  orderPaid,
  paying,
  reopened,
  returned,
  SALE,
  SUCCEEDED,
  say,
  shared,
  success,
  takenBack,
} from '../../support/decided/payment.ts'
import { customer, merchant, PAYER, paid, redemption, transaction } from '../../support/decided/rows.ts'

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
      changes: [
        reopened,
        ['update transactions T', { status: 'FAILURE', ...returned }],
        [automatic[0], { details: { isReportedByBank: true } }],
      ],
      events: [...FAILED, ...takenBack.events],
      tasks: [done, 'refund.due M:auto:T +0'],
      ledger: takenBack.ledger,
      notified: NO_SALE,
    },
  },
  'what others have refunded stands, as it stood for the merchant': {
    given: open,
    when: say(success({ refundedPaise: 100_00, isRefundedByOthers: true })),
    comes: { reply: 'applied', changes: [kept, orderPaid], events: SUCCEEDED, tasks: [done], ledger: capture, notified: SALE },
  },
  'behind a failure it is asked after, and not given back twice': {
    given: [...free, failedBefore()],
    when: say(success({ refundedPaise: 100_00, isRefundedByOthers: true })),
    comes: {
      reply: 'applied',
      changes: [
        ['update transactions T', returned],
        [automatic[0], { details: { isReportedByBank: true } }],
      ],
      events: takenBack.events,
      tasks: ['refund.due M:auto:T +0'],
      ledger: takenBack.ledger,
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
})
