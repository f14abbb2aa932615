// The checkout form of older kits, which makes the order itself: docs/pages.md, "Forms that make the order". The map form of the checksum
// signs the form, and covers its values without their names. So a form is accepted only when all readings of its values make one order.

import * as fields from '../../interface/fields.ts'
import { MONEY_PATTERN } from '../../interface/money.ts'
import { byShortName } from '../../interface/payment-modes.ts'

type Form = Readonly<Record<string, string>>

/** True for values that the merchant has, or that stand in the operator's lists. */
export interface KnownWords {
  isWebsite(name: string): boolean
  isBank(code: string): boolean
  isPromocode(code: string): boolean
}

const MODES = byShortName(fields.ORDER_PAYMENT_MODES)
const AUTH_MODES = ['3D', 'USRPWD', 'OTP', 'PIN']
const CHANNELS = ['WEB', 'WAP', 'APP']
/** Words that are values of other fields. No shop uses one of them as an order id. */
const WORDS = ['DEFAULT', 'YES', 'NO', ...MODES.keys(), ...AUTH_MODES, ...CHANNELS]

const PROMOCODE_LENGTH = 64 // docs/interface.md section 8

interface Field {
  isRequired?: true
  holds(value: string, known: KnownWords, mid: string): boolean
}
const text = (maxLength: number) => (value: string) => value.length <= maxLength && fields.formats.text(value)
const form = (pattern: string | RegExp) => {
  const compiled = new RegExp(pattern)
  return (value: string) => compiled.test(value)
}

const isOrderId = form(fields.ORDER_ID_PATTERN)
const isYesOrNo = form(/^(YES|NO)$/)
const isReachable = (value: string) => fields.bareMobile(value) !== undefined

/**
 * The fields, in the order in which the checksum joins them. Each check is narrow, so that a value does not pass under a neighbour's name.
 */
const FIELDS: Readonly<Record<string, Field>> = {
  AUTH_MODE: { holds: (value) => AUTH_MODES.includes(value) },
  BANK_CODE: { holds: (value, { isBank }) => isBank(value) },
  CALLBACK_URL: { holds: (value) => value.length <= fields.URL_LENGTH && fields.formats.callbackUrl(value) },
  CHANNEL_ID: { isRequired: true, holds: (value, { isWebsite }) => CHANNELS.includes(value) || isWebsite(value) },
  CUST_ID: { isRequired: true, holds: form(fields.HOST_CUST_ID_PATTERN) },
  EMAIL: { holds: fields.isEmail },
  INDUSTRY_TYPE_ID: { isRequired: true, holds: form(/^[A-Za-z][A-Za-z0-9 &_-]{0,63}$/) },
  IS_USER_VERIFIED: { holds: isYesOrNo },
  MERC_UNQ_REF: { holds: (value) => text(fields.TEXT_LENGTH)(value) && !isYesOrNo(value) },
  MID: { isRequired: true, holds: (value, _known, mid) => value === mid },
  MOBILE_NO: { holds: isReachable },
  MSISDN: { holds: isReachable },
  ORDER_ID: { isRequired: true, holds: (value) => isOrderId(value) && !WORDS.includes(value) },
  PAYMENT_MODE_ONLY: { holds: isYesOrNo },
  PAYMENT_TYPE_ID: { holds: (value) => MODES.has(value) },
  PROMO_CAMP_ID: { holds: (value, { isPromocode }) => isPromocode(value) },
  REQUEST_TYPE: { holds: form(/^DEFAULT$/) },
  TXN_AMOUNT: { isRequired: true, holds: form(`^(?!0(\\.0{1,2})?$)${MONEY_PATTERN.slice(1)}`) },
  VERIFIED_BY: { holds: form(/^(EMAIL|MSISDN)$/) },
  WEBSITE: { isRequired: true, holds: (value, { isWebsite }) => isWebsite(value) },
  theme: { holds: form(/^[A-Za-z0-9]{1,20}$/) },
}
const NAMES = Object.keys(FIELDS)
const REQUIRED = NAMES.filter((name) => FIELDS[name]!.isRequired)

/** Names of fields that Mohur sends to the shop. A form with one of them is never an order. */
const OF_A_CALLBACK: ReadonlySet<string> = new Set([
  ...['ORDERID', 'TXNID', 'BANKTXNID', 'TXNAMOUNT', 'CURRENCY', 'STATUS', 'RESPCODE', 'RESPMSG', 'TXNDATE', 'TXNTYPE'],
  ...['GATEWAYNAME', 'BANKNAME', 'PAYMENTMODE', 'BIN_NUMBER', 'CARD_LAST_NUMS', 'SUBS_ID', 'PROMO_STATUS', 'PROMO_RESPCODE'],
  ...['REFUNDAMT', 'REFUNDAMOUNT', 'REFID', 'COMMENTS', 'JsonData'],
])
const CHECKSUM = 'CHECKSUMHASH'

/**
 * Fields that frameworks and form kits put into their forms, and that no shop signs. A form is refused when its signature covers one of
 * them.
 */
const OF_FRAMEWORKS: ReadonlySet<string> = new Set([
  ...['utf8', 'authenticity_token', 'commit'], // Rails
  ...['_token'], // Laravel
  ...['form_build_id', 'form_id', 'form_token', 'op'], // Drupal
  ...['form_key'], // Magento
  ...['txnDate', 'submit'], // a published form kit
])

export const withoutFrameworks = (given: Form): Form =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !OF_FRAMEWORKS.has(name)))

/** True for every known field name, even a name that an order's form must not have. */
export const isFieldName = (name: string): boolean =>
  Object.hasOwn(FIELDS, name) || name === CHECKSUM || OF_A_CALLBACK.has(name) || OF_FRAMEWORKS.has(name)

