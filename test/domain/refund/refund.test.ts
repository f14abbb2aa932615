// A refund: the amount that a request sets aside, its refusals, and the movements of money that the bank's answer causes.

import { applyRefund } from '../../../src/domain/refund/apply-refund.ts'
import { type ApplyRefundResult, applyRefundResult } from '../../../src/domain/refund/apply-refund-result.ts'
import { recheckRefund } from '../../../src/domain/refund/recheck-refund.ts'
import type { AcquirerAnswer } from '../../../src/domain/transaction/acquirer-answer.ts'
import { decides } from '../../support/decided/decides.ts'
import {
  attempt,
  attemptOrder,
  counters,
  customer,
  DAY,
  HOUR,
  MID,
  merchant,
  NOW,
  order,
  PAYER,
  paid,
  redemption,
  refund,
  SIGNED,
  TXN,
  task,
  transaction,
  UNSIGNED,
} from '../../support/decided/rows.ts'

const ask = (refundAmount = '30.00', more: object = {}, with_: object = {}) => ({
  request: { mid: MID, txnType: 'REFUND' as const, orderId: 'O', txnId: TXN, refId: 'R', refundAmount, ...more },
  ...{ contentHash: 'content', caller: SIGNED, now: NOW, fresh: { refundId: 'RX' }, ...with_ },
})
const paidOrder = order({ status: 'PAID', version: 3, txnId: TXN, transactionCount: 1 })
const around = [merchant(), paidOrder]
const ASKED = ['transaction.refund-set-aside SUCCESS>SUCCESS', 'refund.requested >PENDING']
const aside = (paise: number) => [`refund merchant_payable ${paise}`, `refund refund_payable -${paise}`]
const shared = (more: Parameters<typeof paid>[0] = {}) =>
  paid({ flow: 'HYBRID', walletPaise: 40_00, bankPaise: 60_00, payer: PAYER, ...more })

