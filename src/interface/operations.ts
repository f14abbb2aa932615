// Every operation on one page. The first path is the interface's own; the others are spellings that clients in use send.

export interface OperationLine {
  method: 'POST' | 'GET' | 'PUT' | 'DELETE'
  paths: readonly string[]
  /** Those of the paths whose requests are flat messages (flat.ts), of any content type, or in the query of a GET. */
  flatPaths?: readonly string[]
  section: string
  /** Takes an Idempotency-Key: docs/interface.md section 4. */
  writes?: true
  /** Called from the payer's own page, on whatever host that is: docs/interface.md section 4, "Browsers". */
  browser?: true
  /** Called by whoever holds an order's token, the payer too: the keys are then the order's, else the merchant's. */
  byOrder?: true
  file: string
}

const FLAT_STATUS_PATHS = ['/order/status', '/merchant-status/getTxnStatus', '/oltp/HANDLER_INTERNAL/getTxnStatus'] as const
const FLAT_REFUND_PATHS = ['/refund/HANDLER_INTERNAL/REFUND', '/oltp/HANDLER_INTERNAL/REFUND'] as const

export const operations = {
  validateOtp: {
    method: 'POST',
    paths: ['/v4/signin/validate/otp/sv1'],
    section: '4.1',
    file: 'domain/signin/validate-otp.ts',
    writes: true,
  },
  listSubscriptions: {
    method: 'POST',
    paths: ['/subscription/list/all'],
    section: '4.2',
    file: 'domain/subscription/list-subscriptions.ts',
  },
  createOrder: {
    method: 'POST',
    paths: ['/aoa-acquiring-biz/v2/order', '/theia/api/v1/initiateTransaction', '/theia/api/v1/initiateTransaction/', '/order/initiate'],
    section: '4.5',
    file: 'domain/order/create-order.ts',
    writes: true,
  },
  modifyOrder: {
    method: 'POST',
    paths: ['/aoa-acquiring-biz/v2/modifyOrder', '/theia/api/v1/updateTransactionDetail'],
    section: '4.3',
    file: 'domain/order/modify-order.ts',
    writes: true,
    byOrder: true,
  },
  initiateSubscription: {
    method: 'POST',
    paths: ['/subscription/create', '/theia/api/v1/subscription/create'],
    section: '4.6',
    file: 'domain/subscription/initiate-subscription.ts',
    writes: true,
  },
  sendOtp: {
    method: 'POST',
    paths: ['/v4/signin/otp/sv1'],
    section: '4.7',
    file: 'domain/signin/send-otp.ts',
    writes: true,
  },
  applyPromo: {
    method: 'POST',
    paths: ['/theia/api/v2/applyPromo'],
    section: '4.4',
    file: 'domain/promotion/apply-promo.ts',
    browser: true,
  },
  createAccessToken: {
    method: 'POST',
    paths: ['/theia/api/v1/token/create'],
    section: '4.8',
    file: 'domain/promotion/create-access-token.ts',
    writes: true,
  },
  processTransaction: {
    method: 'POST',
    paths: ['/theia/api/v1/processTransaction', '/aoa-acquiring-biz/v2/pay'],
    section: '4.10',
    file: 'domain/transaction/process-transaction.ts',
    writes: true,
    browser: true,
    byOrder: true,
  },
  directBankRequest: {
    method: 'POST',
    paths: ['/theia/api/v1/directBankRequest'],
    section: '4.11',
    file: 'domain/transaction/direct-bank-request.ts',
    writes: true,
    browser: true,
    byOrder: true,
  },
  orderStatus: {
    method: 'POST',
    paths: ['/v3/order/status', '/merchant-status/api/v1/getPaymentStatus', ...FLAT_STATUS_PATHS],
    flatPaths: FLAT_STATUS_PATHS,
    section: '4.12',
    file: 'domain/transaction/order-status.ts',
  },
  closeOrder: {
    method: 'POST',
    paths: ['/v1/order/close'],
    section: '4.13',
    file: 'domain/order/close-order.ts',
    writes: true,
  },
  applyRefund: {
    method: 'POST',
    paths: ['/refund/apply', '/refund/api/v1/async/refund', ...FLAT_REFUND_PATHS],
    flatPaths: FLAT_REFUND_PATHS,
    section: '4.14',
    file: 'domain/refund/apply-refund.ts',
    writes: true,
  },
  refundStatus: {
    method: 'POST',
    paths: ['/v2/refund/status', '/refund/api/v1/refundStatus'],
    section: '4.15',
    file: 'domain/refund/refund-status.ts',
  },
  orderList: {
    method: 'POST',
    paths: ['/merchant-passbook/search/list/order/v2'],
    section: '4.16',
    file: 'domain/transaction/order-list.ts',
  },
  refundList: {
    method: 'POST',
    paths: ['/merchant-passbook/api/v1/refundList'],
    section: '4.17',
    file: 'domain/refund/refund-list.ts',
  },
  registerNotificationUrl: {
    method: 'PUT',
    paths: ['/api/v1/external/putMerchantInfo'],
    section: '4.18',
    file: 'domain/merchant/register-notification-url.ts',
  },
  refreshToken: {
    method: 'POST',
    paths: ['/oauth2/v3/token/sv1'],
    section: '4.20',
    file: 'domain/signin/refresh-token.ts',
  },
  revokeToken: {
    method: 'DELETE',
    paths: ['/oauth2/token/sv1'],
    section: '4.21',
    file: 'domain/signin/revoke-token.ts',
  },
  userDetails: {
    method: 'GET',
    paths: ['/user/details'],
    section: '4.22',
    file: 'domain/signin/user-details.ts',
  },
  sendCheckoutOtp: {
    method: 'POST',
    paths: ['/login/sendOtp', '/aoa-pay-option-service/v2/otp/generate'],
    section: '4.23',
    file: 'domain/order/send-checkout-otp.ts',
    writes: true,
    browser: true,
    byOrder: true,
  },
  validateCheckoutOtp: {
    method: 'POST',
    paths: ['/login/validateOtp', '/aoa-pay-option-service/v2/otp/verify'],
    section: '4.24',
    file: 'domain/order/validate-checkout-otp.ts',
    writes: true,
    browser: true,
    byOrder: true,
  },
  fetchPaymentOptions: {
    method: 'POST',
    paths: ['/theia/api/v2/fetchPaymentOptions', '/theia/api/v1/fetchPaymentOptions', '/fetchPaymentOptions'],
    section: '4.30',
    file: 'domain/payment-options/fetch-payment-options.ts',
    browser: true,
  },
  fetchBinDetail: {
    method: 'POST',
    paths: ['/theia/api/v1/fetchBinDetail', '/fetchBinDetail'],
    section: '4.31',
    file: 'domain/payment-options/fetch-bin-detail.ts',
    browser: true,
  },
  validateVpa: {
    method: 'POST',
    paths: ['/theia/api/v1/vpa/validate', '/theia/api/v1/validateVPA'],
    section: '4.32',
    file: 'domain/payment-options/validate-vpa.ts',
    browser: true,
  },
  fetchAllPaymentOffers: {
    method: 'POST',
    paths: ['/theia/api/v1/fetchAllPaymentOffers'],
    section: '4.33',
    file: 'domain/promotion/fetch-payment-offers.ts',
  },
  checkSubscriptionStatus: {
    method: 'POST',
    paths: ['/subscription/checkStatus', '/subscription/subscription/checkStatus'],
    section: '4.34',
    file: 'domain/subscription/check-subscription-status.ts',
  },
  cancelSubscription: {
    method: 'POST',
    paths: ['/subscription/cancel', '/subscription/subscription/cancel'],
    section: '4.35',
    file: 'domain/subscription/cancel-subscription.ts',
    writes: true,
  },
  modifySubscriptionStatus: {
    method: 'POST',
    paths: ['/subscription/status/modify', '/subscription/subscription/status/modify'],
    section: '4.36',
    file: 'domain/subscription/modify-subscription-status.ts',
    writes: true,
  },
  preNotify: {
    method: 'POST',
    paths: ['/subscription/preNotify'],
    section: '4.37',
    file: 'domain/subscription/pre-notification/pre-notify.ts',
    writes: true,
  },
  preNotifyStatus: {
    method: 'POST',
    paths: ['/subscription/preNotify/status'],
    section: '4.38',
    file: 'domain/subscription/pre-notification/pre-notify-status.ts',
  },
  renewSubscription: {
    method: 'POST',
    paths: ['/subscription/renew'],
    section: '4.39',
    file: 'domain/subscription/collection/renew-subscription.ts',
    writes: true,
  },
  consultSubscription: {
    method: 'POST',
    paths: ['/subscription/consult'],
    section: '4.40',
    file: 'domain/subscription/collection/consult-subscription.ts',
  },
  editSubscription: {
    method: 'POST',
    paths: ['/subscription/edit'],
    section: '4.41',
    file: 'domain/subscription/edit-subscription.ts',
    writes: true,
  },
  transactionStatus: {
    method: 'POST',
    paths: ['/theia/v1/transactionStatus'],
    section: '4.42',
    file: 'domain/transaction/transaction-status.ts',
    browser: true,
  },
  fetchBalanceInfo: {
    method: 'POST',
    paths: ['/userAsset/fetchBalanceInfo', '/theia/api/v1/fetchBalanceInfo'],
    section: '4.43',
    file: 'domain/payment-options/fetch-balance-info.ts',
    browser: true,
  },
  fetchNbPaymentChannels: {
    method: 'POST',
    paths: ['/theia/api/v1/fetchNBPaymentChannels'],
    section: '4.44',
    file: 'domain/payment-options/fetch-nb-payment-channels.ts',
    browser: true,
  },
  fetchEmiDetail: {
    method: 'POST',
    paths: ['/theia/api/v1/fetchEMIDetail'],
    section: '4.45',
    file: 'domain/payment-options/fetch-emi-detail.ts',
    browser: true,
  },
} as const satisfies Record<string, OperationLine>

/** Where payers' browsers are sent: the answer is a page. Docs/pages.md. */
export const pagePaths = {
  showPaymentPage: '/theia/api/v1/showPaymentPage',
  /** A signed form of an older kit, which makes the order itself. */
  orderForms: ['/theia/processTransaction', '/order/process', '/oltp-web/processTransaction'],
  /** A token and a way to pay, or to agree to a subscription. */
  orderPay: '/order/pay',
  /** The same, of a page of the shop's own; as JSON it is Process Transaction. */
  payByForm: '/theia/api/v1/processTransaction',
  upiPollPage: '/theia/api/v1/upiPollPage',
  /** Where apps without a server of their own have the payer brought back. */
  callbackPage: '/theia/paytmCallback',
  /** What a shop's web page loads, with `.js` behind the mid or without. */
  checkoutScript: '/merchantpgpui/checkoutjs/merchants/:mid',
  /** What its frame holds before there is a payment page. */
  frame: '/pay/frame',
} as const
