// Changed terms: what a request for them changes, and what the payer's answer changes in the subscription and its cycles.

import { editSubscription } from '../../../src/domain/subscription/edit-subscription.ts'
import { applyEditResult, recheckEdit } from '../../../src/domain/subscription/mandate/apply-edit-result.ts'
import { dayEnds } from '../../../src/engine/clock.ts'
import type { PendingEdit } from '../../../src/tables/subscription.ts'
import { decides } from '../../support/decided/decides.ts'
import {
  cycle,
  DAY,
  firstOrder,
  following,
  inFlight,
  MID,
  mandatePage,
  merchant,
  NOW,
  notice,
  noticed,
  reference,
  SIGNED,
  SUBSCRIPTION,
  subscription,
  task,
  UNSIGNED,
} from '../../support/decided/rows.ts'

const around = [merchant(), firstOrder()]
const wallet = { paymentMode: 'BALANCE', mandate: { instrument: {} } } as const
const varies = { amountType: 'VARIABLE', renewalAmountPaise: null } as const

const ask = (terms: { renewalAmount?: string; subscriptionMaxAmount?: string; subscriptionExpiryDate?: string }) => ({
  ...{ request: { mid: MID, ...terms }, caller: SIGNED, subscriptionId: SUBSCRIPTION, now: NOW, fresh: { editId: 'E' } },
})

decides(editSubscription, {
  'terms wait for the payer, whom their bank asks; the old ones hold': {
    given: [...around, subscription(), cycle()],
    when: ask({ renewalAmount: '150.00', subscriptionExpiryDate: '2028-05-31' }),
    comes: {
      reply: 'success',
      changes: [
        ['update subscriptions S', { edit: { editId: 'E', renewalAmountPaise: 150_00, expiryDate: '2028-05-31', validUntil: NOW + DAY } }],
      ],
      events: ['subscription.edit-requested ACTIVE>ACTIVE'],
      tasks: ['mandate-amend.due M:S:E +0'],
    },
  },
  'no bank is asked for a wallet’s terms': {
    given: [...around, subscription({ ...wallet, ...varies })],
    when: ask({ subscriptionMaxAmount: '150.00' }),
    comes: {
      reply: 'success',
      changes: [['update subscriptions S', { edit: { editId: 'E', maxAmountPaise: 150_00, validUntil: NOW + DAY } }]],
      events: ['subscription.edit-requested ACTIVE>ACTIVE'],
    },
  },
  'terms whose time is over leave room for others': {
    given: [...around, subscription({ edit: { editId: 'D', renewalAmountPaise: 1_00, validUntil: NOW } })],
    when: ask({ renewalAmount: '150.00' }),
    comes: {
      reply: 'success',
      changes: [['update subscriptions S', { edit: { editId: 'E', renewalAmountPaise: 150_00, validUntil: NOW + DAY } }]],
      events: ['subscription.edit-requested ACTIVE>ACTIVE'],
      tasks: ['mandate-amend.due M:S:E +0'],
    },
  },
  'only the merchant asks': {
    given: [...around, subscription()],
    when: { ...ask({ renewalAmount: '150.00' }), caller: UNSIGNED },
    comes: 'badRequest signature',
  },
  'a request without a change is refused': { given: [...around, subscription()], when: ask({}), comes: 'badRequest nothingAsked' },
  'what is not there has no terms': { given: around, when: ask({ renewalAmount: '150.00' }), comes: 'notFound' },
  'a fixed amount is not asked for where it varies': {
    given: [...around, subscription(varies)],
    when: ask({ renewalAmount: '150.00' }),
    comes: 'invalidRenewalAmount renewalAmount notFixed',
  },
  'nothing is no amount': {
    given: [...around, subscription()],
    when: ask({ renewalAmount: '0.00' }),
    comes: 'invalidRenewalAmount renewalAmount zero',
  },
  'a maximum is not asked for where the amount is fixed': {
    given: [...around, subscription()],
    when: ask({ subscriptionMaxAmount: '150.00' }),
    comes: 'invalidMaxAmount subscriptionMaxAmount notVariable',
  },
  'a maximum is not below the first payment': {
    given: [...around, subscription(varies)],
    when: ask({ subscriptionMaxAmount: '99.99' }),
    comes: 'invalidMaxAmount subscriptionMaxAmount belowFirst',
  },
  'a last day is not in the past': {
    given: [...around, subscription()],
    when: ask({ subscriptionExpiryDate: '2026-06-14' }),
    comes: 'invalidExpiryDate subscriptionExpiryDate',
  },
  'a rail has a limit': {
    given: [...around, subscription()],
    when: ask({ renewalAmount: '100000.01' }),
    comes: 'maxAmountOverLimit renewalAmount',
  },
  'what is paused has no new terms': {
    given: [...around, subscription({ status: 'SUSPENDED', subStatus: 'USER_PAUSED' })],
    when: ask({ renewalAmount: '150.00' }),
    comes: 'notActive Subscription is not active: SUSPENDED, USER_PAUSED',
  },
  'after its last day it has expired': {
    given: [...around, subscription({ expiryDate: '2026-06-14' })],
    when: ask({ renewalAmount: '150.00' }),
    comes: 'expired',
  },
  'while terms wait no others are asked for': {
    given: [...around, subscription({ edit: { editId: 'D', renewalAmountPaise: 1_00, validUntil: NOW + 1 } })],
    when: ask({ renewalAmount: '150.00' }),
    comes: 'inFlight',
  },
})

