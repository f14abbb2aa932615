// Every result code of every operation, in the order of docs/interface.md section 7. Codes that no caller sees stand with their decisions:
// `ownCodes` of result-code.ts. test/house/interface.test.ts fails when a row here and its row in that section differ. Each row has a name
// of its own, because the interface uses one number for several meanings (4001, 2022, 1012).

import { F, FAILURE, PENDING, resultCodes, S, SUCCESS, TXN_FAILURE, TXN_SUCCESS, U } from './result-code.ts'

export type { ResultCode } from './result-code.ts'

export const validateOtp = resultCodes('validateOtp', {
  success: SUCCESS('BE1400001', 'Success'),
  badRequest: FAILURE('434', 'Bad request'),
  invalidAuthorization: FAILURE('BE1423005', 'Invalid Authorization'),
  clientMismatch: FAILURE('BE1423011', 'Authorization client and state token client mismatch'),
  deviceMissing: FAILURE('BE1423012', 'Device Identifier is missing'),
  deviceMismatch: FAILURE('BE1423013', 'Device Identifier is mismatch'),
  pendingVerification: FAILURE('BE1425004', 'Mobile number is already pending for verification; retry after 48 hours'),
  scopeNotAllowed: FAILURE('BE1425005', 'Scope not allowed'),
  wrongOtp: FAILURE('BE1425007', 'Please enter a valid OTP'),
  attemptsExceeded: FAILURE('BE1425008', 'Attempts for entering a valid OTP exceeded; request a new OTP'),
})

export const listSubscriptions = resultCodes('listSubscriptions', {
  success: SUCCESS('3006', 'SUCCESS'),
  noContent: SUCCESS('200', 'NO CONTENT FOUND'),
  badRequest: FAILURE('400', 'request cannot be validated'),
  systemError: FAILURE('500', 'System Error'),
})

export const modifyOrder = resultCodes('modifyOrder', {
  success: S('0000', 'Success'),
  invalidToken: F('1006', 'token expired or invalid'),
  systemError: F('501', 'System Error'),
  midMismatch: F('2013', 'different mid in create and modify requests'),
  orderIdMismatch: F('2014', 'different orderId in create and modify requests'),
  illegalParameter: F('1011', 'Parameter illegal'),
  invalidBody: F('2222', 'Invalid request body'),
  invalidField: F(
    '1001',
    'request parameters not valid; for an invalid value the message is `Invalid <field name>` (e.g. tokenType, currency)',
  ),
  missingParam: F('1012', 'param missing'),
  transactionInProcess: F('1111', 'modification not allowed, transaction already in process'),
  invalidTxnAmount: F('2007', 'Txn amount is invalid'),
  orderClosed: F('410', 'order status is closed'),
  orderPaid: F('201', 'order is paid'),
})

export const applyPromo = resultCodes('applyPromo', {
  success: S('00000000', 'Success'),
  systemError: F('9999', 'Something went wrong'),
  noActivePromo: F('1012', 'No promo code currently active on the merchant'),
  invalidField: F('1001', 'Request parameters are not valid'),
  sessionExpired: F('1006', 'Session expired'),
  invalidChecksum: F('2005', 'Checksum provided is invalid'),
})

export const createOrder = resultCodes('createOrder', {
  success: S('0000', 'Success'),
  systemError: F('501', 'System Error'),
  midMismatch: F('2013', 'mid in query differs from mid in request'),
  orderIdMismatch: F('2014', 'orderId in query differs from orderId in request'),
  invalidField: F('1001', 'request parameters not valid; message `Invalid <field name>`'),
  missingElement: F('1007', 'Missing mandatory element'),
  invalidTxnAmount: F('2007', 'Txn amount is invalid'),
  invalidMid: F('2006', 'Mid is invalid'),
  duplicateOrderId: F('324', 'Duplicate Order Id'),
  illegalParameter: F('1011', "Parameter illegal; message form `Parameter '[<field path>]' has invalid value '[<value>]'`"),
  invalidOrderId: F('2012', 'OrderId is invalid'),
  invalidBody: F('2222', 'Invalid request body'),
  invalidChecksum: F('2005', 'Checksum provided is invalid'),
  missingParam: F('1012', 'Param missing'),
})

