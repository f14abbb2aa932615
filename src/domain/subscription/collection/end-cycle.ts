// What cycles become when their subscription is cancelled or paused, or their payer does not want them: docs/interface.md section 3.
// What has been sent to the acquirer ends as it ends, and is kept; an attempt that waits for its hour is withdrawn.

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

/** For readsNext of a decision that moves a subscription: the order of its consent, and every cycle that may be open. */
export const aroundKeys = (
  mid: string,
  { subscription, open }: { subscription: Subscription | undefined; open: readonly Row<'collections'>[] },
  now: number,
) => ({
  firstOrder: subscription && orderKey(mid, subscription.orderId),
  cycles: everyCycleKeys({ subscription, open }, now),
})

/** The keys of every cycle that may be open, and of whatever a neighbour in the same batch may have written behind them. */
export function everyCycleKeys(
  { subscription, open }: { subscription: Subscription | undefined; open: readonly Row<'collections'>[] },
  now: number,
): readonly Key<'collections'>[] {
  const behind = followingKey(subscription, newestOf(open))
  return [...openCycleKeys(open), ...cyclesAhead(subscription, dateInIndia(now)), ...(behind ? [behind] : [])]
}
const newestOf = (cycles: readonly Row<'collections'>[]) =>
  cycles.reduce<Row<'collections'> | undefined>((newest, each) => (newest && newest.dueDate > each.dueDate ? newest : each), undefined)

/** Those that were open when they were looked for. */
export const openCycleKeys = (open: readonly Row<'collections'>[]) => open.map(({ mid, collectionId }) => collectionKey(mid, collectionId))

/** Those that are there, each once and by their days: most of them are both found and expected. */
export function existingCycles(cycles: readonly (Row<'collections'> | undefined)[]): Row<'collections'>[] {
  const rows = cycles.filter((row) => row !== undefined)
  return [...new Map(rows.map((row) => [row.collectionId, row])).values()].sort((a, b) => (a.dueDate < b.dueDate ? -1 : 1))
}

/** For readsLast, of the rows as they are now: the attempt that waits for its hour, and who is notified of its end. */
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

/** An attempt of which the acquirer has not heard, as it was found with its cycle. */
export interface Waiting extends Partial<Streams> {
  order?: Row<'orders'> | undefined
  transaction?: Row<'transactions'> | undefined
}

/** What stands around a subscription that is moved. */
export interface Around {
  /** The order of the first payment. */
  firstOrder?: Row<'orders'> | undefined
  /** Those that were open when they were looked for, with those about today; by their days. */
  cycles: readonly Row<'collections'>[]
  waiting: Waiting
  category: Category | undefined
  /** The payer says it on his page, and not at his bank. */
  isOnPage?: boolean
}

/** As its keys above have brought it. */
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
/** `subscription` as it is from now on. The cycle's event says `why`, with `more`: one may end for several reasons. */
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

/** What is in flight when its mandate is paused, or its payer wants it no more, ends as it ends, and is neither tried nor sent again. */
const withoutAnother = (before: Collection, unwanted: Collection['unwanted'], now: number): Ended =>
  before.unwanted === unwanted ? NOTHING : { ...become(before, { ...before, unwanted }, UNWANTED_EVENT, now, { unwanted }), tasks: [] }
const UNWANTED_EVENT = 'unwanted'

/** Whether the cycle is another, and not only tried no more. */
export const hasMoved = ({ events }: Pick<Ended, 'events'>) => events.some(({ type }) => type !== `collection.${UNWANTED_EVENT}`)
const UNWANTED = { skipped: 'SKIPPED', paused: 'PAUSED' } as const
