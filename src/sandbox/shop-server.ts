// The demo shop's own server (docs/sandbox.md). It signs with its merchant's key and calls operations over HTTP. It keeps nothing: an
// order's id names the article. The callback's fields travel in the address of a page, which verifies them again.

import { operations } from '../api/operations.ts'
import { dateInIndia } from '../engine/clock.ts'
import type { Ports } from '../flows/ports.ts'
import { joinedValues } from '../interface/checksum.ts'
import { toRupees } from '../interface/money.ts'
import { PageError } from '../pages/kit/page-error.ts'
import { demoWorld } from './world.ts'

const merchant = demoWorld.merchants![0]!
export const SHOP = '/sandbox/shop'
export const SHOP_MID = merchant.mid
/** The owner of the sandbox's first phone. */
export const SHOPPER = demoWorld.customers![0]!.mobile

const ORDER_FORM = /^[A-Za-z0-9@._-]{1,50}$/ // docs/interface.md section 4.5
const BOUGHT_FORM = /^SHOP_(COFFEE|MONTHLY|FORM)_(\d{8})_[0-9a-f]{8}$/
const REF_ID_LENGTH = 50 // docs/interface.md section 4.14

export type Article = 'COFFEE' | 'MONTHLY' | 'FORM'
const COFFEE = { name: 'Filter coffee, 500 g', paise: 499_00 }
const MONTHLY = { name: 'A bag of coffee every month', paise: 1_00, renewalPaise: 199_00, years: 5 }
export const articles = { COFFEE, MONTHLY, FORM: COFFEE } as const satisfies Readonly<Record<Article, { name: string; paise: number }>>

export type ShopAnswer = Readonly<Record<string, unknown>>

/** A request before it is signed. */
export interface ShopRequest {
  path: string
  /** Exactly the text that is signed. */
  body: string
}

export interface ShopParts {
  ports: Ports
  /** Calls this service over HTTP, as its merchant does. */
  ask(path: string, text: string): Promise<ShopAnswer | undefined>
  /** The address that `ask` calls. Notifications come back to it. */
  ownUrl(): string
}

/** Throws when the operator's own world has no demo merchant. */
export async function ask({ ports, ask: post }: ShopParts, { path, body }: ShopRequest): Promise<ShopAnswer> {
  const signed = await ports.merchantKeys.sign(SHOP_MID, undefined, body)
  if (!signed) throw new PageError('unknown')
  const answer = await post(path, `{"head":{"signature":${JSON.stringify(signed.signature)}},"body":${body}}`)
  if (answer === undefined) throw new PageError('system')
  return (answer['body'] ?? {}) as ShopAnswer
}

export function orderIdIn(text: unknown): string {
  if (typeof text !== 'string' || !ORDER_FORM.test(text)) throw new PageError('unknown')
  return text
}

// --------------------------------------------------------------------------------------------------------------- orders

export const newOrderId = (article: Article, { clock, fresh }: Ports): string =>
  `SHOP_${article}_${dateInIndia(clock.now()).replaceAll('-', '')}_${fresh.hex(4)}`

export const articleOf = (orderId: string): Article | undefined => BOUGHT_FORM.exec(orderId)?.[1] as Article | undefined

/** The order stands in the query: parts of a sandbox path may hold only letters and digits, and order ids hold more. */
export const shopAddress = (of: 'order' | 'notification' | 'refund', orderId: string, fields: Readonly<Record<string, string>> = {}) =>
  `${SHOP}/${of}?${new URLSearchParams({ ...fields, orderId })}`
const callbackUrlOf = ({ ports }: ShopParts, orderId: string) => `${ports.publicUrl()}${shopAddress('order', orderId)}`
const textOf = (body: object) => JSON.stringify(body)
const money = (paise: number) => ({ value: toRupees(paise), currency: 'INR' })

