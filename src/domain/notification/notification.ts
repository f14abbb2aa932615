// What a merchant's endpoints are notified of: docs/interface.md section 6. A decision that changes something a merchant should
// hear of adds one notification to each stream of that order; streams keep the order.

import type { Change, Event, TaskChange } from '../../engine/decision.ts'
import { deliveryAttemptKey, type Endpoint, notificationKey, streamKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** How long after each failure the next attempt is made; after the failure behind the last the notification is dead: docs/interface.md section 6. */
export const RETRY_AFTER_MS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  24 * HOUR_MS,
  24 * HOUR_MS,
  24 * HOUR_MS,
  48 * HOUR_MS,
  48 * HOUR_MS,
]
const SEQUENCE_DIGITS = 6 // so that sequences sort as texts; an order has some dozens
const ATTEMPT_DIGITS = 6 // likewise; an operator may re-send for years

/** For the decision that notifies: the streams of one order. */
export const notificationReads = (mid: string, orderId: string) => ({
  merchantStream: streamKey(mid, orderId, 'merchant'),
  peonStream: streamKey(mid, orderId, 'peon'),
})

/** In whose stream the notifications of an order go: those of a renewal in that of the order by which the customer consented. */
export const streamOf = ({ mid, orderId, consentOrderId, peonUrl }: Row<'orders'>) => ({ mid, orderId: consentOrderId ?? orderId, peonUrl })

/** For the decision that ends an attempt at a cycle: no browser brings the answer, so that a merchant without an endpoint is called back. */
export const collectionReads = (mid: string, consentOrderId: string) => ({
  ...notificationReads(mid, consentOrderId),
  callbackStream: streamKey(mid, consentOrderId, 'callback'),
})
export const moneyStreamOf = (order: Row<'orders'>) => ({
  ...streamOf(order),
  callbackUrl: order.consentOrderId === null ? null : order.callbackUrl,
})

export type Stream = Row<'notificationStreams'>

export interface Streams {
  merchant: Row<'merchants'> | undefined
  merchantStream: Stream | undefined
  peonStream: Stream | undefined
  /** Read for a renewal's money only. */
  callbackStream?: Stream | undefined
}

export interface Notification {
  order: Pick<Row<'orders'>, 'mid' | 'orderId' | 'peonUrl'> & { callbackUrl?: string | null }
  /** The event that it tells of: aggregate, id and version. */
  event: string
  /** Strings only, by the names of the JSON form; the classic form is made of them when it is sent. */
  content: Readonly<Record<string, string>>
}

/** One row for each endpoint that is notified; an idle stream gets a task, one that has given up gets another chance, and one that is over none. */
export function notify(
  { order, event, content }: Notification,
  { merchant, merchantStream, peonStream, callbackStream }: Streams,
  now: number,
): { places: StreamPlace[]; changes: Change[]; tasks: TaskChange[] } {
  const { mid, orderId } = order
  const places: StreamPlace[] = []
  const changes: Change[] = []
  const tasks: TaskChange[] = []
  const tell = (endpoint: Endpoint, url: string, form: 'json' | 'classic', before: Stream | undefined) => {
    const last = (before?.last ?? 0) + 1
    places.push({ endpoint, place: last })
    const isAtWork = before?.status === 'ACTIVE'
    const isOver = before !== undefined && hasEnded(before)
    const status = isOver ? 'DEAD' : 'ACTIVE'
    const attempts = isAtWork || isOver ? before.attempts : 0
    const stream: Stream = { mid, orderId, endpoint, status, last, next: before?.next ?? 1, attempts, updatedAt: now }
    const sequence = sequenceOf(last)
    const row: Row<'notifications'> = {
      ...{ mid, orderId, endpoint, sequence, notificationId: notificationIdOf(stream, last) },
      ...{ status: 'OPEN', form, url, event, content, attempts: 0, createdAt: now, deliveredAt: null },
    }
    changes.push(
      { kind: before ? 'update' : 'insert', key: streamKey(mid, orderId, endpoint), row: stream },
      { kind: 'insert', key: notificationKey(mid, orderId, endpoint, sequence), row },
    )
    // A stream at work has its task already; moving it would bring a retry forward.
    if (!isAtWork && !isOver) tasks.push(streamTask(stream, now))
  }
  if (merchant?.notification?.url !== undefined) tell('merchant', merchant.notification.url, merchant.notification.form, merchantStream)
  if (order.peonUrl) tell('peon', order.peonUrl, 'classic', peonStream)
  if (order.callbackUrl && merchant?.notification?.url === undefined) tell('callback', order.callbackUrl, 'classic', callbackStream)
  return { places, changes, tasks }
}

/**
 * Where a notification goes now. A merchant that the operator moves is found at his new address; an order's own address, and one
 * that a plugin registered, stay as they were noted.
 */
