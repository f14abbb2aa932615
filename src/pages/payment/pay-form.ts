// A form that pays, as every way to pay has one: what it promises, its fields and its one button.

import { isOverLimit } from '../../domain/transaction/begin-transaction.ts'
import type { Ports } from '../../flows/ports.ts'
import { paymentMode } from '../../interface/payment-modes.ts'
import { type Html, html, type Part } from '../html.ts'
import { formatRupees } from '../kit/amounts.ts'
import { checkbox, type FieldFault, hidden } from '../kit/fields.ts'
import { termsAndNow } from '../kit/terms.ts'
import { modePricePaise, type Options, type PayableMode } from './found/options.ts'
import type { PageState } from './found/page-state.ts'
import { type PageMessage, promise } from './layout.ts'
import { phoneOf } from './upi-apps.ts'

export interface Choosing {
  seen: PageState
  options: Options
  ports: Ports
  /** Whether there is anybody to send a code by: without it nobody can sign in here. */
  canSignIn?: boolean
  /** What was refused of what the payer has just sent. */
  fault?: FieldFault | undefined
  /** Of the query: the bank whose EMI plans are shown, and the panel that is open. */
  asked: { emi?: string | undefined; open?: string | undefined; message?: PageMessage | undefined }
  /** What the payer typed, but for cards and codes. */
  typed?: Readonly<Record<string, string>>
}

export interface Panel {
  id: string
  icon: Html
  name: string
  about: Part
  inner: Part
  /** Why nothing can be paid so: one line in place of a panel. */
  closed?: string
}

/** What is paid with, as far as its button names it. */
export interface Pressed {
  mode: string
  /** Of UPI: `upiId` where the payer's id is typed. */
  by?: string | undefined
  /** The name of the bank that the payer goes to, once it is chosen. */
  bank?: string | undefined
}

/** What the button says: what happens, and what the instrument takes. With a subscription it is a consent. */
export function sayPay(
  { texts, order, browser }: Pick<PageState, 'texts' | 'order' | 'browser'>,
  pressed: Pressed,
  paise: number,
  isAtMost = false,
): string {
  if (order.subscriptionId !== null) return paise === 0 ? texts.agree : texts.agreeAndPay(formatRupees(paise))
  const { pays } = texts
  const amount = isAtMost ? pays.atMost(formatRupees(paise)) : formatRupees(paise)
  const { mode, by, bank } = pressed
  if (mode === 'NET_BANKING') return pays.atBank(bank ?? pays.yourBank, amount)
  if (mode !== 'UPI') return texts.pay(amount)
  if (by === 'upiId') return pays.request(amount)
  return phoneOf(browser.agent) === 'none' ? pays.qr(amount) : pays.app(amount)
}

const BRANDS: Readonly<Record<string, string>> = { VISA: 'Visa', MASTER: 'Mastercard', AMEX: 'American Express', RUPAY: 'RuPay' }
export const brandOf = (scheme: string): string => BRANDS[scheme] ?? scheme

/**
 * What a panel's forms promise: never less than is taken. A card says only with its digits whether it is a debit card, so its form promises the
 * larger price of the two. Of what was just refused there the decision has said it.
 */
export function promisedPaise({ seen: { order }, options, fault }: Choosing, mode: PayableMode, panel: string): number {
  const { modes } = options.payable
  const possible: readonly PayableMode[] =
    panel === 'card' ? (['CREDIT_CARD', 'DEBIT_CARD'] as const).filter((each) => modes.has(each)) : [mode]
  const said = fault?.panel === panel ? fault.paise : undefined
  return said ?? Math.max(...possible.map((each) => modePricePaise(order, options, each)))
}

/** Whether less may be taken than is promised: a bank's or a card's own offer, or a part from the wallet, is not known yet. */
const LEARNS: readonly string[] = ['card', 'saved', 'bank'] // what they are paid with may have an offer of its own
const isBound = ({ options }: Choosing, panel: string, hasShare: boolean): boolean =>
  hasShare || (options.mayDiscount && LEARNS.includes(panel))

/** Why a mode cannot pay what its form would promise; undefined where it can. */
export function isTooMuch(choosing: Choosing, mode: PayableMode, panel: string): string | undefined {
  const isOver = isOverLimit(mode, promisedPaise(choosing, mode, panel))
  return isOver ? choosing.seen.texts.overLimit(formatRupees(paymentMode(mode)!.amountPaiseMax!)) : undefined
}

/** A form that pays: what it promises, what it is about, its fields and its one button. */
export function payForm(
  choosing: Choosing,
  mode: PayableMode,
  panel: string,
  fields: Part,
  { share = true, isSecond = false, by }: { share?: boolean; isSecond?: boolean; by?: 'upiId' } = {},
): Html {
  const { seen } = choosing
  const { address } = seen
  const sharing = share && walletShare(choosing, panel)
  // A part from the wallet may leave an offer less to be taken off.
  const isRefused = choosing.fault?.panel === panel && choosing.fault.paise !== undefined
  const paise = sharing && !isRefused ? seen.order.amountPaise : promisedPaise(choosing, mode, panel)
  const says = sayPay(seen, { mode, by }, paise, isBound(choosing, panel, Boolean(sharing)))
  return html`<form method="post" action="${address}/pay" class="stack" data-pays="${address}/price">${promise(seen, paise)}${hidden('mode', mode)}${hidden('panel', panel)}${fields}${sharing}${seen.subscription && html`<p class="quiet" data-terms>${termsAndNow(seen, seen.subscription, seen.order.amountPaise)}</p>`}<button${isSecond && html` class="second"`}>${says}</button></form>`
}

/** Of whoever is signed in and has less in his wallet than the order costs. */
function walletShare({ seen, options: { payable }, fault, typed }: Choosing, panel: string): Part {
  const { wallet, modes } = payable
  const { amountPaise, subscriptionId } = seen.order
  if (!wallet || !modes.has('BALANCE') || wallet.balancePaise === 0 || wallet.balancePaise >= amountPaise || subscriptionId)
    return undefined
  const isChecked = fault?.panel === panel && typed?.['share'] === '1'
  return checkbox('share', seen.texts.useWallet(formatRupees(wallet.balancePaise)), isChecked)
}

/** What an offer takes off, said where the way is chosen: with its condition while there is one. The script says it anew. */
export function saving(choosing: Choosing, panel: string, ...modes: readonly PayableMode[]): Part {
  const { seen, options, fault } = choosing
  const { amountPaise } = seen.order
  if (fault?.panel === panel && fault.paise !== undefined)
    return html`<span data-saves>${saysSaved(seen, amountPaise - fault.paise)}</span>`
  const offPaise = (mode: PayableMode) => amountPaise - modePricePaise(seen.order, options, mode)
  const here = modes.filter((mode) => options.payable.modes.has(mode))
  const best = here.toSorted((one, other) => offPaise(other) - offPaise(one))[0]
  if (best === undefined) return html`<span data-saves></span>`
  const isSure = here.every((mode) => offPaise(mode) === offPaise(best))
  return html`<span data-saves>${saysSaved(seen, offPaise(best), isSure ? undefined : best)}</span>`
}
/** `by`: the one mode that has the offer, of several that the way may turn out to be. */
export function saysSaved({ texts }: Pick<PageState, 'texts'>, paise: number, by?: PayableMode): string {
  if (paise <= 0) return ''
  const { byMode, saves, savesBy } = texts
  return ` · ${by === undefined ? saves(formatRupees(paise)) : savesBy(formatRupees(paise), byMode[by as keyof typeof byMode] ?? by)}`
}
