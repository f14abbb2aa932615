// Decisions about the beginning and the end of an order.

import { closeOrder } from '../../../src/domain/order/close-order.ts'
import { type CreateOrder, createOrder } from '../../../src/domain/order/create-order.ts'
import { expireOrder } from '../../../src/domain/order/expire-order.ts'
import { keepSearchTerms } from '../../../src/domain/order/keep-search-terms.ts'
import { purgeSignature } from '../../../src/domain/order/purge-signature.ts'
import { decides } from '../../support/decided/decides.ts'
import {
  at,
  attempt,
  attemptOrder,
  customer,
  customerLink,
  DAY,
  family,
  firstOrder,
  inFlight,
  MID,
  merchant,
  NOW,
  order,
  PAYER,
  SIGNED,
  setting,
  ssoToken,
  subscription,
  UNSIGNED,
  usedSignature,
} from '../../support/decided/rows.ts'

const create = (more: object = {}, with_: object = {}) => ({
  request: {
    ...{ requestType: 'PAYMENT', mid: MID, orderId: 'O', websiteName: 'DEFAULT', txnAmount: { value: '100.00', currency: 'INR' } },
    ...{ userInfo: { custId: 'C' }, ...more },
  } as CreateOrder['request'],
  ...{
    caller: SIGNED,
    ssoTokenHash: undefined,
    searchTerms: 'terms',
    now: NOW,
    fresh: { txnToken: 'token', txnTokenHash: 'hash' },
    ...with_,
  },
})
const byToken = { ssoTokenHash: 'sso' }
const made = [
  'insert orders O',
  { status: 'CREATED', amountPaise: 100_00, custId: 'C', searchTerms: 'terms', txnTokenHash: 'hash', expiresAt: NOW + DAY, payer: null },
] as const
const MADE = ['order.created >CREATED']
const absent = { caller: { signature: 'absent' } }
const emi = merchant({ debitCardEmi: true, paymentModes: ['EMI', 'DEBIT_CARD'] })

decides(createOrder, {
  'an order is made': { given: [merchant()], when: create(), comes: { reply: 'success', changes: [made], events: MADE } },
  'a token says who pays, and ties the customer to them': {
    given: [merchant(), ssoToken(), family()],
    when: create({}, byToken),
    comes: {
      reply: 'success',
      changes: [
        ['insert orders O', { payer: { ...PAYER, familyId: 'F' } }],
        ['insert customerLinks C', { userId: 'U' }],
      ],
      events: MADE,
    },
  },
  'a customer who is tied stays': {
    given: [merchant(), ssoToken(), family(), customerLink({ userId: 'X' })],
    when: create({}, byToken),
    comes: { reply: 'success', changes: [['insert orders O', { payer: { ...PAYER, familyId: 'F' } }]], events: MADE },
  },
  'a token of no sign-in signs no payer in': {
    given: [merchant(), ssoToken()],
    when: create({}, byToken),
    comes: { reply: 'success', changes: [made], events: MADE },
  },
  'a token that is over signs no payer in': {
    given: [merchant(), ssoToken({ expiresAt: NOW }), family()],
    when: create({}, byToken),
    comes: { reply: 'success', changes: [made], events: MADE },
  },
  'one of a number whose change of owner was reported since signs no payer in': {
    given: [merchant(), ssoToken(), family(), customer({ pendingVerificationSince: NOW - DAY })],
    when: create({}, byToken),
    comes: { reply: 'success', changes: [made], events: MADE },
  },
  'one of a sign-in after the report does': {
    given: [merchant(), ssoToken(), family(), customerLink({ userId: 'X' }), customer({ pendingVerificationSince: NOW - DAY - 1 })],
    when: create({}, byToken),
    comes: { reply: 'success', changes: [['insert orders O', { payer: { ...PAYER, familyId: 'F' } }]], events: MADE },
  },
  'one that the merchant has not signed for neither': {
    given: [merchant({ checksumEnabled: false }), ssoToken(), family()],
    when: create({}, { ...byToken, ...absent }),
    comes: { reply: 'success', changes: [made], events: MADE },
  },
  'without a merchant there is none': { given: [], when: create(), comes: 'invalidMid mid unknownMid' },
  'a disabled merchant makes none': {
    given: [merchant({ status: 'DISABLED', version: 1 })],
    when: create(),
    comes: 'invalidMid mid disabledMid',
  },
  'a wrong signature makes none': { given: [merchant()], when: create({}, { caller: UNSIGNED }), comes: 'invalidChecksum head.signature' },
  'nor does none, where one is wanted': { given: [merchant()], when: create({}, absent), comes: 'missingParam head.signature signature' },
  'a website is one of the merchant’s': {
    given: [merchant()],
    when: create({ websiteName: 'NOPE' }),
    comes: 'invalidField Invalid websiteName websiteName unknownWebsite',
  },
  'debit card EMI needs a number': { given: [emi], when: create(), comes: 'missingElement userInfo.mobile debitCardEmi' },
  'an order is made once': { given: [merchant(), order()], when: create(), comes: 'duplicateOrderId orderId' },
})

