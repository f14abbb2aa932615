// Decisions about the payment page of an order: who may open it, for how long, and how it is left (docs/pages.md).

import { changePage } from '../../../src/domain/payment-page/change-page.ts'
import { leavePage } from '../../../src/domain/payment-page/leave-page.ts'
import { type OpenPage, openPage } from '../../../src/domain/payment-page/open-page.ts'
import { removeCard } from '../../../src/domain/payment-page/remove-card.ts'
import { decides } from '../../support/decided/decides.ts'
import { customer, DAY, family, MID, NOW, order, PAYER, page, savedCard, subscription } from '../../support/decided/rows.ts'

const MINUTE = 60_000
const open = (by: OpenPage['by'] = { txnTokenHash: 'hash' }): OpenPage => ({
  ...{ mid: MID, orderId: 'O', by, kind: 'framed', embeddingOrigin: 'https://shop.example', agentHash: 'agent' },
  ...{ view: { language: 'hi' }, now: NOW, fresh: { pageHash: 'NEW' } },
})
const opened = (more: object = {}) => ({
  reply: 'opened',
  changes: [
    [
      'insert pages NEW',
      {
        ...{ mid: MID, orderId: 'O', kind: 'framed', openedAt: NOW, until: NOW + 15 * MINUTE, extensions: 0 },
        ...{ embeddingOrigin: 'https://shop.example', agentHash: 'agent', view: { language: 'hi' }, ...more },
      },
    ],
  ] as const,
})
const byForm = order({ details: { userInfo: {}, formHash: 'form' } as ReturnType<typeof order>['row']['details'] })

decides(openPage, {
  'the order’s token opens a page for fifteen minutes': { given: [order()], when: open(), comes: opened() },
  'no page is open longer than its order': {
    given: [order({ expiresAt: NOW + MINUTE })],
    when: open(),
    comes: opened({ until: NOW + MINUTE }),
  },
  'a closed order has a page too': { given: [order({ status: 'CLOSED' })], when: open(), comes: opened() },
  'the token of another order opens no page': { given: [order()], when: open({ txnTokenHash: 'other' }), comes: 'unknown' },
  'a token opens no page after fifteen minutes': {
    given: [order({ txnTokenIssuedAt: NOW - 15 * MINUTE })],
    when: open(),
    comes: 'expired',
  },
  'a token opens a page in the last of its milliseconds': {
    given: [order({ txnTokenIssuedAt: NOW - 15 * MINUTE + 1 })],
    when: open(),
    comes: opened(),
  },
  'the form that made an order opens its page for as long as the order lives': {
    given: [order({ ...byForm.row, txnTokenIssuedAt: NOW - DAY })],
    when: open({ formHash: 'form' }),
    comes: opened({ view: { language: 'hi', byForm: true } }),
  },
  'another form opens no page': { given: [byForm], when: open({ formHash: 'other' }), comes: 'unknown' },
  'a form opens no page of an order that has expired': {
    given: [order({ ...byForm.row, expiresAt: NOW })],
    when: open({ formHash: 'form' }),
    comes: 'expired',
  },
  'the order of a debit has no page': { given: [order({ requestType: 'RENEWAL' })], when: open(), comes: 'unknown' },
  'an order that is not there has no page': { given: [], when: open(), comes: 'unknown' },
})

const change = (what: Parameters<(typeof changePage)['decide']>[0]['change']) => ({ pageHash: 'P', change: what, now: NOW })
const more = change({ extends: true })

decides(changePage, {
  'a payer who asks for more time has it': {
    given: [page(), order()],
    when: more,
    comes: { reply: 'changed', changes: [['update pages P', { until: NOW + 15 * MINUTE, extensions: 1 }]] },
  },
  'a payer may ask for more time ten times': {
    given: [page({ extensions: 9 }), order()],
    when: more,
    comes: { reply: 'changed', changes: [['update pages P', { until: NOW + 15 * MINUTE, extensions: 10 }]] },
  },
  'a payer has no more time after ten times': { given: [page({ extensions: 10 }), order()], when: more, comes: 'over' },
  'more time ends with the order': {
    given: [page(), order({ expiresAt: NOW + 5 * MINUTE + 1 })],
    when: more,
    comes: { reply: 'changed', changes: [['update pages P', { until: NOW + 5 * MINUTE + 1, extensions: 1 }]] },
  },
  'a page that is open as long as its order has no more time': {
    given: [page(), order({ expiresAt: NOW + 5 * MINUTE })],
    when: more,
    comes: 'over',
  },
  'a page that has expired has no more time': { given: [page({ until: NOW }), order()], when: more, comes: 'over' },
  'a page that a wrong clock opened has no more time': {
    given: [page({ until: NOW + 16 * MINUTE + 1 }), order()],
    when: more,
    comes: 'over',
  },
  'a language is kept beside the number of a code': {
    given: [page({ view: { mobile: PAYER.mobile } }), order()],
    when: change({ language: 'hi' }),
    comes: { reply: 'changed', changes: [['update pages P', { view: { mobile: PAYER.mobile, language: 'hi' } }]] },
  },
  'the number of a code is kept even when its page has expired': {
    given: [page({ until: NOW }), order()],
    when: change({ mobile: PAYER.mobile }),
    comes: { reply: 'changed', changes: [['update pages P', { view: { mobile: PAYER.mobile } }]] },
  },
  'a page that is not there is not changed': { given: [order()], when: change({ language: 'hi' }), comes: 'over' },
  'a page without its order is not changed': { given: [page()], when: change({ language: 'hi' }), comes: 'over' },
})

