// What a payment that is kept does to everybody's money, and to the card that was paid with: docs/interface.md section 3, "Ledger".

import type { Change } from '../../engine/decision.ts'
import { isGuest } from '../../interface/fields.ts'
import { newCustomerKey, savedCardKey } from '../../tables/keys.ts'
import type { Row } from '../../tables/tables.ts'
import type { Instrument } from '../../tables/transaction.ts'
import { type LedgerLine, movement } from '../ledger/ledger.ts'
import { shareOf } from '../promotion/promotion.ts'
import type { Paying } from './paying.ts'
import { payablePaise, type Transaction } from './transaction.ts'

/** Into the wallet of the payer who signed in; else it is owed. */
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

/** Debits: what the bank took, what the wallet held, what the funder owes. Credits: what the merchant earned, and our fee of it. */
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

/** The same card is kept once: by the digits and the date that may be said of it. */
export const savedCardIdOf = ({ bin, cardLast4, expiry }: Instrument): string | undefined =>
  bin && cardLast4 && expiry ? `${bin}${cardLast4}${expiry}C` : undefined

export function keepCard({ order, transaction, savedCard }: Paying, token: string, now: number): Change[] {
  const { bin, cardLast4, cardScheme, cardType, bank, expiry } = transaction.instrument
  const savedCardId = savedCardIdOf(transaction.instrument)
  const { payer } = transaction
  if (!payer || isGuest(order.custId) || savedCardId === undefined || bin === undefined || cardLast4 === undefined || expiry === undefined)
    return []
  if (savedCard && savedCard.card.userId !== payer.userId) return [] // somebody else of this custId has kept it
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
