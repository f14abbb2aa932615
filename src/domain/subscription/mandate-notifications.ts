// Notifies merchants and payers of a subscription's moves, apart from its money: docs/interface.md section 6. An operation that may move a
// subscription or a cycle reads `recipientKeys` and returns its decision through `notifyOfMoves`.

import { dateTimeInIndia } from '../../engine/clock.ts'
import { type Change, type Decision, type Event, latest, type State } from '../../engine/decision.ts'
import { definedMembers } from '../../interface/defined-members.ts'
import { toRupees } from '../../interface/money.ts'
import { shortMode } from '../../interface/payment-modes.ts'
import { NOTICE_ID } from '../../interface/request.ts'
import { orderStatus, type ResultCode } from '../../interface/result-codes.ts'
import { merchantKey } from '../../tables/keys.ts'
import { type Key, look, type Row, type TableName } from '../../tables/tables.ts'
import { eventName, notificationReads, notify, type Stream, type Streams, streamOf, withNotified } from '../notification/notification.ts'
import { txnDate } from '../transaction/transaction.ts'
import type { Collection } from './collection/collection.ts'
import { noticeInWords } from './notice-words.ts'
import { kindOf, messageTasks } from './payer-message.ts'
import type { Subscription } from './subscription.ts'
import { masked } from './subscription-view.ts'

interface NotifiedMove {
  txnType: `SUBSCRIPTION_${string}`
  /** False when the act that `txnType` names did not succeed. */
  isDone: boolean
  message: string
}
const notifiedMove = (word: string, message: string, isDone = true): NotifiedMove => ({ txnType: `SUBSCRIPTION_${word}`, isDone, message })

/** Keyed by the event's type. An attempt's result is notified with its transaction: domain/transaction/transaction-outcome.ts. */
const NOTIFIED_MOVES: Readonly<Record<string, NotifiedMove>> = {
  'subscription.activated': notifiedMove('INIT', 'The subscription is active'),
  'subscription.cancelled': notifiedMove('CANCEL', 'The merchant cancelled the subscription'),
  'subscription.revoked': notifiedMove('CANCEL', 'The customer cancelled the subscription'),
  'subscription.closed': notifiedMove('CANCEL', 'The operator closed the subscription'),
  'subscription.paused': notifiedMove('PAUSE', 'The subscription is paused'),
  'subscription.resumed': notifiedMove('RESUME', 'The subscription is resumed'),
  'subscription.expired': notifiedMove('EXPIRE', 'The subscription has expired'),
  'subscription.refused': notifiedMove('REFUSE', 'The bank refused the mandate'),
  'subscription.edited': notifiedMove('EDIT', 'The terms have changed'),
  'subscription.edit-declined': notifiedMove('EDIT', 'The customer did not approve the change', false),
  'collection.noticed': notifiedMove('NOTIFY', 'The customer was notified'),
  'collection.notice-failed': notifiedMove('NOTIFY', 'The customer could not be notified', false),
  'collection.approved': notifiedMove('APPROVE', 'The customer approved the debit'),
  'collection.declined': notifiedMove('APPROVE', 'The customer did not approve the debit', false),
  'collection.skipped': notifiedMove('SKIP', 'The customer does not want this debit'),
  'collection.missed': notifiedMove('MISS', 'The cycle was not collected'),
}

/**
 * The event types above. `verify` checks that each was notified. It also checks `subscription.rejected`, which is notified only when a bank
 * had the mandate.
 */
export const NOTIFIED_MOVE_TYPES = Object.keys(NOTIFIED_MOVES)
const NOT_DECIDED = notifiedMove('REFUSE', 'The bank did not decide on the mandate')
/**
 * Merchant and payer are not notified of a cycle that ends with its mandate. They are notified of the mandate's end, and nothing of the
 * cycle was due.
 */
export const ENDED_WITH_MANDATE = 'cancelled'
const notifiedMoveOf = ({ type, from, data }: Event): NotifiedMove | undefined => {
  if (type === 'subscription.rejected' && from === 'IN_AUTHORIZATION') return NOT_DECIDED
  return data['why'] === ENDED_WITH_MANDATE ? undefined : NOTIFIED_MOVES[type]
}

/** The keys of a move's recipients. No operation has keys of its own under these names. */
type RecipientKeys = {
  /** The order by which the customer consented. */
  consentOrder: Key<'orders'> | undefined
  notifiedMerchant: Key<'merchants'> | undefined
  notifiedMerchantStream: Key<'notificationStreams'> | undefined
  notifiedPeonStream: Key<'notificationStreams'> | undefined
}
const NOBODY: RecipientKeys = {
  consentOrder: undefined,
  notifiedMerchant: undefined,
  notifiedMerchantStream: undefined,
  notifiedPeonStream: undefined,
}

/** For a later round of reads. `of`: the subscription's own row, or that of one of its orders. */
export function recipientKeys(
  of: { mid: string; orderId: string; subscriptionId: string | null; consentOrderId?: string | null } | undefined,
): RecipientKeys {
  if (!of?.subscriptionId) return NOBODY
  const consentOrderId = of.consentOrderId ?? of.orderId
  const { merchantStream, peonStream } = notificationReads(of.mid, consentOrderId)
  return {
    consentOrder: look('orders', of.mid, consentOrderId),
    notifiedMerchant: merchantKey(of.mid),
    notifiedMerchantStream: merchantStream,
    notifiedPeonStream: peonStream,
  }
}

/** The rows of `recipientKeys`, with the rows that an event may be about. */
interface Recipients extends State<RecipientKeys> {
  subscription?: Subscription | undefined
  notice?: Row<'notices'> | undefined
}

