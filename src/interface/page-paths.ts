// Where payers' browsers are sent: the answer is a page (docs/pages.md).

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

/** Direct Bank Request, to which a shop's own page hands the bank's one-time password: docs/interface.md section 4.11. */
export const OTP_PATH = '/theia/api/v1/directBankRequest'

/** On to a bank's page that opens by GET: shops and pages send a form there, as to any other bank (docs/interface.md section 4.10). */
export const BANK_PAGE_PATH = '/transaction/bank'
