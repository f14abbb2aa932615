// Which members a signed body has: docs/interface.md section 5.1. A checksum covers the body alone, so only the members of a body
// tell which operation the merchant signed it for.

import type { JsonObject } from './envelope.ts'
import type { operations } from './operations.ts'

type Name = keyof typeof operations
type Lists = Readonly<Partial<Record<Name, ReadonlySet<string>>>>

const list = (members: string): ReadonlySet<string> => new Set(members.trim().split(/\s+/))

/** A body with a member of another list is wrongly signed here. The lists hold what published clients send besides, too. */
const strict = {
  listSubscriptions: list('mid custId subscriptionId subsStatusFilter frequencyUnit detailRequired pageSize pageToken'),
  createAccessToken: list('mid referenceId custId svcSsoToken userInfo requestType'),
  checkSubscriptionStatus: list('mid subsId subscriptionId orderId orderid custId linkId'),
  cancelSubscription: list('mid subsId subscriptionId'),
  modifySubscriptionStatus: list('mid subsId subscriptionId status'),
  preNotify: list(`
    mid subsId subscriptionId txnAmount subscriptionScheduledExecutionDate txnDate referenceId txnMessage orderId invoiceDisplayNo
    merchantName merchantLogoUrl`),
  preNotifyStatus: list('mid subsId subscriptionId referenceId noticeId orderId'),
  renewSubscription: list('mid orderId subscriptionId subsId txnAmount extendInfo debitDate requestType'),
  consultSubscription: list('mid subsId subscriptionId amount debitDate'),
  editSubscription: list('mid subsId subscriptionId renewalAmount subscriptionMaxAmount subscriptionExpiryDate'),
} satisfies Lists

/** These want a value that no other body has, or only read. */
const lenient = {
  createOrder: list(`
    requestType mid orderId txnAmount userInfo enablePaymentMode disablePaymentMode callbackUrl goodsInfo shippingInfo extendInfo
    ssoToken integrationType gatewayInfo websiteName peonUrl txnRoutingParams simplifiedPaymentOffers svcSsoToken`),
  modifyOrder: list('txnAmount goodsInfo shippingInfo extendInfo mid orderId userInfo'),
  initiateSubscription: list(`
    requestType mid orderId websiteName txnAmount userInfo callbackUrl extendInfo subscriptionAmountType subscriptionMaxAmount
    renewalAmount autoRenewal autoRetry communicationManager subscriptionFrequencyUnit subscriptionStartDate subscriptionGraceDays
    subscriptionExpiryDate subscriptionEnableRetry subscriptionRetryCount appInvokeDevice mandateType mandateAccountDetails
    enablePaymentMode disablePaymentMode subscriptionFrequency subscriptionPaymentMode subscriptionPurpose`),
  applyPromo: list('mid custId promocode paymentOptions totalTransactionAmount cartDetails cardTokenInfo'),
  orderStatus: list('mid orderId txnType'),
  closeOrder: list('requestType mid orderId'),
  applyRefund: list(`
    mid txnType orderId txnId refId refundAmount comments preferredDestination subwalletAmount disableMerchantDebitRetry agentInfo
    refundItems extraParamsMap`),
  refundStatus: list('mid orderId refId readTimeOut'),
  orderList: list('mid fromDate toDate orderSearchType orderSearchStatus merchantOrderId payMode pageNumber pageSize isSort'),
  refundList: list('mid startDate endDate pageNum pageSize isSort'),
  registerNotificationUrl: list('mid queryParam paymentNotificationUrl'),
  fetchAllPaymentOffers: list('mid'),
} satisfies Lists

export const signedMembers = { strict, lenient }

const known = new Set(Object.values({ ...strict, ...lenient }).flatMap((members) => [...members]))
/** Every reply of ours has the first and every notification the second; no request has either. */
const OURS = ['resultInfo', 'respCode']

/**
 * Whether this body was signed for something else. We sign replies and notifications with the merchant's key, and their receivers
 * can send them on. Another operation's body has a member that this operation's list lacks.
 */
export function isBorrowed(operation: Name, body: JsonObject): boolean {
  const own = (strict as Lists)[operation]
  return Object.keys(body).some((member) => OURS.includes(member) || (own && known.has(member) && !own.has(member)))
}
