// The calls that a decision on a cycle names (advance-collection.ts): made after its commit (flows/collection-calls.ts).

import type { Row } from '../../../tables/tables.ts'
import type { Subscription } from '../subscription.ts'

/** What is to be asked of the acquirer when this is committed. `isFirst`: nobody can have asked before. */
export type Work =
  /** `until`: from then on no debit can follow on its day, and the payer is notified of another day. */
  | { kind: 'notify'; key: string; notice: Row<'notices'>; authenticationNeeded: boolean; isFirst: boolean; until: number }
  /** Whether the payer has approved the debit that this notice announced; then the cycle is taken up again. */
  | { kind: 'askPayer'; collectionId: string; number: number; until: number }
  | {
      kind: 'collect'
      key: string
      collectionId: string
      txnId: string
      amountPaise: number
      notifyKey: string | undefined
      attempt: number
      authenticated: boolean
      isFirst: boolean
      /** From then on another look asks what became of it, and may send it: this one does not. */
      until: number
    }

export interface TakenUp {
  work: Work
  subscription: Subscription
  merchant: Row<'merchants'>
  /** The order by which the customer consented. */
  first: Row<'orders'>
  /** The attempt's order. */
  order: Row<'orders'> | undefined
}
