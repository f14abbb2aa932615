import { table, text } from './columns.ts'

/** What a caller reads out (customer, mobile, e-mail, merchant), as a keyed hash, leads to the orders in which it stands. */
export const searchTerms = table({
  columns: {
    termHash: text,
    /** When the order's txnToken was issued: 13 digits of epoch milliseconds. */
    at: text,
    mid: text,
    orderId: text,
  },
  key: ['termHash', 'at', 'mid', 'orderId'],
})

const AT_DIGITS = 13
/** The last instant of thirteen digits, in the year 2286. */
export const LAST_INSTANT_MS = 9_999_999_999_999
/** An instant as `at` has it: texts sort as their numbers do. */
export const termInstant = (at: number) => String(at).padStart(AT_DIGITS, '0')
