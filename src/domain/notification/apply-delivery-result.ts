// Decides the state of a notification after an attempt to send it (docs/interface.md section 6). The state is delivered, waiting for a
// retry, or dead. The decision runs under the stream's task, so that only the holder of the lease decides.

import { type Change, operation, type TaskChange } from '../../engine/decision.ts'
import { ownCodes } from '../../interface/result-code.ts'
import { type Endpoint, notificationKey, stoppedEndpointKey, streamKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import { type DeliveryAttempt, deliveryRetryAt, isHopeless, logged, type Stream, sequenceOf, stops, streamTask } from './notification.ts'

/** `stale`: the stream has moved on. `dead`: the notification stays undelivered, and all notifications behind it wait. */
const codes = ownCodes('applyDeliveryResult', 'stale', 'delivered', 'waiting', 'dead')

export interface ApplyDeliveryResult {
  mid: string
  orderId: string
  endpoint: Endpoint
  /** The place of the sent notification in its stream, and the address to which it went. */
  sequence: string
  url: string
  /** Undefined when nothing was tried, because the endpoint is stopped. */
  attempt: DeliveryAttempt | undefined
  now: number
}

export const applyDeliveryResult = operation({
  name: 'applyDeliveryResult',
  codes,
  reads: ({ mid, orderId, endpoint, sequence, url }: ApplyDeliveryResult) => ({
    stream: streamKey(mid, orderId, endpoint),
    notification: notificationKey(mid, orderId, endpoint, sequence),
    stopped: stoppedEndpointKey(mid, url),
  }),
  decide({ sequence, url, attempt, now }, { stream, notification, stopped }) {
    if (stream?.status !== 'ACTIVE' || !notification) return outcome(codes.stale, [])
    if (sequenceOf(stream.next) !== sequence) return outcome(codes.stale, [], [streamTask(stream, now)])
    if (!attempt && stopped) return outcome(codes.dead, dead(stream, { ...notification, url }, now))
    if (!attempt) return outcome(codes.waiting, [], [streamTask(stream, now)]) // an operator started the endpoint meanwhile
    const tried = { ...notification, url, attempts: notification.attempts + 1 }
    const log = logged(notification, attempt, now)
    if (attempt.outcome === 'delivered') {
      const after = delivered(stream, now)
      const isMore = after.status === 'ACTIVE'
      const changes = [log, update(after), notificationUpdate({ ...tried, status: 'DELIVERED', deliveredAt: now })]
      return outcome(codes.delivered, changes, isMore ? [streamTask(after, now)] : [])
    }
    const attempts = stream.attempts + 1
    const dueAt = deliveryRetryAt(attempt, attempts, now)
    if (dueAt === undefined) {
      const stop = stops(stream.endpoint, attempt) && !stopped ? [stopEndpoint(stream.mid, url, now)] : []
      const triedInVain = isHopeless(attempt) ? 0 : stream.attempts // with 0, `hasEnded` recognizes a hopeless address, even at the last attempt
      return outcome(codes.dead, [log, ...dead({ ...stream, attempts: triedInVain }, tried, now), ...stop])
    }
    const changes = [log, update({ ...stream, attempts, updatedAt: now }), notificationUpdate({ ...tried, status: 'OPEN' })]
    return outcome(codes.waiting, changes, [streamTask(stream, dueAt)])
  },
})

export const outcome = <Code>(result: Code, changes: readonly Change[], tasks: readonly TaskChange[] = []) => ({
  reply: { result },
  changes,
  events: [],
  tasks,
})

const delivered = (stream: Stream, now: number): Stream => {
  const next = stream.next + 1
  return { ...stream, status: next > stream.last ? 'IDLE' : 'ACTIVE', next, attempts: 0, updatedAt: now }
}

/** The stream stops, so that nothing overtakes the undelivered notification. */
const dead = (stream: Stream, notification: Row<'notifications'>, now: number): Change[] => [
  update({ ...stream, status: 'DEAD', updatedAt: now }),
  notificationUpdate({ ...notification, status: 'DEAD' }),
]

export const stopEndpoint = (mid: string, url: string, now: number): Change => ({
  kind: 'insert',
  key: stoppedEndpointKey(mid, url),
  row: { mid, url, stoppedAt: now },
})

const update = (stream: Stream): Change => ({ kind: 'update', key: streamKey(stream.mid, stream.orderId, stream.endpoint), row: stream })
const notificationUpdate = (row: Row<'notifications'>): Change => ({
  kind: 'update',
  key: notificationKey(row.mid, row.orderId, row.endpoint, row.sequence),
  row,
})
