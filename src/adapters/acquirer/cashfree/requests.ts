// Requests to Cashfree: a payment's order, its means, and only those facts about the payer that Cashfree asks for.

import type { Bank } from '../../../reference/reference.ts'
import type { Authorize, Means } from '../acquirer.ts'
import { rupeesOf } from './amounts.ts'
import { ABSENT_TAG } from './entities.ts'
import { customerIdOf, orderIdOf } from './ids.ts'

const EXPIRES_AFTER_MS = 30 * 60_000 // docs/acquirer-cashfree.md; Cashfree's default is a month
const RETURN_URL_MAX = 250 // Cashfree's limit
const CLOSING_PHONE = '9999999999' // Cashfree requires a phone and accepts a dummy
const EMAIL_LENGTH = { min: 3, max: 100 } // Cashfree's limits

export const PAISE_MIN = 100 // Cashfree's: the least amount of an order
export const EVENTS_PATH = '/acquirer/cashfree/webhook'

export type Method = { upi: { channel: 'link' } } | { netbanking: { channel: 'link'; netbanking_bank_code: number } }

/** Undefined for a means that this adapter does not take, or a bank without a code. */
export function methodOf(means: Means, banks: readonly Pick<Bank, 'code' | 'cashfree'>[]): Method | undefined {
  if (means.kind === 'upiIntent') return { upi: { channel: 'link' } }
  const code = means.kind === 'netBanking' ? banks.find((bank) => bank.code === means.bank)?.cashfree : undefined
  return code === undefined ? undefined : { netbanking: { channel: 'link', netbanking_bank_code: code } }
}

export interface OrderParts {
  phone?: string | undefined
  publicUrl: string
  /** Real time, in milliseconds. */
  now: number
}

/** Undefined without a phone number, which Cashfree requires. */
export function orderFor({ key, mid, payer, amountPaise, returnUrl }: Authorize, method: Method, parts: OrderParts) {
  const phone = payer?.mobile ?? parts.phone
  if (phone === undefined) return undefined
  const email = payer?.email
  const hasEmail = email !== undefined && email.length >= EMAIL_LENGTH.min && email.length <= EMAIL_LENGTH.max
  return {
    ...orderOf(key, amountPaise, parts.now),
    customer_details: {
      customer_id: customerIdOf(mid, payer?.custId ?? key),
      customer_phone: phone,
      ...(hasEmail && { customer_email: email }),
    },
    order_meta: {
      ...(returnUrl.length <= RETURN_URL_MAX && { return_url: returnUrl }),
      ...(parts.publicUrl.startsWith('https://') && { notify_url: `${parts.publicUrl}${EVENTS_PATH}` }),
      payment_methods: 'upi' in method ? 'upi' : 'nb',
    },
    order_tags: { key },
  }
}

/** No payer can pay this order: it ends as soon as it is made. Its tag says that nothing was ever paid under its key. */
export const closingOrder = (key: string, now: number) => ({
  ...orderOf(key, PAISE_MIN, now),
  customer_details: { customer_id: customerIdOf('', key), customer_phone: CLOSING_PHONE },
  order_tags: { key, state: ABSENT_TAG },
})

const orderOf = (key: string, amountPaise: number, now: number) => ({
  order_id: orderIdOf(key),
  order_amount: rupeesOf(amountPaise),
  order_currency: 'INR',
  order_expiry_time: Temporal.Instant.fromEpochMilliseconds(now + EXPIRES_AFTER_MS).toString(),
})

/** The payer's browser in Cashfree's words. An unknown browser is `desktop` and `others`. */
export function deviceOf(userAgent = ''): Readonly<Record<string, string>> {
  const os = /Android/i.test(userAgent)
    ? 'android'
    : /iPhone|iPad|iPod/i.test(userAgent)
      ? 'ios'
      : (/(windows|mac|linux)/i.exec(userAgent)?.[1]?.toLowerCase() ?? 'others')
  const browser = (/(Edg|OPR|Firefox|Chrome|Safari)/.exec(userAgent)?.[1] ?? 'others').toLowerCase()
  const isPhone = os === 'android' || os === 'ios'
  return {
    'x-client-device': isPhone ? 'mobile' : 'desktop',
    'x-client-os': os,
    'x-client-browser': browser,
    'x-client-rendering-type': isPhone ? 'mweb' : 'web',
  }
}
