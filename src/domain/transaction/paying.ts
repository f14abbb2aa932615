// What a decision on an acquirer's answer is given, and what it makes of it.

import { type Change, type Event, NOTHING, type TaskChange } from '../../engine/decision.ts'
import type { Row } from '../../tables/tables.ts'
import type { Streams } from '../notification/notification.ts'
import type { Counters } from '../promotion/redemption.ts'
import type { Transaction } from './transaction.ts'

/**
 * What the outcome asks where a payment is for more than its order. The caller hands these rules in; a subscription's stand in its room.
 * `transaction` is the attempt as it stands when the outcome asks.
 */
export interface OutcomeRules {
  /** The attempt ends before its bank was asked, or its wallet held. */
  readonly isUnsent: boolean
  /** What a notification of this payment tells beside its own content. */
  readonly content: Readonly<Record<string, string>>
  /** The bank was asked for an agreement, also where no money is taken. */
  isAskedOfBank(transaction: Transaction): boolean
  /** The time for it is over: a success is given back. */
  isTooLate(transaction: Transaction, now: number): boolean
  /** The success lacks the reference that it needs: without one nothing could be debited or withdrawn. */
  isNameless(transaction: Transaction, reference: string | undefined): boolean
  /** The bank has taken it and decides in days: its pending answer is enough, where the payer has no next step. */
  isTaken(transaction: Transaction, next: unknown, waitedMs: number): boolean
  succeeded(transaction: Transaction, reference: string | undefined, now: number): Pick<Effects, 'changes' | 'events'>
  failed(result: string, now: number): Pick<Effects, 'changes' | 'events'>
  pending(transaction: Transaction, reference: string | undefined, now: number): Pick<Effects, 'changes' | 'tasks'>
  /** `failed`: what the failure has changed in the same decision. */
  givenBack(
    transaction: Transaction,
    failed: readonly Change[],
    reference: string | undefined,
    now: number,
  ): Pick<Effects, 'changes' | 'tasks'>
  /** Its order has closed without having been paid. */
  closed(now: number): Effects
  /** Work of its own asks the acquirer again then, and the payment's task does not; undefined where there is none. */
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

/** Every row that an answer may touch, with the rules. */
export interface Paying extends Streams, Counters {
  order: Row<'orders'>
  transaction: Transaction
  merchant: Row<'merchants'>
  /** Whose wallet pays, or is given cashback. */
  customer: Row<'customers'> | undefined
  redemption: Row<'redemptions'> | undefined
  /** The card of this payment as the customer has kept it before. */
  savedCard: Row<'savedCards'> | undefined
  rules: OutcomeRules
  /** When the days are over on which the cycle of a debit may be collected. */
  windowEndsAt?: number | undefined
  /** When the payment began, for the schedule of questions: transaction.ts. */
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