const edit: PendingEdit = { editId: 'E', renewalAmountPaise: 150_00, validUntil: NOW + 1_800_000 }
const shorter: PendingEdit = { editId: 'E', expiryDate: '2026-07-02', validUntil: NOW + 1_800_000 }
const say = (outcome: Parameters<typeof applyEditResult.decide>[0]['outcome'], more: object = {}) => ({
  ...{ mid: MID, subscriptionId: SUBSCRIPTION, edit, outcome, reference, now: NOW, ...more },
})
const byCode = (codeHash = 'right') => ({ onPage: { code: { pageHash: 'P', code: '123456', codeHash } } })
const page = mandatePage({ codeFor: 'edit:E' })
const edited = ['update subscriptions S', { renewalAmountPaise: 150_00, maxAmountPaise: 150_00, edit: null }] as const
const gone = 'cancel mandate-amend.due M:S:E'

decides(applyEditResult, {
  'an approval brings the new terms, also to a cycle without a notice': {
    given: [...around, subscription({ edit }), cycle()],
    when: say('active'),
    comes: {
      reply: 'applied',
      changes: [edited, ['update collections S.20260701', { amountPaise: 150_00, maxPaise: 150_00 }]],
      events: ['subscription.edited ACTIVE>ACTIVE', 'collection.terms-changed SCHEDULED>SCHEDULED'],
      tasks: [gone],
      notified: ['SUBSCRIPTION_EDIT TXN_SUCCESS'],
    },
  },
  'a cycle of which the payer was notified keeps the old terms, and the one behind it has the new': {
    given: [...around, subscription({ edit }), noticed(), notice()],
    when: say('active'),
    comes: {
      reply: 'applied',
      changes: [
        edited,
        ['update collections S.20260701', {}],
        ['insert collections S.20260801', { amountPaise: 150_00, maxPaise: 150_00, status: 'SCHEDULED' }],
      ],
      events: ['subscription.edited ACTIVE>ACTIVE', 'collection.scheduled >SCHEDULED'],
      tasks: [gone],
      notified: ['SUBSCRIPTION_EDIT TXN_SUCCESS'],
    },
  },
  'a notice that failed binds no party': {
    given: [...around, subscription({ edit }), cycle({ notices: 1 }), notice({ status: 'FAILURE' })],
    when: say('active'),
    comes: {
      reply: 'applied',
      changes: [
        edited,
        ['update collections S.20260701', { amountPaise: 150_00, maxPaise: 150_00 }],
        ['insert collections S.20260801', { amountPaise: 150_00 }],
      ],
      events: ['subscription.edited ACTIVE>ACTIVE', 'collection.terms-changed SCHEDULED>SCHEDULED', 'collection.scheduled >SCHEDULED'],
      tasks: [gone],
      notified: ['SUBSCRIPTION_EDIT TXN_SUCCESS'],
    },
  },
  'a cycle that was tried without a notice takes the new terms, and is tried at its time': {
    given: [...around, subscription({ edit }), cycle({ noticeNeeded: false, attempts: 1 }), following()],
    when: say('active'),
    comes: {
      reply: 'applied',
      changes: [
        edited,
        ['update collections S.20260701', { amountPaise: 150_00, maxPaise: 150_00 }],
        ['update collections S.20260801', { amountPaise: 150_00, maxPaise: 150_00 }],
      ],
      events: [
        'subscription.edited ACTIVE>ACTIVE',
        'collection.terms-changed SCHEDULED>SCHEDULED',
        'collection.terms-changed SCHEDULED>SCHEDULED',
      ],
      tasks: [gone],
      notified: ['SUBSCRIPTION_EDIT TXN_SUCCESS'],
    },
  },
  'what is in flight is left alone': {
    given: [...around, subscription({ edit }), inFlight(), following()],
    when: say('active'),
    comes: {
      reply: 'applied',
      changes: [edited, ['update collections S.20260801', { amountPaise: 150_00, maxPaise: 150_00 }]],
      events: ['subscription.edited ACTIVE>ACTIVE', 'collection.terms-changed SCHEDULED>SCHEDULED'],
      tasks: [gone],
      notified: ['SUBSCRIPTION_EDIT TXN_SUCCESS'],
    },
  },
  'an earlier last day shortens the days of a cycle, and wakes the subscription': {
    given: [...around, subscription({ edit: shorter }), cycle()],
    when: say('active', { edit: shorter }),
    comes: {
      reply: 'applied',
      changes: [
        ['update subscriptions S', { expiryDate: '2026-07-02', wakesAt: dayEnds('2026-07-02'), edit: null }],
        ['update collections S.20260701', { windowTo: '2026-07-02' }],
      ],
      events: ['subscription.edited ACTIVE>ACTIVE', 'collection.terms-changed SCHEDULED>SCHEDULED'],
      tasks: [gone],
      notified: ['SUBSCRIPTION_EDIT TXN_SUCCESS'],
    },
  },
  'a yes to terms that others have followed leaves the others waiting': {
    given: [...around, subscription({ edit: { ...edit, editId: 'F' } })],
    when: say('active', { mandateReference: 'UMN2' }),
    comes: {
      reply: 'applied',
      changes: [
        [
          'update subscriptions S',
          { renewalAmountPaise: 150_00, maxAmountPaise: 150_00, mandate: { reference: 'UMN2', instrument: { vpa: 'payer@upi' } } },
        ],
      ],
      events: ['subscription.edited ACTIVE>ACTIVE'],
      tasks: [gone],
      notified: ['SUBSCRIPTION_EDIT TXN_SUCCESS'],
    },
  },
  'a no leaves the old terms': {
    given: [...around, subscription({ edit }), cycle()],
    when: say('refused'),
    comes: {
      reply: 'applied',
      changes: [['update subscriptions S', { edit: null }]],
      events: ['subscription.edit-declined ACTIVE>ACTIVE'],
      tasks: [gone],
      notified: ['SUBSCRIPTION_EDIT TXN_FAILURE'],
    },
  },
  'a no to terms that others have followed is no news': {
    given: [...around, subscription({ edit: { ...edit, editId: 'F' } })],
    when: say('revoked'),
    comes: { reply: 'applied', tasks: [gone] },
  },
  'a bank that does not know is asked when the time of the terms is over': {
    given: [...around, subscription({ edit })],
    when: say('pending'),
    comes: { reply: 'applied', tasks: ['mandate-amend.due M:S:E +30m'] },
  },
  'and each day after that': {
    given: [...around, subscription({ edit })],
    when: say('unknown', { now: NOW + DAY }),
    comes: { reply: 'applied', tasks: ['mandate-amend.due M:S:E +24h'] },
  },
  'for thirty days': {
    given: [...around, subscription({ edit })],
    when: say('absent', { now: edit.validUntil + 30 * DAY }),
    comes: { reply: 'applied', tasks: [gone] },
  },
  'where the subscription has ended nothing is kept but the mandate’s name, and it is withdrawn by it': {
    given: [...around, subscription({ status: 'REJECT', subStatus: 'USER_CANCELLED', wakesAt: null }), cycle()],
    when: say('active', { mandateReference: 'UMN2' }),
    comes: {
      reply: 'gone',
      changes: [['update subscriptions S', { mandate: { reference: 'UMN2', instrument: { vpa: 'payer@upi' } } }]],
      tasks: [gone, 'mandate-revoke.due M:S +0'],
    },
  },
  'where the subscription has ended a later last day is withdrawn at the bank': {
    given: [...around, subscription({ status: 'REJECT', subStatus: 'USER_CANCELLED', wakesAt: null })],
    when: say('active', { edit: shorter }),
    comes: { reply: 'gone', tasks: [gone, 'mandate-revoke.due M:S +0'] },
  },
  'and what the bank refused is not': {
    given: [...around, subscription({ status: 'REJECT', subStatus: 'USER_CANCELLED', wakesAt: null })],
    when: say('refused', { edit: shorter }),
    comes: { reply: 'gone', tasks: [gone] },
  },
  'what is not there is gone': { given: around, when: say('active'), comes: 'gone' },
  'on their page a payer says yes by the code, which is used up': {
    given: [...around, subscription({ ...wallet, edit }), page],
    when: say('active', byCode()),
    comes: {
      reply: 'applied',
      changes: [['update mandatePages P', { usedAt: NOW }], edited],
      events: ['subscription.edited ACTIVE>ACTIVE'],
      tasks: [gone],
      notified: ['SUBSCRIPTION_EDIT TXN_SUCCESS'],
    },
  },
  'a no takes no code': {
    given: [...around, subscription({ ...wallet, edit })],
    when: say('refused', { onPage: {} }),
    comes: {
      reply: 'applied',
      changes: [['update subscriptions S', { edit: null }]],
      events: ['subscription.edit-declined ACTIVE>ACTIVE'],
      tasks: [gone],
      notified: ['SUBSCRIPTION_EDIT TXN_FAILURE'],
    },
  },
  'a wrong code spends a try and changes nothing else': {
    given: [...around, subscription({ ...wallet, edit }), page],
    when: say('active', byCode('wrong')),
    comes: { reply: 'wrong', changes: [['update mandatePages P', { tries: 1 }]] },
  },
  'a code for something else is over': {
    given: [...around, subscription({ ...wallet, edit }), mandatePage({ codeFor: 'debit:N' })],
    when: say('active', byCode()),
    comes: 'over',
  },
  'a code is used once': {
    given: [...around, subscription({ ...wallet, edit }), mandatePage({ codeFor: 'edit:E', usedAt: NOW - 1 })],
    when: say('active', byCode()),
    comes: 'used',
  },
  'tries have an end': {
    given: [...around, subscription({ ...wallet, edit }), mandatePage({ codeFor: 'edit:E', tries: 3 })],
    when: say('active', byCode()),
    comes: 'exceeded',
  },
  'a page of another mandate approves nothing': {
    given: [...around, subscription({ ...wallet, edit }), mandatePage({ codeFor: 'edit:E', subscriptionId: 'X' })],
    when: say('active', byCode()),
    comes: 'gone',
  },
  'a bank’s mandate is not edited on a page': {
    given: [...around, subscription({ edit }), page],
    when: say('active', byCode()),
    comes: 'gone',
  },
  'what a page asks no more is gone there': {
    given: [...around, subscription({ ...wallet, edit: { ...edit, validUntil: NOW } }), page],
    when: say('active', byCode()),
    comes: 'gone',
  },
})

const recheck = (editId: string) => ({ mid: MID, subscriptionId: SUBSCRIPTION, editId, now: NOW })

decides(recheckEdit, {
  'the bank is asked now of what waits': {
    given: [subscription({ edit })],
    when: recheck('E'),
    comes: { reply: 'applied', tasks: ['mandate-amend.due M:S:E +0'] },
  },
  'and of what others have followed while its task is there': {
    given: [subscription({ edit: { ...edit, editId: 'F' } }), task({ task: 'mandate-amend.due', subject: 'M:S:E', payload: { edit } })],
    when: recheck('E'),
    comes: { reply: 'applied', tasks: ['mandate-amend.due M:S:E +0'] },
  },
  'terms that were never requested are gone': { given: [subscription()], when: recheck('E'), comes: 'gone' },
  'so are those of a subscription that is not there': {
    given: [task({ task: 'mandate-amend.due', subject: 'M:S:E', payload: { edit } })],
    when: recheck('E'),
    comes: 'gone',
  },
})
