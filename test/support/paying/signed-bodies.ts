// A valid signed body of every operation that has one, by published clients and section 4, and the rows that they name.

import assert from 'node:assert/strict'
import { operations } from '../../../src/api/operations.ts'
import { sign } from '../../../src/interface/checksum.ts'
import { demoWorld, type World } from '../../../src/sandbox/world.ts'
import { addCycle, consented, manage } from '../mandates/mandates.ts'
import { fix, TODAY } from '../mandates/subscription.ts'
import { KEY, MID, type Reply, type Service } from '../run/service.ts'
import { orderBody } from './order-body.ts'
import { createOrder, type Order } from './paying.ts'
import { type Paid, paidOrder, refund } from './refunds.ts'

export type Name = keyof typeof operations
type Body = Record<string, unknown>

/** A plugin may register a URL. */
export const world: World = { ...demoWorld, merchants: demoWorld.merchants!.map((each) => ({ ...each, registersNotificationUrl: true })) }

interface Head {
  properties: Readonly<Record<string, { enum?: readonly unknown[] }>>
}
const isSigned = (head: Head | undefined) =>
  head !== undefined && ('signature' in head.properties || head.properties['tokenType']?.enum?.includes('CHECKSUM') === true)

/** The operations whose body a merchant signs: in `head.signature`, in `head.token`, and one in a header. */
export const signedOperations: readonly Name[] = (Object.keys(operations) as Name[]).filter(
  (name) => name === 'registerNotificationUrl' || isSigned(operations[name].wire?.head as Head | undefined),
)

/** The rows that the bodies name. Only the notice and the refund have been requested already. */
export interface Subject {
  /** Two subscriptions: the cycle of today may be collected for one, the next cycle notified for the other. */
  renewable: string
  notifiable: string
  custId: string
  consentOrderId: string
  noticeOrderId: string
  referenceId: string
  paytmReferenceId: string
  order: Order
  paid: Paid
  refId: string
  /** An id of an order, a subscription or a token that does not exist yet. */
  free: string
}

const NEXT_WEEK = '2026-06-22'
const WEEKLY = { ...fix('100.00'), subscriptionFrequencyUnit: 'WEEK', subscriptionGraceDays: '2' }
const NOTICED = {
  status: 'NOTIFIED' as const,
  amountType: 'FIX' as const,
  ...{ notices: 1, noticedAt: Date.parse('2026-06-13T10:00:00+05:30'), noticedPaise: 100_00 },
  ...{ amountPaise: 100_00, maxPaise: 100_00, windowTo: '2026-06-17' },
}

let subjects = 0
export async function newSubject(service: Service): Promise<Subject> {
  const at = `CROSS${String(++subjects).padStart(5, '0')}`
  const terms = { ...WEEKLY, userInfo: { custId: at } }
  const [renewable, notifiable] = [await consented(service, `${at}R`, terms), await consented(service, `${at}N`, terms)]
  for (const id of [renewable, notifiable]) await addCycle(service, id, { ...NOTICED, dueDate: TODAY })
  const noticed = await manage(service, '/subscription/preNotify', {
    ...{ subsId: renewable, txnAmount: '100.00', subscriptionScheduledExecutionDate: NEXT_WEEK },
    ...{ referenceId: `${at}REF`, orderId: `${at}NOTICE` },
  })
  assert.equal(noticed.body.resultInfo.code, '3006', noticed.text)
  const paid = await paidOrder(service, `${at}P`)
  await refund(service, paid, `${at}RF`, '1.00')
  const order = await createOrder(service, `${at}O`)
  await service.tasks.runDue() // so that no due work writes later
  return {
    ...{ renewable, notifiable, custId: at, consentOrderId: `${at}R`, noticeOrderId: `${at}NOTICE`, referenceId: `${at}REF` },
    ...{ paytmReferenceId: noticed.body.paytmReferenceId, order, paid, refId: `${at}RF` },
    free: `${at}FREE`,
  }
}

const money = (value: string) => ({ value, currency: 'INR' })
const day = (date: string) => `${date}T00:00:00+05:30`

