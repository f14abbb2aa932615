// Decisions of Modify Order and of the checkout's sign-in: what a holder of the order's token may change.

import { type ModifyOrder, modifyOrder } from '../../../src/domain/order/modify-order.ts'
import { type SendCheckoutOtp, sendCheckoutOtp } from '../../../src/domain/order/send-checkout-otp.ts'
import { validateCheckoutOtp } from '../../../src/domain/order/validate-checkout-otp.ts'
import { modifyOrder as codes } from '../../../src/interface/result-codes.ts'
import { decides } from '../../support/decided/decides.ts'
import {
  checkoutOtp,
  customer,
  DAY,
  HOUR,
  LIMITS,
  MID,
  merchant,
  NOW,
  order,
  PAYER,
  page,
  SIGNED,
  sends,
  UNSIGNED,
  usedSignature,
} from '../../support/decided/rows.ts'

const MINUTE = 60_000
const byToken = { mid: MID, orderId: 'O', token: { text: 'token', hash: 'hash' }, now: NOW }
const ABSENT = { signature: 'absent' } as const
const amount = { txnAmount: { value: '120.00', currency: 'INR' as const } }
const modify = (request: object = amount, caller: ModifyOrder['caller'] = ABSENT, more: object = {}) => ({
  ...{ ...byToken, request: request as ModifyOrder['request'], caller, signatureHash: 'sig', ...more },
})
const changed = (more: object = {}) =>
  [
    'update orders O',
    { amountPaise: 120_00, modifyCount: 1, unsignedModifyCount: 1, details: { userInfo: {}, vouchedGoods: [] }, ...more },
  ] as const
const MODIFIED = ['order.modified CREATED>CREATED']
const open = [merchant(), order()]
const strict = (signedModify: 'amount' | 'always') => [merchant({ signedModify }), order()]
const signedChange = ['update orders O', { amountPaise: 120_00, modifyCount: 1, details: { userInfo: {}, vouchedGoods: [] } }] as const

