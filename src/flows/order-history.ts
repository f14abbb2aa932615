// One order and all that became of it, by what is kept and nothing else: events, ledger lines, notifications and their deliveries in the order in
// which they happened, and what happens next. The command or screen that shows it hides what is a payer's.

import { dateTimeInIndia } from '../engine/clock.ts'
import type { Looks, Query } from '../engine/decision.ts'
import { openCollectionsOf, transactionsOfOrder } from '../tables/keys.ts'
import { find, look, type Row } from '../tables/tables.ts'

const ROWS_MAX = 10_000 // ours: of one kind and one order
const PORTION = 500 // ours: of notifications, which a mandate's first order has for all its renewals
const ATTEMPTS_MAX = 100 // ours: deliveries of one notification, the oldest

export interface HistoryLine {
  at: number
  /** Of an event its number within its aggregate: of one instant, what was first is first. */
  version?: number
  kind: 'event' | 'ledger' | 'notification' | 'delivery' | 'audit'
  /** What it is about: `order`, `transaction`, …; an account of the ledger; the endpoint of a notification; who did what is audited. */
  of: string
  id: string
  /** The event without its noun, the movement of the money, the state of a notification, what came of a delivery. */
  what: string
  /** Of a ledger line a credit is negative. */
  amountPaise?: number
  state?: string
  why?: string
}

/** `ask`: the bank is asked about a payment; `askOnceMore`: about one that failed. `dead`: nothing is sent before the operator says so. */
export interface NextLine {
  what: 'ask' | 'askOnceMore' | 'refund' | 'deliver' | 'resend' | 'dead' | 'expire' | 'cycle'
  /** Undefined where it waits for the operator. */
  at: number | undefined
  id: string
}

const NEXT: Readonly<Record<NextLine['what'], (id: string) => string>> = {
  ask: (id) => `the bank is asked again about ${id}`,
  askOnceMore: (id) => `the bank is asked once more about ${id}, whether it took money after all`,
  refund: (id) => `the bank is asked again about the refund ${id}`,
  deliver: (id) => `the next notification to ${id} is sent`,
  resend: (id) => `the notification ${id} is sent once more`,
  dead: (id) => `notifications to ${id} are given up: \`mohur notification resend\` sends them`,
  expire: () => 'the order closes, unless somebody pays it',
  cycle: (id) => `the cycle ${id} is looked at`,
}

/** One clause that begins in lower case, without a full stop. */
export function sayNext({ what, at, id }: NextLine, now: number): string {
  const says = NEXT[what](id)
  if (at === undefined) return says
  return at <= now ? `${says}; due since ${dateTimeInIndia(at)} (IST)` : `${says} at ${dateTimeInIndia(at)} (IST)`
}

export interface OrderHistory {
  order: Row<'orders'>
  transactions: readonly Row<'transactions'>[]
  refunds: readonly Row<'refunds'>[]
  lines: readonly HistoryLine[]
  next: readonly NextLine[]
}

/** All of one moment; undefined where there is no such order. */
export const orderHistory = (query: Query, mid: string, orderId: string): Promise<OrderHistory | undefined> =>
  query.atOneMoment(async (looks) => {
    const order = await looks.row(look('orders', mid, orderId))
    if (!order) return undefined
    const [transactions, refunds] = await Promise.all([
      looks.rows(transactionsOfOrder(mid, orderId)),
      looks.rows(find('refunds', { equals: { mid, orderId }, orderBy: ['requestedAt', 'refId'], limit: ROWS_MAX })),
    ])
    const rows = { order, transactions, refunds }
    const notifications = await notificationsOf(looks, rows)
    const lines = [
      ...(await eventsOf(looks, rows)),
      ...(await ledgerOf(looks, rows)),
      ...notifications.map(notificationLine),
      ...(await deliveriesOf(looks, notifications)),
      ...(await auditOf(looks, rows)),
    ]
    return { ...rows, lines: lines.sort(inOrder), next: await nextOf(looks, rows, notifications) }
  })

/** Of one instant events come before the money that they moved and before what was sent of them. */
const inOrder = (a: HistoryLine, b: HistoryLine) => a.at - b.at || (a.version ?? LAST) - (b.version ?? LAST)
const LAST = Number.MAX_SAFE_INTEGER

