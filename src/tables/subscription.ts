import {
  boolean,
  instant,
  integer,
  json,
  oneOf,
  optionalInstant,
  optionalInteger,
  optionalJson,
  optionalSealed,
  optionalText,
  sealed,
  table,
  text,
} from './columns.ts'
import type { Payer } from './signin.ts'
import type { Instrument } from './transaction.ts'

/** Those parts of a subscription that people typed. The list masks those that it shows. */
export interface SubscriptionDetails {
  mobile?: string
  email?: string
  /** The purpose of the debits, in the merchant's words, for the payer's pages. */
  purpose?: string
  mandateAccountDetails?: Readonly<Record<string, string>>
}

/** The customer's authority at the bank, as far as Mohur needs it. */
export interface Mandate {
  /** The acquirer's name for it. Absent for a wallet, whose authority is the consent itself. */
  reference?: string
  instrument: Instrument
  /** The number in the mandate's key at the acquirer: it counts the attempts at the first payment. Absent for the first attempt. */
  attempt?: number
  payer?: Payer
  /** The bank keeps a pause that Mohur sent, and has not yet confirmed that the pause is lifted. */
  isPauseAtBank?: true
  /** The payer paused the mandate on Mohur's page, not at the bank. So no answer of the bank lifts the pause. */
  isPausedHere?: true
}

/** The terms of a subscription that a payer sees. */
export interface AgreedTerms {
  amountType: 'FIX' | 'VARIABLE'
  maxAmountPaise: number
  frequencyUnit: 'WEEK' | 'MONTH' | 'BI_MONTHLY' | 'QUARTER' | 'SEMI_ANNUALLY' | 'YEAR' | 'ONDEMAND'
  frequency: number
  /** Absent from new terms that the payer is asked to approve: they apply from the next debit on. */
  startDate?: string
  expiryDate: string
}

/** Terms that the payer has been asked to approve. If a term is absent, the old one stays. */
export interface PendingEdit {
  editId: string
  renewalAmountPaise?: number
  maxAmountPaise?: number
  expiryDate?: string
  validUntil: number
}

/** The agreement with a customer. Its first payment is an order of the same mid (docs/interface.md sections 3 and 4.6). */
export const subscriptions = table({
  columns: {
    mid: text,
    subscriptionId: text,
    version: integer,
    status: oneOf('INIT', 'IN_AUTHORIZATION', 'AUTHORIZED', 'AUTHORIZATION_FAILED', 'ACTIVE', 'SUSPENDED', 'REJECT', 'EXPIRED', 'CLOSED'),
    subStatus: text,
    orderId: text,
    custId: text,
    amountType: oneOf('FIX', 'VARIABLE'),
    txnAmountPaise: integer,
    /** The charge of every cycle, only with FIX. */
    renewalAmountPaise: optionalInteger,
    /** No cycle may exceed this amount: the renewal amount with FIX, the agreed maximum with VARIABLE. */
    maxAmountPaise: integer,
    frequencyUnit: oneOf('WEEK', 'MONTH', 'BI_MONTHLY', 'QUARTER', 'SEMI_ANNUALLY', 'YEAR', 'ONDEMAND'),
    frequency: integer,
    /** Dates in India, YYYY-MM-DD. */
    startDate: text,
    expiryDate: text,
    graceDays: integer,
    enableRetry: boolean,
    retryCount: integer,
    autoRenewal: boolean,
    autoRetry: boolean,
    communicationManager: boolean,
    appInvokeDevice: oneOf('3P', 'DEEPLINKQR'),
    mandateType: optionalText,
    /** The modes that may be offered at payment. No rule of a rail bars any of them. */
    paymentModes: json<readonly string[]>(),
    details: sealed<SubscriptionDetails>(),
    createdAt: instant,
    updatedAt: instant,
    /** The mode by which the customer consented, and so by which every cycle is debited. Null before the consent. */
    paymentMode: optionalText,
    consentedAt: optionalInstant,
    mandate: optionalSealed<Mandate>(),
    /**
     * The next turn of the subscription sweep: at the start, at the expiry, or to query the bank. An ended subscription may need a query
     * too.
     */
    wakesAt: optionalInteger,
    edit: optionalJson<PendingEdit>(),
  },
  key: ['mid', 'subscriptionId'],
  indexes: {
    subscriptionsOfCustomer: { columns: ['mid', 'custId', 'createdAt', 'subscriptionId'] },
    subscriptionsLately: { columns: ['createdAt', 'mid', 'subscriptionId'] },
    subscriptionsToWake: { columns: ['wakesAt'], where: 'wakes_at is not null' },
  },
  checks: [
    'version >= 1',
    'txn_amount_paise >= 0',
    'max_amount_paise > 0',
    "(amount_type = 'FIX' and renewal_amount_paise is not null and renewal_amount_paise = max_amount_paise) or (amount_type = 'VARIABLE' and renewal_amount_paise is null and txn_amount_paise <= max_amount_paise)",
    'frequency >= 1',
    'grace_days >= 0',
    'retry_count >= 0',
    'expiry_date >= start_date',
    'updated_at >= created_at',
  ],
})