/** By operation. A body that names a subscription names `id`. The first body is the operation's usual one. */
export const goodBodies = (s: Subject, id: string): Readonly<Partial<Record<Name, readonly Body[]>>> => ({
  createOrder: [orderBody(s.free, { txnAmount: money('100.00') })],
  modifyOrder: [{ txnAmount: money('1.00') }, { mid: MID, orderId: s.order.orderId, txnAmount: money('1.00'), extendInfo: { subsId: id } }],
  initiateSubscription: [
    {
      ...{ requestType: 'NATIVE_SUBSCRIPTION', mid: MID, orderId: s.free, websiteName: 'DEFAULT', txnAmount: money('10.00') },
      ...{ userInfo: { custId: s.custId }, subscriptionAmountType: 'FIX', renewalAmount: '100.00', subscriptionFrequencyUnit: 'MONTH' },
      ...{ subscriptionStartDate: TODAY, subscriptionExpiryDate: '2027-06-15', subscriptionEnableRetry: '1', subscriptionGraceDays: '2' },
    },
  ],
  applyPromo: [
    { mid: MID, paymentOptions: [{ transactionAmount: '1000.00', payMethod: 'UPI' }], totalTransactionAmount: '1000.00' },
    { mid: MID, custId: s.custId, paymentOptions: [{ transactionAmount: '1000.00', payMethod: 'UPI' }], totalTransactionAmount: '1000.00' },
  ],
  createAccessToken: [
    { mid: MID, referenceId: s.free },
    { mid: MID, referenceId: `${s.custId}REF2`, custId: s.custId, userInfo: { custId: s.custId }, requestType: 'SUBSCRIPTION' },
  ],
  fetchAllPaymentOffers: [{ mid: MID }],
  orderStatus: [
    { mid: MID, orderId: s.paid.orderId },
    { mid: MID, orderId: s.paid.orderId, txnType: 'SALE' },
  ],
  closeOrder: [{ requestType: 'CLOSE', mid: MID, orderId: s.order.orderId }],
  applyRefund: [{ mid: MID, txnType: 'REFUND', orderId: s.paid.orderId, txnId: s.paid.txnId, refId: s.free, refundAmount: '1.00' }],
  refundStatus: [{ mid: MID, orderId: s.paid.orderId, refId: s.refId }],
  orderList: [{ mid: MID, fromDate: day(TODAY), toDate: day('2026-06-16'), orderSearchType: 'TRANSACTION', pageSize: '50' }],
  refundList: [{ mid: MID, startDate: day(TODAY), endDate: day('2026-06-16') }],
  registerNotificationUrl: [{ mid: MID, queryParam: 'notificationUrls', paymentNotificationUrl: 'http://127.0.0.1:9/hook' }],
  listSubscriptions: [
    { mid: MID, custId: s.custId },
    { mid: MID, custId: s.custId, subscriptionId: id, detailRequired: true },
  ],
  checkSubscriptionStatus: [
    { mid: MID, subsId: id },
    { mid: MID, subscriptionId: id },
    { mid: MID, subsId: id, custId: s.custId },
    { mid: MID, subsId: id, orderId: s.consentOrderId },
    { mid: MID, subsId: id, orderId: s.noticeOrderId, linkId: '1' },
    { mid: MID, orderId: s.consentOrderId, custId: s.custId },
    { mid: MID, orderid: s.consentOrderId, custId: s.custId },
  ],
  cancelSubscription: [
    { mid: MID, subsId: id },
    { mid: MID, subscriptionId: id, subsId: id },
  ],
  modifySubscriptionStatus: [{ mid: MID, subsId: id, status: 'SUSPENDED' }],
  preNotify: [
    {
      ...{ mid: MID, subscriptionId: id, subsId: id, referenceId: id, orderId: s.free, txnAmount: '100.00', txnDate: '15-06-2026' },
      ...{ txnMessage: 'Milk', merchantName: 'Shop', merchantLogoUrl: '', subscriptionScheduledExecutionDate: NEXT_WEEK },
    },
    { mid: MID, subsId: id, txnAmount: '100.00', txnDate: '22-06-2026', txnMessage: 'Milk', referenceId: s.free },
    { mid: MID, subscriptionId: id, orderId: s.free, txnAmount: money('100.00'), subscriptionScheduledExecutionDate: NEXT_WEEK },
    { mid: MID, subsId: id, txnAmount: '100.00' },
  ],
  preNotifyStatus: [
    { mid: MID, subscriptionId: id, orderId: s.noticeOrderId },
    { mid: MID, subsId: id, referenceId: s.referenceId },
    { mid: MID, subsId: id, paytmReferenceId: s.paytmReferenceId },
  ],
  renewSubscription: [
    { mid: MID, orderId: s.free, subscriptionId: id, txnAmount: money('100.00') },
    {
      requestType: 'RENEW_SUBCRIPTION',
      mid: MID,
      orderId: s.free,
      subscriptionId: id,
      txnAmount: money('100.00'),
      extendInfo: { udf1: 'x' },
    },
  ],
  consultSubscription: [{ mid: MID, subsId: id, amount: '100.00' }],
  editSubscription: [{ mid: MID, subsId: id, renewalAmount: '90.00' }],
})

/** The head with an operation's signature. The sender of a modification also has the order's token. */
const headOf = (name: Name, signature: string, { order }: Subject): object => {
  switch (name) {
    case 'modifyOrder':
      return { tokenType: 'TXN_TOKEN', token: order.txnToken, signature }
    case 'applyPromo':
    case 'createAccessToken':
    case 'fetchAllPaymentOffers':
      return { channelId: 'WEB', tokenType: 'CHECKSUM', token: signature }
    case 'listSubscriptions':
      return { tokenType: 'AES', token: 'x', signature }
    default:
      return { signature }
  }
}

/** Sends a signed body to an operation, as its own clients do. */
export function sendTo(
  service: Service,
  name: Name,
  body: object,
  query: Readonly<Record<string, string>>,
  subject: Subject,
  to: string = operations[name].paths[0],
): Promise<Reply> {
  const { method } = operations[name]
  const text = JSON.stringify(body)
  const signature = sign(text, KEY, 'salt')
  const named = name === 'modifyOrder' ? { ...query, orderId: subject.order.orderId } : query // the token's order
  const path = `${to}?${new URLSearchParams(named)}`
  if (name === 'registerNotificationUrl') return service.call(method, path, { 'x-checksum': signature }, text)
  return service.post(path, `{"head":${JSON.stringify(headOf(name, signature, subject))},"body":${text}}`)
}