const leave = { pageHash: 'P', now: NOW }
const closed = ['update orders O', { status: 'CLOSED' }] as const
const CLOSED = 'order.closed CREATED>CLOSED'
const first = order({ requestType: 'NATIVE_SUBSCRIPTION', subscriptionId: 'S' })
const initiated = (more: Parameters<typeof subscription>[0] = {}) =>
  subscription({ status: 'INIT', subStatus: 'INIT', version: 1, mandate: null, paymentMode: null, wakesAt: null, ...more })
const timedOut = ['update subscriptions S', { status: 'REJECT', subStatus: 'TIMED_OUT' }] as const
const REJECTED = 'subscription.rejected INIT>REJECT'

decides(leavePage, {
  'a payer who leaves closes the order': {
    given: [page(), order()],
    when: leave,
    comes: { reply: 'left', changes: [closed], events: [CLOSED] },
  },
  'a payer who leaves ends the subscription that waited for the order': {
    given: [page(), first, initiated({ wakesAt: NOW + DAY })],
    when: leave,
    comes: { reply: 'left', changes: [closed, ['update subscriptions S', { ...timedOut[1], wakesAt: null }]], events: [CLOSED, REJECTED] },
  },
  'a mandate that a refunded payment has left is withdrawn': {
    given: [page(), first, initiated({ mandate: { reference: 'UMN', instrument: { vpa: 'payer@upi' } } })],
    when: leave,
    comes: { reply: 'left', changes: [closed, timedOut], events: [CLOSED, REJECTED], tasks: ['mandate-revoke.due M:S +0'] },
  },
  'a payer who leaves does not change a subscription that its bank has to authorize': {
    given: [page(), first, initiated({ status: 'IN_AUTHORIZATION', subStatus: 'SUBMITTED' })],
    when: leave,
    comes: { reply: 'left', changes: [closed], events: [CLOSED] },
  },
  'a payer who leaves does not change a subscription that has ended': {
    given: [page(), first, initiated({ status: 'REJECT', subStatus: 'MERCHANT_CANCELLED' })],
    when: leave,
    comes: { reply: 'left', changes: [closed], events: [CLOSED] },
  },
  'an order that is being paid is not left': { given: [page(), order({ status: 'IN_PROCESS', txnId: 'T' })], when: leave, comes: 'stays' },
  'a paid order is not left': { given: [page(), order({ status: 'PAID', txnId: 'T' })], when: leave, comes: 'stays' },
  'an expired page leaves no order': { given: [page({ until: NOW }), order()], when: leave, comes: 'over' },
  'a page that is not there leaves no order': { given: [order()], when: leave, comes: 'over' },
  'a page without its order is not left': { given: [page()], when: leave, comes: 'over' },
})

const remove = { pageHash: 'P', savedCardId: 'CARD', now: NOW }
const removed = { reply: 'removed', changes: [['delete savedCards CARD']] as const }
const signedIn = { ...PAYER, familyId: 'F' }
const around = [page(), customer(), savedCard()]
const kept = [...around, order({ payer: signedIn }), family()]

decides(removeCard, {
  'the payer who kept a card has it removed': { given: kept, when: remove, comes: removed },
  'a payer who signed in for this order alone has their card removed': {
    given: [...around, order({ payer: PAYER })],
    when: remove,
    comes: removed,
  },
  'no card is removed without a sign-in': { given: [...around, order()], when: remove, comes: 'unknown' },
  'the card of another payer is not removed': {
    given: [page(), customer(), order({ payer: signedIn }), family(), savedCard({ card: { ...savedCard().row.card, userId: 'X' } })],
    when: remove,
    comes: 'unknown',
  },
  'a card that is not there is not removed': { given: kept, when: { ...remove, savedCardId: 'X' }, comes: 'unknown' },
  'a sign-in that was revoked removes no card': {
    given: [...around, order({ payer: signedIn }), family({ status: 'REVOKED' })],
    when: remove,
    comes: 'unknown',
  },
  'a sign-in removes no card while its number may have another owner': {
    given: [page(), savedCard(), order({ payer: signedIn }), family(), customer({ pendingVerificationSince: NOW - 1 })],
    when: remove,
    comes: 'unknown',
  },
  'while the order is being paid no card is removed': {
    given: [...around, order({ payer: signedIn, status: 'IN_PROCESS', txnId: 'T' }), family()],
    when: remove,
    comes: 'over',
  },
  'no card is removed from an expired page': {
    given: [page({ until: NOW }), customer(), savedCard(), order({ payer: signedIn }), family()],
    when: remove,
    comes: 'over',
  },
  'no card is removed from a page that is not there': { given: kept.slice(1), when: remove, comes: 'over' },
})
