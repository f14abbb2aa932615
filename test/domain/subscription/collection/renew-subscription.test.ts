// Decisions of Renew Subscription: an attempt for the collection sweep to send, and every reason for none.

import { renewSubscription } from '../../../../src/domain/subscription/collection/renew-subscription.ts'
import { decides } from '../../../support/decided/decides.ts'
import {
  at,
  attempt,
  attemptOrder,
  CYCLE,
  cycle,
  firstOrder,
  following,
  inFlight,
  MID,
  merchant,
  notice,
  noticed,
  reference,
  SIGNED,
  SUBSCRIPTION,
  subscription,
  UNSIGNED,
} from '../../../support/decided/rows.ts'

const ITS_DAY = '2026-07-01 14:00'
const renew = (text = ITS_DAY, value = '100.00', more: object = {}) => ({
  request: { mid: MID, orderId: 'R', subscriptionId: SUBSCRIPTION, txnAmount: { value, currency: 'INR' as const }, ...more },
  ...{ caller: SIGNED, subscriptionId: SUBSCRIPTION, reference, now: at(text), fresh: { txnId: 'TX' } },
})
const varies = { amountType: 'VARIABLE', renewalAmountPaise: null } as const
const around = [merchant(), firstOrder(), subscription({ autoRenewal: false })]
const open = [...around, noticed(), following()]
const onDemand = subscription({ frequencyUnit: 'ONDEMAND', autoRenewal: false, graceDays: 0 })
const ended = (status: 'COLLECTED' | 'SKIPPED' | 'MISSED' | 'FAILED', more: Parameters<typeof cycle>[0] = {}) => [
  ...around,
  noticed({ status, nextAt: null, ...(status === 'COLLECTED' && { orderId: 'A1', txnId: 'T1' }), ...more }),
]
const attempted = (nextAt: string, amountPaise = 100_00) =>
  [
    ['insert orders R', { status: 'IN_PROCESS', requestType: 'RENEWAL', amountPaise, consentOrderId: 'O', txnId: 'TX' }],
    ['insert transactions TX', { status: 'INITIATED', bankPaise: amountPaise, sentAt: null, collectionId: CYCLE }],
    ['update collections S.20260701', { status: 'IN_FLIGHT', attempts: 1, orderId: 'R', txnId: 'TX', nextAt: at(nextAt) }],
  ] as const
const ATTEMPTED = ['order.created >IN_PROCESS', 'transaction.initiated >INITIATED', 'collection.attempted NOTIFIED>IN_FLIGHT']

