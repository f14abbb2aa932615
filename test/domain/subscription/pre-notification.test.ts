// The notice before a debit: what a request for one changes, and what its answer changes in the cycle.

import { applyNoticeResult } from '../../../src/domain/subscription/pre-notification/apply-notice-result.ts'
import { preNotify } from '../../../src/domain/subscription/pre-notification/pre-notify.ts'
import { dayEnds } from '../../../src/engine/clock.ts'
import { decides } from '../../support/decided/decides.ts'
import {
  at,
  attempt,
  attemptOrder,
  CYCLE,
  cycle,
  firstOrder,
  following,
  HOUR,
  inFlight,
  MID,
  mandatePage,
  merchant,
  NOTICED,
  notice,
  noticed,
  reference,
  SIGNED,
  SUBSCRIPTION,
  subscription,
  UNSIGNED,
} from '../../support/decided/rows.ts'

const ABOVE = 20_000_00
const its = ['update collections S.20260701'] as const
const BEFORE = at('2026-06-28 10:00')
const around = [merchant(), firstOrder(), subscription()]

const ask = (more: object = {}, now = BEFORE) => ({
  request: { mid: MID, txnAmount: '100.00', txnDate: '01-07-2026', ...more },
  ...{ caller: SIGNED, subscriptionId: SUBSCRIPTION, reference, now, fresh: { noticeId: 'NX' } },
})
const asked = { notices: 1, nextAt: BEFORE }

decides(preNotify, {
  'a notice is due at once': {
    given: [...around, cycle()],
    when: ask({ referenceId: 'MINE', orderId: 'R' }),
    comes: {
      reply: 'success',
      changes: [
        [
          'insert notices NX',
          { ...{ status: 'PENDING', number: 1, referenceId: 'MINE', orderId: 'R', amountPaise: 100_00 }, debitDate: '2026-07-01' },
        ],
        [...its, asked],
      ],
    },
  },
  'a cycle that was not written yet is written with it': {
    given: [...around, cycle({ collectionId: 'S.20260601', dueDate: '2026-06-01', number: 0 })],
    when: ask(),
    comes: {
      reply: 'success',
      changes: [
        ['insert notices NX', { collectionId: CYCLE }],
        ['insert collections S.20260701', { status: 'SCHEDULED', ...asked }],
      ],
      events: ['collection.scheduled >SCHEDULED'],
    },
  },
  'above the limit the payer is asked to approve': {
    given: [...around, cycle({ amountType: 'VARIABLE', amountPaise: null, maxPaise: ABOVE })],
    when: ask({ txnAmount: '20000.00' }),
    comes: {
      reply: 'success',
      changes: [
        ['insert notices NX', { amountPaise: ABOVE }],
        [...its, { ...asked, amountPaise: ABOVE, authentication: 'ASKED' }],
      ],
    },
  },
  'without a day it is the next one': {
    given: [...around, cycle()],
    when: ask({ txnDate: undefined }),
    comes: {
      reply: 'success',
      changes: [
        ['insert notices NX', { debitDate: '2026-07-01' }],
        [...its, asked],
      ],
    },
  },
  'one that failed is followed by another': {
    given: [...around, cycle({ notices: 1 }), notice({ status: 'FAILURE' })],
    when: ask(),
    comes: {
      reply: 'success',
      changes: [
        ['insert notices NX', { number: 2 }],
        [...its, { notices: 2, nextAt: BEFORE }],
      ],
    },
  },
  'the same notice again is the same notice': { given: [...around, noticed(), notice()], when: ask(), comes: 'success' },

  'only the merchant asks': { given: [...around, cycle()], when: { ...ask(), caller: UNSIGNED }, comes: 'badRequest signature' },
  'what is not there is not announced': { given: [merchant()], when: ask(), comes: 'notFound' },
  'what is paused is not': {
    given: [merchant(), firstOrder(), cycle(), subscription({ status: 'SUSPENDED', subStatus: 'USER_PAUSED' })],
    when: ask(),
    comes: 'notActive Subscription is not active: SUSPENDED, USER_PAUSED',
  },
  'after its last day it has expired': {
    given: [merchant(), firstOrder(), cycle(), subscription({ expiryDate: '2026-06-27' })],
    when: ask(),
    comes: 'expired',
  },
  'a day in no cycle is not announced': {
    given: around,
    when: ask({ subscriptionScheduledExecutionDate: '2026-08-10' }),
    comes: 'cannotBeSent txnDate',
  },
  'nor one that is more than a week ahead': {
    given: [...around, cycle()],
    when: ask({ subscriptionScheduledExecutionDate: '2026-07-01' }, at('2026-06-23 10:00')),
    comes: 'cannotBeSent txnDate',
  },
  'nor one of a cycle that is over': {
    given: [...around, cycle({ status: 'MISSED', nextAt: null })],
    when: ask({ subscriptionScheduledExecutionDate: '2026-07-01' }),
    comes: 'cannotBeSent txnDate',
  },
  'another amount than the fixed one is not announced': {
    given: [...around, cycle()],
    when: ask({ txnAmount: '99.00' }),
    comes: 'badRequest txnAmount fixed',
  },
  'beside a notice that stands there is no other': {
    given: [...around, noticed(), notice()],
    when: ask({ referenceId: 'OTHER' }),
    comes: 'alreadyDone',
  },
  'nor behind a debit': {
    given: [...around, noticed({ status: 'COLLECTED', orderId: 'A1', txnId: 'T1', nextAt: null })],
    when: ask(),
    comes: 'alreadyDone',
  },
  'what its payer has skipped is not announced': {
    given: [...around, cycle({ status: 'SKIPPED', nextAt: null })],
    when: ask(),
    comes: 'skipped',
  },
  'nor what is in flight': { given: [...around, inFlight()], when: ask(), comes: 'inFlight' },
})