decides(applyRefund, {
  'the money is set aside before the bank is asked': {
    given: [...around, paid()],
    when: ask(),
    comes: {
      reply: 'success',
      changes: [
        ['update transactions T', { refundedPaise: 30_00, bankRefundedPaise: 30_00 }],
        [
          'insert refunds R',
          { ...{ status: 'PENDING', refundId: 'RX', amountPaise: 30_00, bankPaise: 30_00, walletPaise: 0 }, details: { keyedBy: 'refId' } },
        ],
      ],
      events: ASKED,
      tasks: ['refund.due M:R +0'],
      ledger: aside(3000),
      notified: ['REFUND PENDING'],
    },
  },
  'all that is left may be asked for': {
    given: [...around, paid({ refundedPaise: 70_00, bankRefundedPaise: 70_00, returnedPaise: 70_00 })],
    when: ask(),
    comes: {
      reply: 'success',
      changes: [
        ['update transactions T', { refundedPaise: 100_00, bankRefundedPaise: 100_00 }],
        ['insert refunds R', { amountPaise: 30_00 }],
      ],
      events: ASKED,
      tasks: ['refund.due M:R +0'],
      ledger: aside(3000),
      notified: ['REFUND PENDING'],
    },
  },
  'the instrument has its part first, the wallet the rest': {
    given: [...around, shared()],
    when: ask('70.00'),
    comes: {
      reply: 'success',
      changes: [
        ['update transactions T', { refundedPaise: 70_00, bankRefundedPaise: 60_00 }],
        ['insert refunds R', { amountPaise: 70_00, bankPaise: 60_00, walletPaise: 10_00 }],
      ],
      events: ASKED,
      tasks: ['refund.due M:R +0'],
      ledger: aside(7000),
      notified: ['REFUND PENDING'],
    },
  },
  'what the instrument has had it does not have again': {
    given: [...around, shared({ refundedPaise: 50_00, bankRefundedPaise: 50_00 })],
    when: ask('30.00'),
    comes: {
      reply: 'success',
      changes: [
        ['update transactions T', { refundedPaise: 80_00, bankRefundedPaise: 60_00 }],
        ['insert refunds R', { amountPaise: 30_00, bankPaise: 10_00, walletPaise: 20_00 }],
      ],
      events: ASKED,
      tasks: ['refund.due M:R +0'],
      ledger: aside(3000),
      notified: ['REFUND PENDING'],
    },
  },
  'what was added to a wallet goes back to the wallet': {
    given: [...around, shared({ flow: 'ADDANDPAY' })],
    when: ask('70.00'),
    comes: {
      reply: 'success',
      changes: [
        ['update transactions T', { refundedPaise: 70_00 }],
        ['insert refunds R', { amountPaise: 70_00, bankPaise: 0, walletPaise: 70_00 }],
      ],
      events: ASKED,
      tasks: ['refund.due M:R +0'],
      ledger: aside(7000),
      notified: ['REFUND PENDING'],
    },
  },
  'a debit’s goes in the stream of the consent': {
    given: [
      merchant(),
      attemptOrder({ status: 'PAID', version: 2 }),
      attempt({ status: 'SUCCESS', result: 'success', version: 2, capturedPaise: 100_00 }),
    ],
    when: ask('30.00', { orderId: 'A1', txnId: 'T1' }),
    comes: {
      reply: 'success',
      changes: [
        ['update transactions T1', { refundedPaise: 30_00, bankRefundedPaise: 30_00 }],
        ['insert refunds R', { amountPaise: 30_00 }],
      ],
      events: ASKED,
      tasks: ['refund.due M:R +0'],
      ledger: aside(3000),
      notified: ['REFUND PENDING'],
    },
  },
  'the same refund again is the same refund': {
    given: [...around, paid({ refundedPaise: 30_00, bankRefundedPaise: 30_00 }), refund()],
    when: ask(),
    comes: 'success',
  },
  'the refund of a form that was sent twice is one refund, though the payment has changed by it': {
    given: [...around, paid({ version: 9, refundedPaise: 30_00, bankRefundedPaise: 30_00 }), refund()],
    when: ask('30.00', {}, { version: 8, mostPaise: 30_00 }),
    comes: 'again',
  },
  'a person may give back as much as their limit, with what the payment has had back': {
    given: [...around, paid({ version: 9, refundedPaise: 30_00, bankRefundedPaise: 30_00 })],
    when: ask('30.00', {}, { version: 9, mostPaise: 60_00 }),
    comes: {
      reply: 'success',
      changes: [
        ['update transactions T', { refundedPaise: 60_00, bankRefundedPaise: 60_00 }],
        ['insert refunds R', { amountPaise: 30_00 }],
      ],
      events: ASKED,
      tasks: ['refund.due M:R +0'],
      ledger: aside(3000),
      notified: ['REFUND PENDING'],
    },
  },
  'and no paisa more': {
    given: [...around, paid({ version: 9, refundedPaise: 30_00, bankRefundedPaise: 30_00 })],
    when: ask('30.01', {}, { version: 9, mostPaise: 60_00 }),
    comes: 'overMost',
  },
  'a payment that has changed since a page showed it is not refunded by that page': {
    given: [...around, paid({ version: 9 })],
    when: ask('30.00', {}, { version: 8 }),
    comes: 'changed',
  },

  'without a merchant nothing is refunded': { given: [paidOrder, paid()], when: ask(), comes: 'invalidChecksum' },
  'only the merchant asks': { given: [...around, paid()], when: ask('30.00', {}, { caller: UNSIGNED }), comes: 'invalidChecksum' },
  'a checksum asks for one refund': {
    given: [...around, paid(), refund({ refId: 'OTHER', details: { checksumHash: 'sum' } })],
    when: ask('30.00', { comments: 'OTHER' }, { checksumHash: 'sum' }),
    comes: 'invalidChecksum',
  },
  'an order that is not there is not refunded': { given: [merchant(), paid()], when: ask(), comes: 'orderNotFound' },
  'nor by the payment of another order': { given: [...around, paid({ orderId: 'X' })], when: ask(), comes: 'orderNotFound' },
  'nor before it is paid': { given: [...around, transaction()], when: ask(), comes: 'notCaptured' },
  'nor what came too late': {
    given: [...around, transaction({ status: 'FAILURE', capturedPaise: 100_00 })],
    when: ask(),
    comes: 'notCaptured',
  },
  'what was given back wholly is': {
    given: [...around, paid({ refundedPaise: 100_00, bankRefundedPaise: 100_00, returnedPaise: 100_00 })],
    when: ask(),
    comes: 'fullyRefunded',
  },
  'what is on its way back is raised': {
    given: [...around, paid({ refundedPaise: 100_00, bankRefundedPaise: 100_00, returnedPaise: 99_99 })],
    when: ask(),
    comes: 'alreadyRaised',
  },
  'more than is left is not refunded': {
    given: [...around, paid({ refundedPaise: 70_01, bankRefundedPaise: 70_01 })],
    when: ask(),
    comes: 'invalidAmount refundAmount overLeft',
  },
  'a refId names one refund': {
    given: [...around, paid({ refundedPaise: 30_00, bankRefundedPaise: 30_00 }), refund()],
    when: ask('40.00', {}, { contentHash: 'other' }),
    comes: 'refIdUsed refId',
  },
})

