// The amount that a payment form promises, and the texts at its button. All are equal on the page and in the script's price.

import { isHybridDisabled } from '../../../domain/payment-options/payment-options.ts'
import { isOverLimit } from '../../../domain/transaction/begin-transaction.ts'
import { paymentMode } from '../../../interface/payment-modes.ts'
import { formatRupees } from '../../kit/amounts.ts'
import { termsAndNow } from '../../kit/terms.ts'
import type { FoundPage } from '../found/found.ts'
import { KINDS_OF_CARD, type ModeOffer, type Options, type PayableMode } from '../found/options.ts'
import type { PageState } from '../found/page-state.ts'
import type { PageAsked } from './asked.ts'
import type { WayView } from './page-view.ts'
import { phoneOf } from './upi-apps.ts'

/** A page on which the payer chooses how to pay. */
export interface Choosing extends FoundPage {
  options: Options
  /** `typed`: the values that the page writes back, from the form just sent, else from the attempt that just failed. */
  asked: PageAsked & { typed: Readonly<Record<string, string>> }
}

/** The way to pay, as far as the button names it. */
export interface Pressed {
  mode: string
  /** For UPI: `upiId` when the payer types an id. */
  by?: string | undefined
  /** The name of the chosen bank that the payer goes to. */
  bank?: string | undefined
}

/** The button's text: the action, and the amount that the instrument takes. With a subscription it is a consent. */
export function sayPay({ texts, order, browser }: Pick<PageState, 'texts' | 'order' | 'browser'>, pressed: Pressed, paise: number): string {
  if (order.subscriptionId !== null) return paise === 0 ? texts.agree : texts.agreeAndPay(formatRupees(paise))
  const { pays } = texts
  const amount = formatRupees(paise)
  const { mode, by, bank } = pressed
  if (mode === 'NET_BANKING') return pays.atBank(bank ?? pays.yourBank, amount)
  if (mode !== 'UPI') return texts.pay(amount)
  if (by === 'upiId') return pays.request(amount)
  return phoneOf(browser.agent) === 'none' ? pays.qr(amount) : pays.app(amount)
}

const BRANDS: Readonly<Record<string, string>> = { VISA: 'Visa', MASTER: 'Mastercard', AMEX: 'American Express', RUPAY: 'RuPay' }
export const brandOf = (scheme: string): string => BRANDS[scheme] ?? scheme

/** The order's amount less the discount that the mode has without a card or a bank. */
export function modePricePaise({ order, options }: Pick<FoundPage, 'order' | 'options'>, mode: PayableMode): number {
  const offer = options?.offers.get(mode)
  return order.amountPaise - (offer?.kind === 'DISCOUNT' ? offer.paise : 0)
}

/** The largest first: the page shows that offer. */
export const offersOf = ({ options }: Pick<FoundPage, 'options'>) =>
  [...(options?.offers ?? [])].toSorted(([, one], [, other]) => other.paise - one.paise)

/** What a form with this panel may be paid by. Only a card's digits, or the saved card that the payer chooses, show its kind. */
function modesIn({ options }: Choosing, mode: PayableMode, panel: string): readonly PayableMode[] {
  if (panel === 'card') return KINDS_OF_CARD
  return panel === 'saved' ? options.cards.filter(({ isPast }) => !isPast).map(({ paymentMode }) => paymentMode) : [mode]
}

/**
 * The shown cashback, if every one of these modes gets it, as far as the order takes them. Empty when only some of them do. Undefined
 * without any.
 */
export function cashbackOf(found: Pick<Choosing, 'options'>, modes: readonly PayableMode[]): string | undefined {
  const shown = offersOf(found)[0]?.[1]
  if (shown?.kind !== 'CASHBACK') return undefined
  const here = modes.filter((mode) => found.options.payable.modes.has(mode))
  const getting = here.filter((mode) => found.options.offers.get(mode)?.promocode === shown.promocode)
  if (getting.length === 0) return undefined
  return getting.length === here.length ? sayCashback(shown) : ''
}
export const sayCashback = ({ paise, promocode }: Pick<ModeOffer, 'paise' | 'promocode'>) => `${paise} ${promocode}`

/** After a refusal without the cashback, the panel promises none. */
function promisedCashback(choosing: Choosing, mode: PayableMode, panel: string): string | undefined {
  const { fault } = choosing.asked
  return fault?.panel === panel && fault.isCashbackGone ? undefined : cashbackOf(choosing, modesIn(choosing, mode, panel))
}

/** The largest price of these modes, as far as the order takes them. */
export function dearestPaise(found: Pick<Choosing, 'order' | 'options'>, modes: readonly PayableMode[]): number {
  const here = modes.filter((mode) => found.options.payable.modes.has(mode))
  return here.length === 0 ? found.order.amountPaise : Math.max(...here.map((mode) => modePricePaise(found, mode)))
}

