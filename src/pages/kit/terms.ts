// The terms of a subscription in one sentence, for every place where its payer is about to agree, is agreeing or has agreed.

import { dayBegins } from '../../engine/clock.ts'
import type { Row } from '../../tables/tables.ts'
import { amountOf, dayOf } from './amounts.ts'
import type { Catalogue, Language } from './messages/messages.ts'

type Terms = Pick<Row<'subscriptions'>, 'amountType' | 'maxAmountPaise' | 'frequencyUnit' | 'frequency' | 'expiryDate'>
interface Worded {
  texts: Catalogue
  language: Language
}

/** ₹199.00 every month until 31 January 2029. */
export function termsSentence({ texts: { mandate }, language }: Worded, terms: Terms): string {
  const { amountType, maxAmountPaise, frequencyUnit, frequency, expiryDate } = terms
  const amount = amountOf(maxAmountPaise)
  const each = amountType === 'FIX' ? amount : mandate.atMost(amount)
  return mandate.sentence(each, mandate.every[frequencyUnit](frequency), dayOf(dayBegins(expiryDate), language))
}

/** The same, with what is taken with the consent. */
export const termsAndNow = (worded: Worded, terms: Terms, nowPaise: number): string => {
  const { mandate } = worded.texts
  return mandate.withNow(termsSentence(worded, terms), nowPaise === 0 ? mandate.nothingTakenNow : mandate.takenNow(amountOf(nowPaise)))
}
