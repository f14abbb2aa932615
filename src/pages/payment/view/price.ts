// The price for the payer's fields, for the script. The fields are a card's first digits, a bank, a saved card, or a part from the wallet.
// The price contains the brand, the amount and the terms of instalments. Without script the decision that pays gives these values, and the
// page is shown once more (docs/pages.md, "One payment").

import { formatRupees } from '../../kit/amounts.ts'
import type { Form } from '../../kit/forms.ts'
import type { FoundPage, Typed } from '../found/found.ts'
import { KINDS_OF_CARD, type PayableMode } from '../found/options.ts'
import type { PageState } from '../found/page-state.ts'
import { emiPlans, planLines } from './card-panels.ts'
import { brandOf, cashbackOf, dearestPaise, maySave, sayCashback, sayPay, saysSaved } from './ways.ts'

export interface Price {
  /** Empty when no list knows the card. */
  brand: string
  paise: number
  /** The part of `paise` that the wallet pays. The button says the rest. */
  wallet: number
  button: string
  /** Why less may be taken than the button says. Empty when it says the exact amount. */
  less: string
  /** The amount paid in all, and its parts; no rows when it is the order's own amount. */
  amount: string
  rows: readonly (readonly [name: string, value: string])[]
  /** The offer's discount. Empty without one. While the card or the bank is not known, what this way may save. */
  saves: string
  /** For cards alone: the cashback that the form promises, or empty. */
  cashback?: string | undefined
  /** By planId: plans of the bank that the form shows. Only plans for which this amount is enough. */
  plans?: Readonly<Record<string, ReturnType<typeof planLines>>>
}

/** Undefined when the fields name no means of payment. */
export function priceOf(form: Form, found: FoundPage): Price | undefined {
  const { options, typed, order, texts, reference } = found
  if (!typed) return undefined
  const { means, offer, walletPaise, isAtMost } = typed
  const { mode, instrument, scheme } = means
  const bank = instrument.bank && reference.bank(instrument.bank)?.name
  const kinds = KINDS_OF_CARD.includes(mode) ? KINDS_OF_CARD : [mode]
  // A part from the wallet changes what the offer of an unknown card takes off.
  const choosing = means.isSure || walletPaise > 0 || !options ? undefined : { ...found, options }
  const offPaise = choosing ? order.amountPaise - dearestPaise(choosing, kinds) : offer?.kind === 'DISCOUNT' ? offer.paise : 0
  const paise = order.amountPaise - offPaise
  const says = sayPay(found, { mode, by: form['by'], bank }, paise - walletPaise)
  const summary = { amount: formatRupees(paise), rows: rowsFor(found, mode, { offPaise, walletPaise, paise }) }
  const brand = scheme === undefined ? '' : brandOf(scheme)
  const saves = choosing ? maySave(choosing, kinds) : saysSaved(found, offPaise)
  const { pays } = texts
  const less = isAtMost ? pays.less[mode === 'NET_BANKING' ? 'bank' : 'card'] : ''
  const price = { brand, paise, wallet: walletPaise, button: says, less, ...summary, saves, ...promiseFor(found, typed, kinds) }
  if (mode !== 'EMI' || !options) return price
  const plans = emiPlans({ options, reference }, form['emiBank'] ?? '', paise)
  return { ...price, plans: Object.fromEntries(plans.map((plan) => [plan.planId, planLines(texts, plan)])) }
}

/** A known card gets its own offer. Other ways keep the promise that the page gave. */
function promiseFor({ options }: FoundPage, { means, whole }: Typed, kinds: readonly PayableMode[]): Pick<Price, 'cashback'> {
  if (kinds !== KINDS_OF_CARD) return {}
  if (!means.isSure) return { cashback: (options && cashbackOf({ options }, kinds)) ?? '' }
  return { cashback: whole?.kind === 'CASHBACK' ? sayCashback(whole) : '' }
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
