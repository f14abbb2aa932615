// The history of an order, in portions. Its spine is each payment's numbered events. Each step of a refund is also a step of its payment,
// in the same decision. A step names keys, which find the refund's event, the ledger's lines, the notifications and their deliveries.

import { NOTE } from '../domain/audit/audit.ts'
import { MOVEMENTS, type MovementName } from '../domain/ledger/ledger.ts'
import { notifiedPlaces, sequenceOf } from '../domain/notification/notification.ts'
import type { Looks } from '../engine/decision.ts'
import type { Endpoint } from '../tables/keys.ts'
import { find, type Row } from '../tables/tables.ts'
import { withReasons } from './list-audit.ts'
import { shownOf } from './portions.ts'

export interface HistoryLine {
  at: number
  /** An event's number within its aggregate. It orders events of one instant. */
  version?: number
  kind: 'event' | 'ledger' | 'notification' | 'delivery' | 'audit'
  /** The subject: `order`, `transaction`, …; an account of the ledger; the endpoint of a notification; the person whose act is audited. */
  of: string
  id: string
  /** The event without its noun, the movement of the money, the state of a notification, or the result of a delivery. */
  what: string
  /** A credit of the ledger is negative. */
  amountPaise?: number
  state?: string
  why?: string
}

/** Where a portion ended. A kind that is undefined has not begun. */
export interface LinesPlace {
  step?: { attempt: number; version: number } | undefined
  auditId?: string | undefined
  /** How many of the order's own oldest items are not shown yet. */
  own?: number | undefined
}

export interface LinesMost {
  steps: number
  audited: number
  own: number
  /** The most deliveries of a portion, and of one notification. The newest are shown. */
  deliveries: number
  deliveriesOfOne: number
}

export interface LinesPortion {
  /** In the order in which they happened. */
  lines: readonly HistoryLine[]
  notifications: readonly Row<'notifications'>[]
  older: LinesPlace | undefined
  /** Deliveries that are in the log and in no portion. */
  unshown: number
}

export interface OrderRows {
  order: Row<'orders'>
  transactions: readonly Row<'transactions'>[]
}

type Event = Row<'events'>
type Notification = Row<'notifications'>
interface Step {
  attempt: number
  event: Event
}
/** An item of the order itself: an event, or a line of the ledger that no refund has moved. */
type Own = { at: number } & ({ event: Event } | { entry: Row<'ledgerEntries'> })

const OWN_MAX = 500 // Mohur's choice: far more than five attempts, ten unpaid codes and five changes leave
const REFUND_EVENTS_MAX = 8 // Mohur's choice: a refund has two events, its request and its end
const ENTRIES_MAX = 8 // Mohur's choice: of one movement; a capture has seven lines at most
/** The order of events that have the same instant and number. */
const ORDER_OF_EVENTS = ['order', 'collection', 'transaction', 'redemption', 'refund']

/** The portion behind a place. Without a place, the newest. */
export async function linesBehind(looks: Looks, rows: OrderRows, after: LinesPlace, most: LinesMost): Promise<LinesPortion> {
  const [steps, audited, all] = await Promise.all([
    stepsBehind(looks, rows, after.step, most.steps),
    auditedBehind(looks, rows, after.auditId, most.audited),
    ownOf(looks, rows),
  ])
  const own = all.slice(0, after.own ?? all.length).toReversed()
  const counts = shownOf([
    { times: steps.map(({ event }) => event.at), most: most.steps },
    { times: audited.map(({ at }) => at), most: most.audited },
    { times: own.map(({ at }) => at), most: most.own },
  ])
  const shown = { steps: steps.slice(0, counts[0]), audited: audited.slice(0, counts[1]), own: own.slice(0, counts[2]) }
  const isAll = shown.steps.length === steps.length && shown.audited.length === audited.length && shown.own.length === own.length
  const last = shown.steps.at(-1)
  const older: LinesPlace = {
    step: last ? { attempt: last.attempt, version: last.event.version } : after.step,
    auditId: shown.audited.at(-1)?.auditId ?? after.auditId,
    own: own.length - shown.own.length,
  }
  return { ...(await linesOf(looks, rows, shown, most)), older: isAll ? undefined : older }
}

