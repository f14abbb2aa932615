// What a refusal asks a shop's developer to do, in one sentence: data of the header `Mohur-Hint` (docs/sandbox.md).

import { MODIFY_COUNT_MAX, UNSIGNED_MODIFY_COUNT_MAX } from '../../domain/order/order.ts'
import * as fields from '../../interface/fields.ts'
import type { Reason } from '../../interface/reason.ts'
import type { Requirement } from '../../interface/request.ts'

/** The kind of what is wrong, and what to send instead. */
export interface Explanation {
  word: string
  sentence: string
}

/** What each refusal asks for, by the name of its row, where nothing closer is known. test/sandbox/hint.test.ts holds that none is missing. */
export const RULES: Readonly<Record<string, string>> = {
  badRequest: 'a member is missing or has another form than section 4 of the interface document says',
  invalidAuthorization: 'the Authorization header is not Basic with a clientId and its secret',
  clientMismatch: 'another client than this one began the sign-in',
  deviceMissing: 'the header x-device-identifier is mandatory',
  deviceMismatch: 'send the same x-device-identifier as with Send OTP',
  pendingVerification: 'this number is being verified: sign in again 48 hours later',
  scopeNotAllowed: 'the client may not ask for this scope',
  wrongOtp: 'the code is wrong: the sandbox shows the right one at /sandbox/inbox?mobile=',
  attemptsExceeded: 'all attempts are used up: begin anew with a new code or a new order',
  systemError: 'something failed on our side, or the store is away: send the same request again',
  invalidToken: 'the token is over, unknown, or of another order: create the order anew for a new one',
  midMismatch: 'the mid of the query and that of the body have to be equal',
  orderIdMismatch: 'the orderId of the query and that of the body have to be equal',
  illegalParameter: 'the value is none of those that the interface document lists for this member',
  invalidBody: 'the request is not one JSON object with a head and a body',
  invalidField: 'the value has another form or is longer than the interface document says',
  missingParam: 'it is mandatory: section 4 of the interface document lists the members',
  transactionInProcess: 'a payment of this order is under way: wait for its end',
  invalidTxnAmount: 'it is a text of rupees with at most two decimals, as 499.00',
  orderClosed: 'the order is closed and stays so: create another with a new orderId',
  orderPaid: 'the order is paid: nothing more can be done to it but a refund',
  noActivePromo: 'the merchant has no offer today: the world file or mohur promo names some',
  sessionExpired: 'the token is over or unknown: create the order or the token anew',
  invalidChecksum: 'sign exactly the bytes that are sent as body with the key of the merchant',
  missingElement: 'it is mandatory here, or has another form: section 4 of the interface document lists the members',
  invalidMid: 'no merchant has this mid',
  duplicateOrderId: 'an order has this id: use a new one, or repeat with the same Idempotency-Key to hear the first answer',
  invalidOrderId: '1 to 50 letters, digits and @ - _ . only, and an order of this merchant',
  pipeCharacter: 'no value may hold the character |',
  invalidSsoToken: 'the SSO token is over, revoked or of another payer: sign in again',
  invalidPaymentMode: 'section 4.6 of the interface document lists the modes of a subscription',
  paymentModeNotEnabled: 'the merchant does not offer this mode for subscriptions',
  invalidStartDate: 'yyyy-MM-dd, not before today in India and before the last day',
  invalidFrequencyUnit: 'one of the units of section 4.6, in capitals: DAY is none of them',
  invalidAmountType: 'FIX with renewalAmount, or VARIABLE with subscriptionMaxAmount',
  invalidMaxAmount: 'rupees with at most two decimals, above zero, as 500.00',
  graceDaysTooLong: 'fewer days than there are from one collection to the next',
  bankMandateAmountNotZero: 'a mandate on a bank account takes nothing at first: txnAmount.value is 0',
  invalidAppInvokeDevice: 'one of the values of section 4.6',
  graceDaysMissing: 'subscriptionGraceDays is mandatory with this frequency',
  maxAmountOverLimit: 'lower the amount, or offer a mode whose limit is higher',
  addAndPayNotAllowed: 'leave out what adds money to the wallet',
  txnAmountOverMaxAmount: 'the first payment is more than the most that was agreed to',
  sendLimitReached: 'too many codes were sent to this number or for this order: wait',
  duplicateReferenceId: 'a referenceId is good for one access token: use a new one',
  failed: 'the bank refused the payment: Order Status says why',
  cardNotSupported: 'the order or the merchant does not take this card',
  invalidExpiry: 'MMyyyy in cardInfo, not over yet',
  duplicateRequest: 'a payment of this order is under way: ask Order Status',
  amountOverLimit: 'this mode takes less: the limit stands in section 2',
  insufficientFunds: 'the wallet has less than this: the world file sets a balance',
  noTransaction: 'no payment of this order waits for a one-time password',
  invalidRequest: 'a member is missing or has another form than section 4 says',
  orderNotFound: 'the orderId and the txnId have to be of one payment of this merchant',
  notCaptured: 'only a successful payment can be given back',
  fullyRefunded: 'nothing is left to be given back',
  alreadyRaised: 'refunds under way have all that is left: ask Refund Status',
  invalidAmount: 'a text of rupees with at most two decimals, above zero and no more than is left',
  refIdUsed: 'a refId names one refund: the same one with other content needs a new refId',
  notRegistered: 'set registersNotificationUrl of the merchant to let a plugin register it',
  alreadySet: 'the operator has set the notification URL, which a plugin does not change',
  invalidUrl: 'https on a public address, or in the sandbox also http on this machine',
  unsupportedGrantType: 'grantType is refresh_token',
  notRefreshable: 'the refresh token is over, used or revoked: sign in again',
  invalidMobile: 'ten digits that begin with 6 to 9',
  temporarilyBlocked: 'too many wrong codes for this number: wait',
  otpExpired: 'ask for a new code',
  alreadyUsed: 'a code is good once: ask for a new one',
  notSignedIn: 'nobody signed in for this order',
  unknownBin: 'no list has these first digits, or they are too few',
  notFound: 'no subscription of this merchant has this id',
  idMissing: 'name the subscription in the signed body: subsId or subscriptionId',
  expired: 'its last day is over: begin a new subscription',
  notActive: 'the subscription is paused, over, or not agreed to yet: Check Subscription Status says which',
  cannotBeSent: 'the notice has to reach the payer a day before the debit, and within the days of its cycle',
  alreadyDone: 'this cycle is collected, or its payer was notified of another debit',
  skipped: 'the payer left this cycle out: the next one can be collected',
  inFlight: 'wait for the end of what is under way: Order Status says it',
  noticeNotFound: 'no notice has this referenceId: Pre Notify answers it',
  referenceMissing: 'name the notice by its referenceId',
  amountOverMax: 'a debit is no more than the payer agreed to',
  tooEarly: 'the days of this cycle have not begun: Consult Subscription says when',
  alreadyCollected: 'this cycle is collected: the next has not begun',
  retryNotAllowed: 'subscriptionEnableRetry was 0 when it was agreed to',
  attemptsUsedUp: 'the next cycle can be collected',
  forbidden: 'a rule of the rail forbids it now: Consult Subscription says which, and until when',
  invalidRenewalAmount: 'rupees with at most two decimals, above zero',
  invalidExpiryDate: 'yyyy-MM-dd, after the first day and not before today in India',
}

