// Numbers that published clients send for members that are texts in the interface: docs/interface.md sections 4 and 4.9.

import { isObject, type Json, type JsonObject } from './envelope.ts'
import { otherSpelling } from './request.ts'

export interface Parts {
  head: JsonObject
  body: JsonObject
}

/** Ids that published clients keep in their own tables, and send as numbers. */
const IDS = ['orderId', 'refId', 'txnId'] as const
/** Texts of digits in members that only published clients send: section 4, "Aliases of members". The interface's own texts stay texts. */
const OURS = ['subscriptionFrequency', 'numericId'] as const

/**
 * An id that came as an integer counts as its written digits. Any other number stays a number, and is refused: docs/interface.md section
 * 4.9.
 */
export function withDigits({ head, body }: Parts, written: () => JsonObject): Parts {
  const { userInfo } = body
  const given = inDigits(body, [...IDS, ...OURS], written)
  if (!isObject(userInfo) || typeof userInfo['custId'] !== 'number') return { head, body: given }
  const custId = digitsOf(userInfo['custId'], at(written(), 'body', 'userInfo', 'custId'))
  return { head, body: { ...given, userInfo: { ...userInfo, custId } } }
}

/** On an operation's first path only the members of `OURS` may come as numbers. Ids must be texts there. */
export const withOurDigits = ({ head, body }: Parts, written: () => JsonObject): Parts => ({ head, body: inDigits(body, OURS, written) })

function inDigits(body: JsonObject, names: readonly string[], written: () => JsonObject): JsonObject {
  const numbers = names.filter((name) => typeof body[name] === 'number')
  if (numbers.length === 0) return body
  const texts = written()
  const asWritten = (name: string) => at(texts, 'body', name) ?? at(texts, 'body', otherSpelling(name))
  return { ...body, ...Object.fromEntries(numbers.map((name) => [name, digitsOf(body[name]!, asWritten(name))])) }
}

const digitsOf = (value: Json, written: Json): Json =>
  Number.isSafeInteger(value) && typeof written === 'string' && /^(0|[1-9][0-9]*)$/.test(written) ? written : value

export const at = (root: Json, ...path: readonly string[]): Json =>
  path.reduce<Json>((value, member) => (isObject(value) ? (value[member] ?? null) : null), root)
