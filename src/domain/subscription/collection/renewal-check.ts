// The obstacles to collecting a cycle at an instant, in the words of docs/interface.md section 4.39. One check finds the obstacle from the
// rows. Renew reports it by a code, Consult by a word.

import { dateInIndia, dateTimeInIndia, dayBegins } from '../../../engine/clock.ts'
import type { Category } from '../../../reference/reference.ts'
import { collectionsOf, debitsOpenAtBank, standingNoticeOf } from '../../../tables/keys.ts'
import type { Row } from '../../../tables/tables.ts'
import { isPastExpiry } from '../manage-request.ts'
import { isActive, type Subscription } from '../subscription.ts'
import { type Collection, hasEnded } from './collection.ts'
import { type CollectionRule, checkCollection, type Intent, isAboveLimit, needsApproval } from './collection-check.ts'
import { cycleKeys, cycleOfDay, cycleToCome } from './find-cycle.ts'
import { collectionDate } from './schedule.ts'

export type RenewalRefusal =
  | 'notActive'
  | 'expired'
  | 'tooEarlyForCycle'
  | 'alreadyCollected'
  | 'skipped'
  | 'inFlight'
  | 'retryNotAllowed'
  | 'attemptsUsedUp'
  | 'noNotice'
  /** A rule that waiting within the window cannot fix. */
  | { forbiddenBy: CollectionRule; next: number | undefined }

/** `at`: when the attempt may be sent. `rule`: the rule that forbids the requested instant. */
export type Outlook = { at: number; rule?: CollectionRule } | { obstacle: RenewalRefusal }

/** The rows that decide on a renewal on a day, beside the merchant's and the subscription's. */
export function renewalReads(subscription: Subscription | undefined, day: string) {
  const keys = cycleKeys(subscription, day)
  return {
    ...keys,
    newest: subscription?.frequencyUnit === 'ONDEMAND' ? collectionsOf(subscription.mid, subscription.subscriptionId, 1) : undefined,
    standing: keys.cycle && standingNoticeOf(keys.cycle.id[0]!, keys.cycle.id[1]!),
  }
}

/** The attempts that are still open at the bank. Only a cycle that was tried can have any. */
export const triedReads = (cycle: Row<'collections'> | undefined) => ({
  open: cycle && cycle.attempts > 0 ? debitsOpenAtBank(cycle) : undefined,
})

export interface RenewalAsked {
  subscription: Subscription
  category: Category | undefined
  /** As stored: the cycle of the day of `now`, the cycle before it, and on demand the newest cycle. */
  cycle: Row<'collections'> | undefined
  previous: Row<'collections'> | undefined
  newest: Row<'collections'> | undefined
  standing: Row<'notices'> | undefined
  /** Earlier debits of `cycle` that the bank may still make, or has not wholly returned. */
  open: readonly Row<'transactions'>[] | undefined
  amountPaise: number
  now: number
  /** When the collection is wanted: `now` or later. */
  at: number
  /** True when `now` lies in a future cycle. The cycle before that cycle will have its row by then. */
  isToCome?: boolean
}

export interface RenewalCheck {
  /** The cycle to collect: the stored row, or the row that the cycle would have. */
  cycle: Collection | undefined
  /** On demand without a cycle for the day: a future day that the payer was notified of. */
  opensOn: string | undefined
  amountFault: 'anotherAmount' | 'amountOverMax' | undefined
  outlook: Outlook
}

/** The whole answer to a renewal, from the rows alone. Renew reports the amount's fault first, Consult last. */
export function checkRenewal(asked: RenewalAsked): RenewalCheck {
  const found = cycleToCollect(asked)
  return { ...found, amountFault: amountFaultOf(asked, found.cycle), outlook: outlookOf(asked, found.cycle) }
}

