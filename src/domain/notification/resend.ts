// An operator sends a notification again (docs/operating/watch.md). An undelivered notification goes through its stream, which goes on from
// the first undelivered notification. A delivered notification goes beside its stream, so that nothing waits for it and nothing moves back.

import { type Change, operation, refuse } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { type Endpoint, merchantKey, notificationKey, stoppedEndpointKey, streamKey } from '../../tables/keys.ts'
import { resendTask, sequenceOf, streamTask, urlOf } from './notification.ts'

/**
 * `changed`: the stream was revived, or has died anew, since the given time. `again`: beside its stream, because it had been delivered.
 * `revived`: its stream goes on from the first undelivered notification.
 */
const codes = ownCodes('resend', 'unknown', 'changed', 'stopped', 'again', 'revived')
const startCodes = ownCodes('startEndpoint', 'running', 'started')

export interface Resend {
  mid: string
  orderId: string
  endpoint: Endpoint
  sequence: string
  /** Only a stream that has been dead since then is revived. */
  deadSince?: number
  now: number
}

export const resend = operation({
  name: 'resend',
  codes,
  reads: ({ mid, orderId, endpoint, sequence }: Resend) => ({
    merchant: merchantKey(mid),
    stream: streamKey(mid, orderId, endpoint),
    notification: notificationKey(mid, orderId, endpoint, sequence),
  }),
  readsNext: ({ mid, orderId, endpoint }, { merchant, stream, notification }) => ({
    first: stream && notificationKey(mid, orderId, endpoint, sequenceOf(stream.next)),
    stopped: endpoint === 'merchant' && notification ? stoppedEndpointKey(mid, urlOf(notification, merchant)) : undefined,
  }),
  decide({ mid, orderId, endpoint, deadSince, now }, { stream, notification, first, stopped }) {
    if (!stream || !notification) return refuse(codes.unknown)
    if (deadSince !== undefined && !(stream.status === 'DEAD' && stream.updatedAt === deadSince)) return refuse(codes.changed)
    if (stopped) return refuse(codes.stopped)
    if (notification.status === 'DELIVERED' || !first)
      return { reply: { result: codes.again }, changes: [], events: [], tasks: [resendTask(notification, 0, now)] }
    const changes: Change[] = [
      {
        kind: 'update',
        key: streamKey(mid, orderId, endpoint),
        row: { ...stream, status: 'ACTIVE', attempts: 0, updatedAt: now },
      },
      { kind: 'update', key: notificationKey(mid, orderId, endpoint, first.sequence), row: { ...first, status: 'OPEN' } },
    ]
    return { reply: { result: codes.revived }, changes, events: [], tasks: [streamTask(stream, now)] }
  },
})

/** Lets an endpoint that answered 410 receive notifications again. */
export const startEndpoint = operation({
  name: 'startEndpoint',
  codes: startCodes,
  reads: ({ mid, url }: { mid: string; url: string }) => ({ stopped: stoppedEndpointKey(mid, url) }),
  decide({ mid, url }, { stopped }) {
    if (!stopped) return refuse(startCodes.running)
    const changes: Change[] = [{ kind: 'delete', key: stoppedEndpointKey(mid, url) }]
    return { reply: { result: startCodes.started }, changes, events: [], tasks: [] }
  },
})
