// Which order a txnToken opens: docs/interface.md section 3, docs/decisions/0002.

import type { Query } from '../../engine/decision.ts'
import { orderKey, ordersByTokenTime } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { issuedAt, TXN_TOKEN_VALIDITY_MS } from './order.ts'

// --------------------------------------------------------------------------------- calls that may change the order
// They judge its state row by row, because a paid order and a token that is over have codes of their own there.

/** Which order is meant: as the query says, and as the token says. */
export interface ByToken {
  mid: string
  orderId: string
  token: { text: string; hash: string }
  /** Set by a payment page, which judges the time in the token's place. */
  until?: number
}
type Order = Row<'orders'>
interface Named {
  named: Order | undefined
  others?: readonly Order[] | undefined
}

/** The token decides which order is meant; nearly always the one that the query names. */
export const readsNamed = ({ mid, orderId }: ByToken) => ({ named: orderKey(mid, orderId) })
export function readsOthers({ token }: ByToken, { named }: Named) {
  const time = named?.txnTokenHash === token.hash ? undefined : issuedAt(token.text)
  return { others: time === undefined ? undefined : ordersByTokenTime(time) }
}
export const orderOf = ({ token }: ByToken, { named, others }: Named): Order | undefined =>
  named?.txnTokenHash === token.hash ? named : others?.find(({ txnTokenHash }) => txnTokenHash === token.hash)

// -------------------------------------------------------------------------------------------- calls that only read

/** A token opens its own order, within its time, and as long as there is something to pay. */
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
