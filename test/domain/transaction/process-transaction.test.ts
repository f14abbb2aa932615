// Decisions of Process Transaction: the rows of a payment's beginning, what a wallet pays at once, and requests that begin nothing.

import { readReference } from '../../../src/adapters/reference/read-reference.ts'
import { processTransaction } from '../../../src/domain/transaction/process-transaction.ts'
import type { Instrument } from '../../../src/tables/transaction.ts'
import { decides } from '../../support/decided/decides.ts'
import {
  counters,
  customer,
  family,
  HOUR,
  MID,
  merchant,
  NOW,
  order,
  PAYER,
  promotion,
  savedCard,
  subscription,
} from '../../support/decided/rows.ts'

const reference = readReference()
const LEASE = { fence: 7, until: NOW + 30_000 }
const pay = (
  paymentMode: string,
  more: object = {},
  with_: { instrument?: Instrument; promocode?: string; by?: object; now?: number; reference?: object } = {},
) =>
  ({
    request: { mid: MID, orderId: 'O', paymentMode, ...more },
    by: { txnTokenHash: 'hash' },
    instrument: paymentMode === 'UPI' ? { vpa: 'payer@upi' } : {},
    promocode: undefined,
    ...{ reference, now: NOW, fresh: { txnId: 'TX', lease: LEASE } },
    ...with_,
  }) as Parameters<typeof processTransaction.decide>[0]
const shown = (more: object = {}) => ({ by: { shown: { until: NOW + 60_000, attempt: 1, amountPaise: 100_00, walletPaise: 0, ...more } } })

const TAKES_FROM_1 = { reference: { ...reference, taken: [{ mode: 'UPI', paiseMin: 1_00 }] } }

const open = [merchant(), order()]
const signedIn = [merchant(), order({ payer: PAYER }), customer()]
const begun = { status: 'INITIATED', attempt: 1, amountPaise: 100_00, walletPaise: 0, bankPaise: 100_00, discountPaise: 0, flow: 'NONE' }
const inProcess = ['update orders O', { status: 'IN_PROCESS', transactionCount: 1, txnId: 'TX' }] as const
const BEGUN = ['transaction.initiated >INITIATED', 'order.payment-initiated CREATED>IN_PROCESS']
const asks = ['transaction.due M:TX +0']
const ended = (more: Parameters<typeof order>[0]) => [merchant(), order(more)]
const ofMandate = (more: Parameters<typeof subscription>[0] = {}, ofOrder: Parameters<typeof order>[0] = {}) => [
  ...[merchant(), order({ requestType: 'NATIVE_SUBSCRIPTION', subscriptionId: 'S', payer: PAYER, ...ofOrder }), customer()],
  subscription({
    ...{ status: 'INIT', subStatus: 'INIT', version: 1, paymentMode: null, mandate: null, consentedAt: null, wakesAt: null },
    ...{ paymentModes: ['UPI', 'BALANCE', 'BANK_MANDATE'], ...more },
  }),
]
const paidByWallet = (paise: number) => ['update customers 9999900001', { walletBalancePaise: 500_00 - paise }] as const

const HELD_FROM_WALLET = {
  reply: 'success',
  changes: [
    ['insert transactions TX', { ...begun, flow: 'HYBRID', walletPaise: 40_00, bankPaise: 60_00 }],
    inProcess,
    ['update customers 9999900001', { walletBalancePaise: 0 }],
  ],
  events: BEGUN,
  tasks: asks,
  ledger: ['hold customer_wallet 4000', 'hold wallet_hold -4000'],
} as const

