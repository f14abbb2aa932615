// Fills the sample requests of operations (api/kit/sample.ts).

import type { Known, Sample } from '../api/kit/sample.ts'
import { dateInIndia } from '../engine/clock.ts'
import { BODY_BYTES_MAX } from '../interface/envelope.ts'

/** The words that a sample may leave open. `knownAt` makes some of the words, and earlier replies give the others. */
export const KNOWN = [
  ...['orderId', 'referenceId', 'txnToken', 'accessToken', 'txnId', 'refId', 'subscriptionId', 'noticeReference', 'stateToken', 'otp'],
  ...['ssoToken', 'refreshToken', 'startDate', 'expiryDate', 'fromDate', 'toDate'],
] as const
/** The words of samples that need no earlier reply. `chance` makes ids that no caller has used. */
export function knownAt(now: number, chance: string): Known {
  const today = Temporal.PlainDate.from(dateInIndia(now))
  return {
    orderId: `ORDER_${chance}`,
    referenceId: `REF_${chance}`.slice(0, 20),
    refId: `REFUND_${chance}`,
    noticeReference: `NOTICE_${chance}`,
    startDate: today.add({ months: 1 }).toString(),
    expiryDate: today.add({ years: 1 }).toString(),
    fromDate: `${today.subtract({ days: 7 })}T00:00:00+05:30`,
    toDate: `${today}T23:59:59+05:30`,
  }
}

const MARKER = /\{([a-zA-Z]+)\}/g
/**
 * Puts known values into JSON, in the place of their words in braces. An unknown word becomes a word of capitals: `TXN_TOKEN`. Once the
 * request would be too long, words stay unchanged.
 */
export function filled(json: string, known: Known): string {
  let room = BODY_BYTES_MAX - json.length
  return json.replace(MARKER, (whole, name: string) => {
    if (name === 'signature' || room < 0) return whole
    const value = inJson((Object.hasOwn(known, name) ? known[name] : undefined) ?? placeholder(name))
    room -= value.length
    return room < 0 ? whole : value
  })
}
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
export const placeholder = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

/** The words in braces of a sample, in a reader's order. */
export function wantedBy({ query, headers, head, body }: Sample): readonly string[] {
  const text = [query, headers, head, body].map((part) => JSON.stringify(part ?? {})).join('')
  const names = [...text.matchAll(MARKER)].map(([, name]) => name!).filter((name) => name !== 'signature')
  return [...new Set(names)]
}
