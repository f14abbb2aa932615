// Checkout forms of older kits as shops sign them. A signed form may come back under other names, with the same values in the same order,
// so that the signature holds.

import { joinedValues, sign } from '../../../src/interface/checksum.ts'
import { KEY, MID } from '../run/service.ts'
import type { Random } from '../text/random.ts'

export type Form = Record<string, string>

export const orderForm = (orderId: string, more: Form = {}): Form => ({
  ...{ MID, ORDER_ID: orderId, CUST_ID: 'C1', TXN_AMOUNT: '100.00', CHANNEL_ID: 'WEB', WEBSITE: 'DEFAULT', INDUSTRY_TYPE_ID: 'Retail' },
  ...more,
})
export const checksummed = (form: Form, salt = 'salt'): Form => ({ ...form, CHECKSUMHASH: sign(joinedValues(form), KEY, salt) })

/** Optional members that shops send. */
export const OPTIONAL: Form = {
  AUTH_MODE: '3D',
  BANK_CODE: 'HDFC',
  CALLBACK_URL: 'https://shop.example/paid',
  EMAIL: 'asha@shop.example',
  MERC_UNQ_REF: 'order of asha',
  MOBILE_NO: '9876543210',
  PAYMENT_MODE_ONLY: 'NO',
  PAYMENT_TYPE_ID: 'CC',
  PROMO_CAMP_ID: 'TEN',
  REQUEST_TYPE: 'DEFAULT',
}

const USED = [...Object.keys(orderForm('')), ...Object.keys(OPTIONAL)]
const KNOWN = [...USED, 'MSISDN', 'VERIFIED_BY', 'IS_USER_VERIFIED', 'theme']
/** Names of Mohur's callback, of flat queries, of no interface, and of frameworks. */
const OTHERS = [
  ...[
    'BANKNAME',
    'BANKTXNID',
    'CURRENCY',
    'GATEWAYNAME',
    'ORDERID',
    'PAYMENTMODE',
    'RESPCODE',
    'RESPMSG',
    'STATUS',
    'TXNAMOUNT',
    'TXNDATE',
  ],
  ...['TXNID', 'REFID', 'REFUNDAMOUNT', 'TXNTYPE', 'AMOUNT', 'NOTE', 'ORDER_DETAILS', 'SSO_TOKEN', 'a', 'z', '__proto__', 'constructor'],
  ...['form_key', 'submit', 'txnDate'],
]

/** The same values under drawn names. One name may come out unchanged. */
export function renamed({ CHECKSUMHASH, ...signed }: Form, random: Random): Form {
  const values = Object.keys(signed)
    .sort()
    .map((name) => signed[name]!)
  const from = random.pick([[...KNOWN, ...OTHERS], KNOWN, USED, USED])
  const names = new Set<string>()
  while (names.size < values.length) names.add(random.pick(from))
  const named = [...names].sort().map((name, at) => [name, values[at]!] as const)
  return Object.assign(Object.create(null) as Form, Object.fromEntries(named), { CHECKSUMHASH })
}

/** A value with a pipe that a shop was made to sign, and its parts under their own names. */
export function split({ CHECKSUMHASH, ...signed }: Form, random: Random): Form {
  const parts = Object.keys(signed)
    .sort()
    .flatMap((name) => signed[name]!.split('|'))
  const names = new Set<string>()
  while (names.size < parts.length) names.add(random.pick(parts.length > KNOWN.length ? [...KNOWN, ...OTHERS] : KNOWN))
  const named = [...names].sort().map((name, at) => [name, parts[at]!] as const)
  return Object.assign(Object.fromEntries(named), { CHECKSUMHASH })
}