const close = (orderId = 'O', caller: { signature: 'valid' | 'invalid' } = SIGNED) => ({
  ...{ request: { requestType: 'CLOSE' as const, mid: MID, orderId }, caller, now: NOW },
})
const closedOrder = (more: object = {}) => ['update orders O', { status: 'CLOSED', ...more }] as const
const initiated = subscription({ status: 'INIT', subStatus: 'INIT', version: 1, mandate: null, paymentMode: null, wakesAt: null })
const timedOut = ['update subscriptions S', { status: 'REJECT', subStatus: 'TIMED_OUT' }] as const
const renewal = [merchant(), firstOrder(), subscription(), attemptOrder()]

decides(closeOrder, {
  'an order closes as the version that a person saw': {
    given: [merchant(), order({ version: 2 })],
    when: { ...close(), version: 2 },
    comes: { reply: 'success', changes: [closedOrder()], events: ['order.closed CREATED>CLOSED'] },
  },
  'one that has changed since they saw it does not': {
    given: [merchant(), order({ version: 3 })],
    when: { ...close(), version: 2 },
    comes: 'changed',
  },
  'one that was paid meanwhile says so': {
    given: [merchant(), order({ status: 'PAID', version: 3 })],
    when: { ...close(), version: 2 },
    comes: 'orderPaid',
  },
  'an unpaid order closes': {
    given: [merchant(), order()],
    when: close(),
    comes: { reply: 'success', changes: [closedOrder()], events: ['order.closed CREATED>CLOSED'] },
  },
  'one that is being paid lets go of its payment, whose success is given back': {
    given: [merchant(), order({ status: 'IN_PROCESS', txnId: 'T' })],
    when: close(),
    comes: { reply: 'success', changes: [closedOrder({ txnId: null })], events: ['order.closed IN_PROCESS>CLOSED'] },
  },
  'a subscription that waits for it is over': {
    given: [merchant(), order({ subscriptionId: 'S', requestType: 'NATIVE_SUBSCRIPTION' }), initiated],
    when: close(),
    comes: {
      reply: 'success',
      changes: [closedOrder(), timedOut],
      events: ['order.closed CREATED>CLOSED', 'subscription.rejected INIT>REJECT'],
    },
  },
  'an attempt at a cycle that waits for its hour is withdrawn': {
    given: [...renewal, attempt({ sentAt: null }), inFlight({ sentAt: null })],
    when: close('A1'),
    comes: {
      reply: 'success',
      changes: [
        ['update transactions T1', { status: 'FAILURE', result: 'cancelled' }],
        ['update orders A1', { status: 'CLOSED', txnId: null }],
        ['update collections S.20260701', { status: 'NOTIFIED', orderId: null, txnId: null, nextAt: at('2026-06-16 06:00') }],
      ],
      events: ['transaction.failed INITIATED>FAILURE', 'order.closed IN_PROCESS>CLOSED', 'collection.attempt-failed IN_FLIGHT>NOTIFIED'],
      tasks: ['transaction.due M:T1 +22h30m'],
      notified: ['SUBSCRIPTION_DEBIT TXN_FAILURE'],
    },
  },
  'one that was sent is the acquirer’s to end': {
    given: [...renewal, attempt(), inFlight()],
    when: close('A1'),
    comes: 'transactionInProcess',
  },
  'without a merchant none closes': { given: [order()], when: close(), comes: 'invalidMid mid unknownMid' },
  'only the merchant closes it': { given: [merchant(), order()], when: close('O', UNSIGNED), comes: 'invalidChecksum' },
  'what is not there does not close': { given: [merchant()], when: close(), comes: 'invalidOrderId orderId unknownOrder' },
  'what is paid stays paid': { given: [merchant(), order({ status: 'PAID', txnId: 'T' })], when: close(), comes: 'orderPaid' },
  'what is closed is closed': { given: [merchant(), order({ status: 'CLOSED' })], when: close(), comes: 'orderClosed' },
})

