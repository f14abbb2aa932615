// What stands against collecting a cycle at an instant, in the words of docs/interface.md section 4.39: Renew answers it as a
// code, Consult as a word.

import { dateInIndia, dateTimeInIndia, dayBegins } from '../engine/clock.ts'
import type { Row } from '../tables.ts'
import { type Collection, hasEnded } from './collection.ts'
import { type Barrier, type Intent, isAboveLimit, needsApproval, permits } from './permits.ts'
import type { Category } from './rule-book.ts'
import { collectionDate } from './schedule.ts'
import type { Subscription } from './subscription.ts'

export type Obstacle =
  | 'tooEarlyForCycle'
  | 'alreadyCollected'
  | 'skipped'
  | 'inFlight'
  | 'retryNotAllowed'
  | 'attemptsUsedUp'
  | 'noNotice'
  /** A rule that no waiting within the window mends. */
  | { forbiddenBy: Barrier; next: number | undefined }

/** `at`: when it may be sent. `rule`: why not at the instant that was asked for. */
export type Outlook = { at: number; rule?: Barrier } | { obstacle: Obstacle }

export interface Wanted {
  subscription: Subscription
  category: Category | undefined
  /** That of the day; undefined when the day is in none. */
  cycle: Collection | undefined
  /** Its notice that stands. */
  standing: Row<'notices'> | undefined
  amountPaise: number
  at: number
}

/** Asked of a subscription that is active. */
export function outlook({ subscription, category, cycle, standing, amountPaise, at }: Wanted): Outlook {
  if (!cycle || dateInIndia(at) < cycle.windowFrom) return { obstacle: 'tooEarlyForCycle' }
  const usedUp: Obstacle = subscription.enableRetry ? 'attemptsUsedUp' : 'retryNotAllowed'
  const over = { forbiddenBy: 'windowOver', next: nextBegins(subscription, cycle) } as const
  switch (cycle.status) {
    case 'COLLECTED':
      return { obstacle: 'alreadyCollected' }
    case 'SKIPPED':
      return { obstacle: 'skipped' }
    case 'IN_FLIGHT':
      return { obstacle: 'inFlight' }
    case 'FAILED':
      return { obstacle: cycle.attempts >= cycle.attemptsMax ? usedUp : over }
    case 'MISSED':
      return { obstacle: over }
    case 'SCHEDULED':
    case 'NOTIFIED':
      break
    default:
      return cycle.status satisfies never
  }
  const intent = { ...intentOf(cycle, category, amountPaise), told: standing }
  const verdict = permits(intent, at)
  if ('at' in verdict) return verdict
  if (verdict.rule === 'attemptsUsedUp') return { obstacle: usedUp }
  if (verdict.rule === 'noNotice') return { obstacle: 'noNotice' }
  if (verdict.rule === 'windowOver') return { obstacle: over }
  if (verdict.next !== undefined) return { at: verdict.next, rule: verdict.rule }
  return { obstacle: { forbiddenBy: verdict.rule, next: afterWindow(intent, at) } }
}

/** `attempts`: those before the one that is meant. */
export const intentOf = (
  cycle: Collection,
  category: Category | undefined,
  amountPaise: number,
  attempts: number = cycle.attempts,
): Intent => ({
  rail: cycle.rail,
  category,
  amountPaise,
  window: { from: cycle.windowFrom, to: cycle.windowTo },
  attempts,
  attemptsMax: cycle.attemptsMax,
  noticeNeeded: cycle.noticeNeeded,
  notice: cycle.noticedAt === null ? undefined : { succeededAt: cycle.noticedAt, amountPaise: cycle.noticedPaise! },
  authentication: cycle.authentication,
})

const LAST_DAY = '9999-12-31'
/** When the rule itself would be over, if the cycle were not. */
function afterWindow(intent: Intent, at: number): number | undefined {
  const verdict = permits({ ...intent, window: { ...intent.window, to: LAST_DAY } }, at)
  return 'rule' in verdict ? verdict.next : undefined
}

/** The first day of the next cycle. */
export function nextBegins(subscription: Subscription, { number }: Collection): number | undefined {
  const due = number === null ? undefined : collectionDate(subscription, number + 1)
  return due === undefined ? undefined : dayBegins(due)
}

/** `: <rule>, next <yyyy-MM-dd HH:mm:ss>` */
export const ruleText = ({ forbiddenBy, next }: { forbiddenBy: Barrier; next: number | undefined }) =>
  `: ${forbiddenBy}${next === undefined ? '' : `, next ${dateTimeInIndia(next)}`}`

/** What is left of a cycle's attempts. */
export const attemptsLeft = (cycle: Collection) => (hasEnded(cycle) || cycle.unwanted !== 'NO' ? 0 : cycle.attemptsMax - cycle.attempts)

/** What a notice of so much for a day asks of the payer. */
export const asksPayer = ({ rail, windowFrom }: Collection, category: Category | undefined, amountPaise: number, day: string) =>
  isAboveLimit({ rail, category, amountPaise }, day > windowFrom ? day : windowFrom) ? ('ASKED' as const) : ('NONE' as const)

/** Whether the payer has to approve this debit himself, and has not. */
export const needsAuthentication = (cycle: Collection, category: Category | undefined, amountPaise: number, day: string) =>
  needsApproval(intentOf(cycle, category, amountPaise), day)
