// The next step of a due cycle: a notice, an attempt, a status inquiry, its end.

import { advanceCollection } from '../../../../src/domain/subscription/collection/advance-collection.ts'
import { recheckCollection } from '../../../../src/domain/subscription/collection/recheck-collection.ts'
import { requeueAttempt } from '../../../../src/domain/subscription/collection/requeue-attempt.ts'
import { skipCycle } from '../../../../src/domain/subscription/collection/skip-cycle.ts'
import { dayEnds } from '../../../../src/engine/clock.ts'
import { decides } from '../../../support/decided/decides.ts'
import {
  at,
  attempt,
  attemptOrder,
  CYCLE,
  customer,
  cycle,
  firstOrder,
  following,
  HOUR,
  inFlight,
  MID,
  merchant,
  notice,
  noticed,
  PAYER,
  reference,
  subscription,
  task,
} from '../../../support/decided/rows.ts'

const look = (text: string, more: { asked?: { until: number; isAnswered: boolean } } = {}) => ({
  ...{ mid: MID, collectionId: CYCLE, reference, now: at(text), fresh: { txnId: 'TX', noticeId: 'NX' }, ...more },
})
const [NOTICE_TIME, FIRST_TRY] = ['2026-06-29 18:00', '2026-07-01 06:00']
const END = dayEnds('2026-07-03')
const MINUTE = 60_000
const LOOKED = 90_000
const around = [merchant(), firstOrder(), subscription(), following()]
const its = ['update collections S.20260701'] as const

const ABOVE = 20_000_00
const above = { amountPaise: ABOVE, maxPaise: ABOVE, noticedPaise: ABOVE, authentication: 'ASKED' } as const
const wallet = { paymentMode: 'BALANCE', mandate: { instrument: {}, payer: PAYER } } as const
const ofWallet = [merchant(), firstOrder(), subscription(wallet), following()]
const begun = (more: object = {}) =>
  [
    ['insert orders AS.20260701.1', { status: 'IN_PROCESS', requestType: 'RENEWAL', amountPaise: 100_00, consentOrderId: 'O', ...more }],
    ['insert transactions TX', { status: 'INITIATED', bankPaise: 100_00, walletPaise: 0, collectionId: CYCLE, collectionAttempt: 1 }],
  ] as const
const BEGUN = ['order.created >IN_PROCESS', 'transaction.initiated >INITIATED']
const failedAtOnce = (result: string, walletPaise = 0, amountPaise = 100_00) =>
  [
    ['insert orders AS.20260701.1', { status: 'CLOSED', txnId: null, amountPaise }],
    ['insert transactions TX', { status: 'FAILURE', result, walletPaise, capturedPaise: 0, sentAt: null, openAtBank: false }],
    ['update collections S.20260701', { attempts: 1, nextAt: at('2026-07-02 06:00') }],
  ] as const
const FAILED_AT_ONCE = [
  ...BEGUN,
  'collection.attempted NOTIFIED>IN_FLIGHT',
  'transaction.failed INITIATED>FAILURE',
  'order.closed IN_PROCESS>CLOSED',
  'collection.attempt-failed IN_FLIGHT>NOTIFIED',
]
const waiting = (more: Parameters<typeof inFlight>[0] = {}) => inFlight({ sentAt: null, nextAt: at('2026-07-01 13:00'), ...more })
const unsentAttempt = attempt({ sentAt: null })
/** No notice is needed, but one asks for an approval, and has no answer. */
const unanswered = { ...above, noticeNeeded: false, noticedAt: null, noticedPaise: null } as const
const pending = notice({ status: 'PENDING', amountPaise: ABOVE, answeredAt: null })
/** The bank is asked about an attempt at this time. */
const inquiry = (time: string, txnId = 'T1') => task({ task: 'transaction.due', subject: `M:${txnId}`, dueAt: at(time) })
const withdrawn = [
  ['update transactions T1', { status: 'FAILURE', result: 'cancelled' }],
  ['update orders A1', { status: 'CLOSED', txnId: null }],
] as const
const WITHDRAWN = ['transaction.failed INITIATED>FAILURE', 'order.closed IN_PROCESS>CLOSED']

