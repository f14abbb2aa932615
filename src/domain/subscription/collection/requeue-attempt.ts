// An attempt that the acquirer does not know is sent again under its key, as a new act. Until then the attempt waits as if unsent, and the
// rules and the mandate's state are checked again. If the payer has skipped the cycle meanwhile, or a pause has covered it, the attempt is
// withdrawn. Docs/interface.md section 3.

import { NOTHING, operation } from '../../../engine/decision.ts'
import { ownCodes } from '../../../interface/result-code.ts'
import { collectionKey, merchantKey, subscriptionKey } from '../../../tables/keys.ts'
import type { Row } from '../../../tables/tables.ts'
import { notifyOfMoves, recipientKeys } from '../mandate-notifications.ts'
import { type Collection, subscriptionIdOf } from './collection.ts'
import { endCycle, unsentKeys } from './end-cycle.ts'

const codes = ownCodes('requeueAttempt', 'waits', 'withdrawn', 'gone')

export interface RequeueAttempt {
  mid: string
  collectionId: string
  txnId: string
  now: number
}

export const requeueAttempt = operation({
  name: 'requeueAttempt',
  codes,
  reads: ({ mid, collectionId }: RequeueAttempt) => ({
    collection: collectionKey(mid, collectionId),
    subscription: subscriptionKey(mid, subscriptionIdOf(collectionId)),
    merchant: merchantKey(mid),
  }),
  readsNext: (_command, { subscription }) => recipientKeys(subscription),
  readsLast: (_command, { subscription, collection }) =>
    unsentKeys(subscription, collection && collection.unwanted !== 'NO' ? [unsent(collection)] : []),
  decide({ txnId, now }, state) {
    const { collection, subscription, ...waiting } = state
    if (collection?.status !== 'IN_FLIGHT' || collection.txnId !== txnId || !subscription)
      return { ...NOTHING, reply: { result: codes.gone } }
    if (collection.unwanted !== 'NO') {
      const ended = endCycle(unsent(collection), subscription, waiting, WHY[collection.unwanted], now)
      return notifyOfMoves(state, now, { reply: { result: codes.withdrawn }, ...ended })
    }
    const key = collectionKey(collection.mid, collection.collectionId)
    return {
      reply: { result: codes.waits },
      changes: [{ kind: 'update', key, row: { ...unsent(collection), nextAt: now } }],
      events: [],
      tasks: [],
    }
  },
})

const WHY = { SKIPPED: 'skipped', PAUSED: 'paused' } as const
const unsent = (collection: Row<'collections'>): Collection => ({ ...collection, sentAt: null })
