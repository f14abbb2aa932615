// The cycles of a subscription, as far as its terms alone say: when each may be collected, when the payer is notified, how often
// and when it is tried, and what consent makes of the cycles that were due by then. Docs/interface.md section 4.6; decisions/0017.

import { dateInIndia, dayBegins } from '../../../engine/clock.ts'
import type { Category } from '../../../reference/reference.ts'
import type { Row } from '../../../tables/tables.ts'
import { afterForbiddenHours, timeOf, type Window } from './collection-check.ts'
import { type Rail, ruleOf } from './rail-rules.ts'
import { collectionDate, plusDays, type Schedule } from './schedule.ts'

const HOUR_MS = 60 * 60_000
const NOTICE_BEFORE_MS = 36 * HOUR_MS // ours: before the first attempt, so that a notice that fails can be sent again
const FIRST_TRY = '06:00:00' // ours: before the first forbidden hours of any rail
/** Ours: when a cycle without grace days is tried again on its day; both are ends of forbidden hours. */
const LATER_TRIES = ['13:00:00', '21:30:00'] as const

/** What of a subscription decides its cycles. */
export type CycleTerms = Schedule &
  Pick<Row<'subscriptions'>, 'graceDays' | 'enableRetry' | 'retryCount' | 'amountType' | 'renewalAmountPaise' | 'txnAmountPaise'>

/** When cycle `number` (0 on the start date) may be collected on a rail; undefined when there is no such cycle. */
export function windowOf(terms: CycleTerms, number: number, rail: Rail): Window | undefined {
  const due = collectionDate(terms, number)
  return due === undefined ? undefined : windowFrom(terms, number, due, rail)
}

/** Grace is counted from `from`, which stands for the due day; it ends with the mandate, and before the next cycle begins. */
function windowFrom(terms: CycleTerms, number: number, from: string, rail: Rail): Window | undefined {
  const graceDays =
    rail === 'ENACH' || rail === 'PAPER'
      ? 0
      : Math.min(terms.graceDays, ruleOf('graceDaysMax', rail, undefined, from)?.value ?? terms.graceDays)
  const next = collectionDate(terms, number + 1)
  const ends = [plusDays(from, graceDays), terms.expiryDate, ...(next === undefined ? [] : [plusDays(next, -1)])]
  const to = ends.reduce((first, day) => (day < first ? day : first))
  return to < from ? undefined : { from, to }
}

/** When the payer is notified of a cycle that is to be tried first at `firstTryAt`. */
export const noticeAt = (firstTryAt: number) => firstTryAt - NOTICE_BEFORE_MS

export const firstTryAt = ({ from }: Window) => timeOf(from, FIRST_TRY)

type Days = Pick<Row<'collections'>, 'dueDate' | 'windowFrom' | 'windowTo' | 'noticeNeeded'>
/** The same of a cycle, or of a later day of it that its payer was notified of. A day that only stands for the due day begins with the first permitted instant. */
export const usualTryAt = ({ dueDate, windowFrom, windowTo: to, noticeNeeded }: Days, noticeDate = windowFrom) =>
  noticeNeeded && windowFrom !== dueDate && noticeDate <= windowFrom
    ? dayBegins(windowFrom)
    : firstTryAt({ from: noticeDate > windowFrom ? noticeDate : windowFrom, to })

/** When a cycle is tried again after an attempt at `lastAt` has failed: with grace days daily, without on the same day; undefined when its window is over. */
export function nextTryAt({ from, to }: Window, lastAt: number): number | undefined {
  if (from === to) return LATER_TRIES.map((time) => timeOf(from, time)).find((at) => at > lastAt)
  const tomorrow = plusDays(dateInIndia(lastAt), 1)
  return tomorrow > to ? undefined : timeOf(tomorrow, FIRST_TRY)
}

/** Attempts at one cycle that its terms and its rail allow. */
export function attemptsMax({ enableRetry, retryCount }: CycleTerms, rail: Rail, category: Category | undefined, day: string): number {
  const wanted = 1 + (enableRetry ? retryCount : 0)
  return Math.min(wanted, ruleOf('attemptsMax', rail, category, day)?.value ?? wanted)
}

export interface AtConsent {
  /** The first payment was the collection of this cycle. */
  collected: number | undefined
  /** Cycles that were due before and cannot be collected any more. */
  missed: readonly number[]
  /** The cycle that comes next, when it may be collected, and when it may be tried first; undefined when none is left. */
  next: { number: number; window: Window; firstTryAt: number } | undefined
}

/**
 * What an instant of consent makes of the cycles. A first payment on or after the first due day that covers a fixed amount is
 * that cycle's collection. Else the newest cycle that is due by now is collected from the first day that the rules permit.
 */
export function atConsent(terms: CycleTerms, rail: Rail, category: Category | undefined, consentAt: number): AtConsent {
  const today = dateInIndia(consentAt)
  const due = cyclesUntil(terms, today)
  const paysFirst = terms.amountType === 'FIX' && terms.txnAmountPaise >= terms.renewalAmountPaise!
  if (due > 0 && paysFirst) return { collected: 0, missed: upTo(1, due), next: upcoming(terms, due, rail, consentAt) }
  if (due === 0) return { collected: undefined, missed: [], next: upcoming(terms, 0, rail, consentAt) }
  const newest = due - 1
  const noticeMs = (ruleOf('noticeHours', rail, category, today)?.value ?? 0) * HOUR_MS
  const permittedAt = afterForbiddenHours(consentAt + noticeMs, rail, category)
  const window = windowFrom(terms, newest, dateInIndia(permittedAt), rail)
  if (!window) return { collected: undefined, missed: upTo(0, due), next: upcoming(terms, due, rail, consentAt) }
  return {
    collected: undefined,
    missed: upTo(0, newest),
    // Where no payer is notified first, the usual hour of that day has not passed yet at midnight.
    next: { number: newest, window, firstTryAt: Math.max(permittedAt, noticeMs === 0 ? firstTryAt(window) : dayBegins(window.from)) },
  }
}

/** Never earlier than now: a cycle that is due tomorrow may be too close for its usual hour. */
function upcoming(terms: CycleTerms, number: number, rail: Rail, now: number): AtConsent['next'] {
  const window = windowOf(terms, number, rail)
  return window && { number, window, firstTryAt: Math.max(firstTryAt(window), now) }
}

/** How many cycles are due on `day` or before it. */
function cyclesUntil(terms: CycleTerms, day: string): number {
  let count = 0
  for (let due = collectionDate(terms, 0); due !== undefined && due <= day; due = collectionDate(terms, count)) count++
  return count
}

const upTo = (from: number, below: number) => Array.from({ length: Math.max(below - from, 0) }, (_, at) => from + at)