export const initiateSubscription = resultCodes('initiateSubscription', {
  success: S('0000', 'Subscription initiated successfully'),
  systemError: U('900', 'System error'),
  missingElement: F('1007', 'Missing mandatory element'),
  pipeCharacter: F('1008', 'Pipe character is not allowed'),
  invalidSsoToken: F('2004', 'SSO Token is invalid'),
  invalidChecksum: F('2005', 'Checksum provided is invalid'),
  invalidTxnAmount: F('2007', 'Txn amount is invalid'),
  duplicateOrderId: F('2009', 'Duplicate request, same orderId already in progress'),
  midMismatch: F('2013', 'mid in query differs from mid in request'),
  orderIdMismatch: F('2014', 'orderId in query differs from orderId in request'),
  invalidPaymentMode: F('2022', 'Invalid Subs payment mode'),
  paymentModeNotEnabled: F('2022', 'Paymode not enabled for the merchant account'),
  invalidStartDate: F('4001', 'Invalid Subscription start date'),
  invalidFrequencyUnit: F('4001', 'Invalid Frequency Unit'),
  invalidAmountType: F('4001', 'Invalid Subscription Amount Type'),
  invalidMaxAmount: F('4001', 'Invalid Max Amount'),
  graceDaysTooLong: F('4001', 'Grace days greater than the frequency'),
  bankMandateAmountNotZero: F('4001', 'Txn Amount can not be non-zero for Bank Mandates'),
  invalidAppInvokeDevice: F('4001', 'Invalid AppInvokeDevice'),
  graceDaysMissing: F('4001', 'Grace days value is mandatory'),
  maxAmountOverLimit: F('4004', 'Max amount greater than the permissible limit for available paymodes'),
  addAndPayNotAllowed: F('4006', 'Add and Pay payments not allowed for this subscription'),
  txnAmountOverMaxAmount: F('00000900', 'Transaction amount greater than the max amount set on the subscription'),
})

export const sendOtp = resultCodes('sendOtp', {
  success: SUCCESS('BE1400001', 'Success'),
  badRequest: FAILURE('434', 'Bad request'),
  invalidAuthorization: FAILURE('BE1423005', 'Invalid Authorization'),
  deviceMissing: FAILURE('BE1423012', 'Device Identifier is missing'),
  pendingVerification: FAILURE('BE1425004', 'Mobile number is already pending for verification; retry after 48 hours'),
  scopeNotAllowed: FAILURE('BE1425005', 'Scope not allowed'),
  sendLimitReached: FAILURE('BE1425006', 'OTP send limit reached'),
  systemError: FAILURE('BE1426003', 'Something went wrong'),
})

export const createAccessToken = resultCodes('createAccessToken', {
  success: S('0000', 'Success'),
  systemError: F('501', 'System Error'),
  midMismatch: F('2013', 'mid in query differs from mid in request'),
  invalidField: F('1001', 'request parameters not valid; message `Invalid <field name>`'),
  missingElement: F('1007', 'Missing mandatory element'),
  invalidMid: F('2006', 'Mid is invalid'),
  duplicateReferenceId: F('324', 'Duplicate reference id'),
  invalidBody: F('2222', 'Invalid request body'),
  invalidChecksum: F('2005', 'Checksum provided is invalid'),
  missingParam: F('1012', 'Param missing'),
})

export const processTransaction = resultCodes('processTransaction', {
  success: S('0000', 'Success'),
  failed: F('0001', 'The payment failed'),
  systemError: U('501', 'System Error'),
  midMismatch: F('2013', 'mid in query differs from mid in request'),
  orderIdMismatch: F('2014', 'orderId in query differs from orderId in request'),
  invalidField: F('1001', 'request parameters not valid; message `Invalid <field name>`'),
  illegalParameter: F('1011', "Parameter illegal; message form `Parameter '[<field path>]' has invalid value '[<value>]'`"),
  missingElement: F('1007', 'Missing mandatory element'),
  missingParam: F('1012', 'Param missing'),
  invalidBody: F('2222', 'Invalid request body'),
  cardNotSupported: F('312', 'This card is not supported'),
  invalidExpiry: F('315', 'Card expiry date is invalid'),
  invalidToken: F('1006', 'Session expired'),
  orderPaid: F('201', 'order is paid'),
  attemptsExceeded: F('372', 'Payment retry count is exceeded'),
  orderClosed: F('410', 'order status is closed'),
  duplicateRequest: F('1005', 'Duplicate request, a transaction is already in process'),
  amountOverLimit: F('RC-00018', 'The amount is over the limit of this payment mode'),
  insufficientFunds: F('235', 'Wallet balance is not sufficient'),
})