const PAID_BY_WALLET = {
  reply: 'taken',
  changes: [
    ['update customers 9999900001', { walletBalancePaise: 400_00 }],
    ['insert orders AS.20260701.1', { status: 'PAID', txnId: 'TX' }],
    ['insert transactions TX', { status: 'SUCCESS', walletPaise: 100_00, bankPaise: 0, capturedPaise: 100_00 }],
    [...its, { status: 'COLLECTED', attempts: 1, orderId: 'AS.20260701.1', txnId: 'TX', sentAt: at(FIRST_TRY), nextAt: null }],
  ],
  events: [
    ...BEGUN,
    'collection.attempted NOTIFIED>IN_FLIGHT',
    'transaction.succeeded INITIATED>SUCCESS',
    'order.paid IN_PROCESS>PAID',
    'collection.collected IN_FLIGHT>COLLECTED',
  ],
  ledger: ['hold customer_wallet 10000', 'hold wallet_hold -10000', 'capture wallet_hold 10000', 'capture merchant_payable -10000'],
  notified: ['SUBSCRIPTION_DEBIT TXN_SUCCESS'],
} as const

/** On the last day a card is debited half a minute before midnight. The call may not leave after midnight. */
const lastMinute = (day: string, more: Parameters<typeof subscription>[0] = {}) => ({
  given: [merchant(), firstOrder(), subscription(more), following(), noticed({ rail: 'CARD' }), notice()],
  when: look(`${day} 23:59:30`),
  comes: {
    reply: [
      'taken',
      {
        work: {
          ...{ kind: 'collect', key: 'M:S:20260701:1', collectionId: CYCLE, txnId: 'TX', amountPaise: 100_00, attempt: 1, isFirst: true },
          ...{ until: dayEnds(day), notifyKey: 'M:S:20260701:notify:1', authenticated: false },
        },
      },
    ] as const,
    changes: [
      ...begun(),
      [
        ...its,
        {
          ...{ status: 'IN_FLIGHT', attempts: 1, orderId: 'AS.20260701.1', txnId: 'TX' },
          ...{ sentAt: at(`${day} 23:59:30`), nextAt: at(`${day} 23:59:30`) + LOOKED },
        },
      ],
    ] as const,
    events: [...BEGUN, 'collection.attempted NOTIFIED>IN_FLIGHT'],
  },
})

const NOT_DEBITED = {
  reply: 'taken',
  changes: [...failedAtOnce('invalidInstrument', 100_00)],
  events: FAILED_AT_ONCE,
  notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE'],
} as const