interface Shown {
  steps: readonly Step[]
  audited: readonly Row<'auditLog'>[]
  own: readonly Own[]
}

async function linesOf(looks: Looks, rows: OrderRows, { steps, audited, own }: Shown, most: LinesMost) {
  const ofSteps = steps.map(({ event }) => event)
  const ownEvents = own.flatMap((each) => ('event' in each ? [each.event] : []))
  const [ofRefunds, moved] = await Promise.all([refundEventsOf(looks, ofSteps), entriesOfRefunds(looks, ofSteps)])
  const events = [...ownEvents, ...ofSteps, ...ofRefunds]
  const rank = ({ aggregate }: Event) => ORDER_OF_EVENTS.indexOf(aggregate)
  const entries = [...own.flatMap((each) => ('entry' in each ? [each.entry] : [])), ...moved]
  const notifications = await notificationsOf(looks, rows.order, events)
  const { deliveries, unshown } = await deliveriesOf(looks, notifications, most)
  const lines = [
    ...events.toSorted((a, b) => rank(a) - rank(b)).map(eventLine),
    ...entries.toSorted(byMovement).map(entryLine),
    ...notifications.map(notificationLine),
    ...deliveries,
    ...(await withReasons(looks, audited)).map(auditLine),
  ]
  return { lines: lines.sort(inOrder), notifications, unshown }
}

/** At the same instant, an event comes before the money that it moved and before its notifications. */
export const inOrder = (a: HistoryLine, b: HistoryLine) => a.at - b.at || (a.version ?? LAST) - (b.version ?? LAST)
const LAST = Number.MAX_SAFE_INTEGER

// ------------------------------------------------------------------------------------------------------------- the spine

async function stepsBehind(looks: Looks, { order, transactions }: OrderRows, after: LinesPlace['step'], most: number): Promise<Step[]> {
  const found: Step[] = []
  for (const { txnId, attempt } of transactions.toReversed()) {
    if (found.length > most) break
    if (after && attempt > after.attempt) continue
    const events = await looks.rows(
      find('events', {
        equals: { owner: order.mid, aggregate: 'transaction', id: txnId },
        ...{ orderBy: ['version'], direction: 'desc', limit: most + 1 - found.length },
        ...(attempt === after?.attempt && { beyond: [after.version] }),
      }),
    )
    found.push(...events.map((event) => ({ attempt, event })))
  }
  return found
}

/** Acts of people on the order, and their views of it. */
async function auditedBehind(looks: Looks, { order, transactions }: OrderRows, after: string | undefined, most: number) {
  const subjects = [`order:${order.orderId}`, ...transactions.map(({ txnId }) => `transaction:${txnId}`)]
  const found = await Promise.all(
    subjects.map((subject) =>
      looks.rows(
        find('auditLog', {
          equals: { subject, mid: order.mid },
          ...{ orderBy: ['subject', 'auditId'], direction: 'desc', limit: most + 1, unopened: true },
          ...(after !== undefined && { beyond: [subject, after] }),
        }),
      ),
    ),
  )
  return found
    .flat()
    .sort((a, b) => (a.auditId < b.auditId ? 1 : -1))
    .slice(0, most + 1)
}