/** What each reason asks for, of a code with several. */
export const REASONS: Readonly<Record<Exclude<Reason, 'signature' | 'unreadable'>, string>> = {
  differs: 'the query of the address and the body have to say the same',
  query: 'it has to stand in the query of the address: only a signed body on a path of section 4.9 can name it instead',
  needed: 'the other members of this request make it mandatory: section 4 says which',
  usedSignature: 'this signature has changed another order: sign this body',
  otherMember: 'no signed body of this operation has this member, or it says something else than the query',
  twoIds: 'the ids of the subscription in the query and in the body have to be equal',
  noId: 'name the subscription in the signed body: subsId or subscriptionId',
  nothingAsked: 'name what shall change: renewalAmount, subscriptionMaxAmount or subscriptionExpiryDate',
  sum: 'it has to be the sum of the transactionAmount of all paymentOptions',
  zero: 'it has to be above zero',
  fixed: 'the subscription has a fixed amount: send exactly that',
  notFixed: 'only a subscription with the amount type FIX has a renewalAmount',
  notVariable: 'only a subscription with the amount type VARIABLE has a subscriptionMaxAmount of its own',
  belowFirst: 'it has to be above zero and no less than the first payment',
  firstOverRenewal: 'by UPI or an e-mandate the first payment is no more than the renewalAmount',
  overLeft: 'it is more than is left of the payment',
  ofMandate: 'the amount of this order belongs to its mandate: create another subscription',
  expiryDay: 'it has to be after subscriptionStartDate, and within the years of section 8',
  graceOfCards: 'cards take fewer grace days: section 8 says how many',
  cardForm: 'it has another form: savedCardId|number|CVV|MMyyyy, with nothing before the first | for a new card',
  unknownMid: 'no merchant has this mid',
  disabledMid: 'this merchant is disabled: npx mohur merchant enable turns it on',
  unknownWebsite: 'the merchant has no website of this name: npx mohur merchant show lists them',
  unknownOrder: 'the merchant has no order with this orderId',
  unknownToken: 'nothing has this token: create the order, or ask for the token, anew',
  otherToken: 'it is not the token of this order',
  tokenOver: 'the token is over: create the order anew for a new one',
  unknownPayer: 'nobody is signed in with this token: it is not there, over, revoked, unknown or of another customer',
  noPayer: 'nobody signed in for this order: Send and Validate Checkout OTP, or svcSsoToken in Create Order',
  unknownBank: 'no bank of section 2 has this code for this paymentMode',
  unknownHandle: 'the list of handles does not have what stands behind the @',
  unknownPlan: 'no plan of this bank and amount has this id: Fetch Payment Options lists them',
  unknownChannel: 'UPI has the channels UPI, UPIPUSH and UPIPUSHEXPRESS',
  unknownCard: 'the payer who signed in has no saved card with this id',
  noSuchOffer: 'no offer of this name fits this payment',
  modeNotOffered: 'this order or its merchant does not take this paymentMode: Fetch Payment Options lists what it takes',
  wayNotOffered: 'this order or its merchant does not take this way to pay: Fetch Payment Options lists what it takes',
  debitCardEmi: 'it is mandatory where instalments on debit cards are offered',
  switchedOff: 'set flatRefund of the merchant to take refunds in this form',
  modifiedEnough: `an order is changed ${MODIFY_COUNT_MAX} times at most`,
  modifiedUnsigned: `without a signature an order is changed ${UNSIGNED_MODIFY_COUNT_MAX} times at most`,
  codesUsedUp: 'the order has made as many QR codes and links as section 8 allows: create another',
  mandateOver: 'it is too late for the first day of this subscription: create another',
}