const say = (answer: AcquirerAnswer, refId = 'R', now = NOW): ApplyRefundResult => ({ mid: MID, refId, answer, now })
const success = (amountPaise = 30_00): AcquirerAnswer => ({ outcome: 'success', reference: 'RB', amountPaise })
const part = { refundedPaise: 30_00, bankRefundedPaise: 30_00 }
const asked = [...around, paid(part), refund()]
const whole = { amountPaise: 100_00, bankPaise: 100_00 }
const given = ['update refunds R', { status: 'SUCCESS', result: 'success', bankTxnId: 'RB' }] as const
const SUCCEEDED = ['refund.succeeded PENDING>SUCCESS', 'transaction.refunded SUCCESS>SUCCESS']
const FAILED = ['refund.failed PENDING>FAILURE', 'transaction.refund-freed SUCCESS>SUCCESS']
const back = (paise: number) => [`refunded refund_payable ${paise}`, `refunded acquirer_receivable -${paise}`]
const allOf = { refundedPaise: 100_00, bankRefundedPaise: 100_00 }
const late = (more: Parameters<typeof transaction>[0] = {}) =>
  transaction({ status: 'FAILURE', result: 'returned', version: 4, capturedPaise: 100_00, bankTxnId: 'B', ...allOf, ...more })
const automatic = refund({ ...whole, refId: 'auto:T', refundId: 'AT', contentHash: '', details: {} })

const ASKED_AGAIN_TOMORROW = {
  reply: 'applied',
  changes: [
    ['update refunds auto:T', { status: 'FAILURE', result: 'declined' }],
    ['update transactions T', {}],
    ['insert refunds auto:T:2', { status: 'PENDING', refundId: 'ATN2', amountPaise: 100_00, requestedAt: NOW + DAY }],
  ],
  events: [
    ...['refund.failed PENDING>FAILURE', 'transaction.refund-freed FAILURE>FAILURE'],
    ...['transaction.refund-set-aside FAILURE>FAILURE', 'refund.requested >PENDING'],
  ],
  tasks: ['refund.due M:auto:T:2 +24h'],
  ledger: [
    ...['refund acquirer_suspense 10000', 'refund refund_payable -10000'],
    ...['refund-failed refund_payable 10000', 'refund-failed acquirer_suspense -10000'],
  ],
  notified: ['REFUND TXN_FAILURE'],
} as const

