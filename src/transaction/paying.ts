// What a decision on an acquirer's answer is given, and what it makes of it.

import { type Change, type Event, NOTHING, type TaskChange } from '../engine/decision.ts'
import type { Streams } from '../notification/notification.ts'
import type { Counters } from '../promotion/redemption.ts'
import type { Row } from '../tables.ts'
import type { Category } from './reference.ts'
import type { Transaction } from './transaction.ts'

/** Every row that an answer may touch. */
export interface Paying extends Streams, Counters {
  order: Row<'orders'>
  transaction: Transaction
  merchant: Row<'merchants'>
  /** Of the merchant, for the cycles that a consent begins. */
  category: Category | undefined
  /** Whose wallet pays, or is given cashback. */
  customer: Row<'customers'> | undefined
  redemption: Row<'redemptions'> | undefined
  subscription: Row<'subscriptions'> | undefined
  /** The card of this payment as the customer has kept it before. */
  savedCard: Row<'savedCards'> | undefined
  /** The cycle of a subscription that it is an attempt to collect. */
  collection?: Row<'collections'> | undefined
  /** When the days are over on which the cycle of a debit may be collected. */
  windowEndsAt?: number | undefined
  /** When the payment began, for the schedule of questions: transaction.ts. */
  begun: number
}

export interface Outcome {
  order: Row<'orders'>
  transaction: Transaction
  changes: readonly Change[]
  events: readonly Event[]
  tasks: readonly TaskChange[]
}

export const unchanged = ({ order, transaction }: Paying): Outcome => ({ ...NOTHING, order, transaction })
