// The classic form of a notification (docs/interface.md section 6). Money, a subscription's state and a notice to the payer each have
// their spelling.

import { isLostOnOlderKits } from '../../domain/transaction/transaction.ts'

type Content = Readonly<Record<string, string>>
type Spelling = Readonly<Record<string, string>>

/** JSON names and their classic spelling. The classic form has no name for any other member. */
const OF_MONEY: Readonly<Record<string, string>> = {
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

/** `ORDERID` is the consent's order, because this form needs no orderId for each message. */
const OF_SUBSCRIPTION: Spelling = {
  mid: 'MID',
  consentOrderId: 'ORDERID',
  custId: 'CUSTID',
  subscriptionId: 'SUBS_ID',
  subscriptionStatus: 'STATUS',
  txnType: 'TXNTYPE',
  paymentMode: 'PAYMENTMODE',
  bankName: 'BANKNAME',
  expiryDate: 'EXPIRYDATE',
  createdDate: 'CREATEDDATE',
  updatedDate: 'UPDATEDDATE',
  custMobile: 'CUSTMOBILE',
  custEmail: 'CUSTEMAILID',
  frequencyUnit: 'FREQUENCYUNIT',
  frequency: 'FREQUENCY',
  maxAmount: 'MAXAMOUNT',
  upfrontTxnAmount: 'UPFRONTTXNAMOUNT',
  amountType: 'AMOUNTTYPE',
  merchantName: 'MERCHANTNAME',
}

const OF_NOTICE: Spelling = {
  mid: 'MID',
  subscriptionId: 'SUBS_ID',
  txnType: 'TXNTYPE',
  referenceId: 'REFERENCEID',
  txnMessage: 'TXNMESSAGE',
  notificationStatus: 'NOTIFICATIONSTATUS',
  notificationStatusCode: 'NOTIFICATIONSTATUSCODE',
  notificationStatusMessage: 'NOTIFICATIONSTATUSMESSAGE',
}

/** The fields of each kind, by their JSON names. Dates are not among them: `classicFields` adds those. */
export const classicSpellings = { money: OF_MONEY, subscription: OF_SUBSCRIPTION, notice: OF_NOTICE }

/** The merchant's own texts, beside those of an order. Mohur leaves out a text that an older kit would not verify. */
const OWN_TEXTS: ReadonlySet<string> = new Set(['txnMessage', 'merchantName'])
const isLost = (name: string, value: string) => isLostOnOlderKits(name, value) || (OWN_TEXTS.has(name) && value.includes('REFUND'))

export function classicFields(content: Content): Record<string, string> {
  const { txnType, txnDate, debitDate, notificationDate } = content
  if (txnType === 'SUBSCRIPTION_NOTIFY') {
    const dates = { TXNDATE: `${slashed(debitDate)} 00:00`, NOTIFICATIONDATE: slashed(notificationDate) }
    return { ...spelled(content, OF_NOTICE), ...dates }
  }
  if (content['subscriptionStatus'] !== undefined) return spelled(content, OF_SUBSCRIPTION)
  const fields = spelled(content, OF_MONEY)
  // The date alone, and with its time down to seconds. The JSON form has both, and tenths, in one member.
  if (txnDate !== undefined) {
    fields['TXNDATE'] = txnDate.slice(0, 'yyyy-MM-dd'.length)
    fields['TXNDATETIME'] = txnDate.slice(0, 'yyyy-MM-dd HH:mm:ss'.length)
  }
  return fields
}

/**
 * Under the map rule a pipe would let two fields pass for one another. The rule's libraries read the text "null" as nothing, so a field
 * with that text is left out.
 */
function spelled(content: Content, spelling: Spelling): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [name, value] of Object.entries(content)) {
    const field = Object.hasOwn(spelling, name) ? spelling[name] : undefined
    if (field === undefined || value.toLowerCase() === 'null' || isLost(name, value)) continue
    fields[field] = value.replaceAll('|', ' ')
  }
  return fields
}

/** Writes DD-MM-YYYY or YYYY-MM-DD as DD/MM/YYYY, and keeps any text behind it. */
const slashed = (date = '') => date.replace(/^(\d{4})-(\d\d)-(\d\d)/, '$3-$2-$1').replaceAll('-', '/')
