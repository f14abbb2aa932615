// The data model on one page: every row, key, index and CHECK. Names are camelCase here and snake_case in the database.
// Every money rule is a CHECK as well as a line in a decision, so that no bug alone can break it.
//
// text, integer and JSON text only, the same in both engines. `sealed` is JSON text encrypted at the store's edge
// (docs/decisions/0005): rooms see plain values, the database, its log and its backups never do.

export interface Column<T = unknown> {
  kind: 'text' | 'integer' | 'boolean' | 'json' | 'sealed'
  optional: boolean
  oneOf?: readonly string[]
  /** Says when something happened to its row: it never goes back (engine/monotonic-times.ts, docs/decisions/0013). Deadlines are plain integers. */
  isInstant?: true
  /** Only for the compiler. */
  type?: T
}
const text: Column<string> = { kind: 'text', optional: false }
const optionalText: Column<string | null> = { kind: 'text', optional: true }
const integer: Column<number> = { kind: 'integer', optional: false }
const optionalInteger: Column<number | null> = { kind: 'integer', optional: true }
const instant: Column<number> = { kind: 'integer', optional: false, isInstant: true }
const optionalInstant: Column<number | null> = { kind: 'integer', optional: true, isInstant: true }
const boolean: Column<boolean> = { kind: 'boolean', optional: false }
const oneOf = <const T extends string>(...values: readonly T[]): Column<T> => ({ kind: 'text', optional: false, oneOf: values })
const json = <T>(): Column<T> => ({ kind: 'json', optional: false })
const optionalJson = <T>(): Column<T | null> => ({ kind: 'json', optional: true })
const sealed = <T>(): Column<T> => ({ kind: 'sealed', optional: false })
const optionalSealed = <T>(): Column<T | null> => ({ kind: 'sealed', optional: true })

export interface Table<Columns extends Record<string, Column> = Record<string, Column>> {
  columns: Columns
  /** Text columns; the first is `mid`, except where a bearer token's hash finds the row. */
  key: readonly (keyof Columns & string)[]
  indexes?: Readonly<Record<string, { columns: readonly (keyof Columns & string)[]; unique?: true; where?: string }>>
  checks?: readonly string[]
}
const table = <const Columns extends Record<string, Column>>(definition: Table<Columns>): Table<Columns> => definition

export type OrderStatus = 'CREATED' | 'IN_PROCESS' | 'PAID' | 'CLOSED'

/** Everything of an order that people typed. */
export interface OrderDetails {
  userInfo: Readonly<Record<string, string>>
  goodsInfo?: unknown
  shippingInfo?: unknown
  extendInfo?: unknown
  gatewayInfo?: unknown
  txnRoutingParams?: unknown
  integrationType?: string
  /** The goods as the merchant vouches for them, once the order was modified: docs/interface.md section 4.3. */
  vouchedGoods?: unknown
  /** Which offer the merchant wants tried when the order is paid: docs/interface.md section 4.5. */
  simplifiedPaymentOffers?: { promoCode?: string; applyAvailablePromo?: boolean; validatePromo?: boolean }
  /** Of an order that a checkout form has made: docs/pages.md. */
  formHash?: string
}
/** A user and the number his wallet goes by. */
export interface Payer {
  userId: string
  mobile: string
  /** The sign-in whose SSO token said who he is; absent when he signed in at the checkout, for this order alone. */
  familyId?: string
}
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
  | { kind: 'bankForm'; actionUrl: string; content: Readonly<Record<string, string>> }
  | { kind: 'deepLink'; deepLink: string }
  | { kind: 'collect' }
  | { kind: 'otp' }
/** Of a subscription what people typed; the list shows masked what it shows of it. */
export interface SubscriptionDetails {
  mobile?: string
  email?: string
  /** What the payer is debited for, in the merchant's words: for the payer's pages. */
  purpose?: string
  mandateAccountDetails?: Readonly<Record<string, string>>
}
/** The customer's authority at the bank, as far as we have to know it. */
export interface Mandate {
  /** The acquirer's name for it; absent for a wallet, whose authority is the consent itself. */
  reference?: string
  instrument: Instrument
  /** The attempt at the first payment whose number its key at the acquirer holds; absent for the first. */
  attempt?: number
  /** Whose wallet. */
  payer?: Payer
  /** The bank is told of a pause that was said to us, and has not said yet that it is lifted. */
  isHeld?: true
  /** Its payer has paused it on our page, and not at his bank: what the bank says of pauses does not lift it. */
  isPausedHere?: true
}
/** Terms that the payer has been asked to approve; what is absent stays. */
export interface PendingEdit {
  editId: string
  renewalAmountPaise?: number
  maxAmountPaise?: number
  expiryDate?: string
  validUntil: number
}
/** One of a merchant's keys, by its place: never the key itself. */
export interface KeyName {
  clientId: string
  generation: string
}
/** A reply by the name of its result code. */
export interface KeptReply {
  name: string
  message?: string
  parameter?: string
  body?: object
}
/** What a payment page looks like to whoever opened it. */
export interface PageView {
  /** Chosen by the payer, or said by the shop. */
  language?: string
  /** The number that a payment page has last asked a code for: what is sent from another page of its order is not shown on this. */
  mobile?: string
}
/** What a payment option list starts from: docs/interface.md section 2, PaymentMode. */
export interface PaymentModeFilters {
  enable?: readonly { mode?: string; channels?: readonly string[]; banks?: readonly string[]; tenures?: readonly number[] }[]
  disable?: readonly { mode?: string; channels?: readonly string[]; banks?: readonly string[]; tenures?: readonly number[] }[]
}

