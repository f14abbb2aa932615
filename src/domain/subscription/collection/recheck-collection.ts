// A bank reports that a notice or a debit has changed. So the cycle is due now, before its scheduled time.

import { NOTHING, operation } from '../../../engine/decision.ts'
import { ownCodes } from '../../../interface/result-code.ts'
import { collectionKey } from '../../../tables/keys.ts'
import { find, look } from '../../../tables/tables.ts'

const codes = ownCodes('recheckCollection', 'looking', 'applied')

export interface RecheckCollection {
  mid: string
  collectionId: string
  now: number
}

export const recheckCollection = operation({
  name: 'recheckCollection',
  codes,
  reads: ({ mid, collectionId }: RecheckCollection) => ({
    collection: collectionKey(mid, collectionId),
    notices: find('notices', { equals: { mid, collectionId, status: 'PENDING' }, limit: 1 }),
  }),
  readsNext: ({ mid }, { collection }) => ({
    attempt: collection?.status === 'IN_FLIGHT' && collection.txnId ? look('transactions', mid, collection.txnId) : undefined,
  }),
  decide({ now }, { collection, notices, attempt }) {
    // A report does not make an attempt due that waits for its hour or its day. But an attempt that its bank did not know and now reports
    // was sent. So the next run asks the bank for the result first.
    const sentAt = collection?.sentAt ?? attempt?.sentAt ?? null
    const isAsked = collection?.status === 'IN_FLIGHT' ? sentAt !== null : notices.length > 0
    if (!collection || !isAsked || collection.nextAt === null || collection.nextAt <= now)
      return { ...NOTHING, reply: { result: codes.applied } }
    const key = collectionKey(collection.mid, collection.collectionId)
    return {
      reply: { result: codes.looking },
      changes: [{ kind: 'update', key, row: { ...collection, nextAt: now, ...(attempt && { sentAt }) } }],
      events: [],
      tasks: [],
    }
  },
})
