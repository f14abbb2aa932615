// Clients of the payment host create and change orders and subscriptions in spellings of their own. This file turns their requests into the
// interface's words: docs/interface.md section 4.9. The first path of each operation accepts only what its tables say.

import { isObject, type JsonObject } from '../../interface/envelope.ts'
import * as fields from '../../interface/fields.ts'
import { at, type Parts, withDigits } from '../../interface/numbered-ids.ts'
import { fitted } from './long-texts.ts'

/** `written` gives the whole request with its numbers as they were written. Calling it costs a second reading, which few requests need. */
export function fromPaymentHost(given: Parts, written: () => JsonObject): Parts {
  const { head, body } = withDigits(given, written)
  const { txnAmount, userInfo } = body
  const isNumber = { clientId: typeof head['clientId'] === 'number', amount: isObject(txnAmount) && typeof txnAmount['value'] === 'number' }
  const texts = isNumber.clientId || isNumber.amount ? written() : {}
  return {
    head: isNumber.clientId ? { ...head, clientId: at(texts, 'head', 'clientId') } : head,
    body: {
      ...body,
      ...(isNumber.amount && { txnAmount: { ...(txnAmount as JsonObject), value: at(texts, 'body', 'txnAmount', 'value') } }),
      ...(isObject(userInfo) && { userInfo: fitted(reachable(userInfo), fields.userInfo.properties) }),
      ...fittedEach(body, 'goodsInfo', fields.goodsInfo.properties),
      ...fittedEach(body, 'shippingInfo', fields.shippingInfo.properties),
    },
  }
}

/**
 * The payment host's clients send an order's token as `txnToken`, and leave out its kind. Operations that require `tokenType` and `token`
 * accept both spellings.
 */
export const withToken = (head: JsonObject): JsonObject =>
  head['txnToken'] === undefined ? head : { tokenType: 'TXN_TOKEN', token: head['txnToken'], ...head }

/** Applies `fitted` to each element of a list. A value that is no list stays unchanged, and validation refuses it. */
const fittedEach = (body: JsonObject, list: string, members: Parameters<typeof fitted>[1]): JsonObject =>
  Array.isArray(body[list]) ? { [list]: body[list].map((element) => (isObject(element) ? fitted(element, members) : element)) } : {}

/** A phone number or e-mail address that can reach no payer counts as absent. A value that is no text stays, and validation refuses it. */
function reachable(userInfo: JsonObject): JsonObject {
  const { mobile, email, ...others } = userInfo
  const number = typeof mobile === 'string' ? fields.bareMobile(mobile) : mobile
  return {
    ...others,
    ...(number !== undefined && { mobile: number }),
    ...(email !== undefined && (typeof email !== 'string' || fields.isEmail(email)) && { email }),
  }
}
