import { instant, integer, json, oneOf, optionalInstant, optionalSealed, optionalText, sealed, table, text } from './columns.ts'
import type { Payer } from './signin.ts'

export const ATTEMPTS_MAX = 5 // docs/interface.md section 8 (Mohur): of one order; codes that were left unpaid do not count
export const CODES_LEFT_MAX = 10 // docs/interface.md section 8 (Mohur), docs/decisions/0026

export type OrderStatus = 'CREATED' | 'IN_PROCESS' | 'PAID' | 'CLOSED'

/** The parts of an order that people typed. */
export interface OrderDetails {
  userInfo: Readonly<Record<string, string>>
  goodsInfo?: unknown
  shippingInfo?: unknown
  extendInfo?: unknown
  gatewayInfo?: unknown
  txnRoutingParams?: unknown
  integrationType?: string
  /** The goods as the merchant vouches for them, once the order was modified (docs/interface.md section 4.3). */
  vouchedGoods?: unknown
  /** The offer that the merchant wants tried when the order is paid (docs/interface.md section 4.5). */
  simplifiedPaymentOffers?: { promoCode?: string; applyAvailablePromo?: boolean; validatePromo?: boolean }
  /** For an order that a checkout form made (docs/pages.md). */
  formHash?: string
}

/** The filters that a payment option list starts from (docs/interface.md section 2, PaymentMode). */
export interface PaymentModeFilters {
  enable?: readonly { mode?: string; channels?: readonly string[]; banks?: readonly string[]; tenures?: readonly number[] }[]
  disable?: readonly { mode?: string; channels?: readonly string[]; banks?: readonly string[]; tenures?: readonly number[] }[]
}

export const orders = table({
  columns: {
    mid: text,
    orderId: text,
    version: integer,
    status: oneOf('CREATED', 'IN_PROCESS', 'PAID', 'CLOSED'),
    /** RENEWAL is one attempt at a collection. A renewal order is in process from its first moment, and paid or closed at its end. */
    requestType: oneOf('PAYMENT', 'SUBSCRIPTION', 'NATIVE_SUBSCRIPTION', 'RENEWAL'),
    subscriptionId: optionalText,
    amountPaise: integer,
    modifyCount: integer,
    custId: text,
    /**
     * Terms of its customer, mobile number and e-mail address, 12 hexadecimal digits each. So the search sweep opens no sealed value: 0029.
     */
    searchTerms: text,
    websiteName: text,
    callbackUrl: optionalText,
    peonUrl: optionalText,
    txnTokenHash: text,
    /** Its digits are also the last 13 of the txnToken, by which a token alone finds its order (docs/decisions/0002). */
    txnTokenIssuedAt: instant,
    expiresAt: integer,
    paymentModes: json<PaymentModeFilters>(),
    details: sealed<OrderDetails>(),
    /** How many transactions began, and the one that is in flight or paid the order. */
    transactionCount: integer,
    txnId: optionalText,
    /** The payer who signed in for this order, by an SSO token or at the checkout. The order may be paid from their wallet. */
    payer: optionalSealed<Payer>(),
    unsignedModifyCount: integer,
    /** The time of its latest event. */
    updatedAt: instant,
    /** For a renewal: the order by which the customer consented. Its stream has the renewal's notifications. */
    consentOrderId: optionalText,
    /** How many of the transactions were codes that their payers left unpaid. Codes left unpaid do not count as attempts. */
    leftCount: integer,
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
    `left_count between 0 and ${CODES_LEFT_MAX}`,
    `transaction_count between left_count and left_count + ${ATTEMPTS_MAX}`,
  ],
})

/** A signature that modified one order may not modify another for 24 hours (docs/decisions/0004). */
export const usedSignatures = table({
  columns: { mid: text, signatureHash: text, orderId: text, usedAt: integer },
  key: ['mid', 'signatureHash'],
  indexes: { usedSignaturesByAge: { columns: ['usedAt'] } },
})

/** A one-time password from the checkout, to sign the payer in to their wallet (docs/interface.md section 4). */
export const checkoutOtps = table({
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
})

/** When the checkout sent one-time passwords to a number, over the last day. Passwords that an app's sign-in sends are counted apart. */
export const checkoutOtpSends = table({
  columns: { mobile: text, sentAt: json<readonly number[]>(), lastAt: integer },
  key: ['mobile'],
  indexes: { checkoutOtpSendsByAge: { columns: ['lastAt'] } },
})