/**
 * Returns the readings that a shop may have signed. Some shops sign the empty fields of their forms too, some leave them out. A browser
 * posts each line break as CRLF, so the shop may have signed LF.
 */
export function signedReadings(given: Form): Form[] {
  const entries = Object.entries(given)
  const isBroken = entries.some(([, value]) => value.includes('\r\n'))
  const written = isBroken ? [entries, entries.map(([name, value]) => [name, value.replaceAll('\r\n', '\n')] as const)] : [entries]
  return written.flatMap((each) => [each, each.filter(([, value]) => value !== '')]).map((each) => Object.fromEntries(each))
}

/** The checksum reads the text "null" as empty. */
const isGiven = (value: string | undefined): value is string => value !== undefined && value !== '' && value.toLowerCase() !== 'null'

/**
 * Returns the first field that cannot stand in an order's form, or else the first required field that is missing. Undefined when there is
 * none. This check needs nothing of the merchant.
 */
export function misfit(given: Form): string | undefined {
  for (const [name, value] of Object.entries(given)) {
    if (value.includes('|') || OF_A_CALLBACK.has(name)) return name
    if (isGiven(value) && name !== CHECKSUM && !Object.hasOwn(FIELDS, name)) return name
  }
  return [...REQUIRED, CHECKSUM].find((name) => !isGiven(given[name]))
}

/** Returns the values between the mid and the amount, if there are several. Each could be read as a promocode. */
export function possiblePromocodes(given: Form): string[] {
  const between = NAMES.slice(NAMES.indexOf('MID') + 1, NAMES.indexOf('TXN_AMOUNT')).flatMap((name) => given[name] ?? [])
  const values = between.filter((value) => isGiven(value) && value.length <= PROMOCODE_LENGTH)
  return values.length > 1 ? values : []
}

/** The first field whose value is wrong, or `CHECKSUMHASH` when the values could mean something else under other names. */
export function wrongField(given: Form, known: KnownWords): string | undefined {
  const mid = given['MID']!
  const wrong = NAMES.find((name) => isGiven(given[name]) && !FIELDS[name]!.holds(given[name], known, mid))
  if (wrong !== undefined) return wrong
  if (given['PAYMENT_MODE_ONLY'] === 'YES' && !isGiven(given['PAYMENT_TYPE_ID'])) return 'PAYMENT_TYPE_ID'
  const values = NAMES.flatMap((name) => (isGiven(given[name]) ? [given[name]] : []))
  return haveOneMeaning(values, (name, value) => FIELDS[name]!.holds(value, known, mid)) ? undefined : CHECKSUM
}

const READINGS_MAX = 1_000 // Mohur's choice: a form that takes more tries, dead ends included, is refused

/** True when the values, in their order, make the same order under all names that they can have. */
function haveOneMeaning(values: readonly string[], holds: (name: string, value: string) => boolean): boolean {
  const meanings = new Set<string>()
  let count = 0
  for (const reading of readings(values, 0, holds)) {
    if (reading) meanings.add(contentOfForm(reading))
    if (meanings.size > 1 || ++count > READINGS_MAX) return false
  }
  return true
}

/**
 * Yields every form in which the values can stand under names. Values and names both keep their order. Yields undefined for each try that
 * fails.
 */
function* readings(values: readonly string[], from: number, holds: (name: string, value: string) => boolean): Generator<Form | undefined> {
  const [value, ...rest] = values
  if (value === undefined) {
    yield NAMES.slice(from).some((name) => FIELDS[name]!.isRequired) ? undefined : {}
    return
  }
  for (let at = from; at < NAMES.length; at++) {
    const name = NAMES[at]!
    if (holds(name, value)) for (const others of readings(rest, at + 1, holds)) yield others && { [name]: value, ...others }
    if (FIELDS[name]!.isRequired) break // a required name cannot be skipped
  }
  yield undefined
}

/** Turns a correct form into the words of Create Order on the payment host: docs/interface.md section 4.9. */
export function orderOfForm(given: Form) {
  const value = (name: string) => (isGiven(given[name]) ? given[name] : undefined)
  const [email, mercUnqRef, promoCode] = [value('EMAIL'), value('MERC_UNQ_REF'), value('PROMO_CAMP_ID')]
  const mobile = value('MOBILE_NO') ?? value('MSISDN')
  return {
    requestType: 'PAYMENT' as const,
    mid: given['MID']!,
    orderId: given['ORDER_ID']!,
    websiteName: given['WEBSITE']!,
    txnAmount: { value: given['TXN_AMOUNT']!, currency: 'INR' as const },
    userInfo: {
      custId: given['CUST_ID']!,
      ...(email !== undefined && { email }),
      ...(mobile !== undefined && { mobile: fields.bareMobile(mobile)! }),
    },
    ...(value('CALLBACK_URL') !== undefined && { callbackUrl: given['CALLBACK_URL']! }),
    ...(mercUnqRef !== undefined && { extendInfo: { mercUnqRef } }),
    ...(promoCode !== undefined && { simplifiedPaymentOffers: { promoCode, applyAvailablePromo: false, validatePromo: false } }),
    ...(given['PAYMENT_MODE_ONLY'] === 'YES' && { enablePaymentMode: [onlyMode(given)] }),
  }
}

function onlyMode(given: Form) {
  const mode = MODES.get(given['PAYMENT_TYPE_ID']!)!
  return { mode, ...(mode === 'NET_BANKING' && isGiven(given['BANK_CODE']) && { banks: [given['BANK_CODE']] }) }
}

/** Two forms are the same when they make the same order. */
export const contentOfForm = (given: Form): string => JSON.stringify(orderOfForm(given))
