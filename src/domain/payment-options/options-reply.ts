// The reply of Fetch Payment Options as a schema: docs/interface.md section 4.30.

import Type from 'typebox'
import * as fields from '../../interface/fields.ts'
import * as replied from '../../interface/replied.ts'
import { offersReply } from '../promotion/offers.ts'

const optional = Type.Optional

const plan = Type.Object({
  planId: replied.text,
  ofMonths: replied.text,
  interestRate: replied.text,
  minAmount: replied.money,
  interestAmount: optional(replied.money),
  totalAmount: optional(replied.money),
  perInstallment: optional(replied.money),
})
/** One plan by itself, with the names that published clients of Fetch EMI Detail read. */
export const emiChannelInfo = Type.Object({
  channelCode: replied.text,
  ...plan.properties,
  maxAmount: replied.money,
  emiAmount: optional(replied.money),
})
/** Clients of this interface expect the words `true` and `false`, and not a boolean. */
const isSo = Type.Object({ status: replied.yesAsText })
const channel = Type.Object({
  channelCode: replied.text,
  channelName: replied.text,
  maxAmount: optional(replied.money),
  isDisabled: isSo,
  hasLowSuccess: isSo,
  emiType: optional(Type.Enum(['CREDIT_CARD', 'DEBIT_CARD'])),
  minAmount: optional(replied.money),
  emiChannelInfos: optional(Type.Array(plan)),
  balanceInfo: optional(Type.Object({ accountBalance: replied.money, payerAccountExists: replied.yes })),
})
export const modeReply = Type.Object({
  paymentMode: replied.text,
  displayName: replied.text,
  priority: replied.text,
  onboarding: replied.yes,
  isHybridDisabled: replied.yes,
  isDisabled: Type.Object({
    ...isSo.properties,
    msg: optional(replied.text),
    merchantAccept: optional(replied.yesAsText),
    userAccountExist: optional(replied.yesAsText),
  }),
  payChannelOptions: Type.Array(channel),
})
const savedInstrument = Type.Object({
  cardDetails: Type.Object({
    cardId: replied.text,
    cardType: Type.Enum(['CREDIT_CARD', 'DEBIT_CARD']),
    expiryDate: Type.String({ pattern: '^[0-9]{6}$' }),
    firstSixDigit: replied.text,
    lastFourDigit: replied.text,
    status: Type.Enum(['0', '1']),
  }),
  issuingBank: optional(replied.text),
  issuingBankCode: optional(replied.text),
  authModes: Type.Array(Type.Enum(['otp'])),
  channelCode: optional(replied.text),
  isEmiAvailable: replied.yes,
  oneClickSupported: replied.yes,
})

export const reply = Type.Object({
  orderId: optional(fields.orderId),
  txnAmount: optional(replied.money),
  merchantDetails: Type.Object({ mcc: replied.text, merchantName: replied.text }),
  walletOnly: replied.yes,
  zeroCostEmi: replied.yes,
  pcfEnabled: replied.yes,
  nativeJsonRequestSupported: replied.yes,
  paymentFlow: Type.Enum(['NONE', 'HYBRID']),
  merchantPayOption: Type.Object({ paymentModes: Type.Array(modeReply), savedInstruments: Type.Array(savedInstrument) }),
  paymentOffers: offersReply,
})