/** One cycle of a subscription, with the terms of its notice (docs/interface.md section 3). The CHECKs bar what must not happen. */
export const collections = table({
  columns: {
    mid: text,
    /** `<subscriptionId>.<yyyymmdd>` of its due day. */
    collectionId: text,
    version: integer,
    subscriptionId: text,
    /** The day of the schedule, or on demand the day that the merchant named. */
    dueDate: text,
    /** 0 on the start date; null on demand. */
    number: optionalInteger,
    status: oneOf('SCHEDULED', 'NOTIFIED', 'IN_FLIGHT', 'COLLECTED', 'SKIPPED', 'MISSED', 'FAILED'),
    /** Days in India on which it may be collected, both included. */
    windowFrom: text,
    windowTo: text,
    rail: oneOf('UPI', 'CARD', 'WALLET', 'PPBL', 'POSTPAID', 'ENACH', 'PAPER'),
    amountType: oneOf('FIX', 'VARIABLE'),
    /** If the amount varies, null until the merchant has named it. */
    amountPaise: optionalInteger,
    maxPaise: integer,
    attempts: integer,
    attemptsMax: integer,
    noticeNeeded: boolean,
    /** The notices that were sent; the time of the one that succeeded, and the amount that it named. */
    notices: integer,
    noticedAt: optionalInstant,
    noticedPaise: optionalInteger,
    /** The attempt that is in flight, or that collected the cycle. `sentAt` is null while the attempt waits for its hour. */
    orderId: optionalText,
    txnId: optionalText,
    sentAt: optionalInstant,
    /** The next turn of the collection sweep. Null when the cycle has ended. */
    nextAt: optionalInteger,
    createdAt: instant,
    updatedAt: instant,
    /** Whether the latest notice asked the payer to approve this very debit, and the payer's answer. */
    authentication: oneOf('NONE', 'ASKED', 'APPROVED', 'DECLINED'),
    /**
     * The payer skipped the cycle, or the mandate was paused, while an attempt was in flight. That attempt is the last, and is not sent
     * again.
     */
    unwanted: oneOf('NO', 'SKIPPED', 'PAUSED'),
  },
  key: ['mid', 'collectionId'],
  indexes: {
    collectionsOfSubscription: { columns: ['mid', 'subscriptionId', 'dueDate'], unique: true },
    collectionsByTransaction: { columns: ['mid', 'txnId'], unique: true, where: 'txn_id is not null' },
    collectionsDue: { columns: ['nextAt', 'mid'], where: 'next_at is not null' },
  },
  checks: [
    'version >= 1',
    'window_from >= due_date and window_to >= window_from',
    'max_paise > 0',
    'amount_paise is null or amount_paise between 1 and max_paise',
    "amount_type <> 'FIX' or (amount_paise is not null and amount_paise = max_paise)",
    'attempts between 0 and attempts_max',
    'notices >= 0',
    '(noticed_at is null) = (noticed_paise is null)',
    'noticed_paise is null or noticed_paise between 1 and max_paise',
    "(status in ('IN_FLIGHT', 'COLLECTED')) = (txn_id is not null)",
    '(txn_id is null) = (order_id is null)',
    "status <> 'NOTIFIED' or noticed_at is not null",
    'notice_needed = 0 or sent_at is null or (noticed_at is not null and sent_at >= noticed_at + 86400000)',
    "(next_at is null) = (status in ('COLLECTED', 'SKIPPED', 'MISSED', 'FAILED'))",
    'updated_at >= created_at',
    "authentication in ('NONE', 'ASKED') or noticed_at is not null",
    "sent_at is null or authentication in ('NONE', 'APPROVED')",
  ],
})

/** The payer's notice before a debit (docs/interface.md section 4). */
export const notices = table({
  columns: {
    mid: text,
    /** Mohur's id. `referenceId` is the merchant's, who may use one again for another day. */
    noticeId: text,
    subscriptionId: text,
    collectionId: text,
    /** 1, 2, 3 … within its cycle. The acquirer knows the notice by it. */
    number: integer,
    referenceId: text,
    orderId: optionalText,
    status: oneOf('PENDING', 'SUCCESS', 'FAILURE', 'OPTED_OUT'),
    amountPaise: integer,
    debitDate: text,
    /** The merchant's text for the payer. */
    content: sealed<{ txnMessage: string; invoiceDisplayNo?: string }>(),
    requestedAt: instant,
    answeredAt: optionalInstant,
  },
  key: ['mid', 'noticeId'],
  indexes: {
    noticesOfSubscription: { columns: ['mid', 'subscriptionId', 'requestedAt'] },
    noticesOfCollection: { columns: ['mid', 'collectionId', 'number'], unique: true },
    /** At most one notice of a cycle has succeeded or may still succeed. */
    standingNotice: { columns: ['mid', 'collectionId'], unique: true, where: "status in ('PENDING', 'SUCCESS')" },
  },
  checks: ['number >= 1', 'amount_paise > 0', "(status = 'PENDING') = (answered_at is null)"],
})
