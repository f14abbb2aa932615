// What is said of an attempt that did not work, and of its money.

import { isCode, type Transaction } from '../../domain/transaction/transaction.ts'
import { type Html, html } from '../html.ts'
import { type Rows, rowsOf } from '../kit/layout.ts'
import type { Catalogue } from '../kit/messages/messages.ts'
import type { PageState } from './page-state.ts'

/** Of an attempt that did not work. */
export const whyFailed = ({ failed }: Catalogue, { result }: Transaction): string =>
  Object.hasOwn(failed, result) ? failed[result as keyof typeof failed] : failed.other

/** Of the money of an order that is not paid, where it may not be said that nothing was taken: a bank took it, or never said that it did not. */
export function ofMoney({ attempts, texts: { failed } }: Pick<PageState, 'attempts' | 'texts'>): string | undefined {
  if (attempts.some(({ capturedPaise }) => capturedPaise > 0)) return failed.returned
  return attempts.some(({ result }) => result === 'timedOut') ? failed.timedOut : undefined
}

/** A QR code or a link that was called back unpaid: no error, whether or not it counts as an attempt. */
export const isLinkLeft = (transaction: Transaction) => transaction.result === 'cancelled' && isCode(transaction)

/**
 * Within how many days an account that was debited for nothing is credited again, where a rule says so: the Reserve Bank's circular
 * DPSS.CO.PD No. 629/02.01.014/2019-20 of 20 September 2019, for cards on the internet and payments to merchants by UPI.
 */
const RETURNS_WITHIN_DAYS = 5
const RETURNED_BY_RULE: readonly string[] = ['UPI', 'CREDIT_CARD', 'DEBIT_CARD', 'EMI']

/** What to know where nobody can say yet whether money was taken: when it would be back, and by what to ask for it. */
export function ofDoubt({ texts }: Pick<PageState, 'texts'>, { paymentMode, txnId, bankTxnId }: Transaction): Html {
  const { doubt, result } = texts
  const returns = RETURNED_BY_RULE.includes(paymentMode) ? doubt.within(RETURNS_WITHIN_DAYS) : doubt.comesBack
  const rows: Rows = [
    [result.txnId, html`<bdi class="copied">${txnId}</bdi>`],
    ...(bankTxnId && bankTxnId !== txnId ? [[result.reference, html`<bdi class="copied">${bankTxnId}</bdi>`] as const] : []),
  ]
  return html`<p>${returns}</p>${rowsOf(rows)}`
}
