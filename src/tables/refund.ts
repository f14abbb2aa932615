import { instant, integer, oneOf, optionalText, sealed, table, text } from './columns.ts'

/** Money back on a transaction (docs/interface.md section 4). Mohur's own refund has a refId that no merchant can write. */
export const refunds = table({
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
    bankPaise: integer,
    walletPaise: integer,
    /** The hash of the merchant's request. A refId that comes again with other content is refused. */
    contentHash: text,
    bankTxnId: optionalText,
    /**
     * A refund in the flat form has its `checksumHash`: the same checksum can request no other refund. Mohur's own refund of a payer's
     * payment has no `keyedBy`. `isReportedByBank`: the bank reported the refund first (domain/refund/refund.ts).
     */
    details: sealed<{ comments?: string; checksumHash?: string; keyedBy?: 'refId' | 'collectKey'; isReportedByBank?: true }>(),
    requestedAt: instant,
    updatedAt: instant,
    checks: integer,
  },
  key: ['mid', 'refId'],
  indexes: {
    refundsById: { columns: ['mid', 'refundId'], unique: true },
    refundsOfOrder: { columns: ['mid', 'orderId', 'requestedAt', 'refId'] },
    refundsByTime: { columns: ['mid', 'requestedAt', 'refId'] },
    refundsByBank: { columns: ['bankTxnId', 'mid', 'refId'], where: 'bank_txn_id is not null' },
    refundsLately: { columns: ['requestedAt', 'mid', 'refId'] },
    refundsPending: { columns: ['requestedAt', 'mid', 'refId'], where: "status = 'PENDING'" },
  },
  checks: [
    'version >= 1',
    'amount_paise > 0 and bank_paise >= 0 and wallet_paise >= 0',
    'amount_paise = bank_paise + wallet_paise',
    'updated_at >= requested_at',
  ],
})
