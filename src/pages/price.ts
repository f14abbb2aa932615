// What a card's first digits say, for the script: which brand it is and what would be paid with it. Without script the decision that
// pays says so, and the page is shown once more (docs/pages.md, "One payment").

import { knownCard } from '../transaction/instrument.ts'
import { BIN_DIGITS } from '../transaction/reference.ts'
import { amountOf } from './amounts.ts'
import type { Form } from './forms.ts'
import { type Mode, offerFor } from './options.ts'
import { brandOf, sayPay } from './pay-form.ts'
import type { PageParts, Seen } from './session.ts'

export interface Price {
  /** Empty where no list knows the card. */
  brand: string
  paise: number
  button: string
}

/** Undefined where the digits say nothing. A whole number is cut before anything looks at it. */
export async function priceOf({ digits = '', mode = '' }: Form, seen: Seen, { edge }: Pick<PageParts, 'edge'>): Promise<Price | undefined> {
  const bin = digits.slice(0, BIN_DIGITS)
  if (!/^[0-9]{8}$/.test(bin) || !['CREDIT_CARD', 'DEBIT_CARD', 'EMI'].includes(mode)) return undefined
  const known = knownCard(bin, edge.reference)
  const paidBy: Mode = mode === 'EMI' ? mode : (known?.paymentMode ?? mode)
  const offer = await offerFor(edge, seen, paidBy, { bin, ...(known?.bank && { bank: known.bank }) })
  const paise = seen.order.amountPaise - (offer?.kind === 'DISCOUNT' ? offer.paise : 0)
  return { brand: known ? brandOf(known.scheme) : '', paise, button: sayPay(seen, paise, amountOf(paise)) }
}
