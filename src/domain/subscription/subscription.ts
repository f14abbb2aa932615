// What a subscription is and may become: docs/interface.md section 3. Cycles are rows of their own: collection.ts.

import { dayEnds } from '../../engine/clock.ts'
import { type Change, type Event, eventOf } from '../../engine/decision.ts'
import { subscriptionKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'

export type Subscription = Row<'subscriptions'>
export type SubscriptionStatus = Subscription['status']

export const ASKED_EVERY_MS = 24 * 60 * 60_000 // ours: a bank that has not decided on a mandate, or whose payer has paused it

interface Move {
  /** A status, or a status and the subStatus that it has to have. */
  from: readonly (SubscriptionStatus | `${SubscriptionStatus}/${string}`)[]
  to: SubscriptionStatus
  subStatus: string
  /** The last word of its event. */
  event: string
}

const LIVE = ['INIT', 'IN_AUTHORIZATION', 'AUTHORIZED', 'ACTIVE', 'SUSPENDED'] as const

/** Every move a subscription can make. What is not here cannot happen. */
export const moves = {
  consent: { from: ['INIT'], to: 'ACTIVE', subStatus: 'ACTIVE', event: 'activated' },
  /** A bank mandate was taken by the bank. */
  submit: { from: ['INIT'], to: 'IN_AUTHORIZATION', subStatus: 'SUBMITTED', event: 'submitted' },
  timeOut: { from: ['INIT', 'IN_AUTHORIZATION'], to: 'REJECT', subStatus: 'TIMED_OUT', event: 'rejected' },
  accept: { from: ['IN_AUTHORIZATION'], to: 'AUTHORIZED', subStatus: 'AUTHORIZED', event: 'authorized' },
  refuse: { from: ['IN_AUTHORIZATION'], to: 'AUTHORIZATION_FAILED', subStatus: 'BANK_REFUSED', event: 'refused' },
  start: { from: ['AUTHORIZED'], to: 'ACTIVE', subStatus: 'ACTIVE', event: 'activated' },
  pauseByMerchant: { from: ['ACTIVE'], to: 'SUSPENDED', subStatus: 'MERCHANT_PAUSED', event: 'paused' },
  /** A payer's pause stands over a merchant's. */
  pauseByPayer: { from: ['ACTIVE', 'SUSPENDED/MERCHANT_PAUSED'], to: 'SUSPENDED', subStatus: 'USER_PAUSED', event: 'paused' },
  /** Each lifts his own pause only. */
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

/** By the state that a move begins in, as `verify` holds them against events. */
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

/** The only state in which a subscription is collected, and what merchants' code asks for. */
export const isActive = ({ status }: Pick<Subscription, 'status'>) => status === 'ACTIVE'
export const isOver = ({ status }: Pick<Subscription, 'status'>) => !(LIVE as readonly string[]).includes(status)

/** The event of a change from one version of a subscription to the next. */
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

/** What no edit changes: the event of its making says it, and `verify` holds the row against that. */
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

/** Makes a move, and sets `more` with it; a subscription that cannot make it stays as it is, without change or event. */
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
 * It ended before its bank had decided on the mandate and named it, and without a name nothing is withdrawn: the bank is asked daily until it has
 * said what it is. What it has refused it has refused for ever.
 */
export const isUnnamed = ({ status, paymentMode, mandate }: Pick<Subscription, 'status' | 'paymentMode' | 'mandate'>) =>
  paymentMode === 'BANK_MANDATE' && mandate?.reference === undefined && isOver({ status }) && status !== moves.refuse.to

/** What becomes of a subscription among the changes of a decision; undefined where nothing does. */
export const changedIn = (changes: readonly Change[]) =>
  changes.findLast(
    (change): change is Change<'subscriptions'> & { kind: 'update' } => change.kind === 'update' && change.key.table === 'subscriptions',
  )

/** Its payer resumes it where they have paused it, and the word of that may be lost: their bank is asked until it says so. */
export const isPausedAtBank = ({ subStatus, mandate }: Pick<Subscription, 'subStatus' | 'mandate'>) =>
  subStatus === moves.pauseByPayer.subStatus && mandate?.reference !== undefined && mandate.isPausedHere !== true
export const nextQuestionAt = ({ expiryDate }: Pick<Subscription, 'expiryDate'>, now: number) =>
  Math.min(now + ASKED_EVERY_MS, dayEnds(expiryDate))

/** What the bank says of a pause meanwhile is no word of the payer's, and a debit would be refused. */
export const bankKeepsOurPause = ({ mandate }: Pick<Subscription, 'mandate'>) => mandate?.isPauseAtBank === true
