// The terms of a subscription in one sentence, for a payer who will agree, is agreeing or has agreed.

import { termsSentence } from '../../domain/subscription/mandate/agreed-terms.ts'
import { dayBegins } from '../../engine/clock.ts'
import type { AgreedTerms } from '../../tables/subscription.ts'
import { dayOf, formatRupees } from './amounts.ts'
import type { Catalogue, Language } from './messages/messages.ts'

interface Worded {
  texts: Catalogue
  language: Language
}

/** The domain's sentence, in the payer's language. */
export const termsIn = ({ texts: { mandate: words }, language }: Worded, terms: AgreedTerms): string =>
  termsSentence({ words, amount: formatRupees, day: (date) => dayOf(dayBegins(date), language) }, terms)

/** The terms, with the amount that is taken with the consent. */
export const termsAndNow = (worded: Worded, terms: AgreedTerms, nowPaise: number): string => {
  const { mandate } = worded.texts
  return mandate.withNow(termsIn(worded, terms), nowPaise === 0 ? mandate.nothingTakenNow : mandate.takenNow(formatRupees(nowPaise)))
}
