// Lists notifications for an operator, and sends them again (docs/operating/watch.md). The command line, the console and the sandbox use
// these functions.

import { type Stream, sequenceOf } from '../domain/notification/notification.ts'
import { type Resend, resend, startEndpoint } from '../domain/notification/resend.ts'
import type { Query } from '../engine/decision.ts'
import { streamKey } from '../tables/keys.ts'
import { find, type Row } from '../tables/tables.ts'
import type { ActOf } from './auditing.ts'
import type { Ports } from './ports.ts'

const LISTED_MAX = 1_000 // Mohur's choice: in one answer; the command line goes on
const ATTEMPTS_LISTED_MAX = 100 // Mohur's choice: of one notification, the newest
const PORTION = 200 // rows of one read
const REST_MS = 20 // Mohur's choice: fifty dead streams a second, so that orders beside them wait hardly longer

/** An undelivered notification has the status of its stream, because a dead notification stops all notifications behind it. */
export interface Listed {
  notificationId: string
  orderId: string
  endpoint: string
  status: 'OPEN' | 'DELIVERED' | 'DEAD'
  event: string
  url: string
  createdAt: number
  deliveredAt: number | null
  deliveries: readonly Pick<Row<'deliveryAttempts'>, 'attempt' | 'at' | 'durationMs' | 'httpStatus' | 'outcome'>[]
}

export interface Which {
  mid: string
  orderId?: string
  /** Only notifications without a further retry. */
  dead?: boolean
}

/** The first notifications, at most a thousand. */
export async function listNotifications(query: Query, which: Which): Promise<Listed[]> {
  const listed: Listed[] = []
  for await (const each of notificationsListed(query, which)) if (listed.push(each) === LISTED_MAX) break
  return listed
}

/** Order by order, and within a stream in its sequence. */
export async function* notificationsListed(query: Query, which: Which): AsyncGenerator<Listed> {
  const { mid } = which
  for await (const row of which.dead ? deadNotifications(query, which) : notificationsOf(query, which)) {
    const stream = row.status === 'DELIVERED' ? undefined : await query.row(streamKey(mid, row.orderId, row.endpoint))
    const status = row.status === 'DELIVERED' ? 'DELIVERED' : stream?.status === 'DEAD' ? 'DEAD' : 'OPEN'
    const { notificationId, orderId, endpoint, event, url, createdAt, deliveredAt } = row
    const deliveries = row.attempts === 0 ? [] : await attemptsOf(query, mid, notificationId)
    yield { notificationId, orderId, endpoint, status, event, url, createdAt, deliveredAt, deliveries }
  }
}

type Notifications = AsyncGenerator<Row<'notifications'>>

async function* notificationsOf(query: Query, { mid, orderId }: Which): Notifications {
  let beyond: readonly [string, string, string] | undefined
  for (;;) {
    const rows = await query.rows(
      find('notifications', {
        equals: { mid, ...(orderId !== undefined && { orderId }) },
        orderBy: ['orderId', 'endpoint', 'sequence'],
        ...(beyond && { beyond }),
        limit: PORTION,
      }),
    )
    yield* rows
    const last = rows.at(-1)
    if (!last || rows.length < PORTION) return
    beyond = [last.orderId, last.endpoint, last.sequence]
  }
}

async function* deadNotifications(query: Query, { mid, orderId }: Which): Notifications {
  for await (const stream of deadStreams(query, mid)) {
    if (orderId !== undefined && stream.orderId !== orderId) continue
    const equals = { mid, orderId: stream.orderId, endpoint: stream.endpoint }
    let beyond = sequenceOf(stream.next - 1)
    for (;;) {
      const rows = await query.rows(find('notifications', { equals, orderBy: ['sequence'], beyond: [beyond], limit: PORTION }))
      yield* rows
      if (rows.length < PORTION) break
      beyond = rows.at(-1)!.sequence
    }
  }
}

