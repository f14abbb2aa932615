// How an order ended, and the details that its payer keeps (docs/interface.md section 6).

import { isTooLateFor } from '../../../domain/subscription/consent-result.ts'
import { moves } from '../../../domain/subscription/subscription.ts'
import { attemptsLeft, isInFlight, payablePaise, type Transaction } from '../../../domain/transaction/transaction.ts'
import { clockTime, dayOf, formatRupees } from '../../kit/amounts.ts'
import type { FoundPage } from '../found/found.ts'
import { bankMandateOf, type PageState } from '../found/page-state.ts'
import type { EndView } from './page-view.ts'
import { ofMoney, payingBy, waitingFor } from './why-failed.ts'

export function endOf(found: FoundPage): EndView {
  const { texts, order, latest } = found
  const goes = order.callbackUrl !== null && { goes: texts.result.goes }
  if (order.status === 'PAID' && latest) return { kind: 'end', ...keptBy(found, latest), ...goes, receipt: receiptOf(found, latest) }
  const [heading, says] = closedAs(found)
  return { kind: 'end', heading, icon: 'ended', says, ...goes }
}

/** Back to the shop without waiting for the bank. */
export function onwardOf({ texts }: FoundPage, transaction: Transaction): EndView {
  return { kind: 'end', heading: texts.waiting.heading(payingBy(transaction)), says: waitingFor(texts, transaction), tone: 'wait' }
}

/** HTTP 410: this page takes no payment any more. A payer with a payment in flight is not asked to pay again. */
export function overOf({ texts, latest, subscription, now }: FoundPage): EndView {
  const isMandateOver = subscription !== undefined && isTooLateFor(subscription, now)
  const { title, about } = isMandateOver ? { title: texts.result.mandateOver, about: texts.result.mandateOverAbout } : texts.errors.over
  const end = { kind: 'end', heading: title, icon: 'ended' } as const
  return latest && isInFlight(latest) ? { ...end, says: waitingFor(texts, latest) } : { ...end, says: about, tone: 'over' }
}

/** The texts for an attempt that succeeded. The bank of a mandate may still refuse it. */
export function keptBy(
  { texts, order, merchant, subscription }: Pick<PageState, 'texts' | 'order' | 'merchant' | 'subscription'>,
  transaction: Transaction,
): Pick<EndView, 'heading' | 'icon' | 'says' | 'tone'> {
  const { result, waiting } = texts
  const bankMandate = bankMandateOf({ subscription, latest: transaction })
  const by = payingBy(transaction)
  if (bankMandate?.status === 'IN_AUTHORIZATION') return { heading: waiting.heading(by), says: waiting.pending(by), tone: 'wait' }
  if (bankMandate?.status === 'AUTHORIZATION_FAILED' || bankMandate?.subStatus === moves.timeOut.subStatus)
    return { heading: result.mandateRefused, icon: 'ended', says: result.mandateRefusedAbout }
  const paise = payablePaise(transaction)
  const heading = paise === 0 && order.subscriptionId ? result.agreed : result.paid(formatRupees(paise))
  const { refundedPaise, returnedPaise } = transaction
  const says = refundedPaise > returnedPaise ? result.refunding : result.refunded
  return { heading, icon: 'done', says: refundedPaise > 0 ? says(formatRupees(refundedPaise)) : result.thanks(merchant.name) }
}

function closedAs(found: FoundPage): readonly [heading: string, says: string] {
  const { texts, order, latest } = found
  const { result } = texts
  if (latest && isInFlight(latest)) return [result.closed, result.closedInFlight]
  if (attemptsLeft(order) <= 0) return [result.exceeded, ofMoney(found) ?? result.exceededAbout]
  return [result.closed, ofMoney(found) ?? result.closedAbout]
}

export function receiptOf(
  { texts, order, language }: Pick<PageState, 'texts' | 'order' | 'language'>,
  { txnId, bankTxnId, paymentMode, initiatedAt }: Transaction,
): EndView['receipt'] {
  const { result } = texts
  return {
    rows: [
      { label: result.when, value: `${dayOf(initiatedAt, language)}, ${clockTime(initiatedAt, language)}` },
      { label: result.by, value: texts.byMode[paymentMode as keyof typeof texts.byMode] ?? paymentMode },
      { label: texts.order, value: order.orderId, isId: true },
      { label: result.txnId, value: txnId, isId: true },
      ...(bankTxnId && bankTxnId !== txnId ? [{ label: result.reference, value: bankTxnId, isId: true }] : []),
    ],
    ...(order.callbackUrl === null && { keep: result.keep }),
  }
}