/** What a member has to be, where a pattern or a word says too little. */
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

const VALUES_MAX = 12 // ours: a longer list is read in the document

/** What a reason asks for. */
export const reasonFor = (reason: keyof typeof REASONS, place: string | undefined): Explanation => ({
  word: reason,
  sentence: (reason === 'needed' && MEMBERS.get(place)) || REASONS[reason],
})

/** Kind and meaning of what a schema asks for; `place` is where. */
export function askedBy({ keyword, limit }: Requirement, place: string | undefined): Explanation {
  switch (keyword) {
    case 'required':
      return { word: 'missing', sentence: 'it is mandatory: section 4 of the interface document lists the members' }
    case 'type':
      return { word: 'type', sentence: `it has to be ${TYPES[String(limit)]}` }
    case 'enum':
      return { word: 'value', sentence: oneOf(limit as readonly unknown[]) }
    case 'channels':
      return { word: 'value', sentence: 'this mode has no such channel: section 2 of the interface document lists them' }
    case 'minLength':
    case 'maxLength':
      return { word: 'length', sentence: `it has ${limit} characters at ${keyword === 'maxLength' ? 'most' : 'least'}` }
    case 'maxItems':
    case 'maxProperties':
      return { word: 'count', sentence: `it has ${limit} elements at most` }
    case 'minimum':
    case 'maximum':
      return { word: 'range', sentence: `it is ${limit} at ${keyword === 'maximum' ? 'most' : 'least'}` }
    case 'rows':
      return { word: 'range', sentence: `the number of the page times its size is ${limit} at most` }
    case 'period':
      return { word: 'range', sentence: 'it is no earlier than the beginning, and 31 days later at most' }
    case 'not':
      return { word: 'unwanted', sentence: 'this request may not have it' }
    case 'format':
      return { word: 'form', sentence: FORMATS[limit as keyof typeof FORMATS] }
    case 'pattern':
      return { word: 'form', sentence: MEMBERS.get(place) ?? PATTERNS.get(limit) ?? `it has to match ${limit}` }
    default:
      return { word: 'form', sentence: 'it has another form than section 4 of the interface document says' }
  }
}

function oneOf(values: readonly unknown[]): string {
  if (values.length > VALUES_MAX) return 'it is none of the values that the interface document lists'
  return values.length === 1 ? `it has to be ${values[0]}` : `one of ${values.join(', ')}`
}
