// Compares Mohur's books with the simulator's. Each payment has the rupees of its order there, and nothing stays open.

import { idOf } from './account.ts'
import type { CashfreeSimulator } from './simulator.ts'

/** The money columns of a row of `transactions`. */
export interface BookedPayment {
  txnId: string
  status: string
  capturedPaise: number
  refundedPaise: number
  returnedPaise: number
}

export interface Compared {
  /** Successes at the simulator, and how many of them Mohur has as failed. */
  payments: number
  late: number
  /** Refunds that Cashfree made by itself, and those that Mohur requested. */
  automatic: number
  refunds: number
  differ: string[]
}

export const nothingCompared = (): Compared => ({ payments: 0, late: 0, automatic: 0, refunds: 0, differ: [] })

export const paiseOf = (amounts: readonly { amount: number }[]) => amounts.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0)

export function compareBooks(bank: CashfreeSimulator, payment: BookedPayment, into: Compared): void {
  const { txnId, status, capturedPaise, refundedPaise, returnedPaise } = payment
  const there = bank.orders.get(idOf(txnId))
  const refunds = there?.refunds.filter((each) => each.status === 'SUCCESS') ?? []
  const automatic = refunds.filter(({ type }) => type !== 'MERCHANT_INITIATED')
  const taken = there?.payments.filter((each) => each.status === 'SUCCESS') ?? []
  into.payments += taken.length
  into.automatic += automatic.length
  into.refunds += refunds.length - automatic.length
  if (status === 'FAILURE' && taken.length > 0) into.late++
  const state = `${status}, captured ${capturedPaise}, returned ${returnedPaise}`
  const stateThere = `${there?.status}, taken ${paiseOf(taken)}, given back ${paiseOf(refunds)}`
  const say = (what: string) => into.differ.push(`${txnId} (${state}; there ${stateThere}): ${what}`)
  if (status !== 'SUCCESS' && status !== 'FAILURE') say('it is not over')
  if (refundedPaise !== returnedPaise) say('a refund is not over')
  if (paiseOf(taken) - paiseOf(refunds) !== capturedPaise - returnedPaise) say('the books differ')
  if (status === 'FAILURE' && capturedPaise !== returnedPaise) say('a failed payment keeps money')
  if (automatic.length > 0 && capturedPaise > 0) say('what Cashfree gave back was booked')
  if (paiseOf(refunds) > paiseOf(taken)) say('more was given back than taken')
  if (there && there.payments.length > 1) say('it was begun twice')
}
