// An order that nobody paid, as it stands later: its row and the rows by which a search finds it. The service's own decisions make them.

import type { Vault } from '../src/adapters/store/vault.ts'
import { freshTxnToken } from '../src/api/signin/sign-in-client.ts'
import { type CreateOrder, createOrder } from '../src/domain/order/create-order.ts'
import { expireOrder } from '../src/domain/order/expire-order.ts'
import { numberedOrder } from '../src/domain/order/keep-search-terms.ts'
import type { Change, Decision } from '../src/engine/decision.ts'
import { forwardOnly } from '../src/engine/monotonic-times.ts'
import { SystemRandom } from '../src/engine/random.ts'
import { termsIn, termsOf } from '../src/flows/search-keys.ts'
import type { Row } from '../src/tables/tables.ts'

export interface Stored {
  request: CreateOrder['request']
  /** The instant of its creation. */
  now: number
  /** Its place among all orders by time. */
  number: number
  /** The instant at which the store is opened: the service has closed the order if it has expired. */
  until: number
}

const fresh = new SystemRandom()

export function storedOrder(vault: Vault, merchant: Row<'merchants'>, { request, now, number, until }: Stored): readonly Change[] {
  const command: CreateOrder = {
    ...{ request, caller: { signature: 'valid' }, ssoTokenHash: undefined, searchTerms: termsOf(vault, request.userInfo), now },
    fresh: freshTxnToken({ fresh, vault }, now),
  }
  const created = orderOf(createOrder.decide(command, { merchant } as never))
  const { mid, orderId, txnTokenIssuedAt: at, expiresAt } = created.row
  const expires = { mid, orderId, now: expiresAt }
  const order = until < expiresAt ? created : orderOf(expireOrder.decide(expires, { order: created.row } as never), created.row)
  return [{ ...order, kind: 'insert' }, ...numberedOrder({ mid, orderId, at, terms: termsIn(order.row, vault) }, number)]
}

type OrderChange = Extract<Change<'orders'>, { row: unknown }>

/** The order as the engine writes it after a decision. */
function orderOf(decision: Decision, before?: Row<'orders'>): OrderChange {
  const [change] = forwardOnly(decision, () => before).changes
  if (change?.key.table !== 'orders') throw new Error(`the decision was ${decision.reply.result.name}`)
  return change as OrderChange
}