export const tables = {
  merchants: table({
    columns: {
      mid: text,
      name: text,
      mcc: text,
      checksumEnabled: boolean,
      /** What an unsigned Modify Order may do: docs/decisions/0004. */
      signedModify: oneOf('optional', 'amount', 'always'),
      debitCardEmi: boolean,
      websites: json<Readonly<Record<string, { callbackUrl?: string; mandateUrl?: string }>>>(),
      /** Without `url` nobody is told. `isRegistered`: a plugin of the merchant's set or unset the address, not the operator. */
      notification: optionalSealed<{ url?: string; form: 'json' | 'classic'; secret: string; isRegistered?: true }>(),
      paymentModes: json<readonly string[]>(),
      /** What the service keeps of every captured payment, in hundredths of a percent; 0 is nothing. */
      feeHundredths: integer,
      /** Of the browser's form: docs/interface.md section 6, "The callback". */
      callbackFields: oneOf('all', 'core'),
      /** Whether a plugin may say where notifications go: docs/interface.md section 4.18. */
      registersNotificationUrl: boolean,
      /** Whether refunds may be asked for in the older flat form: docs/interface.md section 4.14. */
      flatRefund: boolean,
      /** Whether its payment page asks for a UPI id: domain/merchant/page-settings.ts. */
      upiCollect: oneOf('rule', 'always', 'never'),
      /** Whose pages may show its payment page in a frame; null is the default of domain/merchant/page-settings.ts. */
      pageOrigins: optionalJson<readonly string[]>(),
      /** Of his pages, where the payer's browser names no language that they speak. */
      pageLanguage: optionalText,
      /** The creditor's name at banks, which a bank mandate is given to. */
      utilityCode: optionalText,
    },
    key: ['mid'],
    checks: ['fee_hundredths between 0 and 10000'],
  }),

  /** Two generations of one clientId live side by side while a merchant rotates: the older until `retiresAt`. */
  merchantKeys: table({
    columns: { mid: text, clientId: text, generation: text, position: integer, key: sealed<string>(), retiresAt: optionalInteger },
    key: ['mid', 'clientId', 'generation'],
  }),

  orders: table({
    columns: {
      mid: text,
      orderId: text,
      version: integer,
      status: oneOf('CREATED', 'IN_PROCESS', 'PAID', 'CLOSED'),
      /** RENEWAL is one attempt at a collection: in process from its first moment, and paid or closed at its end. */
      requestType: oneOf('PAYMENT', 'SUBSCRIPTION', 'NATIVE_SUBSCRIPTION', 'RENEWAL'),
      subscriptionId: optionalText,
      amountPaise: integer,
      modifyCount: integer,
      custId: text,
      websiteName: text,
      callbackUrl: optionalText,
      peonUrl: optionalText,
      txnTokenHash: text,
      /** Also the end of the txnToken itself, which is how a token alone finds its order: docs/decisions/0002. */
      txnTokenIssuedAt: instant,
      expiresAt: integer,
      paymentModes: json<PaymentModeFilters>(),
      details: sealed<OrderDetails>(),
      /** How many transactions were begun, and the one that is in flight or paid the order. */
      transactionCount: integer,
      txnId: optionalText,
      /** Who signed in for this order, by an SSO token or at the checkout: whose wallet it may be paid from. */
      payer: optionalSealed<Payer>(),
      /** How many of the modifications came without a signature. */
      unsignedModifyCount: integer,
      /** The time of its latest event; 0 in an order from before it was kept. */
      updatedAt: instant,
      /** Of a renewal: the order by which the customer consented, in whose stream it is told. */
      consentOrderId: optionalText,
    },
    key: ['mid', 'orderId'],
    indexes: {
      ordersByTokenTime: { columns: ['txnTokenIssuedAt'] },
      ordersToExpire: { columns: ['expiresAt'], where: "status = 'CREATED'" },
    },
    checks: [
      'amount_paise >= 0',
      'modify_count between 0 and 5',
      'unsigned_modify_count between 0 and modify_count',
      'version >= 1',
      "amount_paise > 0 or request_type = 'NATIVE_SUBSCRIPTION'",
      "(consent_order_id is not null) = (request_type = 'RENEWAL')",
      'transaction_count between 0 and 5',
    ],
  }),

  /** The agreement with a customer; its first payment is an order of the same mid: docs/interface.md sections 3 and 4.6. */
  subscriptions: table({
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
      /** What every cycle charges; only with FIX. */
      renewalAmountPaise: optionalInteger,
      /** What no cycle may exceed: the renewal amount with FIX, the agreed maximum with VARIABLE. */
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
      /** The modes that may be offered at payment: none of them is bound by a rule of its rail. */
      paymentModes: json<readonly string[]>(),
      details: sealed<SubscriptionDetails>(),
      createdAt: instant,
      updatedAt: instant,
      /** By what the customer consented, and so what every cycle is debited by; null before. */
      paymentMode: optionalText,
      consentedAt: optionalInstant,
      mandate: optionalSealed<Mandate>(),
      /** The next instant at which it moves by itself: its start, its expiry, a question to its bank, also after its end. */
      wakesAt: optionalInteger,
      edit: optionalJson<PendingEdit>(),
    },
    key: ['mid', 'subscriptionId'],
    indexes: {
      subscriptionsOfCustomer: { columns: ['mid', 'custId', 'createdAt', 'subscriptionId'] },
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
  }),

  /** One cycle of a subscription, with the terms of its notice: docs/interface.md section 3. What must not happen cannot be written. */
  collections: table({
    columns: {
      mid: text,
      /** `<subscriptionId>.<yyyymmdd>` of its due day. */
      collectionId: text,
      version: integer,
      subscriptionId: text,
      /** The day of the schedule, and on demand the day that the merchant named. */
      dueDate: text,
      /** 0 on the start date; null on demand. */
      number: optionalInteger,
      status: oneOf('SCHEDULED', 'NOTIFIED', 'IN_FLIGHT', 'COLLECTED', 'SKIPPED', 'MISSED', 'FAILED'),
      /** Days in India on which it may be collected, both included. */
      windowFrom: text,
      windowTo: text,
      rail: oneOf('UPI', 'CARD', 'WALLET', 'PPBL', 'POSTPAID', 'ENACH', 'PAPER'),
      amountType: oneOf('FIX', 'VARIABLE'),
      /** Null until a merchant has said it, where it varies. */
      amountPaise: optionalInteger,
      maxPaise: integer,
      attempts: integer,
      attemptsMax: integer,
      noticeNeeded: boolean,
      /** Notices that were sent; the one that has succeeded, and the amount that it named. */
      notices: integer,
      noticedAt: optionalInstant,
      noticedPaise: optionalInteger,
      /** The attempt that is in flight, or that collected it; `sentAt` is null while it waits for its hour. */
      orderId: optionalText,
      txnId: optionalText,
      sentAt: optionalInstant,
      /** When the collector looks at it again; null when it has ended. */
      nextAt: optionalInteger,
      createdAt: instant,
      updatedAt: instant,
      /** Whether its payer was asked, with the latest notice, to approve this very debit, and what he has said to it. */
      authentication: oneOf('NONE', 'ASKED', 'APPROVED', 'DECLINED'),
      /** Left out by its payer, or paused, while an attempt was in flight: that one is the last, and is not sent again. */
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
  }),

  /** What the payer was told before a debit: docs/interface.md section 4. */
  notices: table({
    columns: {
      mid: text,
      /** Ours; `referenceId` is the merchant's, who may use one again for another day. */
      noticeId: text,
      subscriptionId: text,
      collectionId: text,
      /** 1, 2, 3 … within its cycle: with it the acquirer knows the notice. */
      number: integer,
      referenceId: text,
      orderId: optionalText,
      status: oneOf('PENDING', 'SUCCESS', 'FAILURE', 'OPTED_OUT'),
      amountPaise: integer,
      debitDate: text,
      /** What the merchant said to tell. */
      content: sealed<{ txnMessage: string; invoiceDisplayNo?: string }>(),
      requestedAt: instant,
      answeredAt: optionalInstant,
    },
    key: ['mid', 'noticeId'],
    indexes: {
      noticesOfSubscription: { columns: ['mid', 'subscriptionId', 'requestedAt'] },
      noticesOfCollection: { columns: ['mid', 'collectionId', 'number'], unique: true },
      /** At most one that stands or may still come to stand. */
      standingNotice: { columns: ['mid', 'collectionId'], unique: true, where: "status in ('PENDING', 'SUCCESS')" },
    },
    checks: ['number >= 1', 'amount_paise > 0', "(status = 'PENDING') = (answered_at is null)"],
  }),

  /** A signature that modified one order may not modify another for 24 hours: docs/decisions/0004. */
  usedSignatures: table({
    columns: { mid: text, signatureHash: text, orderId: text, usedAt: integer },
    key: ['mid', 'signatureHash'],
    indexes: { usedSignaturesByAge: { columns: ['usedAt'] } },
  }),

  /** One per state change, kept for ever; `version` counts 1, 2, 3 … within one aggregate. */
  events: table({
    columns: {
      owner: text,
      aggregate: text,
      id: text,
      version: integer,
      type: text,
      fromStatus: text,
      toStatus: text,
      at: integer,
      data: json<Readonly<Record<string, string | number | boolean | null>>>(),
    },
    key: ['owner', 'aggregate', 'id', 'version'],
  }),

  /** Due work: claimed with a lease and a rising fence (docs/operating/watch.md). */
  tasks: table({
    columns: {
      task: text,
      subject: text,
      dueAt: integer,
      attempts: integer,
      fence: integer,
      leaseUntil: integer,
      payload: sealed<Readonly<Record<string, unknown>>>(),
      /** In real time, by the clock of whoever added it: one that says the future was put off by a wrong clock (docs/decisions/0013). */
      addedAt: integer,
    },
    key: ['task', 'subject'],
    indexes: { tasksByKind: { columns: ['task', 'dueAt'] } },
  }),

  /** One attempt to pay an order: docs/interface.md section 3. */
  transactions: table({
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
    },
    checks: [
      'version >= 1',
      'attempt between 1 and 5',
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
    ],
  }),

  /** Money back on a transaction: docs/interface.md section 4. A refund of our own making has a refId that no merchant can write. */
  refunds: table({
    columns: {
      mid: text,
      refId: text,
      version: integer,
      refundId: text,
      orderId: text,
      txnId: text,
      status: oneOf('PENDING', 'SUCCESS', 'FAILURE'),
      /** The name of a row of `refundStatus` in interface/result-codes.ts. */
      result: text,
      amountPaise: integer,
      /** What of it goes back to the instrument, and what to the wallet. */
      bankPaise: integer,
      walletPaise: integer,
      /** Of what the merchant asked for: the same refId with other content is refused. */
      contentHash: text,
      bankTxnId: optionalText,
      /** `checksumHash` of one that came in the flat form: the same checksum asks for no other. `keyedBy` is not in those from before: domain/refund/refund.ts. */
      details: sealed<{ comments?: string; checksumHash?: string; keyedBy?: 'refId' }>(),
      requestedAt: instant,
      updatedAt: instant,
      checks: integer,
    },
    key: ['mid', 'refId'],
    indexes: {
      refundsById: { columns: ['mid', 'refundId'], unique: true },
      refundsOfOrder: { columns: ['mid', 'orderId', 'requestedAt', 'refId'] },
      refundsByTime: { columns: ['mid', 'requestedAt', 'refId'] },
    },
    checks: [
      'version >= 1',
      'amount_paise > 0 and bank_paise >= 0 and wallet_paise >= 0',
      'amount_paise = bank_paise + wallet_paise',
      'updated_at >= requested_at',
    ],
  }),

  /** Double entry: the lines of one movement of money, whose debits and credits are equal. Written once, never changed. */
  ledgerEntries: table({
    columns: {
      /** The merchant, or `wallet` for what moves between a wallet and the world. */
      owner: text,
      movement: text,
      line: text,
      account: text,
      debitPaise: integer,
      creditPaise: integer,
      /** The transaction that it belongs to, or the user. */
      subject: text,
      at: integer,
      /** Whose wallet, by the user's id, with `customer_wallet`; null in lines from before it was written down. */
      wallet: optionalText,
    },
    key: ['owner', 'movement', 'line'],
    indexes: { ledgerBySubject: { columns: ['owner', 'subject'] } },
    checks: [
      'debit_paise >= 0 and credit_paise >= 0',
      '(debit_paise = 0) <> (credit_paise = 0)',
      "account = 'customer_wallet' or wallet is null",
    ],
  }),

  /** One use of a promotion by one transaction: docs/interface.md section 4.4. */
  redemptions: table({
    columns: {
      mid: text,
      txnId: text,
      version: integer,
      orderId: text,
      promocode: text,
      custId: text,
      kind: oneOf('DISCOUNT', 'CASHBACK'),
      amountPaise: integer,
      fundedBy: text,
      status: oneOf('RESERVED', 'COMMITTED', 'RELEASED'),
      updatedAt: instant,
    },
    key: ['mid', 'txnId'],
    indexes: {
      liveRedemption: { columns: ['mid', 'orderId'], unique: true, where: "status <> 'RELEASED'" },
      redemptionsOfPromotion: { columns: ['mid', 'promocode', 'custId'] },
    },
    checks: ['version >= 1', 'amount_paise > 0'],
  }),

  /** A card that a customer let a merchant keep: the acquirer's token for it, never its number. */
  savedCards: table({
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
  }),

  /** A one-time password that the checkout sent to sign the payer in to his wallet: docs/interface.md section 4. */
  checkoutOtps: table({
    columns: {
      mid: text,
      orderId: text,
      mobile: text,
      otpHash: text,
      tries: integer,
      sentAt: json<readonly number[]>(),
      expiresAt: integer,
      consumedAt: optionalInstant,
    },
    key: ['mid', 'orderId'],
    indexes: { checkoutOtpsByExpiry: { columns: ['expiresAt'] } },
    checks: ['tries between 0 and 3'],
  }),

  /** What is told to one endpoint about one order, in order: `next` is the first that was not delivered. */
  notificationStreams: table({
    columns: {
      mid: text,
      orderId: text,
      endpoint: oneOf('merchant', 'peon', 'callback'),
      status: oneOf('IDLE', 'ACTIVE', 'DEAD'),
      last: integer,
      next: integer,
      /** Of the first that was not delivered. */
      attempts: integer,
      updatedAt: instant,
    },
    key: ['mid', 'orderId', 'endpoint'],
    indexes: { deadStreams: { columns: ['mid', 'updatedAt'], where: "status = 'DEAD'" } },
    checks: ['last >= 1', 'next between 1 and last + 1', "(status = 'IDLE') = (next = last + 1)"],
  }),
  notifications: table({
    columns: {
      mid: text,
      orderId: text,
      endpoint: oneOf('merchant', 'peon', 'callback'),
      /** Its place in the stream, with leading zeros. */
      sequence: text,
      notificationId: text,
      status: oneOf('OPEN', 'DELIVERED', 'DEAD'),
      form: oneOf('json', 'classic'),
      url: text,
      /** The event that it tells of: aggregate, id and version. */
      event: text,
      content: sealed<Readonly<Record<string, string>>>(),
      /** All that were ever made: the number of the latest row of the delivery log. */
      attempts: integer,
      createdAt: instant,
      deliveredAt: optionalInstant,
    },
    key: ['mid', 'orderId', 'endpoint', 'sequence'],
    indexes: { notificationsById: { columns: ['mid', 'notificationId'], unique: true } },
    checks: ["(status = 'DELIVERED') = (delivered_at is not null)", 'attempts >= 0'],
  }),
  /** The delivery log: every attempt, and what came of it. */
  deliveryAttempts: table({
    columns: {
      mid: text,
      notificationId: text,
      attempt: text,
      at: integer,
      durationMs: integer,
      /** 0 when nobody answered. */
      httpStatus: integer,
      /** In our own words; never what the other side said. */
      outcome: text,
    },
    key: ['mid', 'notificationId', 'attempt'],
  }),
  /** An endpoint that answered 410: nothing is sent there until an operator starts it again. */
  stoppedEndpoints: table({ columns: { mid: text, url: text, stoppedAt: instant }, key: ['mid', 'url'] }),

  /** A request that came with an Idempotency-Key and what it was answered: docs/interface.md section 4. */
  idempotencyKeys: table({
    columns: {
      owner: text,
      operation: text,
      keyHash: text,
      requestHash: text,
      /**
       * What was decided; `told` is what the caller heard in the end, where more had to be done after the decision. Where replies
       * are signed, `signedBy` is the key that signed it.
       */
      reply: sealed<KeptReply & { told?: KeptReply; signedBy?: KeyName }>(),
      at: integer,
    },
    key: ['owner', 'operation', 'keyHash'],
    indexes: { idempotencyKeysByAge: { columns: ['at'] } },
  }),

  /** Single values that every process must agree on: the store's mode, which master key it is written with, the sandbox clock's offset. */
  settings: table({ columns: { name: text, value: text }, key: ['name'] }),

  signInClients: table({
    columns: { clientId: text, secretHash: text, scopes: json<readonly string[]>() },
    key: ['clientId'],
  }),

  /** A one-time password that was sent: by the keyed hash of its state_token, holding its own keyed hash only. */
  otpChallenges: table({
    columns: {
      stateTokenHash: text,
      clientId: text,
      deviceHash: text,
      mobile: text,
      scopes: json<readonly string[]>(),
      otpHash: text,
      /** Wrong answers so far, and how many end it. */
      tries: integer,
      triesMax: integer,
      createdAt: instant,
      expiresAt: integer,
      consumedAt: optionalInstant,
    },
    key: ['stateTokenHash'],
    indexes: { otpChallengesByExpiry: { columns: ['expiresAt'] } },
    checks: [
      'tries between 0 and tries_max',
      'expires_at - created_at between 1 and 600000',
      'consumed_at is null or (consumed_at < expires_at and tries < tries_max)',
    ],
  }),

  /** When one-time passwords were sent to a number, over the last day. */
  otpSends: table({
    columns: { mobile: text, sentAt: json<readonly number[]>(), lastAt: integer },
    key: ['mobile'],
    indexes: { otpSendsByAge: { columns: ['lastAt'] } },
  }),

  /** The same for the checkout, whose sends take none away from an app's. */
  checkoutOtpSends: table({
    columns: { mobile: text, sentAt: json<readonly number[]>(), lastAt: integer },
    key: ['mobile'],
    indexes: { checkoutOtpSendsByAge: { columns: ['lastAt'] } },
  }),

  /** When a device was wrong about a number's one-time passwords, over the last hour. */
  otpFailures: table({
    columns: { mobile: text, deviceHash: text, failedAt: json<readonly number[]>(), lastAt: integer },
    key: ['mobile', 'deviceHash'],
    indexes: { otpFailuresByAge: { columns: ['lastAt'] } },
  }),

  /** Every token that comes of one sign-in: one family for one one-time password. */
  tokenFamilies: table({
    columns: {
      familyId: text,
      version: integer,
      status: oneOf('ACTIVE', 'REVOKED'),
      stateTokenHash: text,
      clientId: text,
      deviceHash: text,
      mobile: text,
      userId: text,
      scopes: json<readonly string[]>(),
      createdAt: instant,
      /** Its SSO tokens that have not expired, oldest first: what has to be revoked with it. */
      ssoTokens: json<readonly { tokenHash: string; expiresAt: number }[]>(),
      /** The time of its latest event; 0 in a family from before it was kept. */
      updatedAt: instant,
    },
    key: ['familyId'],
    indexes: {
      tokenFamiliesByChallenge: { columns: ['stateTokenHash'], unique: true },
      tokenFamiliesByAge: { columns: ['createdAt'] },
    },
    checks: ['version >= 1'],
  }),

  /** By its keyed hash; `generation` counts the rotations of its family. */
  refreshTokens: table({
    columns: {
      tokenHash: text,
      familyId: text,
      generation: integer,
      issuedAt: instant,
      expiresAt: integer,
      usedAt: optionalInstant,
      /** What the rotation gave, for a minute: whoever did not hear it may ask again. */
      successor: optionalSealed<{ refreshToken: string; ssoToken: string; expiresAt: number }>(),
      successorUntil: optionalInteger,
    },
    key: ['tokenHash'],
    indexes: {
      refreshTokensByFamily: { columns: ['familyId', 'generation'], unique: true },
      refreshTokensByExpiry: { columns: ['expiresAt'] },
      refreshTokensBySuccessor: { columns: ['successorUntil'] },
    },
    checks: ['generation >= 1'],
  }),

  /** An access (SSO) token by its keyed hash; the token itself is never kept. */
  ssoTokens: table({
    columns: {
      tokenHash: text,
      userId: text,
      mobile: text,
      clientId: text,
      familyId: text,
      scopes: json<readonly string[]>(),
      issuedAt: instant,
      expiresAt: integer,
      revokedAt: optionalInstant,
    },
    key: ['tokenHash'],
    indexes: { ssoTokensByExpiry: { columns: ['expiresAt'] } },
  }),

  /** Which user a merchant's customer is: set by the first valid SSO token that arrives with the custId. */
  customerLinks: table({
    columns: { mid: text, custId: text, userId: text, linkedAt: instant },
    key: ['mid', 'custId'],
  }),

  customers: table({
    columns: {
      mobile: text,
      userId: text,
      walletBalancePaise: integer,
      /** When a change of the number's owner began to be verified: docs/interface.md section 4.1. */
      pendingVerificationSince: optionalInteger,
      /** When an OTP that was sent to the number last came back. */
      signedInAt: optionalInteger,
    },
    key: ['mobile'],
    indexes: { customersByUser: { columns: ['userId'], unique: true } },
    checks: ['wallet_balance_paise >= 0'],
  }),

  /** What a merchant offers: docs/interface.md section 4.4. An empty list binds nothing; the dates are days in India, both included. */
  promotions: table({
    columns: {
      mid: text,
      promocode: text,
      kind: oneOf('DISCOUNT', 'CASHBACK'),
      title: text,
      /** Either a flat amount, or hundredths of a percent with or without a cap. */
      flatPaise: optionalInteger,
      percentHundredths: optionalInteger,
      upToPaise: optionalInteger,
      minAmountPaise: integer,
      payMethods: json<readonly string[]>(),
      banks: json<readonly string[]>(),
      bins: json<readonly string[]>(),
      skus: json<readonly string[]>(),
      validFrom: text,
      validUpto: text,
      budgetPaise: optionalInteger,
      /** Who pays for it; settlement reads it. */
      fundedBy: text,
      maxPerCustomer: optionalInteger,
      visible: boolean,
    },
    key: ['mid', 'promocode'],
    indexes: { promotionsByEnd: { columns: ['mid', 'validUpto', 'promocode'] } },
    checks: [
      '(flat_paise is null) <> (percent_hundredths is null)',
      'flat_paise > 0',
      'percent_hundredths between 1 and 10000',
      'up_to_paise is null or (up_to_paise > 0 and percent_hundredths is not null)',
      'min_amount_paise >= 0',
      'budget_paise >= 0',
      'max_per_customer >= 1',
      'valid_from <= valid_upto',
    ],
  }),

  /** What of a promotion is used up: by one customer, and by everybody in the row whose custId is empty. */
  promotionCounters: table({
    columns: {
      mid: text,
      promocode: text,
      custId: text,
      uses: integer,
      amountPaise: integer,
      /** The promotion's budget and customer limit as they were at the latest redemption, for the CHECKs. */
      budgetPaise: optionalInteger,
      usesMax: optionalInteger,
    },
    key: ['mid', 'promocode', 'custId'],
    checks: [
      'uses >= 0',
      'amount_paise >= 0',
      'uses > 0 or amount_paise = 0',
      'budget_paise is null or amount_paise <= budget_paise',
      'uses_max is null or uses <= uses_max',
    ],
  }),

  /** Read-only credentials by their keyed hash. Kept for ever: a referenceId is used once (docs/interface.md section 4.8). */
  accessTokens: table({
    columns: {
      mid: text,
      referenceId: text,
      tokenHash: text,
      issuedAt: instant,
      expiresAt: integer,
      /** Whose saved instruments it shows: the customer that was named, and the user who signed in with it. */
      custId: optionalText,
      payer: optionalSealed<Payer>(),
    },
    key: ['mid', 'referenceId'],
    indexes: { accessTokensByHash: { columns: ['tokenHash'], unique: true } },
    checks: ['expires_at > issued_at'],
  }),

  /** A payment page that was opened for an order, by the keyed hash of its id: docs/pages.md. It says nothing of the payment itself. */
  pages: table({
    columns: {
      pageHash: text,
      mid: text,
      orderId: text,
      kind: oneOf('full', 'framed'),
      openedAt: instant,
      /** Until then it may be paid from. */
      until: integer,
      /** How often the payer asked for more time. */
      extensions: integer,
      /** Of the site that holds it in a frame. */
      embeddingOrigin: optionalText,
      /** Keyed hash of the browser's User-Agent: what a sign-in shows is for that browser. */
      agentHash: text,
      view: sealed<PageView>(),
    },
    key: ['pageHash'],
    indexes: { pagesByEnd: { columns: ['until'] } },
    checks: ['until > opened_at', 'extensions between 0 and 10'],
  }),

  /** What a payer's messages lead to his mandate by, as the keyed hash of its id: docs/pages.md. */
  mandateLinks: table({
    columns: { linkHash: text, mid: text, subscriptionId: text, createdAt: instant },
    key: ['linkHash'],
    indexes: { mandateLinksOfSubscription: { columns: ['mid', 'subscriptionId'], unique: true } },
  }),

  /** A page of a mandate that somebody with its link has asked for, and the latest code that was sent to its payer for it: docs/pages.md. */
  mandatePages: table({
    columns: {
      pageHash: text,
      mid: text,
      subscriptionId: text,
      /** Keyed hash of the browser's User-Agent: the page is for that browser. */
      agentHash: text,
      view: sealed<PageView>(),
      askedAt: instant,
      /** When the code came back; null before, and then nothing is shown. */
      openedAt: optionalInstant,
      /** Until then it shows and does something; before it is opened, until the code is over. */
      until: integer,
      /** How often the payer asked for more time. */
      extensions: integer,
      mobile: text,
      /** Of the code and what it is for together: `open`, `debit:<noticeId>`, `edit:<editId>`. */
      codeHash: text,
      codeFor: text,
      tries: integer,
      triesMax: integer,
      codeUntil: integer,
      usedAt: optionalInteger,
    },
    key: ['pageHash'],
    indexes: { mandatePagesByEnd: { columns: ['until'] } },
    checks: [
      'until > asked_at',
      'extensions between 0 and 10',
      'tries between 0 and tries_max',
      "opened_at is not null or (code_for = 'open' and used_at is null)",
      'used_at is null or (used_at < code_until and tries < tries_max)',
    ],
  }),

  /** When codes for mandates were sent to a number, over the last day: they take none away from sign-ins. */
  mandateCodeSends: table({
    columns: { mobile: text, sentAt: json<readonly number[]>(), lastAt: integer },
    key: ['mobile'],
    indexes: { mandateCodeSendsByAge: { columns: ['lastAt'] } },
  }),

  /** The sandbox's SMS inbox. */
  messages: table({
    columns: { mobile: text, id: text, at: integer, kind: text, content: sealed<{ text: string; otp?: string }>() },
    key: ['mobile', 'id'],
    indexes: { messagesByTime: { columns: ['mobile', 'at', 'id'] } },
  }),
} as const

