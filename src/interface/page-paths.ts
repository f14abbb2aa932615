// Paths to which payers' browsers are sent. The answer is a page (docs/pages.md).

export const pagePaths = {
  showPaymentPage: '/theia/api/v1/showPaymentPage',
  /** A signed form of an older kit, which makes the order itself. */
  orderForms: ['/theia/processTransaction', '/order/process', '/oltp-web/processTransaction'],
  /** A token and a way to pay, or to agree to a subscription. */
  orderPay: '/order/pay',
  /** Like `orderPay`, for a page of the shop's own. As JSON it is Process Transaction. */
  payByForm: '/theia/api/v1/processTransaction',
  upiPollPage: '/theia/api/v1/upiPollPage',
  /** Apps without a server of their own have the payer brought back here. */
  callbackPage: '/theia/paytmCallback',
  /** A shop's web page loads it, with `.js` behind the mid or without. */
  checkoutScript: '/merchantpgpui/checkoutjs/merchants/:mid',
  /** Its frame holds this page before there is a payment page. */
  frame: '/pay/frame',
} as const

/** Direct Bank Request. A shop's own page sends the bank's one-time password there: docs/interface.md section 4.11. */
export const OTP_PATH = '/theia/api/v1/directBankRequest'

/**
 * Leads on to a bank's page that opens by GET. Shops and pages send a form there, as to any other bank (docs/interface.md section 4.10).
 */
export const BANK_PAGE_PATH = '/transaction/bank'
