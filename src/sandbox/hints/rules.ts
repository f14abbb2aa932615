// What a shop's developer should do after a refusal, in one sentence: data of the header `Mohur-Hint` (docs/sandbox.md).

import { MODIFY_COUNT_MAX, UNSIGNED_MODIFY_COUNT_MAX } from '../../domain/order/order.ts'
import * as fields from '../../interface/fields.ts'
import type { Reason } from '../../interface/reason.ts'
import type { Requirement } from '../../interface/request.ts'

/** The kind of fault, and what to send instead. */
export interface Explanation {
  word: string
  sentence: string
}

/**
 * The sentence for each refusal without a closer cause, by the name of its row. test/sandbox/hint.test.ts fails when a sentence is missing.
 */
export const RULES: Readonly<Record<string, string>> = {
  badRequest: 'a member is missing, or has not the form of section 4 of the interface document',
  invalidAuthorization: 'the Authorization header is not Basic with a clientId and its secret',
  clientMismatch: 'another client than this one began the sign-in',
  deviceMissing: 'the header x-device-identifier is mandatory',
  deviceMismatch: 'send the same x-device-identifier as with Send OTP',
  pendingVerification: 'this number is under verification: sign in again 48 hours later',
  scopeNotAllowed: 'the client may not ask for this scope',
  wrongOtp: 'the code is wrong: the sandbox shows the right one at /sandbox/inbox?mobile=',
  attemptsExceeded: 'all attempts are used up: ask for a new code, or create a new order',
  systemError: 'the service failed, or its store does not answer: send the same request again',
  invalidToken: 'the token has expired, is unknown, or is of another order: create the order again for a new one',
  midMismatch: 'send the same mid in the query and in the body',
  orderIdMismatch: 'send the same orderId in the query and in the body',
  illegalParameter: 'send one of the values that the interface document lists for this member',
  invalidBody: 'send one JSON object with a head and a body',
  invalidField: 'the value has another form, or is longer, than the interface document allows',
  missingParam: 'it is mandatory: section 4 of the interface document lists the members',
  transactionInProcess: 'a payment of this order is under way: wait for its end',
  invalidTxnAmount: 'send rupees as a text with at most two decimals, as 499.00',
  orderClosed: 'the order is closed for good: create another with a new orderId',
  orderPaid: 'the order is paid: only a refund is possible now',
  noActivePromo: 'the merchant has no offer today: the world file can add one',
  sessionExpired: 'the token has expired or is unknown: create the order or the token again',
  invalidChecksum: 'sign exactly the bytes that are sent as body with the key of the merchant',
  missingElement: 'it is mandatory here, or has another form: section 4 of the interface document lists the members',
  invalidMid: 'no merchant has this mid',
  duplicateOrderId: 'an order has this id: use a new one, or repeat with the same Idempotency-Key to get the first answer',
  invalidOrderId: '1 to 50 letters, digits and @ - _ . only, and an order of this merchant',
  pipeCharacter: 'no value may hold the character |',
  invalidSsoToken: 'the SSO token has expired, is revoked, or is of another payer: sign in again',
  invalidPaymentMode: 'section 4.6 of the interface document lists the modes of a subscription',
  paymentModeNotEnabled: 'the merchant does not offer this mode for subscriptions',
  invalidStartDate: 'yyyy-MM-dd, not before today in India and before the last day',
  invalidFrequencyUnit: 'one of the units of section 4.6, in capitals: DAY is none of them',
  invalidAmountType: 'FIX with renewalAmount, or VARIABLE with subscriptionMaxAmount',
  invalidMaxAmount: 'rupees with at most two decimals, above zero, as 500.00',
  graceDaysTooLong: 'fewer days than lie between two collections',
  bankMandateAmountNotZero: 'a mandate on a bank account takes no first payment: send txnAmount.value 0',
  invalidAppInvokeDevice: 'one of the values of section 4.6',
  graceDaysMissing: 'subscriptionGraceDays is mandatory with this frequency',
  maxAmountOverLimit: 'lower the amount, or offer a mode whose limit is higher',
  addAndPayNotAllowed: 'the wallet has less than the first payment: the world file can set its balance',
  txnAmountOverMaxAmount: 'the first payment is above the agreed maximum',
  sendLimitReached: 'too many codes were sent to this number or for this order: try again later',
  duplicateReferenceId: 'a referenceId works for one access token: use a new one',
  failed: 'the bank refused the payment: Order Status says why',
  cardNotSupported: 'the order or the merchant does not take this card',
  invalidExpiry: 'MMyyyy in cardInfo, of a month that is not over',
  duplicateRequest: 'a payment of this order is under way: ask Order Status',
  amountOverLimit: 'this mode takes smaller amounts: section 2 has its limit',
  insufficientFunds: 'the wallet has less money: the world file can set its balance',
  noTransaction: 'no payment of this order waits for a one-time password',
  invalidRequest: 'a member is missing or has another form than section 4 says',
  orderNotFound: 'the orderId and the txnId must name one payment of this merchant',
  notCaptured: 'only a successful payment can be refunded',
  fullyRefunded: 'the payment is already refunded in full',
  alreadyRaised: 'refunds under way take all that is left: ask Refund Status',
  invalidAmount: 'a text of rupees with at most two decimals, above zero and no more than is left',
  refIdUsed: 'a refId names one refund: other content needs a new refId',
  notRegistered: 'set registersNotificationUrl of the merchant to let a plugin register it',
  alreadySet: 'the operator has set the notification URL, and a plugin cannot change it',
  invalidUrl: 'https on a public address, or in the sandbox also http on this machine',
  unsupportedGrantType: 'send grantType refresh_token',
  notRefreshable: 'the refresh token has expired, is used or revoked: sign in again',
  invalidMobile: 'ten digits that begin with 6 to 9',
  temporarilyBlocked: 'too many wrong codes for this number: try again later',
  otpExpired: 'ask for a new code',
  alreadyUsed: 'a code works once: ask for a new one',
  notSignedIn: 'no payer has signed in for this order',
  unknownBin: 'no list has these first digits, or they are too few',
  notFound: 'no subscription of this merchant has this id',
  idMissing: 'name the subscription in the signed body: subsId or subscriptionId',
  expired: 'the subscription has expired: create a new one',
  notActive: 'the subscription is paused, has ended, or has no consent yet: Check Subscription Status says which',
  cannotBeSent: 'the notice must reach the payer a day before the debit, and within the days of its cycle',
  alreadyDone: 'this cycle is collected, or its payer was notified of another debit',
  skipped: 'the payer skipped this cycle: collect the next one',
  inFlight: 'wait for the end of the debit or edit under way: Order Status says it',
  noticeNotFound: 'no notice has this referenceId: Pre Notify returns it',
  referenceMissing: 'name the notice by its referenceId',
  amountOverMax: 'a debit must not exceed the amount that the payer agreed to',
  tooEarly: 'the days of this cycle have not begun: Consult Subscription says when',
  alreadyCollected: 'this cycle is collected: the next has not begun',
  retryNotAllowed: 'subscriptionEnableRetry was 0 when it was agreed to',
  attemptsUsedUp: 'all attempts of this cycle are used up: collect the next one',
  forbidden: 'a rule of the rail forbids it now: Consult Subscription says which, and until when',
  invalidRenewalAmount: 'rupees with at most two decimals, above zero',
  invalidExpiryDate: 'yyyy-MM-dd, after the first day and not before today in India',
}

