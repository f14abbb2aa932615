import { table, text } from './columns.ts'

/** What a caller reads out (customer, mobile, e-mail address, merchant), as a keyed hash, leads to the orders that it stands in. */
export const searchTerms = table({
  columns: {
    termHash: text,
    /** When the order's txnToken was issued, or its payer signed in at checkout: 13 digits of epoch milliseconds. */
    at: text,
    mid: text,
    orderId: text,
  },
  key: ['termHash', 'at', 'mid', 'orderId'],
})
