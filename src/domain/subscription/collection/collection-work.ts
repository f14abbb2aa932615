// The calls that a decision on a cycle names (advance-collection.ts). flows/collection-calls.ts makes them after the decision's commit.

import { dayEnds } from '../../../engine/clock.ts'
import type { Row } from '../../../tables/tables.ts'
import { collectKey, notifyKey } from '../../transaction/acquirer-keys.ts'
import { COLLECT_LEASE_MS } from '../../transaction/transaction.ts'
import type { Subscription } from '../subscription.ts'
import type { Collection } from './collection.ts'

/** The call to the acquirer after the commit. `isFirst`: no earlier run can have made the call. */
export type Work =
  /** `until`: after this time no debit can follow on the notice's day, and the payer is notified of another day. */
  | { kind: 'notify'; key: string; notice: Row<'notices'>; authenticationNeeded: boolean; isFirst: boolean; until: number }
  /** Asks whether the payer has approved the debit that notice `number` announced. Then the cycle is decided again. */
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
      /**
       * After this time another run asks for the result, and may send the debit. Or the days of the cycle or the mandate are over. This
       * run does not send the debit any more.
       */
      until: number
    }

export interface ClaimedCycle {
  work: Work
  subscription: Subscription
  merchant: Row<'merchants'>
  /** The order by which the customer consented. */
  first: Row<'orders'>
  /** The attempt's order. */
  order: Row<'orders'> | undefined
}

/** The debit of an attempt, or the question for its result. */
export function collectOf(
  { collection, subscription, now }: { collection: Collection; subscription: Subscription; now: number },
  { txnId, bankPaise }: Row<'transactions'>,
  isFirst: boolean,
): Work {
  const { mid, collectionId, attempts, notices, noticedAt, authentication, windowTo } = collection
  const key = collectKey(mid, collectionId, attempts)
  const until = Math.min(now + COLLECT_LEASE_MS, dayEnds(windowTo), dayEnds(subscription.expiryDate))
  return {
    ...{ kind: 'collect', key, collectionId, txnId, amountPaise: bankPaise, attempt: attempts, isFirst, until },
    notifyKey: noticedAt === null ? undefined : notifyKey(mid, collectionId, notices),
    authenticated: authentication === 'APPROVED',
  }
}