/** Adds the notifications of the moves in the decision's events. The payer is notified too, if the merchant leaves that to the service. */
export function notifyOfMoves<Code extends ResultCode, Body extends object>(
  rows: Recipients,
  now: number,
  decision: Decision<Code, Body>,
): Decision<Code, Body> {
  const { consentOrder: order, notifiedMerchant: merchant } = rows
  if (!order || !decision.events.some((event) => notifiedMoveOf(event) ?? kindOf(event))) return decision
  const changes: Change[] = [...decision.changes]
  const tasks = [...decision.tasks]
  const events = decision.events.map((event) => {
    const about = aboutOf(event, rows, changes)
    if (!about) return event
    tasks.push(...messageTasks(event, { ...about, merchant, order }, now))
    const content = contentOf(event, order, about, merchant)
    if (!content) return event
    const notified = notify({ order: streamOf(order), event: eventName(event), content }, streamsOf(rows, changes), now)
    changes.push(...notified.changes)
    tasks.push(...notified.tasks)
    return withNotified(event, notified)
  })
  return { ...decision, changes: latest(changes), events, tasks }
}

/** The streams as this decision has left them so far. The decision may already have notified of money, or of another move. */
function streamsOf({ notifiedMerchant, notifiedMerchantStream, notifiedPeonStream }: Recipients, changes: readonly Change[]): Streams {
  const after = (endpoint: Stream['endpoint']) => changed(changes, 'notificationStreams', (row) => row.endpoint === endpoint)
  return {
    merchant: notifiedMerchant,
    merchantStream: after('merchant') ?? notifiedMerchantStream,
    peonStream: after('peon') ?? notifiedPeonStream,
  }
}

/** The last version of the matching row among a decision's changes. */
function changed<T extends TableName>(changes: readonly Change[], table: T, is: (row: Row<T>) => boolean): Row<T> | undefined {
  const found = changes.findLast((change) => change.kind !== 'delete' && change.key.table === table && is(change.row as unknown as Row<T>))
  return found && found.kind !== 'delete' ? (found.row as unknown as Row<T>) : undefined
}

// ------------------------------------------------------------------------------------------------------------ content

/** The rows that an event is about, as the decision leaves them. */
interface About {
  subscription: Subscription
  cycle: Collection | undefined
  notice: Row<'notices'> | undefined
}
function aboutOf({ type, id, data: { noticeId } }: Event, state: Recipients, changes: readonly Change[]): About | undefined {
  const isOfCycle = type.startsWith('collection.')
  const subscription = changed(changes, 'subscriptions', () => true) ?? state.subscription
  const cycle = isOfCycle ? changed(changes, 'collections', ({ collectionId }) => collectionId === id) : undefined
  const known = state.notice?.noticeId === noticeId ? state.notice : undefined
  const notice = noticeId === undefined ? undefined : (changed(changes, 'notices', (row) => row.noticeId === noticeId) ?? known)
  return subscription && (cycle || !isOfCycle) ? { subscription, cycle, notice } : undefined
}

/** All members are strings, by the names of the JSON form. The classic forms are made from these members at sending. */
function contentOf(
  event: Event,
  order: Row<'orders'>,
  { subscription, cycle, notice }: About,
  merchant: Row<'merchants'> | undefined,
): Record<string, string> | undefined {
  const notified = notifiedMoveOf(event)
  if (!notified) return undefined
  const { txnType, isDone, message } = notified
  const { status, code } = isDone ? orderStatus.success : orderStatus.declined
  const known: Record<string, string | undefined> = {
    mid: event.owner,
    // A receiver takes a second message with the same orderId and status for a repetition.
    orderId: `${event.id.replace('.', '_')}_${event.version}`,
    custId: order.custId,
    ...{ txnType, status, respCode: code, respMsg: message, txnDate: txnDate(event.at) },
    consentOrderId: order.orderId,
    subscriptionId: subscription.subscriptionId,
    subscriptionStatus: cycle ? subscription.status : event.to,
    subStatus: cycle ? subscription.subStatus : String(event.data['subStatus']),
    ...notifiedTerms(subscription, merchant),
    ...(cycle && cycleOf(cycle, notice)),
    updatedDate: dateTimeInIndia(event.at),
  }
  return definedMembers(known)
}

function notifiedTerms(subscription: Subscription, merchant: Row<'merchants'> | undefined): Record<string, string | undefined> {
  const { paymentMode, mandate, amountType, renewalAmountPaise, details } = subscription
  return {
    paymentMode: paymentMode === null ? undefined : shortMode(paymentMode),
    bankName: mandate?.instrument.bank,
    amountType,
    maxAmount: toRupees(subscription.maxAmountPaise),
    renewalAmount: renewalAmountPaise === null ? undefined : toRupees(renewalAmountPaise),
    upfrontTxnAmount: toRupees(subscription.txnAmountPaise),
    frequency: String(subscription.frequency),
    frequencyUnit: subscription.frequencyUnit,
    expiryDate: `${subscription.expiryDate} 00:00:00`,
    createdDate: dateTimeInIndia(subscription.createdAt),
    custMobile: details.mobile === undefined ? undefined : masked(details.mobile),
    custEmail: details.email,
    merchantName: merchant?.name,
  }
}

function cycleOf({ dueDate, authentication: said }: Collection, notice: Row<'notices'> | undefined): Record<string, string | undefined> {
  if (!notice) return { dueDate }
  const { referenceId, amountPaise, debitDate } = notice
  const authentication = said === 'NONE' ? undefined : said
  return {
    dueDate,
    authentication,
    referenceId,
    [NOTICE_ID]: notice.noticeId,
    txnAmount: toRupees(amountPaise),
    debitDate,
    ...noticeInWords(notice),
  }
}
