// Paths to which payers' browsers are sent. The answer is a page (docs/pages.md).

export const pagePaths = {
  showPaymentPage: '/theia/api/v1/showPaymentPage',
  /** Take an older kit's signed form, which also creates the order. */
  orderForms: ['/theia/processTransaction', '/order/process', '/oltp-web/processTransaction'],
  /** Takes a token, and a way to pay or to agree to a subscription. */
  orderPay: '/order/pay',
  /** Like `orderPay`, for a page of the shop's own. With JSON this path is Process Transaction. */
  payByForm: '/theia/api/v1/processTransaction',
  upiPollPage: '/theia/api/v1/upiPollPage',
  /** Brings the payer back to an app that has no server of its own. */
  callbackPage: '/theia/paytmCallback',
  /** The script that a shop's web page loads. `.js` may follow the mid. */
  checkoutScript: '/merchantpgpui/checkoutjs/merchants/:mid',
  /** The script's frame holds this page until the payment page opens. */
  frame: '/pay/frame',
} as const

/** Direct Bank Request. A shop's own page sends the bank's one-time password there: docs/interface.md section 4.11. */
export const OTP_PATH = '/theia/api/v1/directBankRequest'

/**
 * Redirects to a bank's page that opens by GET. Shops and pages send a form to this path, as to any other bank (docs/interface.md section
 * 4.10).
 */
export const BANK_PAGE_PATH = '/transaction/bank'