export type Tables = typeof tables
export type TableName = keyof Tables
type TypeOf<C> = C extends Column<infer T> ? T : never
export type Row<T extends TableName> = { readonly [C in keyof Tables[T]['columns']]: TypeOf<Tables[T]['columns'][C]> }

/** A row by its key. `lock` is for rows that the decision may change; `look` keeps merchants' orders from queueing behind each other. */
export interface Key<T extends TableName = TableName> {
  readonly table: T
  readonly id: readonly string[]
  readonly mode: 'lock' | 'look'
  /** Table and id as one text, made once: a batch looks keys up many times. */
  readonly name: string
}
export function nameOf(table: TableName, id: readonly string[]): string {
  let name: string = table // a hundred of them are made for one paid order, and a join costs half as much again
  for (const part of id) name += `\u0000${part}`
  return name
}
const keyOf =
  (mode: Key['mode']) =>
  <T extends TableName>(table: T, ...id: string[]): Key<T> => ({ table, id, mode, name: nameOf(table, id) })
export const lock = keyOf('lock')
export const look = keyOf('look')

/** A declared set of rows, read without a lock; made by `find`, which knows the table's columns. */
export interface Find<T extends TableName = TableName> {
  readonly find: T
  readonly equals?: Readonly<Record<string, unknown>>
  readonly in?: { readonly column: string; readonly values: readonly (string | number)[] }
  readonly atMost?: Readonly<Record<string, unknown>>
  readonly atLeast?: Readonly<Record<string, unknown>>
  /** Of all rows that are equal in `of` only the one that is last by `by`. */
  readonly lastOf?: { readonly of: readonly string[]; readonly by: string }
  /** All in one direction, so that `beyond` can be compared as one value. */
  readonly orderBy?: readonly string[]
  readonly direction?: 'asc' | 'desc'
  readonly beyond?: readonly (string | number)[]
  readonly limit: number
  /** How many of them are passed over first: for lists whose pages have numbers, and whose last page is bounded. */
  readonly offset?: number
  /** Sealed columns and JSON are left as null: for whoever looks what is due, so that one row that cannot be opened does not hide all others. */
  readonly unopened?: true
}
type ColumnName<T extends TableName> = keyof Row<T> & string
export const find = <T extends TableName>(
  table: T,
  options: Omit<Find<T>, 'find' | 'equals' | 'in' | 'atMost' | 'atLeast' | 'lastOf' | 'orderBy'> & {
    readonly equals?: Partial<Row<T>>
    readonly in?: { readonly column: ColumnName<T>; readonly values: readonly (string | number)[] }
    readonly atMost?: Partial<Row<T>>
    readonly atLeast?: Partial<Row<T>>
    readonly lastOf?: { readonly of: readonly ColumnName<T>[]; readonly by: ColumnName<T> }
    readonly orderBy?: readonly ColumnName<T>[]
  },
): Find<T> => ({ find: table, ...options })