/** The order's own items, the oldest first. The order's limits of attempts and changes bound their number. */
async function ownOf(looks: Looks, { order, transactions }: OrderRows): Promise<Own[]> {
  const owner = order.mid
  const txnIds = transactions.map(({ txnId }) => txnId)
  const cycles = [...new Set(transactions.flatMap(({ collectionId }) => collectionId ?? []))]
  const eventsOf = (aggregate: string, ids: readonly string[]) =>
    ids.length === 0
      ? []
      : looks.rows(
          find('events', {
            equals: { owner, aggregate },
            in: { column: 'id', values: ids },
            ...{ orderBy: ['owner', 'aggregate', 'id', 'version'], limit: OWN_MAX },
          }),
        )
  const movements = MOVEMENTS.txnId.flatMap((kind) => txnIds.map((txnId): MovementName => `${kind}:${txnId}`))
  const [events, entries] = await Promise.all([
    Promise.all([eventsOf('order', [order.orderId]), eventsOf('collection', cycles), eventsOf('redemption', txnIds)]),
    entriesOf(looks, owner, movements),
  ])
  return [...events.flat().map((event) => ({ at: event.at, event })), ...entries.map((entry) => ({ at: entry.at, entry }))].sort(
    (a, b) => a.at - b.at,
  )
}

// --------------------------------------------------------------------------------------------------- what a step names

async function refundEventsOf(looks: Looks, steps: readonly Event[]): Promise<readonly Event[]> {
  const names = new Set(steps.flatMap(({ data }) => ('refId' in data ? [`${data['refId']}|${data['refundVersion']}`] : [])))
  const refIds = [...new Set(steps.flatMap(({ data }) => ('refId' in data ? [String(data['refId'])] : [])))]
  if (refIds.length === 0) return []
  const found = await looks.rows(
    find('events', {
      equals: { owner: steps[0]!.owner, aggregate: 'refund' },
      in: { column: 'id', values: refIds },
      ...{ orderBy: ['owner', 'aggregate', 'id', 'version'], limit: refIds.length * REFUND_EVENTS_MAX },
    }),
  )
  return found.filter(({ id, version }) => names.has(`${id}|${version}`))
}

/** The movement of a refund that each step made. */
const MOVED_BY: Readonly<Record<string, (typeof MOVEMENTS.refundId)[number]>> = {
  'transaction.refund-set-aside': 'refund',
  'transaction.refunded': 'refunded',
  'transaction.refund-freed': 'refund-failed',
}

async function entriesOfRefunds(looks: Looks, steps: readonly Event[]): Promise<readonly Row<'ledgerEntries'>[]> {
  const movements = steps.flatMap(({ type, data }): MovementName[] => {
    const kind = MOVED_BY[type]
    return kind && 'refundId' in data ? [`${kind}:${data['refundId']}`] : []
  })
  return entriesOf(looks, steps[0]?.owner ?? '', movements)
}

const entriesOf = async (looks: Looks, owner: string, movements: readonly MovementName[]): Promise<readonly Row<'ledgerEntries'>[]> =>
  movements.length === 0
    ? []
    : looks.rows(
        find('ledgerEntries', {
          equals: { owner },
          in: { column: 'movement', values: movements },
          ...{ orderBy: ['owner', 'movement', 'line'], limit: movements.length * ENTRIES_MAX },
        }),
      )

type Entry = Row<'ledgerEntries'>
const byMovement = (a: Entry, b: Entry) => (a.movement < b.movement ? -1 : a.movement > b.movement ? 1 : a.line < b.line ? -1 : 1)

/** A renewal's notifications are in the stream of the order by which the customer consented. */
async function notificationsOf(looks: Looks, { mid, orderId, consentOrderId }: Row<'orders'>, events: readonly Event[]) {
  const places = Map.groupBy(events.flatMap(notifiedPlaces), ({ endpoint }) => endpoint)
  const found = await Promise.all(
    [...places].map(([endpoint, of]) =>
      looks.rows(
        find('notifications', {
          equals: { mid, orderId: consentOrderId ?? orderId, endpoint },
          in: { column: 'sequence', values: of.map(({ place }) => sequenceOf(place)) },
          ...{ orderBy: ['mid', 'orderId', 'endpoint', 'sequence'], limit: of.length, unopened: true },
        }),
      ),
    ),
  )
  return found.flat()
}

