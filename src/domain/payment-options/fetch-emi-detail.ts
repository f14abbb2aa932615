// Fetch EMI Detail: docs/interface.md section 4.45. It lists the plans of the requested banks, as the payment options list them.

import Type, { type Static } from 'typebox'
import { question } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import { toPaise } from '../../interface/money.ts'
import * as replied from '../../interface/replied.ts'
import { fetchEmiDetail as codes } from '../../interface/result-codes.ts'
import type { Reference } from '../../reference/reference.ts'
import { type Credential, opened, orderReadingWire, payableOf } from './options-access.ts'
import { emiChannelInfo } from './options-reply.ts'
import { EMI_TYPES, emiPlansOf, isHybridDisabled } from './payment-options.ts'

const CHANNEL_CODES_MAX = 20 // docs/interface.md section 8 (Mohur)

const body = Type.Object({
  mid: Type.Optional(fields.mid),
  orderId: Type.Optional(fields.orderId),
  channelCode: fields.bankCodes(CHANNEL_CODES_MAX),
  emiType: Type.Optional(Type.Enum(EMI_TYPES)),
  amount: Type.Optional(fields.money),
})

export const wire = orderReadingWire(body, codes, codes.missingElement)

export const reply = Type.Object({
  emiDetail: Type.Object({
    channelCode: replied.text,
    emiType: Type.Enum(EMI_TYPES),
    isHybridDisabled: replied.yes,
    emiChannelInfos: Type.Array(emiChannelInfo),
  }),
})

export interface FetchEmiDetail {
  mid: string
  request: Static<typeof body>
  credential: Credential
  reference: Reference
  now: number
}

export const fetchEmiDetail = question({
  name: 'fetchEmiDetail',
  codes,
  async answer({ mid, request, credential, reference, now }: FetchEmiDetail, query) {
    const found = await opened(mid, credential, now, query)
    if (found === 'invalidMid') return { result: codes.invalidMid, parameter: 'mid', cause: 'unknownMid' }
    if (found === 'sessionExpired') return { result: codes.sessionExpired }
    const { payable } = await payableOf(found, reference, now, query)
    const { channelCode, amount, emiType = 'CREDIT_CARD' } = request
    const banks = [...new Set(channelCode.split(','))]
    const of = amount === undefined ? payable : { ...payable, amountPaise: toPaise(amount.value) }
    const emiChannelInfos = emiPlansOf(banks, emiType, of, reference)
    return {
      result: codes.success,
      body: { emiDetail: { channelCode, emiType, isHybridDisabled: isHybridDisabled('EMI', payable), emiChannelInfos } },
    }
  },
})
