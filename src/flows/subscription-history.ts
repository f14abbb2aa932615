// The events of a subscription and its cycles, and the acts of people on it: a portion by the cycles, or all of them.

import type { Looks, Query } from '../engine/decision.ts'
import { collectionsOf } from '../tables/keys.ts'
import { find, type Row } from '../tables/tables.ts'
import { withReasons } from './list-audit.ts'
import { shownOf } from './portions.ts'

const CYCLES = 100 // docs/console.md
const EVENTS = 400 // Mohur's choice: four for each of a portion's cycles, so that a page stays below 200 KB
const [OWN, AUDITED] = [100, 30] // docs/console.md: of the subscription itself

/** Where a portion ended. A member that is undefined has not begun. */
export interface SubscriptionPlace {
  /** The last cycle that the page showed. */
  dueDate?: string | undefined
  /** The subscription's last event that the page showed. */
  version?: number | undefined
  /** The last row of the audit log that the page showed. */
  auditId?: string | undefined
}

export interface SubscriptionPortion {
  /** In the order in which they happened. At one instant the subscription's own events come first. */
  events: readonly Row<'events'>[]
  /** Acts of people on the subscription, and their notes, in the order in which they happened. */
  audited: readonly Row<'auditLog'>[]
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
    const { dueDate, version, auditId } = after
    const subject = `subscription:${subscriptionId}`
    const [cycles, own, audited] = await Promise.all([
      looks.rows({ ...collectionsOf(mid, subscriptionId, CYCLES + 1), ...(dueDate !== undefined && { beyond: [dueDate] }) }),
      looks.rows(
        find('events', {
          equals: { owner: mid, aggregate: 'subscription', id: subscriptionId },
          ...{ orderBy: ['version'], direction: 'desc', limit: OWN + 1 },
          ...(version !== undefined && { beyond: [version] }),
        }),
      ),
      looks.rows(
        find('auditLog', {
          equals: { subject, mid },
          ...{ orderBy: ['subject', 'auditId'], direction: 'desc', limit: AUDITED + 1, unopened: true },
          ...(auditId !== undefined && { beyond: [subject, auditId] }),
        }),
      ),
    ])
    const [cyclesShown = 0, ownShown = 0, auditedShown = 0] = shownOf([
      { times: cycles.map(({ updatedAt }) => updatedAt), most: roomFor(cycles) },
      { times: own.map(({ at }) => at), most: OWN },
      { times: audited.map(({ at }) => at), most: AUDITED },
    ])
    const shown = { cycles: cycles.slice(0, cyclesShown), own: own.slice(0, ownShown), audited: audited.slice(0, auditedShown) }
    const events = [...shown.own, ...(await eventsOf(looks, mid, shown.cycles))].sort(inOrder)
    const isAll = cyclesShown === cycles.length && ownShown === own.length && auditedShown === audited.length
    const older = {
      dueDate: shown.cycles.at(-1)?.dueDate ?? dueDate,
      version: shown.own.at(-1)?.version ?? version,
      auditId: shown.audited.at(-1)?.auditId ?? auditId,
    }
    return { events, audited: await withReasons(looks, shown.audited.toReversed()), older: isAll ? undefined : older }
  })

/** All of it. Each portion is read at a moment of its own. */
export async function subscriptionHistory(
  query: Query,
  mid: string,
  subscriptionId: string,
): Promise<Pick<SubscriptionPortion, 'events' | 'audited'>> {
  const events: Row<'events'>[] = []
  const audited: Row<'auditLog'>[] = []
  for (let after: SubscriptionPlace | undefined = {}; after !== undefined; ) {
    const portion: SubscriptionPortion = await subscriptionPortion(query, mid, subscriptionId, after)
    events.push(...portion.events)
    audited.unshift(...portion.audited)
    after = portion.older
  }
  return { events: events.sort(inOrder), audited }
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
