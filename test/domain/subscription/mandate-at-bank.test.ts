// A bank's reports about a mandate, a subscription's own steps at their instants, and a bank's answers to Mohur's calls.

import { advanceSubscription } from '../../../src/domain/subscription/advance-subscription.ts'
import { applyMandateStatus } from '../../../src/domain/subscription/mandate/apply-mandate-status.ts'
import { applyPauseResult } from '../../../src/domain/subscription/mandate/apply-pause-result.ts'
import { applyRevokeResult } from '../../../src/domain/subscription/mandate/apply-revoke-result.ts'
import { retryBankCall } from '../../../src/domain/subscription/mandate/retry-bank-call.ts'
import { dayEnds } from '../../../src/engine/clock.ts'
import { decides } from '../../support/decided/decides.ts'
import {
  at,
  attempt,
  attemptOrder,
  cycle,
  DAY,
  firstOrder,
  inFlight,
  MID,
  merchant,
  NOW,
  reference,
  SUBSCRIPTION,
  subscription,
  task,
} from '../../support/decided/rows.ts'

const around = [merchant(), firstOrder()]
const mandate = { reference: 'UMN', instrument: { vpa: 'payer@upi' } }
const LAST = dayEnds('2027-05-31')
type More = Parameters<typeof subscription>[0]
/** A mandate on an account that its bank has received, and neither decided nor named. */
const submitted = (more: More = {}) =>
  subscription({
    ...{ status: 'IN_AUTHORIZATION', subStatus: 'SUBMITTED', paymentMode: 'BANK_MANDATE', mandate: { instrument: { bank: 'HDFC' } } },
    ...{ txnAmountPaise: 0, consentedAt: null, graceDays: 0, wakesAt: NOW, updatedAt: NOW - DAY, startDate: '2026-07-01', ...more },
  })
const authorized = (more: More = {}) =>
  submitted({ status: 'AUTHORIZED', subStatus: 'AUTHORIZED', mandate: { ...mandate }, consentedAt: NOW - DAY, ...more })
const paused = (who: 'MERCHANT' | 'USER', more: More = {}) =>
  subscription({ status: 'SUSPENDED', subStatus: `${who}_PAUSED`, version: 4, ...more })

const wake = { mid: MID, subscriptionId: SUBSCRIPTION, reference, now: NOW }
const [begins, expires] = ['subscription.activated AUTHORIZED>ACTIVE', 'SUBSCRIPTION_EXPIRE TXN_SUCCESS']