/** The request that makes an order of this shop. Undefined for an order of a form or of another program. */
export function orderRequest(parts: ShopParts, orderId: string): ShopRequest | undefined {
  const [, article, day = ''] = BOUGHT_FORM.exec(orderId) ?? []
  const of = { mid: SHOP_MID, orderId, websiteName: 'DEFAULT', userInfo: { custId: 'DEMO_CUSTOMER', mobile: SHOPPER } }
  const callbackUrl = callbackUrlOf(parts, orderId)
  const query = `?mid=${SHOP_MID}&orderId=${orderId}`
  if (article === 'COFFEE') {
    const peonUrl = `${parts.ownUrl()}${shopAddress('notification', orderId)}`
    const body = textOf({ requestType: 'PAYMENT', ...of, txnAmount: money(COFFEE.paise), callbackUrl, peonUrl })
    return { path: `${operations.createOrder.paths[0]}${query}`, body }
  }
  if (article !== 'MONTHLY') return undefined
  const ordered = Temporal.PlainDate.from(day)
  const terms = {
    ...{ subscriptionAmountType: 'FIX', renewalAmount: toRupees(MONTHLY.renewalPaise), subscriptionFrequencyUnit: 'MONTH' },
    ...{ subscriptionStartDate: ordered.add({ months: 1 }).toString(), subscriptionGraceDays: '2' },
    ...{ subscriptionExpiryDate: ordered.add({ years: MONTHLY.years }).toString(), subscriptionEnableRetry: '1' },
    ...{ autoRenewal: true, communicationManager: true, subscriptionPurpose: MONTHLY.name },
  }
  const body = textOf({ requestType: 'NATIVE_SUBSCRIPTION', ...of, txnAmount: money(MONTHLY.paise), callbackUrl, ...terms })
  return { path: `${operations.initiateSubscription.paths[0]}${query}`, body }
}

/** The hidden fields of a form kit's button. A press makes the order. */
export async function kitForm(parts: ShopParts): Promise<Readonly<Record<string, string>>> {
  const orderId = newOrderId('FORM', parts.ports)
  const fields = {
    ...{ MID: SHOP_MID, ORDER_ID: orderId, CUST_ID: 'DEMO_CUSTOMER', MOBILE_NO: SHOPPER, TXN_AMOUNT: toRupees(COFFEE.paise) },
    ...{ CHANNEL_ID: 'WEB', WEBSITE: 'DEFAULT', INDUSTRY_TYPE_ID: 'Retail', CALLBACK_URL: callbackUrlOf(parts, orderId) },
  }
  const signed = await parts.ports.merchantKeys.sign(SHOP_MID, undefined, joinedValues(fields))
  if (!signed) throw new PageError('unknown')
  return { ...fields, CHECKSUMHASH: signed.signature }
}

export const statusRequest = (orderId: string): ShopRequest => ({
  path: operations.orderStatus.paths[0],
  body: textOf({ mid: SHOP_MID, orderId }),
})

export const subscriptionRequest = (subsId: string): ShopRequest => ({
  path: operations.checkSubscriptionStatus.paths[0],
  body: textOf({ mid: SHOP_MID, subsId }),
})

/** Each order has one refId, so the whole amount is refunded once: a repeated refId is the same refund. */
const refIdOf = (orderId: string) => `R_${orderId}`.slice(0, REF_ID_LENGTH)
export const refundRequest = (orderId: string, txnId: string, refundAmount: string): ShopRequest => ({
  path: operations.applyRefund.paths[0],
  body: textOf({ mid: SHOP_MID, txnType: 'REFUND', orderId, txnId, refId: refIdOf(orderId), refundAmount }),
})
export const refundStatusRequest = (orderId: string): ShopRequest => ({
  path: operations.refundStatus.paths[0],
  body: textOf({ mid: SHOP_MID, orderId, refId: refIdOf(orderId) }),
})

// -------------------------------------------------------------------------------------------------------- what comes in

/** True when this merchant's key has signed the fields. */
export async function isSigned({ ports }: ShopParts, given: Readonly<Record<string, string>>): Promise<boolean> {
  const { CHECKSUMHASH, ...fields } = given
  return ports.merchantKeys.holds(SHOP_MID, joinedValues(fields), CHECKSUMHASH)
}