/** The row that an event is about, by the first word of its type. */
export function aggregateOf({
  type,
  owner,
  id,
}: {
  type: string
  owner: string
  id: string
}): { table: TableName; name: string } | undefined {
  const table = AGGREGATES[type.slice(0, type.indexOf('.'))]
  return table && { table, name: nameOf(table, table === 'tokenFamilies' ? [id] : [owner, id]) }
}
const AGGREGATES: Readonly<Record<string, TableName>> = {
  order: 'orders',
  transaction: 'transactions',
  refund: 'refunds',
  redemption: 'redemptions',
  subscription: 'subscriptions',
  collection: 'collections',
  signin: 'tokenFamilies',
}

export const merchantKey = (mid: string) => look('merchants', mid)
export const orderKey = (mid: string, orderId: string) => lock('orders', mid, orderId)
export const transactionKey = (mid: string, txnId: string) => lock('transactions', mid, txnId)
export const transactionsOfOrder = (mid: string, orderId: string) =>
  find('transactions', { equals: { mid, orderId }, orderBy: ['attempt'], limit: 5 })
export const refundKey = (mid: string, refId: string) => lock('refunds', mid, refId)
/** A page of a list by time: docs/interface.md sections 4.16 and 4.17. */
export interface ListPage {
  from: number
  to: number
  direction: 'asc' | 'desc'
  limit: number
  offset: number
}
/** The attempt that an order stands by, its last, of every order; by when it began. */
export const lastTransactionsBetween = (
  { from, to, ...page }: ListPage,
  equals: Partial<Row<'transactions'>>,
  statuses: readonly string[] | undefined,
) =>
  find('transactions', {
    equals,
    atLeast: { initiatedAt: from },
    atMost: { initiatedAt: to },
    ...(statuses && { in: { column: 'status', values: statuses } }),
    lastOf: { of: ['mid', 'orderId'], by: 'attempt' },
    orderBy: ['initiatedAt', 'txnId'],
    ...page,
  })
