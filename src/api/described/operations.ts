// Every operation's schemas, by the names of interface/operations.ts.

import type { TObject, TSchema } from 'typebox'
import * as register from '../../domain/merchant/register-notification-url.ts'
import * as closeOrder from '../../domain/order/close-order.ts'
import * as createOrder from '../../domain/order/create-order.ts'
import * as modifyOrder from '../../domain/order/modify-order.ts'
import * as sendCheckoutOtp from '../../domain/order/send-checkout-otp.ts'
import * as validateCheckoutOtp from '../../domain/order/validate-checkout-otp.ts'
import * as fetchBalanceInfo from '../../domain/payment-options/fetch-balance-info.ts'
import * as fetchBinDetail from '../../domain/payment-options/fetch-bin-detail.ts'
import * as fetchEmiDetail from '../../domain/payment-options/fetch-emi-detail.ts'
import * as fetchNbPaymentChannels from '../../domain/payment-options/fetch-nb-payment-channels.ts'
import * as fetchPaymentOptions from '../../domain/payment-options/fetch-payment-options.ts'
import * as options from '../../domain/payment-options/options-reply.ts'
import * as validateVpa from '../../domain/payment-options/validate-vpa.ts'
import * as applyPromo from '../../domain/promotion/apply-promo.ts'
import * as createAccessToken from '../../domain/promotion/create-access-token.ts'
import * as fetchAllPaymentOffers from '../../domain/promotion/fetch-payment-offers.ts'
import * as applyRefund from '../../domain/refund/apply-refund.ts'
import * as refundList from '../../domain/refund/refund-list.ts'
import * as refundStatus from '../../domain/refund/refund-status.ts'
import * as refreshToken from '../../domain/signin/refresh-token.ts'
import * as sendOtp from '../../domain/signin/send-otp.ts'
import * as userDetails from '../../domain/signin/user-details.ts'
import * as validateOtp from '../../domain/signin/validate-otp.ts'
import * as cancelSubscription from '../../domain/subscription/cancel-subscription.ts'
import * as checkSubscriptionStatus from '../../domain/subscription/check-subscription-status.ts'
import * as consultSubscription from '../../domain/subscription/collection/consult-subscription.ts'
import * as renewSubscription from '../../domain/subscription/collection/renew-subscription.ts'
import * as editSubscription from '../../domain/subscription/edit-subscription.ts'
import * as initiateSubscription from '../../domain/subscription/initiate-subscription.ts'
import * as listSubscriptions from '../../domain/subscription/list-subscriptions.ts'
import * as modifySubscriptionStatus from '../../domain/subscription/modify-subscription-status.ts'
import * as preNotify from '../../domain/subscription/pre-notification/pre-notify.ts'
import * as preNotifyStatus from '../../domain/subscription/pre-notification/pre-notify-status.ts'
import * as directBankRequest from '../../domain/transaction/direct-bank-request.ts'
import * as orderList from '../../domain/transaction/order-list.ts'
import * as orderStatus from '../../domain/transaction/order-status.ts'
import * as processTransaction from '../../domain/transaction/process-transaction.ts'
import * as transactionStatus from '../../domain/transaction/transaction-status.ts'
import type { operations } from '../../interface/operations.ts'
import * as flatRefund from '../older-clients/flat-refund.ts'
import * as flatStatus from '../older-clients/flat-status.ts'
import * as payment from '../transaction/payment-wire.ts'
import * as told from '../transaction/transaction-status.ts'
import * as forms from './forms.ts'

export type NamedOperation = keyof typeof operations

export interface Described {
  /** Of an envelope: its head, its body, and the query parameters that have to be there. Of a flat request the body alone, or nothing. */
  wire?: { head?: TSchema; body: TSchema; query?: readonly string[] | TObject; idsFromSignedBody?: true; mayLackBody?: true }
  form: forms.ReplyForm
  /** What an answer has beside its code. */
  reply: TObject
  /** The names of the rows that come with these members; `success` alone where none is named. */
  answers?: readonly string[]
  /** Rows that come with other members. */
  besides?: Readonly<Record<string, TObject>>
  /** Rows whose HTTP status is the whole reply. */
  empty?: readonly string[]
  /** Another request and reply on all paths but the first: the payment host's. */
  host?: { wire?: Described['wire']; reply?: TObject }
  /** On flat paths: the members of the request and the form of the reply. */
  flat?: { members: ReadonlySet<string>; form: forms.ReplyForm }
}

