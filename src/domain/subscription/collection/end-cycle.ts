// Ends cycles when their subscription is cancelled or paused, or when their payer skips them: docs/interface.md section 3. A sent attempt
// runs to its own result, which is kept. An attempt that waits for its hour is withdrawn.

import { dateInIndia } from '../../../engine/clock.ts'
import { type Change, type Event, NOTHING, type TaskChange } from '../../../engine/decision.ts'
import type { Category, Reference } from '../../../reference/reference.ts'
import { collectionKey, orderKey, transactionKey } from '../../../tables/keys.ts'
import type { Key, Row } from '../../../tables/tables.ts'
import { collectionReads, type Streams } from '../../notification/notification.ts'
import type { Subscription } from '../subscription.ts'
import { become, type Collection, hasEnded, isUnsent } from './collection.ts'
import { cyclesAhead, followingKey } from './find-cycle.ts'
import { withdrawAttempt } from './withdraw-attempt.ts'

/** For `readsNext` of a decision that moves a subscription: the order of its consent, and every cycle that may be open. */
export const aroundKeys = (
  mid: string,
  { subscription, open }: { subscription: Subscription | undefined; open: readonly Row<'collections'>[] },
  now: number,
) => ({
  firstOrder: subscription && orderKey(mid, subscription.orderId),
  cycles: everyCycleKeys({ subscription, open }, now),
})

/** Every cycle that may be open, and any later cycle that another decision of the same batch may have written. */
export function everyCycleKeys(
  { subscription, open }: { subscription: Subscription | undefined; open: readonly Row<'collections'>[] },
  now: number,
): readonly Key<'collections'>[] {
  const behind = followingKey(subscription, newestOf(open))
  return [...openCycleKeys(open), ...cyclesAhead(subscription, dateInIndia(now)), ...(behind ? [behind] : [])]
}
const newestOf = (cycles: readonly Row<'collections'>[]) =>
  cycles.reduce<Row<'collections'> | undefined>((newest, each) => (newest && newest.dueDate > each.dueDate ? newest : each), undefined)

export const openCycleKeys = (open: readonly Row<'collections'>[]) => open.map(({ mid, collectionId }) => collectionKey(mid, collectionId))

/** Returns the cycles that exist, each once and by due date. Most cycles were read twice: found as open, and expected by the schedule. */
export function existingCycles(cycles: readonly (Row<'collections'> | undefined)[]): Row<'collections'>[] {
  const rows = cycles.filter((row) => row !== undefined)
  return [...new Map(rows.map((row) => [row.collectionId, row])).values()].sort((a, b) => (a.dueDate < b.dueDate ? -1 : 1))
}

/** For `readsLast`, from the present rows: the attempt that waits for its hour, and the streams that notify of its end. */
export function unsentKeys(subscription: Subscription | undefined, cycles: readonly (Row<'collections'> | undefined)[]) {
  const unsent = subscription && cycles.find((cycle) => cycle !== undefined && isUnsent(cycle))
  const { merchantStream, peonStream, callbackStream } = collectionReads(subscription?.mid ?? '', subscription?.orderId ?? '')
  return {
    order: unsent && orderKey(unsent.mid, unsent.orderId!),
    transaction: unsent && transactionKey(unsent.mid, unsent.txnId!),
    merchantStream: unsent && merchantStream,
    peonStream: unsent && peonStream,
    callbackStream: unsent && callbackStream,
  }
}

/** The rows of an attempt that the acquirer has not received, as read with its cycle. */
export interface Waiting extends Partial<Streams> {
  order?: Row<'orders'> | undefined
  transaction?: Row<'transactions'> | undefined
}

export interface Around {
  firstOrder?: Row<'orders'> | undefined
  /** The cycles that were found open, and those around today, by due date. */
  cycles: readonly Row<'collections'>[]
  waiting: Waiting
  category: Category | undefined
  /** The payer acts on the mandate page, and not at their bank. */
  isOnPage?: boolean
}

export function aroundOf(
  state: Waiting & Pick<Around, 'firstOrder'> & { cycles: readonly (Row<'collections'> | undefined)[] },
  reference?: Pick<Reference, 'category'>,
): Around {
  const { firstOrder, cycles, merchant, order, transaction, merchantStream, peonStream, callbackStream } = state
  return {
    ...{ firstOrder, cycles: existingCycles(cycles) },
    waiting: { merchant, order, transaction, merchantStream, peonStream, callbackStream },
    category: merchant && reference?.category(merchant.mcc),
  }
}

export interface Ended {
  changes: readonly Change[]
  events: readonly Event[]
  tasks: readonly TaskChange[]
}
/** `subscription`: the row after its move. The cycle's event has `why` and `more`, because a cycle may end for several reasons. */
export function endCycle(
  before: Collection,
  subscription: Subscription,
  waiting: Waiting,
  why: 'cancelled' | 'paused' | 'skipped',
  now: number,
  more: Event['data'] = {},
): Ended {
  if (hasEnded(before)) return NOTHING
  const { order, transaction, merchant, merchantStream, peonStream, callbackStream } = waiting
  const isWithdrawn = isUnsent(before) && order !== undefined && transaction?.txnId === before.txnId
  if (before.status === 'IN_FLIGHT' && !isWithdrawn) return why === 'cancelled' ? NOTHING : withoutAnother(before, UNWANTED[why], now)
  const attempt = isWithdrawn && { order, transaction, merchant, merchantStream, peonStream, callbackStream }
  const withdrawn = attempt ? withdrawAttempt(before, subscription, attempt, now) : NOTHING
  const tried = before.attempts - (isWithdrawn ? 1 : 0)
  const [status, type] =
    why === 'skipped' ? (['SKIPPED', 'skipped'] as const) : tried === 0 ? (['MISSED', 'missed'] as const) : (['FAILED', 'failed'] as const)
  const over = become(before, { ...before, status, orderId: null, txnId: null, sentAt: null, nextAt: null }, type, now, { why, ...more })
  return {
    changes: [...withdrawn.changes, ...over.changes],
    events: [...withdrawn.events, ...over.events],
    tasks: withdrawn.tasks,
  }
}

/**
 * After a pause or a skip, an attempt in flight runs to its own result. The cycle is not tried again, and the attempt is not sent again.
 */
const withoutAnother = (before: Collection, unwanted: Collection['unwanted'], now: number): Ended =>
  before.unwanted === unwanted ? NOTHING : { ...become(before, { ...before, unwanted }, UNWANTED_EVENT, now, { unwanted }), tasks: [] }
const UNWANTED_EVENT = 'unwanted'

/** False when the cycle was only marked as not to be tried again. */
export const hasMoved = ({ events }: Pick<Ended, 'events'>) => events.some(({ type }) => type !== `collection.${UNWANTED_EVENT}`)
const UNWANTED = { skipped: 'SKIPPED', paused: 'PAUSED' } as const
