// `collection.due` and `subscription.due`: the work of mandates that no request asks for. A run only decides
// (domain/subscription/collection/advance-collection.ts). Then collection-calls.ts makes the calls that the decisions name, within limits
// of their own.

import { COLLECTS_AT_ONCE_MAX } from '../adapters/acquirer/acquirer.ts'
import { advanceSubscription, type Woken } from '../domain/subscription/advance-subscription.ts'
import { advanceCollection } from '../domain/subscription/collection/advance-collection.ts'
import type { ClaimedCycle } from '../domain/subscription/collection/due-cycle.ts'
import type { Query } from '../engine/decision.ts'
import type { Sweep } from '../engine/tasks.ts'
import { subscriptionsToWake } from '../tables/keys.ts'
import { find } from '../tables/tables.ts'
import { type CollectingParts, callsOf, isClaimedCycle } from './collection-calls.ts'
import { FairQueue } from './fair-queue.ts'
import { askMandate, type MandateParts } from './mandate-due.ts'

/**
 * Mohur's choice: calls for cycles under way in one process, apart from payments. One call may have many debits. Questions about mandates
 * have an equal limit of their own.
 */
const CALLS_MAX = 512
/** Mohur's choice: cycles whose calls have no answer yet. */
const CYCLES_MAX = 2_048
const PORTION = COLLECTS_AT_ONCE_MAX // cycles of one run: decided in one batch, debited in one call, results applied in one batch

interface Following {
  query: Query
  follow<T>(work: Promise<T>): Promise<T>
  /** Only the operator learns of a failure here. A later run finds the work again by its time. */
  failed(error: Error): void
  /** Runs the sweep again: more was due than it had room for, and there is room now. */
  again(): void
}

/** `collection.due`: notices, debits, questions, and ends of cycles. */
export function collectionSweep(parts: CollectingParts & Following): Sweep {
  const { engine, query, reference, number } = parts
  const turns = new FairQueue()
  let [calls, cycles, isBehind] = [0, 0, false]
  const hasRoom = () => calls + PORTION <= CALLS_MAX && cycles + PORTION <= CYCLES_MAX
  // A bank that does not answer occupies only the places of its own calls.
  const begin = async (portion: readonly ClaimedCycle[]) => {
    cycles += portion.length
    const made = await callsOf(parts, portion).catch((error: unknown) => {
      cycles -= portion.length
      throw error
    })
    calls += made.length
    await Promise.all(
      made.map(async (call) => {
        await call.make().catch((error: unknown) => parts.failed(error as Error))
        calls--
        cycles -= call.cycles
        if (!isBehind || !hasRoom()) return
        isBehind = false
        parts.again()
      }),
    )
  }
  return {
    name: 'collection.due',
    nextDue: async () =>
      (await query.rows(find('collections', { atMost: { nextAt: NEVER }, orderBy: ['nextAt'], limit: 1, unopened: true })))[0]?.nextAt ??
      undefined,
    async run(now) {
      isBehind = !hasRoom()
      const due = isBehind ? [] : await turns.next(query, now, PORTION)
      const decided = await Promise.allSettled(
        due.map(({ mid, collectionId }) =>
          engine.submit(advanceCollection, { mid, collectionId, reference, now, fresh: { txnId: number(), noticeId: number() } }),
        ),
      )
      const portion: ClaimedCycle[] = []
      for (const each of decided) {
        // A cycle that cannot be decided delays no other cycle.
        if (each.status === 'rejected') parts.failed(each.reason as Error)
        else if (isClaimedCycle(each.value.body)) portion.push(each.value.body)
      }
      if (portion.length > 0) void parts.follow(begin(portion)).catch((error: unknown) => parts.failed(error as Error))
      return decided.filter(({ status }) => status === 'fulfilled').length
    },
  }
}
const NEVER = Number.MAX_SAFE_INTEGER

/** `subscription.due`: starts, expiries, and mandates that wait for their bank's decision. */
export function subscriptionSweep(parts: MandateParts & Following): Sweep {
  const { engine, query, reference } = parts
  let [questions, isBehind] = [0, false]
  const hasRoom = () => questions + PORTION <= CALLS_MAX
  const ask = async (of: NonNullable<Woken['asks']>) => {
    questions++
    await askMandate(parts, of).catch((error: unknown) => parts.failed(error as Error))
    questions--
    if (!isBehind || !hasRoom()) return
    isBehind = false
    parts.again()
  }
  return {
    name: 'subscription.due',
    nextDue: async () =>
      (await query.rows(find('subscriptions', { atMost: { wakesAt: NEVER }, orderBy: ['wakesAt'], limit: 1, unopened: true })))[0]
        ?.wakesAt ?? undefined,
    async run(now) {
      isBehind = !hasRoom()
      const due = isBehind ? [] : await query.rows(subscriptionsToWake(now, PORTION))
      const woken = await Promise.allSettled(
        due.map(({ mid, subscriptionId }) => engine.submit(advanceSubscription, { mid, subscriptionId, reference, now })),
      )
      for (const each of woken) {
        const { asks } = each.status === 'fulfilled' ? ((each.value.body ?? {}) as Woken) : {}
        if (asks) void parts.follow(ask(asks))
        if (each.status === 'rejected') parts.failed(each.reason as Error)
      }
      return woken.filter(({ status }) => status === 'fulfilled').length
    },
  }
}