decides(processTransaction, {
  'an attempt begins, and the bank is asked under its task': {
    given: open,
    when: pay('UPI'),
    comes: {
      reply: 'success',
      changes: [['insert transactions TX', { ...begun, paymentMode: 'UPI', channel: 'UPI', instrument: { vpa: 'payer@upi' } }], inProcess],
      events: BEGUN,
      tasks: asks,
    },
  },
  'a UPI id is no code: it begins after ten of them': {
    given: [merchant(), order({ transactionCount: 10, leftCount: 10 })],
    when: pay('UPI'),
    comes: {
      reply: 'success',
      changes: [
        ['insert transactions TX', { ...begun, attempt: 11 }],
        ['update orders O', { status: 'IN_PROCESS', transactionCount: 11, txnId: 'TX' }],
      ],
      events: BEGUN,
      tasks: asks,
    },
  },
  'a payment page begins one as a token does': {
    given: [merchant(), order({ txnTokenIssuedAt: NOW - HOUR })],
    when: pay('UPI', {}, shown()),
    comes: { reply: 'success', changes: [['insert transactions TX', begun], inProcess], events: BEGUN, tasks: asks },
  },
  'a second attempt is the second': {
    given: [merchant(), order({ transactionCount: 1, version: 3 })],
    when: pay('UPI'),
    comes: {
      reply: 'success',
      changes: [
        ['insert transactions TX', { ...begun, attempt: 2, orderVersion: 3 }],
        ['update orders O', { status: 'IN_PROCESS', transactionCount: 2, txnId: 'TX' }],
      ],
      events: BEGUN,
      tasks: asks,
    },
  },
  'a wallet pays at once': {
    given: signedIn,
    when: pay('BALANCE'),
    comes: {
      reply: 'success',
      changes: [
        ['insert transactions TX', { status: 'SUCCESS', walletPaise: 100_00, bankPaise: 0, capturedPaise: 100_00, payer: PAYER }],
        ['update orders O', { status: 'PAID', transactionCount: 1, txnId: 'TX' }],
        paidByWallet(100_00),
      ],
      events: [...BEGUN, 'transaction.succeeded INITIATED>SUCCESS', 'order.paid IN_PROCESS>PAID'],
      ledger: ['hold customer_wallet 10000', 'hold wallet_hold -10000', 'capture wallet_hold 10000', 'capture merchant_payable -10000'],
      notified: ['SALE TXN_SUCCESS'],
    },
  },
  'a wallet’s part is held until the bank’s is known': {
    given: [merchant(), order({ payer: PAYER }), customer({ walletBalancePaise: 40_00 })],
    when: pay('UPI', { paymentFlow: 'HYBRID' }),
    comes: HELD_FROM_WALLET,
  },
  'an empty wallet can be filled': {
    given: [merchant(), order({ payer: PAYER }), customer({ walletBalancePaise: 0 })],
    when: pay('UPI', { paymentFlow: 'ADDANDPAY' }),
    comes: {
      reply: 'success',
      changes: [['insert transactions TX', { ...begun, flow: 'ADDANDPAY' }], inProcess],
      events: BEGUN,
      tasks: asks,
    },
  },
  'an offer is reserved, and counted': {
    given: [...open, promotion(), ...counters(3)],
    when: pay('UPI', { promoCode: 'TEN' }, { promocode: 'TEN' }),
    comes: {
      reply: 'success',
      changes: [
        ['insert transactions TX', { ...begun, discountPaise: 10_00, bankPaise: 90_00, promocode: 'TEN' }],
        inProcess,
        ['insert redemptions TX', { status: 'RESERVED', amountPaise: 10_00, fundedBy: 'shop' }],
        ['update promotionCounters ', { uses: 4, amountPaise: 40_00 }],
        ['update promotionCounters C', { uses: 4, amountPaise: 40_00 }],
      ],
      events: [...BEGUN, 'redemption.reserved >RESERVED'],
      tasks: asks,
    },
  },
  'a saved card pays as the lists know it': {
    given: [merchant(), order({ payer: PAYER }), customer(), savedCard()],
    when: pay('CREDIT_CARD', { cardInfo: { savedCardId: 'CARD', form: 'whole', number: 'none', cvv: 'valid', expiry: 'none' } }),
    comes: {
      reply: 'success',
      changes: [['insert transactions TX', { ...begun, paymentMode: 'CREDIT_CARD', channel: 'VISA' }], inProcess],
      events: BEGUN,
      tasks: asks,
    },
  },
  'a wallet’s consent is a mandate at once': {
    given: ofMandate({ startDate: '2026-07-01' }),
    when: pay('BALANCE'),
    comes: {
      reply: 'success',
      changes: [
        ['insert transactions TX', { status: 'SUCCESS', walletPaise: 100_00 }],
        ['update orders O', { status: 'PAID', transactionCount: 1, txnId: 'TX' }],
        paidByWallet(100_00),
        [
          'update subscriptions S',
          {
            ...{ status: 'ACTIVE', subStatus: 'ACTIVE', paymentMode: 'BALANCE', consentedAt: NOW },
            ...{ mandate: { instrument: {}, payer: PAYER }, wakesAt: Date.parse('2027-06-01T00:00+05:30') },
          },
        ],
        ['insert collections S.20260701', { status: 'SCHEDULED', rail: 'WALLET' }],
      ],
      events: [
        ...[...BEGUN, 'transaction.succeeded INITIATED>SUCCESS', 'order.paid IN_PROCESS>PAID'],
        ...['subscription.activated INIT>ACTIVE', 'collection.scheduled >SCHEDULED'],
      ],
      ledger: ['hold customer_wallet 10000', 'hold wallet_hold -10000', 'capture wallet_hold 10000', 'capture merchant_payable -10000'],
      notified: ['SALE TXN_SUCCESS', 'SUBSCRIPTION_INIT TXN_SUCCESS'],
    },
  },
  'a mandate that costs nothing is asked of the bank all the same': {
    given: ofMandate({ txnAmountPaise: 0 }, { amountPaise: 0 }),
    when: pay('UPI'),
    comes: {
      reply: 'success',
      changes: [['insert transactions TX', { ...begun, amountPaise: 0, bankPaise: 0 }], inProcess],
      events: BEGUN,
      tasks: asks,
    },
  },

  'an order that is not there is not paid': { given: [merchant()], when: pay('UPI'), comes: 'invalidToken unknownOrder' },
  'a disabled merchant takes no payment': {
    given: [merchant({ status: 'DISABLED', version: 1 }), order()],
    when: pay('UPI'),
    comes: 'invalidToken disabledMid',
  },
  'another token pays nothing': { given: open, when: pay('UPI', {}, { by: { txnTokenHash: 'other' } }), comes: 'invalidToken otherToken' },
  'an order is paid once': { given: ended({ status: 'PAID', txnId: 'T' }), when: pay('UPI'), comes: 'orderPaid' },
  'a closed one is not paid': { given: ended({ status: 'CLOSED' }), when: pay('UPI'), comes: 'orderClosed' },
  'one whose attempts are used up says so': {
    given: ended({ status: 'CLOSED', transactionCount: 5 }),
    when: pay('UPI'),
    comes: 'attemptsExceeded',
  },
  'beside an attempt there is no other': {
    given: ended({ status: 'IN_PROCESS', txnId: 'T' }),
    when: pay('UPI'),
    comes: 'duplicateRequest',
  },
  'after ten codes there is no other code': {
    given: ended({ transactionCount: 10, leftCount: 10 }),
    when: pay('UPI_INTENT'),
    comes: 'attemptsExceeded codesUsedUp',
  },
  'a UPI payment without a UPI id is a code too': {
    given: ended({ transactionCount: 10, leftCount: 10 }),
    when: pay('UPI', {}, { instrument: {} }),
    comes: 'attemptsExceeded codesUsedUp',
  },
  'the tenth code is begun': {
    given: ended({ transactionCount: 9, leftCount: 9 }),
    when: pay('UPI', {}, { instrument: {} }),
    comes: {
      reply: 'success',
      changes: [
        ['insert transactions TX', { ...begun, attempt: 10, instrument: {} }],
        ['update orders O', { status: 'IN_PROCESS', transactionCount: 10, txnId: 'TX' }],
      ],
      events: BEGUN,
      tasks: asks,
    },
  },
  'after ten codes a request to a UPI id is begun': {
    given: ended({ transactionCount: 10, leftCount: 10 }),
    when: pay('UPI'),
    comes: {
      reply: 'success',
      changes: [
        ['insert transactions TX', { ...begun, attempt: 11, instrument: { vpa: 'payer@upi' } }],
        ['update orders O', { status: 'IN_PROCESS', transactionCount: 11, txnId: 'TX' }],
      ],
      events: BEGUN,
      tasks: asks,
    },
  },
  'behind the last day of its mandate an order is closed': {
    given: ofMandate({ expiryDate: '2026-06-14' }),
    when: pay('UPI'),
    comes: 'orderClosed mandateOver',
  },
  'a token lasts a quarter of an hour': {
    given: ended({ txnTokenIssuedAt: NOW - HOUR / 4 }),
    when: pay('UPI'),
    comes: 'invalidToken tokenOver',
  },
  'the wallet leaves no less than the acquirer takes': {
    given: [merchant(), order({ payer: PAYER }), customer({ walletBalancePaise: 99_01 })],
    when: pay('UPI', { paymentFlow: 'HYBRID' }, TAKES_FROM_1),
    comes: 'invalidField Invalid paymentFlow paymentFlow wayNotOffered',
  },
  'nor does an offer': {
    given: [merchant(), order({ amountPaise: 10_50 }), promotion(), ...counters(3)],
    when: pay('UPI', { promoCode: 'TEN' }, { promocode: 'TEN', ...TAKES_FROM_1 }),
    comes: 'invalidField Invalid promoCode promoCode noSuchOffer',
  },
  'but an offer on which nobody insists is left out': {
    given: [merchant(), order({ amountPaise: 10_50 }), promotion(), ...counters(3)],
    when: pay('UPI', {}, { promocode: 'TEN', ...TAKES_FROM_1 }),
    comes: {
      reply: 'success',
      changes: [['insert transactions TX', { ...begun, amountPaise: 10_50, bankPaise: 10_50, promocode: null }], inProcess],
      events: BEGUN,
      tasks: asks,
    },
  },
  'also beside the wallet': {
    given: [merchant(), order({ payer: PAYER }), customer({ walletBalancePaise: 89_50 }), promotion(), ...counters(3)],
    when: pay('UPI', { paymentFlow: 'HYBRID' }, { promocode: 'TEN', ...TAKES_FROM_1 }),
    comes: {
      reply: 'success',
      changes: [
        ['insert transactions TX', { ...begun, flow: 'HYBRID', walletPaise: 89_50, bankPaise: 10_50, promocode: null }],
        inProcess,
        ['update customers 9999900001', { walletBalancePaise: 0 }],
      ],
      events: BEGUN,
      tasks: asks,
      ledger: ['hold customer_wallet 8950', 'hold wallet_hold -8950'],
    },
  },
  'and no order is smaller': {
    given: [merchant(), order({ amountPaise: 99 })],
    when: pay('UPI', {}, TAKES_FROM_1),
    comes: 'invalidField Invalid paymentMode paymentMode modeNotOffered',
  },
  'a page lasts as long as it says': { given: open, when: pay('UPI', {}, shown({ until: NOW })), comes: 'invalidToken tokenOver' },
  'a page that another attempt has overtaken begins none': {
    given: open,
    when: pay('UPI', {}, shown({ attempt: 2 })),
    comes: 'duplicateRequest',
  },
  'a page that showed less is drawn again': { given: open, when: pay('UPI', {}, shown({ amountPaise: 99_99 })), comes: 'otherThanShown' },
  'a wallet that pays less than the page showed lets the instrument take no more': {
    given: [merchant(), order({ payer: PAYER }), customer({ walletBalancePaise: 29_99 })],
    when: pay('UPI', { paymentFlow: 'HYBRID' }, shown({ walletPaise: 30_00, userId: PAYER.userId })),
    comes: 'otherThanShown',
  },
  'nor does an empty one': {
    given: [merchant(), order({ payer: PAYER }), customer({ walletBalancePaise: 0 })],
    when: pay('UPI', { paymentFlow: 'HYBRID' }, shown({ walletPaise: 30_00, userId: PAYER.userId })),
    comes: 'otherThanShown',
  },
  'a wallet pays no more than was shown': {
    given: [merchant(), order({ payer: PAYER }), customer({ walletBalancePaise: 50_00 })],
    when: pay('UPI', { paymentFlow: 'HYBRID' }, shown({ walletPaise: 40_00, userId: PAYER.userId })),
    comes: {
      ...HELD_FROM_WALLET,
      changes: [...HELD_FROM_WALLET.changes.slice(0, 2), ['update customers 9999900001', { walletBalancePaise: 10_00 }]],
    },
  },
  'no wallet of a payer pays whom the page did not show': {
    given: [merchant(), order({ payer: PAYER }), customer({ walletBalancePaise: 50_00 })],
    when: pay('UPI', { paymentFlow: 'HYBRID' }, shown({ walletPaise: 40_00, userId: 'X' })),
    comes: 'otherThanShown',
  },
  'no payer gets a cashback whom the page did not show': {
    given: [...signedIn, promotion({ kind: 'CASHBACK' }), ...counters(3)],
    when: pay('UPI', { promoCode: 'TEN' }, { promocode: 'TEN', ...shown({ userId: 'X' }) }),
    comes: 'otherThanShown',
  },
  'a page that showed nobody pays as nobody': {
    given: [merchant(), order({ payer: PAYER }), customer({ walletBalancePaise: 50_00 })],
    when: pay('UPI', { paymentFlow: 'HYBRID' }, shown({ walletPaise: 40_00 })),
    comes: 'invalidField Invalid paymentFlow paymentFlow noPayer',
  },
  'no payer keeps a card whom the page did not show': {
    given: signedIn,
    when: pay('UPI', { storeInstrument: '1' }, shown({ userId: 'X' })),
    comes: 'otherThanShown',
  },
  'a shown cashback that is gone is said first': {
    given: open,
    when: pay('UPI', {}, shown({ cashback: { promocode: 'BACK', paise: 10_00 } })),
    comes: 'otherThanShown',
  },
  'another offer of less is not the shown one': {
    given: [...open, promotion(), ...counters(3)],
    when: pay('UPI', { promoCode: 'TEN' }, { promocode: 'TEN', ...shown({ cashback: { promocode: 'BACK', paise: 10_01 } }) }),
    comes: 'otherThanShown',
  },
  'no payer pays with a card that another has kept': {
    given: [merchant(), order({ payer: PAYER }), customer(), savedCard({ card: { ...savedCard().row.card, userId: 'X' } })],
    when: pay('CREDIT_CARD', { cardInfo: { savedCardId: 'CARD' } }),
    comes: 'invalidField Invalid cardInfo cardInfo unknownCard',
  },
  'nor without having signed in': {
    given: [merchant(), order(), savedCard()],
    when: pay('CREDIT_CARD', { cardInfo: { savedCardId: 'CARD' } }),
    comes: 'invalidField Invalid cardInfo cardInfo unknownCard',
  },
  'nor with one whose month is over': {
    given: [merchant(), order({ payer: PAYER }), customer(), savedCard({ card: { ...savedCard().row.card, expiry: '052026' } })],
    when: pay('CREDIT_CARD', { cardInfo: { savedCardId: 'CARD' } }),
    comes: 'invalidExpiry cardInfo',
  },
  'nor by another kind than it is': {
    given: [merchant({ paymentModes: ['DEBIT_CARD'] }), order({ payer: PAYER }), customer(), savedCard()],
    when: pay('DEBIT_CARD', { cardInfo: { savedCardId: 'CARD' } }),
    comes: 'cardNotSupported cardInfo',
  },
  'a mode that the merchant does not take is not one': {
    given: [merchant({ paymentModes: ['BALANCE'] }), order()],
    when: pay('UPI'),
    comes: 'invalidField Invalid paymentMode paymentMode modeNotOffered',
  },
  'an account’s mandate needs an account': {
    given: ofMandate({ paymentModes: ['BANK_MANDATE'] }),
    when: pay('BANK_MANDATE'),
    comes: 'invalidField Invalid paymentMode paymentMode modeNotOffered',
  },
  'a channel that the order leaves out is none': {
    given: ended({ paymentModes: { enable: [{ mode: 'UPI', channels: ['UPIPUSH'] }] } }),
    when: pay('UPI'),
    comes: 'invalidField Invalid channelCode channelCode wayNotOffered',
  },
  'a card that the order leaves out is not supported': {
    given: ended({ paymentModes: { enable: [{ mode: 'CREDIT_CARD', channels: ['MASTER'] }] } }),
    when: pay('CREDIT_CARD', {}, { instrument: { cardScheme: 'VISA' } }),
    comes: 'cardNotSupported',
  },
  'no money is put into a wallet on the way to a mandate': {
    given: ofMandate(),
    when: pay('UPI', { paymentFlow: 'ADDANDPAY' }),
    comes: 'invalidField Invalid paymentFlow paymentFlow wayNotOffered',
  },
  'a wallet is its owner’s, who has signed in': {
    given: open,
    when: pay('BALANCE'),
    comes: 'invalidField Invalid paymentMode paymentMode noPayer',
  },
  'a share of it too': {
    given: open,
    when: pay('UPI', { paymentFlow: 'HYBRID' }),
    comes: 'invalidField Invalid paymentFlow paymentFlow noPayer',
  },
  'a number whose owner may have changed pays by no wallet': {
    given: [merchant(), order({ payer: PAYER }), customer({ pendingVerificationSince: NOW - 1 })],
    when: pay('BALANCE'),
    comes: 'invalidField Invalid paymentMode paymentMode noPayer',
  },
  'nor does a sign-in that was revoked': {
    given: [merchant(), order({ payer: { ...PAYER, familyId: 'F' } }), customer(), family({ status: 'REVOKED' })],
    when: pay('BALANCE'),
    comes: 'invalidField Invalid paymentMode paymentMode noPayer',
  },
  'a wallet that holds too little pays nothing': {
    given: [merchant(), order({ payer: PAYER }), customer({ walletBalancePaise: 99_99 })],
    when: pay('BALANCE'),
    comes: 'insufficientFunds',
  },
  'a mode has a limit': { given: ended({ amountPaise: 1_00_000_01 }), when: pay('UPI'), comes: 'amountOverLimit' },
  'an offer that was insisted on and is used up stops the payment': {
    given: [...open, promotion({ maxPerCustomer: 3 }), ...counters(3)],
    when: pay('UPI', { promoCode: 'TEN' }, { promocode: 'TEN' }),
    comes: 'invalidField Invalid promoCode promoCode noSuchOffer',
  },
  'one that is not there too': {
    given: open,
    when: pay('UPI', { promoCode: 'TEN' }, { promocode: 'TEN' }),
    comes: 'invalidField Invalid promoCode promoCode noSuchOffer',
  },
  'the best offer that is not there any more is followed by the next': {
    given: open,
    when: pay('UPI', {}, { promocode: 'TEN' }),
    comes: 'offerGone',
  },
  'so is one that no longer fits': {
    given: [...open, promotion({ payMethods: ['CREDIT_CARD'] })],
    when: pay('UPI', {}, { promocode: 'TEN' }),
    comes: 'offerGone',
  },
  'the best offer that is used up is followed by the next': {
    given: [...open, promotion({ maxPerCustomer: 3 }), ...counters(3)],
    when: pay('UPI', {}, { promocode: 'TEN' }),
    comes: 'offerGone',
  },
})