type Rows = Pick<OrderHistory, 'order' | 'transactions' | 'refunds'>

/** The aggregates whose events make up the history, by their ids; the events of one instant stand in this order. */
function aggregatesOf({ order, transactions, refunds }: Rows): readonly (readonly [aggregate: string, ids: readonly string[]])[] {
  const txnIds = transactions.map(({ txnId }) => txnId)
  const cycles = transactions.flatMap(({ collectionId }) => collectionId ?? [])
  return [
    ['order', [order.orderId]],
    ['collection', [...new Set(cycles)]],
    ['transaction', txnIds],
    ['redemption', txnIds],
    ['refund', refunds.map(({ refId }) => refId)],
  ]
}

async function eventsOf(looks: Looks, rows: Rows): Promise<HistoryLine[]> {
  const owner = rows.order.mid
  const found = await Promise.all(
    aggregatesOf(rows).map(([aggregate, values]) =>
      values.length === 0
        ? []
        : looks.rows(
            find('events', {
              equals: { owner, aggregate },
              in: { column: 'id', values },
              orderBy: ['owner', 'aggregate', 'id', 'version'],
              limit: ROWS_MAX,
            }),
          ),
    ),
  )
  return found.flat().map(({ at, aggregate, id, version, type, toStatus, data }) => {
    // What is given back stands in the refund's own events; a payment's has all that was paid.
    const paise = aggregate === 'transaction' && type.startsWith('transaction.refund') ? undefined : data['amountPaise']
    const why = [data['result'], data['why'], data['rule']].find((each) => typeof each === 'string' && each !== '')
    return {
      ...{ at, version, kind: 'event', of: aggregate, id, what: type.slice(type.indexOf('.') + 1), state: toStatus },
      ...(typeof paise === 'number' && { amountPaise: paise }),
      ...(why !== undefined && { why: String(why) }),
    }
  })
}

/** A wallet's owner is left out: it is a payer's. */
async function ledgerOf(looks: Looks, { order, transactions }: Rows): Promise<HistoryLine[]> {
  const found = await Promise.all(
    transactions.map(({ txnId }) => looks.rows(find('ledgerEntries', { equals: { owner: order.mid, subject: txnId }, limit: ROWS_MAX }))),
  )
  const inOrder = found.flat().sort((a, b) => (a.movement < b.movement ? -1 : a.movement > b.movement ? 1 : a.line < b.line ? -1 : 1))
  return inOrder.map(({ at, account, movement, debitPaise, creditPaise }) => {
    const [what = '', ...id] = movement.split(':')
    return { at, kind: 'ledger', of: account, id: id.join(':'), what, amountPaise: debitPaise - creditPaise }
  })
}

/** What people did to it or looked at. */
async function auditOf(looks: Looks, { order, transactions }: Rows): Promise<HistoryLine[]> {
  const values = [`order:${order.orderId}`, ...transactions.map(({ txnId }) => `transaction:${txnId}`)]
  const audit = { in: { column: 'subject', values }, equals: { mid: order.mid }, orderBy: ['subject', 'auditId'], limit: ROWS_MAX } as const
  const rows = await looks.rows(find('auditLog', { ...audit, unopened: true }))
  return rows.map(({ at, operatorId, subject, action, outcome }) => ({
    ...{ at, kind: 'audit', of: operatorId, id: subject.slice(subject.indexOf(':') + 1), what: action, state: outcome },
  }))
}

// ---------------------------------------------------------------------------------------------------------- notifications

type Notification = Row<'notifications'>

/** A renewal is told in the stream of the order by which the customer consented: those of this order are known by their events. */
async function notificationsOf(looks: Looks, rows: Rows): Promise<Notification[]> {
  const { mid, orderId, consentOrderId } = rows.order
  const own = new Set(aggregatesOf(rows).flatMap(([aggregate, ids]) => ids.map((id) => `${aggregate}|${id}`)))
  const found: Notification[] = []
  let beyond: readonly [string, string] | undefined
  for (;;) {
    const portion = await looks.rows(
      find('notifications', {
        equals: { mid, orderId: consentOrderId ?? orderId },
        orderBy: ['endpoint', 'sequence'],
        ...(beyond && { beyond }),
        limit: PORTION,
        unopened: true,
      }),
    )
    found.push(...portion.filter(({ event }) => own.has(event.slice(0, event.lastIndexOf('|')))))
    const last = portion.at(-1)
    if (!last || portion.length < PORTION || found.length >= ROWS_MAX) return found
    beyond = [last.endpoint, last.sequence]
  }
}

