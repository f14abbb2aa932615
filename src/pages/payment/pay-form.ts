// A form that pays, as every way to pay has one: what it promises, its fields and its one button.

import { isOverLimit } from '../../domain/transaction/begin-transaction.ts'
import type { Edge } from '../../flows/edge.ts'
import { paymentMode } from '../../interface/payment-modes.ts'
import { type Html, html, type Part } from '../html.ts'
import { amountOf } from '../kit/amounts.ts'
import { checkbox, type FieldFault, hidden } from '../kit/fields.ts'
import { termsAndNow } from '../kit/terms.ts'
import { promise } from './layout.ts'
import { modePricePaise, type Options, type PayableMode } from './options.ts'
import type { PageState } from './page-state.ts'

export interface Choosing {
  seen: PageState
  options: Options
  edge: Edge
  /** Whether there is anybody to send a code by: without it nobody can sign in here. */
  canSignIn?: boolean
  /** What was refused of what the payer has just sent. */
  fault?: FieldFault | undefined
  /** Of the query: the bank whose EMI plans are shown, and the panel that is open. */
  asked: { emi?: string | undefined; open?: string | undefined }
  /** What the payer typed, but for cards and codes. */
  typed?: Readonly<Record<string, string>>
}

export interface Panel {
  id: string
  icon: Html
  name: string
  about: Part
  inner: Part
}

/** What the button says: with a subscription it is a consent. */
export const sayPay = ({ texts, order }: PageState, paise: number, amount: string): string =>
  order.subscriptionId === null ? texts.pay(amount) : paise === 0 ? texts.agree : texts.agreeAndPay(amount)

const BRANDS: Readonly<Record<string, string>> = { VISA: 'Visa', MASTER: 'Mastercard', AMEX: 'American Express', RUPAY: 'RuPay' }
export const brandOf = (scheme: string): string => BRANDS[scheme] ?? scheme

/** What a panel's forms promise: of what was just refused there the decision has said it. */
export const promisedPaise = ({ seen: { order }, options, fault }: Choosing, mode: PayableMode, panel: string): number =>
  (fault?.panel === panel ? fault.paise : undefined) ?? modePricePaise(order, options, mode)

/** A form that pays: what it promises, what it is about, its fields and its one button. */
export function payForm(
  choosing: Choosing,
  mode: PayableMode,
  panel: string,
  fields: Part,
  { share = true, isSecond = false }: { share?: boolean; isSecond?: boolean } = {},
): Html {
  const { seen } = choosing
  const { texts, address } = seen
  const paise = promisedPaise(choosing, mode, panel)
  if (isOverLimit(mode, paise)) return html`<p class="quiet">${texts.overLimit(amountOf(paymentMode(mode)!.amountPaiseMax!))}</p>`
  const says = sayPay(seen, paise, amountOf(paise))
  return html`<form method="post" action="${address}/pay" class="stack" data-pays="${address}/price">${promise(seen, paise)}${hidden('mode', mode)}${hidden('panel', panel)}${fields}${share && walletShare(choosing, panel)}${seen.subscription && html`<p class="quiet">${termsAndNow(seen, seen.subscription, seen.order.amountPaise)}</p>`}<button${isSecond && html` class="second"`}>${says}</button></form>`
}

/** Of whoever is signed in and has less in his wallet than the order costs. */
function walletShare({ seen, options: { payable }, fault, typed }: Choosing, panel: string): Part {
  const { wallet, modes } = payable
  const { amountPaise, subscriptionId } = seen.order
  if (!wallet || !modes.has('BALANCE') || wallet.balancePaise === 0 || wallet.balancePaise >= amountPaise || subscriptionId)
    return undefined
  const isChecked = fault?.panel === panel && typed?.['share'] === '1'
  return checkbox('share', seen.texts.useWallet(amountOf(wallet.balancePaise)), isChecked)
}

/** What an offer takes off, said where the way is chosen; the script says it anew. */
export function saving(choosing: Choosing, panel: string, ...modes: readonly PayableMode[]): Part {
  const { amountPaise } = choosing.seen.order
  const best = Math.max(...modes.map((mode) => amountPaise - promisedPaise(choosing, mode, panel)))
  return html`<span data-saves>${saysSaved(choosing.seen, best)}</span>`
}
export const saysSaved = ({ texts }: Pick<PageState, 'texts'>, paise: number): string =>
  paise > 0 ? ` · ${texts.saves(amountOf(paise))}` : ''
