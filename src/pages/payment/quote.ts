// What a card's first digits, a bank, a saved card or a part from the wallet say, for the script: which brand it is, what would be paid, and on
// which terms of instalments. Without script the decision that pays says so, and the page is shown once more (docs/pages.md, "One payment").

import { knownCard } from '../../domain/transaction/instrument.ts'
import type { Ports } from '../../flows/ports.ts'
import { isOfCards, ORDER_PAYMENT_MODES } from '../../interface/payment-modes.ts'
import { BIN_DIGITS } from '../../reference/reference.ts'
import type { Instrument } from '../../tables/transaction.ts'
import { formatRupees } from '../kit/amounts.ts'
import type { Form } from '../kit/forms.ts'
import type { PageParts } from '../kit/page-parts.ts'
import { planLines } from './card-panel.ts'
import { emiPlans, mayDiscount, offerFor, type PayableMode, payableHere, savedCardIn, sharePaise } from './options.ts'
import type { PageState } from './page-state.ts'
import { brandOf, sayPay, saysSaved } from './pay-form.ts'

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

/** Undefined where what is given can be nothing. A whole card number is cut before anything looks at it. */
export async function priceOf(form: Form, seen: PageState, { ports }: Pick<PageParts, 'ports'>): Promise<Price | undefined> {
  const means = form['savedCard'] !== undefined ? await savedMeans(form, seen, ports) : typedMeans(form, ports)
  if (!means) return undefined
  const { mode, instrument, brand = '', isSure } = means
  const walletPaise = mode === 'EMI' ? 0 : await sharePaise(form, seen, ports)
  const offer = isSure ? await offerFor(ports, seen, mode, instrument, walletPaise) : undefined
  const offPaise = offer?.kind === 'DISCOUNT' ? offer.paise : 0
  const paise = seen.order.amountPaise - offPaise
  const bank = instrument.bank && ports.reference.bank(instrument.bank)?.name
  const says = sayPay(seen, { mode, by: form['by'], bank }, paise - walletPaise, !isSure && (await mayDiscount(ports, seen)))
  const summary = { amount: formatRupees(paise), rows: rowsFor(seen, mode, { offPaise, walletPaise, paise }) }
  const price = { brand, paise, button: says, ...summary, saves: saysSaved(seen, offPaise) }
  return mode === 'EMI' ? { ...price, plans: await plansAt(paise, form, seen, ports) } : price
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

async function plansAt(paise: number, { emiBank = '' }: Form, seen: PageState, ports: Ports): Promise<Price['plans'] & {}> {
  const { payable } = await payableHere(ports, seen)
  return Object.fromEntries(emiPlans(payable, emiBank, paise, ports).map((plan) => [plan.planId, planLines(seen.texts, plan)]))
}

interface Means {
  mode: PayableMode
  instrument: Instrument
  brand?: string
  /** False of a card without its digits and of no bank yet: either may have an offer of its own. */
  isSure: boolean
}

/** As far as it is typed already. */
function typedMeans({ digits, bank = '', mode: named = '' }: Form, { reference }: Ports): Means | undefined {
  const mode = ORDER_PAYMENT_MODES.find((each) => each === named)
  if (!mode) return undefined
  if (digits === undefined && bank === '')
    return { mode, instrument: {}, isSure: mode === 'EMI' || !(isOfCards(mode) || mode === 'NET_BANKING') }
  if (mode === 'NET_BANKING') return reference.bank(bank) ? { mode, instrument: { bank }, isSure: true } : undefined
  return digits === undefined ? undefined : cardMeans(digits, mode, reference)
}

function cardMeans(digits: string, mode: PayableMode, reference: Ports['reference']): Means | undefined {
  const bin = digits.slice(0, BIN_DIGITS)
  if (!/^[0-9]{8}$/.test(bin) || !isOfCards(mode)) return undefined
  const known = knownCard(bin, reference)
  const paidBy: PayableMode = mode === 'EMI' ? mode : (known?.paymentMode ?? mode)
  return {
    mode: paidBy,
    instrument: { bin, ...(known?.bank && { bank: known.bank }) },
    brand: known ? brandOf(known.scheme) : '',
    isSure: true,
  }
}

/** One of the payer who is signed in, to the browser that may see it. */
async function savedMeans(form: Form, seen: PageState, ports: Ports): Promise<Means | undefined> {
  const card = await savedCardIn(form, seen, ports)
  return card && { mode: card.paymentMode, instrument: { bin: card.bin, ...(card.bank && { bank: card.bank }) }, isSure: true }
}
