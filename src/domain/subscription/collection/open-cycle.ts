// Opens a cycle as a row. The row has the present terms, and the time at which the collection sweep first checks the cycle.

import { dateInIndia, dayEnds } from '../../../engine/clock.ts'
import type { Category } from '../../../reference/reference.ts'
import { isPastExpiry } from '../manage-request.ts'
import { isOver, type Subscription } from '../subscription.ts'
import { isCollectedByUs } from './attempt.ts'
import { become, type Collection, collectionIdOf } from './collection.ts'
import { isAboveLimit, type Window } from './collection-check.ts'
import { attemptsMax, type CycleTerms, firstTryAt, noticeAt, windowOf } from './collection-times.ts'
import { type Rail, railOf, ruleOf } from './rail-rules.ts'
import { collectionDate } from './schedule.ts'

/** For a subscription that was consented to. */
export const railOfSubscription = ({ paymentMode, mandateType }: Subscription): Rail =>
  railOf(paymentMode as Parameters<typeof railOf>[0], mandateType)

interface Opening {
  subscription: Subscription
  category: Category | undefined
  dueDate: string
  number: number | null
  window: Window
  firstTryAt: number
  now: number
}

/** The row of a cycle that may still be collected. Its version is 0 until `become` inserts it. */
export function openCycle({ subscription, category, dueDate, number, window, firstTryAt, now }: Opening): Collection {
  const { mid, subscriptionId, amountType, renewalAmountPaise, maxAmountPaise } = subscription
  const rail = railOfSubscription(subscription)
  const noticeNeeded = (ruleOf('noticeHours', rail, category, window.from)?.value ?? 0) > 0
  // Above the limit the service sends a notice to ask for the payer's approval, even if no notice is needed.
  const isAsked = renewalAmountPaise !== null && isAboveLimit({ rail, category, amountPaise: renewalAmountPaise }, window.from)
  const firstLook = noticeNeeded || isAsked ? noticeAt(firstTryAt) : firstTryAt
  return {
    mid,
    collectionId: collectionIdOf(subscriptionId, dueDate),
    version: 0,
    subscriptionId,
    dueDate,
    number,
    status: 'SCHEDULED',
    windowFrom: window.from,
    windowTo: window.to,
    rail,
    amountType,
    amountPaise: renewalAmountPaise,
    maxPaise: maxAmountPaise,
    attempts: 0,
    attemptsMax: attemptsMax(subscription, rail, category, window.from),
    noticeNeeded,
    notices: 0,
    noticedAt: null,
    noticedPaise: null,
    orderId: null,
    txnId: null,
    sentAt: null,
    nextAt: isCollectedByUs(subscription) ? Math.max(firstLook, now) : dayEnds(window.to),
    createdAt: now,
    updatedAt: now,
    authentication: 'NONE',
    unwanted: 'NO',
  }
}

/** Cycle `number`, to be inserted with its event. Undefined when the mandate ends before it. */
export function openNext(subscription: Subscription, category: Category | undefined, number: number, now: number) {
  const rail = railOfSubscription(subscription)
  const window = windowOf(subscription as CycleTerms, number, rail)
  if (!window) return undefined
  const row = openCycle({ subscription, category, dueDate: window.from, number, window, firstTryAt: firstTryAt(window), now })
  return become(undefined, row, 'scheduled', now)
}

/** Opens cycle `number`, which follows a due cycle. If the mandate has expired meanwhile, writes each remaining cycle as missed. */
export function openBehind(subscription: Subscription, category: Category | undefined, number: number, now: number) {
  const isExpired = subscription.status === 'EXPIRED' || isPastExpiry(subscription, now)
  if (!isExpired) return isOver(subscription) ? undefined : openNext(subscription, category, number, now)
  return together(missedUntil(subscription, number, subscription.expiryDate, now))
}

/**
 * Writes the cycles after `newest`, the last cycle with a row, when a pause begins or ends. Cycles that are due by then are missed like
 * `newest`. The cycle after them is opened.
 */
export function openBegun(subscription: Subscription, category: Category | undefined, newest: Collection | undefined, now: number) {
  if (!newest || newest.number === null) return together([])
  const missed = missedUntil(subscription, newest.number + 1, dateInIndia(now), now)
  const next = openNext(subscription, category, newest.number + 1 + missed.length, now)
  return together([...missed, ...(next ? [next] : [])])
}

function missedUntil(subscription: Subscription, number: number, day: string, now: number) {
  const rows: ReturnType<typeof become>[] = []
  const dueOf = (at: number) => collectionDate(subscription as CycleTerms, at)
  for (let due = dueOf(number); due !== undefined && due <= day; due = dueOf(number + rows.length))
    rows.push(closedCycle(subscription, number + rows.length, { status: 'MISSED' }, now))
  return rows
}

const together = (rows: readonly ReturnType<typeof become>[]) => ({
  changes: rows.flatMap(({ changes }) => changes),
  events: rows.flatMap(({ events }) => events),
})

/** A cycle that is missed or collected from its first moment. */
export function closedCycle(
  subscription: Subscription,
  number: number,
  end: { status: 'MISSED' } | { status: 'COLLECTED'; orderId: string; txnId: string },
  now: number,
) {
  const dueDate = collectionDate(subscription as CycleTerms, number)!
  const window = { from: dueDate, to: dueDate }
  const open = openCycle({ subscription, category: undefined, dueDate, number, window, firstTryAt: now, now })
  const row = { ...open, ...end, noticeNeeded: false, nextAt: null }
  return become(undefined, row, end.status === 'MISSED' ? 'missed' : 'collected', now)
}