export function urlOf({ endpoint, url }: Pick<Row<'notifications'>, 'endpoint' | 'url'>, merchant: Row<'merchants'> | undefined): string {
  const set = merchant?.notification
  return endpoint === 'merchant' && !set?.isRegistered ? (set?.url ?? url) : url
}

/** As a notification names what it tells of: aggregate, id, version. */
export const eventName = ({ type, id, version }: Event) => `${type.slice(0, type.indexOf('.'))}|${id}|${version}`

/** Where a stream holds a notification. */
export interface StreamPlace {
  endpoint: Endpoint
  place: number
}

/**
 * The event with the places of its notifications. So src/verify misses a notification that is gone, and a history finds each by
 * its key, however long the stream is.
 */
export const withNotified = (event: Event, { places }: { places: readonly StreamPlace[] }): Event => ({
  ...event,
  data: { ...event.data, notified: places.map(({ endpoint, place }) => `${endpoint}:${place}`).join(' ') },
})

/** The places that `withNotified` wrote. */
export const notifiedPlaces = ({ data }: Pick<Event, 'data'>): StreamPlace[] =>
  [...String(data['notified'] ?? '').matchAll(/(merchant|peon|callback):([0-9]+)/g)].map(([, endpoint, place]) => ({
    endpoint: endpoint as Endpoint,
    place: Number(place),
  }))

export const sequenceOf = (place: number) => String(place).padStart(SEQUENCE_DIGITS, '0')

/**
 * Unique over merchants too, because one receiver may serve several. Without a point: a receiver joins it, the time and the
 * body by points to verify a signature, and `~` is in no orderId.
 */
const notificationIdOf = ({ mid, orderId, endpoint }: Stream, place: number) =>
  `${mid}:${orderId.replaceAll('.', '~')}:${endpoint}:${place}`

const streamSubject = ({ mid, orderId, endpoint }: Pick<Stream, 'mid' | 'orderId' | 'endpoint'>) => `${mid}|${orderId}|${endpoint}`

/** The one task of a stream that is at work: to send its first notification that was not delivered. It says which, so that nobody need ask. */
export const streamTask = (stream: Pick<Stream, 'mid' | 'orderId' | 'endpoint' | 'next'>, dueAt: number): TaskChange => ({
  kind: 'add',
  task: 'notification.due',
  subject: streamSubject(stream),
  dueAt,
  payload: { mid: stream.mid, orderId: stream.orderId, endpoint: stream.endpoint, sequence: sequenceOf(stream.next) },
})

/** The task of a notification that was delivered and is sent once more: it stands beside the stream and moves nothing in it. */
export const resendTask = (
  { mid, orderId, endpoint, sequence, notificationId }: Row<'notifications'>,
  attempts: number,
  dueAt: number,
): TaskChange => ({
  kind: 'add',
  task: 'notification-resend.due',
  subject: notificationId,
  dueAt,
  payload: { mid, orderId, endpoint, sequence, attempts },
})

/** What came of one attempt, in our own words. `refused`: nothing was sent, because the address may not be dialled. */
export interface DeliveryAttempt {
  outcome: 'delivered' | 'answered' | 'gone' | 'refused' | 'timeout' | 'unreachable'
  /** 0 when nobody answered. */
  httpStatus: number
  durationMs: number
}

/** The row of the delivery log that every attempt leaves. */
export function logged(notification: Row<'notifications'>, { outcome, httpStatus, durationMs }: DeliveryAttempt, now: number): Change {
  const { mid, notificationId } = notification
  const attempt = String(notification.attempts + 1).padStart(ATTEMPT_DIGITS, '0')
  const row = { mid, notificationId, attempt, at: now, durationMs, httpStatus, outcome }
  return { kind: 'insert', key: deliveryAttemptKey(mid, notificationId, attempt), row }
}

/** An address that may not be dialled never may. */
export const isHopeless = ({ outcome }: Pick<DeliveryAttempt, 'outcome'>) => outcome === 'refused' || outcome === 'gone'

/** When it is tried again after so many failures; undefined when it is not. */
export function deliveryRetryAt(attempt: DeliveryAttempt, failures: number, now: number): number | undefined {
  const afterMs = RETRY_AFTER_MS[failures - 1]
  return isHopeless(attempt) || afterMs === undefined ? undefined : now + afterMs
}

/** 410 Gone stops the merchant's URL until an operator starts it again; a URL that was named for one order ends its stream. */
export const stops = (endpoint: Endpoint, { outcome }: DeliveryAttempt) => outcome === 'gone' && endpoint === 'merchant'

/** A URL of one order that was hopeless before all attempts were made: whatever else happens to the order, only the operator has it tried again. */
const hasEnded = ({ endpoint, status, attempts }: Stream) =>
  endpoint !== 'merchant' && status === 'DEAD' && attempts < RETRY_AFTER_MS.length