export const directBankRequest = resultCodes('directBankRequest', {
  success: S('0000', 'Success'),
  failed: F('0001', 'The payment failed'),
  systemError: U('501', 'System Error'),
  midMismatch: F('2013', 'mid in query differs from mid in request'),
  orderIdMismatch: F('2014', 'orderId in query differs from orderId in request'),
  invalidField: F('1001', 'request parameters not valid; message `Invalid <field name>`'),
  missingElement: F('1007', 'Missing mandatory element'),
  missingParam: F('1012', 'Param missing'),
  invalidBody: F('2222', 'Invalid request body'),
  invalidToken: F('1006', 'Session expired'),
  noTransaction: F('309', 'No transaction of this order waits for a one-time password'),
  wrongOtp: F('403', 'The one-time password is wrong'),
})

export const orderStatus = resultCodes('orderStatus', {
  success: TXN_SUCCESS('01', 'Txn Success'),
  unconfirmed: PENDING('400', 'The bank has not confirmed the payment yet'),
  pending: PENDING('402', 'The payment is not complete yet'),
  cancelled: TXN_FAILURE('141', 'The customer did not complete the payment'),
  timedOut: TXN_FAILURE('141', 'The payment was not completed in time'),
  undecided: TXN_FAILURE('141', 'The bank did not say in time what became of the payment'),
  declined: TXN_FAILURE('227', 'The bank declined the payment'),
  insufficientFunds: TXN_FAILURE('235', 'Insufficient balance'),
  invalidInstrument: TXN_FAILURE('295', 'The UPI id or the card details are not valid'),
  mandateRevoked: TXN_FAILURE('227', 'The mandate was revoked'),
  mandatePaused: TXN_FAILURE('227', 'The mandate is paused'),
  notAuthenticated: TXN_FAILURE('141', 'The customer did not approve the payment'),
  returned: TXN_FAILURE('810', 'The payment came too late or for another amount and is given back'),
  noTransaction: TXN_FAILURE('331', 'No record for this order'),
  invalidOrderId: TXN_FAILURE('334', 'Invalid order id'),
  invalidMid: TXN_FAILURE('335', 'Invalid mid'),
  invalidChecksum: TXN_FAILURE('330', 'Checksum provided is invalid'),
  invalidBody: TXN_FAILURE('2222', 'Invalid request body'),
  systemError: PENDING('501', 'System Error'),
})

export const closeOrder = resultCodes('closeOrder', {
  success: S('0000', 'Success'),
  systemError: F('501', 'System Error'),
  invalidField: F('1001', 'request parameters not valid; message `Invalid <field name>`'),
  missingElement: F('1007', 'Missing mandatory element'),
  invalidMid: F('2006', 'Mid is invalid'),
  invalidOrderId: F('334', 'Invalid order id'),
  orderPaid: F('201', 'order is paid'),
  orderClosed: F('410', 'order status is closed'),
  transactionInProcess: F('1111', 'close not allowed, transaction already in process'),
  invalidBody: F('2222', 'Invalid request body'),
  invalidChecksum: F('2005', 'Checksum provided is invalid'),
})

export const applyRefund = resultCodes('applyRefund', {
  success: PENDING('601', 'Refund request was raised for this transaction, but it is pending'),
  invalidRequest: TXN_FAILURE('600', 'Invalid refund request'),
  invalidChecksum: TXN_FAILURE('606', 'Checksum provided is invalid'),
  orderNotFound: TXN_FAILURE('607', 'The order or the transaction does not exist'),
  notCaptured: TXN_FAILURE('609', 'The transaction was not successful'),
  fullyRefunded: TXN_FAILURE('610', 'The transaction is already fully refunded'),
  alreadyRaised: TXN_FAILURE('617', 'A refund of all that is left is already raised and pending'),
  invalidAmount: TXN_FAILURE('619', 'Invalid refund amount'),
  refIdUsed: TXN_FAILURE('701', 'The same refId was used for another refund'),
  systemError: PENDING('501', 'System Error'),
})

