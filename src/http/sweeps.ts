// Deadlines that rows hold themselves, found through an index: docs/decisions/README.md.

import type { Sweep } from '../engine/tasks.ts'
import { expireOrder } from '../order/expire-order.ts'
import { forgetSignature } from '../order/forget-signature.ts'
import { SIGNATURE_REUSE_MS } from '../order/order.ts'
import { find, ordersToExpire, signaturesUsedUntil } from '../tables.ts'
import type { Edge } from './edge.ts'

/** `order-expiry.due`: closes orders whose time is over, 500 at a time, in batches with everybody else's work. */
export const orderExpiry = ({ engine, query }: Pick<Edge, 'engine' | 'query'>): Sweep => ({
  name: 'order-expiry.due',
  nextDue: async () =>
    (await query.rows(find('orders', { equals: { status: 'CREATED' }, orderBy: ['expiresAt'], limit: 1 })))[0]?.expiresAt,
  async run(now) {
    const due = await query.rows(ordersToExpire(now))
    const replies = await Promise.all(due.map(({ mid, orderId }) => engine.submit(expireOrder, { mid, orderId, now })))
    return replies.filter(({ result }) => result.name === 'expired').length
  },
})

/** `used-signature.due`: forgets what no longer counts. Nobody waits for it, so time need not stop there. */
export const signatureForgetting = ({ engine, query }: Pick<Edge, 'engine' | 'query'>): Sweep => ({
  name: 'used-signature.due',
  nextDue: async () => undefined,
  async run(now) {
    const old = await query.rows(signaturesUsedUntil(now - SIGNATURE_REUSE_MS))
    const replies = await Promise.all(old.map(({ mid, signatureHash }) => engine.submit(forgetSignature, { mid, signatureHash, now })))
    return replies.filter(({ result }) => result.name === 'forgotten').length
  },
})