/**
 * The newest deliveries of each notification, as far as the portion has room. A notification's count of attempts is the number of its
 * newest delivery.
 */
async function deliveriesOf(looks: Looks, notifications: readonly Notification[], { deliveries, deliveriesOfOne }: LinesMost) {
  let room = deliveries
  const wholly: Notification[] = []
  const partly: { notification: Notification; most: number }[] = []
  let unshown = 0
  for (const notification of notifications.toSorted((a, b) => b.createdAt - a.createdAt)) {
    const { attempts } = notification
    const most = Math.min(attempts, deliveriesOfOne, room)
    room -= most
    unshown += attempts - most
    if (most > 0 && most === attempts) wholly.push(notification)
    else if (most > 0) partly.push({ notification, most })
  }
  const endpoints = new Map<string, Endpoint>(notifications.map(({ notificationId, endpoint }) => [notificationId, endpoint]))
  const logOf = ({ mid, notificationId }: Notification, limit: number) =>
    looks.rows(find('deliveryAttempts', { equals: { mid, notificationId }, orderBy: ['attempt'], direction: 'desc', limit }))
  const [whole, parts] = await Promise.all([
    wholly.length === 0
      ? []
      : looks.rows(
          find('deliveryAttempts', {
            equals: { mid: wholly[0]!.mid },
            in: { column: 'notificationId', values: wholly.map(({ notificationId }) => notificationId) },
            ...{ orderBy: ['mid', 'notificationId', 'attempt'], limit: wholly.reduce((sum, { attempts }) => sum + attempts, 0) },
          }),
        ),
    Promise.all(partly.map(({ notification, most }) => logOf(notification, most))),
  ])
  const lines = [...whole, ...parts.flat()].map((row) => deliveryLine(row, endpoints.get(row.notificationId)!))
  return { deliveries: lines, unshown }
}

// ----------------------------------------------------------------------------------------------------------------- lines

function eventLine({ at, aggregate, id, version, type, toStatus, data }: Event): HistoryLine {
  // The refund's own events have the refunded amount. A payment's event has the whole amount paid.
  const paise = aggregate === 'transaction' && type.startsWith('transaction.refund') ? undefined : data['amountPaise']
  const why = [data['result'], data['why'], data['rule']].find((each) => typeof each === 'string' && each !== '')
  return {
    ...{ at, version, kind: 'event', of: aggregate, id, what: type.slice(type.indexOf('.') + 1), state: toStatus },
    ...(typeof paise === 'number' && { amountPaise: paise }),
    ...(why !== undefined && { why: String(why) }),
  }
}

/** A wallet's owner is left out, because the owner is a payer. */
function entryLine({ at, account, movement, debitPaise, creditPaise }: Entry): HistoryLine {
  const [what = '', ...id] = movement.split(':')
  return { at, kind: 'ledger', of: account, id: id.join(':'), what, amountPaise: debitPaise - creditPaise }
}

const notificationLine = ({ createdAt, endpoint, notificationId, status, event }: Notification): HistoryLine => ({
  ...{ at: createdAt, kind: 'notification', of: endpoint, id: notificationId, what: status.toLowerCase(), why: event },
})

const deliveryLine = (
  { at, outcome, httpStatus, durationMs, notificationId }: Row<'deliveryAttempts'>,
  endpoint: Endpoint,
): HistoryLine => ({
  ...{ at, kind: 'delivery', of: endpoint, id: notificationId, what: outcome },
  ...(httpStatus > 0 && { state: String(httpStatus) }),
  why: `${durationMs} ms`,
})

export const auditLine = ({ at, operatorId, subject, action, outcome, reason }: Row<'auditLog'>): HistoryLine => ({
  ...{ at, kind: 'audit', of: operatorId, id: subject.slice(subject.indexOf(':') + 1), what: action },
  ...(action === NOTE ? { why: reason ?? '' } : { state: outcome }),
})
