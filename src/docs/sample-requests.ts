// One request of each operation, as a shop of the demo merchant would send it. A word in braces stands for what only the reader knows.

import { dateInIndia } from '../engine/clock.ts'
import { BODY_BYTES_MAX } from '../interface/envelope.ts'
import type { operations } from '../interface/operations.ts'

export type OperationName = keyof typeof operations

/** What a sample may leave open. `orderId` and `referenceId` are made anew; the others come with an earlier reply. */
export const KNOWN = [
  ...['orderId', 'referenceId', 'txnToken', 'accessToken', 'txnId', 'refId', 'subscriptionId', 'noticeReference', 'stateToken', 'otp'],
  ...['ssoToken', 'refreshToken', 'startDate', 'expiryDate', 'fromDate', 'toDate'],
] as const
export type Known = Readonly<Partial<Record<string, string>>>

export interface Sample {
  query?: Known
  headers?: Known
  /** Of an envelope; a flat message has none. `{signature}` is over the body's own text. */
  head?: Readonly<Record<string, string>>
  body?: object
}

export const SAMPLE_MID = 'DEMO0000000000000001' // docs/sandbox.md, "The world"
export const SAMPLE_KEY = 'ABCDEFGHIJKLMNOP'

const mid = SAMPLE_MID
const orderId = '{orderId}'
const subsId = '{subscriptionId}'
const order = { mid, orderId }
const ofOrder = { query: order }
const signed = { head: { signature: '{signature}' } }
const byToken = { ...ofOrder, head: { txnToken: '{txnToken}' } }
const checksum = { tokenType: 'CHECKSUM', token: '{signature}' }
const rupees = (value: string) => ({ value, currency: 'INR' })

const DEVICE = { 'x-device-identifier': 'device-1' }
const CLIENT = { authorization: 'Basic ZGVtby1hcHA6ZGVtby1zZWNyZXQ=' } // demo-app:demo-secret
const signIn = { query: { locale: 'en-IN' }, headers: { ...CLIENT, ...DEVICE } }
const ofSubscription = { ...signed, body: { mid, subsId } }

