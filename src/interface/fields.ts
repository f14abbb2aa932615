// Shapes that several operations share: docs/interface.md section 2. Lengths that the interface does not give are Mohur's choice (section
// 8). Schemas say what a value must be. Each operation says which code answers a wrong value.

import Type, { type Static, type TSchema } from 'typebox'
import { instantOf } from './instant.ts'
import { MONEY_PATTERN } from './money.ts'
import { ORDER_PAYMENT_MODES } from './payment-modes.ts'
import { isHttpUrl } from './url.ts'

export {
  CARD_SCHEMES,
  ORDER_PAYMENT_MODES,
  SUBSCRIPTION_PAYMENT_MODES,
  type SubscriptionPaymentMode,
  UPI_CHANNELS,
} from './payment-modes.ts'

const MID_LENGTH = 20 // docs/interface.md section 8
const ORDER_ID_LENGTH = 50 // docs/interface.md section 8
const CUST_ID_LENGTH = 64 // Mohur's choice: section 8
const HOST_CUST_ID_LENGTH = 254 // Mohur's choice: shops name customers by their e-mail address
export const NAME_LENGTH = 64 // Mohur's choice: section 8
const EMAIL_LENGTH = 254 // RFC 5321's longest path
const EMAIL_LOCAL_LENGTH = 64 // RFC 5321 section 4.5.3.1
export const URL_LENGTH = 2_048 // Mohur's choice: section 8
export const TEXT_LENGTH = 255 // Mohur's choice: section 8
const ARRAY_LENGTH = 50 // Mohur's choice: section 8
const MAP_LENGTH = 50 // Mohur's choice: section 8

/** Checks that JSON Schema's own keywords cannot make; request.ts compiles them. No check may be slow on 64 KiB. */
export const formats = {
  text: (value: string) => !CONTROL.test(value),
  email: (value: string) => hasFormOfEmail(value),
  httpUrl: isHttpUrl,
  callbackUrl: (value: string) => formats.httpUrl(value) && HOST.test(value),
  instant: (value: string) => instantOf(value) !== undefined,
  dayFirst: (value: string) => /^[0-9]{2}-[0-9]{2}-[0-9]{4}$/.test(value) && formats.date(yearFirst(value)),
  dateTime: (value: string) => /^.{10} .{8}$/.test(value) && instantOf(value.replace(' ', 'T')) !== undefined,
  date: (value: string): boolean => {
    if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(value)) return false
    try {
      return Temporal.PlainDate.from(value).year > 0
    } catch {
      return false // 30 February has the form of a date, but does not exist
    }
  },
} as const

/** DD-MM-YYYY as YYYY-MM-DD. */
export const yearFirst = (date: string) => date.split('-').reverse().join('-')
/** YYYY-MM-DD as DD-MM-YYYY. Reversing the parts works both ways. */
export const dayFirst = yearFirst

/**
 * RFC 5321's form without quotes, and without the pipe that checksums join by. It has words joined by points, an at sign, and a host of two
 * or more names.
 */
const hasFormOfEmail = (value: string) =>
  value.length <= 2 * EMAIL_LENGTH && // Ajv also checks the format of a text that is too long
  value.indexOf('@') <= EMAIL_LOCAL_LENGTH &&
  EMAIL.test(value)
/** Letters of any script: RFC 6531. */
const WORD = "[\\p{L}\\p{M}\\p{N}!#$%&'*+/=?^_`{}~-]+"
const HOST_NAME = '(?!-)[\\p{L}\\p{M}\\p{N}-]{1,63}(?<!-)'
const EMAIL = new RegExp(`^${WORD}(?:\\.${WORD})*@${HOST_NAME}(?:\\.${HOST_NAME})+$`, 'u')

/** Control characters except tab and line ends, which an address or a description may honestly hold. */
const CONTROL = /(?![\t\n\r])\p{Cc}/u

