// A request for offers names cards, but pays by none of them. Each card number loses its middle digits and stays in the request
// (docs/interface.md section 4.4). No acquirer is called, so no code needs the middle digits.

import type { Json, JsonObject } from '../../interface/envelope.ts'
import { isObject } from '../../interface/envelope.ts'
import { BIN_DIGITS } from '../../reference/reference.ts'

const CARD_NUMBER = /^[0-9]{6,19}$/
const LAST_DIGITS = 4

/** Keeps the first eight and the last four digits, which still have a card number's form. Any other value becomes a fixed text. */
function cut(cardNo: Json): Json {
  if (typeof cardNo !== 'string' || !CARD_NUMBER.test(cardNo)) return 'not a card number'
  return cardNo.length <= BIN_DIGITS + LAST_DIGITS ? cardNo : cardNo.slice(0, BIN_DIGITS) + cardNo.slice(-LAST_DIGITS)
}

/** Runs before anything is validated, logged or handed on, because a fault holds the wrong value. */
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
