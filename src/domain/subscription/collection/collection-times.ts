// A subscription's cycles, calculated from its terms alone: days, notices, number of tries and their times. Also decides how a consent
// changes the cycles that are due at that time. Docs/interface.md section 4.6; decisions/0017.

import { dateInIndia, dayBegins } from '../../../engine/clock.ts'
import type { Category } from '../../../reference/reference.ts'
import type { Row } from '../../../tables/tables.ts'
import { afterForbiddenHours, timeOf, type Window } from './collection-check.ts'
import { type Rail, ruleOf } from './rail-rules.ts'
import { collectionDate, plusDays, type Schedule } from './schedule.ts'

const HOUR_MS = 60 * 60_000
const NOTICE_BEFORE_MS = 36 * HOUR_MS // Mohur's choice: how long before the first attempt; a failed notice can then be sent again
/**
 * Mohur's choice: the day that stands for the due day permits a debit that comes this long after the consent. Where a notice is needed, it
 * permits the debit of a notice that succeeds so late.
 */
const FIRST_RUN_MS = HOUR_MS
const FIRST_TRY = '06:00:00' // Mohur's choice: before the first forbidden hours of any rail
/** Mohur's choice: when a cycle without grace days is tried again on its day. Both are ends of forbidden hours. */
const LATER_TRIES = ['13:00:00', '21:30:00'] as const

export type CycleTerms = Schedule &
  Pick<Row<'subscriptions'>, 'graceDays' | 'enableRetry' | 'retryCount' | 'amountType' | 'renewalAmountPaise' | 'txnAmountPaise'>

/** The days on which cycle `number` (0 on the start date) may be collected. Undefined when no cycle has that number. */
export function windowOf(terms: CycleTerms, number: number, rail: Rail): Window | undefined {
  const due = collectionDate(terms, number)
  return due === undefined ? undefined : windowFrom(terms, number, due, rail)
}

/** Grace days count from `from`, the day that stands for the due day. They end with the mandate, and before the next cycle begins. */
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
 * The usual hour of a cycle's first day, or of a later day that the notice named. When a notice is needed and the first day only stands for
 * the due day, a try may come from 00:00.
 */
export const usualTryAt = ({ dueDate, windowFrom, windowTo: to, noticeNeeded }: Days, noticeDate = windowFrom) =>
  noticeNeeded && windowFrom !== dueDate && noticeDate <= windowFrom
    ? dayBegins(windowFrom)
    : firstTryAt({ from: noticeDate > windowFrom ? noticeDate : windowFrom, to })

/**
 * The next try after a failed attempt at `lastAt`: the next day with grace days, later on the same day without. Undefined when the window
 * has no try left.
 */
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
  /** Cycles that were due at the consent and cannot be collected any more. */
  missed: readonly number[]
  /** The next cycle, with its window and the time of its first try. Undefined when no cycle is left. */
  next: { number: number; window: Window; firstTryAt: number } | undefined
}

/**
 * How a consent changes the cycles. A first payment on or after the first due day collects the first cycle, if the payment covers a fixed
 * amount. Otherwise the newest due cycle is collected from the first permitted day.
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
  const permittedLater = afterForbiddenHours(consentAt + FIRST_RUN_MS + noticeMs, rail, category)
  const window = windowFrom(terms, newest, dateInIndia(permittedLater), rail) ?? windowFrom(terms, newest, dateInIndia(permittedAt), rail)
  if (!window) return { collected: undefined, missed: upTo(0, due), next: upcoming(terms, due, rail, consentAt) }
  return {
    collected: undefined,
    missed: upTo(0, newest),
    // When no notice is needed, the first try is not before the usual hour of that day.
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