decides(renewSubscription, {
  'an attempt waits for the collection sweep, which sends it at once': {
    given: open,
    when: renew(),
    comes: { reply: 'success', changes: attempted(ITS_DAY), events: ATTEMPTED },
  },
  'in forbidden hours it waits for their end': {
    given: open,
    when: renew('2026-07-01 11:00'),
    comes: { reply: 'success', changes: attempted('2026-07-01 13:00'), events: ATTEMPTED },
  },
  'it waits for the day that the merchant names': {
    given: open,
    when: renew(ITS_DAY, '100.00', { debitDate: '2026-07-02 07:00:00' }),
    comes: { reply: 'success', changes: attempted('2026-07-02 07:00'), events: ATTEMPTED },
  },
  'a cycle that needs no notice is written with its attempt, and the one behind it too': {
    given: [
      ...[merchant(), firstOrder(), cycle({ collectionId: 'S.20260601', dueDate: '2026-06-01', number: 0 })],
      subscription({ autoRenewal: false, paymentMode: 'BANK_MANDATE' }),
    ],
    when: renew(),
    comes: {
      reply: 'success',
      changes: [
        ['insert collections S.20260701', { status: 'IN_FLIGHT', attempts: 1, number: 1, orderId: 'R', txnId: 'TX', rail: 'ENACH' }],
        ['insert orders R', { status: 'IN_PROCESS' }],
        ['insert transactions TX', { status: 'INITIATED' }],
        ['insert collections S.20260801', { status: 'SCHEDULED', number: 2 }],
      ],
      events: [
        'collection.scheduled >SCHEDULED',
        'order.created >IN_PROCESS',
        'transaction.initiated >INITIATED',
        'collection.attempted SCHEDULED>IN_FLIGHT',
        'collection.scheduled >SCHEDULED',
      ],
    },
  },
  'an amount that varies is the merchant’s, up to the maximum': {
    given: [merchant(), firstOrder(), subscription({ ...varies, autoRenewal: false }), noticed({ amountType: 'VARIABLE' }), following()],
    when: renew(ITS_DAY, '60.00'),
    comes: {
      reply: 'success',
      changes: [...attempted(ITS_DAY, 60_00).slice(0, 2), [attempted(ITS_DAY)[2][0], { ...attempted(ITS_DAY)[2][1], amountPaise: 60_00 }]],
      events: ATTEMPTED,
    },
  },

  'without a merchant there is none': { given: open.slice(1), when: renew(), comes: 'invalidMid mid unknownMid' },
  'a disabled merchant collects nothing': {
    given: [merchant({ status: 'DISABLED', version: 1 }), ...open.slice(1)],
    when: renew(),
    comes: 'invalidMid mid disabledMid',
  },
  'only the merchant asks': { given: open, when: { ...renew(), caller: UNSIGNED }, comes: 'invalidChecksum' },
  'what is not there is not renewed': { given: [merchant()], when: renew(), comes: 'notFound' },
  'nor what has lost the order of its consent': { given: [merchant(), subscription()], when: renew(), comes: 'notFound' },
  'a fixed amount is the amount': { given: open, when: renew(ITS_DAY, '99.99'), comes: 'invalidTxnAmount txnAmount.value fixed' },
  'one that varies is not above the maximum': {
    given: [merchant(), firstOrder(), subscription({ ...varies, autoRenewal: false }), noticed({ amountType: 'VARIABLE' })],
    when: renew(ITS_DAY, '100.01'),
    comes: 'amountOverMax txnAmount.value',
  },
  'an order that is there is not renewed by': {
    given: [...open, attemptOrder({ orderId: 'R' })],
    when: renew(),
    comes: 'duplicateOrderId',
  },
  'what is paused is not collected': {
    given: [merchant(), firstOrder(), noticed(), subscription({ status: 'SUSPENDED', subStatus: 'USER_PAUSED' })],
    when: renew(),
    comes: 'notActive Subscription is not active: SUSPENDED, USER_PAUSED',
  },
  'after its last day it has expired': {
    given: [merchant(), firstOrder(), noticed(), subscription({ expiryDate: '2026-06-30' })],
    when: renew(),
    comes: 'expired',
  },
  'before the first cycle it is too early': {
    given: [merchant(), firstOrder(), subscription({ startDate: '2026-08-01' })],
    when: renew(),
    comes: 'tooEarly',
  },
  'on demand the day that was announced is waited for': {
    given: [
      merchant(),
      firstOrder(),
      onDemand,
      noticed({ number: null, collectionId: 'S.20260702', dueDate: '2026-07-02', windowFrom: '2026-07-02' }),
    ],
    when: renew(),
    comes: 'tooEarly',
  },
  'a cycle is collected once': { given: ended('COLLECTED'), when: renew(), comes: 'alreadyCollected' },
  'what its payer has skipped is not collected': { given: ended('SKIPPED'), when: renew(), comes: 'skipped' },
  'beside an attempt there is no other': { given: [...around, inFlight(), attempt()], when: renew(), comes: 'inFlight' },
  'nor beside a debit that its bank may still make': {
    given: [...around, noticed({ attempts: 1 }), attempt({ status: 'FAILURE', result: 'undecided', openAtBank: true })],
    when: renew(),
    comes: 'inFlight',
  },
  'without a retry there is one attempt': {
    given: [
      merchant(),
      firstOrder(),
      subscription({ enableRetry: false }),
      noticed({ attempts: 1, attemptsMax: 1, status: 'FAILED', nextAt: null }),
    ],
    when: renew(),
    comes: 'retryNotAllowed',
  },
  'with retries there are so many': { given: ended('FAILED', { attempts: 4 }), when: renew(), comes: 'attemptsUsedUp' },
  'they may be used up while the cycle is open': { given: [...around, noticed({ attempts: 4 })], when: renew(), comes: 'attemptsUsedUp' },
  'without a notice nothing is debited': { given: [...around, cycle()], when: renew(), comes: 'noticeNotFound' },
  'a missed cycle is over': {
    given: ended('MISSED'),
    when: renew(),
    comes: 'forbidden A rule forbids it: windowOver, next 2026-08-01 00:00:00',
  },
  'more than was announced is not debited': {
    given: [...open, notice({ amountPaise: 99_00 })],
    when: renew(),
    comes: 'forbidden A rule forbids it: moreThanNoticed',
  },
  'above the limit nothing is debited without the payer’s word': {
    given: [...around, noticed({ authentication: 'DECLINED' })],
    when: renew(),
    comes: 'forbidden A rule forbids it: notAuthenticated',
  },
})
