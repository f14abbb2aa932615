// Fetch BIN Detail: docs/interface.md section 4.31. At most eight digits of a card number reach this file
// (api/payment-options/fetch-bin-detail.ts).

import Type, { type Static } from 'typebox'
import { question } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import * as replied from '../../interface/replied.ts'
import { fetchBinDetail as codes } from '../../interface/result-codes.ts'
import { BIN_DIGITS, BIN_DIGITS_MIN, type Reference } from '../../reference/reference.ts'
import { takesDebitCardEmi } from '../order/payment-modes.ts'
import { type Credential, modesOpen, opened, readingWire } from './options-access.ts'
import { isForEmi } from './payment-options.ts'

const body = Type.Object({
  mid: Type.Optional(fields.mid),
  orderId: Type.Optional(fields.orderId),
  bin: Type.String({ pattern: `^[0-9]{${BIN_DIGITS_MIN},${BIN_DIGITS}}$` }),
})

export const wire = readingWire(body, codes, codes.missingElement)

export const reply = Type.Object({
  binDetail: Type.Object({
    bin: replied.text,
    paymentMode: Type.Enum(['CREDIT_CARD', 'DEBIT_CARD']),
    channelCode: replied.text,
    channelName: replied.text,
    issuingBank: replied.text,
    issuingBankCode: replied.text,
    isIndian: replied.yesAsText,
    isActive: replied.yesAsText,
  }),
  isEmiAvailable: replied.yes,
})

export interface FetchBinDetail {
  mid: string
  request: Static<typeof body>
  credential: Credential
  reference: Reference
  now: number
}

export const fetchBinDetail = question({
  name: 'fetchBinDetail',
  codes,
  async answer({ mid, request: { bin }, credential, reference, now }: FetchBinDetail, query) {
    const found = await opened(mid, credential, now, query)
    if (found === 'invalidMid') return { result: codes.invalidMid, parameter: 'mid', cause: 'unknownMid' }
    if (found === 'sessionExpired') return { result: codes.sessionExpired }
    const card = reference.bin(bin)
    if (!card) return { result: codes.unknownBin, parameter: 'bin' }

    const { merchant, order } = found
    const modes = await modesOpen(found, reference, query)
    const payable = { modes, amountPaise: order?.amountPaise, debitCardEmi: takesDebitCardEmi(merchant, modes, order) }
    return {
      result: codes.success,
      body: {
        binDetail: {
          bin,
          paymentMode: card.paymentMode,
          channelCode: card.scheme,
          channelName: card.scheme,
          issuingBank: reference.bank(card.bank)?.name ?? card.bank,
          issuingBankCode: card.bank,
          isIndian: String(card.isIndian),
          isActive: 'true',
        },
        isEmiAvailable: isForEmi(card, payable, reference),
      },
    }
  },
})