decides(advanceCollection, {
  'before its time nothing is done': { given: [...around, cycle()], when: look('2026-06-29 17:59'), comes: 'nothing' },
  'what another look has taken is left alone': {
    given: [...around, noticed(above)],
    when: look(FIRST_TRY, { asked: { until: at(FIRST_TRY) + 1, isAnswered: true } }),
    comes: 'nothing',
  },
  'without the order of the consent nothing is done': {
    given: [merchant(), subscription(), cycle()],
    when: look(NOTICE_TIME),
    comes: 'nothing',
  },
  'at the time of its notice the payer is notified, and the cycle behind it is there': {
    given: [merchant(), firstOrder(), subscription(), cycle()],
    when: look(NOTICE_TIME),
    comes: {
      reply: 'taken',
      changes: [
        ['insert notices NX', { status: 'PENDING', number: 1, amountPaise: 100_00, debitDate: '2026-07-01' }],
        [...its, { notices: 1, nextAt: at(NOTICE_TIME) + LOOKED }],
        ['insert collections S.20260801', { status: 'SCHEDULED', number: 2, amountPaise: 100_00, nextAt: at('2026-07-30 18:00') }],
      ],
      events: ['collection.scheduled >SCHEDULED'],
    },
  },
  'above the limit the notice also asks the payer to approve': {
    given: [
      ...[merchant(), firstOrder(), following(), cycle({ amountPaise: ABOVE, maxPaise: ABOVE })],
      subscription({ renewalAmountPaise: ABOVE, maxAmountPaise: ABOVE }),
    ],
    when: look(NOTICE_TIME),
    comes: {
      reply: 'taken',
      changes: [
        ['insert notices NX', { status: 'PENDING', amountPaise: ABOVE }],
        [...its, { notices: 1, authentication: 'ASKED', nextAt: at(NOTICE_TIME) + LOOKED }],
      ],
    },
  },
  'a late notice names a later day': {
    given: [...around, cycle()],
    when: look('2026-07-01 15:00'),
    comes: {
      reply: 'taken',
      changes: [
        ['insert notices NX', { debitDate: '2026-07-02' }],
        [...its, { notices: 1, nextAt: at('2026-07-01 15:00') + LOOKED }],
      ],
    },
  },
  'where a day’s notice no longer fits the cycle is missed': {
    given: [...around, cycle()],
    when: look('2026-07-03 00:00'),
    comes: {
      reply: 'taken',
      changes: [[...its, { status: 'MISSED', nextAt: null }]],
      events: ['collection.missed SCHEDULED>MISSED'],
      notified: ['SUBSCRIPTION_MISS TXN_SUCCESS'],
    },
  },
  'a notice without an answer is sent again': {
    given: [...around, cycle({ notices: 1 }), notice({ status: 'PENDING', answeredAt: null })],
    when: look('2026-06-30 18:00'),
    comes: { reply: 'taken', changes: [[...its, { nextAt: at('2026-06-30 18:00') + LOOKED }]] },
  },
  'at six on its day it is debited': {
    given: [...around, noticed(), notice()],
    when: look(FIRST_TRY),
    comes: {
      reply: 'taken',
      changes: [
        ...begun(),
        [
          ...its,
          {
            status: 'IN_FLIGHT',
            attempts: 1,
            orderId: 'AS.20260701.1',
            txnId: 'TX',
            sentAt: at(FIRST_TRY),
            nextAt: at(FIRST_TRY) + LOOKED,
          },
        ],
      ],
      events: [...BEGUN, 'collection.attempted NOTIFIED>IN_FLIGHT'],
    },
  },
  'an account is debited without a notice': {
    given: [...around, cycle({ rail: 'ENACH', noticeNeeded: false, windowTo: '2026-07-01' })],
    when: look(FIRST_TRY),
    comes: {
      reply: 'taken',
      changes: [
        ...begun(),
        [
          ...its,
          {
            status: 'IN_FLIGHT',
            attempts: 1,
            orderId: 'AS.20260701.1',
            txnId: 'TX',
            sentAt: at(FIRST_TRY),
            nextAt: at(FIRST_TRY) + LOOKED,
          },
        ],
      ],
      events: [...BEGUN, 'collection.attempted SCHEDULED>IN_FLIGHT'],
    },
  },
  'an order that has its name already gives it another': {
    given: [...around, noticed(), notice(), attemptOrder({ orderId: 'AS.20260701.1' })],
    when: look(FIRST_TRY),
    comes: {
      reply: 'taken',
      changes: [
        ['insert orders ATX', { status: 'IN_PROCESS' }],
        begun()[1],
        [...its, { status: 'IN_FLIGHT', attempts: 1, orderId: 'ATX', txnId: 'TX', sentAt: at(FIRST_TRY), nextAt: at(FIRST_TRY) + LOOKED }],
      ],
      events: [...BEGUN, 'collection.attempted NOTIFIED>IN_FLIGHT'],
    },
  },
  'shortly before the end of its days it leaves by midnight': lastMinute('2026-07-03'),
  'and so before the end of the mandate': lastMinute('2026-07-02', { expiryDate: '2026-07-02' }),
  'a notice that was late is waited for its day': {
    given: [...around, noticed({ noticedAt: at('2026-06-30 20:00') }), notice()],
    when: look(FIRST_TRY),
    comes: { reply: 'taken', changes: [[...its, { nextAt: at('2026-06-30 21:30') + 24 * HOUR }]] },
  },
  'no debit begins in the forbidden hours': {
    given: [...around, noticed(), notice()],
    when: look('2026-07-01 09:58'),
    comes: { reply: 'taken', changes: [[...its, { nextAt: at('2026-07-01 13:00') }]] },
  },
  'nor on the day of one that failed': {
    given: [
      ...[...around, noticed({ attempts: 1, noticeNeeded: false }), notice()],
      attempt({ status: 'FAILURE', result: 'declined', initiatedAt: at('2026-07-01 13:00'), updatedAt: at('2026-07-01 13:00') }),
    ],
    when: look('2026-07-01 14:00'),
    comes: { reply: 'taken', changes: [[...its, { nextAt: at('2026-07-02 06:00') }]] },
  },
  'a second attempt is an order of its own': {
    given: [...around, noticed({ attempts: 1 }), notice(), attempt({ status: 'FAILURE', result: 'declined' }), inquiry('2026-07-02 06:01')],
    when: look('2026-07-02 06:00'),
    comes: {
      reply: 'taken',
      changes: [
        ['insert orders AS.20260701.2', { status: 'IN_PROCESS' }],
        ['insert transactions TX', { collectionAttempt: 2 }],
        [
          ...its,
          {
            ...{ status: 'IN_FLIGHT', attempts: 2, orderId: 'AS.20260701.2', txnId: 'TX' },
            ...{ sentAt: at('2026-07-02 06:00'), nextAt: at('2026-07-02 06:00') + LOOKED },
          },
        ],
      ],
      events: [...BEGUN, 'collection.attempted NOTIFIED>IN_FLIGHT'],
    },
  },
  'terms that the payer agreed to during an attempt come before the next, where the notice has failed': {
    given: [
      ...[merchant(), firstOrder(), following(), cycle({ noticeNeeded: false, attempts: 1, notices: 1 }), notice({ status: 'FAILURE' })],
      subscription({ renewalAmountPaise: 50_00, maxAmountPaise: 50_00 }),
      attempt({ status: 'FAILURE', result: 'declined' }),
    ],
    when: look('2026-07-02 06:00'),
    comes: {
      reply: 'taken',
      changes: [[...its, { amountPaise: 50_00, maxPaise: 50_00, nextAt: at('2026-07-02 06:00') }]],
      events: ['collection.terms-changed SCHEDULED>SCHEDULED'],
    },
  },
  'also where the merchant tries the cycle': {
    given: [
      ...[merchant(), firstOrder(), following(), cycle({ noticeNeeded: false, attempts: 1, notices: 1 }), notice({ status: 'FAILURE' })],
      subscription({ renewalAmountPaise: 50_00, maxAmountPaise: 50_00, autoRetry: false }),
      attempt({ status: 'FAILURE', result: 'declined' }),
    ],
    when: look('2026-07-02 06:00'),
    comes: {
      reply: 'taken',
      changes: [[...its, { amountPaise: 50_00, maxPaise: 50_00, nextAt: at('2026-07-02 06:00') }]],
      events: ['collection.terms-changed SCHEDULED>SCHEDULED'],
    },
  },
  'beside a debit that its bank may still make none is sent': {
    given: [...around, noticed({ attempts: 1 }), notice(), attempt({ status: 'FAILURE', result: 'undecided', openAtBank: true })],
    when: look('2026-07-02 06:00'),
    comes: { reply: 'taken', changes: [[...its, { nextAt: at('2026-07-02 06:15') }]] },
  },
  'nor while the bank is to be asked about the one before': {
    given: [...around, noticed({ attempts: 1 }), notice(), attempt({ status: 'FAILURE', result: 'declined' }), inquiry('2026-07-02 06:00')],
    when: look('2026-07-02 06:00'),
    comes: { reply: 'taken', changes: [[...its, { nextAt: at('2026-07-02 06:15') }]] },
  },
  'for a disabled merchant nothing is sent': {
    given: [merchant({ status: 'DISABLED', version: 1 }), ...around.slice(1), noticed(), notice()],
    when: look(FIRST_TRY),
    comes: { reply: 'taken', changes: [[...its, { nextAt: at('2026-07-01 06:15') }]] },
  },
  'nor while the bank keeps our pause': {
    given: [
      ...[merchant(), firstOrder(), following(), noticed(), notice()],
      subscription({ mandate: { reference: 'UMN', instrument: {}, isPauseAtBank: true } }),
    ],
    when: look(FIRST_TRY),
    comes: { reply: 'taken', changes: [[...its, { nextAt: at('2026-07-01 06:15') }]] },
  },
  'a paused one has no notice before its day': {
    given: [merchant(), firstOrder(), following(), cycle(), subscription({ status: 'SUSPENDED', subStatus: 'USER_PAUSED' })],
    when: look(NOTICE_TIME),
    comes: { reply: 'taken', changes: [[...its, { nextAt: at('2026-07-01 00:00') }]] },
  },
  'and on its day the cycle is missed': {
    given: [merchant(), firstOrder(), following(), noticed(), subscription({ status: 'SUSPENDED', subStatus: 'USER_PAUSED' })],
    when: look('2026-07-01 06:00'),
    comes: {
      reply: 'taken',
      changes: [[...its, { status: 'MISSED', nextAt: null }]],
      events: ['collection.missed NOTIFIED>MISSED'],
      notified: ['SUBSCRIPTION_MISS TXN_SUCCESS'],
    },
  },
  'with a subscription that was cancelled it ends, without a notification': {
    given: [merchant(), firstOrder(), following(), cycle(), subscription({ status: 'REJECT', subStatus: 'MERCHANT_CANCELLED' })],
    when: look(NOTICE_TIME),
    comes: { reply: 'taken', changes: [[...its, { status: 'MISSED', nextAt: null }]], events: ['collection.missed SCHEDULED>MISSED'] },
  },
  'behind a subscription that has expired the rest of its cycles was missed': {
    given: [merchant(), firstOrder(), cycle(), subscription({ expiryDate: '2026-09-15', status: 'EXPIRED', subStatus: 'EXPIRED' })],
    when: look('2026-09-16 00:00'),
    comes: {
      reply: 'taken',
      changes: [
        [...its, { status: 'MISSED', nextAt: null }],
        ['insert collections S.20260801', { status: 'MISSED', nextAt: null }],
        ['insert collections S.20260901', { status: 'MISSED', nextAt: null }],
      ],
      events: ['collection.missed SCHEDULED>MISSED', 'collection.missed >MISSED', 'collection.missed >MISSED'],
      notified: ['SUBSCRIPTION_MISS TXN_SUCCESS', 'SUBSCRIPTION_MISS TXN_SUCCESS', 'SUBSCRIPTION_MISS TXN_SUCCESS'],
    },
  },
  'after its days a cycle that was tried has failed': {
    given: [...around, noticed({ attempts: 1 })],
    when: look('2026-07-04 00:00'),
    comes: { reply: 'taken', changes: [[...its, { status: 'FAILED', nextAt: null }]], events: ['collection.failed NOTIFIED>FAILED'] },
  },
  'so has one without a notice': {
    given: [...around, cycle({ attempts: 1, noticeNeeded: false })],
    when: look('2026-07-04 00:00'),
    comes: { reply: 'taken', changes: [[...its, { status: 'FAILED', nextAt: null }]], events: ['collection.failed SCHEDULED>FAILED'] },
  },
  'with its last attempt a cycle has failed': {
    given: [...around, noticed({ attempts: 4 })],
    when: look(FIRST_TRY),
    comes: { reply: 'taken', changes: [[...its, { status: 'FAILED', nextAt: null }]], events: ['collection.failed NOTIFIED>FAILED'] },
  },
  'what the merchant collects waits for the end of its days': {
    given: [merchant(), firstOrder(), following(), noticed(), subscription({ autoRenewal: false })],
    when: look(FIRST_TRY),
    comes: { reply: 'taken', changes: [[...its, { nextAt: END }]] },
  },
  'a payer’s approval is asked for before anything rests on there being none': {
    given: [...around, noticed(above), notice({ amountPaise: ABOVE })],
    when: look(FIRST_TRY),
    comes: { reply: 'taken', changes: [[...its, { nextAt: at(FIRST_TRY) + LOOKED }]] },
  },
  'a bank that does not say is asked again': {
    given: [...around, noticed(above), notice({ amountPaise: ABOVE })],
    when: look(FIRST_TRY, { asked: { until: at(FIRST_TRY), isAnswered: false } }),
    comes: { reply: 'taken', changes: [[...its, { nextAt: at(FIRST_TRY) + 15 * MINUTE }]] },
  },
  'without an approval the attempt fails before it is sent, and counts': {
    given: [...around, noticed(above), notice({ amountPaise: ABOVE })],
    when: look(FIRST_TRY, { asked: { until: at(FIRST_TRY), isAnswered: true } }),
    comes: {
      reply: 'taken',
      changes: [...failedAtOnce('notAuthenticated', 0, ABOVE)],
      events: FAILED_AT_ONCE,
      tasks: ['transaction.due M:TX +22h30m'],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE'],
    },
  },
  'a wallet pays at once, out of the balance': {
    given: [...ofWallet, noticed({ rail: 'WALLET' }), notice(), customer()],
    when: look(FIRST_TRY),
    comes: PAID_BY_WALLET,
  },
  'a wallet with too little pays nothing': {
    given: [...ofWallet, noticed({ rail: 'WALLET' }), notice(), customer({ walletBalancePaise: 99_99 })],
    when: look(FIRST_TRY),
    comes: {
      reply: 'taken',
      changes: [...failedAtOnce('insufficientFunds', 100_00)],
      events: FAILED_AT_ONCE,
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE'],
    },
  },
  'nor does one whose owner may have changed': {
    given: [...ofWallet, noticed({ rail: 'WALLET' }), notice(), customer({ pendingVerificationSince: at(FIRST_TRY) - 1 })],
    when: look(FIRST_TRY),
    comes: NOT_DEBITED,
  },
  'nor ever for a mandate from before the report of a change of owner': {
    given: [...ofWallet, noticed({ rail: 'WALLET' }), notice(), customer({ pendingVerificationSince: at('2026-06-01 09:00') })],
    when: look(FIRST_TRY),
    comes: NOT_DEBITED,
  },
  'a mandate from after it is debited': {
    given: [...ofWallet, noticed({ rail: 'WALLET' }), notice(), customer({ pendingVerificationSince: at('2026-06-01 09:00') - 1 })],
    when: look(FIRST_TRY),
    comes: PAID_BY_WALLET,
  },
  'an attempt that waited is sent at its hour': {
    given: [...around, waiting(), notice(), attemptOrder(), unsentAttempt],
    when: look('2026-07-01 13:00'),
    comes: {
      reply: 'taken',
      changes: [
        [...its, { sentAt: at('2026-07-01 13:00'), nextAt: at('2026-07-01 13:00') + LOOKED }],
        ['update transactions T1', { initiatedAt: at('2026-07-01 13:00'), sentAt: at('2026-07-01 13:00') }],
      ],
    },
  },
  'before one fails for want of an approval, the bank is asked about a notice that has no answer': {
    given: [...around, waiting(unanswered), pending, attemptOrder({ amountPaise: ABOVE }), unsentAttempt],
    when: look('2026-07-01 13:00'),
    comes: { reply: 'taken', changes: [[...its, { nextAt: at('2026-07-01 13:00') + LOOKED }]] },
  },
  'and fails if the bank never had the notice': {
    given: [...around, waiting(unanswered), pending, attemptOrder({ amountPaise: ABOVE }), unsentAttempt],
    when: look('2026-07-01 13:00', { asked: { until: at('2026-07-01 13:00'), isAnswered: true } }),
    comes: {
      reply: 'taken',
      changes: [
        ['update transactions T1', { status: 'FAILURE', result: 'notAuthenticated', initiatedAt: at('2026-07-01 13:00') }],
        ['update orders A1', { status: 'CLOSED', txnId: null }],
        [...its, { status: 'SCHEDULED', orderId: null, txnId: null, nextAt: at('2026-07-02 06:00') }],
      ],
      events: [...WITHDRAWN, 'collection.attempt-failed IN_FLIGHT>SCHEDULED'],
      tasks: ['transaction.due M:T1 +22h30m'],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE'],
    },
  },
  'and waits on if the bank does not say': {
    given: [...around, waiting(unanswered), pending, attemptOrder({ amountPaise: ABOVE }), unsentAttempt],
    when: look('2026-07-01 13:00', { asked: { until: at('2026-07-01 13:00'), isAnswered: false } }),
    comes: { reply: 'taken', changes: [[...its, { nextAt: at('2026-07-01 13:15') }]] },
  },
  'and not in the forbidden hours': {
    given: [...around, waiting({ nextAt: at('2026-07-01 12:00') }), notice(), attemptOrder(), unsentAttempt],
    when: look('2026-07-01 12:00'),
    comes: { reply: 'taken', changes: [[...its, { nextAt: at('2026-07-01 13:00') }]] },
  },
  'where an earlier debit is open at its bank it waits on': {
    given: [
      ...[...around, waiting({ attempts: 2 }), notice(), attemptOrder(), attempt({ sentAt: null, collectionAttempt: 2 })],
      attempt({ txnId: 'T0', status: 'FAILURE', openAtBank: true }),
    ],
    when: look('2026-07-01 13:00'),
    comes: { reply: 'taken', changes: [[...its, { nextAt: at('2026-07-01 13:15') }]] },
  },
  'and where the bank is to be asked about the one before': {
    given: [
      ...[...around, waiting({ attempts: 2 }), notice(), attemptOrder(), attempt({ sentAt: null, collectionAttempt: 2 })],
      ...[attempt({ txnId: 'T0', status: 'FAILURE' }), inquiry('2026-07-01 12:59', 'T0')],
    ],
    when: look('2026-07-01 13:00'),
    comes: { reply: 'taken', changes: [[...its, { nextAt: at('2026-07-01 13:15') }]] },
  },
  'while the bank keeps our pause it waits on': {
    given: [
      ...[merchant(), firstOrder(), following(), waiting(), notice(), attemptOrder(), unsentAttempt],
      subscription({ mandate: { reference: 'UMN', instrument: {}, isPauseAtBank: true } }),
    ],
    when: look('2026-07-01 13:00'),
    comes: { reply: 'taken', changes: [[...its, { nextAt: at('2026-07-01 13:15') }]] },
  },
  'where the mandate was paused meanwhile it is withdrawn, and was no try': {
    given: [
      ...[merchant(), firstOrder(), following(), waiting(), notice(), attemptOrder(), unsentAttempt],
      subscription({ status: 'SUSPENDED', subStatus: 'USER_PAUSED' }),
    ],
    when: look('2026-07-01 13:00'),
    comes: {
      reply: 'taken',
      changes: [...withdrawn, [...its, { status: 'MISSED', orderId: null, txnId: null, nextAt: null }]],
      events: [...WITHDRAWN, 'collection.missed IN_FLIGHT>MISSED'],
      tasks: ['transaction.due M:T1 +22h30m'],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE', 'SUBSCRIPTION_MISS TXN_SUCCESS'],
    },
  },
  'where its payer has agreed to less it is withdrawn, and the cycle has the new terms': {
    given: [
      ...[merchant(), firstOrder(), following(), attemptOrder(), unsentAttempt],
      waiting({ rail: 'ENACH', noticeNeeded: false, notices: 0, noticedAt: null, noticedPaise: null }),
      subscription({ renewalAmountPaise: 50_00, maxAmountPaise: 50_00 }),
    ],
    when: look('2026-07-01 13:00'),
    comes: {
      reply: 'taken',
      changes: [
        ...withdrawn,
        [...its, { status: 'SCHEDULED', amountPaise: 50_00, maxPaise: 50_00, orderId: null, txnId: null, nextAt: at('2026-07-02 06:00') }],
      ],
      events: [...WITHDRAWN, 'collection.attempt-failed IN_FLIGHT>SCHEDULED', 'collection.terms-changed SCHEDULED>SCHEDULED'],
      tasks: ['transaction.due M:T1 +22h30m'],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE'],
    },
  },
  'after its days it has timed out': {
    given: [...around, waiting(), notice(), attemptOrder(), unsentAttempt],
    when: look('2026-07-04 00:00'),
    comes: {
      reply: 'taken',
      changes: [
        ['update transactions T1', { status: 'FAILURE', result: 'timedOut' }],
        ['update orders A1', { status: 'CLOSED', txnId: null }],
        [...its, { status: 'MISSED', orderId: null, txnId: null, nextAt: null }],
      ],
      events: [...WITHDRAWN, 'collection.missed IN_FLIGHT>MISSED'],
      tasks: ['transaction.due M:T1 +22h30m'],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE', 'SUBSCRIPTION_MISS TXN_SUCCESS'],
    },
  },
  'what was sent and has no answer is asked after': {
    given: [...around, inFlight({ nextAt: at('2026-07-01 06:01') }), attemptOrder(), attempt()],
    when: look('2026-07-01 06:01'),
    comes: { reply: 'taken', changes: [[...its, { nextAt: at('2026-07-01 06:01') + LOOKED }]] },
  },
})