export const refundsBetween = ({ from, to, ...page }: ListPage, mid: string) =>
  find('refunds', {
    equals: { mid },
    atLeast: { requestedAt: from },
    atMost: { requestedAt: to },
    orderBy: ['requestedAt', 'refId'],
    ...page,
  })
export const ledgerKey = (owner: string, movement: string, line: string) => lock('ledgerEntries', owner, movement, line)
export const redemptionKey = (mid: string, txnId: string) => lock('redemptions', mid, txnId)
/** For the decision that moves it; custId '' stands for everybody. */
export const counterKey = (mid: string, promocode: string, custId: string) => lock('promotionCounters', mid, promocode, custId)
export const savedCardKey = (mid: string, custId: string, savedCardId: string) => lock('savedCards', mid, custId, savedCardId)
const SAVED_CARDS_MAX = 20 // ours: of one customer with one merchant
export const savedCardsOf = (mid: string, custId: string) => find('savedCards', { equals: { mid, custId }, limit: SAVED_CARDS_MAX })
export const checkoutOtpKey = (mid: string, orderId: string) => lock('checkoutOtps', mid, orderId)
export type Endpoint = Row<'notifications'>['endpoint']
export const streamKey = (mid: string, orderId: string, endpoint: Endpoint) => lock('notificationStreams', mid, orderId, endpoint)
export const notificationKey = (mid: string, orderId: string, endpoint: Endpoint, sequence: string) =>
  lock('notifications', mid, orderId, endpoint, sequence)
