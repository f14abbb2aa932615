// A subscription as replies show it: docs/interface.md sections 4.2 and 4.34. A member that is not named here is never shown.

import Type from 'typebox'
import { dateInIndia, dateTimeInIndia } from '../../engine/clock.ts'
import type { Query } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import { toRupees } from '../../interface/money.ts'
import { shortMode } from '../../interface/payment-modes.ts'
import * as replied from '../../interface/replied.ts'
import { collectionsOf } from '../../tables/keys.ts'
import type { OrderStatus } from '../../tables/order.ts'
import type { AgreedTerms, PendingEdit } from '../../tables/subscription.ts'
import { find, type Row } from '../../tables/tables.ts'
import { type Collection, hasEnded } from './collection/collection.ts'
import { nextCollectionDate } from './collection/schedule.ts'
import { isOver, SUBSCRIPTION_STATUSES, type Subscription } from './subscription.ts'

const ACCOUNT_DIGITS_SHOWN = 4 // docs/interface.md section 4.2
const CYCLES_COUNTED_MAX = 2_000 // docs/interface.md section 8 (Mohur)

/** The same words for every kind of last order. */
const orderWords: Readonly<Record<OrderStatus, 'SUCCESS' | 'FAILURE' | 'PENDING'>> = {
  CREATED: 'PENDING',
  IN_PROCESS: 'PENDING',
  PAID: 'SUCCESS',
  CLOSED: 'FAILURE',
}

const optional = Type.Optional

export const shortReply = Type.Object({
  subscriptionId: replied.id,
  subsId: replied.id,
  orderId: fields.orderId,
  custId: fields.hostCustId,
  status: Type.Enum([...SUBSCRIPTION_STATUSES]),
  subStatus: replied.text,
  amountType: Type.Enum(['FIX', 'VARIABLE']),
  frequency: replied.text,
  frequencyUnit: Type.Enum(['WEEK', 'MONTH', 'BI_MONTHLY', 'QUARTER', 'SEMI_ANNUALLY', 'YEAR', 'ONDEMAND']),
  maxAmount: replied.rupees,
  expiryDate: replied.dateTime,
  createdDate: replied.dateTime,
})
export const authenticationReply = Type.Enum(['ASKED', 'APPROVED', 'DECLINED'])
const detailsReply = Type.Object({
  mid: fields.mid,
  lastOrderId: optional(fields.orderId),
  lastOrderStatus: optional(Type.Enum(['SUCCESS', 'FAILURE', 'PENDING'])),
  lastOrderAmount: optional(replied.rupees),
  payMode: optional(replied.text),
  bankName: optional(replied.text),
  upfrontTxnAmount: replied.rupees,
  renewalAmount: optional(replied.rupees),
  startDate: replied.date,
  graceDays: replied.text,
  enableRetry: Type.Enum(['0', '1']),
  retryCount: replied.text,
  autoRenewal: replied.yes,
  autoRetry: replied.yes,
  communicationManager: replied.yes,
  mandateType: optional(Type.Enum(['E_MANDATE', 'PAPER_MANDATE'])),
  mandateAccountDetails: optional(
    Type.Object({
      accountHolderName: optional(replied.text),
      channelCode: optional(replied.text),
      accountNumber: optional(replied.text),
      ifsc: optional(replied.text),
      accountType: optional(replied.text),
    }),
  ),
  custMobile: optional(replied.text),
  custEmail: optional(replied.text),
  updatedDate: replied.dateTime,
  nextCollectionDate: optional(replied.date),
  pausedBy: optional(Type.Enum(['USER', 'MERCHANT'])),
  pendingEdit: optional(
    Type.Object({
      editId: replied.text,
      renewalAmount: optional(replied.rupees),
      subscriptionMaxAmount: optional(replied.rupees),
      subscriptionExpiryDate: optional(replied.date),
      validUntil: replied.dateTime,
    }),
  ),
  collected: replied.count,
  currentCycle: optional(
    Type.Object({
      dueDate: replied.date,
      state: Type.Enum(['SCHEDULED', 'NOTIFIED', 'IN_FLIGHT', 'COLLECTED', 'SKIPPED', 'MISSED', 'FAILED']),
      attempts: replied.count,
      noticeAt: optional(replied.dateTime),
      authentication: optional(authenticationReply),
    }),
  ),
})
export const detailedReply = Type.Object({ ...shortReply.properties, ...detailsReply.properties })

