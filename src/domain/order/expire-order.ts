// Order expiry: docs/interface.md section 3. An unpaid order closes 24 hours after its creation. While a payment is under way the order
// stays open, and closes when that payment fails. A subscription that waits for the order ends with the order.

import { NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { orderKey, subscriptionKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { timeOut } from '../subscription/time-out.ts'
import { orderEvent, transitions } from './order.ts'

const codes = ownCodes('expireOrder', 'expired', 'skipped')

export interface ExpireOrder {
  mid: string
  orderId: string
  now: number
}

export const expireOrder = operation({
  name: 'expireOrder',
  codes,
  reads: ({ mid, orderId }: ExpireOrder) => ({ order: orderKey(mid, orderId) }),
  readsNext: (_command, { order }) => ({
    subscription: order?.subscriptionId ? subscriptionKey(order.mid, order.subscriptionId) : undefined,
  }),
  decide({ now }, { order, subscription }) {
    // Since the sweep found the order, it may have been paid or closed, perhaps by another process's sweep.
    if (order?.status !== 'CREATED' || now < order.expiresAt) return { ...NOTHING, reply: { result: codes.skipped } }
    const row: Row<'orders'> = { ...order, version: order.version + 1, status: transitions.CREATED.expire }
    const over = subscription ? timeOut(subscription, now) : NOTHING
    return {
      reply: { result: codes.expired },
      changes: [{ kind: 'update', key: orderKey(order.mid, order.orderId), row }, ...over.changes],
      events: [orderEvent('order.closed', order, row, now), ...over.events],
      tasks: over.tasks,
    }
  },
})
