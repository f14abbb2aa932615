// Every operation, in the order of docs/interface.md section 1. Each describes itself at the end of its own file.

import type { TObject } from 'typebox'
import type { ServedOperation } from '../http/handler.ts'
import type { SignedList } from '../interface/signed-members.ts'
import type { ApiParts } from './kit/api-parts.ts'
import type { Descriptor } from './kit/descriptor.ts'
import { operation as registerNotificationUrl } from './merchant/register-notification-url.ts'
import { operation as closeOrder } from './order/close-order.ts'
import { operation as createOrder } from './order/create-order.ts'
import { operation as modifyOrder } from './order/modify-order.ts'
import { operation as sendCheckoutOtp } from './order/send-checkout-otp.ts'
import { operation as validateCheckoutOtp } from './order/validate-checkout-otp.ts'
import { operation as fetchBalanceInfo } from './payment-options/fetch-balance-info.ts'
import { operation as fetchBinDetail } from './payment-options/fetch-bin-detail.ts'
import { operation as fetchEmiDetail } from './payment-options/fetch-emi-detail.ts'
import { operation as fetchNbPaymentChannels } from './payment-options/fetch-nb-payment-channels.ts'
import { operation as fetchPaymentOptions } from './payment-options/fetch-payment-options.ts'
import { operation as validateVpa } from './payment-options/validate-vpa.ts'
import { operation as applyPromo } from './promotion/apply-promo.ts'
import { operation as createAccessToken } from './promotion/create-access-token.ts'
import { operation as fetchAllPaymentOffers } from './promotion/fetch-payment-offers.ts'
import { operation as applyRefund } from './refund/apply-refund.ts'
import { operation as refundList } from './refund/refund-list.ts'
import { operation as refundStatus } from './refund/refund-status.ts'
import { operation as refreshToken } from './signin/refresh-token.ts'
import { operation as revokeToken } from './signin/revoke-token.ts'
import { operation as sendOtp } from './signin/send-otp.ts'
import { operation as userDetails } from './signin/user-details.ts'
import { operation as validateOtp } from './signin/validate-otp.ts'
import { operation as cancelSubscription } from './subscription/cancel-subscription.ts'
import { operation as checkSubscriptionStatus } from './subscription/check-subscription-status.ts'
import { operation as consultSubscription } from './subscription/consult-subscription.ts'
import { operation as editSubscription } from './subscription/edit-subscription.ts'
import { operation as initiateSubscription } from './subscription/initiate-subscription.ts'
import { operation as listSubscriptions } from './subscription/list-subscriptions.ts'
import { operation as modifySubscriptionStatus } from './subscription/modify-subscription-status.ts'
import { operation as preNotify } from './subscription/pre-notify.ts'
import { operation as preNotifyStatus } from './subscription/pre-notify-status.ts'
import { operation as renewSubscription } from './subscription/renew-subscription.ts'
import { operation as directBankRequest } from './transaction/direct-bank-request.ts'
import { operation as orderList } from './transaction/order-list.ts'
import { operation as orderStatus } from './transaction/order-status.ts'
import { operation as processTransaction } from './transaction/process-transaction.ts'
import { operation as transactionStatus } from './transaction/transaction-status.ts'

export const operations = {
  validateOtp,
  listSubscriptions,
  createOrder,
  modifyOrder,
  initiateSubscription,
  sendOtp,
  applyPromo,
  createAccessToken,
  processTransaction,
  directBankRequest,
  orderStatus,
  closeOrder,
  applyRefund,
  refundStatus,
  orderList,
  refundList,
  registerNotificationUrl,
  refreshToken,
  revokeToken,
  userDetails,
  sendCheckoutOtp,
  validateCheckoutOtp,
  fetchPaymentOptions,
  fetchBinDetail,
  validateVpa,
  fetchAllPaymentOffers,
  checkSubscriptionStatus,
  cancelSubscription,
  modifySubscriptionStatus,
  preNotify,
  preNotifyStatus,
  renewSubscription,
  consultSubscription,
  editSubscription,
  transactionStatus,
  fetchBalanceInfo,
  fetchNbPaymentChannels,
  fetchEmiDetail,
} as const satisfies Readonly<Record<string, Descriptor>>

export type OperationName = keyof typeof operations

const all: readonly Descriptor[] = Object.values(operations)

/** The members that a signed body may have, by operation: docs/interface.md section 5.1. */
export const signedLists: ReadonlyMap<string, SignedList> = new Map(
  all.flatMap(({ name, signs, wire }) => {
    if (!signs) return []
    const { strict = false, passesOver = [], refuses = [] } = signs
    const members = new Set([...Object.keys((wire!.body as TObject).properties), ...passesOver]).difference(new Set(refuses))
    return [[name, { members, isStrict: strict }] as const]
  }),
)
const known = new Set([...signedLists.values()].flatMap(({ members }) => [...members]))

/** Members of other operations only. A body with one of them was signed for another operation. */
export function foreignTo(name: string): ReadonlySet<string> {
  const own = signedLists.get(name)
  return own?.isStrict ? known.difference(own.members) : NONE
}
const NONE: ReadonlySet<string> = new Set()

export const servedOperations = (parts: ApiParts): ServedOperation[] =>
  all.map((operation) => ({ ...operation, foreign: foreignTo(operation.name), answer: operation.handler(parts) }))
