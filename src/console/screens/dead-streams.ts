// Streams of notifications that were given up, by the filters of a list, the newest first.

import type { Stream } from '../../domain/notification/notification.ts'
import type { Looks } from '../../engine/decision.ts'
import { find } from '../../tables/tables.ts'
import { CONSOLE } from '../kit/sheet.ts'
import type { Filters } from './filters.ts'
import type { ListPortion } from './list.ts'

export const NOTIFICATIONS = `${CONSOLE}/notifications`
export const STATES = { dead: 'given up' } as const
export type DeadStreams = ListPortion<Stream>

type Asked = Pick<Filters, 'mids' | 'from' | 'to' | 'after'> & { limit: number }

export async function deadStreams(looks: Looks, { mids, from, to, after, limit }: Asked): Promise<DeadStreams> {
  const rows = await looks.rows(
    find('notificationStreams', {
      equals: { status: 'DEAD' },
      atLeast: { updatedAt: from },
      atMost: { updatedAt: after ? Math.min(to, after.at) : to },
      ...(mids && { in: { column: 'mid', values: mids.length > 0 ? mids : [''] } }),
      ...(after && { beyond: [after.at, after.mid, ...placeOf(after.id)] }),
      ...{ orderBy: ['updatedAt', 'mid', 'orderId', 'endpoint'], direction: 'desc', limit: limit + 1 },
    }),
  )
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return {
    rows: shown,
    isCut: false,
    ...(last && { next: { at: last.updatedAt, mid: last.mid, id: `${last.orderId}:${last.endpoint}` } }),
  }
}

/** An order may be given up at several endpoints, so a place names the order and the endpoint. */
const placeOf = (id: string): readonly [orderId: string, endpoint: string] => [
  id.slice(0, id.lastIndexOf(':')),
  id.slice(id.lastIndexOf(':') + 1),
]
