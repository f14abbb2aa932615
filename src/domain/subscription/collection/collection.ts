// What one cycle of a subscription is and may become: docs/interface.md section 3. Every attempt at it is an order of its own.

import { type Change, type Event, eventOf } from '../../../engine/decision.ts'
import { collectionKey } from '../../../tables/keys.ts'
import type { Row } from '../../../tables/tables.ts'

export type Collection = Row<'collections'>
export type CollectionStatus = Collection['status']

/** Every move a cycle can make. What has ended never comes back. */
export const transitions = {
  SCHEDULED: { notice: 'NOTIFIED', send: 'IN_FLIGHT', skip: 'SKIPPED', miss: 'MISSED', fail: 'FAILED' },
  NOTIFIED: { send: 'IN_FLIGHT', skip: 'SKIPPED', miss: 'MISSED', fail: 'FAILED' },
  /** An attempt that fails leads back to where it was begun; the cycle ends when its last attempt does. */
  IN_FLIGHT: { collect: 'COLLECTED', retry: 'NOTIFIED', retryUnnoticed: 'SCHEDULED', fail: 'FAILED', skip: 'SKIPPED', miss: 'MISSED' },
  COLLECTED: {},
  SKIPPED: {},
  MISSED: {},
  FAILED: {},
} as const satisfies Record<CollectionStatus, Record<string, CollectionStatus>>

/** The acquirer has not heard of its attempt, which waits for its hour. */
export const isUnsent = ({ status, sentAt }: Pick<Collection, 'status' | 'sentAt'>) => status === 'IN_FLIGHT' && sentAt === null

/** Its payer was notified, and asked to approve the debit, and has not: the payer's bank knows when they do. A wallet has none. */
export const isAwaited = ({ rail, noticedAt, authentication }: Collection) =>
  rail !== 'WALLET' && noticedAt !== null && (authentication === 'ASKED' || authentication === 'DECLINED')

export const hasEnded = ({ status }: Pick<Collection, 'status'>) => Object.keys(transitions[status]).length === 0

/** Looked at again at `nextAt`, without a version of its own: nothing has become of it. */
export const lookedAtAgain = (row: Collection, nextAt: number | null): Change<'collections'> => ({
  kind: 'update',
  key: collectionKey(row.mid, row.collectionId),
  row: { ...row, nextAt },
})

/** `<subscriptionId>.<yyyymmdd>`: the name of a cycle in every key that outlives it. */
export const collectionIdOf = (subscriptionId: string, dueDate: string) => `${subscriptionId}.${dueDate.replaceAll('-', '')}`

/** The event of a change from one version of a cycle to the next. */
function collectionEvent(
  type: `collection.${string}`,
  before: Collection | undefined,
  after: Collection,
  at: number,
  more: Event['data'] = {},
): Event {
  const { subscriptionId, dueDate, attempts, amountPaise, windowTo, rail, amountType, noticeNeeded } = after
  return eventOf({
    type,
    owner: after.mid,
    id: after.collectionId,
    before,
    after,
    at,
    data: { subscriptionId, dueDate, attempts, amountPaise, windowTo, rail, amountType, noticeNeeded, ...more },
  })
}

/** A cycle as it becomes, with its event: `type` is the last word of it. */
export function become(
  before: Collection | undefined,
  row: Omit<Collection, 'version' | 'updatedAt'>,
  type: string,
  now: number,
  more: Event['data'] = {},
): { collection: Collection; changes: Change<'collections'>[]; events: Event[] } {
  const collection: Collection = { ...row, version: (before?.version ?? 0) + 1, updatedAt: now }
  return {
    collection,
    changes: [{ kind: before ? 'update' : 'insert', key: collectionKey(row.mid, row.collectionId), row: collection }],
    events: [collectionEvent(`collection.${type}`, before, collection, now, more)],
  }
}
