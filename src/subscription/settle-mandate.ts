// What a bank says of a mandate, taken over: docs/interface.md section 3. It decides on one that it was given, and a payer may have
// withdrawn, paused or resumed his at his bank without our hearing of it.

import { dateInIndia, dayEnds } from '../engine/clock.ts'
import { latest } from '../engine/decision.ts'
import { ownCodes } from '../interface/result-code.ts'
import { closed } from '../order/order.ts'
import { collectionsOf, merchantKey, orderKey, type Row, subscriptionKey } from '../tables.ts'
import type { Reference } from '../transaction/reference.ts'
import { type Ended, endCycle, NEWEST_CYCLES, openCycleKeys, unsentKeys, type Waiting } from './end-cycle.ts'
import { revokeTask } from './mandate.ts'
import { isOver, mayMove, move, moves, type Subscription } from './subscription.ts'
import { mandateOperation } from './telling.ts'
import { started } from './wake-subscription.ts'

const codes = ownCodes('settleMandate', 'settled', 'gone')

export interface SettleMandate {
  mid: string
  subscriptionId: string
  /** As the acquirer says it: docs/acquirer.md. */
  outcome: 'active' | 'paused' | 'revoked' | 'refused' | 'pending' | 'unknown' | 'absent'
  mandateReference?: string
  reference: Pick<Reference, 'category'>
  now: number
}

export const settleMandate = mandateOperation({
  name: 'settleMandate',
  codes,
  reads: ({ mid, subscriptionId }: SettleMandate) => ({
    merchant: merchantKey(mid),
    subscription: subscriptionKey(mid, subscriptionId),
    newest: collectionsOf(mid, subscriptionId, NEWEST_CYCLES),
  }),
  readsNext: ({ mid }, { subscription, newest }) => ({
    firstOrder: subscription && orderKey(mid, subscription.orderId),
    ...openCycleKeys(newest),
  }),
  readsLast: (_command, { subscription, first, second, third }) => unsentKeys(subscription, [first, second, third]),
  decide(said, { merchant, subscription, newest: _, firstOrder, first, second, third, ...attempt }) {
    if (!subscription || !merchant) return { reply: { result: codes.gone }, changes: [], events: [], tasks: [] }
    const cycles = [first, second, third].filter((cycle) => cycle !== undefined)
    const done = settled(said, { subscription, merchant, firstOrder, cycles, waiting: { merchant, ...attempt } })
    return { reply: { result: codes.settled }, ...done, changes: latest(done.changes) }
  },
})

interface Rows {
  subscription: Subscription
  merchant: Row<'merchants'>
  firstOrder: Row<'orders'> | undefined
  /** Those that have not ended. */
  cycles: readonly Row<'collections'>[]
  waiting: Waiting
}
const NOTHING: Ended = { changes: [], events: [], tasks: [] }

function settled(said: SettleMandate, rows: Rows): Ended {
  const { subscription } = rows
  switch (said.outcome) {
    case 'active':
      if (isOver(subscription)) return acceptedLate(said, subscription)
      if (subscription.status === 'IN_AUTHORIZATION') return accepted(said, rows)
      return mayMove(subscription, 'resumeByPayer') ? changed('resumeByPayer', said, rows) : NOTHING
    case 'refused':
      return { ...move(subscription, 'refuse', said.now), tasks: [] }
    case 'revoked':
      return subscription.status === 'IN_AUTHORIZATION' ? { ...move(subscription, 'refuse', said.now), tasks: [] } : revoked(said, rows)
    case 'paused':
      return changed('pauseByPayer', said, rows)
    default:
      return NOTHING // nobody has decided, or nobody knows: asked again
  }
}

/** The bank takes it over; on its first day it is active at once, and its cycles begin. */
function accepted({ mandateReference, reference, now }: SettleMandate, { subscription, merchant }: Rows): Ended {
  const mandate = named(subscription, mandateReference)
  const authorized = move(subscription, 'accept', now, { mandate, consentedAt: now, wakesAt: dayEnds(subscription.expiryDate) })
  const begun = started(authorized.subscription, reference.category(merchant.mcc), now)
  return { changes: [...authorized.changes, ...begun.changes], events: [...authorized.events, ...begun.events], tasks: [] }
}

/** Nobody collects by it any more, so that it is withdrawn. */
function acceptedLate({ mandateReference, now }: SettleMandate, before: Subscription): Ended {
  if (before.mandate?.reference !== undefined && before.status !== 'REJECT') return NOTHING // withdrawn already, or over by its own terms
  const subscription = { ...before, mandate: named(before, mandateReference) }
  const key = subscriptionKey(before.mid, before.subscriptionId)
  return { changes: [{ kind: 'update', key, row: subscription }], events: [], tasks: revokeTask(subscription, now) }
}

const named = ({ mandate }: Subscription, reference: string | undefined) => ({
  ...(mandate ?? { instrument: {} }),
  ...(reference !== undefined && { reference }),
})

/** Whatever has not been sent is over with it, the first order too; also when a debit was how it was heard of. */
function revoked({ now }: SettleMandate, { subscription, firstOrder, cycles, waiting }: Rows): Ended {
  const moved = move(subscription, 'revoke', now)
  const isMoved = moved.changes.length > 0
  if (!isMoved && subscription.subStatus !== moves.revoke.subStatus) return NOTHING
  const order = firstOrder && isMoved ? closed(firstOrder, now) : NOTHING
  const ended = cycles.map((cycle) => endCycle(cycle, moved.subscription, waiting, 'cancelled', now))
  return together([{ ...moved, tasks: [] }, { ...order, tasks: [] }, ...ended])
}

/** A cycle that has begun by then is missed, by a pause as by its end; what has been sent ends as it ends. */
function changed(name: 'pauseByPayer' | 'resumeByPayer', { now }: SettleMandate, { subscription, cycles, waiting }: Rows): Ended {
  const moved = move(subscription, name, now)
  if (moved.changes.length === 0) return NOTHING
  const begun = cycles.filter((cycle) => cycle.windowFrom <= dateInIndia(now))
  const ended = begun.map((cycle) => endCycle(cycle, moved.subscription, waiting, 'paused', now))
  return together([{ ...moved, tasks: [] }, ...ended])
}

const together = (parts: readonly Ended[]): Ended => ({
  changes: parts.flatMap(({ changes }) => changes),
  events: parts.flatMap(({ events }) => events),
  tasks: parts.flatMap(({ tasks }) => tasks),
})
