// In every living state of a subscription its merchant, its payer and the operator can end it.

import { cancelSubscription } from '../../../src/domain/subscription/cancel-subscription.ts'
import { endOrPauseSubscription } from '../../../src/domain/subscription/end-or-pause.ts'
import type { Subscription } from '../../../src/domain/subscription/subscription.ts'
import { decides } from '../../support/decided/decides.ts'
import { firstOrder, MID, merchant, NOW, reference, SIGNED, SUBSCRIPTION, subscription } from '../../support/decided/rows.ts'

const LIVE = {
  INIT: 'INIT',
  IN_AUTHORIZATION: 'SUBMITTED',
  AUTHORIZED: 'AUTHORIZED',
  ACTIVE: 'ACTIVE',
  SUSPENDED: 'MERCHANT_PAUSED',
} as const
const byState = <Row>(
  row: (status: Subscription['status'], given: readonly ReturnType<typeof merchant | typeof firstOrder | typeof subscription>[]) => Row,
) =>
  Object.fromEntries(
    Object.entries(LIVE).map(([status, subStatus]) => {
      const state = status as Subscription['status']
      return [`it is ${status}`, row(state, [merchant(), firstOrder(), subscription({ status: state, subStatus })])]
    }),
  )
const ended = (status: string, event: string, to: string, subStatus: string) => ({
  changes: [['update subscriptions S', { status: to, subStatus, wakesAt: null }]] as const,
  events: [`subscription.${event} ${status}>${to}`],
  tasks: ['mandate-revoke.due M:S +0'],
  notified: ['SUBSCRIPTION_CANCEL TXN_SUCCESS'],
})

decides(
  cancelSubscription,
  byState((status, given) => ({
    given,
    when: { request: { mid: MID }, caller: SIGNED, subscriptionId: SUBSCRIPTION, now: NOW },
    comes: { reply: 'success', ...ended(status, 'cancelled', 'REJECT', 'MERCHANT_CANCELLED') },
  })),
)
for (const [move, event, to, subStatus] of [
  ['revoke', 'revoked', 'REJECT', 'USER_CANCELLED'],
  ['close', 'closed', 'CLOSED', 'OPERATOR_CLOSED'],
] as const)
  decides(
    endOrPauseSubscription,
    byState((status, given) => ({
      given,
      when: { mid: MID, subscriptionId: SUBSCRIPTION, move, reference, now: NOW },
      comes: { reply: 'moved', ...ended(status, event, to, subStatus) },
    })),
  )
