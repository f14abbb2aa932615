// What the steps of a due cycle share: what they read, the calls that they name, and how a cycle ends or waits.
// flows/collection-calls.ts makes the calls after the decision's commit.

import type { Change, Event, TaskChange } from '../../../engine/decision.ts'
import type { Category } from '../../../reference/reference.ts'
import type { Row } from '../../../tables/tables.ts'
import { takesPayments } from '../../merchant/merchant.ts'
import { COLLECT_LEASE_MS } from '../../transaction/transaction.ts'
import { bankKeepsOurPause, type Subscription } from '../subscription.ts'
import { become, type Collection, checkAgainAt, isAwaited } from './collection.ts'
import type { CollectionRule } from './collection-check.ts'

const APPROVAL_NOT_KNOWN_MS = 15 * 60_000 // Mohur's choice: how long to wait before asking the bank again about an approval
/** Mohur's choice: how long to wait for a bank that has not confirmed a pause's end, or for a disabled merchant. */
export const HELD_UP_MS = 15 * 60_000

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

/** An earlier run set the cycle's `nextAt` to `until` and asked the payer's bank for the approval. */
export interface AskedPayer {
  until: number
  isAnswered: boolean
}

export interface Due {
  collection: Collection
  subscription: Subscription
  merchant: Row<'merchants'>
  /** The order by which the customer consented. */
  first: Row<'orders'>
  /** The standing notice: it has succeeded, or it has no answer yet. */
  standingNotice: Row<'notices'> | undefined
  /** The previous attempt. */
  last: Row<'transactions'> | undefined
  /** The rows of the attempt in flight. */
  order: Row<'orders'> | undefined
  transaction: Row<'transactions'> | undefined
  customer: Row<'customers'> | undefined
  merchantStream: Row<'notificationStreams'> | undefined
  peonStream: Row<'notificationStreams'> | undefined
  callbackStream: Row<'notificationStreams'> | undefined
  /** An earlier debit of the cycle may still be made, or its money may still be at the bank. */
  isBarred: boolean
  isNameTaken: boolean
  isNextThere: boolean
  category: Category | undefined
  asked: AskedPayer | undefined
  fresh: { txnId: string; noticeId: string }
  now: number
}

export interface Step {
  changes: readonly Change[]
  events: readonly Event[]
  tasks?: readonly TaskChange[]
  work?: Work
  order?: Row<'orders'>
}

/** True when the payer has the notice, or may have it. Such a notice keeps the cycle's terms. */
export const isNoticed = ({ collection, standingNotice }: Due) => collection.noticedAt !== null || standingNotice !== undefined

/** True while nothing new may go to the bank. The cycle still ends when its days are over. */
export const isHeldUp = ({ subscription, merchant }: Due) => bankKeepsOurPause(subscription) || !takesPayments(merchant)

export function end({ collection, now }: Due, why: CollectionRule | 'cancelled' | 'paused'): Step {
  const status = collection.attempts > 0 ? 'FAILED' : 'MISSED'
  const row = { ...collection, status, orderId: null, txnId: null, sentAt: null, nextAt: null } as const
  return become(collection, row, status === 'FAILED' ? 'failed' : 'missed', now, { why })
}

/** The bank's report of an approval may be lost. So the service asks the payer's bank before it acts on a missing approval. */
export function askPayer({ collection, asked, now }: Due, otherwise: () => Step): Step {
  if (!isAwaited(collection) || asked?.isAnswered) return otherwise()
  if (asked) return { changes: [checkAgainAt(collection, now + APPROVAL_NOT_KNOWN_MS)], events: [] }
  const { collectionId, notices: number } = collection
  const until = now + COLLECT_LEASE_MS
  return { changes: [checkAgainAt(collection, until)], events: [], work: { kind: 'askPayer', collectionId, number, until } }
}
