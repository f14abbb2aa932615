// The input and the outcome of a decision on an acquirer's answer.

import { type Change, type Event, NOTHING, type TaskChange } from '../../engine/decision.ts'
import type { Row } from '../../tables/tables.ts'
import type { Streams } from '../notification/notification.ts'
import type { Counters } from '../promotion/redemption.ts'
import type { Transaction } from './transaction.ts'

/**
 * Rules for a payment that serves more than its order. The caller hands the rules in; a subscription's rules are in its room. `transaction`
 * is the attempt at the time of the call.
 */
export interface OutcomeRules {
  /** True when the attempt ends before its bank was asked, or before its wallet's part was held. */
  readonly isUnsent: boolean
  /** The members that a notification of this payment has beside its own content. */
  readonly content: Readonly<Record<string, string>>
  /** True when the bank was asked for an agreement, even if no money is taken. */
  isAskedOfBank(transaction: Transaction): boolean
  /** True when the time for the payment is over. Then a success is given back. */
  isTooLate(transaction: Transaction, now: number): boolean
  /** True when the success lacks a reference that it needs. Without the reference nothing could be debited or withdrawn. */
  isNameless(transaction: Transaction, reference: string | undefined): boolean
  /**
   * True when the bank has taken the request and decides in days, and the payer has no next step. Then a pending answer counts as a
   * success.
   */
  isTaken(transaction: Transaction, next: unknown, waitedMs: number): boolean
  succeeded(transaction: Transaction, reference: string | undefined, now: number): Pick<Effects, 'changes' | 'events'>
  failed(result: string, now: number): Pick<Effects, 'changes' | 'events'>
  pending(transaction: Transaction, reference: string | undefined, now: number): Pick<Effects, 'changes' | 'tasks'>
  /** `failed`: the failure's changes in the same decision. `isUnnamed`: the bank has an agreement that it has not named yet. */
  givenBack(
    transaction: Transaction,
    failed: readonly Change[],
    reference: string | undefined,
    now: number,
  ): Pick<Effects, 'changes' | 'tasks'> & { readonly isUnnamed?: true }
  /** The order has closed unpaid. */
  closed(now: number): Effects
  /** The change by which other work asks the acquirer again, instead of the payment's task. Undefined when there is no other work. */
  afterStatusInquiry(dueAt: number): Change | undefined
}

/** A payment for its order alone. */
export const ORDINARY: OutcomeRules = {
  isUnsent: false,
  content: {},
  isAskedOfBank: () => false,
  isTooLate: () => false,
  isNameless: () => false,
  isTaken: () => false,
  succeeded: () => NOTHING,
  failed: () => NOTHING,
  pending: () => NOTHING,
  givenBack: () => NOTHING,
  closed: () => NOTHING,
  afterStatusInquiry: () => undefined,
}

export interface Paying extends Streams, Counters {
  order: Row<'orders'>
  transaction: Transaction
  merchant: Row<'merchants'>
  /** The owner of the wallet that pays or receives cashback. */
  customer: Row<'customers'> | undefined
  redemption: Row<'redemptions'> | undefined
  /** This payment's card, if the customer has saved it before. */
  savedCard: Row<'savedCards'> | undefined
  rules: OutcomeRules
  /** The end of the days on which a debit's cycle may be collected. */
  windowEndsAt?: number | undefined
  /** When the payment began, for the schedule of status inquiries: transaction.ts. */
  firstAskedAt: number
}

interface Effects {
  changes: readonly Change[]
  events: readonly Event[]
  tasks: readonly TaskChange[]
}
export interface Outcome extends Effects {
  order: Row<'orders'>
  transaction: Transaction
}

export const unchanged = ({ order, transaction }: Paying): Outcome => ({ ...NOTHING, order, transaction })
