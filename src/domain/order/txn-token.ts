// Finds the order that a txnToken opens: docs/interface.md section 3, docs/decisions/0002.

import type { Query } from '../../engine/decision.ts'
import { orderKey, ordersByTokenTime } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { issuedAt, TXN_TOKEN_VALIDITY_MS } from './order.ts'

// --------------------------------------------------------------------------------- calls that may change the order
// These operations check the order's state themselves. They have codes of their own for a paid order and for an expired token.

/** Names the order twice: by the ids of the query, and by the token. */
export interface ByToken {
  mid: string
  orderId: string
  token: { text: string; hash: string }
  /** The end of the payment page that makes the call. This end counts instead of the token's end. */
  until?: number
}
type Order = Row<'orders'>
interface Named {
  named: Order | undefined
  others?: readonly Order[] | undefined
}

/** The token decides which order is meant. Nearly always it is the named order, so the named order is read first. */
export const readsNamed = ({ mid, orderId }: ByToken) => ({ named: orderKey(mid, orderId) })
export function readsOthers({ token }: ByToken, { named }: Named) {
  const time = named?.txnTokenHash === token.hash ? undefined : issuedAt(token.text)
  return { others: time === undefined ? undefined : ordersByTokenTime(time) }
}
export const orderOf = ({ token }: ByToken, { named, others }: Named): Order | undefined =>
  named?.txnTokenHash === token.hash ? named : others?.find(({ txnTokenHash }) => txnTokenHash === token.hash)

// -------------------------------------------------------------------------------------------- calls that only read

export const opens = (order: Row<'orders'>, txnTokenHash: string, now: number) =>
  order.txnTokenHash === txnTokenHash &&
  now < order.txnTokenIssuedAt + TXN_TOKEN_VALIDITY_MS &&
  order.status !== 'PAID' &&
  order.status !== 'CLOSED'

export async function openedOrder(
  { mid, orderId, txnTokenHash, now }: { mid: string; orderId: string; txnTokenHash: string; now: number },
  query: Query,
): Promise<Row<'orders'> | undefined> {
  const order = await query.row(orderKey(mid, orderId))
  return order && opens(order, txnTokenHash, now) ? order : undefined
}
