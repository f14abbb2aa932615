// Deadlines that rows hold themselves, found through an index: docs/decisions/README.md.

import { forgetKey, KEY_VALIDITY_MS } from '../engine/once.ts'
import type { Sweep } from '../engine/tasks.ts'
import { expireOrder } from '../order/expire-order.ts'
import { forgetSignature } from '../order/forget-signature.ts'
import { SIGNATURE_REUSE_MS } from '../order/order.ts'
import { forget, forgetSuccessor, forgettables, forgettableUntil, successorsUntil } from '../signin/forget.ts'
import { find, idempotencyKeysUntil, ordersToExpire, signaturesUsedUntil, tables } from '../tables.ts'
import type { Edge } from './edge.ts'

const FORGETTING_EVERY_MS = 60_000 // of business time: nobody waits for it, and every look is a query for each table

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

/** `idempotency-key.due`: keys that are free again. Nobody waits for it either. */
export const keyForgetting = ({ engine, query }: Pick<Edge, 'engine' | 'query'>): Sweep => ({
  name: 'idempotency-key.due',
  nextDue: async () => undefined,
  async run(now) {
    const old = await query.rows(idempotencyKeysUntil(now - KEY_VALIDITY_MS))
    const replies = await Promise.all(
      old.map(({ owner, operation, keyHash }) => engine.submit(forgetKey, { owner, operation, keyHash, now })),
    )
    return replies.filter(({ result }) => result.name === 'forgotten').length
  },
})

/** `sign-in-forgetting.due`: OTPs, counts and tokens that are not needed any longer, and answers that are not given again. */
export function signInForgetting({ engine, query }: Pick<Edge, 'engine' | 'query'>): Sweep {
  let nextAt = 0
  return {
    name: 'sign-in-forgetting.due',
    nextDue: async () => undefined,
    async run(now) {
      if (now < nextAt) return 0
      const replies = [
        ...(await query.rows(successorsUntil(now))).map(({ tokenHash }) => engine.submit(forgetSuccessor, { tokenHash, now })),
      ]
      for (const table of forgettables) {
        for (const row of await query.rows(forgettableUntil(table, now)))
          replies.push(engine.submit(forget, { table, id: idOf(table, row), now }))
      }
      const forgotten = (await Promise.all(replies)).filter(({ result }) => result.name === 'forgotten').length
      if (forgotten === 0) nextAt = now + FORGETTING_EVERY_MS
      return forgotten
    },
  }
}

const idOf = (table: keyof typeof tables, row: object) => tables[table].key.map((column) => String(row[column as never]))
