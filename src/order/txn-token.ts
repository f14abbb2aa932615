// Which order a txnToken opens: docs/interface.md section 3. For calls that only read; whoever changes the order judges its
// state row by row instead, because a paid order and a token that is over have codes of their own there.

import type { Query } from '../engine/decision.ts'
import { orderKey, type Row } from '../tables.ts'
import { TXN_TOKEN_VALIDITY_MS } from './order.ts'

/** Of its own order, within its time, and as long as there is something to pay. */
export const opens = (order: Row<'orders'>, txnTokenHash: string, now: number) =>
  order.txnTokenHash === txnTokenHash &&
  now < order.txnTokenIssuedAt + TXN_TOKEN_VALIDITY_MS &&
  order.status !== 'PAID' &&
  order.status !== 'CLOSED'

/** The order that is named, when the token opens it. */
export async function openedOrder(
  { mid, orderId, txnTokenHash, now }: { mid: string; orderId: string; txnTokenHash: string; now: number },
  query: Query,
): Promise<Row<'orders'> | undefined> {
  const order = await query.row(orderKey(mid, orderId))
  return order && opens(order, txnTokenHash, now) ? order : undefined
}
