// The states and moves of a subscription: docs/interface.md section 3. Cycles are rows of their own: collection.ts.

import { dayEnds } from '../../engine/clock.ts'
import { type Change, type Event, eventOf } from '../../engine/decision.ts'
import { subscriptionKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'

export type Subscription = Row<'subscriptions'>
export type SubscriptionStatus = Subscription['status']

export const ASKED_EVERY_MS = 24 * 60 * 60_000 // Mohur's choice: how often to ask a bank that has not decided on a mandate, or whose payer has paused it

interface Move {
  /** A status, or a status with the subStatus that it must have. */
  from: readonly (SubscriptionStatus | `${SubscriptionStatus}/${string}`)[]
  to: SubscriptionStatus
  subStatus: string
  /** The last word of the event's type. */
  event: string
}

const LIVE = ['INIT', 'IN_AUTHORIZATION', 'AUTHORIZED', 'ACTIVE', 'SUSPENDED'] as const

/** Every move of a subscription. No other can happen. */
export const moves = {
  consent: { from: ['INIT'], to: 'ACTIVE', subStatus: 'ACTIVE', event: 'activated' },
  /** The bank has taken a bank mandate. */
  submit: { from: ['INIT'], to: 'IN_AUTHORIZATION', subStatus: 'SUBMITTED', event: 'submitted' },
  timeOut: { from: ['INIT', 'IN_AUTHORIZATION'], to: 'REJECT', subStatus: 'TIMED_OUT', event: 'rejected' },
  accept: { from: ['IN_AUTHORIZATION'], to: 'AUTHORIZED', subStatus: 'AUTHORIZED', event: 'authorized' },
  refuse: { from: ['IN_AUTHORIZATION'], to: 'AUTHORIZATION_FAILED', subStatus: 'BANK_REFUSED', event: 'refused' },
  start: { from: ['AUTHORIZED'], to: 'ACTIVE', subStatus: 'ACTIVE', event: 'activated' },
  pauseByMerchant: { from: ['ACTIVE'], to: 'SUSPENDED', subStatus: 'MERCHANT_PAUSED', event: 'paused' },
  /** A payer's pause stands over a merchant's. */
  pauseByPayer: { from: ['ACTIVE', 'SUSPENDED/MERCHANT_PAUSED'], to: 'SUSPENDED', subStatus: 'USER_PAUSED', event: 'paused' },
  /** Merchant and payer each lift their own pause only. */
  resumeByMerchant: { from: ['SUSPENDED/MERCHANT_PAUSED'], to: 'ACTIVE', subStatus: 'ACTIVE', event: 'resumed' },
  resumeByPayer: { from: ['SUSPENDED/USER_PAUSED'], to: 'ACTIVE', subStatus: 'ACTIVE', event: 'resumed' },
  cancel: { from: LIVE, to: 'REJECT', subStatus: 'MERCHANT_CANCELLED', event: 'cancelled' },
  revoke: { from: LIVE, to: 'REJECT', subStatus: 'USER_CANCELLED', event: 'revoked' },
  expire: { from: ['AUTHORIZED', 'ACTIVE', 'SUSPENDED'], to: 'EXPIRED', subStatus: 'EXPIRED', event: 'expired' },
  close: { from: LIVE, to: 'CLOSED', subStatus: 'OPERATOR_CLOSED', event: 'closed' },
} as const satisfies Readonly<Record<string, Move>>
export type MoveName = keyof typeof moves

export const SUBSCRIPTION_STATUSES = [
  ...LIVE,
  'AUTHORIZATION_FAILED',
  'REJECT',
  'EXPIRED',
  'CLOSED',
] as const satisfies readonly SubscriptionStatus[]

/** The moves by the state in which they begin. `verify` compares them with events. */
export const transitions: Readonly<Record<SubscriptionStatus, Readonly<Record<string, SubscriptionStatus>>>> = Object.fromEntries(
  SUBSCRIPTION_STATUSES.map((status) => [
    status,
    Object.fromEntries(
      Object.entries<Move>(moves)
        .filter(([, { from }]) => from.some((each) => each === status || each.startsWith(`${status}/`)))
        .map(([name, { to }]) => [name, to]),
    ),
  ]),
) as Record<SubscriptionStatus, Record<string, SubscriptionStatus>>

export const mayMove = ({ status, subStatus }: Pick<Subscription, 'status' | 'subStatus'>, name: MoveName): boolean =>
  (moves[name] as Move).from.some((each) => each === status || each === `${status}/${subStatus}`)

/** True in the only state in which a subscription is collected. Merchants' code asks for this state. */
export const isActive = ({ status }: Pick<Subscription, 'status'>) => status === 'ACTIVE'
/** When the payer agreed, for `isOfFormerOwner`. */
export const agreementOf = ({ consentedAt, createdAt }: Pick<Subscription, 'consentedAt' | 'createdAt'>) => ({
  createdAt: consentedAt ?? createdAt,
})

export const isOver = ({ status }: Pick<Subscription, 'status'>) => !(LIVE as readonly string[]).includes(status)

export function subscriptionEvent(
  type: `subscription.${string}`,
  before: Subscription | undefined,
  after: Subscription,
  at: number,
  more: Event['data'] = {},
): Event {
  const { amountType, txnAmountPaise, maxAmountPaise, expiryDate, subStatus } = after
  return eventOf({
    type,
    owner: after.mid,
    id: after.subscriptionId,
    before,
    after,
    at,
    data: { amountType, txnAmountPaise, maxAmountPaise, expiryDate, subStatus, ...more },
  })
}

/** The terms that no edit changes. The event `subscription.created` has them, and `verify` compares the row with that event. */
export function lastingTerms(subscription: Subscription): Event['data'] {
  const { startDate, frequencyUnit, frequency, graceDays, mandateType } = subscription
  const { enableRetry, retryCount, autoRetry, autoRenewal, communicationManager } = subscription
  return {
    startDate,
    frequencyUnit,
    frequency,
    graceDays,
    mandateType,
    enableRetry,
    retryCount,
    autoRetry,
    autoRenewal,
    communicationManager,
  }
}

export interface Moved {
  subscription: Subscription
  changes: Change<'subscriptions'>[]
  events: Event[]
}

/** Makes a move, and sets `more` with it. A subscription that cannot make the move stays unchanged, without an event. */
export function move(before: Subscription, name: MoveName, now: number, more: Partial<Subscription> = {}): Moved {
  if (!mayMove(before, name)) return { subscription: before, changes: [], events: [] }
  const { to, subStatus, event } = moves[name]
  const isEnd = !(LIVE as readonly string[]).includes(to)
  const moved: Subscription = {
    ...before,
    ...(isEnd && { wakesAt: null, edit: null }),
    ...more,
    version: before.version + 1,
    status: to,
    subStatus,
    updatedAt: now,
  }
  const asksAt = isUnnamed(moved) ? now + ASKED_EVERY_MS : isPausedAtBank(moved) ? nextQuestionAt(moved, now) : undefined
  const subscription = asksAt === undefined ? moved : { ...moved, wakesAt: asksAt }
  return {
    subscription,
    changes: [{ kind: 'update', key: subscriptionKey(before.mid, before.subscriptionId), row: subscription }],
    events: [subscriptionEvent(`subscription.${event}`, before, subscription, now)],
  }
}

/**
 * True when the subscription ended before its bank had decided on the mandate and named it. A mandate without a name cannot be withdrawn.
 * So the service asks the bank daily until the bank reports the mandate's state. A refused mandate stays refused.
 */
export const isUnnamed = ({ status, paymentMode, mandate }: Pick<Subscription, 'status' | 'paymentMode' | 'mandate'>) =>
  paymentMode === 'BANK_MANDATE' && mandate?.reference === undefined && isOver({ status }) && status !== moves.refuse.to

/** The last change of a subscription in a decision. Undefined when no subscription changed. */
export const changedIn = (changes: readonly Change[]) =>
  changes.findLast(
    (change): change is Change<'subscriptions'> & { kind: 'update' } => change.kind === 'update' && change.key.table === 'subscriptions',
  )

/**
 * True when the payer paused the mandate at the bank. The payer resumes it there too, and the bank's report of that may be lost. So the
 * service asks the bank until the bank reports the resumption.
 */
export const isPausedAtBank = ({ subStatus, mandate }: Pick<Subscription, 'subStatus' | 'mandate'>) =>
  subStatus === moves.pauseByPayer.subStatus && mandate?.reference !== undefined && mandate.isPausedHere !== true
export const nextQuestionAt = ({ expiryDate }: Pick<Subscription, 'expiryDate'>, now: number) =>
  Math.min(now + ASKED_EVERY_MS, dayEnds(expiryDate))

/**
 * True while the bank keeps a pause that Mohur sent. Meanwhile a pause that the bank reports is not the payer's, and a debit would be
 * refused.
 */
export const bankKeepsOurPause = ({ mandate }: Pick<Subscription, 'mandate'>) => mandate?.isPauseAtBank === true
