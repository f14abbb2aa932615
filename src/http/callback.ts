// What the payer's browser brings back to the merchant's callbackUrl: docs/interface.md section 6. A form of upper-case
// fields, signed by the map form of the checksum; it is told, not decided: merchants confirm by Order Status.

import { joinedValues } from '../interface/checksum.ts'
import type { Row } from '../tables.ts'
import { contentOf, type Transaction } from '../transaction/transaction.ts'
import type { Edge } from './edge.ts'

/** The names of a transaction's content in the spelling of the callback. */
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

/** Strings only, each free of pipes; `CHECKSUMHASH` with the merchant's default key. */
export async function callbackFields(
  order: Row<'orders'>,
  transaction: Transaction,
  { merchantKeys }: Edge,
): Promise<Record<string, string>> {
  const content = contentOf(order, transaction)
  const fields: Record<string, string> = {}
  for (const [name, field] of Object.entries(FIELDS)) if (content[name] !== undefined) fields[field] = content[name].replaceAll('|', ' ')
  const signed = await merchantKeys.sign(order.mid, undefined, joinedValues(fields))
  return signed ? { ...fields, CHECKSUMHASH: signed.signature } : fields
}
