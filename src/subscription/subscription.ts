// What a subscription is and may become: docs/interface.md section 3.

import type { Change, Event } from '../engine/decision.ts'
import { type Row, subscriptionKey } from '../tables.ts'

export type Subscription = Row<'subscriptions'>
export type SubscriptionStatus = Subscription['status']

/** Every move a subscription can make. What is not here cannot happen. */
export const transitions = {
  INIT: { consent: 'ACTIVE', timeOut: 'REJECT', submit: 'IN_AUTHORIZATION' },
  IN_AUTHORIZATION: { accept: 'AUTHORIZED', refuse: 'AUTHORIZATION_FAILED' },
  AUTHORIZED: { start: 'ACTIVE' },
  AUTHORIZATION_FAILED: {},
  ACTIVE: { pause: 'SUSPENDED', cancel: 'REJECT', revoke: 'REJECT', expire: 'EXPIRED' },
  SUSPENDED: { resume: 'ACTIVE', cancel: 'REJECT', revoke: 'REJECT', expire: 'EXPIRED' },
  REJECT: {},
  EXPIRED: {},
  CLOSED: {},
} as const satisfies Record<SubscriptionStatus, Record<string, SubscriptionStatus>>

export const SUBSCRIPTION_STATUSES = Object.keys(transitions) as SubscriptionStatus[]

/** The event of a change from one version of a subscription to the next. */
export function subscriptionEvent(
  type: `subscription.${string}`,
  before: Subscription | undefined,
  after: Subscription,
  at: number,
): Event {
  const { amountType, txnAmountPaise, maxAmountPaise, subStatus } = after
  return {
    type,
    owner: after.mid,
    id: after.subscriptionId,
    version: after.version,
    from: before?.status ?? '',
    to: after.status,
    at,
    data: { amountType, txnAmountPaise, maxAmountPaise, subStatus },
  }
}

/** The customer consented by paying: docs/interface.md section 3. */
export function activate(subscription: Subscription, now: number): { changes: Change<'subscriptions'>[]; events: Event[] } {
  if (subscription.status !== 'INIT') return { changes: [], events: [] }
  const row: Subscription = {
    ...subscription,
    version: subscription.version + 1,
    status: transitions.INIT.consent,
    subStatus: 'ACTIVE',
    updatedAt: now,
  }
  return {
    changes: [{ kind: 'update', key: subscriptionKey(row.mid, row.subscriptionId), row }],
    events: [subscriptionEvent('subscription.activated', subscription, row, now)],
  }
}

/** A subscription whose order closes before the customer consented is over; one in any other state stays as it is. */
export function timeOut(subscription: Subscription, now: number): { changes: Change<'subscriptions'>[]; events: Event[] } {
  if (subscription.status !== 'INIT') return { changes: [], events: [] }
  const row: Subscription = {
    ...subscription,
    version: subscription.version + 1,
    status: transitions.INIT.timeOut,
    subStatus: 'TIMED_OUT',
    nextCollectionDate: null,
    updatedAt: now,
  }
  return {
    changes: [{ kind: 'update', key: subscriptionKey(row.mid, row.subscriptionId), row }],
    events: [subscriptionEvent('subscription.rejected', subscription, row, now)],
  }
}
