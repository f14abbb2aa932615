// Order List: docs/interface.md section 4.16. Lists the orders that payers tried to pay in a period, each with its latest attempt. An order
// that failed and was then paid appears once, as paid.

import Type, { type Static } from 'typebox'
import { dateTimeInIndia } from '../../engine/clock.ts'
import { type Query, question } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import { count, instant, listWire, pageOf, sorted } from '../../interface/listing.ts'
import { toRupees } from '../../interface/money.ts'
import { shortMode } from '../../interface/payment-modes.ts'
import * as replied from '../../interface/replied.ts'
import { orderList as codes } from '../../interface/result-codes.ts'
import type { Signed } from '../../interface/wire.ts'
import { lastTransactionsBetween, merchantKey, transactionsOfOrder } from '../../tables/keys.ts'
import { find } from '../../tables/tables.ts'
import { isInFlight, payablePaise, resultOf, type Transaction, type TransactionStatus } from './transaction.ts'

/**
 * The search types that a request may name. Only payments are kept here, so a search with neither `TRANSACTION` nor `ALL` finds nothing.
 */
const TYPES = 'TRANSACTION|REFUND|M2B|TRANSFER_FOR_SETTLEMENT|CANCEL|REPAYMENT|TRANSFER_TO_BANK|CHARGEBACK|ALL'
const PAYMENTS = ['TRANSACTION', 'ALL']
const STATUSES: Readonly<Record<string, readonly TransactionStatus[]>> = {
  SUCCESS: ['SUCCESS'],
  FAILURE: ['FAILURE'],
  PENDING: ['INITIATED', 'PENDING', 'UNKNOWN'],
}
/** One to ten of these words with pipes between them. */
const joined = (words: string) => Type.String({ pattern: `^(${words})(\\|(${words})){0,9}$` })

const optional = Type.Optional
const body = Type.Object({
  mid: fields.mid,
  fromDate: instant,
  toDate: instant,
  orderSearchType: joined(TYPES),
  orderSearchStatus: optional(joined(Object.keys(STATUSES).join('|'))),
  merchantOrderId: optional(fields.orderId),
  payMode: optional(Type.String({ pattern: '^[A-Z_]{2,20}$' })),
  pageNumber: optional(count),
  pageSize: optional(count),
  isSort: optional(sorted),
})
type Request = Static<typeof body>
const PAGE = { from: 'fromDate', to: 'toDate', number: 'pageNumber', size: 'pageSize' } as const

export const wire = listWire(body, codes, PAGE)

export const reply = Type.Object({
  orders: Type.Array(
    Type.Object({
      mid: fields.mid,
      merchantName: replied.text,
      merchantOrderId: fields.orderId,
      txnId: replied.id,
      bankTxnId: Type.Optional(replied.text),
      orderSearchType: Type.Enum(['TRANSACTION']),
      orderSearchStatus: Type.Enum(['SUCCESS', 'FAILURE', 'PENDING']),
      amount: replied.rupees,
      currency: Type.Enum(['INR']),
      payMode: replied.text,
      refundAmount: replied.rupees,
      responseCode: replied.text,
      responseMessage: replied.text,
      orderCreatedTime: replied.isoTime,
      orderCompletedTime: Type.Optional(replied.isoTime),
    }),
  ),
})

export interface OrderList {
  request: Request
  caller: Signed
}

export const orderList = question({
  name: 'orderList',
  codes,
  async answer({ request: r, caller }: OrderList, query) {
    const merchant = await query.row(merchantKey(r.mid))
    if (!merchant) return { result: codes.invalidMid, parameter: 'mid', cause: 'unknownMid' }
    if (caller.signature !== 'valid') return { result: codes.invalidChecksum }
    const isOfPayments = r.orderSearchType.split('|').some((type) => PAYMENTS.includes(type))
    const found = isOfPayments ? await transactionsFor(r, query) : []
    const ends = await endsOf(found, query)
    return { result: codes.success, body: { orders: found.map((one) => ({ ...rowOf(one, merchant.name), ...ends.get(one.txnId) })) } }
  },
})

async function transactionsFor(r: Request, query: Query): Promise<readonly Transaction[]> {
  const statuses = r.orderSearchStatus?.split('|').flatMap((word) => STATUSES[word]!)
  const paymentMode = r.payMode && longMode(r.payMode)
  const page = pageOf(r, PAGE)
  if (r.merchantOrderId === undefined)
    return query.rows(
      lastTransactionsBetween(page, { mid: r.mid, ...(paymentMode && { paymentMode }) }, statuses && [...new Set(statuses)].sort()),
    )
  const last = (await query.rows(transactionsOfOrder(r.mid, r.merchantOrderId))).at(-1)
  const fits =
    last &&
    last.initiatedAt >= page.from &&
    last.initiatedAt <= page.to &&
    (!statuses || statuses.includes(last.status)) &&
    (!paymentMode || last.paymentMode === paymentMode)
  return fits && page.offset === 0 ? [last] : []
}

/** Accepts both spellings of a mode: the word of a payment request, and the word of Order Status. */
const longMode = (mode: string) =>
  fields.ORDER_PAYMENT_MODES.find((known) => shortMode(known) === mode) ?? (mode === 'WALLET' ? 'BALANCE' : mode)

const timeInIndia = (at: number) => `${dateTimeInIndia(at).replace(' ', 'T')}+05:30`

function rowOf(transaction: Transaction, merchantName: string) {
  const { mid, orderId, txnId, bankTxnId, paymentMode, status, refundedPaise, initiatedAt } = transaction
  const { code, message } = resultOf(transaction)
  return {
    mid,
    merchantName,
    merchantOrderId: orderId,
    txnId,
    ...(bankTxnId !== null && { bankTxnId }),
    orderSearchType: 'TRANSACTION',
    orderSearchStatus: status === 'SUCCESS' || status === 'FAILURE' ? status : 'PENDING',
    amount: toRupees(payablePaise(transaction)),
    currency: 'INR',
    payMode: paymentMode,
    refundAmount: toRupees(refundedPaise),
    responseCode: code,
    responseMessage: message,
    orderCreatedTime: timeInIndia(initiatedAt),
  }
}

const EVENTS_MAX = 5_000 // of one page; a payment has a handful of events

/** When each payment ended, from the payment's own event. The row does not keep that time, because a refund changes the row too. */
async function endsOf(transactions: readonly Transaction[], query: Query): Promise<ReadonlyMap<string, object>> {
  const over = transactions.filter((transaction) => !isInFlight(transaction)).map(({ txnId }) => txnId)
  if (over.length === 0) return new Map()
  const events = await query.rows(
    find('events', {
      equals: { owner: transactions[0]!.mid, aggregate: 'transaction' },
      in: { column: 'id', values: over },
      orderBy: ['version'],
      direction: 'desc',
      limit: EVENTS_MAX,
    }),
  )
  const ended = events.filter(({ fromStatus, toStatus }) => fromStatus !== toStatus && (toStatus === 'SUCCESS' || toStatus === 'FAILURE'))
  return new Map(ended.map(({ id, at }) => [id, { orderCompletedTime: timeInIndia(at) }]))
}
