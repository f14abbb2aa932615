// What the operator's lists say of an instrument (reference.ts), and whether they know it at all: docs/interface.md section
// 4.10. It is judged before any row is read, as every other wrong value.

import type { Refusal } from '../interface/request.ts'
import { processTransaction as codes } from '../interface/result-codes.ts'
import type { Instrument } from '../tables.ts'
import type { ProcessTransaction } from './process-transaction.ts'
import type { Bin, Reference } from './reference.ts'

type Refused = Refusal<(typeof codes)['success']>
const invalid = (name: string): Refused => ({ result: codes.invalidField, message: `Invalid ${name}`, parameter: name })

export function describeInstrument(
  { paymentMode, channelCode, payerAccount, planId }: ProcessTransaction['request'],
  card: Instrument,
  reference: Reference,
): Instrument | Refused {
  switch (paymentMode) {
    case 'NET_BANKING':
      return reference.bank(channelCode!)?.netBanking ? { bank: channelCode! } : invalid('channelCode')
    case 'UPI': {
      if (payerAccount === undefined) return {}
      return reference.knowsHandle(payerAccount.slice(payerAccount.indexOf('@') + 1)) ? { vpa: payerAccount } : invalid('payerAccount')
    }
    case 'CREDIT_CARD':
    case 'DEBIT_CARD':
    case 'EMI': {
      const known = card.bin === undefined ? undefined : (reference.bin(card.bin) ?? ofNetwork(card.bin))
      // A saved card's digits are in its row, which the decision reads.
      if (card.bin !== undefined && (!known || (known.paymentMode && known.paymentMode !== paymentMode && paymentMode !== 'EMI')))
        return { result: codes.cardNotSupported, parameter: 'cardInfo' }
      const described = { ...card, ...(known && { cardScheme: known.scheme, ...(known.bank && { bank: known.bank }) }) }
      if (paymentMode !== 'EMI') return described
      const plan = reference.emiPlan(planId!)
      const fits = plan && (known === undefined || (known.emi && known.bank === plan.bank))
      return fits ? { ...described, planId: plan.planId, tenure: plan.tenure } : invalid('planId')
    }
    default:
      return {}
  }
}

/** A range that the lists leave out still tells its network by its first digits (ISO/IEC 7812). */
function ofNetwork(bin: string): (Pick<Bin, 'scheme'> & Partial<Bin>) | undefined {
  const four = Number(bin.slice(0, 4))
  if (bin.startsWith('4')) return { scheme: 'VISA' }
  if ((four >= 5100 && four <= 5599) || (four >= 2221 && four <= 2720)) return { scheme: 'MASTER' }
  if (bin.startsWith('34') || bin.startsWith('37')) return { scheme: 'AMEX' }
  if (/^(60|65|81|82|508)/.test(bin)) return { scheme: 'RUPAY' }
  return undefined
}
