// Finds the cycle that a merchant names by a day. No two cycles share a day, so the day's place in the schedule decides. Docs/interface.md
// section 3.

import type { Category } from '../../../reference/reference.ts'
import { collectionKey } from '../../../tables/keys.ts'
import type { Key, Row } from '../../../tables/tables.ts'
import type { Subscription } from '../subscription.ts'
import { become, type Collection, collectionIdOf } from './collection.ts'
import { firstTryAt, windowOf } from './collection-times.ts'
import { openCycle, openNext, railOfSubscription } from './open-cycle.ts'
import { collectionDate, cycleOn, plusDays } from './schedule.ts'

/** The keys of three cycles: the last cycle that is due on `day` or earlier, and its two neighbours. On demand each day is a cycle. */
export function cycleKeys(subscription: Subscription | undefined, day: string) {
  if (!subscription || subscription.paymentMode === null) return { cycle: undefined, previous: undefined, following: undefined }
  const { mid, subscriptionId, frequencyUnit } = subscription
  const keyOf = (due: string | undefined) => (due === undefined ? undefined : collectionKey(mid, collectionIdOf(subscriptionId, due)))
  if (frequencyUnit === 'ONDEMAND') return { cycle: keyOf(day), previous: undefined, following: undefined }
  const number = cycleOn(subscription, day)
  const numbered = (at: number) => (at < 0 ? undefined : keyOf(collectionDate(subscription, at)))
  return number === undefined
    ? { cycle: undefined, previous: undefined, following: undefined }
    : { cycle: numbered(number), previous: numbered(number - 1), following: numbered(number + 1) }
}

export const NOTICE_DAYS_AHEAD_MAX = 7 // docs/interface.md section 8 (Mohur)
const AHEAD = 3 // the cycle of a day and the two after it

/**
 * The cycles that another decision of the same batch may have written: the cycle of `day` and the two after it. On demand: one cycle for
 * each day that a notice may name.
 */
export function cyclesAhead(subscription: Subscription | undefined, day: string): readonly Key<'collections'>[] {
  if (!subscription) return []
  const { mid, subscriptionId, frequencyUnit } = subscription
  const isOnDemand = frequencyUnit === 'ONDEMAND'
  const number = cycleOn(subscription, day) ?? 0
  const dueOf = (at: number) => (isOnDemand ? plusDays(day, at) : collectionDate(subscription, number + at))
  const days = Array.from({ length: isOnDemand ? NOTICE_DAYS_AHEAD_MAX + 1 : AHEAD }, (_, at) => dueOf(at))
  return days.filter((due) => due !== undefined).map((due) => collectionKey(mid, collectionIdOf(subscriptionId, due)))
}

interface Found {
  cycle: Row<'collections'> | undefined
  previous: Row<'collections'> | undefined
}

/**
 * Returns the cycle of a day: the stored row, or a row to insert with version 0. Undefined when no cycle has the day, or when the cycle
 * before it has no row. So no cycle is left out.
 */
export function cycleOfDay(
  subscription: Subscription,
  category: Category | undefined,
  day: string,
  { cycle, previous }: Found,
  now: number,
) {
  if (cycle) return cycle
  const made = cycleToCome(subscription, category, day, now)
  return made && (made.number === null || made.number === 0 || previous) ? made : undefined
}

/** The row that the cycle of `day` will have when it is due. Undefined when no cycle has the day. */
export function cycleToCome(subscription: Subscription, category: Category | undefined, day: string, now: number): Collection | undefined {
  if (subscription.paymentMode === null) return undefined // not consented to yet
  const number = subscription.frequencyUnit === 'ONDEMAND' ? null : cycleOn(subscription, day)
  if (number === undefined) return undefined
  const window = number === null ? onDemand(subscription, day) : windowOf(subscription, number, railOfSubscription(subscription))
  if (!window || day > window.to) return undefined
  return openCycle({ subscription, category, dueDate: window.from, number, window, firstTryAt: firstTryAt(window), now })
}

const onDemand = ({ startDate, expiryDate }: Subscription, day: string) =>
  startDate <= day && day <= expiryDate ? { from: day, to: day } : undefined

/** A new row first gets its `scheduled` event, even if the same decision changes the row further. */
export const scheduledIfNew = (row: Collection, now: number) =>
  row.version === 0 ? become(undefined, row, 'scheduled', now) : { collection: row, changes: [], events: [] }

/** Undefined when no cycle follows. */
export function followingKey(subscription: Subscription | undefined, of: Pick<Collection, 'number'> | undefined) {
  const due = subscription && of && of.number !== null ? collectionDate(subscription, of.number + 1) : undefined
  return due === undefined ? undefined : collectionKey(subscription!.mid, collectionIdOf(subscription!.subscriptionId, due))
}

/** Opens the cycle after a cycle that is tried or ends. Opens nothing if that cycle exists already, or if the mandate ends before it. */
export function followingOf(
  subscription: Subscription,
  category: Category | undefined,
  { number }: Pick<Collection, 'number'>,
  following: Row<'collections'> | undefined,
  now: number,
) {
  const opened = number === null || following ? undefined : openNext(subscription, category, number + 1, now)
  return opened ?? { changes: [], events: [] }
}