decides(advanceSubscription, {
  'before its time it sleeps': { given: [...around, subscription()], when: wake, comes: 'nothing' },
  'what is not there, or wakes no more, does nothing': {
    given: [...around, subscription({ wakesAt: null })],
    when: wake,
    comes: 'nothing',
  },
  'without its merchant it does nothing': { given: [subscription({ wakesAt: NOW })], when: wake, comes: 'nothing' },
  'a mandate whose first day comes sleeps until then': {
    given: [...around, authorized()],
    when: wake,
    comes: { reply: 'moved', changes: [['update subscriptions S', { wakesAt: at('2026-07-01 00:00') }]] },
  },
  'on its first day it is active, and its first cycle is there': {
    given: [...around, authorized()],
    when: { ...wake, now: at('2026-07-01 00:00') },
    comes: {
      reply: 'moved',
      changes: [
        ['update subscriptions S', { status: 'ACTIVE', subStatus: 'ACTIVE', wakesAt: LAST }],
        ['insert collections S.20260701', { number: 0, status: 'SCHEDULED', rail: 'ENACH', nextAt: at('2026-07-01 06:00') }],
      ],
      events: [begins, 'collection.scheduled >SCHEDULED'],
      notified: ['SUBSCRIPTION_INIT TXN_SUCCESS'],
    },
  },
  'a mandate that never began expires': {
    given: [...around, authorized({ expiryDate: '2026-06-14' })],
    when: wake,
    comes: {
      reply: 'moved',
      changes: [['update subscriptions S', { status: 'EXPIRED', subStatus: 'EXPIRED', wakesAt: null }]],
      events: ['subscription.expired AUTHORIZED>EXPIRED'],
      notified: [expires],
    },
  },
  'after its last day it expires, and terms that wait go with it': {
    given: [...around, subscription({ wakesAt: NOW, expiryDate: '2026-06-14', edit: { editId: 'E', validUntil: NOW } })],
    when: wake,
    comes: {
      reply: 'moved',
      changes: [['update subscriptions S', { status: 'EXPIRED', subStatus: 'EXPIRED', wakesAt: null, edit: null }]],
      events: ['subscription.expired ACTIVE>EXPIRED'],
      notified: [expires],
    },
  },
  'a paused one expires too': {
    given: [...around, paused('MERCHANT', { wakesAt: NOW, expiryDate: '2026-06-14' })],
    when: wake,
    comes: {
      reply: 'moved',
      changes: [['update subscriptions S', { status: 'EXPIRED', subStatus: 'EXPIRED', wakesAt: null }]],
      events: ['subscription.expired SUSPENDED>EXPIRED'],
      notified: [expires],
    },
  },
  'one that was woken before its last day sleeps until then': {
    given: [...around, subscription({ wakesAt: NOW })],
    when: wake,
    comes: { reply: 'moved', changes: [['update subscriptions S', { wakesAt: LAST }]] },
  },
  'a payer’s pause at the bank is asked after each day': {
    given: [...around, paused('USER', { wakesAt: NOW })],
    when: wake,
    comes: { reply: 'moved', changes: [['update subscriptions S', { wakesAt: NOW + DAY }]] },
  },
  'and on the last day at its end': {
    given: [...around, paused('USER', { wakesAt: NOW, expiryDate: '2026-06-15' })],
    when: wake,
    comes: { reply: 'moved', changes: [['update subscriptions S', { wakesAt: dayEnds('2026-06-15') }]] },
  },
  'a bank that has not decided is asked each day': {
    given: [...around, submitted()],
    when: wake,
    comes: { reply: 'moved', changes: [['update subscriptions S', { wakesAt: NOW + DAY }]] },
  },
  'and after thirty days no more: the mandate is over, and withdrawn where it has a name': {
    given: [...around, submitted({ mandate, updatedAt: NOW - 30 * DAY })],
    when: wake,
    comes: {
      reply: 'moved',
      changes: [['update subscriptions S', { status: 'REJECT', subStatus: 'TIMED_OUT', wakesAt: null }]],
      events: ['subscription.rejected IN_AUTHORIZATION>REJECT'],
      tasks: ['mandate-revoke.due M:S +0'],
      notified: ['SUBSCRIPTION_REFUSE TXN_SUCCESS'],
    },
  },
  'without a name it cannot be withdrawn, so that its bank is asked on': {
    given: [...around, submitted({ updatedAt: NOW - 30 * DAY })],
    when: wake,
    comes: {
      reply: 'moved',
      changes: [['update subscriptions S', { status: 'REJECT', subStatus: 'TIMED_OUT', wakesAt: NOW + DAY }]],
      events: ['subscription.rejected IN_AUTHORIZATION>REJECT'],
      notified: ['SUBSCRIPTION_REFUSE TXN_SUCCESS'],
    },
  },
  'an ended one without a name is asked after on': {
    given: [...around, submitted({ status: 'REJECT', subStatus: 'MERCHANT_CANCELLED' })],
    when: wake,
    comes: { reply: 'moved', changes: [['update subscriptions S', { wakesAt: NOW + DAY }]] },
  },
  'an ended one with a name wakes no more': {
    given: [...around, submitted({ status: 'REJECT', subStatus: 'MERCHANT_CANCELLED', mandate })],
    when: wake,
    comes: { reply: 'moved', changes: [['update subscriptions S', { wakesAt: null }]] },
  },
})

const say = (outcome: Parameters<typeof applyMandateStatus.decide>[0]['outcome'], more: object = {}) => ({
  ...{ mid: MID, subscriptionId: SUBSCRIPTION, outcome, reference, now: NOW, ...more },
})
const named = { mandateReference: 'UMN' }
const withName = { mandate: { instrument: { bank: 'HDFC' }, reference: 'UMN' } }
const refused = { status: 'AUTHORIZATION_FAILED', subStatus: 'BANK_REFUSED', wakesAt: null }
const kept = { status: 'SUSPENDED', subStatus: 'USER_PAUSED' }
const again = { status: 'ACTIVE', subStatus: 'ACTIVE' }