const skip = (more: object = {}) => ({ mid: MID, collectionId: CYCLE, notices: 0, reference, now: at('2026-06-20 10:00'), ...more })

decides(skipCycle, {
  'a payer skips a cycle without a notice, and the one after it is there': {
    given: [merchant(), firstOrder(), subscription(), cycle()],
    when: skip(),
    comes: {
      reply: 'skipped',
      changes: [
        [...its, { status: 'SKIPPED', nextAt: null }],
        ['insert collections S.20260801', { status: 'SCHEDULED', number: 2 }],
      ],
      events: ['collection.skipped SCHEDULED>SKIPPED', 'collection.scheduled >SCHEDULED'],
      notified: ['SUBSCRIPTION_SKIP TXN_SUCCESS'],
    },
  },
  'with it goes an attempt that waits for its hour': {
    given: [...around, waiting({ notices: 0 }), attemptOrder(), unsentAttempt],
    when: skip(),
    comes: {
      reply: 'skipped',
      changes: [...withdrawn, [...its, { status: 'SKIPPED', orderId: null, txnId: null, nextAt: null }]],
      events: [...WITHDRAWN, 'collection.skipped IN_FLIGHT>SKIPPED'],
      tasks: ['transaction.due M:T1 +22h30m'],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE', 'SUBSCRIPTION_SKIP TXN_SUCCESS'],
    },
  },
  'what was announced meanwhile is answered by its notice': { given: [...around, noticed()], when: skip(), comes: 'gone' },
  'what was sent is not skipped': { given: [...around, inFlight({ notices: 0 })], when: skip(), comes: 'gone' },
  'what has ended is not': { given: [...around, cycle({ status: 'MISSED', nextAt: null })], when: skip(), comes: 'gone' },
  'after the mandate’s end nothing is skipped': {
    given: [merchant(), firstOrder(), cycle(), subscription({ status: 'REJECT', subStatus: 'USER_CANCELLED' })],
    when: skip(),
    comes: 'gone',
  },
  'nor is a cycle that is not there': { given: around, when: skip(), comes: 'gone' },
})

