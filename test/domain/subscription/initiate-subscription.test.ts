// The precedence of refusals in the decision itself: a request that is wrong in every way, mended one fault at a time.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type InitiateSubscription, initiateSubscription } from '../../../src/domain/subscription/initiate-subscription.ts'
import { offeredModes, openModes, type Terms } from '../../../src/domain/subscription/offered-modes.ts'
import type { Subscription } from '../../../src/domain/subscription/subscription.ts'
import { timeOut } from '../../../src/domain/subscription/time-out.ts'
import { initiateSubscription as codes } from '../../../src/interface/result-codes.ts'
import type { Row } from '../../../src/tables/tables.ts'
import { decides } from '../../support/decided/decides.ts'
import * as given from '../../support/decided/rows.ts'
import { subscription } from '../../support/mandates/subscription.ts'

const NOW = Date.parse('2026-06-15T10:00:00+05:30')
const merchant: Row<'merchants'> = {
  mid: 'M',
  name: 'M',
  mcc: '5999',
  checksumEnabled: true,
  signedModify: 'optional',
  debitCardEmi: false,
  registersNotificationUrl: false,
  flatRefund: false,
  upiCollect: 'rule',
  pageOrigins: null,
  pageLanguage: null,
  utilityCode: null,
  supportContact: null,
  version: 0,
  status: 'ACTIVE',
  callbackFields: 'all',
  feeHundredths: 0,
  websites: { DEFAULT: {} },
  notification: null,
  paymentModes: ['BALANCE', 'UPI', 'CREDIT_CARD', 'BANK_MANDATE', 'NET_BANKING'],
}
const ssoToken = {
  userId: 'U',
  mobile: '9999900001',
  scopes: ['wallet'] as readonly string[],
  expiresAt: NOW + 1,
  revokedAt: null,
} as Row<'ssoTokens'>
const order = { orderId: 'O' } as Row<'orders'>

interface Given {
  request: Record<string, unknown>
  signature: 'valid' | 'invalid'
  state: Record<string, unknown>
}
const decide = ({ request, signature, state }: Given) =>
  initiateSubscription.decide(
    {
      request: request as unknown as InitiateSubscription['request'],
      caller: { signature },
      ssoTokenHash: 'hash',
      collected: merchant.paymentModes,
      now: NOW,
      fresh: { subscriptionId: '1', txnToken: 't', txnTokenHash: 'h' },
    },
    state as never,
  )

