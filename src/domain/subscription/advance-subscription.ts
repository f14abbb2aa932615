// `subscription.due`: the moves of a subscription by the clock. A subscription starts at 00:00 of its first day and expires at 24:00 of its
// last. It times out if its bank has not decided on the mandate in time. Docs/interface.md section 3.

import { dayBegins, dayEnds } from '../../engine/clock.ts'
import { type Change, type Event, NOTHING, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import type { Reference } from '../../reference/reference.ts'
import { merchantKey, subscriptionKey } from '../../tables/keys.ts'
import { firstCycles } from './consent-result.ts'
import { revokeTask } from './mandate/bank-tasks.ts'
import { notifyOfMoves, recipientKeys } from './mandate-notifications.ts'
import { ASKED_EVERY_MS, isPausedAtBank, isUnnamed, move, nextQuestionAt, type Subscription } from './subscription.ts'

const codes = ownCodes('advanceSubscription', 'moved', 'nothing')
const HOUR_MS = 60 * 60_000
export const AUTHORIZATION_MAX_MS = 30 * 24 * HOUR_MS // Mohur's choice: how long a bank may take to decide on a mandate

export interface AdvanceSubscription {
  mid: string
  subscriptionId: string
  reference: Pick<Reference, 'category'>
  now: number
}

/**
 * `asks`: the subscription whose bank the caller asks after the commit. Either the bank has not decided on the mandate, or the payer has
 * paused the mandate at the bank. In the first case the subscription may have ended meanwhile.
 */
export interface Woken {
  asks?: Subscription
}

export const advanceSubscription = operation({
  name: 'advanceSubscription',
  codes,
  reads: ({ mid, subscriptionId }: AdvanceSubscription) => ({
    subscription: subscriptionKey(mid, subscriptionId),
    merchant: merchantKey(mid),
  }),
  readsNext: (_command, { subscription }) => recipientKeys(subscription),
  decide({ reference, now }, state) {
    const { subscription, merchant } = state
    if (!subscription || !merchant || subscription.wakesAt === null || subscription.wakesAt > now)
      return { ...NOTHING, reply: { result: codes.nothing, body: {} as Woken } }
    const { asks, ...done } = woken(subscription, reference.category(merchant.mcc), now)
    // The bank may still accept the mandate, but nothing is collected any more. So the mandate is withdrawn.
    const isGivenUp = subscription.status === 'IN_AUTHORIZATION' && !asks
    const tasks = isGivenUp ? revokeTask(subscription, now) : []
    return notifyOfMoves(state, now, { reply: { result: codes.moved, body: { ...(asks && { asks }) } }, ...done, tasks })
  },
})

type Category = ReturnType<Reference['category']>
interface Done extends Woken {
  changes: Change[]
  events: Event[]
}

function woken(subscription: Subscription, category: Category, now: number): Done {
  const { status, expiryDate } = subscription
  const expiresAt = dayEnds(expiryDate)
  switch (status) {
    case 'AUTHORIZED':
      return now >= expiresAt ? move(subscription, 'expire', now) : started(subscription, category, now)
    case 'ACTIVE':
    case 'SUSPENDED':
      if (now >= expiresAt) return move(subscription, 'expire', now)
      return isPausedAtBank(subscription)
        ? { ...sleeps(subscription, nextQuestionAt(subscription, now)), asks: subscription }
        : sleeps(subscription, expiresAt)
    case 'IN_AUTHORIZATION': {
      const until = Math.min(subscription.updatedAt + AUTHORIZATION_MAX_MS, expiresAt)
      if (now >= until) return move(subscription, 'timeOut', now)
      return { ...sleeps(subscription, Math.min(now + ASKED_EVERY_MS, until)), asks: subscription }
    }
    default:
      return isUnnamed(subscription) ? { ...sleeps(subscription, now + ASKED_EVERY_MS), asks: subscription } : sleeps(subscription, null)
  }
}

export function started(subscription: Subscription, category: Category, now: number): Done {
  if (now < dayBegins(subscription.startDate)) return sleeps(subscription, dayBegins(subscription.startDate))
  const active = move(subscription, 'start', now, { wakesAt: dayEnds(subscription.expiryDate) })
  // A late run changes no debit day: the consent's time decides, or the start date after an earlier consent. Another day stands for a due
  // day only if the consent came after that day.
  const agreedAt = Math.max(subscription.consentedAt ?? now, dayBegins(subscription.startDate))
  const cycles = firstCycles(active.subscription, category, undefined, { agreedAt, now })
  return { changes: [...active.changes, ...cycles.changes], events: [...active.events, ...cycles.events] }
}

const sleeps = (subscription: Subscription, wakesAt: number | null): Done => ({
  changes: [{ kind: 'update', key: subscriptionKey(subscription.mid, subscription.subscriptionId), row: { ...subscription, wakesAt } }],
  events: [],
})
