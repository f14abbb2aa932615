// May a cycle be debited at an instant? The answer is that instant, or the forbidding rule with the next permitted instant. Pure. The
// service checks when a debit is wanted, and again when it sends the debit: docs/decisions/0017.

import { dateInIndia, dayBegins, dayEnds } from '../../../engine/clock.ts'
import type { Category } from '../../../reference/reference.ts'
import type { Row } from '../../../tables/tables.ts'
import { type Rail, type RailRule, railRules, ruleOf } from './rail-rules.ts'

/** The days in India on which a cycle may be collected, both included. */
export interface Window {
  from: string
  to: string
}

/** A wanted debit, and the facts of its cycle. Amounts are paise, times epoch milliseconds. */
export interface Intent {
  rail: Rail
  category: Category | undefined
  amountPaise: number
  window: Window
  /** Attempts that were made at this cycle, and the number that its terms allow. */
  attempts: number
  attemptsMax: number
  /** Whether the payer must be notified a day before. Decided when the cycle is opened, even if the merchant's list changes later. */
  noticeNeeded: boolean
  /** The succeeded notice, and the amount that it named to the payer. */
  notice: { succeededAt: number; amountPaise: number } | undefined
  /** The amount and day of the standing notice, which the payer may not have yet. */
  standingNotice?: { amountPaise: number; debitDate: string } | undefined
  /** Whether the payer was asked to approve this very debit, and their answer. */
  authentication: Row<'collections'>['authentication']
}

/** In order of precedence. Waiting cannot fix the first four or the last. The last needs the payer. */
const BARRIERS = [
  'windowOver',
  'attemptsUsedUp',
  'noNotice',
  'moreThanNoticed',
  'tooEarly',
  'noticeTooShort',
  'noticedLater',
  'forbiddenHours',
  'notAuthenticated',
] as const
export type CollectionRule = (typeof BARRIERS)[number]

/** `next`: the next permitted instant within the window. Undefined when waiting does not help. */
export type CollectionCheck = { at: number } | { rule: CollectionRule; next: number | undefined }

const HOUR_MS = 60 * 60_000
const MINUTE_MS = 60_000

export function checkCollection(intent: Intent, at: number, book: readonly RailRule[] = railRules): CollectionCheck {
  const { rail, category, amountPaise, window, noticeNeeded, notice, standingNotice, attempts, attemptsMax } = intent
  const day = dateInIndia(Math.max(at, dayBegins(window.from)))
  const noticeMs = noticeMsOf(intent, day, book)
  const attemptsAllowed = Math.min(attemptsMax, ruleOf('attemptsMax', rail, category, day, book)?.value ?? attemptsMax)
  if (at >= dayEnds(window.to)) return never('windowOver')
  if (attempts >= attemptsAllowed) return never('attemptsUsedUp')
  if (noticeNeeded && !notice) return never('noNotice')
  // A payer who was notified is debited neither for more nor earlier than the notice says. This holds even when no notice is needed.
  const noticePaise = standingNotice?.amountPaise ?? notice?.amountPaise
  if (noticePaise !== undefined && amountPaise > noticePaise) return never('moreThanNoticed')

  const opensAt = dayBegins(window.from)
  const noticedFor = standingNotice ? dayBegins(standingNotice.debitDate) : opensAt
  const noticedAt = noticeNeeded && notice ? notice.succeededAt + noticeMs : opensAt
  const next = afterForbiddenHours(Math.max(at, opensAt, noticedFor, noticedAt), rail, category, book)
  // The approval is checked last, because the payer may still approve while the debit waits for its hour.
  if (next === at) return needsApproval(intent, day, book) ? never('notAuthenticated') : { at }
  const rule = at < opensAt ? 'tooEarly' : at < noticedAt ? 'noticeTooShort' : at < noticedFor ? 'noticedLater' : 'forbiddenHours'
  return { rule, next: next < dayEnds(window.to) ? next : undefined }
}

/** How long before a debit its notice must have succeeded. Zero for a cycle that needs no notice. */
export const noticeMsOf = (
  { rail, noticeNeeded }: Pick<Intent, 'rail' | 'noticeNeeded'>,
  day: string,
  book: readonly RailRule[] = railRules,
): number => (noticeNeeded ? (ruleOf('noticeHours', rail, undefined, day, book)?.value ?? 0) * HOUR_MS : 0)

/** True when the amount is above that day's limit for a debit without the payer's approval. */
export const isAboveLimit = (
  { rail, category, amountPaise }: Pick<Intent, 'rail' | 'category' | 'amountPaise'>,
  day: string,
  book: readonly RailRule[] = railRules,
): boolean => amountPaise > (ruleOf('afaFreePaise', rail, category, day, book)?.value ?? Number.MAX_SAFE_INTEGER)

/**
 * True while a debit above the limit lacks the payer's approval. Once the payer was asked about a smaller debit, that debit needs the
 * approval too.
 */
export const needsApproval = (
  intent: Pick<Intent, 'rail' | 'category' | 'amountPaise' | 'authentication'>,
  day: string,
  book: readonly RailRule[] = railRules,
): boolean => intent.authentication !== 'APPROVED' && (intent.authentication !== 'NONE' || isAboveLimit(intent, day, book))

const never = (rule: CollectionRule): CollectionCheck => ({ rule, next: undefined })

/** The first instant at or after `at` that lies outside the forbidden hours. */
export function afterForbiddenHours(at: number, rail: Rail, category: Category | undefined, book: readonly RailRule[] = railRules): number {
  const day = dateInIndia(at)
  const rule = ruleOf('forbiddenHours', rail, category, day, book)
  const spans = rule?.value.spans.map(({ from, to }) => ({
    begins: timeOf(day, from) - rule.value.minutesBefore * MINUTE_MS,
    ends: timeOf(day, to) + 1_000, // the last second is forbidden too
  }))
  const within = spans?.find(({ begins, ends }) => begins <= at && at < ends)
  return within ? afterForbiddenHours(within.ends, rail, category, book) : at
}

/** `time` is a time of day in India, HH:mm:ss. */
export function timeOf(day: string, time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
  return dayBegins(day) + hours * HOUR_MS + minutes * MINUTE_MS + seconds * 1_000
}