export const refundStatus = resultCodes('refundStatus', {
  success: TXN_SUCCESS('10', 'Refund Successful'),
  pending: PENDING('601', 'Refund is pending'),
  delayed: PENDING('604', 'The bank has not confirmed the refund yet'),
  declined: TXN_FAILURE('602', 'The bank declined the refund'),
  invalidRequest: TXN_FAILURE('600', 'Invalid request'),
  invalidChecksum: TXN_FAILURE('606', 'Checksum provided is invalid'),
  noRecord: TXN_FAILURE('800', 'No refund with this refId'),
  systemError: PENDING('501', 'System Error'),
})

const listRows = {
  success: SUCCESS('0000', 'Success'),
  systemError: FAILURE('501', 'System Error'),
  missingElement: FAILURE('1007', 'Missing mandatory element'),
  invalidField: FAILURE('1001', 'request parameters not valid; message `Invalid <field name>`'),
  invalidMid: FAILURE('2006', 'Mid is invalid'),
  invalidChecksum: FAILURE('2005', 'Checksum provided is invalid'),
  invalidBody: FAILURE('2222', 'Invalid request body'),
}
export const orderList = resultCodes('orderList', listRows)
export const refundList = resultCodes('refundList', listRows)

export const registerNotificationUrl = resultCodes('registerNotificationUrl', {
  success: SUCCESS('200', 'Success'),
  systemError: FAILURE('E_500', 'System Error'),
  invalidRequest: FAILURE('E_422', 'Invalid request'),
  invalidChecksum: FAILURE('E_401', 'Checksum provided is invalid'),
  notRegistered: FAILURE('E_403', 'No plugin registers the notification URL of this merchant'),
  alreadySet: FAILURE('E_400', 'The notification URL is already configured'),
  invalidUrl: FAILURE('E_406', 'Nothing is sent to this URL'),
})

export const refreshToken = resultCodes('refreshToken', {
  success: SUCCESS('200', 'Success'),
  badRequest: FAILURE('434', 'Bad request', 400),
  invalidAuthorization: FAILURE('401', 'Invalid Authorization', 401),
  unsupportedGrantType: FAILURE('unsupported_grant_type', 'This grantType is not supported', 400),
  notRefreshable: FAILURE('BE1422001', 'Token cannot be refreshed', 400),
  clientMismatch: FAILURE('BE1423011', 'Authorization client and refresh token client mismatch', 400),
  deviceMismatch: FAILURE('BE1423013', 'Device Identifier is mismatch', 400),
  pendingVerification: FAILURE('BE1425004', 'Mobile number is already pending for verification; retry after 48 hours', 403),
  scopeNotAllowed: FAILURE('403', 'Scope cannot be refreshed', 403),
  systemError: FAILURE('BE1426003', 'Something went wrong', 503),
})

/** The HTTP status is the whole answer. */
export const revokeToken = resultCodes('revokeToken', {
  success: SUCCESS('200', 'Success'),
  badRequest: FAILURE('400', 'Bad request', 400),
  invalidAuthorization: FAILURE('401', 'Invalid Authorization', 401),
  systemError: FAILURE('503', 'Something went wrong', 503),
})

export const userDetails = resultCodes('userDetails', {
  success: SUCCESS('200', 'Success'),
  badRequest: FAILURE('434', 'Bad request'),
  invalidToken: FAILURE('530', 'Invalid token'),
  systemError: FAILURE('BE1426003', 'Something went wrong'),
})

export const sendCheckoutOtp = resultCodes('sendCheckoutOtp', {
  success: S('01', 'Success'),
  badRequest: F('434', 'Bad request'),
  invalidMobile: F('431', 'Mobile number is invalid'),
  invalidToken: F('1006', 'Session expired'),
  midMismatch: F('2013', 'different mid in create and login requests'),
  orderIdMismatch: F('2014', 'different orderId in create and login requests'),
  orderPaid: F('201', 'order is paid'),
  orderClosed: F('410', 'order status is closed'),
  transactionInProcess: F('1111', 'login not allowed, transaction already in process'),
  temporarilyBlocked: F('517', 'Mobile number is temporarily blocked'),
  sendLimitReached: F('531', 'OTP send limit reached'),
  systemError: U('00000900', 'System error'),
})

