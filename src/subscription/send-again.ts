// An attempt that its acquirer never heard of is sent again under its key, as a new act: it waits like one that was never sent,
// and the rules and the mandate's state are asked anew. Docs/interface.md section 3.

import { operation } from '../engine/decision.ts'
import { ownCodes } from '../interface/result-code.ts'
import { collectionKey } from '../tables.ts'

const codes = ownCodes('sendAgain', 'waits', 'gone')

export interface SendAgain {
  mid: string
  collectionId: string
  txnId: string
  now: number
}

export const sendAgain = operation({
  name: 'sendAgain',
  codes,
  reads: ({ mid, collectionId }: SendAgain) => ({ collection: collectionKey(mid, collectionId) }),
  decide({ txnId, now }, { collection }) {
    if (collection?.status !== 'IN_FLIGHT' || collection.txnId !== txnId)
      return { reply: { result: codes.gone }, changes: [], events: [], tasks: [] }
    const key = collectionKey(collection.mid, collection.collectionId)
    return {
      reply: { result: codes.waits },
      changes: [{ kind: 'update', key, row: { ...collection, sentAt: null, nextAt: now } }],
      events: [],
      tasks: [],
    }
  },
})