export const samples: Readonly<Record<OperationName, Sample>> = {
  createOrder: {
    ...ofOrder,
    ...signed,
    body: { requestType: 'PAYMENT', ...order, txnAmount: rupees('499.00'), userInfo: { custId: 'CUST_1' }, websiteName: 'DEFAULT' },
  },
  modifyOrder: { ...ofOrder, head: { tokenType: 'TXN_TOKEN', token: '{txnToken}' }, body: { txnAmount: rupees('449.00') } },
  processTransaction: { ...byToken, body: { ...order, paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122032' } },
  directBankRequest: { ...byToken, body: { ...order, requestType: 'submit', otp: '123123' } },
  orderStatus: { ...signed, body: order },
  transactionStatus: { head: { tokenType: 'TXN_TOKEN', token: '{txnToken}' }, body: order },
  closeOrder: { ...signed, body: { requestType: 'CLOSE', ...order } },
  applyRefund: { ...signed, body: { ...order, txnType: 'REFUND', txnId: '{txnId}', refId: '{refId}', refundAmount: '499.00' } },
  refundStatus: { ...signed, body: { ...order, refId: '{refId}' } },
  orderList: { ...signed, body: { mid, fromDate: '{fromDate}', toDate: '{toDate}', orderSearchType: 'TRANSACTION' } },
  refundList: { ...signed, body: { mid, startDate: '{fromDate}', endDate: '{toDate}' } },
  sendCheckoutOtp: { ...byToken, body: { mobileNo: '9999900001' } },
  validateCheckoutOtp: { ...byToken, body: { otp: '{otp}' } },
  fetchPaymentOptions: { ...byToken, body: order },
  fetchBinDetail: { ...byToken, body: { bin: '41111111' } },
  validateVpa: { ...byToken, body: { vpa: 'asha@upi' } },
  fetchBalanceInfo: { ...byToken, body: { paymentMode: 'BALANCE' } },
  fetchNbPaymentChannels: { ...byToken, body: { type: 'MERCHANT' } },
  fetchEmiDetail: { ...byToken, body: { channelCode: 'HDFC,ICICI' } },
  createAccessToken: {
    query: { mid, referenceId: '{referenceId}' },
    head: checksum,
    body: { mid, referenceId: '{referenceId}' },
  },
  applyPromo: {
    query: { mid },
    head: { channelId: 'WEB', ...checksum },
    body: {
      ...{ mid, promocode: 'CARD10', totalTransactionAmount: '499.00' },
      paymentOptions: [{ transactionAmount: '499.00', payMethod: 'CREDIT_CARD', cardNo: '41111111' }],
    },
  },
  fetchAllPaymentOffers: { query: { mid }, head: checksum, body: { mid } },
  initiateSubscription: {
    ...ofOrder,
    ...signed,
    body: {
      ...{ requestType: 'NATIVE_SUBSCRIPTION', ...order, websiteName: 'DEFAULT', txnAmount: rupees('1.00') },
      ...{ userInfo: { custId: 'CUST_1' }, subscriptionAmountType: 'FIX', renewalAmount: '199.00' },
      ...{ subscriptionFrequencyUnit: 'MONTH', subscriptionStartDate: '{startDate}', subscriptionGraceDays: '2' },
      ...{ subscriptionExpiryDate: '{expiryDate}', subscriptionEnableRetry: '1' },
    },
  },
  listSubscriptions: {
    head: { signature: '{signature}', tokenType: 'AES', token: '{ssoToken}' },
    body: { mid, custId: 'CUST_1' },
  },
  checkSubscriptionStatus: ofSubscription,
  cancelSubscription: ofSubscription,
  modifySubscriptionStatus: { ...signed, body: { mid, subsId, status: 'SUSPENDED' } },
  preNotify: { ...signed, body: { mid, subsId, txnAmount: '199.00', referenceId: '{noticeReference}' } },
  preNotifyStatus: { ...signed, body: { mid, subsId, referenceId: '{noticeReference}' } },
  renewSubscription: { ...ofOrder, ...signed, body: { ...order, subscriptionId: subsId, txnAmount: rupees('199.00') } },
  consultSubscription: { ...signed, body: { mid, subsId, amount: '199.00' } },
  editSubscription: { ...signed, body: { mid, subsId, renewalAmount: '249.00' } },
  registerNotificationUrl: {
    headers: { 'x-checksum': '{signature}' },
    body: { mid, queryParam: 'notificationUrls', paymentNotificationUrl: 'http://127.0.0.1:9000/notify' },
  },
  sendOtp: { ...signIn, body: { phone: '9999900001', scopes: ['wallet'] } },
  validateOtp: { ...signIn, body: { state_token: '{stateToken}', otp: '{otp}' } },
  refreshToken: { headers: CLIENT, body: { grantType: 'refresh_token', refreshToken: '{refreshToken}', deviceId: 'device-1' } },
  revokeToken: { headers: { ...CLIENT, ...DEVICE, session_token: '{ssoToken}' } },
  userDetails: { headers: { session_token: '{ssoToken}' } },
}

/** What can be said without an earlier reply; `chance` makes names that nobody has used. */
export function knownAt(now: number, chance: string): Known {
  const today = Temporal.PlainDate.from(dateInIndia(now))
  return {
    orderId: `ORDER_${chance}`,
    referenceId: `REF_${chance}`.slice(0, 20),
    refId: `REFUND_${chance}`,
    noticeReference: `NOTICE_${chance}`,
    startDate: today.add({ months: 1 }).toString(),
    expiryDate: today.add({ years: 1 }).toString(),
    fromDate: `${today.subtract({ days: 7 })}T00:00:00+05:30`,
    toDate: `${today}T23:59:59+05:30`,
  }
}

const MARKER = /\{([a-zA-Z]+)\}/g
/**
 * Puts what is known into JSON, in the place of its word in braces; what is not becomes a word of capitals: `TXN_TOKEN`. Words that
 * would make it longer than a request may be stay as they are.
 */
export function filled(json: string, known: Known): string {
  let room = BODY_BYTES_MAX - json.length
  return json.replace(MARKER, (whole, name: string) => {
    if (name === 'signature' || room < 0) return whole
    const value = inJson((Object.hasOwn(known, name) ? known[name] : undefined) ?? placeholder(name))
    room -= value.length
    return room < 0 ? whole : value
  })
}
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
export const placeholder = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()

/** The words in braces of a sample, in the order in which a reader meets them. */
export function wantedBy({ query, headers, head, body }: Sample): readonly string[] {
  const text = [query, headers, head, body].map((part) => JSON.stringify(part ?? {})).join('')
  const names = [...text.matchAll(MARKER)].map(([, name]) => name!).filter((name) => name !== 'signature')
  return [...new Set(names)]
}
