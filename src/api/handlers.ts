// Every operation's handler, by the names of interface/operations.ts.

import type { Edge } from '../flows/edge.ts'
import { checkoutHandlers } from './checkout-otp.ts'
import { listHandlers } from './lists.ts'
import { mandateHandlers } from './manage-subscription.ts'
import { merchantHandlers } from './notification-url.ts'
import { orderHandlers } from './order.ts'
import { payHandlers } from './payment.ts'
import { paymentOptionsHandlers } from './payment-options.ts'
import { promotionHandlers } from './promotion.ts'
import { refundHandlers } from './refund.ts'
import { type SignInParts, signInHandlers } from './sign-in.ts'
import { subscriptionHandlers } from './subscription.ts'

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