export const deliveryAttemptKey = (mid: string, notificationId: string, attempt: string) =>
  lock('deliveryAttempts', mid, notificationId, attempt)
export const stoppedEndpointKey = (mid: string, url: string) => lock('stoppedEndpoints', mid, url)
export const idempotencyKey = (owner: string, operation: string, keyHash: string) => lock('idempotencyKeys', owner, operation, keyHash)
export const subscriptionKey = (mid: string, subscriptionId: string) => lock('subscriptions', mid, subscriptionId)
export const collectionKey = (mid: string, collectionId: string) => lock('collections', mid, collectionId)
/** Cycles whose time has come, and subscriptions that move by themselves; the longest overdue first. */
export const collectionsDue = (now: number, limit: number) =>
  find('collections', { atMost: { nextAt: now }, orderBy: ['nextAt', 'mid'], limit })
/** The same, behind all that one merchant has due at one instant. */
export const collectionsDueBeyond = (now: number, beyond: readonly [nextAt: number, mid: string], limit: number) =>
  find('collections', { atMost: { nextAt: now }, orderBy: ['nextAt', 'mid'], beyond, limit })
export const subscriptionsToWake = (now: number, limit: number) =>
  find('subscriptions', { atMost: { wakesAt: now }, orderBy: ['wakesAt'], limit, unopened: true })
