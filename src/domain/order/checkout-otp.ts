// Rules for both steps of the checkout's login: docs/interface.md sections 4.23 and 4.24. The txnToken says which order the payer pays. The
// login says whose wallet may pay it.

import Type from 'typebox'
import { lastsUntil } from '../../engine/clock.ts'
import * as fields from '../../interface/fields.ts'
import type { ResultCode } from '../../interface/result-codes.ts'
import type { Row } from '../../tables/tables.ts'
import { isOpen } from '../payment-page/page.ts'
import { TXN_TOKEN_VALIDITY_MS } from './order.ts'
import { type ByToken, orderOf } from './txn-token.ts'

export const CHECKOUT_OTP_VALIDITY_MS = 2 * 60_000 // docs/interface.md section 8 (Mohur)
export const CHECKOUT_OTP_TRIES_MAX = 3 // docs/interface.md section 8 (Mohur)
export const CHECKOUT_OTP_SENDS_MAX = 5 // docs/interface.md section 8 (Mohur): for one order, to all numbers together

export const isCodeLive = ({ expiresAt }: Pick<Row<'checkoutOtps'>, 'expiresAt'>, now: number) =>
  lastsUntil(expiresAt, CHECKOUT_OTP_VALIDITY_MS, now)

export const head = Type.Object({ tokenType: Type.Enum(['TXN_TOKEN']), token: fields.string() })

interface Codes<Code> {
  invalidToken: Code
  midMismatch: Code
  orderIdMismatch: Code
  orderPaid: Code
  orderClosed: Code
  transactionInProcess: Code
}

export function orderAtCheckout<Code extends ResultCode>(
  command: ByToken,
  found: Parameters<typeof orderOf>[1],
  now: number,
  codes: Codes<Code>,
): { order: Row<'orders'>; refusal?: never } | { order?: never; refusal: Code } {
  const order = orderOf(command, found)
  if (!order) return { refusal: codes.invalidToken }
  if (order.mid !== command.mid) return { refusal: codes.midMismatch }
  if (order.orderId !== command.orderId) return { refusal: codes.orderIdMismatch }
  switch (order.status) {
    case 'PAID':
      return { refusal: codes.orderPaid }
    case 'CLOSED':
      return { refusal: codes.orderClosed }
    case 'IN_PROCESS':
      return { refusal: codes.transactionInProcess } // the wallet does not change during a payment
    case 'CREATED':
      break
    default:
      return order.status satisfies never
  }
  const { until } = command
  const isOver = until === undefined ? now >= order.txnTokenIssuedAt + TXN_TOKEN_VALIDITY_MS : !isOpen({ until }, now)
  if (isOver) return { refusal: codes.invalidToken }
  return { order }
}