export function inShort(subscription: Subscription) {
  const { subscriptionId, orderId, custId, status, subStatus, amountType, frequency, frequencyUnit } = subscription
  return {
    subscriptionId,
    subsId: subscriptionId,
    orderId,
    custId,
    status,
    subStatus,
    amountType,
    frequency: String(frequency),
    frequencyUnit,
    maxAmount: toRupees(subscription.maxAmountPaise),
    expiryDate: `${subscription.expiryDate} 00:00:00`,
    createdDate: dateTimeInIndia(subscription.createdAt),
  }
}

/** The rows around a subscription: its first order, the order of the latest attempt at a cycle, and its cycles. */
interface Around extends Cycles {
  first: Row<'orders'> | undefined
  last: Row<'orders'> | undefined
}
interface Cycles {
  /** The oldest open cycle, and the newest cycle of all. */
  open: Collection | undefined
  newest: Collection | undefined
  collected: number
}

export async function inDetail(page: readonly Subscription[], mid: string, query: Query, now: number) {
  const cycles = await Promise.all(page.map((subscription) => cyclesOf(subscription, query)))
  const orderIds = page.flatMap(({ orderId }, at) => [orderId, cycles[at]!.lastOrderId].filter((id) => id !== undefined))
  const orders =
    page.length === 0
      ? []
      : await query.rows(
          find('orders', { equals: { mid }, in: { column: 'orderId', values: [...new Set(orderIds)] }, limit: orderIds.length }),
        )
  const byId = new Map(orders.map((order) => [order.orderId, order]))
  return page.map((subscription, at) => {
    const { lastOrderId, ...found } = cycles[at]!
    const around = { ...found, first: byId.get(subscription.orderId), last: lastOrderId === undefined ? undefined : byId.get(lastOrderId) }
    return { ...inShort(subscription), ...details(subscription, around, now) }
  })
}

const UNCOLLECTED: readonly Collection['status'][] = ['SCHEDULED', 'NOTIFIED', 'IN_FLIGHT', 'SKIPPED', 'MISSED', 'FAILED']

/** Cycle numbers have no gap, so collected cycles are counted without being read. On-demand cycles have no numbers. */
async function cyclesOf({ mid, subscriptionId, consentedAt, frequencyUnit }: Subscription, query: Query) {
  if (consentedAt === null) return { open: undefined, newest: undefined, collected: 0, lastOrderId: undefined }
  const ofIt = { orderBy: ['dueDate'], direction: 'desc' } as const
  const equals = { mid, subscriptionId }
  const [[newest], [tried], uncollected] = await Promise.all([
    query.rows(collectionsOf(mid, subscriptionId, 1)),
    query.rows(find('collections', { ...ofIt, equals, atLeast: { attempts: 1 }, limit: 1 })),
    query.rows(find('collections', { ...ofIt, equals, in: { column: 'status', values: UNCOLLECTED }, limit: CYCLES_COUNTED_MAX })),
  ])
  const collected =
    frequencyUnit === 'ONDEMAND'
      ? (await query.rows(find('collections', { ...ofIt, equals: { ...equals, status: 'COLLECTED' }, limit: CYCLES_COUNTED_MAX }))).length
      : (newest?.number ?? -1) + 1 - uncollected.length
  return { open: uncollected.findLast((cycle) => !hasEnded(cycle)), newest, collected, lastOrderId: await orderOf(tried, query) }
}

/** After a failed attempt the cycle does not name its order any more, but the cycle's transactions do. */
async function orderOf(tried: Collection | undefined, query: Query): Promise<string | undefined> {
  if (!tried || tried.orderId !== null) return tried?.orderId ?? undefined
  const { mid, collectionId } = tried
  const [last] = await query.rows(
    find('transactions', { equals: { mid, collectionId }, orderBy: ['collectionAttempt'], direction: 'desc', limit: 1 }),
  )
  return last?.orderId
}

/** `current`: the oldest open cycle, else the newest. `next`: the day on which the next collection may be made. */
function placesOf(subscription: Subscription, { open, newest }: Cycles, now: number) {
  const current = open ?? newest
  if (isOver(subscription)) return { current, next: undefined }
  const today = dateInIndia(now)
  const scheduled = () => nextCollectionDate(subscription, current && current.dueDate >= today ? dayAfter(current.dueDate) : today)
  const next = open?.windowFrom ?? scheduled()
  // A cycle that is due after the last day waits for its end, or for a later last day.
  return { current, next: next !== undefined && next <= subscription.expiryDate ? next : undefined }
}
const dayAfter = (day: string) => Temporal.PlainDate.from(day).add({ days: 1 }).toString()