test('a request that is wrong in every way is refused by each rule in its turn, and nothing is changed until the last is kept', () => {
  const only = (mode: string) => [{ mode }]
  const given: Given = {
    request: subscription('O', {
      mid: 'M',
      websiteName: 'NOPE',
      subscriptionMaxAmount: '2000000.00',
      txnAmount: { value: '1000000.00', currency: 'INR' },
      subscriptionGraceDays: '4',
      enablePaymentMode: only('CREDIT_CARD'),
    }),
    signature: 'invalid',
    state: { order },
  }
  const steps: [keyof typeof codes, string | undefined, () => void][] = [
    ['invalidChecksum', undefined, () => Object.assign(given.state, { merchant })],
    ['invalidChecksum', undefined, () => Object.assign(given, { signature: 'valid' })],
    ['invalidSsoToken', undefined, () => Object.assign(given.state, { ssoToken: { ...ssoToken, expiresAt: NOW } })],
    ['invalidSsoToken', undefined, () => Object.assign(given.state, { ssoToken: { ...ssoToken, revokedAt: 0 } })],
    ['invalidSsoToken', undefined, () => Object.assign(given.state, { ssoToken })],
    ['missingElement', 'Invalid websiteName', () => Object.assign(given.request, { websiteName: 'DEFAULT' })],
    ['missingElement', 'Invalid subscriptionGraceDays', () => Object.assign(given.request, { enablePaymentMode: only('BANK_MANDATE') })],
    [
      'missingElement',
      undefined,
      () => Object.assign(given.request, { subscriptionAmountType: 'FIX', renewalAmount: '200000', mandateType: 'E_MANDATE' }),
    ],
    ['invalidTxnAmount', undefined, () => Object.assign(given.request, { enablePaymentMode: only('PPBL') })],
    [
      'paymentModeNotEnabled',
      undefined,
      () =>
        Object.assign(given.request, {
          subscriptionAmountType: 'VARIABLE',
          renewalAmount: undefined,
          enablePaymentMode: only('BANK_MANDATE'),
        }),
    ],
    ['bankMandateAmountNotZero', undefined, () => Object.assign(given.request, { enablePaymentMode: only('BALANCE') })],
    [
      'maxAmountOverLimit',
      undefined,
      () => Object.assign(given.request, { subscriptionMaxAmount: '100000', txnAmount: { value: '0.01', currency: 'INR' } }),
    ],
    ['addAndPayNotAllowed', undefined, () => Object.assign(given.state, { wallet: { walletBalancePaise: 1 } })],
    ['duplicateOrderId', undefined, () => Object.assign(given.state, { order: undefined })],
  ]
  for (const [code, message, mend] of steps) {
    const decision = decide(given)
    assert.equal(decision.reply.result, codes[code])
    assert.equal(decision.reply.message, message)
    assert.deepEqual([decision.changes, decision.events, decision.tasks], [[], [], []])
    mend()
  }
  const decision = decide(given)
  assert.equal(decision.reply.result, codes.success)
  assert.deepEqual(
    decision.changes.map(({ kind, key }) => [kind, key.table]),
    [
      ['insert', 'subscriptions'],
      ['insert', 'orders'],
      ['insert', 'customerLinks'],
    ],
  )
  assert.deepEqual(
    decision.events.map(({ type }) => type),
    ['subscription.created', 'order.created'],
  )
  assert.deepEqual(decide(given), decision, 'twice the same')
})