/** For codes with several causes, by cause. */
export const REASONS: Readonly<Record<Exclude<Reason, 'signature' | 'unreadable'>, string>> = {
  differs: 'send the same value in the query of the address and in the body',
  query: 'send it in the query of the address: only a signed body on a path of section 4.9 can name it instead',
  needed: 'the other members of this request make it mandatory: section 4 says which',
  usedSignature: 'this signature was already used for another order: sign this body',
  otherMember: 'no signed body of this operation has this member, or it differs from the query',
  twoIds: 'send the same id of the subscription in the query and in the body',
  noId: 'name the subscription in the signed body: subsId or subscriptionId',
  nothingAsked: 'name what to change: renewalAmount, subscriptionMaxAmount or subscriptionExpiryDate',
  sum: 'it must be the sum of the transactionAmount of all paymentOptions',
  zero: 'it must be above zero',
  fixed: 'the subscription has a fixed amount: send exactly that',
  notFixed: 'only a subscription with the amount type FIX has a renewalAmount',
  notVariable: 'only a subscription with the amount type VARIABLE has a subscriptionMaxAmount of its own',
  belowFirst: 'it must be above zero, and not below the first payment',
  firstOverRenewal: 'by UPI or an e-mandate the first payment must not exceed the renewalAmount',
  overLeft: 'it is above the amount that is left to refund',
  ofMandate: 'the amount of this order belongs to its mandate: create another subscription',
  expiryDay: 'it must be after subscriptionStartDate, and within the years of section 8',
  graceOfCards: 'cards take fewer grace days: section 8 says how many',
  cardForm: 'send savedCardId|number|CVV|MMyyyy, with nothing before the first | for a new card',
  unknownMid: 'no merchant has this mid',
  disabledMid: 'this merchant is disabled: npx mohur merchant enable turns it on',
  unknownWebsite: 'the merchant has no website of this name: npx mohur merchant show lists them',
  unknownOrder: 'the merchant has no order with this orderId',
  unknownToken: 'the token is unknown: create the order or the token again',
  otherToken: 'it is not the token of this order',
  tokenOver: 'the token has expired: create the order again for a new one',
  unknownPayer: 'no payer is signed in with this token: it is missing, expired, revoked, unknown or of another customer',
  noPayer: 'no payer has signed in for this order: use Send and Validate Checkout OTP, or svcSsoToken in Create Order',
  unknownBank: 'no bank of section 2 has this code for this paymentMode',
  unknownHandle: 'the list of UPI handles does not have the part behind the @',
  unknownPlan: 'no plan of this bank and amount has this id: Fetch Payment Options lists them',
  unknownChannel: 'UPI has the channels UPI, UPIPUSH and UPIPUSHEXPRESS',
  unknownCard: 'the payer who signed in has no saved card with this id',
  noSuchOffer: 'no offer of this name fits this payment',
  modeNotOffered: 'this order or its merchant does not take this paymentMode: Fetch Payment Options lists what it takes',
  wayNotOffered: 'this order or its merchant does not take this way to pay: Fetch Payment Options lists what it takes',
  debitCardEmi: 'it is mandatory where instalments on debit cards are offered',
  switchedOff: 'the merchant takes no refunds in this form: set its flatRefund',
  modifiedEnough: `an order can be changed ${MODIFY_COUNT_MAX} times at most`,
  modifiedUnsigned: `without a signature an order can be changed ${UNSIGNED_MODIFY_COUNT_MAX} times at most`,
  codesUsedUp: 'the order has as many QR codes and links as section 8 allows: create another order',
  mandateOver: 'it is too late for the first day of this subscription: create another one',
}

