import {
  boolean,
  instant,
  integer,
  oneOf,
  optionalInstant,
  optionalInteger,
  optionalSealed,
  optionalText,
  sealed,
  table,
  text,
} from './columns.ts'
import { ATTEMPTS_MAX, CODES_LEFT_MAX } from './order.ts'
import type { Payer } from './signin.ts'

/** What is told of an instrument: never a whole card number, never a CVV. */
export interface Instrument {
  /** The first eight digits (of fewer than sixteen the first six) and the last four, with what is between hidden. */
  maskedCardNo?: string
  cardScheme?: string
  /** Of which kind the card is, whatever it is paid by: EMI is paid by both. */
  cardType?: 'CREDIT_CARD' | 'DEBIT_CARD'
  bin?: string
  cardLast4?: string
  savedCardId?: string
  /** MMYYYY */
  expiry?: string
  vpa?: string
  /** Bank code of a net-banking payment, or the issuer of a card. */
  bank?: string
  planId?: string
  tenure?: number
}

/** What the payer has to do next: go to the bank's page, or open his UPI app. */
export type NextStep =
  | { kind: 'bankForm' /** Posted to where it is absent. */; method?: 'get'; actionUrl: string; content: Readonly<Record<string, string>> }
  | { kind: 'deepLink'; deepLink: string }
  | { kind: 'collect' }
  | { kind: 'otp' }

/** One attempt to pay an order: docs/interface.md section 3. */
export const transactions = table({
  columns: {
    mid: text,
    txnId: text,
    version: integer,
    orderId: text,
    /** 1, 2, 3 … within its order. */
    attempt: integer,
    status: oneOf('INITIATED', 'PENDING', 'UNKNOWN', 'SUCCESS', 'FAILURE'),
    /** The name of a row of `orderStatus` in interface/result-codes.ts: why it is as it is. */
    result: text,
    paymentMode: text,
    /** UPI, UPIPUSH, UPIPUSHEXPRESS, VISA, a bank code …; empty where the mode has none. */
    channel: text,
    flow: oneOf('NONE', 'HYBRID', 'ADDANDPAY'),
    /** What the order asked for when it began, and which version of the order that was. */
    amountPaise: integer,
    orderVersion: integer,
    /** The amount is made up of these three. */
    discountPaise: integer,
    walletPaise: integer,
    bankPaise: integer,
    /** All of what was to be paid, or nothing. Of a failed transaction too, when the bank's success came too late: then it is refunded. */
    capturedPaise: integer,
    /** What was asked back and has not failed, and what of that goes to the instrument. */
    refundedPaise: integer,
    bankRefundedPaise: integer,
    /** What of it has reached the customer. */
    returnedPaise: integer,
    promocode: optionalText,
    bankTxnId: optionalText,
    instrument: sealed<Instrument>(),
    payer: optionalSealed<Payer>(),
    next: optionalSealed<NextStep>(),
    initiatedAt: instant,
    updatedAt: instant,
    /** The cycle that it is an attempt to collect, and the how-manieth: with both the acquirer knows it. */
    collectionId: optionalText,
    collectionAttempt: optionalInteger,
    /** When a bank was first asked for a debit; null until then, and of every other payment. `initiatedAt` is when it was last asked for it. */
    sentAt: optionalInstant,
    /** A debit that its bank may still make, or has not wholly given back: no other of its cycle is sent. One in flight is so after 72 hours. */
    openAtBank: boolean,
    /** A QR code or an app's link that its payer left unpaid; its order counts it among those, whatever the bank says of it later. */
    isLeft: boolean,
    /** The bank has refused to cancel it, so that its payer waits for the result and is offered no other way: docs/pages.md, "Another way". */
    isCancelRefused: boolean,
  },
  key: ['mid', 'txnId'],
  indexes: {
    /** A cycle is debited by one attempt at a time and once at most. */
    liveCollection: { columns: ['mid', 'collectionId'], unique: true, where: "collection_id is not null and status <> 'FAILURE'" },
    transactionsOfCollection: {
      columns: ['mid', 'collectionId', 'collectionAttempt'],
      unique: true,
      where: 'collection_id is not null',
    },
    transactionsOfOrder: { columns: ['mid', 'orderId', 'attempt'], unique: true },
    /** At most one in flight, and at most one success. */
    liveTransaction: { columns: ['mid', 'orderId'], unique: true, where: "status <> 'FAILURE'" },
    /** Holds all that Order List chooses by, so that what it passes over is never read. */
    transactionsByTime: { columns: ['mid', 'initiatedAt', 'txnId', 'status', 'paymentMode'] },
    /** Counted for the operator; as good as empty. */
    transactionsOpenAtBank: { columns: ['initiatedAt'], where: 'open_at_bank = 1' },
    /** The number that a payer reads in the bank's statement leads to the order. */
    transactionsByBank: { columns: ['bankTxnId', 'mid', 'txnId'], where: 'bank_txn_id is not null' },
    /** What waits for its bank, the oldest first. One that is paid at once is never in them. */
    transactionsPending: { columns: ['initiatedAt', 'mid', 'txnId'], where: "status = 'PENDING'" },
    transactionsUnknown: { columns: ['initiatedAt', 'mid', 'txnId'], where: "status = 'UNKNOWN'" },
    transactionsFailed: { columns: ['initiatedAt', 'mid', 'txnId'], where: "status = 'FAILURE'" },
    /** For the console, over all merchants. Its values stay as they are, but for a debit's that is sent again. */
    transactionsLately: { columns: ['initiatedAt', 'mid', 'txnId', 'paymentMode', 'walletPaise', 'bankPaise'] },
  },
  checks: [
    'version >= 1',
    `attempt between 1 and ${ATTEMPTS_MAX + CODES_LEFT_MAX}`,
    'amount_paise >= 0 and discount_paise >= 0 and wallet_paise >= 0 and bank_paise >= 0',
    'amount_paise = discount_paise + wallet_paise + bank_paise',
    "status in ('SUCCESS', 'FAILURE') or captured_paise = 0",
    "status <> 'SUCCESS' or captured_paise = wallet_paise + bank_paise",
    'refunded_paise between 0 and captured_paise',
    'bank_refunded_paise between 0 and refunded_paise',
    'returned_paise between 0 and refunded_paise',
    'updated_at >= initiated_at',
    '(collection_id is null) = (collection_attempt is null)',
    'collection_attempt is null or collection_attempt >= 1',
    'sent_at is null or collection_id is not null',
    "open_at_bank = 0 or (collection_id is not null and status <> 'SUCCESS')",
    "is_left = 0 or (status = 'FAILURE' and payment_mode = 'UPI' and collection_id is null)",
    'is_cancel_refused = 0 or collection_id is null',
  ],
})

/** A card that a customer let a merchant keep: the acquirer's token for it, never its number. */
export const savedCards = table({
  columns: {
    mid: text,
    custId: text,
    savedCardId: text,
    paymentMode: oneOf('CREDIT_CARD', 'DEBIT_CARD'),
    /** Whoever signed in when it was kept; nobody else sees it or pays with it, whatever custId he comes with. */
    card: sealed<{ userId: string; bin: string; last4: string; scheme: string; expiry: string; bank?: string; token: string }>(),
    savedAt: instant,
  },
  key: ['mid', 'custId', 'savedCardId'],
})