decides(applyMandateStatus, {
  'what is not there is gone': { given: around, when: say('active'), comes: 'gone' },
  'without its merchant it is gone': { given: [subscription()], when: say('revoked'), comes: 'gone' },
  'a bank that has not decided, or does not know, changes nothing': {
    given: [...around, submitted()],
    when: say('pending'),
    comes: 'applied',
  },
  'a yes before the first day is kept until then': {
    given: [...around, submitted()],
    when: say('active', named),
    comes: {
      reply: 'applied',
      changes: [
        [
          'update subscriptions S',
          { status: 'AUTHORIZED', subStatus: 'AUTHORIZED', ...withName, consentedAt: NOW, wakesAt: at('2026-07-01 00:00') },
        ],
      ],
      events: ['subscription.authorized IN_AUTHORIZATION>AUTHORIZED'],
    },
  },
  'a yes behind the first day begins at once, with a cycle for the day that was due': {
    given: [...around, submitted({ startDate: '2026-06-01' })],
    when: say('active', named),
    comes: {
      reply: 'applied',
      changes: [
        ['update subscriptions S', { ...again, ...withName, consentedAt: NOW, wakesAt: LAST }],
        ['insert collections S.20260601', { number: 0, status: 'SCHEDULED', windowFrom: '2026-06-15', windowTo: '2026-06-15' }],
      ],
      events: [
        'subscription.authorized IN_AUTHORIZATION>AUTHORIZED',
        'subscription.activated AUTHORIZED>ACTIVE',
        'collection.scheduled >SCHEDULED',
      ],
      notified: ['SUBSCRIPTION_INIT TXN_SUCCESS'],
    },
  },
  'a yes behind the last day is withdrawn': {
    given: [...around, submitted({ startDate: '2026-06-01', expiryDate: '2026-06-14' })],
    when: say('active', named),
    comes: {
      reply: 'applied',
      changes: [['update subscriptions S', { status: 'REJECT', subStatus: 'TIMED_OUT', ...withName, wakesAt: null }]],
      events: ['subscription.rejected IN_AUTHORIZATION>REJECT'],
      tasks: ['mandate-revoke.due M:S +0'],
      notified: ['SUBSCRIPTION_REFUSE TXN_SUCCESS'],
    },
  },
  'a no is the bank’s refusal': {
    given: [...around, submitted()],
    when: say('refused'),
    comes: {
      reply: 'applied',
      changes: [['update subscriptions S', refused]],
      events: ['subscription.refused IN_AUTHORIZATION>AUTHORIZATION_FAILED'],
      notified: ['SUBSCRIPTION_REFUSE TXN_SUCCESS'],
    },
  },
  'a mandate that ended before it began was refused': {
    given: [...around, submitted()],
    when: say('revoked'),
    comes: {
      reply: 'applied',
      changes: [['update subscriptions S', refused]],
      events: ['subscription.refused IN_AUTHORIZATION>AUTHORIZATION_FAILED'],
      notified: ['SUBSCRIPTION_REFUSE TXN_SUCCESS'],
    },
  },
  'a no to an active mandate is no word of it': { given: [...around, subscription()], when: say('refused'), comes: 'applied' },
  'a yes to one that has ended is withdrawn by the name it has now': {
    given: [...around, submitted({ status: 'REJECT', subStatus: 'MERCHANT_CANCELLED' })],
    when: say('active', named),
    comes: {
      reply: 'applied',
      changes: [['update subscriptions S', { ...withName, wakesAt: null }]],
      tasks: ['mandate-revoke.due M:S +0'],
    },
  },
  'one that ended by its own terms is not withdrawn twice': {
    given: [...around, subscription({ status: 'EXPIRED', subStatus: 'EXPIRED', wakesAt: null })],
    when: say('active'),
    comes: 'applied',
  },
  'an end without a name is over with the bank’s no': {
    given: [...around, submitted({ status: 'REJECT', subStatus: 'TIMED_OUT' })],
    when: say('refused'),
    comes: { reply: 'applied', changes: [['update subscriptions S', { wakesAt: null }]] },
  },
  'that the bank has never heard of it is believed after a day': {
    given: [...around, submitted({ status: 'REJECT', subStatus: 'TIMED_OUT', updatedAt: NOW - DAY })],
    when: say('absent'),
    comes: { reply: 'applied', changes: [['update subscriptions S', { wakesAt: null }]] },
  },
  'and not before': {
    given: [...around, submitted({ status: 'REJECT', subStatus: 'TIMED_OUT', updatedAt: NOW - DAY + 1 })],
    when: say('absent'),
    comes: 'applied',
  },
  'what a payer has withdrawn ends with all that was not sent': {
    given: [...around, subscription(), cycle()],
    when: say('revoked'),
    comes: {
      reply: 'applied',
      changes: [
        ['update subscriptions S', { status: 'REJECT', subStatus: 'USER_CANCELLED', wakesAt: null }],
        ['update collections S.20260701', { status: 'MISSED', nextAt: null }],
      ],
      events: ['subscription.revoked ACTIVE>REJECT', 'collection.missed SCHEDULED>MISSED'],
      notified: ['SUBSCRIPTION_CANCEL TXN_SUCCESS'],
    },
  },
  'so does one before its first day': {
    given: [...around, authorized()],
    when: say('revoked'),
    comes: {
      reply: 'applied',
      changes: [['update subscriptions S', { status: 'REJECT', subStatus: 'USER_CANCELLED', wakesAt: null }]],
      events: ['subscription.revoked AUTHORIZED>REJECT'],
      notified: ['SUBSCRIPTION_CANCEL TXN_SUCCESS'],
    },
  },
  'a paused one ends too': {
    given: [...around, paused('MERCHANT')],
    when: say('revoked'),
    comes: {
      reply: 'applied',
      changes: [['update subscriptions S', { status: 'REJECT', subStatus: 'USER_CANCELLED', wakesAt: null }]],
      events: ['subscription.revoked SUSPENDED>REJECT'],
      notified: ['SUBSCRIPTION_CANCEL TXN_SUCCESS'],
    },
  },
  'where a debit has said it first, the cycle that is open still ends': {
    given: [...around, subscription({ status: 'REJECT', subStatus: 'USER_CANCELLED', wakesAt: null }), cycle()],
    when: say('revoked'),
    comes: {
      reply: 'applied',
      changes: [['update collections S.20260701', { status: 'MISSED', nextAt: null }]],
      events: ['collection.missed SCHEDULED>MISSED'],
    },
  },
  'what the merchant cancelled the payer does not withdraw': {
    given: [...around, subscription({ status: 'REJECT', subStatus: 'MERCHANT_CANCELLED', wakesAt: null }), cycle()],
    when: say('revoked'),
    comes: 'applied',
  },
  'an attempt that waits for its hour goes with a withdrawn mandate': {
    given: [...around, subscription(), inFlight({ sentAt: null }), attemptOrder(), attempt({ sentAt: null })],
    when: say('revoked'),
    comes: {
      reply: 'applied',
      changes: [
        ['update subscriptions S', { status: 'REJECT', subStatus: 'USER_CANCELLED', wakesAt: null }],
        ['update transactions T1', { status: 'FAILURE', result: 'cancelled' }],
        ['update orders A1', { status: 'CLOSED', txnId: null }],
        ['update collections S.20260701', { status: 'MISSED', orderId: null, txnId: null, nextAt: null }],
      ],
      events: [
        'subscription.revoked ACTIVE>REJECT',
        'transaction.failed INITIATED>FAILURE',
        'order.closed IN_PROCESS>CLOSED',
        'collection.missed IN_FLIGHT>MISSED',
      ],
      tasks: ['transaction.due M:T1 +22h30m'],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE', 'SUBSCRIPTION_CANCEL TXN_SUCCESS'],
    },
  },
  'a payer’s pause is taken over, and asked after each day': {
    given: [...around, subscription(), cycle()],
    when: say('paused'),
    comes: {
      reply: 'applied',
      changes: [['update subscriptions S', { ...kept, wakesAt: NOW + DAY }]],
      events: ['subscription.paused ACTIVE>SUSPENDED'],
      notified: ['SUBSCRIPTION_PAUSE TXN_SUCCESS'],
    },
  },
  'a pause that the bank keeps for us is no payer’s': {
    given: [...around, paused('MERCHANT', { mandate: { ...mandate, isPauseAtBank: true } })],
    when: say('paused'),
    comes: 'applied',
  },
  'unless the bank says that it is': {
    given: [...around, paused('MERCHANT', { mandate: { ...mandate, isPauseAtBank: true } })],
    when: say('paused', { pausedBy: 'payer' }),
    comes: {
      reply: 'applied',
      changes: [['update subscriptions S', { subStatus: 'USER_PAUSED', wakesAt: NOW + DAY }]],
      events: ['subscription.paused SUSPENDED>SUSPENDED'],
      notified: ['SUBSCRIPTION_PAUSE TXN_SUCCESS'],
    },
  },
  'a merchant’s pause that came late is lifted again': {
    given: [...around, subscription()],
    when: say('paused', { pausedBy: 'merchant' }),
    comes: {
      reply: 'applied',
      changes: [['update subscriptions S', { mandate: { ...mandate, isPauseAtBank: true } }]],
      tasks: ['mandate-pause.due M:S +0'],
    },
  },
  'a merchant’s pause where the payer’s stood lifts the payer’s': {
    given: [...around, paused('USER', { mandate: { ...mandate, isPauseAtBank: true } })],
    when: say('paused', { pausedBy: 'merchant' }),
    comes: {
      reply: 'applied',
      changes: [['update subscriptions S', again]],
      events: ['subscription.resumed SUSPENDED>ACTIVE'],
      tasks: ['mandate-pause.due M:S +0'],
      notified: ['SUBSCRIPTION_RESUME TXN_SUCCESS'],
    },
  },
  'a pause of our page is none of the bank’s': {
    given: [...around, paused('USER', { mandate: { ...mandate, isPausedHere: true, isPauseAtBank: true } })],
    when: say('paused', { pausedBy: 'merchant' }),
    comes: 'applied',
  },
  'what a payer has resumed at the bank goes on': {
    given: [...around, paused('USER')],
    when: say('active'),
    comes: {
      reply: 'applied',
      changes: [['update subscriptions S', again]],
      events: ['subscription.resumed SUSPENDED>ACTIVE'],
      notified: ['SUBSCRIPTION_RESUME TXN_SUCCESS'],
    },
  },
  'what they paused on our page no bank resumes': {
    given: [...around, paused('USER', { mandate: { ...mandate, isPausedHere: true } })],
    when: say('active'),
    comes: 'applied',
  },
  'a merchant’s pause no bank lifts': { given: [...around, paused('MERCHANT')], when: say('active'), comes: 'applied' },
  'after its last day nothing is paused': {
    given: [...around, subscription({ expiryDate: '2026-06-14' })],
    when: say('paused'),
    comes: 'applied',
  },
})

