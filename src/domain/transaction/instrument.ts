// Describes an instrument by the operator's lists (reference.ts): docs/interface.md section 4.10. A typed instrument is checked before any
// row is read, as every other value is. A saved card is checked with its row, by the rules for a typed card.

import type { Reason } from '../../interface/reason.ts'
import type { Refusal } from '../../interface/request.ts'
import { processTransaction as codes } from '../../interface/result-codes.ts'
import type { Bin, Reference } from '../../reference/reference.ts'
import type { Row } from '../../tables/tables.ts'
import type { Instrument } from '../../tables/transaction.ts'
import type { PaymentRequest } from './payment-request.ts'

export type Refused = Refusal<(typeof codes)['success']>
export const invalid = (name: string, cause: Reason): Refused => ({
  result: codes.invalidField,
  message: `Invalid ${name}`,
  ...{ parameter: name, cause },
})

/** The lists find a typed card by its first eight digits, even if fewer may be kept. They find a saved card by its kept digits. */
export function describeInstrument(
  { paymentMode, channelCode, payerAccount, planId }: PaymentRequest,
  card: Instrument,
  reference: Reference,
  firstDigits = card.bin,
): Instrument | Refused {
  switch (paymentMode) {
    case 'NET_BANKING':
      return reference.bank(channelCode!)?.netBanking ? { bank: channelCode! } : invalid('channelCode', 'unknownBank')
    case 'BANK_MANDATE':
      return channelCode === undefined ? {} : reference.bank(channelCode) ? { bank: channelCode } : invalid('channelCode', 'unknownBank')
    case 'UPI': {
      if (payerAccount === undefined) return {}
      return reference.knowsHandle(payerAccount.slice(payerAccount.indexOf('@') + 1))
        ? { vpa: payerAccount }
        : invalid('payerAccount', 'unknownHandle')
    }
    case 'CREDIT_CARD':
    case 'DEBIT_CARD':
    case 'EMI': {
      const plan = paymentMode === 'EMI' ? reference.emiPlan(planId!) : undefined
      if (paymentMode === 'EMI' && !plan) return invalid('planId', 'unknownPlan')
      if (firstDigits === undefined) return card // the decision reads a saved card's digits from its row
      const known = knownCard(firstDigits, reference)
      const cardType = known?.paymentMode ?? card.cardType ?? (paymentMode === 'EMI' ? undefined : paymentMode)
      if (!known || (paymentMode !== 'EMI' && cardType !== paymentMode)) return { result: codes.cardNotSupported, parameter: 'cardInfo' }
      const described = { ...card, cardScheme: known.scheme, ...(cardType && { cardType }), ...(known.bank && { bank: known.bank }) }
      if (!plan) return described
      return known.emi && known.bank === plan.bank
        ? { ...described, planId: plan.planId, tenure: plan.tenure }
        : invalid('planId', 'unknownPlan')
    }
    case 'UPI_INTENT':
    case 'BALANCE':
    case 'PPBL':
    case 'SVC_DIGITAL_CREDIT':
      return {}
    default:
      return paymentMode satisfies never
  }
}

/** A saved card as an instrument, like a typed card before the look-up. `describeInstrument` adds scheme and bank from the lists. */
export const savedInstrument = ({ savedCardId, paymentMode, card: { bin, last4, expiry } }: Row<'savedCards'>): Instrument => ({
  savedCardId,
  bin,
  cardLast4: last4,
  expiry,
  cardType: paymentMode,
})

/** `expiry` is MMYYYY, and the card is valid until the end of that month. `today` is YYYY-MM-DD. */
export const isPast = (expiry: string, today: string) => `${expiry.slice(2)}-${expiry.slice(0, 2)}` < today.slice(0, 'YYYY-MM'.length)

/** When the lists lack a range, the first digits still give the network (ISO/IEC 7812). */
export const knownCard = (bin: string, reference: Reference): (Pick<Bin, 'scheme'> & Partial<Bin>) | undefined =>
  reference.bin(bin) ?? ofNetwork(bin)

function ofNetwork(bin: string): Pick<Bin, 'scheme'> | undefined {
  const four = Number(bin.slice(0, 4))
  if (bin.startsWith('4')) return { scheme: 'VISA' }
  if ((four >= 5100 && four <= 5599) || (four >= 2221 && four <= 2720)) return { scheme: 'MASTER' }
  if (bin.startsWith('34') || bin.startsWith('37')) return { scheme: 'AMEX' }
  if (/^(60|65|81|82|508)/.test(bin)) return { scheme: 'RUPAY' }
  return undefined
}
