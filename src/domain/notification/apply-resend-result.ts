// Decides the next step for a delivered notification that was sent again (docs/interface.md section 6). Its stream and its row stay
// delivered after any result. Only the delivery log shows the result of the resend.

import { type Change, operation } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { type Endpoint, notificationKey, stoppedEndpointKey } from '../../tables/keys.ts'
import { outcome, stopEndpoint } from './apply-delivery-result.ts'
import { type DeliveryAttempt, deliveryRetryAt, logged, resendTask, stops } from './notification.ts'

const codes = ownCodes('applyResendResult', 'delivered', 'waiting', 'givenUp')

export interface ApplyResendResult {
  mid: string
  orderId: string
  endpoint: Endpoint
  sequence: string
  url: string
  /** How many attempts of this resending have failed already. */
  attempts: number
  /** Undefined when nothing was tried, because the endpoint is stopped. */
  attempt: DeliveryAttempt | undefined
  now: number
}

export const applyResendResult = operation({
  name: 'applyResendResult',
  codes,
  reads: ({ mid, orderId, endpoint, sequence, url }: ApplyResendResult) => ({
    notification: notificationKey(mid, orderId, endpoint, sequence),
    stopped: stoppedEndpointKey(mid, url),
  }),
  decide({ mid, endpoint, url, attempts, attempt, now }, { notification, stopped }) {
    if (!notification || (!attempt && stopped)) return outcome(codes.givenUp, [])
    if (!attempt) return outcome(codes.waiting, [], [resendTask(notification, attempts, now)]) // an operator started the endpoint meanwhile
    const tried = { ...notification, url, attempts: notification.attempts + 1 }
    const key = notificationKey(mid, tried.orderId, endpoint, tried.sequence)
    const changes: Change[] = [logged(notification, attempt, now), { kind: 'update', key, row: tried }]
    if (attempt.outcome === 'delivered') return outcome(codes.delivered, changes)
    const dueAt = deliveryRetryAt(attempt, attempts + 1, now)
    if (dueAt !== undefined) return outcome(codes.waiting, changes, [resendTask(tried, attempts + 1, dueAt)])
    const stop = stops(endpoint, attempt) && !stopped ? [stopEndpoint(mid, url, now)] : []
    return outcome(codes.givenUp, [...changes, ...stop])
  },
})
