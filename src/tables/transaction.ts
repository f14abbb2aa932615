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

/** The facts about an instrument that may be shown: never a whole card number, never a CVV. */
export interface Instrument {
  /** The first eight digits (six if the number has fewer than sixteen) and the last four, with the rest hidden. */
  maskedCardNo?: string
  cardScheme?: string
  /** The kind of the card, in any payment mode: EMI takes both kinds. */
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

/** The payer's next step: to the bank's page, or to their UPI app. */
export type NextStep =
  | { kind: 'bankForm' /** POST when it is absent. */; method?: 'get'; actionUrl: string; content: Readonly<Record<string, string>> }
  | { kind: 'deepLink'; deepLink: string }
  | { kind: 'collect' }
  | { kind: 'otp' }

/** One attempt to pay an order (docs/interface.md section 3). */
export const transactions = table({
  columns: {
    mid: text,
    txnId: text,
    version: integer,
    orderId: text,
    /** 1, 2, 3 … within its order. */
    attempt: integer,
    status: oneOf('INITIATED', 'PENDING', 'UNKNOWN', 'SUCCESS', 'FAILURE'),
    /** The name of a row of `orderStatus` in interface/result-codes.ts: the reason of the status. */
    result: text,
    paymentMode: text,
    /** UPI, UPIPUSH, UPIPUSHEXPRESS, VISA, a bank code …; empty when the mode has none. */
    channel: text,
    flow: oneOf('NONE', 'HYBRID', 'ADDANDPAY'),
    /** The order's amount when the attempt began, and the order's version then. */
    amountPaise: integer,
    orderVersion: integer,
    discountPaise: integer,
    walletPaise: integer,
    bankPaise: integer,
    /**
     * The whole amount to be paid, or 0. A failed transaction also has the amount if the bank's success came too late. Then the amount is
     * refunded.
     */
    capturedPaise: integer,
    /** The sum of the refunds that have not failed, and its part for the instrument. */
    refundedPaise: integer,
    bankRefundedPaise: integer,
    /** The part of `refundedPaise` that has reached the customer. */
    returnedPaise: integer,
    promocode: optionalText,
    bankTxnId: optionalText,
    instrument: sealed<Instrument>(),
    payer: optionalSealed<Payer>(),
    next: optionalSealed<NextStep>(),
    initiatedAt: instant,
    updatedAt: instant,
    /** The cycle that it tries to collect, and the number of the attempt. The acquirer knows the attempt by both. */
    collectionId: optionalText,
    collectionAttempt: optionalInteger,
    /**
     * When a bank was first asked for a debit. Null until then, and for every other payment. `initiatedAt` is when the bank was last
     * asked for it.
     */
    sentAt: optionalInstant,
    /**
     * True for a debit that its bank may still make, or has not wholly given back. Until that is over, no other debit of its cycle is sent.
     * A debit in flight is marked after 72 hours.
     */
    openAtBank: boolean,
    /**
     * A QR code or an app's link that its payer left unpaid. Its order counts it as left, even if the bank reports another result later.
     */
    isLeft: boolean,
    /**
     * The bank has refused to cancel this payment. So the payer waits for the result and is offered no other way (docs/pages.md, "Another
     * way").
     */
    isCancelRefused: boolean,
  },
  key: ['mid', 'txnId'],
  indexes: {
    /** A cycle is debited by one attempt at a time, and at most once. */
    liveCollection: { columns: ['mid', 'collectionId'], unique: true, where: "collection_id is not null and status <> 'FAILURE'" },
    transactionsOfCollection: {
      columns: ['mid', 'collectionId', 'collectionAttempt'],
      unique: true,
      where: 'collection_id is not null',
    },
    transactionsOfOrder: { columns: ['mid', 'orderId', 'attempt'], unique: true },
    /** At most one transaction of an order is in flight or has succeeded. */
    liveTransaction: { columns: ['mid', 'orderId'], unique: true, where: "status <> 'FAILURE'" },
    /** Has all columns by which Order List filters, so that rows outside its filter are never read. */
    transactionsByTime: { columns: ['mid', 'initiatedAt', 'txnId', 'status', 'paymentMode'] },
    /** Counted for the operator. This index is nearly empty. */
    transactionsOpenAtBank: { columns: ['initiatedAt'], where: 'open_at_bank = 1' },
    /** The number on a payer's bank statement leads to the order. */
    transactionsByBank: { columns: ['bankTxnId', 'mid', 'txnId'], where: 'bank_txn_id is not null' },
    /** Transactions that wait for their bank, the oldest first. A payment that succeeds at once is never in these two indexes. */
    transactionsPending: { columns: ['initiatedAt', 'mid', 'txnId'], where: "status = 'PENDING'" },
    transactionsUnknown: { columns: ['initiatedAt', 'mid', 'txnId'], where: "status = 'UNKNOWN'" },
    transactionsFailed: { columns: ['initiatedAt', 'mid', 'txnId'], where: "status = 'FAILURE'" },
    /** For the console, over all merchants. Its values never change, except those of a debit that is sent again. */
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
    /** `userId` is the user who signed in when it was kept. No other user sees it or pays with it, by any custId. */
    card: sealed<{ userId: string; bin: string; last4: string; scheme: string; expiry: string; bank?: string; token: string }>(),
    savedAt: instant,
  },
  key: ['mid', 'custId', 'savedCardId'],
})
