// A subscription's cycles, from its terms alone: their days, their notices, how often and when they are tried. Also decides what a consent
// means for the cycles that were due by then. Docs/interface.md section 4.6; decisions/0017.

import { dateInIndia, dayBegins } from '../../../engine/clock.ts'
import type { Category } from '../../../reference/reference.ts'
import type { Row } from '../../../tables/tables.ts'
import { afterForbiddenHours, timeOf, type Window } from './collection-check.ts'
import { type Rail, ruleOf } from './rail-rules.ts'
import { collectionDate, plusDays, type Schedule } from './schedule.ts'

const HOUR_MS = 60 * 60_000
const NOTICE_BEFORE_MS = 36 * HOUR_MS // Mohur's choice: before the first attempt, so that a failed notice can be sent again
const FIRST_TRY = '06:00:00' // Mohur's choice: before the first forbidden hours of any rail
/** Mohur's choice: when a cycle without grace days is tried again on its day. Both are ends of forbidden hours. */
const LATER_TRIES = ['13:00:00', '21:30:00'] as const

export type CycleTerms = Schedule &
  Pick<Row<'subscriptions'>, 'graceDays' | 'enableRetry' | 'retryCount' | 'amountType' | 'renewalAmountPaise' | 'txnAmountPaise'>

/** When cycle `number` (0 on the start date) may be collected. Undefined when there is no such cycle. */
export function windowOf(terms: CycleTerms, number: number, rail: Rail): Window | undefined {
  const due = collectionDate(terms, number)
  return due === undefined ? undefined : windowFrom(terms, number, due, rail)
}

/** Grace days count from `from`, which stands for the due day. They end with the mandate, and before the next cycle begins. */
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

export const noticeAt = (firstTryAt: number) => firstTryAt - NOTICE_BEFORE_MS

export const firstTryAt = ({ from }: Window) => timeOf(from, FIRST_TRY)

type Days = Pick<Row<'collections'>, 'dueDate' | 'windowFrom' | 'windowTo' | 'noticeNeeded'>
/**
 * The time of the first try of a cycle, or of a later day of it that its payer was notified of. A day that only stands for the due day
 * begins with the first permitted instant.
 */
export const usualTryAt = ({ dueDate, windowFrom, windowTo: to, noticeNeeded }: Days, noticeDate = windowFrom) =>
  noticeNeeded && windowFrom !== dueDate && noticeDate <= windowFrom
    ? dayBegins(windowFrom)
    : firstTryAt({ from: noticeDate > windowFrom ? noticeDate : windowFrom, to })

/** The next try after a failed attempt at `lastAt`: daily with grace days, on the same day without. Undefined when the window is over. */
export function nextTryAt({ from, to }: Window, lastAt: number): number | undefined {
  if (from === to) return LATER_TRIES.map((time) => timeOf(from, time)).find((at) => at > lastAt)
  const tomorrow = plusDays(dateInIndia(lastAt), 1)
  return tomorrow > to ? undefined : timeOf(tomorrow, FIRST_TRY)
}

export function attemptsMax({ enableRetry, retryCount }: CycleTerms, rail: Rail, category: Category | undefined, day: string): number {
  const wanted = 1 + (enableRetry ? retryCount : 0)
  return Math.min(wanted, ruleOf('attemptsMax', rail, category, day)?.value ?? wanted)
}

export interface AtConsent {
  /** The cycle that the first payment collected. */
  collected: number | undefined
  /** Cycles that were due before and cannot be collected any more. */
  missed: readonly number[]
  /** The next cycle, when it may be collected and when it may be tried first. Undefined when none is left. */
  next: { number: number; window: Window; firstTryAt: number } | undefined
}

/**
 * What a consent means for the cycles. A first payment that comes on or after the first due day, and covers a fixed amount, collects the
 * first cycle. Otherwise the newest due cycle is collected from the first permitted day.
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
    // Without a notice to wait for, the first try is not before the usual hour of that day.
    next: { number: newest, window, firstTryAt: Math.max(permittedAt, noticeMs === 0 ? firstTryAt(window) : dayBegins(window.from)) },
  }
}

function upcoming(terms: CycleTerms, number: number, rail: Rail, now: number): AtConsent['next'] {
  const window = windowOf(terms, number, rail)
  return window && { number, window, firstTryAt: Math.max(firstTryAt(window), now) }
}

function cyclesUntil(terms: CycleTerms, day: string): number {
  let count = 0
  for (let due = collectionDate(terms, 0); due !== undefined && due <= day; due = collectionDate(terms, count)) count++
  return count
}

const upTo = (from: number, below: number) => Array.from({ length: Math.max(below - from, 0) }, (_, at) => from + at)
