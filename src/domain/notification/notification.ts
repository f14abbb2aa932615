// Notifications to merchants' endpoints: docs/interface.md section 6. A decision that a merchant must learn of adds one notification to
// each stream of that order. A stream delivers in order.

import type { Change, Event, TaskChange } from '../../engine/decision.ts'
import { deliveryAttemptKey, type Endpoint, notificationKey, streamKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** The wait after each failure. After the last wait one more failure makes the notification dead: docs/interface.md section 6. */
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
const SEQUENCE_DIGITS = 6 // sequences sort as texts; an order has some dozens
const ATTEMPT_DIGITS = 6 // attempts sort as texts; an operator may resend for years

export const notificationReads = (mid: string, orderId: string) => ({
  merchantStream: streamKey(mid, orderId, 'merchant'),
  peonStream: streamKey(mid, orderId, 'peon'),
})

/** A renewal's notifications go to the stream of the order by which the customer consented. */
export const streamOf = ({ mid, orderId, consentOrderId, peonUrl }: Row<'orders'>) => ({ mid, orderId: consentOrderId ?? orderId, peonUrl })

/**
 * Read by the decision that ends an attempt at a cycle. No browser brings that result. So a merchant without an endpoint receives it at the
 * callback URL.
 */
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
  /** The reported event: aggregate, id and version. */
  event: string
  /** Strings only, named as in the JSON form. The classic form is made from them when it is sent. */
  content: Readonly<Record<string, string>>
}

/**
 * Adds one row for each notified endpoint. An idle stream gets a task. A dead stream gets another chance, unless it has ended (`hasEnded`).
 */
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
    // An active stream has its task already. Moving that task would bring a retry forward.
    if (!isAtWork && !isOver) tasks.push(streamTask(stream, now))
  }
  if (merchant?.notification?.url !== undefined) tell('merchant', merchant.notification.url, merchant.notification.form, merchantStream)
  if (order.peonUrl) tell('peon', order.peonUrl, 'classic', peonStream)
  if (order.callbackUrl && merchant?.notification?.url === undefined) tell('callback', order.callbackUrl, 'classic', callbackStream)
  return { places, changes, tasks }
}

/**
 * The address to which a notification goes now. For a merchant's endpoint, the operator's newest address counts. An order's own address
 * stays as noted, and so does an address that a plugin registered.
 */
export function urlOf({ endpoint, url }: Pick<Row<'notifications'>, 'endpoint' | 'url'>, merchant: Row<'merchants'> | undefined): string {
  const set = merchant?.notification
  return endpoint === 'merchant' && !set?.isRegistered ? (set?.url ?? url) : url
}

export const eventName = ({ type, id, version }: Event) => `${type.slice(0, type.indexOf('.'))}|${id}|${version}`

export interface StreamPlace {
  endpoint: Endpoint
  place: number
}

/**
 * Adds the places of its notifications to an event. With them src/verify finds a missing notification. A history finds each notification by
 * its key, in a stream of any length.
 */
export const withNotified = (event: Event, { places }: { places: readonly StreamPlace[] }): Event => ({
  ...event,
  data: { ...event.data, notified: places.map(({ endpoint, place }) => `${endpoint}:${place}`).join(' ') },
})

export const notifiedPlaces = ({ data }: Pick<Event, 'data'>): StreamPlace[] =>
  [...String(data['notified'] ?? '').matchAll(/(merchant|peon|callback):([0-9]+)/g)].map(([, endpoint, place]) => ({
    endpoint: endpoint as Endpoint,
    place: Number(place),
  }))

export const sequenceOf = (place: number) => String(place).padStart(SEQUENCE_DIGITS, '0')

/**
 * The id is unique across merchants too, because one receiver may serve several. To verify a signature, a receiver joins the id, the time
 * and the body by dots. So an id contains no dot. `~` is in no orderId.
 */
const notificationIdOf = ({ mid, orderId, endpoint }: Stream, place: number) =>
  `${mid}:${orderId.replaceAll('.', '~')}:${endpoint}:${place}`

const streamSubject = ({ mid, orderId, endpoint }: Pick<Stream, 'mid' | 'orderId' | 'endpoint'>) => `${mid}|${orderId}|${endpoint}`

/**
 * The one task of an active stream: send its first undelivered notification. The payload names that notification, so no run looks it up.
 */
export const streamTask = (stream: Pick<Stream, 'mid' | 'orderId' | 'endpoint' | 'next'>, dueAt: number): TaskChange => ({
  kind: 'add',
  task: 'notification.due',
  subject: streamSubject(stream),
  dueAt,
  payload: { mid: stream.mid, orderId: stream.orderId, endpoint: stream.endpoint, sequence: sequenceOf(stream.next) },
})

/** Sends a delivered notification once more. The task stands beside the stream and moves nothing in it. */
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

/**
 * The result of one attempt, in Mohur's own words. Nothing was sent for `refused`, because the URL may never be dialled, and for `notPublic`,
 * because its name has an address that may not be dialled.
 */
export interface DeliveryAttempt {
  outcome: 'delivered' | 'answered' | 'gone' | 'refused' | 'notPublic' | 'timeout' | 'unreachable'
  /** 0 when no answer came. */
  httpStatus: number
  durationMs: number
}

/** Every attempt leaves this row in the delivery log. */
export function logged(notification: Row<'notifications'>, { outcome, httpStatus, durationMs }: DeliveryAttempt, now: number): Change {
  const { mid, notificationId } = notification
  const attempt = String(notification.attempts + 1).padStart(ATTEMPT_DIGITS, '0')
  const row = { mid, notificationId, attempt, at: now, durationMs, httpStatus, outcome }
  return { kind: 'insert', key: deliveryAttemptKey(mid, notificationId, attempt), row }
}

/** No later attempt can succeed: the URL may not be dialled, or is gone. */
export const isHopeless = ({ outcome }: Pick<DeliveryAttempt, 'outcome'>) => outcome === 'refused' || outcome === 'gone'

/** The time of the next attempt. Undefined when the notification is not sent again. `failures` includes this attempt. */
export function deliveryRetryAt(attempt: DeliveryAttempt, failures: number, now: number): number | undefined {
  const afterMs = RETRY_AFTER_MS[failures - 1]
  return isHopeless(attempt) || afterMs === undefined ? undefined : now + afterMs
}

/** 410 Gone stops the merchant's URL until an operator starts it again. At the URL of one order, 410 ends only that order's stream. */
export const stops = (endpoint: Endpoint, { outcome }: DeliveryAttempt) => outcome === 'gone' && endpoint === 'merchant'

/**
 * True when a stream died because the URL of one order is hopeless. Its count of attempts is then below the maximum; used-up attempts reach
 * the maximum. Later events of the order do not revive that stream; only the operator can.
 */
const hasEnded = ({ endpoint, status, attempts }: Stream) =>
  endpoint !== 'merchant' && status === 'DEAD' && attempts < RETRY_AFTER_MS.length
