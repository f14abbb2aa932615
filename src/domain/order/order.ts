// The states of an order, and its moves between them: docs/interface.md section 3.

import { type Change, type Event, eventOf } from '../../engine/decision.ts'
import { orderKey } from '../../tables/keys.ts'
import type { OrderStatus } from '../../tables/order.ts'
import type { Row } from '../../tables/tables.ts'

export const TXN_TOKEN_VALIDITY_MS = 15 * 60_000 // docs/interface.md section 8
export const MODIFY_COUNT_MAX = 5 // docs/interface.md section 8
export const UNSIGNED_MODIFY_COUNT_MAX = 2 // docs/interface.md section 8 (Mohur): when `signedModify` is `amount`
export const SIGNATURE_REUSE_MS = 24 * 60 * 60_000 // docs/interface.md section 8 (Mohur)
export const ORDER_VALIDITY_MS = 24 * 60 * 60_000 // docs/interface.md section 8 (Mohur)

/** 32 hexadecimal characters and the epoch milliseconds of issue: docs/interface.md section 4.5. */
const TXN_TOKEN_FORM = /^[0-9a-f]{32}([0-9]{13})$/

/** Epoch milliseconds. Undefined when the text does not have the form of a txnToken. */
export function issuedAt(txnToken: string): number | undefined {
  const digits = TXN_TOKEN_FORM.exec(txnToken)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** Offers consider only goods that the merchant vouches for: docs/interface.md section 4.3. */
export const vouchedGoods = ({ details }: Row<'orders'>): unknown => details.vouchedGoods ?? details.goodsInfo ?? []

/** The complete list of an order's moves. */
export const transitions = {
  CREATED: { pay: 'IN_PROCESS', close: 'CLOSED', expire: 'CLOSED', modify: 'CREATED' },
  IN_PROCESS: { succeed: 'PAID', fail: 'CREATED', failAfterExpiry: 'CLOSED', close: 'CLOSED' },
  PAID: {},
  CLOSED: {},
} as const satisfies Record<OrderStatus, Record<string, OrderStatus>>

export function orderEvent(type: `order.${string}`, before: Row<'orders'> | undefined, after: Row<'orders'>, at: number): Event {
  return eventOf({
    type,
    owner: after.mid,
    id: after.orderId,
    before,
    after,
    at,
    data: {
      amountPaise: after.amountPaise,
      ...(after.leftCount > 0 && { leftCount: after.leftCount }),
      ...(!before && { custId: after.custId, requestType: after.requestType }),
    },
  })
}

/** Closes an open order. A paid or closed order does not change. If a payment under way still captures money, the service refunds it. */
export function closed(before: Row<'orders'>, now: number): { changes: Change<'orders'>[]; events: Event[] } {
  if (before.status !== 'CREATED' && before.status !== 'IN_PROCESS') return { changes: [], events: [] }
  const order: Row<'orders'> = { ...before, version: before.version + 1, status: transitions[before.status].close, txnId: null }
  return {
    changes: [{ kind: 'update', key: orderKey(order.mid, order.orderId), row: order }],
    events: [orderEvent('order.closed', before, order, now)],
  }
}
