// The events of a subscription and its cycles: a portion by the cycles, or all of them.

import type { Looks, Query } from '../engine/decision.ts'
import { collectionsOf } from '../tables/keys.ts'
import { find, type Row } from '../tables/tables.ts'
import { shownOf } from './portions.ts'

const CYCLES = 100 // docs/console.md
const EVENTS = 400 // Mohur's choice: four for each of a portion's cycles, so that a page stays below 200 KB
const OWN = 100 // docs/console.md: of the subscription itself

/** Where a portion ended. A member that is undefined has not begun. */
export interface SubscriptionPlace {
  /** The last cycle that the page showed. */
  dueDate?: string | undefined
  /** The subscription's last event that the page showed. */
  version?: number | undefined
}

export interface SubscriptionPortion {
  /** In the order in which they happened. At one instant the subscription's own events come first. */
  events: readonly Row<'events'>[]
  older: SubscriptionPlace | undefined
}

/** One portion, all read at one moment. Without a place, the newest. */
export const subscriptionPortion = (
  query: Query,
  mid: string,
  subscriptionId: string,
  after: SubscriptionPlace = {},
): Promise<SubscriptionPortion> =>
  query.atOneMoment(async (looks) => {
    const { dueDate, version } = after
    const [cycles, own] = await Promise.all([
      looks.rows({ ...collectionsOf(mid, subscriptionId, CYCLES + 1), ...(dueDate !== undefined && { beyond: [dueDate] }) }),
      looks.rows(
        find('events', {
          equals: { owner: mid, aggregate: 'subscription', id: subscriptionId },
          ...{ orderBy: ['version'], direction: 'desc', limit: OWN + 1 },
          ...(version !== undefined && { beyond: [version] }),
        }),
      ),
    ])
    const [cyclesShown = 0, ownShown = 0] = shownOf([
      { times: cycles.map(({ updatedAt }) => updatedAt), most: roomFor(cycles) },
      { times: own.map(({ at }) => at), most: OWN },
    ])
    const shown = { cycles: cycles.slice(0, cyclesShown), own: own.slice(0, ownShown) }
    const events = [...shown.own, ...(await eventsOf(looks, mid, shown.cycles))].sort(inOrder)
    const isAll = cyclesShown === cycles.length && ownShown === own.length
    const older = { dueDate: shown.cycles.at(-1)?.dueDate ?? dueDate, version: shown.own.at(-1)?.version ?? version }
    return { events, older: isAll ? undefined : older }
  })

/** All events. Each portion is read at a moment of its own. */
export async function subscriptionEvents(query: Query, mid: string, subscriptionId: string): Promise<Row<'events'>[]> {
  const all: Row<'events'>[] = []
  for (let after: SubscriptionPlace | undefined = {}; after !== undefined; ) {
    const portion: SubscriptionPortion = await subscriptionPortion(query, mid, subscriptionId, after)
    all.push(...portion.events)
    after = portion.older
  }
  return all.sort(inOrder)
}

/** The number of cycles that have room. A cycle's version is the number of its events. One cycle always has room. */
function roomFor(cycles: readonly Row<'collections'>[]): number {
  let events = 0
  const full = cycles.slice(0, CYCLES).findIndex(({ version }) => {
    events += version
    return events > EVENTS
  })
  return full === -1 ? CYCLES : Math.max(1, full)
}

const eventsOf = async (looks: Looks, mid: string, cycles: readonly Row<'collections'>[]): Promise<readonly Row<'events'>[]> =>
  cycles.length === 0
    ? []
    : looks.rows(
        find('events', {
          equals: { owner: mid, aggregate: 'collection' },
          in: { column: 'id', values: cycles.map(({ collectionId }) => collectionId) },
          ...{ orderBy: ['owner', 'aggregate', 'id', 'version'], limit: cycles.reduce((sum, { version }) => sum + version, 0) },
        }),
      )

const inOrder = (a: Row<'events'>, b: Row<'events'>) =>
  a.at - b.at ||
  Number(a.aggregate === 'collection') - Number(b.aggregate === 'collection') ||
  (a.id < b.id ? -1 : a.id > b.id ? 1 : a.version - b.version)
