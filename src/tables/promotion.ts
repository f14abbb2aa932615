import { boolean, instant, integer, json, oneOf, optionalInteger, optionalSealed, optionalText, table, text } from './columns.ts'
import type { Payer } from './signin.ts'

/** One use of a promotion by one transaction (docs/interface.md section 4.4). */
export const redemptions = table({
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
})

/** A merchant's offer (docs/interface.md section 4.4). An empty list binds nothing. The dates are days in India, both included. */
export const promotions = table({
  columns: {
    mid: text,
    promocode: text,
    kind: oneOf('DISCOUNT', 'CASHBACK'),
    title: text,
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
    /** The party that pays for it. Settlement reads it. */
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
})

/** The used part of a promotion: by one customer, and by all of them in the row with the empty custId. */
export const promotionCounters = table({
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
})

/** Read-only credentials by their keyed hash. Kept for ever, because a referenceId is used once (docs/interface.md section 4.8). */
export const accessTokens = table({
  columns: {
    mid: text,
    referenceId: text,
    tokenHash: text,
    issuedAt: instant,
    expiresAt: integer,
    /**
     * The owners of the saved instruments that it shows: the customer that the merchant named, and the user of the SSO token in the
     * request.
     */
    custId: optionalText,
    payer: optionalSealed<Payer>(),
  },
  key: ['mid', 'referenceId'],
  indexes: { accessTokensByHash: { columns: ['tokenHash'], unique: true } },
  checks: ['expires_at > issued_at'],
})
