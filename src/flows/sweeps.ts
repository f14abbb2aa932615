// Deadlines that rows hold themselves, found through an index: docs/decisions/README.md.

import { misdatedKeys, redateKey } from '../domain/merchant/redate-key.ts'
import { expireOrder } from '../domain/order/expire-order.ts'
import { SIGNATURE_REUSE_MS } from '../domain/order/order.ts'
import { purgeSignature } from '../domain/order/purge-signature.ts'
import {
  forget,
  forgetSuccessor,
  forgettables,
  forgettableUntil,
  isByRealTime,
  misdatables,
  misdatedIn,
  successorsUntil,
} from '../domain/signin/retention.ts'
import { forgetKey, KEY_VALIDITY_MS } from '../engine/kept-replies.ts'
import { misdatedBeyond, redateTask } from '../engine/redate-task.ts'
import type { Sweep } from '../engine/tasks.ts'
import { idempotencyKeysUntil, ordersToExpire, signaturesUsedUntil } from '../tables/keys.ts'
import { find, nameOf, tables } from '../tables/tables.ts'
import type { Ports } from './ports.ts'

const MISDATED_EVERY_MS = 60_000 // in monotonic time, which cannot be set back
const FORGETTING_EVERY_MS = 60_000 // of business time: no caller waits for it, and every look is a query for each table

/** `order-expiry.due`: closes expired orders, 500 at a time, in batches with all other work. */
export const orderExpiry = ({ engine, query }: Pick<Ports, 'engine' | 'query'>): Sweep => ({
  name: 'order-expiry.due',
  nextDue: async () =>
    (await query.rows(find('orders', { equals: { status: 'CREATED' }, orderBy: ['expiresAt'], limit: 1, unopened: true })))[0]?.expiresAt,
  async run(now) {
    const due = await query.rows(ordersToExpire(now))
    const replies = await Promise.all(due.map(({ mid, orderId }) => engine.submit(expireOrder, { mid, orderId, now })))
    return replies.filter(({ result }) => result.name === 'expired').length
  },
})

/**
 * `used-signature.due`: forgets signatures that no longer count. No caller waits for this sweep, so the sandbox's clock need not stop
 * there.
 */
export const signatureForgetting = ({ engine, query }: Pick<Ports, 'engine' | 'query'>): Sweep => ({
  name: 'used-signature.due',
  nextDue: async () => undefined,
  async run(now) {
    const old = await query.rows(signaturesUsedUntil(now - SIGNATURE_REUSE_MS))
    const replies = await Promise.all(old.map(({ mid, signatureHash }) => engine.submit(purgeSignature, { mid, signatureHash, now })))
    return replies.filter(({ result }) => result.name === 'forgotten').length
  },
})

/** `idempotency-key.due`: forgets keys that are free again. No caller waits for this sweep. */
export const keyForgetting = ({ engine, query }: Pick<Ports, 'engine' | 'query'>): Sweep => ({
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

/** `sign-in-forgetting.due`: deletes OTPs, counts and tokens that are no longer needed, and answers that are not given again. */
export function signInForgetting({ engine, query, clock }: Pick<Ports, 'engine' | 'query' | 'clock'>): Sweep {
  let nextAt = 0
  return {
    name: 'sign-in-forgetting.due',
    nextDue: async () => undefined,
    async run(now) {
      if (now < nextAt && nextAt <= now + FORGETTING_EVERY_MS) return 0 // a `nextAt` further ahead came from a wrong clock
      const old = await query.rows(successorsUntil(now))
      const forgetting = old.map(
        ({ tokenHash }) =>
          () =>
            engine.submit(forgetSuccessor, { tokenHash, now }),
      )
      for (const table of forgettables) {
        const at = isByRealTime(table) ? clock.realNow() : now
        for (const row of await query.rows(forgettableUntil(table, at)))
          forgetting.push(() => engine.submit(forget, { table, id: idOf(table, row), now: at }))
      }
      const forgotten = (await all(forgetting)).filter(({ result }) => result.name === 'forgotten').length
      if (forgotten === 0) nextAt = now + FORGETTING_EVERY_MS
      return forgotten
    },
  }
}

/**
 * `misdated-task.due`: brings back tasks that a clock far ahead has postponed. It looks at every task, so it begins at a start and then once
 * a minute. Each run looks at one portion, and other work comes between.
 */
export function misdating({ engine, query, clock }: Pick<Ports, 'engine' | 'query' | 'clock'>): Sweep {
  let begunAt = Number.NEGATIVE_INFINITY
  let after: number | undefined
  return {
    name: 'misdated-task.due',
    nextDue: async () => undefined,
    hasMore: () => after !== undefined,
    async run(now) {
      if (after === undefined && clock.elapsed() < begunAt + MISDATED_EVERY_MS) return 0
      if (after === undefined) begunAt = clock.elapsed()
      const realNow = clock.realNow()
      const { tasks, next } = await query.tasksBeyond(misdatedBeyond(realNow), after)
      const replies = await Promise.all(tasks.map(({ task, subject }) => engine.submit(redateTask, { task, subject, now, realNow })))
      const redated = replies.filter(({ result }) => result.name === 'redated').length
      if (redated === 0) after = next
      else if (after === undefined) begunAt = Number.NEGATIVE_INFINITY // the same portion may have more
      return redated
    },
  }
}

/**
 * `misdated-row.due`: deletes rows that a clock far ahead wrote, and that would become valid when that time comes. It also shortens rotated
 * keys to which that clock gave too long a time.
 */
export function misdatedForgetting({ engine, query, clock }: Pick<Ports, 'engine' | 'query' | 'clock'>): Sweep {
  let lookedAt = Number.NEGATIVE_INFINITY
  /** When this process first saw each misdated row, in monotonic time. */
  let seen: ReadonlyMap<string, number> = new Map()
  return {
    name: 'misdated-row.due',
    nextDue: async () => undefined,
    async run() {
      const elapsed = clock.elapsed()
      if (elapsed < lookedAt + MISDATED_EVERY_MS) return 0
      lookedAt = elapsed
      const still = new Map<string, number>()
      const forgetting: (() => Promise<{ result: { name: string } }>)[] = []
      for (const { table, keptMs } of misdatables) {
        const now = isByRealTime(table) ? clock.realNow() : clock.now()
        for (const row of await query.rows(misdatedIn(table, now))) {
          const id = idOf(table, row)
          const name = nameOf(table, id)
          const since = seen.get(name) ?? elapsed
          if (elapsed >= since + keptMs) forgetting.push(() => engine.submit(forget, { table, id, now, isMisdated: true }))
          else still.set(name, since)
        }
      }
      seen = still
      const realNow = clock.realNow()
      for (const { mid, clientId, generation } of await query.rows(misdatedKeys(realNow)))
        forgetting.push(() => engine.submit(redateKey, { mid, clientId, generation, now: realNow }))
      return (await all(forgetting)).filter(({ result }) => result.name !== 'kept').length
    },
  }
}

/**
 * Begins all at once. A command that began while the next rows are read could fail before anyone waits for it, and such a rejection ends the
 * process.
 */
const all = <T>(begins: readonly (() => Promise<T>)[]): Promise<T[]> => Promise.all(begins.map((begin) => begin()))

const idOf = (table: keyof typeof tables, row: object) => tables[table].key.map((column) => String(row[column as never]))