const cycleOf = ({ dueDate, status, attempts, noticedAt, authentication }: Collection) => ({
  dueDate,
  state: status,
  attempts,
  ...(noticedAt !== null && { noticeAt: dateTimeInIndia(noticedAt) }),
  ...(authentication !== 'NONE' && { authentication }),
})

/** True until the edit's time for approval is over. A late approval still counts. */
export const isEditOpen = (edit: PendingEdit | null, now: number) => edit !== null && now < edit.validUntil

const editOf = ({ editId, renewalAmountPaise, maxAmountPaise, expiryDate, validUntil }: PendingEdit) => ({
  editId,
  ...(renewalAmountPaise !== undefined && { renewalAmount: toRupees(renewalAmountPaise) }),
  ...(maxAmountPaise !== undefined && { subscriptionMaxAmount: toRupees(maxAmountPaise) }),
  ...(expiryDate !== undefined && { subscriptionExpiryDate: expiryDate }),
  validUntil: dateTimeInIndia(validUntil),
})

function details(subscription: Subscription, { first, last, ...cycles }: Around, now: number) {
  const { mandateType, renewalAmountPaise } = subscription
  const { mobile, email, mandateAccountDetails: account } = subscription.details
  const lastOrder = last ?? first
  const { current, next } = placesOf(subscription, cycles, now)
  const bankName = subscription.mandate?.instrument.bank
  return {
    mid: subscription.mid,
    ...(lastOrder && {
      lastOrderId: lastOrder.orderId,
      lastOrderStatus: orderWords[lastOrder.status],
      lastOrderAmount: toRupees(lastOrder.amountPaise),
    }),
    ...(subscription.paymentMode !== null && { payMode: shortMode(subscription.paymentMode) }),
    ...(bankName !== undefined && { bankName }),
    upfrontTxnAmount: toRupees(subscription.txnAmountPaise),
    ...(renewalAmountPaise !== null && { renewalAmount: toRupees(renewalAmountPaise) }),
    startDate: subscription.startDate,
    graceDays: String(subscription.graceDays),
    enableRetry: subscription.enableRetry ? '1' : '0',
    retryCount: String(subscription.retryCount),
    autoRenewal: subscription.autoRenewal,
    autoRetry: subscription.autoRetry,
    communicationManager: subscription.communicationManager,
    ...(mandateType !== null && { mandateType }),
    ...(account && { mandateAccountDetails: maskedAccount(account) }),
    ...(mobile !== undefined && { custMobile: masked(mobile) }),
    ...(email !== undefined && { custEmail: email }),
    updatedDate: dateTimeInIndia(subscription.updatedAt),
    ...(next !== undefined && { nextCollectionDate: next }),
    ...(subscription.status === 'SUSPENDED' && { pausedBy: subscription.subStatus === 'USER_PAUSED' ? 'USER' : 'MERCHANT' }),
    ...(isEditOpen(subscription.edit, now) && { pendingEdit: editOf(subscription.edit!) }),
    collected: cycles.collected,
    ...(current && { currentCycle: cycleOf(current) }),
  }
}

function maskedAccount({ accountHolderName, channelCode, accountNumber, ifsc, accountType }: Readonly<Record<string, string>>) {
  return {
    ...(accountHolderName !== undefined && { accountHolderName }),
    ...(channelCode !== undefined && { channelCode }),
    ...(accountNumber !== undefined && { accountNumber: masked(accountNumber) }),
    ...(ifsc !== undefined && { ifsc }),
    ...(accountType !== undefined && { accountType }),
  }
}

/** Hides all but the last four characters, and cuts no character in half. A text of four or fewer characters is hidden wholly. */
export function masked(text: string): string {
  const characters = [...text]
  const hidden = characters.length > ACCOUNT_DIGITS_SHOWN ? characters.length - ACCOUNT_DIGITS_SHOWN : characters.length
  return 'X'.repeat(hidden) + characters.slice(hidden).join('')
}

export function agreedTerms(subscription: Subscription): AgreedTerms {
  const { amountType, maxAmountPaise, frequencyUnit, frequency, startDate, expiryDate } = subscription
  return { amountType, maxAmountPaise, frequencyUnit, frequency, startDate, expiryDate }
}

/** The terms after the pending edit. Terms that the edit does not name stay. */
export function termsAsked({ edit, ...subscription }: Subscription): AgreedTerms {
  const { startDate: _, ...terms } = agreedTerms({ ...subscription, edit })
  return {
    ...terms,
    maxAmountPaise: edit?.renewalAmountPaise ?? edit?.maxAmountPaise ?? terms.maxAmountPaise,
    expiryDate: edit?.expiryDate ?? terms.expiryDate,
  }
}