decides(modifyOrder, {
  'a holder of the token changes the amount': {
    given: open,
    when: modify(),
    comes: { reply: 'success', changes: [changed()], events: MODIFIED },
  },
  'what the merchant has signed counts apart, and its signature is remembered': {
    given: open,
    when: modify(amount, SIGNED),
    comes: {
      reply: 'success',
      changes: [signedChange, ['insert usedSignatures sig', { orderId: 'O', usedAt: NOW }]],
      events: MODIFIED,
    },
  },
  'the same order may be changed by it again': {
    given: [...open, usedSignature()],
    when: modify(amount, SIGNED),
    comes: { reply: 'success', changes: [signedChange, ['update usedSignatures sig', { usedAt: NOW }]], events: MODIFIED },
  },
  'another a day after': {
    given: [...open, usedSignature({ orderId: 'X', usedAt: NOW - DAY })],
    when: modify(amount, SIGNED),
    comes: { reply: 'success', changes: [signedChange, ['update usedSignatures sig', { orderId: 'O', usedAt: NOW }]], events: MODIFIED },
  },
  'unsigned goods are for no offer, where signatures are wanted': {
    given: [merchant({ signedModify: 'amount' }), order({ details: { userInfo: {}, goodsInfo: ['old'] } })],
    when: modify({ goodsInfo: ['new'] }),
    comes: {
      reply: 'success',
      changes: [
        [
          'update orders O',
          { modifyCount: 1, unsignedModifyCount: 1, details: { userInfo: {}, goodsInfo: ['new'], vouchedGoods: ['old'] } },
        ],
      ],
      events: MODIFIED,
    },
  },
  'another token changes nothing': {
    given: [merchant(), order({ txnTokenHash: 'other' })],
    when: modify(),
    comes: 'invalidToken unknownToken',
  },
  'nor one without a merchant': { given: [order()], when: modify(), comes: 'invalidToken unknownToken' },
  'the merchant of the token is meant': {
    given: [merchant({ mid: 'X' }), order({ mid: 'X', txnTokenIssuedAt: 1_780_000_000_000 })],
    when: modify(amount, ABSENT, { token: { text: `${'0'.repeat(32)}1780000000000`, hash: 'hash' } }),
    comes: 'midMismatch',
  },
  'and its order': {
    given: [merchant(), order({ orderId: 'X', txnTokenIssuedAt: 1_780_000_000_000 })],
    when: modify(amount, ABSENT, { token: { text: `${'0'.repeat(32)}1780000000000`, hash: 'hash' } }),
    comes: 'orderIdMismatch',
  },
  'a body that was refused is': {
    given: open,
    when: modify(amount, ABSENT, { bodyRefusal: { result: codes.illegalParameter } }),
    comes: 'illegalParameter',
  },
  'the amount of a mandate’s first payment stays': {
    given: [merchant(), order({ requestType: 'NATIVE_SUBSCRIPTION' })],
    when: modify(),
    comes: 'invalidTxnAmount txnAmount.value ofMandate',
  },
  'a wrong signature changes nothing': {
    given: open,
    when: modify(amount, UNSIGNED),
    comes: 'invalidField Invalid signature head.signature signature',
  },
  'nor one that has changed another order': {
    given: [...open, usedSignature({ orderId: 'X' })],
    when: modify(amount, SIGNED),
    comes: 'invalidField Invalid signature head.signature usedSignature',
  },
  'where the amount is to be signed it is': { given: strict('amount'), when: modify(), comes: 'missingParam head.signature signature' },
  'where all is, all is': { given: strict('always'), when: modify({ extendInfo: {} }), comes: 'missingParam head.signature signature' },
  'what was signed for another merchant changes nothing': {
    given: open,
    when: modify({ ...amount, mid: 'X' }, SIGNED),
    comes: 'midMismatch mid',
  },
  'nor for another order': { given: open, when: modify({ ...amount, orderId: 'X' }, SIGNED), comes: 'orderIdMismatch orderId' },
  'nor for another operation': {
    given: open,
    when: modify({ ...amount, refId: 'R' }, SIGNED),
    comes: 'invalidField Invalid refId refId otherMember',
  },
  'what is paid is not changed': { given: [merchant(), order({ status: 'PAID', txnId: 'T' })], when: modify(), comes: 'orderPaid' },
  'nor what is closed': { given: [merchant(), order({ status: 'CLOSED' })], when: modify(), comes: 'orderClosed' },
  'nor what is being paid': {
    given: [merchant(), order({ status: 'IN_PROCESS', txnId: 'T' })],
    when: modify(),
    comes: 'transactionInProcess',
  },
  'a token lasts a quarter of an hour': {
    given: [merchant(), order({ txnTokenIssuedAt: NOW - HOUR / 4 })],
    when: modify(),
    comes: 'invalidToken tokenOver',
  },
  'five times are enough': {
    given: [merchant(), order({ modifyCount: 5 })],
    when: modify(),
    comes: 'transactionInProcess modification not allowed, limit of 5 reached modifiedEnough',
  },
  'twice without a signature, where signatures are wanted': {
    given: [merchant({ signedModify: 'amount' }), order({ modifyCount: 2, unsignedModifyCount: 2 })],
    when: modify({ extendInfo: {} }),
    comes: 'transactionInProcess modification not allowed, limit of 2 without a signature reached modifiedUnsigned',
  },
})

const send: SendCheckoutOtp = {
  ...byToken,
  request: { mobileNo: PAYER.mobile },
  limits: LIMITS,
  fresh: { otp: '654321', otpHash: 'new', messageId: 'MSG' },
}
const sent = { otpHash: 'new', tries: 0, expiresAt: NOW + 2 * MINUTE, consumedAt: null }
const message = ['otp-message.due MSG +0']

