// Decisions of Initiate Subscription: its rows, and the order of its refusals (docs/interface.md section 7).

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type InitiateSubscription, initiateSubscription } from '../../../src/domain/subscription/initiate-subscription.ts'
import { offeredModes, openModes, type Terms } from '../../../src/domain/subscription/offered-modes.ts'
import { decides } from '../../support/decided/decides.ts'
import {
  customer,
  customerLink,
  DAY,
  family,
  MID,
  merchant,
  NOW,
  order,
  PAYER,
  SIGNED,
  ssoToken,
  UNSIGNED,
} from '../../support/decided/rows.ts'
import { subscription as requested } from '../../support/mandates/subscription.ts'

describe('payment modes of subscriptions', () => {
  const MODES = ['BALANCE', 'UPI', 'CREDIT_CARD', 'BANK_MANDATE', 'NET_BANKING']
  const terms: Terms = { txnAmountPaise: 1_000, renewalAmountPaise: 900, maxAmountPaise: 900, graceDays: 4, mandateType: undefined }
  test('are the enabled less the disabled, narrowed, within those of the merchant and of subscriptions', () => {
    assert.deepEqual(openModes(MODES, {}), ['BALANCE', 'UPI', 'CREDIT_CARD', 'BANK_MANDATE'])
    assert.deepEqual(openModes(MODES, { disablePaymentMode: [{ mode: 'UPI' }] }), ['BALANCE', 'CREDIT_CARD', 'BANK_MANDATE'])
    assert.deepEqual(openModes(MODES, { subscriptionPaymentMode: 'PPI' }), ['BALANCE'])
    assert.deepEqual(openModes(MODES, { subscriptionPaymentMode: 'DC' }), [])
    assert.deepEqual(openModes(MODES, { subscriptionPaymentMode: 'CC', enablePaymentMode: [{ mode: 'UPI' }] }), [])
    assert.deepEqual(openModes(MODES, { disablePaymentMode: [{ mode: 'UPI', channels: ['UPIPUSH'] }] }), [
      'BALANCE',
      'UPI',
      'CREDIT_CARD',
      'BANK_MANDATE',
    ])
  })
  test('that their rail binds are not offered', () => {
    assert.deepEqual(offeredModes(['BALANCE', 'UPI', 'CREDIT_CARD', 'BANK_MANDATE'], terms, '2026-06-15'), ['BALANCE'])
  })
})

const initiate = (more: object = {}, token?: string, caller: InitiateSubscription['caller'] = SIGNED) => ({
  request: requested('O', {
    mid: MID,
    txnAmount: { value: '100.00', currency: 'INR' },
    ...more,
  }) as unknown as InitiateSubscription['request'],
  ...{ caller, ssoTokenHash: token, searchTerms: '', collected: ['UPI', 'CREDIT_CARD', 'BANK_MANDATE'], now: NOW },
  fresh: { subscriptionId: 'S', txnToken: 'token', txnTokenHash: 'hash' },
})
const byMode = (mode: string) => ({ enablePaymentMode: [{ mode }] })
const amount = (value: string) => ({ txnAmount: { value, currency: 'INR' } })
const made = [
  [
    'insert subscriptions S',
    {
      status: 'INIT',
      subStatus: 'INIT',
      orderId: 'O',
      amountType: 'VARIABLE',
      txnAmountPaise: 100_00,
      maxAmountPaise: 100_00,
      renewalAmountPaise: null,
      ...{ frequencyUnit: 'MONTH', frequency: 1, startDate: '2026-06-15', expiryDate: '2027-06-15', graceDays: 2 },
      ...{ enableRetry: true, retryCount: 0, autoRenewal: false, autoRetry: false, communicationManager: false, appInvokeDevice: '3P' },
      ...{ mandateType: null, paymentModes: ['BALANCE', 'UPI', 'CREDIT_CARD'], details: {}, createdAt: NOW },
      ...{ paymentMode: null, consentedAt: null, mandate: null, edit: null, wakesAt: null },
    },
  ],
  [
    'insert orders O',
    {
      ...{ status: 'CREATED', requestType: 'NATIVE_SUBSCRIPTION', subscriptionId: 'S', amountPaise: 100_00, custId: 'C1' },
      ...{ websiteName: 'DEFAULT', callbackUrl: null, peonUrl: null, txnTokenHash: 'hash', txnTokenIssuedAt: NOW, expiresAt: NOW + DAY },
      ...{ modifyCount: 0, unsignedModifyCount: 0, transactionCount: 0, leftCount: 0, txnId: null, consentOrderId: null },
      details: { userInfo: { custId: 'C1' } },
    },
  ],
] as const
const MADE = ['subscription.created >INIT', 'order.created >CREATED']

