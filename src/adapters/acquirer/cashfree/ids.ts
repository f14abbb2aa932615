// Names at Cashfree are digests of our keys, so no table has to remember them, and the same key always meets the same order.

import { createHash } from 'node:crypto'

const HEX_LENGTH = 40 // theirs: a refund_id has 40 characters at most

/** `m` and 43 letters, digits, `-` and `_`; Cashfree takes 45. */
export const orderIdOf = (key: string) => `m${createHash('sha256').update(key).digest('base64url')}`
export const refundIdOf = (key: string) => hex(key)
/** One customer of one merchant. Cashfree takes letters and digits alone. */
export const customerIdOf = (mid: string, custId: string) => hex(`${mid}:${custId}`)

const hex = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, HEX_LENGTH)