decides(applyRefundResult, {
  'the customer has it': {
    given: asked,
    when: say(success()),
    comes: {
      reply: 'applied',
      changes: [given, ['update transactions T', { returnedPaise: 30_00 }]],
      ...{ events: SUCCEEDED, ledger: back(3000), notified: ['REFUND TXN_SUCCESS'] },
    },
  },
  'the wallet has its part': {
    given: [
      ...around,
      shared({ refundedPaise: 70_00, bankRefundedPaise: 60_00 }),
      refund({ amountPaise: 70_00, bankPaise: 60_00, walletPaise: 10_00 }),
      customer(),
    ],
    when: say(success(60_00)),
    comes: {
      reply: 'applied',
      changes: [
        given,
        ['update transactions T', { returnedPaise: 70_00 }],
        ['update customers 9999900001', { walletBalancePaise: 510_00 }],
      ],
      events: SUCCEEDED,
      ledger: ['refunded refund_payable 7000', 'refunded acquirer_receivable -6000', 'refunded customer_wallet -1000'],
      notified: ['REFUND TXN_SUCCESS'],
    },
  },
  'with the last rupee a discount goes back to its funder': {
    given: [
      ...around,
      paid({ ...allOf, discountPaise: 10_00, amountPaise: 110_00 }),
      refund(whole),
      redemption({ status: 'COMMITTED', version: 2 }),
      ...counters(3),
    ],
    when: say(success(100_00)),
    comes: {
      reply: 'applied',
      changes: [
        given,
        ['update transactions T', { returnedPaise: 100_00 }],
        ['update redemptions T', { status: 'RELEASED' }],
        ['update promotionCounters ', { uses: 2, amountPaise: 20_00 }],
        ['update promotionCounters C', { uses: 2, amountPaise: 20_00 }],
      ],
      events: [...SUCCEEDED, 'redemption.released COMMITTED>RELEASED'],
      ledger: [...back(10000), 'discount-undone merchant_payable 1000', 'discount-undone offer_funding:shop -1000'],
      notified: ['REFUND TXN_SUCCESS'],
    },
  },
  'cashback is taken out of the wallet, as far as it is there': {
    given: [
      ...[...around, paid({ ...allOf, payer: PAYER }), refund(whole), redemption({ kind: 'CASHBACK', status: 'COMMITTED', version: 2 })],
      ...[...counters(3), customer({ walletBalancePaise: 4_00 })],
    ],
    when: say(success(100_00)),
    comes: {
      reply: 'applied',
      changes: [
        given,
        ['update transactions T', { returnedPaise: 100_00 }],
        ['update redemptions T', { status: 'RELEASED' }],
        ['update promotionCounters ', { uses: 2, amountPaise: 20_00 }],
        ['update promotionCounters C', { uses: 2, amountPaise: 20_00 }],
        ['update customers 9999900001', { walletBalancePaise: 0 }],
      ],
      events: [...SUCCEEDED, 'redemption.released COMMITTED>RELEASED'],
      ledger: [
        ...back(10000),
        ...['cashback-undone customer_wallet 400', 'cashback-undone cashback_recoverable 600', 'cashback-undone offer_funding:shop -1000'],
      ],
      notified: ['REFUND TXN_SUCCESS'],
    },
  },
  'cashback that was owed is owed no more': {
    given: [...around, paid(allOf), refund(whole), redemption({ kind: 'CASHBACK', status: 'COMMITTED', version: 2 }), ...counters(3)],
    when: say(success(100_00)),
    comes: {
      reply: 'applied',
      changes: [
        given,
        ['update transactions T', { returnedPaise: 100_00 }],
        ['update redemptions T', { status: 'RELEASED' }],
        ['update promotionCounters ', { uses: 2, amountPaise: 20_00 }],
        ['update promotionCounters C', { uses: 2, amountPaise: 20_00 }],
      ],
      events: [...SUCCEEDED, 'redemption.released COMMITTED>RELEASED'],
      ledger: [...back(10000), 'cashback-undone cashback_payable 1000', 'cashback-undone offer_funding:shop -1000'],
      notified: ['REFUND TXN_SUCCESS'],
    },
  },
  'before the last rupee an offer stands': {
    given: [...asked, redemption({ status: 'COMMITTED', version: 2 }), ...counters(3)],
    when: say(success()),
    comes: {
      reply: 'applied',
      changes: [given, ['update transactions T', { returnedPaise: 30_00 }]],
      ...{ events: SUCCEEDED, ledger: back(3000), notified: ['REFUND TXN_SUCCESS'] },
    },
  },
  'a debit that was given back wholly is not open at its bank any more': {
    given: [
      ...[merchant(), attemptOrder({ status: 'CLOSED', txnId: null, version: 2 })],
      attempt({ status: 'FAILURE', result: 'returned', version: 4, capturedPaise: 100_00, openAtBank: true, ...allOf }),
      refund({ ...whole, refId: 'auto:T1', orderId: 'A1', txnId: 'T1', refundId: 'AT1' }),
    ],
    when: say(success(100_00), 'auto:T1'),
    comes: {
      reply: 'applied',
      changes: [
        ['update refunds auto:T1', { status: 'SUCCESS', result: 'success', bankTxnId: 'RB' }],
        ['update transactions T1', { returnedPaise: 100_00, openAtBank: false }],
      ],
      events: ['refund.succeeded PENDING>SUCCESS', 'transaction.refunded FAILURE>FAILURE'],
      ledger: back(10000),
      notified: ['REFUND TXN_SUCCESS'],
    },
  },
  'another amount than was asked for is no success': {
    given: asked,
    when: say(success(29_99)),
    comes: { reply: 'applied', changes: [['update refunds R', { result: 'delayed', checks: 1 }]], tasks: ['refund.due M:R +30s'] },
  },
  'what the bank will not give back is free again': {
    given: asked,
    when: say({ outcome: 'failure', failure: 'declined', reference: 'RB' }),
    comes: {
      reply: 'applied',
      changes: [
        ['update refunds R', { status: 'FAILURE', result: 'declined', bankTxnId: 'RB' }],
        ['update transactions T', { refundedPaise: 0, bankRefundedPaise: 0 }],
      ],
      events: FAILED,
      ledger: ['refund-failed refund_payable 3000', 'refund-failed merchant_payable -3000'],
      notified: ['REFUND TXN_FAILURE'],
    },
  },
  'what came too late is asked for again tomorrow': {
    given: [merchant(), order({ version: 3 }), late(), automatic],
    when: say({ outcome: 'failure', failure: 'declined' }, 'auto:T'),
    comes: ASKED_AGAIN_TOMORROW,
  },
  'what came too late is back where another has refunded it all': {
    given: [merchant(), order({ version: 3 }), late(), automatic],
    when: say({ outcome: 'failure', failure: 'declined', givenBack: { reference: '88', paise: 100_00 } }, 'auto:T'),
    comes: {
      reply: 'applied',
      changes: [
        ['update refunds auto:T', { status: 'SUCCESS', result: 'success', bankTxnId: '88' }],
        ['update transactions T', { returnedPaise: 100_00 }],
      ],
      events: ['refund.succeeded PENDING>SUCCESS', 'transaction.refunded FAILURE>FAILURE'],
      ledger: back(10000),
      notified: ['REFUND TXN_SUCCESS'],
    },
  },
  'a part that another has refunded is not the whole': {
    given: [merchant(), order({ version: 3 }), late(), automatic],
    when: say({ outcome: 'failure', failure: 'declined', givenBack: { reference: '88', paise: 99_99 } }, 'auto:T'),
    comes: ASKED_AGAIN_TOMORROW,
  },
  'a merchant’s own refund fails, whatever another has refunded': {
    given: asked,
    when: say({ outcome: 'failure', failure: 'declined', givenBack: { reference: '88', paise: 100_00 } }),
    comes: {
      reply: 'applied',
      changes: [
        ['update refunds R', { status: 'FAILURE', result: 'declined' }],
        ['update transactions T', { refundedPaise: 0, bankRefundedPaise: 0 }],
      ],
      events: FAILED,
      ledger: ['refund-failed refund_payable 3000', 'refund-failed merchant_payable -3000'],
      notified: ['REFUND TXN_FAILURE'],
    },
  },
  'a bank that has not decided is asked on the schedule': {
    given: asked,
    when: say({ outcome: 'pending' }),
    comes: { reply: 'applied', changes: [['update refunds R', { checks: 1 }]], tasks: ['refund.due M:R +30s'] },
  },
  'so is one that does not answer': {
    given: [...around, paid(part), refund({ checks: 1 })],
    when: say({ outcome: 'unknown' }),
    comes: { reply: 'applied', changes: [['update refunds R', { result: 'delayed', checks: 2 }]], tasks: ['refund.due M:R +1m30s'] },
  },
  'and each day behind the schedule': {
    given: [...around, paid(part), refund({ checks: 14 })],
    when: say({ outcome: 'absent' }),
    comes: { reply: 'applied', changes: [['update refunds R', { result: 'delayed', checks: 15 }]], tasks: ['refund.due M:R +24h'] },
  },
  'a query that met a limit of the bank uses up none of it, and comes again when the bank takes calls': {
    given: asked,
    when: say({ outcome: 'unknown', retryAfterMs: 59_000 }),
    comes: { reply: 'applied', changes: [['update refunds R', { result: 'delayed' }]], tasks: ['refund.due M:R +59s'] },
  },
  'a refund that a limit held up is first asked about 90 seconds after it was sent': {
    given: [...around, paid(part), refund({ checks: 0, requestedAt: NOW - 9 * 60_000 })],
    when: say({ outcome: 'pending' }),
    comes: { reply: 'applied', changes: [['update refunds R', { checks: 1 }]], tasks: ['refund.due M:R +1m30s'] },
  },
  'and a minute later again': {
    given: [...around, paid(part), refund({ checks: 1, requestedAt: NOW - 9 * 60_000 })],
    when: say({ outcome: 'pending' }),
    comes: { reply: 'applied', changes: [['update refunds R', { checks: 2 }]], tasks: ['refund.due M:R +1m'] },
  },
  'a query that a person asked for uses up none of the schedule, whose time stands': {
    given: [...around, paid(part), refund({ checks: 14 })],
    when: { ...say({ outcome: 'absent' }), scheduledAt: NOW + 5 * HOUR },
    comes: {
      reply: 'applied',
      changes: [['update refunds R', { result: 'delayed' }]],
      tasks: [['refund.due M:R +5h', { scheduledAt: undefined }]],
    },
  },
  'nor does its time that has passed meanwhile: the next query is due now': {
    given: [...around, paid(part), refund({ checks: 1 })],
    when: { ...say({ outcome: 'pending' }), scheduledAt: NOW - 1 },
    comes: { reply: 'applied', changes: [['update refunds R', {}]], tasks: ['refund.due M:R +0'] },
  },
  'what has ended stays ended': {
    given: [...around, paid({ ...part, returnedPaise: 30_00 }), refund({ status: 'SUCCESS', result: 'success', version: 2 })],
    when: say({ outcome: 'failure', failure: 'declined' }),
    comes: 'applied',
  },
  'a refund that is not there is gone': { given: [...around, paid()], when: say(success()), comes: 'gone' },
  'so is one without its payment': { given: [...around, refund()], when: say(success()), comes: 'gone' },
  'and one without its order': { given: [merchant(), paid(part), refund()], when: say(success()), comes: 'gone' },
})

