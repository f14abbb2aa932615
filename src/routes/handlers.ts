// Every operation's handler, by the names of interface/operations.ts.

import type { Edge } from '../http/edge.ts'
import { checkoutHandlers } from './checkout-routes.ts'
import { listHandlers } from './list-routes.ts'
import { mandateHandlers } from './mandate-routes.ts'
import { merchantHandlers } from './merchant-routes.ts'
import { orderHandlers } from './order-routes.ts'
import { payHandlers } from './pay-routes.ts'
import { paymentOptionsHandlers } from './payment-options-routes.ts'
import { promotionHandlers } from './promotion-routes.ts'
import { refundHandlers } from './refund-routes.ts'
import { type SignInParts, signInHandlers } from './signin-routes.ts'
import { subscriptionHandlers } from './subscription-routes.ts'

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
