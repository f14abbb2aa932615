// The ledger lines of a payment that is kept, and the card that the payment saves: docs/interface.md section 3, "Ledger".

import type { Change } from '../../engine/decision.ts'
import { isGuest } from '../../interface/fields.ts'
import { newCustomerKey, savedCardKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import type { Instrument } from '../../tables/transaction.ts'
import { type LedgerLine, movement } from '../ledger/ledger.ts'
import { shareOf } from '../promotion/promotion.ts'
import type { Paying } from './paying.ts'
import { payablePaise, type Transaction } from './transaction.ts'

/** Cashback goes into the wallet of the payer who signed in. Without a sign-in it is owed, as `cashback_payable`. */
export function giveCashback(
  { transaction: { mid, txnId }, customer }: Paying,
  { fundedBy, amountPaise }: Row<'redemptions'>,
  now: number,
): Change[] {
  const lines: LedgerLine[] = [
    [`offer_funding:${fundedBy}`, amountPaise],
    customer ? ['customer_wallet', -amountPaise, customer.userId] : ['cashback_payable', -amountPaise],
  ]
  return [...movement(mid, `cashback:${txnId}`, txnId, now, lines), ...(customer ? [walletChange(customer, amountPaise)] : [])]
}

export const feePaiseOf = (transaction: Transaction, { feeHundredths }: Row<'merchants'>) =>
  shareOf(payablePaise(transaction), feeHundredths)

/**
 * Debits: the bank's capture, the wallet's hold, the discount that the offer's funder owes. Credits: the merchant's earnings. Mohur's fee
 * is taken out of those earnings.
 */
export function captureLines(transaction: Transaction, { merchant, redemption, customer }: Paying): LedgerLine[] {
  const { bankPaise, walletPaise, discountPaise, flow } = transaction
  const feePaise = feePaiseOf(transaction, merchant)
  const added: LedgerLine[] =
    flow === 'ADDANDPAY'
      ? [
          ['customer_wallet', -bankPaise, customer!.userId],
          ['customer_wallet', bankPaise, customer!.userId],
        ]
      : []
  return [
    ['acquirer_receivable', bankPaise],
    ...added,
    ['wallet_hold', walletPaise],
    [`offer_funding:${redemption?.fundedBy ?? ''}`, discountPaise],
    ['merchant_payable', -(bankPaise + walletPaise + discountPaise)],
    ['merchant_payable', feePaise],
    ['fees_income', -feePaise],
  ]
}

/** One id for one card, from the digits and the expiry that may be shown. So a card is saved once. */
export const savedCardIdOf = ({ bin, cardLast4, expiry }: Instrument): string | undefined =>
  bin && cardLast4 && expiry ? `${bin}${cardLast4}${expiry}C` : undefined

export function keepCard({ order, transaction, savedCard }: Paying, token: string, now: number): Change[] {
  const { bin, cardLast4, cardScheme, cardType, bank, expiry } = transaction.instrument
  const savedCardId = savedCardIdOf(transaction.instrument)
  const { payer } = transaction
  if (!payer || isGuest(order.custId) || savedCardId === undefined || bin === undefined || cardLast4 === undefined || expiry === undefined)
    return []
  if (savedCard && savedCard.card.userId !== payer.userId) return [] // another user with this custId has saved the card
  return [
    {
      kind: savedCard ? 'update' : 'insert',
      key: savedCardKey(order.mid, order.custId, savedCardId),
      row: {
        mid: order.mid,
        custId: order.custId,
        savedCardId,
        paymentMode: cardType ?? (transaction.paymentMode === 'DEBIT_CARD' ? 'DEBIT_CARD' : 'CREDIT_CARD'),
        card: { userId: payer.userId, bin, last4: cardLast4, scheme: cardScheme ?? '', expiry, ...(bank && { bank }), token },
        savedAt: now,
      },
    },
  ]
}

export const walletChange = (customer: Row<'customers'>, paise: number): Change => ({
  kind: 'update',
  key: newCustomerKey(customer.mobile),
  row: { ...customer, walletBalancePaise: customer.walletBalancePaise + paise },
})