/** The cycle of the day. On demand, a notice may have opened a cycle for a later day. Until that day a renewal is too early. */
function cycleToCollect({ subscription, category, cycle, previous, newest, now, isToCome = false }: RenewalAsked) {
  const day = dateInIndia(now)
  if (!cycle && newest && newest.windowFrom > day) return { cycle: undefined, opensOn: newest.windowFrom }
  const found = isToCome
    ? (cycle ?? cycleToCome(subscription, category, day, now))
    : cycleOfDay(subscription, category, day, { cycle, previous }, now)
  return { cycle: found, opensOn: undefined }
}

/** The cycle's terms come before the subscription's, because the cycle's notice names them to the payer. */
function amountFaultOf({ subscription, amountPaise }: RenewalAsked, cycle: Collection | undefined): RenewalCheck['amountFault'] {
  if (subscription.amountType === 'FIX')
    return amountPaise === (cycle?.amountPaise ?? subscription.renewalAmountPaise!) ? undefined : 'anotherAmount'
  if (amountPaise === 0) return 'anotherAmount'
  return amountPaise > (cycle?.maxPaise ?? subscription.maxAmountPaise) ? 'amountOverMax' : undefined
}

function outlookOf(
  { subscription, category, standing, open = [], amountPaise, now, at }: RenewalAsked,
  cycle: Collection | undefined,
): Outlook {
  if (subscription.status === 'EXPIRED' || isPastExpiry(subscription, now)) return { obstacle: 'expired' }
  if (!isActive(subscription)) return { obstacle: 'notActive' }
  if (!cycle || dateInIndia(now) < cycle.windowFrom) return { obstacle: 'tooEarlyForCycle' }
  const usedUp: RenewalRefusal = subscription.enableRetry ? 'attemptsUsedUp' : 'retryNotAllowed'
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
  if (open.length > 0) return { obstacle: 'inFlight' }
  const intent = { ...intentOf(cycle, category, amountPaise), standingNotice: standing }
  const verdict = checkCollection(intent, at)
  if ('at' in verdict) return verdict
  if (verdict.rule === 'attemptsUsedUp') return { obstacle: usedUp }
  if (verdict.rule === 'noNotice') return { obstacle: 'noNotice' }
  if (verdict.rule === 'windowOver') return { obstacle: over }
  if (verdict.next !== undefined) return { at: verdict.next, rule: verdict.rule }
  return { obstacle: { forbiddenBy: verdict.rule, next: afterWindow(intent, at) } }
}

/** `attempts`: the number of attempts before the checked attempt. */
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
/** When the rule itself would permit the debit, if the cycle had no last day. */
function afterWindow(intent: Intent, at: number): number | undefined {
  const verdict = checkCollection({ ...intent, window: { ...intent.window, to: LAST_DAY } }, at)
  return 'rule' in verdict ? verdict.next : undefined
}

/** The first instant of the next cycle. */
export function nextBegins(subscription: Subscription, { number }: Collection): number | undefined {
  const due = number === null ? undefined : collectionDate(subscription, number + 1)
  return due === undefined ? undefined : dayBegins(due)
}

/** `: <rule>, next <yyyy-MM-dd HH:mm:ss>` */
export const ruleText = ({ forbiddenBy, next }: { forbiddenBy: CollectionRule; next: number | undefined }) =>
  `: ${forbiddenBy}${next === undefined ? '' : `, next ${dateTimeInIndia(next)}`}`

export const cycleAttemptsLeft = (cycle: Collection) =>
  hasEnded(cycle) || cycle.unwanted !== 'NO' ? 0 : cycle.attemptsMax - cycle.attempts

/** Whether a notice of this amount for this day asks the payer for an approval. */
export const asksPayer = ({ rail, windowFrom }: Collection, category: Category | undefined, amountPaise: number, day: string) =>
  isAboveLimit({ rail, category, amountPaise }, day > windowFrom ? day : windowFrom) ? ('ASKED' as const) : ('NONE' as const)

/** True while the payer must approve this debit and has not. */
export const needsAuthentication = (cycle: Collection, category: Category | undefined, amountPaise: number, day: string) =>
  needsApproval(intentOf(cycle, category, amountPaise), day)
