// The terms of a subscription in one sentence, in any language. The payer reads the same sentence on the pages and in messages.

import type { WayToPay } from '../../../interface/payment-modes.ts'
import type { AgreedTerms } from '../../../tables/subscription.ts'

export interface TermsWords {
  atMost(amount: string): string
  every: Readonly<Record<AgreedTerms['frequencyUnit'], (n: number) => string>>
  sentence(each: string, often: string, until: string): string
  sentenceFrom(each: string, often: string, from: string, until: string): string
}

/** How the page or the message writes amounts and days. */
export interface TermsWriting {
  words: TermsWords
  amount(paise: number): string
  day(date: string): string
}

/** ₹199.00 every month from 5 February 2027 until 31 January 2029. */
export function termsSentence({ words, amount, day }: TermsWriting, terms: AgreedTerms): string {
  const { amountType, maxAmountPaise, frequencyUnit, frequency, startDate, expiryDate } = terms
  const each = amountType === 'FIX' ? amount(maxAmountPaise) : words.atMost(amount(maxAmountPaise))
  const often = words.every[frequencyUnit](frequency)
  return startDate === undefined
    ? words.sentence(each, often, day(expiryDate))
    : words.sentenceFrom(each, often, day(startDate), day(expiryDate))
}

/** English, for the pages and for messages. */
export const termsInEnglish: TermsWords = {
  atMost: (amount) => `at most ${amount}`,
  every: {
    WEEK: (n) => (n === 1 ? 'every week' : `every ${n} weeks`),
    MONTH: (n) => (n === 1 ? 'every month' : `every ${n} months`),
    BI_MONTHLY: (n) => `every ${2 * n} months`,
    QUARTER: (n) => `every ${3 * n} months`,
    SEMI_ANNUALLY: (n) => `every ${6 * n} months`,
    YEAR: (n) => (n === 1 ? 'every year' : `every ${n} years`),
    ONDEMAND: () => 'when the shop asks for it',
  },
  sentence: (each, often, until) => `${each} ${often} until ${until}`,
  sentenceFrom: (each, often, from, until) => `${each} ${often} from ${from} until ${until}`,
}

/**
 * For each way to pay a mandate: where else the payer manages the mandate, and who asks the payer there. `party` is notified of the
 * mandate's end. A wallet's mandate is managed on the payer's page alone.
 */
export type Elsewhere = Readonly<Record<Exclude<WayToPay, 'wallet'>, { at: string; who: string; party: string }>>

const atBankInEnglish = { at: 'at your bank', who: 'your bank', party: 'your bank' }
export const elsewhereInEnglish: Elsewhere = {
  upi: { ...atBankInEnglish, at: 'in your UPI app', who: 'your UPI app' },
  card: atBankInEnglish,
  emi: atBankInEnglish,
  bank: atBankInEnglish,
  ppbl: atBankInEnglish,
  mandate: atBankInEnglish,
  postpaid: { at: 'at your postpaid provider', who: 'your postpaid provider', party: 'your postpaid provider' },
}