export const validateCheckoutOtp = resultCodes('validateCheckoutOtp', {
  success: S('01', 'Success'),
  badRequest: F('434', 'Bad request'),
  invalidToken: F('1006', 'Session expired'),
  midMismatch: F('2013', 'different mid in create and login requests'),
  orderIdMismatch: F('2014', 'different orderId in create and login requests'),
  orderPaid: F('201', 'order is paid'),
  orderClosed: F('410', 'order status is closed'),
  transactionInProcess: F('1111', 'login not allowed, transaction already in process'),
  otpExpired: F('513', 'OTP is expired or was never sent'),
  temporarilyBlocked: F('517', 'Mobile number is temporarily blocked'),
  alreadyUsed: F('1107', 'OTP is already used'),
  attemptsExceeded: F('708', 'Attempts for entering a valid OTP exceeded; request a new OTP'),
  wrongOtp: F('403', 'Please enter a valid OTP'),
  systemError: U('00000900', 'System error'),
})

const readingCodes = {
  success: S('0000', 'Success'),
  systemError: F('501', 'System Error'),
  midMismatch: F('2013', 'mid in query differs from mid in request'),
  orderIdMismatch: F('2014', 'orderId in query differs from orderId in request'),
  invalidField: F('1001', 'request parameters not valid; message `Invalid <field name>`'),
  invalidMid: F('2006', 'Mid is invalid'),
  sessionExpired: F('1006', 'Session expired'),
  invalidBody: F('2222', 'Invalid request body'),
  missingParam: F('1012', 'Param missing'),
}

export const fetchPaymentOptions = resultCodes('fetchPaymentOptions', readingCodes)

export const fetchBinDetail = resultCodes('fetchBinDetail', {
  ...readingCodes,
  missingElement: F('1007', 'Missing mandatory element'),
  unknownBin: F('312', 'Nothing is known of this card'),
})

export const validateVpa = resultCodes('validateVpa', {
  ...readingCodes,
  missingElement: F('1007', 'Missing mandatory element'),
})

export const transactionStatus = resultCodes('transactionStatus', {
  ...readingCodes,
  missingElement: F('1007', 'Missing mandatory element'),
})

export const fetchBalanceInfo = resultCodes('fetchBalanceInfo', {
  ...readingCodes,
  missingElement: F('1007', 'Missing mandatory element'),
  notSignedIn: F('2004', 'No payer has signed in for this order'),
})

export const fetchNbPaymentChannels = resultCodes('fetchNbPaymentChannels', {
  ...readingCodes,
  missingElement: F('1007', 'Missing mandatory element'),
})

export const fetchEmiDetail = resultCodes('fetchEmiDetail', {
  ...readingCodes,
  missingElement: F('1007', 'Missing mandatory element'),
})

export const fetchAllPaymentOffers = resultCodes('fetchAllPaymentOffers', {
  success: S('00000000', 'Success'),
  systemError: F('9999', 'Something went wrong'),
  midMismatch: F('2013', 'mid in query differs from mid in request'),
  invalidField: F('1001', 'Request parameters are not valid'),
  missingElement: F('1007', 'Missing mandatory element'),
  sessionExpired: F('1006', 'Session expired'),
  invalidChecksum: F('2005', 'Checksum provided is invalid'),
})

/** Rows of every operation on a subscription. A request that cannot be understood, or was not signed, gets `badRequest`. */
const managingRows = {
  success: SUCCESS('3006', 'SUCCESS'),
  badRequest: FAILURE('400', 'request cannot be validated'),
  notFound: FAILURE('3004', 'Subscription Not Found'),
  systemError: FAILURE('500', 'System Error'),
}
/** The subscription's state forbids the operation. The message names the subscription's status and subStatus. */
const standingRows = {
  expired: FAILURE('3902', 'Subscription is expired'),
  notActive: FAILURE('3901', 'Subscription is not active'),
}

export const checkSubscriptionStatus = resultCodes('checkSubscriptionStatus', managingRows)

export const cancelSubscription = resultCodes('cancelSubscription', {
  success: managingRows.success,
  idMissing: FAILURE('400', 'Subscription Id field can not be empty'),
  badRequest: managingRows.badRequest,
  notFound: managingRows.notFound,
  ...standingRows,
  systemError: managingRows.systemError,
})

export const modifySubscriptionStatus = resultCodes('modifySubscriptionStatus', { ...managingRows, ...standingRows })

export const preNotify = resultCodes('preNotify', {
  success: managingRows.success,
  cannotBeSent: FAILURE('400', 'notification can not be send at given txnDate'),
  badRequest: managingRows.badRequest,
  notFound: managingRows.notFound,
  ...standingRows,
  alreadyDone: FAILURE('3903', 'Already collected, or noticed otherwise, in this cycle'),
  skipped: FAILURE('3907', 'Skipped by the customer'),
  inFlight: FAILURE('3909', 'An attempt is in flight'),
  systemError: managingRows.systemError,
})

