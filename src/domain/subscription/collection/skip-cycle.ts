// The payer skips the next debit before any notice has announced it: docs/pages.md, "The mandate page". For an announced debit, the payer
// opts out by the notice: apply-notice-result.ts.

import { NOTHING, operation } from '../../../engine/decision.ts'
import { ownCodes } from '../../../interface/result-code.ts'
import type { Reference } from '../../../reference/reference.ts'
import { collectionKey, merchantKey, subscriptionKey } from '../../../tables/keys.ts'
import { isLive } from '../manage-request.ts'
import { notifyOfMoves, recipientKeys } from '../mandate-notifications.ts'
import { isUnsent, subscriptionIdOf } from './collection.ts'
import { endCycle, unsentKeys } from './end-cycle.ts'
import { followingKey, followingOf } from './find-cycle.ts'

const codes = ownCodes('skipCycle', 'skipped', 'gone')

export interface SkipCycle {
  mid: string
  collectionId: string
  /** The cycle's number of notices when the payer saw it. After a newer notice nothing is skipped: the payer answers that notice. */
  notices: number
  reference: Pick<Reference, 'category'>
  now: number
}

export const skipCycle = operation({
  name: 'skipCycle',
  codes,
  reads: ({ mid, collectionId }: SkipCycle) => ({
    collection: collectionKey(mid, collectionId),
    subscription: subscriptionKey(mid, subscriptionIdOf(collectionId)),
    merchant: merchantKey(mid),
  }),
  readsNext: (_command, { collection, subscription }) => ({
    following: followingKey(subscription, collection),
    ...recipientKeys(subscription),
  }),
  readsLast: (_command, { subscription, collection }) => unsentKeys(subscription, [collection]),
  decide({ notices, reference, now }, state) {
    const { collection, subscription, merchant, following, ...waiting } = state
    const nothing = { ...NOTHING, reply: { result: codes.gone } }
    if (!collection || !subscription || !merchant || !isLive(subscription, now) || collection.notices !== notices) return nothing
    if (collection.status !== 'SCHEDULED' && collection.status !== 'NOTIFIED' && !isUnsent(collection)) return nothing
    const { changes, events, tasks } = endCycle(collection, subscription, { merchant, ...waiting }, 'skipped', now)
    const next = followingOf(subscription, reference.category(merchant.mcc), collection, following, now)
    return notifyOfMoves(state, now, {
      reply: { result: codes.skipped },
      changes: [...changes, ...next.changes],
      events: [...events, ...next.events],
      tasks,
    })
  },
})