decides(initiateSubscription, {
  'a subscription is made with the order of its first payment': {
    given: [merchant()],
    when: initiate(),
    comes: { reply: 'success', changes: made, events: MADE },
  },
  'a token says who pays, and ties the customer to them': {
    given: [merchant(), ssoToken(), family(), customer()],
    when: initiate(byMode('BALANCE'), 'sso'),
    comes: {
      reply: 'success',
      changes: [
        ['insert subscriptions S', { paymentModes: ['BALANCE'] }],
        ['insert orders O', { payer: { ...PAYER, familyId: 'F' } }],
        ['insert customerLinks C1', { userId: 'U' }],
      ],
      events: MADE,
    },
  },
  'a subscription on demand has no grace days': {
    given: [merchant()],
    when: initiate({ subscriptionFrequencyUnit: 'ONDEMAND' }),
    comes: {
      reply: 'success',
      changes: [['insert subscriptions S', { frequencyUnit: 'ONDEMAND', graceDays: 0 }], ['insert orders O']],
      events: MADE,
    },
  },
  'a bank mandate has no grace days': {
    given: [merchant()],
    when: initiate({ ...byMode('BANK_MANDATE'), ...amount('0.00'), mandateType: 'E_MANDATE' }),
    comes: {
      reply: 'success',
      changes: [['insert subscriptions S', { paymentModes: ['BANK_MANDATE'], graceDays: 0 }], ['insert orders O']],
      events: MADE,
    },
  },
  'a customer who is tied stays': {
    given: [merchant(), ssoToken(), family(), customer(), customerLink({ custId: 'C1', userId: 'X' })],
    when: initiate({}, 'sso'),
    comes: { reply: 'success', changes: made, events: MADE },
  },
  'a merchant that is not there makes no subscription': { given: [], when: initiate(), comes: 'invalidChecksum unknownMid' },
  'a disabled merchant makes no subscription': {
    given: [merchant({ status: 'DISABLED', version: 1 })],
    when: initiate(),
    comes: 'invalidChecksum disabledMid',
  },
  'only the merchant makes a subscription': {
    given: [merchant()],
    when: initiate({}, undefined, UNSIGNED),
    comes: 'invalidChecksum',
  },
  'a token of a number whose change of owner was reported since signs no payer in': {
    given: [merchant(), ssoToken(), family(), customer({ pendingVerificationSince: NOW - 1 })],
    when: initiate({}, 'sso'),
    comes: 'invalidSsoToken userInfo.svcSsoToken',
  },
  'a token that is over signs no payer in': {
    given: [merchant(), ssoToken({ expiresAt: NOW }), family()],
    when: initiate({}, 'sso'),
    comes: 'invalidSsoToken userInfo.svcSsoToken',
  },
  'a website is one of the merchant’s': {
    given: [merchant()],
    when: initiate({ websiteName: 'NOPE' }),
    comes: 'missingElement Invalid websiteName websiteName unknownWebsite',
  },
  'without a mode that is collected there is none': {
    given: [merchant({ paymentModes: ['NET_BANKING'] })],
    when: initiate(),
    comes: 'paymentModeNotEnabled',
  },
  'a wallet that holds too little pays no first payment': {
    given: [merchant(), ssoToken(), family(), customer({ walletBalancePaise: 99_99 })],
    when: initiate(byMode('BALANCE'), 'sso'),
    comes: 'addAndPayNotAllowed',
  },
  'an order is there once': { given: [merchant(), order()], when: initiate(), comes: 'duplicateOrderId' },
})