/** Debits of a cycle that their bank may still make, or has not wholly given back: one beside that in flight is enough to bar the next. */
export const debitsOpenAtBank = ({ mid, collectionId }: Pick<Row<'collections'>, 'mid' | 'collectionId'>) =>
  find('transactions', { equals: { mid, collectionId, openAtBank: true }, limit: 2 })
/** Those of its cycles that have not ended: one or two by the calendar, on demand one for each day that was told of. */
export const openCollectionsOf = (mid: string, subscriptionId: string) =>
  find('collections', {
    equals: { mid, subscriptionId },
    in: { column: 'status', values: ['SCHEDULED', 'NOTIFIED', 'IN_FLIGHT'] },
    orderBy: ['dueDate'],
    limit: OPEN_COLLECTIONS_MAX,
  })
const OPEN_COLLECTIONS_MAX = 32 // ours: seven days ahead, and attempts that nobody has answered
/** The cycles of a subscription from the newest back. */
export const collectionsOf = (mid: string, subscriptionId: string, limit: number) =>
  find('collections', { equals: { mid, subscriptionId }, orderBy: ['dueDate'], direction: 'desc', limit })
export const noticeKey = (mid: string, noticeId: string) => lock('notices', mid, noticeId)
/** The one that stands, or may still come to stand. */
export const standingNoticeOf = (mid: string, collectionId: string) =>
  find('notices', { equals: { mid, collectionId }, in: { column: 'status', values: ['PENDING', 'SUCCESS'] }, limit: 1 })
