import { instant, integer, oneOf, optionalText, sealed, table, text } from './columns.ts'

/** Money back on a transaction: docs/interface.md section 4. A refund of our own making has a refId that no merchant can write. */
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
    /** What of it goes back to the instrument, and what to the wallet. */
    bankPaise: integer,
    walletPaise: integer,
    /** Of what the merchant asked for: the same refId with other content is refused. */
    contentHash: text,
    bankTxnId: optionalText,
    /**
     * `checksumHash` of one that came in the flat form: the same checksum asks for no other. `keyedBy` is not in our own of a payer's
     * payment, and `isHeardOf` says that its bank spoke of it first: domain/refund/refund.ts.
     */
    details: sealed<{ comments?: string; checksumHash?: string; keyedBy?: 'refId' | 'collectKey'; isHeardOf?: true }>(),
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