// ------------------------------------------------------------------------------------------------- answers to our own word

const answer = (outcome: Parameters<typeof applyPauseResult.decide>[0]['outcome'], more: object = {}) => ({
  ...{ mid: MID, subscriptionId: SUBSCRIPTION, call: 'pause' as const, version: 4, outcome, attempts: 1, now: NOW, ...more },
})
const byUs = paused('MERCHANT', { mandate: { ...mandate, isPauseAtBank: true } })
const lifted = subscription({ mandate: { ...mandate, isPauseAtBank: true } })
const callEnds = 'cancel mandate-pause.due M:S'

decides(applyPauseResult, {
  'a pause that the bank has taken is done, and held': {
    given: [byUs],
    when: answer('paused'),
    comes: { reply: 'done', tasks: [callEnds] },
  },
  'a bank that does not answer is called again after a minute': {
    given: [byUs],
    when: answer('unknown'),
    comes: { reply: 'again', tasks: ['mandate-pause.due M:S +1m'] },
  },
  'then after two, four, and at most an hour': {
    given: [byUs],
    when: answer('pending', { attempts: 9 }),
    comes: { reply: 'again', tasks: ['mandate-pause.due M:S +1h'] },
  },
  'a bank that will not pause it holds nothing': {
    given: [byUs],
    when: answer('refused'),
    comes: { reply: 'done', changes: [['update subscriptions S', { mandate }]], tasks: [callEnds] },
  },
  'the end of a pause that the bank has taken frees the debits': {
    given: [lifted],
    when: answer('active', { call: 'resume' }),
    comes: { reply: 'done', changes: [['update subscriptions S', { mandate }]], tasks: [callEnds] },
  },
  'an end that the bank has not taken yet is said anew': {
    given: [lifted],
    when: answer('paused', { call: 'resume', pausedBy: 'merchant' }),
    comes: { reply: 'again', tasks: ['mandate-pause.due M:S +1m'] },
  },
  'where another word has come meanwhile, it is said at once': {
    given: [lifted],
    when: answer('paused'),
    comes: { reply: 'again', tasks: ['mandate-pause.due M:S +0'] },
  },
  'a payer’s pause at the bank stands over it': {
    given: [paused('USER')],
    when: answer('active'),
    comes: { reply: 'done', tasks: [callEnds] },
  },
  'a mandate that has ended is sent no more': {
    given: [subscription({ status: 'REJECT', subStatus: 'USER_CANCELLED' })],
    when: answer('unknown'),
    comes: { reply: 'done', tasks: [callEnds] },
  },
  'one that is not there is sent no more': { given: [], when: answer('unknown'), comes: { reply: 'done', tasks: [callEnds] } },
})