const recheck = { mid: MID, refId: 'R', now: NOW, realNow: NOW }
const query = (more: object = {}) =>
  task({ task: 'refund.due', subject: 'M:R', dueAt: NOW + HOUR, attempts: 0, payload: { mid: MID, refId: 'R' }, ...more })

decides(recheckRefund, {
  'the next query is due now, beside the schedule': {
    given: [refund({ checks: 1 }), query()],
    when: recheck,
    comes: { reply: 'asking', tasks: [['refund.due M:R +0', { mid: MID, refId: 'R', scheduledAt: NOW + HOUR }]] },
  },
  'one that is due already is left alone': { given: [refund({ checks: 1 }), query({ dueAt: NOW })], when: recheck, comes: 'asking' },
  'while one process queries, no other does': {
    given: [refund({ checks: 1 }), query({ leaseUntil: NOW + 1 })],
    when: recheck,
    comes: 'busy',
  },
  'what no call has had a result for is not brought forward: that would send it': {
    given: [refund(), query()],
    when: recheck,
    comes: 'sending',
  },
  'what has ended is not queried': { given: [refund({ status: 'FAILURE', checks: 1 })], when: recheck, comes: 'ended' },
  'nor what no task has': { given: [refund({ checks: 1 })], when: recheck, comes: 'ended' },
  'nor what is not there': { given: [], when: recheck, comes: 'absent' },
})