/** The form of a member, for members whose pattern or keyword says too little. */
const MEMBERS: ReadonlyMap<string | undefined, string> = new Map(
  Object.entries({
    payerAccount: 'a UPI id as name@handle, at most 97 characters',
    planId: 'the code of a bank, | and the months of its plan, as HDFC|6',
    channelCode: 'NET_BANKING needs the code of a bank: section 2 lists them',
    cardInfo: 'savedCardId|number|CVV|MMyyyy, with nothing before the first | for a new card',
    pageToken: 'the nextPageToken of the reply before',
  }),
)

const MONEY = 'a text of rupees with at most two decimals, as 499.00'
const patternOf = (schema: object) => (schema as { pattern?: string }).pattern
const PATTERNS: ReadonlyMap<unknown, string> = new Map([
  [patternOf(fields.amount), MONEY],
  [patternOf(fields.payable.properties.value), `${MONEY}, above zero`],
  [patternOf(fields.orderId), '1 to 50 letters, digits and @ - _ . only'],
  [patternOf(fields.mobile), 'ten digits'],
])

const FORMATS: Readonly<Record<keyof typeof fields.formats, string>> = {
  text: 'a text without control characters',
  email: 'an e-mail address',
  httpUrl: 'a URL that begins with https:// or http://',
  callbackUrl: 'a URL that begins with https:// or http://, and whose host has letters, digits, points and hyphens only',
  instant: 'a time as 2026-06-16T10:00:00+05:30',
  dayFirst: 'a day as DD-MM-YYYY',
  dateTime: 'a time in India as yyyy-MM-dd HH:mm:ss',
  date: 'a day as YYYY-MM-DD',
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  object: 'a JSON object',
  array: 'a list',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
}

const VALUES_MAX = 12 // Mohur's choice: the document has longer lists

export const reasonFor = (reason: keyof typeof REASONS, place: string | undefined): Explanation => ({
  word: reason,
  sentence: (reason === 'needed' && MEMBERS.get(place)) || REASONS[reason],
})

/** The kind and the sentence of a schema's requirement. `place` is the member. */
export function askedBy({ keyword, limit }: Requirement, place: string | undefined): Explanation {
  switch (keyword) {
    case 'required':
      return { word: 'missing', sentence: 'it is mandatory: section 4 of the interface document lists the members' }
    case 'type':
      return { word: 'type', sentence: `it must be ${TYPES[String(limit)]}` }
    case 'enum':
      return { word: 'value', sentence: oneOf(limit as readonly unknown[]) }
    case 'channels':
      return { word: 'value', sentence: 'this mode has no such channel: section 2 of the interface document lists them' }
    case 'minLength':
    case 'maxLength':
      return { word: 'length', sentence: `it must have ${limit} characters at ${keyword === 'maxLength' ? 'most' : 'least'}` }
    case 'maxItems':
    case 'maxProperties':
      return { word: 'count', sentence: `it must have ${limit} elements at most` }
    case 'minimum':
    case 'maximum':
      return { word: 'range', sentence: `it must be ${limit} at ${keyword === 'maximum' ? 'most' : 'least'}` }
    case 'rows':
      return { word: 'range', sentence: `the number of the page times its size must be ${limit} at most` }
    case 'period':
      return { word: 'range', sentence: 'it must not be before the beginning, nor more than 31 days after it' }
    case 'not':
      return { word: 'unwanted', sentence: 'leave it out: this request may not have it' }
    case 'format':
      return { word: 'form', sentence: FORMATS[limit as keyof typeof FORMATS] }
    case 'pattern':
      return { word: 'form', sentence: MEMBERS.get(place) ?? PATTERNS.get(limit) ?? `it must match ${limit}` }
    default:
      return { word: 'form', sentence: 'it must have the form of section 4 of the interface document' }
  }
}

function oneOf(values: readonly unknown[]): string {
  if (values.length > VALUES_MAX) return 'send one of the values that the interface document lists'
  return values.length === 1 ? `it must be ${values[0]}` : `one of ${values.join(', ')}`
}
