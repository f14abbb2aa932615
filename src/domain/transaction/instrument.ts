// What the operator's lists say of an instrument (reference.ts), and whether they know it at all: docs/interface.md section
// 4.10. It is judged before any row is read, as every other wrong value; a saved card by its row, as if it had been typed.

import type { Reason } from '../../interface/reason.ts'
import type { Refusal } from '../../interface/request.ts'
import { processTransaction as codes } from '../../interface/result-codes.ts'
import type { Bin, Reference } from '../../reference/reference.ts'
import type { Row } from '../../tables/tables.ts'
import type { Instrument } from '../../tables/transaction.ts'
import type { PaymentRequest } from './payment-request.ts'

export type Refused = Refusal<(typeof codes)['success']>
/** A member of Process Transaction that is not one, or not for this order. */
export const invalid = (name: string, cause: Reason): Refused => ({
  result: codes.invalidField,
  message: `Invalid ${name}`,
  ...{ parameter: name, cause },
})

/** The lists are asked about the first eight digits of a typed card, whatever may be kept of them; and about the kept digits of a saved one. */
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
      if (firstDigits === undefined) return card // a saved card's digits are in its row, which the decision reads
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

/** Says of a saved card what the number of a typed one would say. The lists say what its scheme and bank are. */
export const savedInstrument = ({ savedCardId, paymentMode, card: { bin, last4, expiry } }: Row<'savedCards'>): Instrument => ({
  savedCardId,
  bin,
  cardLast4: last4,
  expiry,
  cardType: paymentMode,
})

/** A card is good until the end of the month, MMYYYY, that it names; `today` is YYYY-MM-DD. */
export const isPast = (expiry: string, today: string) => `${expiry.slice(2)}-${expiry.slice(0, 2)}` < today.slice(0, 'YYYY-MM'.length)

/** A range that the lists leave out still tells its network by its first digits (ISO/IEC 7812). */
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
