// "Cancel and go back" on a payment page: docs/pages.md. From then on the order is called failed and must not be paid, so this decision
// also closes the order. A payer cannot leave an order with a payment under way, because that payment may still succeed.

import { NOTHING, operation, refuse } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { orderKey, pageKey, subscriptionKey } from '../../tables/keys.ts'
import { closed } from '../order/order.ts'
import { timeOut } from '../subscription/time-out.ts'
import { isOpen } from './page.ts'

const codes = ownCodes('leavePage', 'left', 'stays', 'over')

export interface LeavePage {
  pageHash: string
  now: number
}

export const leavePage = operation({
  name: 'leavePage',
  codes,
  reads: ({ pageHash }: LeavePage) => ({ page: pageKey(pageHash) }),
  readsNext: (_command, { page }) => ({ order: page && orderKey(page.mid, page.orderId) }),
  readsLast: (_command, { order }) => ({
    subscription: order?.subscriptionId ? subscriptionKey(order.mid, order.subscriptionId) : undefined,
  }),
  decide({ now }, { page, order, subscription }) {
    if (!page || !order || !isOpen(page, now)) return refuse(codes.over)
    if (order.status !== 'CREATED') return refuse(codes.stays)
    const ended = closed(order, now)
    const over = subscription ? timeOut(subscription, now) : NOTHING
    return {
      reply: { result: codes.left },
      changes: [...ended.changes, ...over.changes],
      events: [...ended.events, ...over.events],
      tasks: over.tasks,
    }
  },
})