const notificationLine = ({ createdAt, endpoint, notificationId, status, event }: Notification): HistoryLine => ({
  ...{ at: createdAt, kind: 'notification', of: endpoint, id: notificationId, what: status.toLowerCase(), why: event },
})

async function deliveriesOf(looks: Looks, notifications: readonly Notification[]): Promise<HistoryLine[]> {
  const tried = notifications.filter(({ attempts }) => attempts > 0)
  const found = await Promise.all(
    tried.map(async ({ mid, notificationId, endpoint }) => {
      const log = find('deliveryAttempts', { equals: { mid, notificationId }, orderBy: ['attempt'], limit: ATTEMPTS_MAX })
      return (await looks.rows(log)).map(
        ({ at, outcome, httpStatus, durationMs }): HistoryLine => ({
          ...{ at, kind: 'delivery', of: endpoint, id: notificationId, what: outcome },
          ...(httpStatus > 0 && { state: String(httpStatus) }),
          why: `${durationMs} ms`,
        }),
      )
    }),
  )
  return found.flat()
}

// ------------------------------------------------------------------------------------------------------- what happens next

async function nextOf(looks: Looks, rows: Rows, notifications: readonly Notification[]): Promise<NextLine[]> {
  const { order, transactions, refunds } = rows
  const { mid } = order
  const due = async (task: string, subject: string, what: NextLine['what'], id: string): Promise<NextLine[]> => {
    const [row] = await looks.rows(find('tasks', { equals: { task, subject }, limit: 1, unopened: true }))
    return row ? [{ what, at: row.dueAt, id }] : []
  }
  const streamOrderId = order.consentOrderId ?? order.orderId
  const open = new Set(notifications.filter(({ status }) => status !== 'DELIVERED').map(({ endpoint }) => endpoint))
  const next = await Promise.all([
    ...transactions.map(({ txnId, status }) =>
      due('transaction.due', `${mid}:${txnId}`, status === 'FAILURE' ? 'askOnceMore' : 'ask', txnId),
    ),
    ...refunds.map(({ refId }) => due('refund.due', `${mid}:${refId}`, 'refund', refId)),
    ...[...open].map(async (endpoint): Promise<NextLine[]> => {
      const stream = await looks.row(look('notificationStreams', mid, streamOrderId, endpoint))
      if (stream?.status === 'DEAD') return [{ what: 'dead', at: undefined, id: endpoint }]
      return due('notification.due', `${mid}|${streamOrderId}|${endpoint}`, 'deliver', endpoint)
    }),
    ...notifications.map(({ notificationId }) => due('notification-resend.due', notificationId, 'resend', notificationId)),
    cyclesOf(looks, rows),
  ])
  const expires: NextLine[] = order.status === 'CREATED' ? [{ what: 'expire', at: order.expiresAt, id: order.orderId }] : []
  return [...next.flat(), ...expires].sort((a, b) => (a.at ?? Number.MAX_SAFE_INTEGER) - (b.at ?? Number.MAX_SAFE_INTEGER))
}

/** The cycle that the order's debit collects, as long as it goes on. */
async function cyclesOf(looks: Looks, { order, transactions }: Rows): Promise<NextLine[]> {
  if (order.subscriptionId === null || order.consentOrderId === null) return []
  const cycles = new Set(transactions.map(({ collectionId }) => collectionId))
  const open = await looks.rows(openCollectionsOf(order.mid, order.subscriptionId))
  return open.flatMap(({ collectionId, nextAt }) =>
    cycles.has(collectionId) && nextAt !== null ? [{ what: 'cycle' as const, at: nextAt, id: collectionId }] : [],
  )
}
