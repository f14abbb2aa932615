// Ids at Cashfree are digests of Mohur's keys. So no table has to store them, and one key always leads to one order.

import { createHash } from 'node:crypto'

const HEX_LENGTH = 40 // Cashfree's: a refund_id has at most 40 characters

/** `m` and 43 letters, digits, `-` and `_`. Cashfree takes 45. */
export const orderIdOf = (key: string) => `m${createHash('sha256').update(key).digest('base64url')}`
export const refundIdOf = (key: string) => hex(key)
/** The form of Mohur's refund ids. Any other refund was not sent by Mohur. */
export const REFUND_ID = /^[0-9a-f]{40}$/
/** One customer of one merchant. Cashfree takes only letters and digits. */
export const customerIdOf = (mid: string, custId: string) => hex(`${mid}:${custId}`)

const hex = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, HEX_LENGTH)
