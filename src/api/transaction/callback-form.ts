// The fields that the payer's browser brings back to the merchant's callbackUrl: docs/interface.md section 6. The fields are an upper-case
// form, signed by the map form of the checksum. The form informs and decides nothing: merchants confirm by Order Status.

import Type from 'typebox'
import { contentOf, isLostOnOlderKits, type Payee, type Transaction } from '../../domain/transaction/transaction.ts'
import type { Ports } from '../../flows/ports.ts'
import { joinedValues } from '../../interface/checksum.ts'
import * as fields from '../../interface/fields.ts'
import { toRupees } from '../../interface/money.ts'
import * as replied from '../../interface/replied.ts'
import { orderStatus } from '../../interface/result-codes.ts'
import type { Row } from '../../tables/tables.ts'

/** The callback's field names, by the members of a transaction. */
const FIELDS: Readonly<Record<string, string>> = {
  mid: 'MID',
  orderId: 'ORDERID',
  txnId: 'TXNID',
  bankTxnId: 'BANKTXNID',
  txnAmount: 'TXNAMOUNT',
  currency: 'CURRENCY',
  status: 'STATUS',
  respCode: 'RESPCODE',
  respMsg: 'RESPMSG',
  txnDate: 'TXNDATE',
  gatewayName: 'GATEWAYNAME',
  bankName: 'BANKNAME',
  paymentMode: 'PAYMENTMODE',
  custId: 'CUST_ID',
  binNumber: 'BIN_NUMBER',
  cardLastNums: 'CARD_LAST_NUMS',
  subscriptionId: 'SUBS_ID',
  mercUnqRef: 'MERC_UNQ_REF',
  promoCampId: 'PROMO_CAMP_ID',
  promoStatus: 'PROMO_STATUS',
  promoRespCode: 'PROMO_RESPCODE',
}

/** Every callback has these fields, because shops read them unguarded. A field that no attempt fills is empty. */
const OF_AN_ATTEMPT = ['txnId', 'bankTxnId', 'txnDate', 'gatewayName', 'bankName', 'paymentMode'] as const

/** The schema of an attempt's callback. Fields that the transaction lacks, or that `core` leaves out, are absent. */
export const callbackReply = Type.Object({
  MID: fields.mid,
  ORDERID: fields.orderId,
  TXNID: replied.id,
  BANKTXNID: replied.text,
  TXNAMOUNT: replied.rupees,
  CURRENCY: Type.Enum(['INR']),
  STATUS: Type.Enum(['TXN_SUCCESS', 'TXN_FAILURE', 'PENDING']),
  RESPCODE: replied.text,
  RESPMSG: replied.text,
  TXNDATE: replied.txnDate,
  GATEWAYNAME: replied.text,
  BANKNAME: replied.text,
  PAYMENTMODE: replied.text,
  CUST_ID: Type.Optional(replied.text),
  BIN_NUMBER: Type.Optional(replied.text),
  CARD_LAST_NUMS: Type.Optional(replied.text),
  SUBS_ID: Type.Optional(replied.id),
  MERC_UNQ_REF: Type.Optional(replied.text),
  PROMO_CAMP_ID: Type.Optional(replied.text),
  PROMO_STATUS: Type.Optional(Type.Enum(['PROMO_SUCCESS', 'PROMO_FAILURE'])),
  PROMO_RESPCODE: Type.Optional(Type.Enum(['01', '702'])),
  CHECKSUMHASH: Type.Optional(replied.checksum),
})

/** The schema of any order's callback. Without an attempt the attempt's fields are empty. */
export const callback = Type.Object({ ...callbackReply.properties, TXNID: replied.text, TXNDATE: replied.text })

/** True when a form has the fields of a callback, and no other fields. The checksum does not cover their names. */
export const isCallback = (fields: Readonly<Record<string, string>>): boolean =>
  ['MID', 'ORDERID', 'STATUS', CHECKSUM].every((name) => fields[name]) &&
  Object.keys(fields).every((name) => name === CHECKSUM || NAMES.has(name))
const CHECKSUM = 'CHECKSUMHASH'
const NAMES: ReadonlySet<string> = new Set(Object.values(FIELDS))

/** Fields that are left out when the merchant's setting `callbackFields` is `core`. One client checks only the other fields. */
const NOT_CORE: ReadonlySet<string> = new Set(['CUST_ID', 'BIN_NUMBER', 'CARD_LAST_NUMS', 'SUBS_ID'])

/**
 * A value that means the same in a posted form and in a script. A browser posts a line break as CRLF, even if another line break was
 * signed. Frameworks cut off outer spaces, and a pipe joins the values under the checksum (docs/interface.md section 6).
 */
const asPosted = (value: string) =>
  value
    .toWellFormed()
    .replace(/\r\n|[\p{Cc}\p{Zl}\p{Zp}|]/gu, ' ')
    .trim()

/** True for a merchant's reference that the checksum's map form cannot tell from an absent one. */
const isNothing = (name: string, value: string) => name === 'mercUnqRef' && (value === '' || value.toLowerCase() === 'null')

/**
 * Returns strings only, each as `asPosted`, with `CHECKSUMHASH` by the merchant's default key. Fields that `isSaid` leaves out are not
 * signed either.
 */
export const callbackFields = (
  { order, transaction, payee }: { order: Row<'orders'>; transaction: Transaction; payee: Payee },
  { merchantKeys }: Pick<Ports, 'merchantKeys'>,
  isSaid: (name: string, value: string) => boolean = () => true,
): Promise<Record<string, string>> => {
  const isCore = payee.callbackFields === 'core'
  const said = Object.entries(contentOf(order, transaction)).filter(
    ([name, text]) => !(isCore && NOT_CORE.has(FIELDS[name]!)) && isSaid(name, text),
  )
  return signedFields(order.mid, { bankName: '', ...Object.fromEntries(said) }, merchantKeys)
}

/**
 * The callback of an order whose result is not an attempt's. Either the payer has left the order, and `failed` is the last attempt. Or the
 * payer goes back before paying.
 */
export const orderFields = (
  order: Row<'orders'>,
  result: 'cancelled' | 'pending',
  failed: Transaction | undefined,
  { merchantKeys }: Pick<Ports, 'merchantKeys'>,
): Promise<Record<string, string>> => {
  const { mid, orderId, amountPaise } = order
  const { status, code, message } = orderStatus[result]
  const tried = failed ? contentOf(order, failed) : {}
  const ofAttempt = Object.fromEntries(OF_AN_ATTEMPT.map((name) => [name, tried[name] ?? '']))
  const ofOrder = { mid, orderId, txnAmount: toRupees(amountPaise), currency: 'INR', status, respCode: code, respMsg: message }
  return signedFields(mid, { ...ofAttempt, ...ofOrder }, merchantKeys)
}

async function signedFields(mid: string, content: Readonly<Record<string, string>>, merchantKeys: Ports['merchantKeys']) {
  const fields: Record<string, string> = {}
  for (const [name, field] of Object.entries(FIELDS)) {
    if (content[name] === undefined) continue
    const value = asPosted(content[name])
    if (!isNothing(name, value) && !isLostOnOlderKits(name, value)) fields[field] = value
  }
  const signed = await merchantKeys.sign(mid, undefined, joinedValues(fields))
  return signed ? { ...fields, CHECKSUMHASH: signed.signature } : fields
}