const requeue = (txnId = 'T1') => ({ mid: MID, collectionId: CYCLE, txnId, now: at('2026-07-01 07:00') })

decides(requeueAttempt, {
  'what its bank never heard of waits like one that was never sent': {
    given: [...around, inFlight(), attemptOrder(), attempt()],
    when: requeue(),
    comes: { reply: 'waits', changes: [[...its, { sentAt: null, nextAt: at('2026-07-01 07:00') }]] },
  },
  'what its payer has skipped meanwhile is withdrawn, and its bank is asked after five minutes': {
    given: [...around, inFlight({ unwanted: 'SKIPPED' }), attemptOrder(), attempt()],
    when: requeue(),
    comes: {
      reply: 'withdrawn',
      changes: [
        ['update transactions T1', { status: 'FAILURE', result: 'cancelled', openAtBank: true }],
        ['update orders A1', { status: 'CLOSED', txnId: null }],
        [...its, { status: 'SKIPPED', orderId: null, txnId: null, sentAt: null, nextAt: null }],
      ],
      events: [...WITHDRAWN, 'collection.skipped IN_FLIGHT>SKIPPED'],
      tasks: ['transaction.due M:T1 +1h'],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE', 'SUBSCRIPTION_SKIP TXN_SUCCESS'],
    },
  },
  'what was paused meanwhile is missed': {
    given: [...around, inFlight({ unwanted: 'PAUSED' }), attemptOrder(), attempt()],
    when: requeue(),
    comes: {
      reply: 'withdrawn',
      changes: [
        ['update transactions T1', { status: 'FAILURE', result: 'cancelled', openAtBank: true }],
        ['update orders A1', { status: 'CLOSED', txnId: null }],
        [...its, { status: 'MISSED', orderId: null, txnId: null, sentAt: null, nextAt: null }],
      ],
      events: [...WITHDRAWN, 'collection.missed IN_FLIGHT>MISSED'],
      tasks: ['transaction.due M:T1 +1h'],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE', 'SUBSCRIPTION_MISS TXN_SUCCESS'],
    },
  },
  'another attempt is not sent again': { given: [...around, inFlight(), attemptOrder(), attempt()], when: requeue('T0'), comes: 'gone' },
  'nor one that has ended': { given: [...around, noticed()], when: requeue(), comes: 'gone' },
})

