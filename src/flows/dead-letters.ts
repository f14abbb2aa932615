// Lists notifications for an operator, and sends them again (docs/operating/watch.md). The command line, the console and the sandbox use
// these functions.

import { type Stream, sequenceOf } from '../domain/notification/notification.ts'
import { type Resend, resend, startEndpoint } from '../domain/notification/resend.ts'
import type { Query } from '../engine/decision.ts'
import { streamKey } from '../tables/keys.ts'
import { type Find, find, type Row, type TableName } from '../tables/tables.ts'
import type { ActOf } from './auditing.ts'
import type { Ports } from './ports.ts'

const LISTED_MAX = 1_000 // Mohur's choice: in one answer; the command line goes on
const ATTEMPTS_LISTED_MAX = 100 // Mohur's choice: of one notification, the newest
const PORTION = 200 // rows of one read
const COUNTED_MAX = 1_000_000 // Mohur's choice: dead streams that a stop leaves
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

const notificationsOf = (query: Query, { mid, orderId }: Which): Notifications => {
  const equals = { mid, ...(orderId !== undefined && { orderId }) }
  return inPortions(query, find('notifications', { equals, orderBy: ['orderId', 'endpoint', 'sequence'], limit: PORTION }))
}

async function* deadNotifications(query: Query, { mid, orderId }: Which): Notifications {
  for await (const stream of deadStreams(query, mid)) {
    if (orderId !== undefined && stream.orderId !== orderId) continue
    const equals = { mid, orderId: stream.orderId, endpoint: stream.endpoint }
    const beyond = [sequenceOf(stream.next - 1)]
    yield* inPortions(query, find('notifications', { equals, orderBy: ['sequence'], beyond, limit: PORTION }))
  }
}

/** All rows of an ordered set, as many at a time as its limit says. */
async function* inPortions<T extends TableName>(query: Query, first: Find<T>): AsyncGenerator<Row<T>> {
  for (let portion = first; ; ) {
    const rows = await query.rows(portion)
    yield* rows
    const last = rows.at(-1) as Readonly<Record<string, string | number>> | undefined
    if (!last || rows.length < first.limit) return
    portion = { ...first, beyond: first.orderBy!.map((column) => last[column]!) }
  }
}

async function attemptsOf(query: Query, mid: string, notificationId: string) {
  const newest = { equals: { mid, notificationId }, orderBy: ['attempt'], direction: 'desc', limit: ATTEMPTS_LISTED_MAX } as const
  const rows = await query.rows(find('deliveryAttempts', newest))
  return rows.toReversed().map(({ attempt, at, durationMs, httpStatus, outcome }) => ({ attempt, at, durationMs, httpStatus, outcome }))
}

const deadOf = (mid: string) => ({ mid, status: 'DEAD' }) as const

/** The newest first: a stream that is revived and dies again is newer than all that follow, so it comes once. */
const deadStreams = (query: Query, mid: string): AsyncGenerator<Stream> => {
  const orderBy = ['updatedAt', 'orderId', 'endpoint'] as const
  return inPortions(query, find('notificationStreams', { equals: deadOf(mid), orderBy, direction: 'desc', limit: PORTION }))
}

type Acting = Pick<Ports, 'engine' | 'query' | 'clock' | 'isStopping'>

/** How the audit log names each decision of the functions below. */
export const notificationAct: ActOf = (
  operation,
  { mid, orderId, endpoint, url }: Pick<Resend, 'mid'> & Partial<Resend> & { url?: string },
) =>
  operation === resend.name && orderId !== undefined
    ? { action: 'notification.resend', subject: `order:${orderId}`, mid, data: { endpoint: endpoint! } }
    : { action: 'notification.start', subject: `merchant:${mid}`, mid, data: url ? { host: hostOf(url) } : {} }

/** An endpoint by its host: the other parts of an address may hold a secret. */
export const hostOf = (url: string): string => URL.parse(url)?.host ?? ''

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

/** Those of `resendDead`. `left`: dead still, because the process stops. */
type ResentDead = Omit<Resent, 'changed'> & { left: number }

/** Revives every stream of this merchant that is dead now. */
export async function resendDead(acting: Acting, mid: string): Promise<ResentDead> {
  const { query, isStopping } = acting
  const { revived, stopped } = await resendStreams(acting, deadStreams(query, mid))
  const left = isStopping() ? (await query.count(find('notificationStreams', { equals: deadOf(mid), limit: COUNTED_MAX }))) - stopped : 0
  return { revived, stopped, left }
}

/** Revives these dead streams, one after the other, with a rest between them for the orders beside. Ends early when the process stops. */
export async function resendStreams(
  { engine, clock, isStopping }: Omit<Acting, 'query'>,
  streams: Iterable<Stream> | AsyncIterable<Stream>,
): Promise<Resent> {
  const counts: Resent = { revived: 0, stopped: 0, changed: 0 }
  let isFirst = true
  for await (const { mid, orderId, endpoint, next, updatedAt: deadSince } of streams) {
    if (!isFirst) await clock.sleep(REST_MS)
    isFirst = false
    if (isStopping()) break
    const { result } = await engine.submit(resend, { mid, orderId, endpoint, sequence: sequenceOf(next), deadSince, now: clock.now() })
    counts[result.name === 'revived' || result.name === 'stopped' ? result.name : 'changed']++
  }
  return counts
}

/**
 * Starts the endpoints of this merchant that answered 410, and revives its dead streams. Revives streams even when no endpoint is stopped,
 * because an interrupted call may have started the endpoints already.
 */
export async function startEndpoints(acting: Acting, mid: string): Promise<Omit<ResentDead, 'stopped'> & { started: string[] }> {
  const stopped = await acting.query.rows(find('stoppedEndpoints', { equals: { mid }, limit: LISTED_MAX }))
  for (const { url } of stopped) await acting.engine.submit(startEndpoint, { mid, url })
  const { revived, left } = await resendDead(acting, mid)
  return { started: stopped.map(({ url }) => url), revived, left }
}
