// Refund List: docs/interface.md section 4.17. It lists the refunds that were requested in a period, Mohur's own included.

import Type, { type Static } from 'typebox'
import { type Query, question } from '../../engine/decision.ts'
import * as fields from '../../interface/fields.ts'
import { count, instant, listWire, pageOf, sorted } from '../../interface/listing.ts'
import * as replied from '../../interface/replied.ts'
import { refundList as codes } from '../../interface/result-codes.ts'
import type { Signed } from '../../interface/wire.ts'
import { merchantKey, refundsBetween } from '../../tables/keys.ts'
import { find } from '../../tables/tables.ts'
import { type Refund, refundContentOf, refundResultOf } from './refund.ts'
import { partsOf, REFUND_TYPE, refundReply, stepsOf } from './refund-status.ts'

const optional = Type.Optional
const body = Type.Object({
  mid: fields.mid,
  startDate: instant,
  endDate: instant,
  pageNum: optional(count),
  pageSize: optional(count),
  isSort: optional(sorted),
})
type Request = Static<typeof body>
const PAGE = { from: 'startDate', to: 'endDate', number: 'pageNum', size: 'pageSize' } as const

export const wire = listWire(body, codes, PAGE)

export const reply = Type.Object({
  count: replied.count,
  orders: Type.Array(
    Type.Object({
      ...refundReply.properties,
      acceptRefundTimeStamp: replied.txnDate,
      resultStatus: Type.Enum(['TXN_SUCCESS', 'PENDING', 'TXN_FAILURE']),
      resultCode: replied.text,
      resultMsg: replied.text,
    }),
  ),
})

export interface RefundList {
  request: Request
  caller: Signed
}

export const refundList = question({
  name: 'refundList',
  codes,
  async answer({ request: r, caller }: RefundList, query) {
    if (!(await query.row(merchantKey(r.mid)))) return { result: codes.invalidMid, parameter: 'mid', cause: 'unknownMid' }
    if (caller.signature !== 'valid') return { result: codes.invalidChecksum }
    const found = await query.rows(refundsBetween(pageOf(r, PAGE), r.mid))
    return { result: codes.success, body: { count: found.length, orders: await rowsOf(found, r.mid, query) } }
  },
})

async function rowsOf(refunds: readonly Refund[], mid: string, query: Query) {
  if (refunds.length === 0) return []
  const [orders, transactions] = await Promise.all([
    query.rows(find('orders', { equals: { mid }, in: { column: 'orderId', values: distinct(refunds, 'orderId') }, limit: refunds.length })),
    query.rows(
      find('transactions', { equals: { mid }, in: { column: 'txnId', values: distinct(refunds, 'txnId') }, limit: refunds.length }),
    ),
  ])
  const orderOf = new Map(orders.map((order) => [order.orderId, order]))
  const transactionOf = new Map(transactions.map((transaction) => [transaction.txnId, transaction]))
  return refunds.map((refund) => rowOf(refund, orderOf.get(refund.orderId)!, transactionOf.get(refund.txnId)!))
}

const distinct = (refunds: readonly Refund[], member: 'orderId' | 'txnId') => [...new Set(refunds.map((refund) => refund[member]))]

function rowOf(refund: Refund, ...[order, transaction]: [Parameters<typeof refundContentOf>[0], Parameters<typeof refundContentOf>[1]]) {
  const { txnAmount, refundAmount, totalRefundAmount, paymentMode, txnTimestamp } = refundContentOf(order, transaction, refund)
  const { code, status, message } = refundResultOf(refund)
  const steps = stepsOf(refund)
  return {
    ...{ mid: refund.mid, orderId: refund.orderId, txnId: refund.txnId, refId: refund.refId, refundId: refund.refundId },
    ...{ txnAmount, refundAmount, totalRefundAmount, paymentMode, txnTimestamp },
    ...{ resultStatus: status, resultCode: code, resultMsg: message },
    ...steps,
    /** Clients of this list read this spelling. */
    acceptRefundTimeStamp: steps.acceptRefundTimestamp,
    refundType: REFUND_TYPE,
    refundDetailInfoList: partsOf(refund, transaction),
  }
}
