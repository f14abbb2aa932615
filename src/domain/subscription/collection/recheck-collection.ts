// A bank says that something has become of a notice or of a debit: its cycle is looked at now instead of when its time comes.

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
    // An attempt that waits for its hour, or its day, waits for it whatever is said of its cycle. One that its bank did not know and now tells
    // of was sent: what has become of it is asked first.
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
