// Fetch NB Payment Channels: docs/interface.md section 4.44. It lists net banking alone, as the payment options list it.

import Type from 'typebox'
import { question } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import { fetchNbPaymentChannels as codes } from '../../interface/result-codes.ts'
import type { Reference } from '../../reference/reference.ts'
import { type Credential, opened, payableOf, readingWire } from './options-access.ts'
import { modeReply } from './options-reply.ts'
import { netBankingOf } from './payment-options.ts'

const body = Type.Object({
  mid: Type.Optional(fields.mid),
  orderId: Type.Optional(fields.orderId),
  type: Type.Enum(['MERCHANT']),
})

export const wire = readingWire(body, codes, codes.missingElement)

export const reply = Type.Object({ nbPayOption: modeReply })

export interface FetchNbPaymentChannels {
  mid: string
  credential: Credential
  reference: Reference
  now: number
}

export const fetchNbPaymentChannels = question({
  name: 'fetchNbPaymentChannels',
  codes,
  async answer({ mid, credential, reference, now }: FetchNbPaymentChannels, query) {
    const found = await opened(mid, credential, now, query)
    if (found === 'invalidMid') return { result: codes.invalidMid, parameter: 'mid', cause: 'unknownMid' }
    if (found === 'sessionExpired') return { result: codes.sessionExpired }
    const { payable } = await payableOf(found, reference, now, query)
    return { result: codes.success, body: { nbPayOption: netBankingOf(payable, reference) } }
  },
})
