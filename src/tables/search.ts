import { integer, table, text } from './columns.ts'

// How an order is found: docs/decisions/0029. A term is 48 bits of the keyed hash of what a caller reads out: customer, mobile number or e-mail
// address. Two texts may share a term, so the search compares the order itself with the text.

/** The terms of this many orders are sorted together. So a portion of the sweep writes few pages, and a look-up probes few segments. */
export const SEGMENT_ORDERS = 4_096
export const segmentOf = (number: number) => Math.floor(number / SEGMENT_ORDERS)

/** Orders in the order of their times, as the sweep reached them; `number` counts 0, 1, 2 … */
export const searchOrders = table({ columns: { number: integer, at: integer, mid: text, orderId: text }, key: ['number'] })

/** The terms of numbered orders. */
export const searchTerms = table({
  columns: { segment: integer, term: integer, number: integer },
  key: ['segment', 'term', 'number'],
})

/** Terms of orders without a number, and of the mobile numbers by which payers signed in to an order later. */
export const lateTerms = table({
  columns: { term: integer, at: integer, mid: text, orderId: text },
  key: ['term', 'at', 'mid', 'orderId'],
})

/** Every order that the sweep or its audit has written, numbered or not: one merchant's list. */
export const merchantOrders = table({ columns: { mid: text, at: integer, orderId: text }, key: ['mid', 'at', 'orderId'] })

/** The last instant of thirteen digits, in the year 2286. */
export const LAST_INSTANT_MS = 9_999_999_999_999