/** Any other character of a host may mean something when a browser or a header repeats it. */
const HOST = /^https?:\/\/[A-Za-z0-9.:[\]-]+(?:[/?#]|$)/i

export const string = (maxLength = TEXT_LENGTH) => Type.String({ maxLength, format: 'text' })
export const VERSION_LENGTH = 4 // docs/interface.md section 9
export const version = string(VERSION_LENGTH)
export const url = Type.String({ maxLength: URL_LENGTH, format: 'httpUrl' })
/** The address to which a form sends a browser. A header of Mohur's page names the address's host. */
export const callbackUrl = Type.String({ maxLength: URL_LENGTH, format: 'callbackUrl' })
export const name = string(NAME_LENGTH)
/** A date in India, YYYY-MM-DD. */
export const date = Type.String({ format: 'date' })
/** DD-MM-YYYY. */
export const dateDayFirst = Type.String({ format: 'dayFirst' })
/** yyyy-MM-dd HH:mm:ss in India. */
export const dateTime = Type.String({ format: 'dateTime' })
export const email = Type.String({ maxLength: EMAIL_LENGTH, format: 'email' })
export const isEmail = (text: string) => text.length <= EMAIL_LENGTH && formats.email(text)
export const array = <T extends TSchema>(element: T, maxItems = ARRAY_LENGTH) => Type.Array(element, { maxItems })

/** A merchant's own map: any members, kept unchanged. The limits before parsing bound the map's content. */
export const map = Type.Unsafe<Record<string, unknown>>({ type: 'object', maxProperties: MAP_LENGTH })
export const mapOfObjects = Type.Unsafe<Record<string, object>>({
  type: 'object',
  maxProperties: MAP_LENGTH,
  additionalProperties: { type: 'object' },
})

/** A member that must be absent. */
export const never = Type.Unsafe<never>({ not: {} })

export const mid = Type.String({ pattern: `^[A-Za-z0-9_-]{1,${MID_LENGTH}}$` })
export const ORDER_ID_PATTERN = `^[A-Za-z0-9@._-]{1,${ORDER_ID_LENGTH}}$`
export const orderId = Type.String({ pattern: ORDER_ID_PATTERN }) // wider than "alphanumeric": docs/decisions
export const custId = Type.String({ pattern: `^[A-Za-z0-9@!=_$.]{1,${CUST_ID_LENGTH}}$` })
/**
 * The ids that clients of the payment host give to customers. A query may name a customer by any of these ids: docs/interface.md section
 * 4.9.
 */
export const HOST_CUST_ID_PATTERN = `^[A-Za-z0-9@!=_$.+%#~*':-]{1,${HOST_CUST_ID_LENGTH}}$`
export const hostCustId = Type.String({ pattern: HOST_CUST_ID_PATTERN })
/**
 * True for 0, which a shop that numbers its customers gives to every guest. The id names no particular customer, so nothing is kept for it
 * (docs/interface.md section 4.9).
 */
export const isGuest = (custIdGiven: string) => custIdGiven === '0'
export const mobile = Type.String({ pattern: '^[0-9]{10}$' })
export const isMobile = (text: string) => /^[0-9]{10}$/.test(text)
/** Ten digits of a number as people write it, or undefined. */
export function bareMobile(given: string): string | undefined {
  const digits = given.replace(/[ ()-]/g, '').replace(/^(\+91|91(?=\d{10}$)|0(?=\d{10}$))/, '')
  return isMobile(digits) ? digits : undefined
}
const INDIAN_MOBILE = /^(?:\+?91|0)?([6-9][0-9]{9})$/
/** Ten digits of an Indian mobile number. Undefined for any other number. */
export const indianMobile = (given: string | undefined): string | undefined => INDIAN_MOBILE.exec(given ?? '')?.[1]
export const amount = Type.String({ pattern: MONEY_PATTERN })
export const money = Type.Object({ value: amount, currency: Type.Enum(['INR']) })
export type Money = Static<typeof money>
/** An amount to be paid: more than zero. */
export const payable = Type.Object({
  value: Type.String({ pattern: `^(?!0(\\.0{1,2})?$)${MONEY_PATTERN.slice(1)}` }),
  currency: Type.Enum(['INR']),
})

export const channelId = Type.Enum(['APP', 'WEB', 'WAP'])
/** Never checked: clients send epoch seconds, milliseconds, ISO 8601 and worse (docs/interface.md section 4). */
export const requestTimestamp = Type.Unknown()

export const userInfo = Type.Object({
  custId,
  mobile: Type.Optional(mobile),
  email: Type.Optional(email),
  firstName: Type.Optional(name),
  lastName: Type.Optional(name),
})
export const hostUserInfo = Type.Object({ ...userInfo.properties, custId: hostCustId })
export type UserInfo = Static<typeof userInfo>

export const TENURES = [3, 6, 9] as const
const BANK_CODE = '[A-Za-z0-9_]{2,20}'
export const bankCode = Type.String({ pattern: `^${BANK_CODE}$` })
/** Several codes, with commas between them. */
export const bankCodes = (maxItems: number) => Type.String({ pattern: `^${BANK_CODE}(?:,${BANK_CODE}){0,${maxItems - 1}}$` })
/** Order creation: docs/interface.md section 2, PaymentMode. */
export const orderPaymentMode = Type.Object({
  mode: Type.Optional(Type.Enum([...ORDER_PAYMENT_MODES])),
  channels: Type.Optional(array(bankCode)),
  banks: Type.Optional(array(bankCode)),
  tenures: Type.Optional(array(Type.Enum([...TENURES]))),
})

/** For the payment host's clients, which name channels of their own. Those channels match no way to pay. */
export const paymentHostMode = Type.Object({ ...orderPaymentMode.properties, channels: Type.Optional(array(name)) })

export const goodsInfo = Type.Object({
  merchantGoodsId: Type.Optional(string()),
  merchantShippingId: Type.Optional(string()),
  snapshotUrl: Type.Optional(url),
  description: Type.Optional(string()),
  category: Type.Optional(string()),
  quantity: Type.Optional(string()),
  unit: Type.Optional(string()),
  price: Type.Optional(money),
  extendInfo: Type.Optional(map),
})

export const shippingInfo = Type.Object({
  merchantShippingId: Type.Optional(string()),
  trackingNo: Type.Optional(string()),
  carrier: Type.Optional(string()),
  chargeAmount: Type.Optional(money),
  countryName: Type.Optional(string()),
  stateName: Type.Optional(string()),
  cityName: Type.Optional(string()),
  address1: Type.Optional(string()),
  address2: Type.Optional(string()),
  firstName: Type.Optional(name),
  lastName: Type.Optional(name),
  mobileNo: Type.Optional(string()),
  zipCode: Type.Optional(string()),
  email: Type.Optional(string()),
})
