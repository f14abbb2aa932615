// What both steps of the checkout's login rest on: docs/interface.md sections 4.23 and 4.24. The txnToken says which order
// the payer stands before; signing in says whose wallet may pay it.

import Type from 'typebox'
import * as fields from '../interface/fields.ts'
import type { ResultCode } from '../interface/result-codes.ts'
import { issuedAt, TXN_TOKEN_VALIDITY_MS } from '../order/order.ts'
import { orderKey, ordersByTokenTime, type Row } from '../tables.ts'

export const CHECKOUT_OTP_VALIDITY_MS = 2 * 60_000 // docs/interface.md section 8 (Mohur)
export const CHECKOUT_OTP_TRIES_MAX = 3 // docs/interface.md section 8 (Mohur)
export const CHECKOUT_OTP_SENDS_MAX = 5 // docs/interface.md section 8 (Mohur): for one order, to whatever numbers

export const head = Type.Object({ tokenType: Type.Enum(['TXN_TOKEN']), token: fields.string() })

/** Which order is meant: as the query says, and as the token says. */
export interface AtCheckout {
  mid: string
  orderId: string
  token: { text: string; hash: string }
}

type Order = Row<'orders'>
interface Found {
  named: Order | undefined
  others?: readonly Order[] | undefined
}

/** The token decides which order is meant; nearly always the one that the query names: docs/decisions/0002. */
export const readsOrder = ({ mid, orderId }: AtCheckout) => ({ named: orderKey(mid, orderId) })
export function readsOthers({ token }: AtCheckout, { named }: Found) {
  const time = named?.txnTokenHash === token.hash ? undefined : issuedAt(token.text)
  return { others: time === undefined ? undefined : ordersByTokenTime(time) }
}

interface Codes<Code> {
  invalidToken: Code
  midMismatch: Code
  orderIdMismatch: Code
  orderPaid: Code
  orderClosed: Code
  transactionInProcess: Code
}

/** The order that may be signed in to, or why there is none. */
export function orderAtCheckout<Code extends ResultCode>(
  { mid, orderId, token }: AtCheckout,
  { named, others }: Found,
  now: number,
  codes: Codes<Code>,
): { order: Order; refusal?: never } | { order?: never; refusal: Code } {
  const order = named?.txnTokenHash === token.hash ? named : others?.find(({ txnTokenHash }) => txnTokenHash === token.hash)
  if (!order) return { refusal: codes.invalidToken }
  if (order.mid !== mid) return { refusal: codes.midMismatch }
  if (order.orderId !== orderId) return { refusal: codes.orderIdMismatch }
  switch (order.status) {
    case 'PAID':
      return { refusal: codes.orderPaid }
    case 'CLOSED':
      return { refusal: codes.orderClosed }
    case 'IN_PROCESS':
      return { refusal: codes.transactionInProcess } // whose wallet it is does not change under a payment
    case 'CREATED':
      break
    default:
      return order.status satisfies never
  }
  if (now >= order.txnTokenIssuedAt + TXN_TOKEN_VALIDITY_MS) return { refusal: codes.invalidToken }
  return { order }
}
