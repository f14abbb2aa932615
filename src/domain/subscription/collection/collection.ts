// The states and moves of one cycle of a subscription: docs/interface.md section 3. Every attempt at a cycle is an order of its own.

import { type Change, type Event, eventOf } from '../../../engine/decision.ts'
import { collectionKey } from '../../../tables/keys.ts'
import type { Row } from '../../../tables/tables.ts'

export type Collection = Row<'collections'>
export type CollectionStatus = Collection['status']

/** Every move of a cycle. An ended cycle never opens again. */
export const transitions = {
  SCHEDULED: { notice: 'NOTIFIED', send: 'IN_FLIGHT', skip: 'SKIPPED', miss: 'MISSED', fail: 'FAILED' },
  NOTIFIED: { send: 'IN_FLIGHT', skip: 'SKIPPED', miss: 'MISSED', fail: 'FAILED' },
  /** A failed attempt leads the cycle back to the state before the attempt. The cycle ends when its last attempt ends. */
  IN_FLIGHT: { collect: 'COLLECTED', retry: 'NOTIFIED', retryUnnoticed: 'SCHEDULED', fail: 'FAILED', skip: 'SKIPPED', miss: 'MISSED' },
  COLLECTED: {},
  SKIPPED: {},
  MISSED: {},
  FAILED: {},
} as const satisfies Record<CollectionStatus, Record<string, CollectionStatus>>

/** True when the acquirer has not received the attempt, which waits for its hour. */
export const isUnsent = ({ status, sentAt }: Pick<Collection, 'status' | 'sentAt'>) => status === 'IN_FLIGHT' && sentAt === null

/** True when a notice asks the payer to approve the debit, and they have not. The payer's bank knows when they do; a wallet has no bank. */
export const isAwaited = ({ rail, authentication }: Collection) =>
  rail !== 'WALLET' && (authentication === 'ASKED' || authentication === 'DECLINED')

export const hasEnded = ({ status }: Pick<Collection, 'status'>) => Object.keys(transitions[status]).length === 0

/** The service checks the cycle again at `nextAt`. Nothing has happened to the cycle, so its version stays. */
export const checkAgainAt = (row: Collection, nextAt: number | null): Change<'collections'> => ({
  kind: 'update',
  key: collectionKey(row.mid, row.collectionId),
  row: { ...row, nextAt },
})

/** `<subscriptionId>.<yyyymmdd>`: the name of a cycle in every key that outlives the cycle. */
export const collectionIdOf = (subscriptionId: string, dueDate: string) => `${subscriptionId}.${dueDate.replaceAll('-', '')}`
export const subscriptionIdOf = (collectionId: string) => collectionId.slice(0, collectionId.lastIndexOf('.'))

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

/** The changed cycle with its event. `type` is the last word of the event's type. */
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

/** The amounts that the payer has agreed to by now. */
export const presentAmounts = ({ renewalAmountPaise, maxAmountPaise }: Row<'subscriptions'>) => ({
  amountPaise: renewalAmountPaise,
  maxPaise: maxAmountPaise,
})

/** Other terms come by an event of their own. So `verify` knows which attempts were made under the terms before them. */
export function withTerms(moved: ReturnType<typeof become>, terms: Partial<Collection>, now: number): ReturnType<typeof become> {
  const row = { ...moved.collection, ...terms }
  if (row.maxPaise === moved.collection.maxPaise && row.windowTo === moved.collection.windowTo) return moved
  const changed = become(moved.collection, row, 'terms-changed', now)
  return { ...changed, events: [...moved.events, ...changed.events] }
}
