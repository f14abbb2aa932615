// The body of Process Transaction: docs/interface.md section 4.10.

import Type, { type Static } from 'typebox'
import * as fields from '../../interface/fields.ts'
import { PAYMENT_MODES } from '../../interface/payment-modes.ts'
import { VPA_FORM } from '../../reference/reference.ts'

/** A card after its number was cut away (api/card/card-input.ts). The rest suffices to name its faults and to recognise it again. */
const card = Type.Object({
  savedCardId: Type.Optional(fields.string(64)),
  form: Type.Enum(['whole', 'broken']),
  number: Type.Enum(['valid', 'invalid', 'none']),
  cvv: Type.Enum(['valid', 'invalid']),
  expiry: Type.Enum(['valid', 'past', 'invalid', 'none']),
})

/** The account of a bank mandate, if the subscription has none. */
const bankAccount = {
  account_number: Type.Optional(fields.string(40)),
  bankIfsc: Type.Optional(fields.string(20)),
  USER_NAME: Type.Optional(fields.string(100)),
  ACCOUNT_TYPE: Type.Optional(fields.string(20)),
  mandateAuthMode: Type.Optional(fields.string(20)),
}
export const BANK_ACCOUNT = Object.keys(bankAccount) as (keyof typeof bankAccount)[]

export const body = Type.Object({
  mid: fields.mid,
  orderId: fields.orderId,
  requestType: Type.Optional(Type.Enum(['NATIVE', 'Payment', 'PAYMENT', 'SUBSCRIPTION'])),
  paymentMode: Type.Enum([...PAYMENT_MODES, 'UPI_INTENT']),
  cardInfo: Type.Optional(card),
  authMode: Type.Optional(fields.string(20)),
  channelCode: Type.Optional(fields.bankCode),
  payerAccount: Type.Optional(Type.String({ pattern: VPA_FORM.source })),
  ...bankAccount,
  planId: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_]{2,20}\\|[0-9]{1,2}$' })),
  paymentFlow: Type.Optional(Type.Enum(['NONE', 'PAY', 'HYBRID', 'ADDANDPAY'])),
  storeInstrument: Type.Optional(Type.Unknown()),
  promoCode: Type.Optional(fields.string(64)),
  txnNote: Type.Optional(fields.string()),
  extendInfo: Type.Optional(fields.map),
  txnRoutingParams: Type.Optional(fields.mapOfObjects),
})
export type PaymentRequest = Static<typeof body>