decides(sendCheckoutOtp, {
  'a password is sent, and counted for the order and the number': {
    given: open,
    when: send,
    comes: {
      reply: 'success',
      changes: [
        ['insert checkoutOtps O', { ...sent, mobile: PAYER.mobile, sentAt: [NOW] }],
        ['insert checkoutOtpSends 9999900001', { sentAt: [NOW] }],
      ],
      tasks: message,
    },
  },
  'another ends the one before': {
    given: [...open, checkoutOtp({ tries: 3, consumedAt: NOW - 1 }), sends('checkoutOtpSends', HOUR)],
    when: send,
    comes: {
      reply: 'success',
      changes: [
        ['update checkoutOtps O', { ...sent, sentAt: [NOW - MINUTE, NOW] }],
        ['update checkoutOtpSends 9999900001', { sentAt: [NOW - HOUR, NOW], lastAt: NOW }],
      ],
      tasks: message,
    },
  },
  'five for an order': {
    given: [...open, checkoutOtp({ sentAt: [1, 2, 3, 4, 5] })],
    when: send,
    comes: 'sendLimitReached',
  },
  'five within an hour for a number': { given: [...open, sends('checkoutOtpSends', 5, 4, 3, 2, 1)], when: send, comes: 'sendLimitReached' },
  'a number whose owner may have changed is sent none': {
    given: [...open, customer({ pendingVerificationSince: NOW - 1 })],
    when: send,
    comes: 'temporarilyBlocked',
  },
  'another token sends none': { given: [merchant(), order({ txnTokenHash: 'other' })], when: send, comes: 'invalidToken' },
  'nor one that is over': { given: [merchant(), order({ txnTokenIssuedAt: NOW - HOUR / 4 })], when: send, comes: 'invalidToken' },
  'a page lasts as long as it says': { given: open, when: { ...send, until: NOW }, comes: 'invalidToken' },
  'what is paid needs none': { given: [merchant(), order({ status: 'PAID', txnId: 'T' })], when: send, comes: 'orderPaid' },
  'nor what is closed': { given: [merchant(), order({ status: 'CLOSED' })], when: send, comes: 'orderClosed' },
  'nor what is being paid': { given: [merchant(), order({ status: 'IN_PROCESS', txnId: 'T' })], when: send, comes: 'transactionInProcess' },
})

const type = (otp = '123456', otpHash = 'right') => ({ ...byToken, request: { otp }, otpHash, term: 48, fresh: { userId: 'NEW' } })
const known = [...open, checkoutOtp(), customer()]
const spent = ['update checkoutOtps O', { consumedAt: NOW }] as const
const found = ['ensure lateTerms O', { term: 48 }] as const
const SIGNED_IN = ['order.payer-signed-in CREATED>CREATED']

decides(validateCheckoutOtp, {
  'the password says whose wallet may pay': {
    given: known,
    when: type(),
    comes: {
      reply: 'success',
      changes: [spent, ['update orders O', { payer: PAYER }], ['update customers 9999900001', { signedInAt: NOW }], found],
      events: SIGNED_IN,
    },
  },
  'the page where it was typed learns whose sign-in it may show': {
    given: [...known, page({ view: { byForm: true } })],
    when: { ...type(), pageHash: 'P' },
    comes: {
      reply: 'success',
      changes: [
        spent,
        ['update orders O', { payer: PAYER }],
        ['update customers 9999900001', { signedInAt: NOW }],
        ['update pages P', { view: { byForm: true, userId: PAYER.userId } }],
        found,
      ],
      events: SIGNED_IN,
    },
  },
  'at its first sign-in a number is a customer': {
    given: [...open, checkoutOtp()],
    when: type(),
    comes: {
      reply: 'success',
      changes: [
        spent,
        ['update orders O', { payer: { userId: 'NEW', mobile: PAYER.mobile } }],
        ['insert customers 9999900001', { userId: 'NEW', walletBalancePaise: 0 }],
        found,
      ],
      events: SIGNED_IN,
    },
  },
  'a wrong one spends a try': {
    given: known,
    when: type('123456', 'wrong'),
    comes: { reply: 'wrongOtp', changes: [['update checkoutOtps O', { tries: 1 }]] },
  },
  'what is no password spends none': { given: known, when: type('12345'), comes: 'wrongOtp otp pattern' },
  'three tries are enough': { given: [...open, checkoutOtp({ tries: 3 })], when: type(), comes: 'attemptsExceeded' },
  'it is used once': { given: [...open, checkoutOtp({ consumedAt: NOW - 1 })], when: type(), comes: 'alreadyUsed' },
  'within two minutes': { given: [...open, checkoutOtp({ expiresAt: NOW })], when: type(), comes: 'otpExpired' },
  'where none was sent none is right': { given: open, when: type(), comes: 'otpExpired' },
  'a number whose owner may have changed signs no payer in': {
    given: [...open, checkoutOtp(), customer({ pendingVerificationSince: NOW - 1 })],
    when: type(),
    comes: 'temporarilyBlocked',
  },
  'another token signs no payer in': {
    given: [merchant(), order({ txnTokenHash: 'other' }), checkoutOtp()],
    when: type(),
    comes: 'invalidToken',
  },
})