const NOW = NOTICED
const say = (outcome: Parameters<typeof applyNoticeResult.decide>[0]['outcome'], more: object = {}) => ({
  ...{ mid: MID, collectionId: CYCLE, noticeId: 'N', outcome, category: undefined, now: NOW, ...more },
})
const pending = notice({ status: 'PENDING', answeredAt: null })
const sent = cycle({ notices: 1 })
const open = [...around, sent, pending]
const given = ['update notices N', { status: 'SUCCESS', answeredAt: NOW }] as const
const wasNoticed = { status: 'NOTIFIED', noticedAt: NOW, noticedPaise: 100_00 }
const asksApproval = { authentication: 'ASKED' } as const
const unsent = inFlight({ ...asksApproval, noticeNeeded: false, noticedAt: null, noticedPaise: null, sentAt: null })
const walletCycle = noticed({ rail: 'WALLET', ...asksApproval })
const byCode = (codeHash = 'right', code = '123456') => ({
  ...{ outcome: 'success', authentication: 'approved', onPage: { code: { pageHash: 'P', code, codeHash } } },
})
const page = (more: Parameters<typeof mandatePage>[0] = {}) =>
  mandatePage({ codeFor: 'debit:N', askedAt: NOW - 2, openedAt: NOW - 1, until: NOW + HOUR / 4, codeUntil: NOW + HOUR / 20, ...more })

