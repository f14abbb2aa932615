// Streams of notifications that were given up, as rows.

import { sequenceOf } from '../../../src/domain/notification/notification.ts'
import type { Change } from '../../../src/engine/decision.ts'
import { notificationKey, streamKey } from '../../../src/tables/keys.ts'
import { contentOf } from './receiver.ts'

interface Dead {
  mid: string
  orderId: string
  url: string
  now: number
}

/** A stream of one notification, which every try has failed to deliver. */
export function deadRows({ mid, orderId, url, now }: Dead): Change[] {
  const of = { mid, orderId, endpoint: 'merchant' } as const
  return [
    {
      ...{ kind: 'insert', key: streamKey(mid, orderId, 'merchant') },
      row: { ...of, status: 'DEAD', last: 1, next: 1, attempts: 10, updatedAt: now },
    },
    {
      ...{ kind: 'insert', key: notificationKey(mid, orderId, 'merchant', sequenceOf(1)) },
      row: {
        ...{ ...of, sequence: sequenceOf(1), notificationId: `${mid}:${orderId}:merchant:1`, status: 'DEAD', form: 'json', url },
        ...{ event: `order|${orderId}|1`, content: contentOf(mid, orderId, 1), attempts: 0, createdAt: now, deliveredAt: null },
      },
    },
  ]
}
