// Refunds as a merchant requests them. Tests change what they are about.

import assert from 'node:assert/strict'
import { transactionKey } from '../../../src/tables/keys.ts'
import type { Row } from '../../../src/tables/tables.ts'
import { MID, type Reply, type Service } from '../run/service.ts'
import { CARD, createOrder, type Order, pay } from './paying.ts'

export const APPLY = '/refund/apply'
export const STATUS = '/v2/refund/status'

export interface Paid extends Order {
  txnId: string
}

/** A paid order of Rs 100, by card unless `means` says otherwise. */
export async function paidOrder(
  service: Service,
  orderId: string,
  { order = {}, means = CARD }: { order?: object; means?: object } = {},
): Promise<Paid> {
  const created = await createOrder(service, orderId, order)
  const reply = await pay(service, created, means)
  assert.equal(reply.body.resultInfo.resultCode, '0000', reply.text)
  return { ...created, txnId: reply.body.txnId }
}

export const refundBody = (
  { orderId, txnId }: Pick<Paid, 'orderId' | 'txnId'>,
  refId: string,
  refundAmount: string,
  more: object = {},
) => ({
  mid: MID,
  txnType: 'REFUND',
  orderId,
  txnId,
  refId,
  refundAmount,
  ...more,
})

export const refund = (
  service: Service,
  paid: Pick<Paid, 'orderId' | 'txnId'>,
  refId: string,
  refundAmount: string,
  more: object = {},
): Promise<Reply> => service.signed(APPLY, refundBody(paid, refId, refundAmount, more))

export const refundStatusOf = (service: Service, { orderId }: Pick<Paid, 'orderId'>, refId: string): Promise<Reply> =>
  service.signed(STATUS, { mid: MID, orderId, refId })

export const transactionOf = async ({ ports }: Service, { txnId }: Pick<Paid, 'txnId'>): Promise<Row<'transactions'>> =>
  (await ports.query.row(transactionKey(MID, txnId)))!

/** The balance of each ledger account for one payment: debits less credits. */
export async function accountsOf({ ports }: Service, { txnId }: Pick<Paid, 'txnId'>): Promise<Record<string, number>> {
  const lines = await ports.query.rows({ find: 'ledgerEntries', equals: { owner: MID, subject: txnId }, limit: 1_000 })
  const sums: Record<string, number> = {}
  for (const { account, debitPaise, creditPaise } of lines) sums[account] = (sums[account] ?? 0) + debitPaise - creditPaise
  return Object.fromEntries(Object.entries(sums).filter(([, paise]) => paise !== 0))
}
