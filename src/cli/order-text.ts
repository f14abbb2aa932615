// An order's history in lines for a terminal: rupees, times in India, and at most the last four characters of the payer's data.

import { masked } from '../domain/subscription/subscription-view.ts'
import { dateTimeInIndia } from '../engine/clock.ts'
import type { OrderHistory } from '../flows/order-history.ts'
import type { HistoryLine } from '../flows/order-lines.ts'
import { sayNext } from '../flows/order-next.ts'
import { toRupees } from '../interface/money.ts'
import type { Row } from '../tables/tables.ts'
import { tableOf } from './table.ts'

export function historyText({ order, transactions, refunds, lines, next }: OrderHistory, now: number): string[] {
  return [
    headOf(order),
    ...transactions.map(paymentOf),
    ...refunds.toSorted((a, b) => a.requestedAt - b.requestedAt).map(refundOf),
    '',
    ...tableOf([['at (IST)', 'what', 'of', 'number', 'amount', 'state', 'why'], ...lines.map(columnsOf)]),
    '',
    ...(next.length === 0 ? ['next: nothing is due'] : next.map((each) => `next: ${sayNext(each, now)}`)),
    ...(order.subscriptionId === null ? [] : [`its mandate: mohur mandate show ${order.mid} ${order.subscriptionId}`]),
  ]
}

const headOf = ({ mid, orderId, status, requestType, amountPaise }: Row<'orders'>) =>
  `order ${orderId} of ${mid}  ${status}  Rs ${toRupees(amountPaise)}  ${requestType}`

function paymentOf({ txnId, attempt, status, result, paymentMode, channel, instrument, payer, bankTxnId, ...paise }: Row<'transactions'>) {
  const { maskedCardNo, vpa, bank } = instrument
  const means = [paymentMode, channel, maskedCardNo, vpa && masked(vpa), bank !== channel && bank, payer && `payer ${masked(payer.mobile)}`]
  const rupees = toRupees(paise.walletPaise + paise.bankPaise)
  const numbers = bankTxnId ? `  bank's number ${bankTxnId}` : ''
  const back = paise.refundedPaise > 0 ? `  refunded Rs ${toRupees(paise.returnedPaise)} of ${toRupees(paise.refundedPaise)}` : ''
  return `payment ${attempt} ${txnId}  ${status} (${result})  Rs ${rupees}  ${means.filter(Boolean).join(' ')}${numbers}${back}`
}

const refundOf = ({ refId, refundId, txnId, status, result, amountPaise, bankTxnId }: Row<'refunds'>) =>
  `refund ${refId} (${refundId}) of ${txnId}  ${status} (${result})  Rs ${toRupees(amountPaise)}${bankTxnId ? `  bank's number ${bankTxnId}` : ''}`

const columnsOf = ({ at, kind, of, id, what, amountPaise, state = '', why = '' }: HistoryLine) => [
  ...[dateTimeInIndia(at), kind === 'event' ? what : `${kind} ${what}`, of, id],
  ...[amountPaise === undefined ? '' : rupeesOf(amountPaise), state, why],
]

const rupeesOf = (paise: number) => (paise < 0 ? `-${toRupees(-paise)}` : toRupees(paise))
