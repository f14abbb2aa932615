import { integer, optionalText, table, text } from './columns.ts'

/** Double entry: the lines of one movement of money, with equal debits and credits. Written once, never changed. */
export const ledgerEntries = table({
  columns: {
    /** The merchant, or `wallet` for money that moves between a wallet and the world. */
    owner: text,
    movement: text,
    line: text,
    account: text,
    debitPaise: integer,
    creditPaise: integer,
    /** The transaction that the line belongs to, or the user. */
    subject: text,
    at: integer,
    /** The wallet's owner, by the user's id. Only with `customer_wallet`. */
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