/** The newest of a subscription's notices that are so. */
export const newestNotice = (equals: Partial<Row<'notices'>>) =>
  find('notices', { equals, orderBy: ['requestedAt', 'noticeId'], direction: 'desc', limit: 1 })
export const usedSignatureKey = (mid: string, signatureHash: string) => lock('usedSignatures', mid, signatureHash)
export const taskKey = (task: string, subject: string) => lock('tasks', task, subject)
export const settingKey = (name: string) => lock('settings', name)
export const signInClientKey = (clientId: string) => look('signInClients', clientId)
export const ssoTokenKey = (tokenHash: string) => look('ssoTokens', tokenHash)
export const customerLinkKey = (mid: string, custId: string) => lock('customerLinks', mid, custId)
export const promotionKey = (mid: string, promocode: string) => look('promotions', mid, promocode)
/** Promotions that end on `day` or later and have begun by then: the row-wise comparison stands in for `validUpto >= day`. */
export const promotionsLiveOn = (mid: string, day: string, limit: number) =>
  find('promotions', { equals: { mid }, atMost: { validFrom: day }, orderBy: ['validUpto', 'promocode'], beyond: [day, ''], limit })
/** For one promotion, and for many of one customer; custId '' stands for everybody. */
export const countersOfPromotion = (mid: string, promocode: string, custIds: readonly string[]) =>
  find('promotionCounters', { equals: { mid, promocode }, in: { column: 'custId', values: custIds }, limit: custIds.length })
export const countersOfCustomer = (mid: string, custId: string, promocodes: readonly string[]) =>
  find('promotionCounters', { equals: { mid, custId }, in: { column: 'promocode', values: promocodes }, limit: promocodes.length })
export const accessTokenKey = (mid: string, referenceId: string) => lock('accessTokens', mid, referenceId)
export const customerKey = (mobile: string) => look('customers', mobile)
/** For a decision that may make the customer: the first sign-in of a number. */
export const newCustomerKey = (mobile: string) => lock('customers', mobile)
export const otpChallengeKey = (stateTokenHash: string) => lock('otpChallenges', stateTokenHash)
export const otpSendsKey = (mobile: string) => lock('otpSends', mobile)
export const checkoutOtpSendsKey = (mobile: string) => lock('checkoutOtpSends', mobile)
export const otpFailuresKey = (mobile: string, deviceHash: string) => lock('otpFailures', mobile, deviceHash)
export const tokenFamilyKey = (familyId: string) => lock('tokenFamilies', familyId)
/** For whoever only asks whether a sign-in still stands. */
export const signInKey = (familyId: string) => look('tokenFamilies', familyId)
export const refreshTokenKey = (tokenHash: string) => lock('refreshTokens', tokenHash)
/** For the decision that issues it; everybody else only looks. */
export const newSsoTokenKey = (tokenHash: string) => lock('ssoTokens', tokenHash)
export const pageKey = (pageHash: string) => lock('pages', pageHash)
export const mandateLinkKey = (linkHash: string) => lock('mandateLinks', linkHash)
export const mandatePageKey = (pageHash: string) => lock('mandatePages', pageHash)
export const mandateCodeSendsKey = (mobile: string) => lock('mandateCodeSends', mobile)
export const messageKey = (mobile: string, id: string) => lock('messages', mobile, id)
export const messagesOf = (mobile: string) => find('messages', { equals: { mobile }, orderBy: ['at', 'id'], direction: 'desc', limit: 100 })
/** A customer's subscriptions, newest first, from the place after `beyond` (createdAt, subscriptionId). */
export const subscriptionsOf = (
  equals: Partial<Row<'subscriptions'>>,
  statuses: readonly string[] | undefined,
  beyond: readonly [number, string] | undefined,
  limit: number,
) =>
  find('subscriptions', {
    equals,
    ...(statuses && { in: { column: 'status', values: statuses } }),
    orderBy: ['createdAt', 'subscriptionId'],
    direction: 'desc',
    ...(beyond && { beyond }),
    limit,
  })
/** Orders whose txnToken was issued at that very millisecond: a handful, of which at most one has the token's hash. */
export const ordersByTokenTime = (txnTokenIssuedAt: number) => find('orders', { equals: { txnTokenIssuedAt }, limit: 1_000 })
/** Orders that nobody paid in time, the longest overdue first. */
export const ordersToExpire = (now: number) =>
  find('orders', { equals: { status: 'CREATED' }, atMost: { expiresAt: now }, orderBy: ['expiresAt'], limit: 500, unopened: true })
export const idempotencyKeysUntil = (at: number) => find('idempotencyKeys', { atMost: { at }, orderBy: ['at'], limit: 500, unopened: true })
export const signaturesUsedUntil = (usedAt: number) => find('usedSignatures', { atMost: { usedAt }, orderBy: ['usedAt'], limit: 500 })
export const MERCHANT_KEYS_MAX = 100 // of all clientIds and generations together: rotating adds no key beyond it
/** All of them; generations are text, so what is newest is for the reader to say. */
export const merchantKeysOf = (mid: string) => find('merchantKeys', { equals: { mid }, orderBy: ['position'], limit: MERCHANT_KEYS_MAX })
