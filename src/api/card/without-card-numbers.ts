// A question for offers names cards, and pays by none. Each number loses its middle and stays in the request (docs/interface.md section
// 4.4). No acquirer is called, so nothing needs the rest.

import type { Json, JsonObject } from '../../interface/envelope.ts'
import { isObject } from '../../interface/envelope.ts'
import { BIN_DIGITS } from '../../reference/reference.ts'

const CARD_NUMBER = /^[0-9]{6,19}$/
const LAST_DIGITS = 4

/** Keeps the first eight and the last four digits, which still have a card number's form. A value of another form leaves nothing behind. */
function cut(cardNo: Json): Json {
  if (typeof cardNo !== 'string' || !CARD_NUMBER.test(cardNo)) return 'not a card number'
  return cardNo.length <= BIN_DIGITS + LAST_DIGITS ? cardNo : cardNo.slice(0, BIN_DIGITS) + cardNo.slice(-LAST_DIGITS)
}

/** Runs before anything is validated, logged or handed on, because a fault keeps its value. */
export function withoutCardNumbers(body: JsonObject): JsonObject {
  const options = body['paymentOptions']
  if (!Array.isArray(options)) return body
  return {
    ...body,
    paymentOptions: options.map((option) =>
      isObject(option) && option['cardNo'] !== undefined ? { ...option, cardNo: cut(option['cardNo']) } : option,
    ),
  }
}
