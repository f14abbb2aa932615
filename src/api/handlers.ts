// Every operation's handler, by the names of interface/operations.ts.

import type { Edge } from '../flows/edge.ts'
import type { Handler } from '../http/handler.ts'
import { operations } from '../interface/operations.ts'
import { registerNotificationUrlHandler } from './merchant/register-notification-url.ts'
import { flatRefundHandler } from './older-clients/flat-refund.ts'
import { flatStatusHandler } from './older-clients/flat-status.ts'
import { checkoutLimit } from './order/checkout-login.ts'
import { closeOrderHandler } from './order/close-order.ts'
import { createOrderHandler } from './order/create-order.ts'
import { modifyOrderHandler } from './order/modify-order.ts'
import { sendCheckoutOtpHandler } from './order/send-checkout-otp.ts'
import { validateCheckoutOtpHandler } from './order/validate-checkout-otp.ts'
import { fetchBalanceInfoHandler } from './payment-options/fetch-balance-info.ts'
import { fetchBinDetailHandler } from './payment-options/fetch-bin-detail.ts'
import { fetchEmiDetailHandler } from './payment-options/fetch-emi-detail.ts'
import { fetchNbPaymentChannelsHandler } from './payment-options/fetch-nb-payment-channels.ts'
import { fetchPaymentOptionsHandler } from './payment-options/fetch-payment-options.ts'
import { pageCalls } from './payment-options/page-call.ts'
import { validateVpaHandler } from './payment-options/validate-vpa.ts'
import { applyPromoHandler } from './promotion/apply-promo.ts'
import { createAccessTokenHandler } from './promotion/create-access-token.ts'
import { fetchAllPaymentOffersHandler } from './promotion/fetch-payment-offers.ts'
import { applyRefundHandler } from './refund/apply-refund.ts'
import { refundListHandler } from './refund/refund-list.ts'
import { refundStatusHandler } from './refund/refund-status.ts'
import { refreshTokenHandler } from './signin/refresh-token.ts'
import { revokeTokenHandler } from './signin/revoke-token.ts'
import { sendOtpHandler } from './signin/send-otp.ts'
import type { SignInParts } from './signin/sign-in.ts'
import { ceilingsOf } from './signin/sign-in-client.ts'
import { userDetailsHandler } from './signin/user-details.ts'
import { validateOtpHandler } from './signin/validate-otp.ts'
import { cancelSubscriptionHandler } from './subscription/cancel-subscription.ts'
import { checkSubscriptionStatusHandler } from './subscription/check-subscription-status.ts'
import { consultSubscriptionHandler } from './subscription/consult-subscription.ts'
import { editSubscriptionHandler } from './subscription/edit-subscription.ts'
import { initiateSubscriptionHandler } from './subscription/initiate-subscription.ts'
import { listSubscriptionsHandler } from './subscription/list-subscriptions.ts'
import { modifySubscriptionStatusHandler } from './subscription/modify-subscription-status.ts'
import { preNotifyHandler } from './subscription/pre-notify.ts'
import { preNotifyStatusHandler } from './subscription/pre-notify-status.ts'
import { renewSubscriptionHandler } from './subscription/renew-subscription.ts'
import { directBankRequestHandler } from './transaction/direct-bank-request.ts'
import { orderListHandler } from './transaction/order-list.ts'
import { orderStatusHandler } from './transaction/order-status.ts'
import { processTransactionHandler } from './transaction/process-transaction.ts'
import { transactionStatusHandler } from './transaction/transaction-status.ts'

export function handlersOf(edge: Edge, signIn: SignInParts) {
  const ceilings = ceilingsOf(signIn.settings.ceilingPerMinute, edge) // one count for all operations of sign-in
  const limited = checkoutLimit(edge, signIn) // and one for both of the checkout
  const calls = pageCalls(edge) // and one for each token's three calls about one way to pay
  return {
    createOrder: createOrderHandler(edge),
    modifyOrder: modifyOrderHandler(edge),
    closeOrder: closeOrderHandler(edge),
    sendCheckoutOtp: limited(sendCheckoutOtpHandler(edge, signIn)),
    validateCheckoutOtp: limited(validateCheckoutOtpHandler(edge)),

    processTransaction: processTransactionHandler(edge),
    directBankRequest: directBankRequestHandler(edge),
    orderStatus: orFlat(operations.orderStatus.flatPaths, flatStatusHandler(edge), orderStatusHandler(edge)),
    orderList: orderListHandler(edge),
    transactionStatus: transactionStatusHandler(edge),

    applyRefund: orFlat(operations.applyRefund.flatPaths, flatRefundHandler(edge), applyRefundHandler(edge)),
    refundStatus: refundStatusHandler(edge),
    refundList: refundListHandler(edge),

    registerNotificationUrl: registerNotificationUrlHandler(edge),

    fetchPaymentOptions: fetchPaymentOptionsHandler(edge),
    fetchBinDetail: fetchBinDetailHandler(edge),
    validateVpa: validateVpaHandler(edge),
    fetchBalanceInfo: fetchBalanceInfoHandler(edge, calls),
    fetchNbPaymentChannels: fetchNbPaymentChannelsHandler(edge, calls),
    fetchEmiDetail: fetchEmiDetailHandler(edge, calls),

    applyPromo: applyPromoHandler(edge),
    createAccessToken: createAccessTokenHandler(edge),
    fetchAllPaymentOffers: fetchAllPaymentOffersHandler(edge),

    sendOtp: sendOtpHandler(edge, signIn, ceilings),
    validateOtp: validateOtpHandler(edge, signIn, ceilings),
    refreshToken: refreshTokenHandler(edge, signIn.settings, ceilings),
    revokeToken: revokeTokenHandler(edge, ceilings),
    userDetails: userDetailsHandler(edge, ceilings),

    initiateSubscription: initiateSubscriptionHandler(edge),
    listSubscriptions: listSubscriptionsHandler(edge),
    checkSubscriptionStatus: checkSubscriptionStatusHandler(edge),
    cancelSubscription: cancelSubscriptionHandler(edge),
    modifySubscriptionStatus: modifySubscriptionStatusHandler(edge),
    editSubscription: editSubscriptionHandler(edge),
    preNotify: preNotifyHandler(edge),
    preNotifyStatus: preNotifyStatusHandler(edge),
    renewSubscription: renewSubscriptionHandler(edge),
    consultSubscription: consultSubscriptionHandler(edge),
  }
}

/** Some paths of an operation take the flat messages of older clients. */
const orFlat =
  (flatPaths: readonly string[], flat: Handler, envelope: Handler): Handler =>
  (received) =>
    (flatPaths.includes(received.url) ? flat : envelope)(received)
