// Fetch Balance Info: docs/interface.md section 4.43. It reports the wallet as Fetch Payment Options does, and nothing more.

import Type from 'typebox'
import { question } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import * as replied from '../../interface/replied.ts'
import { fetchBalanceInfo as codes } from '../../interface/result-codes.ts'
import { type Credential, opened, orderReadingWire, payableOf } from './options-access.ts'
import { rupees } from './payment-options.ts'

const body = Type.Object({
  mid: Type.Optional(fields.mid),
  orderId: Type.Optional(fields.orderId),
  paymentMode: Type.Enum(['BALANCE']),
})

export const wire = orderReadingWire(body, codes, codes.missingElement)

export const reply = Type.Object({
  balanceInfo: replied.money,
  passCodeRequired: replied.yes,
  accountStatus: Type.Enum(['ACTIVE']),
})

export interface BalanceQuestion {
  mid: string
  credential: Credential
  now: number
}

export const fetchBalanceInfo = question({
  name: 'fetchBalanceInfo',
  codes,
  async answer({ mid, credential, now }: BalanceQuestion, query) {
    const found = await opened(mid, credential, now, query)
    if (found === 'invalidMid') return { result: codes.invalidMid, parameter: 'mid', cause: 'unknownMid' }
    if (found === 'sessionExpired') return { result: codes.sessionExpired }
    const { modes, wallet } = (await payableOf(found, {}, now, query)).payable
    if (!wallet) return { result: codes.notSignedIn, cause: 'noPayer' }
    if (!modes.has('BALANCE'))
      return { result: codes.invalidField, message: 'Invalid paymentMode', parameter: 'paymentMode', cause: 'modeNotOffered' }
    return {
      result: codes.success,
      body: { balanceInfo: rupees(wallet.balancePaise), passCodeRequired: false, accountStatus: 'ACTIVE' },
    }
  },
})
