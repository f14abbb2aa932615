// Every operation's handler, by the names of interface/operations.ts.

import type { Edge } from '../flows/edge.ts'
import { merchantHandlers } from './merchant/register-notification-url.ts'
import { orderHandlers } from './order/create-order.ts'
import { checkoutHandlers } from './order/send-checkout-otp.ts'
import { paymentOptionsHandlers } from './payment-options/fetch-payment-options.ts'
import { promotionHandlers } from './promotion/apply-promo.ts'
import { refundHandlers } from './refund/apply-refund.ts'
import { type SignInParts, signInHandlers } from './signin/sign-in.ts'
import { subscriptionHandlers } from './subscription/initiate-subscription.ts'
import { mandateHandlers } from './subscription/manage-request.ts'
import { listHandlers } from './transaction/order-list.ts'
import { payHandlers } from './transaction/process-transaction.ts'

export const handlersOf = (edge: Edge, signIn: SignInParts) => ({
  ...orderHandlers(edge),
  ...payHandlers(edge),
  ...refundHandlers(edge),
  ...listHandlers(edge),
  ...merchantHandlers(edge),
  ...paymentOptionsHandlers(edge),
  ...promotionHandlers(edge),
  ...signInHandlers(edge, signIn),
  ...checkoutHandlers(edge, signIn),
  ...subscriptionHandlers(edge),
  ...mandateHandlers(edge),
})