async function attemptsOf(query: Query, mid: string, notificationId: string) {
  const newest = { equals: { mid, notificationId }, orderBy: ['attempt'], direction: 'desc', limit: ATTEMPTS_LISTED_MAX } as const
  const rows = await query.rows(find('deliveryAttempts', newest))
  return rows.toReversed().map(({ attempt, at, durationMs, httpStatus, outcome }) => ({ attempt, at, durationMs, httpStatus, outcome }))
}

async function* deadStreams(query: Query, mid: string): AsyncGenerator<Stream> {
  let beyond: readonly [number, string, string] | undefined
  for (;;) {
    const streams = await query.rows(
      find('notificationStreams', {
        equals: { mid, status: 'DEAD' },
        orderBy: ['updatedAt', 'orderId', 'endpoint'],
        ...(beyond && { beyond }),
        limit: PORTION,
      }),
    )
    yield* streams
    const last = streams.at(-1)
    if (!last || streams.length < PORTION) return
    beyond = [last.updatedAt, last.orderId, last.endpoint]
  }
}

type Acting = Pick<Ports, 'engine' | 'query' | 'clock'>

/** How the audit log names each decision of the functions below. */
export const notificationAct: ActOf = (
  operation,
  { mid, orderId, endpoint, url }: Pick<Resend, 'mid'> & Partial<Resend> & { url?: string },
) =>
  operation === resend.name && orderId !== undefined
    ? { action: 'notification.resend', subject: `order:${orderId}`, mid, data: { endpoint: endpoint! } }
    : { action: 'notification.start', subject: `merchant:${mid}`, mid, data: startOf(url) }

/** An endpoint by its host: the other parts of an address may hold a secret. Empty where none is stopped. */
const startOf = (url = '') => (url === '' ? {} : { host: URL.parse(url)?.host ?? '' })

/** The name of the decision's result: `unknown`, `stopped`, `again` or `revived`. */
export async function resendOne({ engine, query, clock }: Acting, mid: string, notificationId: string): Promise<string> {
  const [notification] = await query.rows(find('notifications', { equals: { mid, notificationId }, limit: 1 }))
  if (!notification) return 'unknown'
  const { orderId, endpoint, sequence } = notification
  return (await engine.submit(resend, { mid, orderId, endpoint, sequence, now: clock.now() })).result.name
}

/** Streams by what became of them. `stopped`: dead still, because the endpoint is stopped. `changed`: no longer dead as they were read. */
export interface Resent {
  revived: number
  stopped: number
  changed: number
}

/** Revives every stream of this merchant that is dead now. */
export async function resendDead(acting: Acting, mid: string): Promise<Omit<Resent, 'changed'>> {
  const streams: Stream[] = []
  for await (const stream of deadStreams(acting.query, mid)) streams.push(stream) // all of them, before the first is revived and may die again
  const { revived, stopped } = await resendStreams(acting, streams)
  return { revived, stopped }
}

/** Revives these dead streams, one after the other, with a rest between them for the orders beside. */
export async function resendStreams({ engine, clock }: Omit<Acting, 'query'>, streams: readonly Stream[]): Promise<Resent> {
  const counts: Resent = { revived: 0, stopped: 0, changed: 0 }
  for (const [at, { mid, orderId, endpoint, next, updatedAt: deadSince }] of streams.entries()) {
    if (at > 0) await clock.sleep(REST_MS)
    const { result } = await engine.submit(resend, { mid, orderId, endpoint, sequence: sequenceOf(next), deadSince, now: clock.now() })
    counts[result.name === 'revived' || result.name === 'stopped' ? result.name : 'changed']++
  }
  return counts
}

/**
 * Starts the endpoints of this merchant that answered 410, and revives its dead streams. Revives streams even when no endpoint is stopped,
 * because an interrupted call may have started the endpoints already.
 */
export async function startEndpoints(acting: Acting, mid: string): Promise<{ started: string[]; revived: number }> {
  const stopped = await acting.query.rows(find('stoppedEndpoints', { equals: { mid }, limit: LISTED_MAX }))
  for (const { url } of stopped) await acting.engine.submit(startEndpoint, { mid, url })
  const { revived } = await resendDead(acting, mid)
  return { started: stopped.map(({ url }) => url), revived }
}
