// What happened to a subscription and its cycles, as their events tell it.

import type { Looks } from '../engine/decision.ts'
import { collectionsOf } from '../tables/keys.ts'
import { find, type Row } from '../tables/tables.ts'

const ROWS_MAX = 100_000 // ours: of one mandate

/** In the order in which they happened; of one instant the subscription's own first. */
export async function subscriptionEvents(looks: Looks, mid: string, subscriptionId: string): Promise<Row<'events'>[]> {
  const cycles = await looks.rows(collectionsOf(mid, subscriptionId, ROWS_MAX))
  const ids = cycles.map(({ collectionId }) => collectionId)
  const of = (aggregate: string, values: readonly string[]) =>
    values.length === 0
      ? []
      : looks.rows(find('events', { equals: { owner: mid, aggregate }, in: { column: 'id', values }, limit: ROWS_MAX }))
  const [own, theirs] = await Promise.all([of('subscription', [subscriptionId]), of('collection', ids)])
  return [...own, ...theirs].sort(inOrder)
}

const inOrder = (a: Row<'events'>, b: Row<'events'>) =>
  a.at - b.at ||
  Number(a.aggregate === 'collection') - Number(b.aggregate === 'collection') ||
  (a.id < b.id ? -1 : a.id > b.id ? 1 : a.version - b.version)