const revoke = (more: object = {}) => ({ mid: MID, subscriptionId: SUBSCRIPTION, isOver: false, attempts: 1, now: NOW, ...more })
const other = { other: { attempt: 2, reference: 'UMN2' } }

decides(applyRevokeResult, {
  'the end of a mandate that is over is sent no more': {
    given: [subscription()],
    when: revoke({ isOver: true }),
    comes: { reply: 'done', tasks: ['cancel mandate-revoke.due M:S'] },
  },
  'a bank that has not answered is called after five minutes': {
    given: [subscription()],
    when: revoke(),
    comes: { reply: 'again', tasks: ['mandate-revoke.due M:S +5m'] },
  },
  'then ever later, and at least each day': {
    given: [subscription()],
    when: revoke({ attempts: 30 }),
    comes: { reply: 'again', tasks: ['mandate-revoke.due M:S +24h'] },
  },
  'the mandate of another attempt has a task of its own': {
    given: [subscription()],
    when: revoke(other),
    comes: { reply: 'again', tasks: ['mandate-revoke.due M:S:2 +5m'] },
  },
  'which is over by itself': {
    given: [subscription()],
    when: revoke({ ...other, isOver: true }),
    comes: { reply: 'done', tasks: ['cancel mandate-revoke.due M:S:2'] },
  },
  'a mandate without a name is not withdrawn': {
    given: [subscription({ mandate: null })],
    when: revoke(),
    comes: { reply: 'done', tasks: ['cancel mandate-revoke.due M:S'] },
  },
  'nor is one that is not there': { given: [], when: revoke(), comes: { reply: 'done', tasks: ['cancel mandate-revoke.due M:S'] } },
})

const retry = (word: 'revoke' | 'pause', more: object = {}) => ({
  ...{ mid: MID, subscriptionId: SUBSCRIPTION, word, now: NOW, realNow: NOW, ...more },
})

decides(retryBankCall, {
  'a word that waits is said now': {
    given: [task({ task: 'mandate-pause.due', subject: 'M:S' })],
    when: retry('pause'),
    comes: { reply: 'telling', tasks: ['mandate-pause.due M:S +0'] },
  },
  'also of the mandate of another attempt': {
    given: [task({ task: 'mandate-revoke.due', subject: 'M:S:2' })],
    when: retry('revoke', { attempt: 2 }),
    comes: { reply: 'telling', tasks: ['mandate-revoke.due M:S:2 +0'] },
  },
  'one that is being said at this moment is left alone': {
    given: [task({ task: 'mandate-revoke.due', subject: 'M:S', leaseUntil: NOW + 1 })],
    when: retry('revoke'),
    comes: 'applied',
  },
  'where nothing waits nothing is said': { given: [], when: retry('revoke'), comes: 'applied' },
})