const recheck = { mid: MID, collectionId: CYCLE, now: at('2026-07-01 07:00') }
const lookedAt = { reply: 'looking', changes: [[...its, { nextAt: recheck.now }]] } as const

decides(recheckCollection, {
  'a debit about which its bank reports is queried now': {
    given: [inFlight({ nextAt: at('2026-07-01 08:00') }), attempt()],
    when: recheck,
    comes: lookedAt,
  },
  'one that its bank did not know was sent all the same': {
    given: [inFlight({ sentAt: null, nextAt: at('2026-07-01 08:00') }), attempt()],
    when: recheck,
    comes: { reply: 'looking', changes: [[...its, { nextAt: recheck.now, sentAt: at(FIRST_TRY) }]] },
  },
  'one that waits for its hour waits on': {
    given: [inFlight({ sentAt: null, nextAt: at('2026-07-01 13:00') }), attempt({ sentAt: null })],
    when: recheck,
    comes: 'applied',
  },
  'a notice without an answer is asked after now': {
    given: [cycle({ nextAt: at('2026-07-01 08:00') }), notice({ status: 'PENDING', answeredAt: null })],
    when: recheck,
    comes: lookedAt,
  },
  'where no notice is open nothing is asked': {
    given: [cycle({ nextAt: at('2026-07-01 08:00') }), notice()],
    when: recheck,
    comes: 'applied',
  },
  'what is due already is not moved': {
    given: [cycle({ nextAt: recheck.now }), notice({ status: 'PENDING', answeredAt: null })],
    when: recheck,
    comes: 'applied',
  },
  'a cycle that is not there gets no look': { given: [], when: recheck, comes: 'applied' },
})