export const preNotifyStatus = resultCodes('preNotifyStatus', {
  ...managingRows,
  noticeNotFound: FAILURE('3054', 'Prenotify Not Found'),
  referenceMissing: FAILURE('3060', 'ReferenceId is mandatory'),
})

export const renewSubscription = resultCodes('renewSubscription', {
  success: S('0000', 'Success'),
  systemError: U('900', 'System error'),
  missingElement: F('1007', 'Missing mandatory element'),
  pipeCharacter: F('1008', 'Pipe character is not allowed'),
  invalidChecksum: F('2005', 'Checksum provided is invalid'),
  invalidMid: F('2006', 'Mid is invalid'),
  invalidTxnAmount: F('2007', 'Txn amount is invalid'),
  duplicateOrderId: F('2009', 'Duplicate request, same orderId already in progress'),
  midMismatch: F('2013', 'mid in query differs from mid in request'),
  orderIdMismatch: F('2014', 'orderId in query differs from orderId in request'),
  notFound: F('3004', 'Subscription Not Found'),
  amountOverMax: F('00000900', 'Transaction amount greater than the max amount set on the subscription'),
  expired: F('3902', 'Subscription is expired'),
  notActive: F('3901', 'Subscription is not active'),
  tooEarly: F('3904', 'Too early for this cycle'),
  alreadyCollected: F('3903', 'Already collected in this cycle'),
  skipped: F('3907', 'Skipped by the customer'),
  inFlight: F('3909', 'An attempt is in flight'),
  retryNotAllowed: F('3905', 'Retry is not allowed'),
  attemptsUsedUp: F('3906', 'The attempts of this cycle are used up'),
  forbidden: F('3908', 'A rule forbids it'),
  noticeNotFound: F('3054', 'Prenotify Not Found'),
})

export const consultSubscription = resultCodes('consultSubscription', managingRows)

export const editSubscription = resultCodes('editSubscription', {
  ...managingRows,
  ...standingRows,
  inFlight: FAILURE('3909', 'An edit is pending'),
  invalidRenewalAmount: FAILURE('4001', 'Invalid Renewal Amount'),
  invalidMaxAmount: FAILURE('4001', 'Invalid Max Amount'),
  invalidExpiryDate: FAILURE('4001', 'Invalid Subscription expiry date'),
  maxAmountOverLimit: FAILURE('4004', 'Max amount greater than the permissible limit for available paymodes'),
})

/** The tables by their headings in docs/interface.md section 7. */
export const resultCodeTables = {
  'Validate OTP': validateOtp,
  'List Subscriptions': listSubscriptions,
  'Modify Order': modifyOrder,
  'Apply Promo': applyPromo,
  'Create Order': createOrder,
  'Initiate Subscription': initiateSubscription,
  'Send OTP': sendOtp,
  'Create Access Token': createAccessToken,
  'Process Transaction': processTransaction,
  'Direct Bank Request': directBankRequest,
  'Order Status': orderStatus,
  'Close Order': closeOrder,
  'Apply Refund': applyRefund,
  'Refund Status': refundStatus,
  'Order List': orderList,
  'Refund List': refundList,
  'Register Notification URL': registerNotificationUrl,
  'Refresh Token': refreshToken,
  'Revoke Token': revokeToken,
  'User Details': userDetails,
  'Send Checkout OTP': sendCheckoutOtp,
  'Validate Checkout OTP': validateCheckoutOtp,
  'Fetch Payment Options': fetchPaymentOptions,
  'Fetch BIN Detail': fetchBinDetail,
  'Validate VPA': validateVpa,
  'Fetch All Payment Offers': fetchAllPaymentOffers,
  'Check Subscription Status': checkSubscriptionStatus,
  'Cancel Subscription': cancelSubscription,
  'Modify Subscription Status': modifySubscriptionStatus,
  'Pre Notify': preNotify,
  'Pre Notify Status': preNotifyStatus,
  'Renew Subscription': renewSubscription,
  'Consult Subscription': consultSubscription,
  'Edit Subscription': editSubscription,
  'Transaction Status': transactionStatus,
  'Fetch Balance Info': fetchBalanceInfo,
  'Fetch NB Payment Channels': fetchNbPaymentChannels,
  'Fetch EMI Detail': fetchEmiDetail,
}
