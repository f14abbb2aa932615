import { integer, optionalText, table, text } from './columns.ts'

/** Double entry: the lines of one movement of money, whose debits and credits are equal. Written once, never changed. */
export const ledgerEntries = table({
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
    /** Whose wallet, by the user's id: with `customer_wallet` alone. */
    wallet: optionalText,
  },
  key: ['owner', 'movement', 'line'],
  indexes: { ledgerBySubject: { columns: ['owner', 'subject'] } },
  checks: [
    'debit_paise >= 0 and credit_paise >= 0',
    '(debit_paise = 0) <> (credit_paise = 0)',
    "(account = 'customer_wallet') = (wallet is not null)",
  ],
})
