// A bank says that something has become of a notice or of a debit: its cycle is looked at now instead of when its time comes.

import { NOTHING, operation } from '../engine/decision.ts'
import { ownCodes } from '../interface/result-code.ts'
import { collectionKey, find } from '../tables.ts'

const codes = ownCodes('lookNow', 'looking', 'settled')

export interface LookNow {
  mid: string
  collectionId: string
  now: number
}

export const lookNow = operation({
  name: 'lookNow',
  codes,
  reads: ({ mid, collectionId }: LookNow) => ({
    collection: collectionKey(mid, collectionId),
    notices: find('notices', { equals: { mid, collectionId, status: 'PENDING' }, limit: 1 }),
  }),
  decide({ now }, { collection, notices }) {
    // An attempt that waits for its hour, or its day, waits for it whatever is said of its cycle.
    const isAsked = collection?.status === 'IN_FLIGHT' ? collection.sentAt !== null : notices.length > 0
    if (!collection || !isAsked || collection.nextAt === null || collection.nextAt <= now)
      return { ...NOTHING, reply: { result: codes.settled } }
    const key = collectionKey(collection.mid, collection.collectionId)
    return {
      reply: { result: codes.looking },
      changes: [{ kind: 'update', key, row: { ...collection, nextAt: now } }],
      events: [],
      tasks: [],
    }
  },
})
