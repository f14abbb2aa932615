// What a notification looks like on the wire: docs/interface.md section 6. The bytes depend on nothing but the notification
// and the merchant's keys, so that every attempt and every re-send of one webhook-id is the same.

import { createHmac } from 'node:crypto'
import { joinedValues } from '../interface/checksum.ts'
import { signable, writeEnvelope } from '../interface/envelope.ts'
import { isLostOnOlderKits } from '../transaction/transaction.ts'

/** The checksum of a text with the merchant's default key; undefined when the merchant has none. */
export type Sign = (data: string) => Promise<string | undefined>

export interface Rendered {
  contentType: string
  body: string
}
type Content = Readonly<Record<string, string>>

export const render = (form: 'json' | 'classic', content: Content, sign: Sign): Promise<Rendered> =>
  form === 'json' ? renderJson(content, sign) : renderClassic(content, sign)

async function renderJson(content: Content, sign: Sign): Promise<Rendered> {
  const body = signable(JSON.stringify(content))
  const signature = await sign(body)
  return { contentType: 'application/json', body: writeEnvelope(signature === undefined ? {} : { signature }, body) }
}

async function renderClassic(content: Content, sign: Sign): Promise<Rendered> {
  const fields = classicFields(content)
  const signature = await sign(joinedValues(fields))
  const form = new URLSearchParams(signature === undefined ? fields : { ...fields, CHECKSUMHASH: signature })
  return { contentType: 'application/x-www-form-urlencoded', body: form.toString() }
}

/** The names of the JSON form in the spelling of the classic one; what is not here it has no name for. */
const CLASSIC: Readonly<Record<string, string>> = {
  mid: 'MID',
  orderId: 'ORDERID',
  txnId: 'TXNID',
  txnAmount: 'TXNAMOUNT',
  currency: 'CURRENCY',
  status: 'STATUS',
  respCode: 'RESPCODE',
  respMsg: 'RESPMSG',
  txnType: 'TXNTYPE',
  paymentMode: 'PAYMENTMODE',
  bankTxnId: 'BANKTXNID',
  bankName: 'BANKNAME',
  gatewayName: 'GATEWAYNAME',
  custId: 'CUSTID',
  refundId: 'REFUNDID',
  refId: 'REFID',
  refundAmount: 'REFUNDAMT',
  totalRefundAmount: 'TOTALREFUNDAMT',
  subscriptionId: 'SUBS_ID',
  mercUnqRef: 'MERC_UNQ_REF',
  promoCampId: 'PROMO_CAMP_ID',
  promoStatus: 'PROMO_STATUS',
  promoRespCode: 'PROMO_RESPCODE',
  udf1: 'UDF_1',
  udf2: 'UDF_2',
  udf3: 'UDF_3',
  comments: 'COMMENTS',
  authCode: 'AUTHCODE',
  rrn: 'RRN',
  vpa: 'VPA',
  cardIndexNo: 'cardIndexNo',
  maskedCardNo: 'maskedCardNo',
}

/** A pipe would let two fields pass for one another under the map rule, and its libraries read the text "null" as nothing. */
export function classicFields(content: Content): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [name, value] of Object.entries(content)) {
    const field = Object.hasOwn(CLASSIC, name) ? CLASSIC[name] : undefined
    if (field === undefined || value.toLowerCase() === 'null' || isLostOnOlderKits(name, value)) continue
    fields[field] = value.replaceAll('|', ' ')
  }
  // The date alone, and with its time down to seconds: the JSON form has both and tenths in one member.
  const { txnDate } = content
  if (txnDate !== undefined) {
    fields['TXNDATE'] = txnDate.slice(0, 'yyyy-MM-dd'.length)
    fields['TXNDATETIME'] = txnDate.slice(0, 'yyyy-MM-dd HH:mm:ss'.length)
  }
  return fields
}

const SECRET_PREFIX = 'whsec_'

/**
 * Standard Webhooks, version 1: HMAC-SHA256 over id, time and body. The time is that of the attempt on a real clock, which
 * receivers compare with their own.
 */
export function webhookHeaders(secret: string, id: string, realNow: number, body: string): Record<string, string> {
  const timestamp = String(Math.floor(realNow / 1_000))
  const key = Buffer.from(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret, 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` }
}
