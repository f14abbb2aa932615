// The means of payment in a form, as far as they are typed: a card's first digits, a bank, a saved card. A whole card number is cut before
// any other code reads it.

import { knownCard } from '../../../domain/transaction/instrument.ts'
import { isOfCards, ORDER_PAYMENT_MODES } from '../../../interface/payment-modes.ts'
import { BIN_DIGITS, type Reference } from '../../../reference/reference.ts'
import type { Instrument } from '../../../tables/transaction.ts'
import type { Form } from '../../kit/forms.ts'
import type { PayableMode, SavedCard } from './options.ts'

export interface TypedMeans {
  mode: PayableMode
  instrument: Instrument
  /** A card's network, from its first digits. */
  scheme?: string
  /**
   * False for net banking without a bank, and for a card without its digits, except for EMI. The card or the bank may have an offer of its
   * own.
   */
  isSure: boolean
}

/**
 * Undefined without a mode, and for a saved card that is not in `cards`. Also undefined for an unknown bank, for fewer than eight digits,
 * and for digits or a bank that the mode does not use.
 */
export function meansIn(form: Form, cards: readonly SavedCard[], reference: Reference): TypedMeans | undefined {
  if (form['savedCard'] === undefined) return typedMeans(form, reference)
  const card = cards.find(({ id }) => id === form['savedCard'])
  return card && { mode: card.paymentMode, instrument: { bin: card.bin, ...(card.bank && { bank: card.bank }) }, isSure: true }
}

function typedMeans({ digits, bank = '', mode: named = '' }: Form, reference: Reference): TypedMeans | undefined {
  const mode = ORDER_PAYMENT_MODES.find((each) => each === named)
  if (!mode) return undefined
  if (digits === undefined && bank === '')
    return { mode, instrument: {}, isSure: mode === 'EMI' || !(isOfCards(mode) || mode === 'NET_BANKING') }
  if (mode === 'NET_BANKING') return reference.bank(bank) ? { mode, instrument: { bank }, isSure: true } : undefined
  return digits === undefined ? undefined : cardMeans(digits, mode, reference)
}

function cardMeans(digits: string, mode: PayableMode, reference: Reference): TypedMeans | undefined {
  const bin = digits.slice(0, BIN_DIGITS)
  if (!/^[0-9]{8}$/.test(bin) || !isOfCards(mode)) return undefined
  const known = knownCard(bin, reference)
  return {
    mode: mode === 'EMI' ? mode : (known?.paymentMode ?? mode),
    instrument: { bin, ...(known?.bank && { bank: known.bank }) },
    ...(known && { scheme: known.scheme }),
    isSure: true,
  }
}
