// Texts about an attempt that failed or has not ended, and about its money. Every text knows the way to pay.

import { supportAddressOf } from '../../../domain/merchant/page-settings.ts'
import { isCode, isInFlight, payablePaise, type Transaction } from '../../../domain/transaction/transaction.ts'
import { wayToPay } from '../../../interface/payment-modes.ts'
import type { Catalogue } from '../../kit/messages/messages.ts'
import type { PayingBy } from '../../kit/messages/steps-en.ts'
import type { PageState } from '../found/page-state.ts'
import type { DoubtView } from './page-view.ts'

export const payingBy = (transaction: Pick<Transaction, 'paymentMode' | 'walletPaise' | 'bankPaise'>): PayingBy => ({
  way: wayToPay(transaction.paymentMode),
  isConsent: payablePaise(transaction) === 0,
})

export const waitingFor = ({ waiting }: Catalogue, transaction: Transaction): string =>
  (transaction.status === 'UNKNOWN' ? waiting.unknown : waiting.pending)(payingBy(transaction))

export const whyFailed = ({ failed }: Catalogue, transaction: Transaction): string => {
  const { result } = transaction
  return (Object.hasOwn(failed, result) ? failed[result as keyof typeof failed] : failed.other)(payingBy(transaction))
}

/**
 * About the money of an unpaid order, when the page may not say that nothing was taken. A bank took money, or an attempt timed out and the
 * bank never said that it took none.
 */
export function ofMoney({ attempts, texts: { failed } }: Pick<PageState, 'attempts' | 'texts'>): string | undefined {
  const captured = attempts.find(({ capturedPaise }) => capturedPaise > 0)
  if (captured) return failed.returned(payingBy(captured))
  const timedOut = attempts.find(({ result }) => result === 'timedOut')
  return timedOut && failed.timedOut(payingBy(timedOut))
}

/** True when money of an unpaid order may be on its way, to the shop or back. */
export const isMoneyAbout = (seen: Pick<PageState, 'attempts' | 'texts' | 'latest'>): boolean =>
  ofMoney(seen) !== undefined || (seen.latest !== undefined && isInFlight(seen.latest))

/** A QR code or a link that was cancelled unpaid. That is no error, whether or not it counts as an attempt. */
export const isLinkLeft = (transaction: Transaction) => transaction.result === 'cancelled' && isCode(transaction)

/**
 * Days within which an account that was debited for nothing is credited again, when a rule says so. The rule is the Reserve Bank's circular
 * DPSS.CO.PD No. 629/02.01.014/2019-20 of 20 September 2019, for cards on the internet and UPI payments to merchants.
 */
const RETURNS_WITHIN_DAYS = 5
const RETURNED_BY_RULE: readonly string[] = ['UPI', 'CREDIT_CARD', 'DEBIT_CARD', 'EMI']

/** Whom to ask when money may be on its way, if the merchant gave a contact. */
export function whomToAsk({ supportContact }: Pick<PageState['merchant'], 'supportContact'>): DoubtView['ask'] {
  const address = supportContact === null ? undefined : supportAddressOf(supportContact)
  return supportContact === null || address === undefined ? undefined : { contact: supportContact, address }
}

/** What the payer needs while no party can say whether money was taken: when it would return, and the numbers to quote. */
export function doubtOf(
  { texts, merchant }: Pick<PageState, 'texts' | 'merchant'>,
  { paymentMode, txnId, bankTxnId }: Transaction,
): DoubtView {
  const { doubt, result } = texts
  return {
    returns: RETURNED_BY_RULE.includes(paymentMode) ? doubt.within(RETURNS_WITHIN_DAYS) : doubt.comesBack,
    ids: [[result.txnId, txnId], ...(bankTxnId && bankTxnId !== txnId ? [[result.reference, bankTxnId] as const] : [])],
    ask: whomToAsk(merchant),
  }
}
