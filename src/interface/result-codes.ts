// Every result code of every operation, in the order of docs/interface.md section 7, then our own operations.
// test/interface.test.ts fails when a row here and a row there differ. Each row has a name of its own, because
// the interface uses one number for several meanings (4001, 2022, 1012).

type Status = 'S' | 'F' | 'U' | 'SUCCESS' | 'FAILURE'
interface Row {
  readonly code: string
  readonly status: Status
  readonly message: string
}

/** A result code knows its operation, so that the compiler refuses one operation's code in another. */
export interface ResultCode<Operation extends string = string> extends Row {
  readonly operation: Operation
  readonly name: string
  /** The place in its table: of several wrong values the earliest row answers (docs/interface.md section 7). */
  readonly rank: number
}

const row =
  (status: Status) =>
  (code: string, message: string): Row => ({ code, status, message })
const S = row('S')
const F = row('F')
const U = row('U')
const SUCCESS = row('SUCCESS')
const FAILURE = row('FAILURE')

function resultCodes<const Operation extends string, Name extends string>(operation: Operation, rows: Record<Name, Row>) {
  const entries = Object.entries<Row>(rows).map(([name, row], rank) => [name, { ...row, operation, name, rank }])
  return Object.freeze(Object.fromEntries(entries)) as Readonly<Record<Name, ResultCode<Operation>>>
}

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
}