/**
 * The amount that a panel's forms promise; the decision takes no more. So a form of cards promises the larger of the kinds' prices. After a
 * refusal in this panel, the forms promise the amount that the decision gave.
 */
export function promisedPaise(choosing: Choosing, mode: PayableMode, panel: string): number {
  const { fault } = choosing.asked
  const said = fault?.panel === panel ? fault.paise : undefined
  return said ?? dearestPaise(choosing, modesIn(choosing, mode, panel))
}

/** Why a mode cannot pay the amount that its form would promise. Undefined when the mode can. */
export function whyTooMuch(choosing: Choosing, mode: PayableMode, panel: string): string | undefined {
  const isOver = isOverLimit(mode, promisedPaise(choosing, mode, panel))
  return isOver ? choosing.texts.overLimit(formatRupees(paymentMode(mode)!.amountPaiseMax!)) : undefined
}

/** Panels that may take less than they promise. The offer of a bank or a card is not known yet. */
const LEARNS: ReadonlyMap<string, 'card' | 'bank'> = new Map([
  ['card', 'card'],
  ['saved', 'card'],
  ['bank', 'bank'],
])

export function wayOf(
  choosing: Choosing,
  mode: PayableMode,
  panel: string,
  { isShared = true, by }: { isShared?: boolean; by?: 'upiId' } = {},
): WayView {
  const { order, subscription, options, asked } = choosing
  const share = isShared ? walletShare(choosing, mode, panel) : undefined
  // With a part from the wallet an offer may take off less, so the form promises the order's whole amount.
  const isRefused = asked.fault?.panel === panel && asked.fault.paise !== undefined
  const paise = share && !isRefused ? order.amountPaise : promisedPaise(choosing, mode, panel)
  const { less } = choosing.texts.pays
  const learns = options.mayDiscount ? LEARNS.get(panel) : undefined
  const cashback = promisedCashback(choosing, mode, panel)
  const says = share ? (options.mayDiscount ? less.offerOrWallet : less.wallet) : learns && less[learns]
  return {
    mode,
    ...(by && { by }),
    button: sayPay(choosing, { mode, by }, paise),
    paise,
    ...(says !== undefined && { less: says }),
    ...(share && { share }),
    ...(cashback !== undefined && { cashback }),
    ...(subscription && { terms: termsAndNow(choosing, subscription, order.amountPaise) }),
  }
}

/** A signed-in payer may pay a part from a wallet that holds less than the order's amount. */
export function walletShare(
  { texts, order, options: { payable }, asked: { fault, typed } }: Choosing,
  mode: PayableMode,
  panel: string,
): WayView['share'] {
  const { wallet } = payable
  const { amountPaise, subscriptionId } = order
  if (!wallet || isHybridDisabled(mode, payable) || wallet.balancePaise === 0 || wallet.balancePaise >= amountPaise || subscriptionId)
    return undefined
  const isChecked = fault?.panel === panel && typed['share'] === '1' && !fault.isOtherPayer
  return { label: texts.useWallet(formatRupees(wallet.balancePaise)), paise: wallet.balancePaise, isChecked }
}

/**
 * The text of a discount, shown where the payer chooses the way. An offer's condition is added, if it has one. The script rewrites the
 * text.
 */
export function savesOf(choosing: Choosing, panel: string, ...modes: readonly PayableMode[]): string {
  const { fault } = choosing.asked
  if (fault?.panel === panel && fault.paise !== undefined) return saysSaved(choosing, choosing.order.amountPaise - fault.paise)
  return maySave(choosing, modes)
}

/** The discount of a way while its card or bank is not known. */
export function maySave(found: Pick<Choosing, 'texts' | 'order' | 'options'>, modes: readonly PayableMode[]): string {
  const { order, options } = found
  const offPaise = (mode: PayableMode) => order.amountPaise - modePricePaise(found, mode)
  const here = modes.filter((mode) => options.payable.modes.has(mode))
  const best = here.toSorted((one, other) => offPaise(other) - offPaise(one))[0]
  if (best === undefined) return ''
  const isSure = here.every((mode) => offPaise(mode) === offPaise(best))
  return saysSaved(found, offPaise(best), isSure ? undefined : best)
}

/** `by`: the mode that has this discount, when the card will decide between modes with different discounts. */
export function saysSaved({ texts }: Pick<PageState, 'texts'>, paise: number, by?: PayableMode): string {
  if (paise <= 0) return ''
  const { byMode, saves, savesBy } = texts
  return ` · ${by === undefined ? saves(formatRupees(paise)) : savesBy(formatRupees(paise), byMode[by as keyof typeof byMode] ?? by)}`
}
