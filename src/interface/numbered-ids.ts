// Ids that published clients send as numbers: docs/interface.md section 4.9.

import { isObject, type Json, type JsonObject } from './envelope.ts'

export interface Parts {
  head: JsonObject
  body: JsonObject
}

/** Where published clients send a number: the ids of their own tables. */
const IDS = ['orderId', 'refId', 'txnId'] as const

/** An id that came as an integer counts as its written digits; any other number stays what it is, and is refused: docs/interface.md section 4.9. */
export function withDigits({ head, body }: Parts, written: () => JsonObject): Parts {
  const { userInfo } = body
  const numbers = IDS.filter((id) => typeof body[id] === 'number')
  const isGuest = isObject(userInfo) && typeof userInfo['custId'] === 'number'
  if (numbers.length === 0 && !isGuest) return { head, body }
  const texts = written()
  const ids = numbers.map((id) => [id, digitsOf(body[id]!, at(texts, 'body', id))])
  const custId = isGuest && digitsOf(userInfo['custId']!, at(texts, 'body', 'userInfo', 'custId'))
  return {
    head,
    body: { ...body, ...Object.fromEntries(ids), ...(custId !== false && { userInfo: { ...(userInfo as JsonObject), custId } }) },
  }
}

const digitsOf = (value: Json, written: Json): Json =>
  Number.isSafeInteger(value) && typeof written === 'string' && /^(0|[1-9][0-9]*)$/.test(written) ? written : value

/** A member at the end of a path; null where there is none. */
export const at = (root: Json, ...path: readonly string[]): Json =>
  path.reduce<Json>((value, member) => (isObject(value) ? (value[member] ?? null) : null), root)