describe('payment modes of subscriptions', () => {
  const terms: Terms = { txnAmountPaise: 1_000, renewalAmountPaise: 900, maxAmountPaise: 900, graceDays: 4, mandateType: undefined }
  test('are the enabled less the disabled, narrowed, within those of the merchant and of subscriptions', () => {
    assert.deepEqual(openModes(merchant.paymentModes, {}), ['BALANCE', 'UPI', 'CREDIT_CARD', 'BANK_MANDATE'])
    assert.deepEqual(openModes(merchant.paymentModes, { disablePaymentMode: [{ mode: 'UPI' }] }), [
      'BALANCE',
      'CREDIT_CARD',
      'BANK_MANDATE',
    ])
    assert.deepEqual(openModes(merchant.paymentModes, { subscriptionPaymentMode: 'PPI' }), ['BALANCE'])
    assert.deepEqual(openModes(merchant.paymentModes, { subscriptionPaymentMode: 'DC' }), [])
    assert.deepEqual(openModes(merchant.paymentModes, { subscriptionPaymentMode: 'CC', enablePaymentMode: [{ mode: 'UPI' }] }), [])
    assert.deepEqual(openModes(merchant.paymentModes, { disablePaymentMode: [{ mode: 'UPI', channels: ['UPIPUSH'] }] }), [
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

describe('a subscription whose order closes', () => {
  const row = { mid: 'M', subscriptionId: '1', version: 1, status: 'INIT', wakesAt: 5 } as Subscription
  test('before consent is rejected as timed out, with one event of the next version', () => {
    const { changes, events } = timeOut(row, NOW)
    const [change] = changes
    assert.ok(change?.kind === 'update')
    assert.deepEqual([change.row.status, change.row.subStatus, change.row.version, change.row.wakesAt], ['REJECT', 'TIMED_OUT', 2, null])
    assert.deepEqual(
      events.map(({ type, version, from, to }) => [type, version, from, to]),
      [['subscription.rejected', 2, 'INIT', 'REJECT']],
    )
  })
  test('has the mandate withdrawn that a payment left which was given back, and tells no bank where none has one', () => {
    const left = timeOut({ ...row, mandate: { instrument: {}, reference: 'R' } }, NOW).tasks
    assert.deepEqual(
      left.map((task) => [task.task, task.subject]),
      [['mandate-revoke.due', 'M:1']],
    )
    assert.deepEqual(timeOut(row, NOW).tasks, [])
  })
  test('in any other state stays as it is', () => {
    const active: Subscription = { ...row, status: 'ACTIVE' }
    assert.deepEqual(timeOut(active, NOW), { subscription: active, changes: [], events: [], tasks: [] })
  })
})

const initiate = (more: object = {}, token?: string) => ({
  request: subscription('O', {
    mid: given.MID,
    txnAmount: { value: '100.00', currency: 'INR' },
    ...more,
  }) as unknown as InitiateSubscription['request'],
  ...{ caller: given.SIGNED, ssoTokenHash: token, collected: ['UPI', 'CREDIT_CARD', 'BANK_MANDATE'], now: given.NOW },
  fresh: { subscriptionId: 'S', txnToken: 'token', txnTokenHash: 'hash' },
})
const onlyWallet = { enablePaymentMode: [{ mode: 'BALANCE' }] }
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
      wakesAt: null,
    },
  ],
  [
    'insert orders O',
    { status: 'CREATED', requestType: 'NATIVE_SUBSCRIPTION', subscriptionId: 'S', amountPaise: 100_00, txnTokenHash: 'hash' },
  ],
] as const
const MADE = ['subscription.created >INIT', 'order.created >CREATED']

decides(initiateSubscription, {
  'a subscription is made with the order of its first payment': {
    given: [given.merchant()],
    when: initiate(),
    comes: { reply: 'success', changes: made, events: MADE },
  },
  'a token says who pays, and ties the customer to them': {
    given: [given.merchant(), given.ssoToken(), given.customer()],
    when: initiate(onlyWallet, 'sso'),
    comes: {
      reply: 'success',
      changes: [
        ['insert subscriptions S', { paymentModes: ['BALANCE'] }],
        ['insert orders O', { payer: { ...given.PAYER, familyId: 'F' } }],
        ['insert customerLinks C1', { userId: 'U' }],
      ],
      events: MADE,
    },
  },
  'a customer who is tied stays': {
    given: [given.merchant(), given.ssoToken(), given.customer(), given.customerLink({ custId: 'C1', userId: 'X' })],
    when: initiate({}, 'sso'),
    comes: { reply: 'success', changes: made, events: MADE },
  },
  'without a merchant there is none': { given: [], when: initiate(), comes: 'invalidChecksum unknownMid' },
  'a disabled merchant makes none': {
    given: [given.merchant({ status: 'DISABLED', version: 1 })],
    when: initiate(),
    comes: 'invalidChecksum disabledMid',
  },
  'nobody but the merchant makes one': {
    given: [given.merchant()],
    when: { ...initiate(), caller: given.UNSIGNED },
    comes: 'invalidChecksum',
  },
  'a token that is over signs nobody in': {
    given: [given.merchant(), given.ssoToken({ expiresAt: given.NOW })],
    when: initiate({}, 'sso'),
    comes: 'invalidSsoToken userInfo.svcSsoToken',
  },
  'a website is one of the merchant’s': {
    given: [given.merchant()],
    when: initiate({ websiteName: 'NOPE' }),
    comes: 'missingElement Invalid websiteName websiteName unknownWebsite',
  },
  'without a mode that is collected there is none': {
    given: [given.merchant({ paymentModes: ['NET_BANKING'] })],
    when: initiate(),
    comes: 'paymentModeNotEnabled',
  },
  'a wallet that holds too little pays no first payment': {
    given: [given.merchant(), given.ssoToken(), given.customer({ walletBalancePaise: 99_99 })],
    when: initiate(onlyWallet, 'sso'),
    comes: 'addAndPayNotAllowed',
  },
  'an order is there once': { given: [given.merchant(), given.order()], when: initiate(), comes: 'duplicateOrderId' },
})