/** Each row also has every fault of the rows below it. */
const wrong = {
  websiteName: 'NOPE',
  subscriptionMaxAmount: '2000000.00',
  subscriptionGraceDays: '4',
  ...amount('1000000.00'),
  ...byMode('CREDIT_CARD'),
}
const inShop = { ...wrong, websiteName: 'DEFAULT' }
const ofBank = { ...inShop, ...byMode('BANK_MANDATE') }
const fixed = { ...ofBank, subscriptionAmountType: 'FIX', renewalAmount: '200000', mandateType: 'E_MANDATE' }
const byWallet = { ...ofBank, ...byMode('BALANCE'), mandateType: 'E_MANDATE' }
const small = { ...byWallet, subscriptionMaxAmount: '100000', ...amount('0.01') }
const taken = [merchant(), order()]
const empty = [...taken, ssoToken(), family(), customer({ walletBalancePaise: 0 })]

decides(initiateSubscription, {
  'a merchant that is not there is refused before a wrong signature': {
    given: [order()],
    when: initiate(wrong, 'sso', UNSIGNED),
    comes: 'invalidChecksum unknownMid',
  },
  'a wrong signature is refused before a wrong token': { given: taken, when: initiate(wrong, 'sso', UNSIGNED), comes: 'invalidChecksum' },
  'a token that is not there is refused before a wrong website': {
    given: taken,
    when: initiate(wrong, 'sso'),
    comes: 'invalidSsoToken userInfo.svcSsoToken',
  },
  'a revoked token is refused as one that is not there': {
    given: [...taken, ssoToken({ revokedAt: 0 }), family()],
    when: initiate(wrong, 'sso'),
    comes: 'invalidSsoToken userInfo.svcSsoToken',
  },
  'a wrong website is refused before what a rail forbids': {
    given: empty,
    when: initiate(wrong, 'sso'),
    comes: 'missingElement Invalid websiteName websiteName unknownWebsite',
  },
  'too many grace days of a card are refused before its other bounds': {
    given: empty,
    when: initiate(inShop, 'sso'),
    comes: 'missingElement Invalid subscriptionGraceDays subscriptionGraceDays graceOfCards',
  },
  'a bank mandate without its type is refused before its amounts': {
    given: empty,
    when: initiate(ofBank, 'sso'),
    comes: 'missingElement mandateType needed',
  },
  'a first payment above the renewal amount is refused before a first payment by a bank mandate': {
    given: empty,
    when: initiate(fixed, 'sso'),
    comes: 'invalidTxnAmount txnAmount.value firstOverRenewal',
  },
  'a mode that no mandate has is refused before an amount': {
    given: empty,
    when: initiate({ ...inShop, ...byMode('PPBL') }, 'sso'),
    comes: 'paymentModeNotEnabled',
  },
  'a first payment by a bank mandate is refused before the maximum amount': {
    given: empty,
    when: initiate({ ...ofBank, mandateType: 'E_MANDATE' }, 'sso'),
    comes: 'bankMandateAmountNotZero txnAmount.value',
  },
  'the maximum amount of a wallet is refused before its balance': {
    given: empty,
    when: initiate(byWallet, 'sso'),
    comes: 'maxAmountOverLimit subscriptionMaxAmount',
  },
  'an empty wallet is refused before an order that is there': { given: empty, when: initiate(small, 'sso'), comes: 'addAndPayNotAllowed' },
  'an order that is there is refused last': {
    given: [...taken, ssoToken(), family(), customer({ walletBalancePaise: 1 })],
    when: initiate(small, 'sso'),
    comes: 'duplicateOrderId',
  },
})