decides(applyNoticeResult, {
  'a notice that was given opens the cycle to debits a day later': {
    given: open,
    when: say('success'),
    comes: {
      reply: 'applied',
      changes: [given, [...its, { ...wasNoticed, nextAt: at('2026-07-01 06:00') }]],
      events: ['collection.noticed SCHEDULED>NOTIFIED'],
      notified: ['SUBSCRIPTION_NOTIFY TXN_SUCCESS'],
    },
  },
  'one that was late, at its own hour': {
    given: [...open],
    when: say('success', { now: at('2026-07-01 04:00') }),
    comes: {
      reply: 'applied',
      changes: [
        ['update notices N', { status: 'SUCCESS', answeredAt: at('2026-07-01 04:00') }],
        [...its, { status: 'NOTIFIED', noticedAt: at('2026-07-01 04:00'), noticedPaise: 100_00, nextAt: at('2026-07-02 04:00') }],
      ],
      events: ['collection.noticed SCHEDULED>NOTIFIED'],
      notified: ['SUBSCRIPTION_NOTIFY TXN_SUCCESS'],
    },
  },
  'what the merchant collects waits for the end of its days': {
    given: [merchant(), firstOrder(), subscription({ autoRenewal: false }), sent, pending],
    when: say('success'),
    comes: {
      reply: 'applied',
      changes: [given, [...its, { ...wasNoticed, nextAt: dayEnds('2026-07-03') }]],
      events: ['collection.noticed SCHEDULED>NOTIFIED'],
      notified: ['SUBSCRIPTION_NOTIFY TXN_SUCCESS'],
    },
  },
  'an approval may come with it': {
    given: [...around, cycle({ notices: 1, ...asksApproval }), pending],
    when: say('success', { authentication: 'approved' }),
    comes: {
      reply: 'applied',
      changes: [given, [...its, { ...wasNoticed, authentication: 'APPROVED', nextAt: at('2026-07-01 06:00') }]],
      events: ['collection.noticed SCHEDULED>NOTIFIED', 'collection.approved NOTIFIED>NOTIFIED'],
      notified: ['SUBSCRIPTION_NOTIFY TXN_SUCCESS', 'SUBSCRIPTION_APPROVE TXN_SUCCESS'],
    },
  },
  'a no may too': {
    given: [...around, cycle({ notices: 1, ...asksApproval }), pending],
    when: say('success', { authentication: 'declined' }),
    comes: {
      reply: 'applied',
      changes: [given, [...its, { ...wasNoticed, authentication: 'DECLINED', nextAt: at('2026-07-01 06:00') }]],
      events: ['collection.noticed SCHEDULED>NOTIFIED', 'collection.declined NOTIFIED>NOTIFIED'],
      notified: ['SUBSCRIPTION_NOTIFY TXN_SUCCESS', 'SUBSCRIPTION_APPROVE TXN_FAILURE'],
    },
  },
  'an approval that comes later counts': {
    given: [...around, noticed(asksApproval), notice()],
    when: say('success', { authentication: 'approved' }),
    comes: {
      reply: 'applied',
      changes: [[...its, { authentication: 'APPROVED' }]],
      events: ['collection.approved NOTIFIED>NOTIFIED'],
      notified: ['SUBSCRIPTION_APPROVE TXN_SUCCESS'],
    },
  },
  'a yes stands': {
    given: [...around, noticed({ authentication: 'APPROVED' }), notice()],
    when: say('success', { authentication: 'declined' }),
    comes: 'applied',
  },
  'an approval without a request counts for nothing': {
    given: [...around, noticed(), notice()],
    when: say('success', { authentication: 'approved' }),
    comes: 'applied',
  },
  'an approval of what was sent comes too late': {
    given: [...around, inFlight(asksApproval), notice()],
    when: say('success', { authentication: 'approved' }),
    comes: 'applied',
  },
  'an approval that comes with it counts for an attempt that waits for its hour': {
    given: [...around, unsent, pending],
    when: say('success', { authentication: 'approved' }),
    comes: {
      reply: 'applied',
      changes: [given, [...its, { noticedAt: NOW, noticedPaise: 100_00, authentication: 'APPROVED' }]],
      events: ['collection.noticed IN_FLIGHT>IN_FLIGHT', 'collection.approved IN_FLIGHT>IN_FLIGHT'],
      notified: ['SUBSCRIPTION_NOTIFY TXN_SUCCESS', 'SUBSCRIPTION_APPROVE TXN_SUCCESS'],
    },
  },
  'a notice that failed has asked for no approval': {
    given: [...around, cycle({ notices: 1, ...asksApproval }), pending],
    when: say('failure'),
    comes: {
      reply: 'applied',
      changes: [
        ['update notices N', { status: 'FAILURE', answeredAt: NOW }],
        [...its, { authentication: 'NONE', nextAt: NOW + HOUR }],
      ],
      events: ['collection.notice-failed SCHEDULED>SCHEDULED'],
      notified: ['SUBSCRIPTION_NOTIFY TXN_FAILURE'],
    },
  },
  'nor has it for an attempt that waits': {
    given: [...around, unsent, pending],
    when: say('failure'),
    comes: {
      reply: 'applied',
      changes: [
        ['update notices N', { status: 'FAILURE', answeredAt: NOW }],
        [...its, { authentication: 'NONE' }],
      ],
      events: ['collection.notice-failed IN_FLIGHT>IN_FLIGHT'],
      notified: ['SUBSCRIPTION_NOTIFY TXN_FAILURE'],
    },
  },
  'a notice that failed is sent again after an hour': {
    given: open,
    when: say('failure'),
    comes: {
      reply: 'applied',
      changes: [
        ['update notices N', { status: 'FAILURE', answeredAt: NOW }],
        [...its, { nextAt: NOW + HOUR }],
      ],
      events: ['collection.notice-failed SCHEDULED>SCHEDULED'],
      notified: ['SUBSCRIPTION_NOTIFY TXN_FAILURE'],
    },
  },
  'a notice that failed keeps no terms: the cycle takes those that the payer has agreed to meanwhile': {
    given: [merchant(), firstOrder(), subscription({ renewalAmountPaise: 50_00, maxAmountPaise: 50_00 }), sent, pending],
    when: say('failure'),
    comes: {
      reply: 'applied',
      changes: [
        ['update notices N', { status: 'FAILURE', answeredAt: NOW }],
        [...its, { amountPaise: 50_00, maxPaise: 50_00, nextAt: NOW + HOUR }],
      ],
      events: ['collection.notice-failed SCHEDULED>SCHEDULED', 'collection.terms-changed SCHEDULED>SCHEDULED'],
      notified: ['SUBSCRIPTION_NOTIFY TXN_FAILURE'],
    },
  },
  'nor where the amount varies, and the days of the cycle end with an earlier last day': {
    given: [
      ...[merchant(), firstOrder(), pending],
      subscription({ amountType: 'VARIABLE', renewalAmountPaise: null, maxAmountPaise: 100_00, expiryDate: '2026-07-02' }),
      cycle({ notices: 1, amountType: 'VARIABLE', amountPaise: 500_00, maxPaise: 500_00 }),
    ],
    when: say('failure'),
    comes: {
      reply: 'applied',
      changes: [
        ['update notices N', { status: 'FAILURE', answeredAt: NOW }],
        [...its, { amountPaise: null, maxPaise: 100_00, windowTo: '2026-07-02', nextAt: dayEnds('2026-07-02') }],
      ],
      events: ['collection.notice-failed SCHEDULED>SCHEDULED', 'collection.terms-changed SCHEDULED>SCHEDULED'],
      notified: ['SUBSCRIPTION_NOTIFY TXN_FAILURE'],
    },
  },
  'it is not sent again for a cycle that is due after an earlier last day': {
    given: [merchant(), firstOrder(), subscription({ expiryDate: '2026-06-30' }), sent, pending],
    when: say('failure'),
    comes: {
      reply: 'applied',
      changes: [
        ['update notices N', { status: 'FAILURE', answeredAt: NOW }],
        [...its, { nextAt: dayEnds('2026-06-30') }],
      ],
      events: ['collection.notice-failed SCHEDULED>SCHEDULED'],
      notified: ['SUBSCRIPTION_NOTIFY TXN_FAILURE'],
    },
  },
  'one without an answer is asked after in a quarter of an hour': {
    given: open,
    when: say('unknown'),
    comes: { reply: 'applied', changes: [[...its, { nextAt: NOW + HOUR / 4 }]] },
  },
  'and not beside an attempt, which has a time of its own': {
    given: [...around, inFlight(), pending],
    when: say('pending'),
    comes: 'applied',
  },
  'a payer who does not want the debit skips the cycle, and the one behind it is there': {
    given: open,
    when: say('optedOut'),
    comes: {
      reply: 'applied',
      changes: [
        ['update notices N', { status: 'OPTED_OUT', answeredAt: NOW }],
        [...its, { status: 'SKIPPED', nextAt: null }],
        ['insert collections S.20260801', { status: 'SCHEDULED' }],
      ],
      events: ['collection.skipped SCHEDULED>SKIPPED', 'collection.scheduled >SCHEDULED'],
      notified: ['SUBSCRIPTION_SKIP TXN_SUCCESS'],
    },
  },
  'they may opt out until the debit': {
    given: [...around, noticed(), notice(), following()],
    when: say('optedOut'),
    comes: {
      reply: 'applied',
      changes: [
        ['update notices N', { status: 'OPTED_OUT' }],
        [...its, { status: 'SKIPPED', nextAt: null }],
      ],
      events: ['collection.skipped NOTIFIED>SKIPPED'],
      notified: ['SUBSCRIPTION_SKIP TXN_SUCCESS'],
    },
  },
  'a debit that was sent is the last': {
    given: [...around, inFlight(), notice(), attemptOrder(), attempt(), following()],
    when: say('optedOut'),
    comes: {
      reply: 'applied',
      changes: [
        ['update notices N', { status: 'OPTED_OUT' }],
        [...its, { unwanted: 'SKIPPED' }],
      ],
      events: ['collection.unwanted IN_FLIGHT>IN_FLIGHT'],
    },
  },
  'a word of a notice that was answered is late': {
    given: [...around, noticed(), notice({ status: 'OPTED_OUT' })],
    when: say('success'),
    comes: 'gone',
  },
  'so is a failure of one that was given': { given: [...around, noticed(), notice()], when: say('failure'), comes: 'gone' },
  'and one of a notice that is not there': { given: [...around, sent], when: say('success'), comes: 'gone' },
  'a late success moves nothing that has ended': {
    given: [...around, cycle({ notices: 1, status: 'MISSED', nextAt: null }), pending],
    when: say('success'),
    comes: { reply: 'applied', changes: [given] },
  },

  'on their page a payer approves a wallet’s debit by the code, which is used up': {
    given: [...around, walletCycle, notice(), page()],
    when: say('success', byCode()),
    comes: {
      reply: 'applied',
      changes: [
        ['update mandatePages P', { usedAt: NOW }],
        [...its, { authentication: 'APPROVED' }],
      ],
      events: ['collection.approved NOTIFIED>NOTIFIED'],
      notified: ['SUBSCRIPTION_APPROVE TXN_SUCCESS'],
    },
  },
  'they decline it without one': {
    given: [...around, walletCycle, notice()],
    when: say('success', { authentication: 'declined', onPage: {} }),
    comes: {
      reply: 'applied',
      changes: [[...its, { authentication: 'DECLINED' }]],
      events: ['collection.declined NOTIFIED>NOTIFIED'],
      notified: ['SUBSCRIPTION_APPROVE TXN_FAILURE'],
    },
  },
  'what has ended beside them is gone, and the code is used': {
    given: [...around, noticed({ rail: 'WALLET', ...asksApproval, status: 'SKIPPED', nextAt: null }), notice(), page()],
    when: say('success', byCode()),
    comes: { reply: 'gone', changes: [['update mandatePages P', { usedAt: NOW }]] },
  },
  'a wrong code spends a try': {
    given: [...around, walletCycle, notice(), page()],
    when: say('success', byCode('wrong')),
    comes: { reply: 'wrong', changes: [['update mandatePages P', { tries: 1 }]] },
  },
  'what is no code spends none': {
    given: [...around, walletCycle, notice(), page()],
    when: say('success', byCode('wrong', '12345')),
    comes: 'wrong',
  },
  'a code for another debit is over': {
    given: [...around, walletCycle, notice(), page({ codeFor: 'debit:X' })],
    when: say('success', byCode()),
    comes: 'over',
  },
  'a code is used once': {
    given: [...around, walletCycle, notice(), page({ usedAt: NOW - 1 })],
    when: say('success', byCode()),
    comes: 'used',
  },
  'tries have an end': { given: [...around, walletCycle, notice(), page({ tries: 3 })], when: say('success', byCode()), comes: 'exceeded' },
  'a page of another mandate approves nothing': {
    given: [...around, walletCycle, notice(), page({ subscriptionId: 'X' })],
    when: say('success', byCode()),
    comes: 'gone',
  },
  'a bank’s debits are not approved on a page': {
    given: [...around, noticed(asksApproval), notice(), page()],
    when: say('success', byCode()),
    comes: 'gone',
  },
})
