// What a card's first digits, a bank, a saved card or a part from the wallet say, for the script: which brand it is, what would be paid, and on
// which terms of instalments. Without script the decision that pays says so, and the page is shown once more (docs/pages.md, "One payment").

import { formatRupees } from '../../kit/amounts.ts'
import type { Form } from '../../kit/forms.ts'
import type { FoundPage } from '../found/found.ts'
import { emiPlans, type PayableMode } from '../found/options.ts'
import type { PageState } from '../found/page-state.ts'
import { planLines } from './card-panels.ts'
import { brandOf, sayPay, saysSaved } from './ways.ts'

export interface Price {
  /** Empty where no list knows the card. */
  brand: string
  paise: number
  button: string
  /** What is paid in all, and of what that is made up; no rows where it is the order's own amount. */
  amount: string
  rows: readonly (readonly [name: string, value: string])[]
  /** What the offer takes off; empty where there is none. */
  saves: string
  /** Of the bank whose plans the form shows, by planId: those that this amount is enough for. */
  plans?: Readonly<Record<string, ReturnType<typeof planLines>>>
}

/** Undefined where what is given can be nothing. */
export function priceOf(form: Form, found: FoundPage): Price | undefined {
  const { options, typed, order, texts, reference } = found
  if (!typed) return undefined
  const { means, offer, walletPaise, isAtMost } = typed
  const { mode, instrument, scheme } = means
  const offPaise = offer?.kind === 'DISCOUNT' ? offer.paise : 0
  const paise = order.amountPaise - offPaise
  const bank = instrument.bank && reference.bank(instrument.bank)?.name
  const says = sayPay(found, { mode, by: form['by'], bank }, paise - walletPaise, isAtMost)
  const summary = { amount: formatRupees(paise), rows: rowsFor(found, mode, { offPaise, walletPaise, paise }) }
  const brand = scheme === undefined ? '' : brandOf(scheme)
  const price = { brand, paise, button: says, ...summary, saves: saysSaved(found, offPaise) }
  if (mode !== 'EMI' || !options) return price
  const plans = emiPlans(options.payable, form['emiBank'] ?? '', paise, { reference })
  return { ...price, plans: Object.fromEntries(plans.map((plan) => [plan.planId, planLines(texts, plan)])) }
}

function rowsFor(
  { texts, order }: PageState,
  mode: PayableMode,
  { offPaise, walletPaise, paise }: Record<'offPaise' | 'walletPaise' | 'paise', number>,
): Price['rows'] {
  if (offPaise === 0 && walletPaise === 0) return []
  const { summary, byMode } = texts
  return [
    [texts.ofOrder, formatRupees(order.amountPaise)],
    ...(offPaise > 0 ? [[summary.discount, `−${formatRupees(offPaise)}`] as const] : []),
    ...(walletPaise > 0 ? [[summary.wallet, `−${formatRupees(walletPaise)}`] as const] : []),
    [summary.now(byMode[mode as keyof typeof byMode] ?? mode), formatRupees(paise - walletPaise)],
  ]
}