const { signed, unsigned, managing, signIn } = forms
const nothing = modifyOrder.reply

export const described: Readonly<Record<NamedOperation, Described>> = {
  validateOtp: { ...validateOtp, form: signIn },
  listSubscriptions: { ...listSubscriptions, form: forms.list, answers: ['success', 'noContent'] },
  createOrder: {
    ...createOrder,
    form: forms.naming,
    host: { wire: createOrder.paymentHostWire, reply: createOrder.paymentHostReply },
  },
  modifyOrder: { ...modifyOrder, form: signed },
  initiateSubscription: { ...initiateSubscription, form: signed, host: { wire: initiateSubscription.paymentHostWire } },
  sendOtp: { ...sendOtp, form: signIn },
  applyPromo: { ...applyPromo, form: forms.promo },
  createAccessToken: { ...createAccessToken, form: unsigned },
  processTransaction: { ...processTransaction, reply: payment.reply, form: signed, answers: ['success', 'failed'] },
  directBankRequest: { ...directBankRequest, reply: payment.reply, form: signed, answers: ['success', 'failed'] },
  orderStatus: {
    ...orderStatus,
    form: signed,
    answers: [
      ...['success', 'unconfirmed', 'pending', 'cancelled', 'timedOut', 'undecided', 'declined', 'insufficientFunds'],
      ...['invalidInstrument', 'mandateRevoked', 'mandatePaused', 'notAuthenticated', 'returned'],
    ],
    besides: { noTransaction: orderStatus.replyWithoutAttempt },
    flat: { members: flatStatus.MEMBERS, form: forms.flat(flatStatus.TOLD) },
  },
  closeOrder: { ...closeOrder, form: signed },
  applyRefund: { ...applyRefund, form: signed, flat: { members: flatRefund.MEMBERS, form: forms.flat(flatRefund.TOLD) } },
  refundStatus: { ...refundStatus, form: signed, answers: ['success', 'pending', 'delayed', 'declined'] },
  orderList: { ...orderList, form: signed },
  refundList: { ...refundList, form: forms.listing },
  registerNotificationUrl: { wire: { body: register.body }, reply: register.reply, form: forms.registration },
  refreshToken: { ...refreshToken, form: forms.grant, empty: ['invalidAuthorization'] },
  revokeToken: { reply: nothing, form: forms.grant, empty: ['success', 'badRequest', 'invalidAuthorization', 'systemError'] },
  userDetails: { ...userDetails, form: forms.details },
  sendCheckoutOtp: { ...sendCheckoutOtp, form: forms.named },
  validateCheckoutOtp: { ...validateCheckoutOtp, form: forms.named },
  fetchPaymentOptions: { ...fetchPaymentOptions, reply: options.reply, form: unsigned },
  fetchBinDetail: { ...fetchBinDetail, form: unsigned },
  validateVpa: { ...validateVpa, form: unsigned },
  fetchAllPaymentOffers: { ...fetchAllPaymentOffers, form: forms.offers },
  checkSubscriptionStatus: { ...checkSubscriptionStatus, form: managing },
  cancelSubscription: { ...cancelSubscription, form: managing },
  modifySubscriptionStatus: { ...modifySubscriptionStatus, form: managing },
  preNotify: { ...preNotify, form: managing },
  preNotifyStatus: { ...preNotifyStatus, form: managing },
  renewSubscription: { ...renewSubscription, form: signed },
  consultSubscription: { ...consultSubscription, form: managing },
  editSubscription: { ...editSubscription, form: managing },
  transactionStatus: { ...transactionStatus, reply: told.reply, form: unsigned },
  fetchBalanceInfo: { ...fetchBalanceInfo, form: unsigned },
  fetchNbPaymentChannels: { ...fetchNbPaymentChannels, form: unsigned },
  fetchEmiDetail: { ...fetchEmiDetail, form: unsigned },
}
