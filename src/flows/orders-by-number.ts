// Finds the orders that a number names. It may be the merchant's order id, Mohur's txnId, or the bank's number of a payment or a refund. It
// may also be a refund's refId or refundId. Every look goes by a key or index, so that an operator may ask beside a busy service.

import type { Looks } from '../engine/decision.ts'
import { find, type Row } from '../tables/tables.ts'

const MERCHANTS_MAX = 2_000 // Mohur's choice: merchants whose keys are tried when no merchant is named
const MIDS_AT_ONCE = 256 // Mohur's choice: merchants of one look
export const FOUND_MAX = 100 // docs/console.md: hits by a number
const BY_BANK_MAX = FOUND_MAX + 1 // one more says that there are more

/** The merchants that are searched; null: all. */
export type Mids = readonly string[] | null

export type FoundBy = 'order' | 'transaction' | 'bank number' | 'refund'
export interface FoundOrder {
  mid: string
  orderId: string
  by: FoundBy
  /** The payment or refund that the number names, if it names no order. At most one of the two is set. */
  txnId?: string
  refId?: string
}

/** `tooMany`: there are too many merchants to try their keys. The number may be an id at any of them. */
export interface FoundOrders {
  /** At most `FOUND_MAX`. */
  orders: readonly FoundOrder[]
  tooMany: boolean
  /** The number has more hits than `orders`. */
  isCut: boolean
}

/** Each order once. A number may be an order's id and also name something else of that merchant; then the order's id counts. */
export async function findOrders(looks: Looks, number: string, scope: Mids, tried?: MidsTried): Promise<FoundOrders> {
  const { mids, tooMany } = tried ?? (await midsTried(looks, scope))
  const found = [...(await byKeys(looks, number, mids)), ...(await byBank(looks, number, scope))]
  const ofOrderIds = new Set(found.filter(({ by }) => by === 'order').map((each) => each.mid))
  const wanted = found.filter((each) => each.by === 'order' || !ofOrderIds.has(each.mid))
  const byOrder = new Map<string, FoundOrder>()
  for (const each of wanted) {
    const name = `${each.mid} ${each.orderId}`
    if (!byOrder.has(name)) byOrder.set(name, each)
  }
  const orders = [...byOrder.values()]
  return { orders: orders.slice(0, FOUND_MAX), tooMany, isCut: orders.length > FOUND_MAX }
}

export interface MidsTried {
  mids: readonly string[]
  tooMany: boolean
}

/** The merchants whose keys are tried. None when there are too many. */
export async function midsTried(looks: Looks, scope: Mids): Promise<MidsTried> {
  const mids =
    scope ?? (await looks.rows(find('merchants', { orderBy: ['mid'], limit: MERCHANTS_MAX + 1, unopened: true }))).map(({ mid }) => mid)
  const tooMany = mids.length > MERCHANTS_MAX
  return { mids: tooMany ? [] : mids, tooMany }
}

async function byKeys(looks: Looks, number: string, mids: readonly string[]): Promise<FoundOrder[]> {
  const found: FoundOrder[] = []
  for (let at = 0; at < mids.length; at += MIDS_AT_ONCE) {
    const values = mids.slice(at, at + MIDS_AT_ONCE)
    const among = { in: { column: 'mid', values }, limit: values.length } as const // each key contains the mid, so none is cut off
    const [orders, transactions, refunds, ownRefunds] = await Promise.all([
      looks.rows(find('orders', { ...among, equals: { orderId: number }, unopened: true })),
      looks.rows(find('transactions', { ...among, equals: { txnId: number }, unopened: true })),
      looks.rows(find('refunds', { ...among, equals: { refId: number }, unopened: true })),
      looks.rows(find('refunds', { ...among, equals: { refundId: number }, unopened: true })),
    ])
    found.push(
      ...orders.map(({ mid, orderId }): FoundOrder => ({ mid, orderId, by: 'order' })),
      ...transactions.map((row) => ofTransaction(row, 'transaction')),
      ...[...refunds, ...ownRefunds].map((row) => ofRefund(row, 'refund')),
    )
  }
  return found.sort(byMid)
}

/** The database orders no rows by merchant, and a cut needs an order. */
export const byMid = (a: { mid: string }, b: { mid: string }): number => (a.mid < b.mid ? -1 : a.mid > b.mid ? 1 : 0)

async function byBank(looks: Looks, bankTxnId: string, scope: Mids): Promise<FoundOrder[]> {
  const among = { equals: { bankTxnId }, ...(scope && { in: { column: 'mid' as const, values: scope } }) }
  if (scope?.length === 0) return []
  const [transactions, refunds] = await Promise.all([
    looks.rows(find('transactions', { ...among, orderBy: ['bankTxnId', 'mid', 'txnId'], limit: BY_BANK_MAX, unopened: true })),
    looks.rows(find('refunds', { ...among, orderBy: ['bankTxnId', 'mid', 'refId'], limit: BY_BANK_MAX, unopened: true })),
  ])
  return [...transactions.map((row) => ofTransaction(row, 'bank number')), ...refunds.map((row) => ofRefund(row, 'bank number'))]
}

const ofTransaction = ({ mid, orderId, txnId }: Row<'transactions'>, by: FoundBy): FoundOrder => ({ mid, orderId, by, txnId })
const ofRefund = ({ mid, orderId, refId }: Row<'refunds'>, by: FoundBy): FoundOrder => ({ mid, orderId, by, refId })