const expire = { mid: MID, orderId: 'O', now: NOW }

decides(expireOrder, {
  'a day after it was made an order closes': {
    given: [order({ expiresAt: NOW })],
    when: expire,
    comes: { reply: 'expired', changes: [closedOrder()], events: ['order.closed CREATED>CLOSED'] },
  },
  'a subscription that waits for it is over, and withdrawn where a bank has named it': {
    given: [
      order({ expiresAt: NOW, subscriptionId: 'S' }),
      subscription({ ...initiated.row, mandate: { instrument: {}, reference: 'UMN' } }),
    ],
    when: expire,
    comes: {
      reply: 'expired',
      changes: [closedOrder(), timedOut],
      events: ['order.closed CREATED>CLOSED', 'subscription.rejected INIT>REJECT'],
      tasks: ['mandate-revoke.due M:S +0'],
    },
  },
  'not before': { given: [order({ expiresAt: NOW + 1 })], when: expire, comes: 'skipped' },
  'nor while it is being paid': { given: [order({ expiresAt: NOW, status: 'IN_PROCESS', txnId: 'T' })], when: expire, comes: 'skipped' },
  'nor where it is not there': { given: [], when: expire, comes: 'skipped' },
})

const purge = { mid: MID, signatureHash: 'sig', now: NOW }

decides(purgeSignature, {
  'a signature is forgotten after a day': {
    given: [usedSignature({ usedAt: NOW - DAY })],
    when: purge,
    comes: { reply: 'forgotten', changes: [['delete usedSignatures sig']] },
  },
  'not before': { given: [usedSignature({ usedAt: NOW - DAY + 1 })], when: purge, comes: 'kept' },
  'nor one that is not there': { given: [], when: purge, comes: 'kept' },
})

const found = (orderId: string, at: number) => ({ mid: MID, orderId, at, terms: [7, 8] })
const keeps = (from: string | undefined, more: object = {}) => ({
  ...{ inOrder: [], firstNumber: 0, outOfOrder: [], place: { from, to: 'B' } },
  ...more,
})
const moved = ['update settings searchTerms', { value: 'B' }] as const
const begun = [setting({ name: 'searchTerms', value: 'A' })]

decides(keepSearchTerms, {
  'the first order gets number 0, and a place': {
    given: [],
    when: keeps(undefined, { inOrder: [found('O', 5)] }),
    comes: {
      reply: 'kept',
      changes: [
        ['insert settings searchTerms', { value: 'B' }],
        ['insert searchOrders 0', { at: 5, mid: MID, orderId: 'O' }],
        ['ensure merchantOrders O', { at: 5 }],
        ['insert searchTerms 0', { segment: 0, term: 7 }],
        ['insert searchTerms 0', { segment: 0, term: 8 }],
      ],
    },
  },
  'numbers go on, and a segment has 4,096': {
    given: begun,
    when: keeps('A', { inOrder: [found('O', 5), found('P', 5)], firstNumber: 8_191 }),
    comes: {
      reply: 'kept',
      changes: [
        moved,
        ['insert searchOrders 8191', { orderId: 'O' }],
        ['ensure merchantOrders O', {}],
        ['insert searchTerms 8191', { segment: 1, term: 7 }],
        ['insert searchTerms 8191', { segment: 1, term: 8 }],
        ['insert searchOrders 8192', { orderId: 'P' }],
        ['ensure merchantOrders P', {}],
        ['insert searchTerms 8192', { segment: 2, term: 7 }],
        ['insert searchTerms 8192', { segment: 2, term: 8 }],
      ],
    },
  },
  'an order out of its time gets no number': {
    given: begun,
    when: keeps('A', { outOfOrder: [found('O', 5)], firstNumber: 9 }),
    comes: {
      reply: 'kept',
      changes: [
        moved,
        ['ensure merchantOrders O', { at: 5 }],
        ['ensure lateTerms O', { term: 7, at: 5 }],
        ['ensure lateTerms O', { term: 8, at: 5 }],
      ],
    },
  },
  'a sweep that another has overtaken reads again': {
    given: [setting({ name: 'searchTerms', value: 'C' })],
    when: keeps('A', { inOrder: [found('O', 5)] }),
    comes: 'behind',
  },
  'and so does one whose place is gone': { given: [], when: keeps('A'), comes: 'behind' },
})
